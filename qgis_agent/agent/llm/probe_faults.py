"""Why a request of a test failed, as the line of the test that says so. Told by statuses and classes, as in ``errors.py``."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator
from typing import Any

from ...bridge.model_test import line
from .errors import chain_of, model_error, text_of
from .types import ModelError

_CERTIFICATES = {10: "certificate_expired", 18: "certificate_self_signed", 62: "certificate_other_name"}
"""OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED, _DEPTH_ZERO_SELF_SIGNED_CERT and _HOSTNAME_MISMATCH (x509_vfy.h)."""
_CERTIFICATE_TEXTS = (
    ("certificate has expired", "certificate_expired"),
    ("hostname mismatch", "certificate_other_name"),
    ("ip address mismatch", "certificate_other_name"),
    ("self-signed certificate in certificate chain", "certificate_unknown"),
    ("self signed certificate in certificate chain", "certificate_unknown"),
    ("self-signed certificate", "certificate_self_signed"),
    ("self signed certificate", "certificate_self_signed"),
    ("certificate_verify_failed", "certificate_unknown"),
    ("certificate verify failed", "certificate_unknown"),
    ("wrong_version_number", "not_encrypted"),
    ("wrong version number", "not_encrypted"),
    ("record_layer_failure", "not_encrypted"),
    ("packet length too long", "not_encrypted"),
)
_MODEL_MISSING = re.compile(
    r"model_not_found|\bmodel\b.{0,120}(?:not found|does ?n[o']t exist|not exist|no such|unknown|is not available|not a valid)"
    r"|(?:not found|unknown|invalid|no such|not a valid)\b.{0,20}\bmodel\b|deploymentnotfound|no endpoints found"
)
_NO_INTERFACE = (
    "expecting value",
    "provider returned a response with no",
    "jsondecodeerror",
    "invalid response object",
)


def fault(error: BaseException) -> dict[str, Any]:
    """The line of a failed first request. A 404 that says nothing of a model is "wrong_path"; see ``says_no_model``."""
    found = _transport(error)
    if found:
        return line("address", found)
    if any(mark in text for text in _texts(error) for mark in _NO_INTERFACE):
        return line("address", "empty_body" if _was_empty(error) else "no_model_interface")
    if any(type(each).__name__ == "MidStreamFallbackError" for each in (error, *chain_of(error))):
        return line("model", "broke_off")
    status = getattr(error, "status_code", None)
    known = model_error(error)
    if isinstance(status, int) and status in (404, 405, 410):
        return line("model", "unknown", near=[]) if says_no_model(error) else line("address", "wrong_path", address="")
    if status in (400, 422) and says_no_model(error):
        return line("model", "unknown", near=[])
    return _of_kind(known, status)


def says_no_model(error: BaseException) -> bool:
    """Whether a refusal is about the name of the model."""
    return any(_MODEL_MISSING.search(text) for text in _texts(error))


def _of_kind(error: ModelError, status: Any) -> dict[str, Any]:
    code = int(status) if isinstance(status, int) else 0
    if error.kind == "auth":
        return line("key", "rejected" if code else "missing")
    if error.kind == "quota":
        return line("key", "used_up")
    if error.kind == "rate_limit":
        return line("model", "rate_limited", seconds=round(error.retry_after_s or 0))
    if error.kind == "timeout":
        return line("model", "no_answer", seconds=0)
    if error.kind == "bad_answer":
        return line("address", "no_model_interface")
    if error.kind == "internal":
        return line("address", "internal", kind=error.message[-60:])
    if error.kind == "config" and not code:
        return line("address", "library")
    if error.kind == "context_overflow":
        return line("context", "too_small", tokens=0, window=0)
    if error.kind == "transient" and not code:
        return line("model", "broke_off")
    return line("model", "server_failed" if code >= 500 else "request_refused", status=code)


def _transport(error: BaseException) -> str:
    """What went wrong before an HTTP answer came; "" where one did."""
    behind = [error, *chain_of(error)]
    names = {each.__name__ for one in behind for each in type(one).__mro__}
    for each in behind:
        code = getattr(each, "verify_code", None)  # of OpenSSL's own error, not of those that wrap it
        if code in _CERTIFICATES:
            return _CERTIFICATES[code]
    if any(isinstance(each, ssl.SSLError) for each in behind) or "ClientSSLError" in names:
        words = " ".join(_texts(error))
        return next((code for mark, code in _CERTIFICATE_TEXTS if mark in words), "certificate_unknown")
    if names & {"ProxyError", "ClientHttpProxyError", "ClientProxyConnectionError"}:
        return "proxy"
    if names & {"InvalidURL", "UnsupportedProtocol", "InvalidUrlClientError", "LocalProtocolError"}:
        return "no_address"
    if "gaierror" in names or "ClientConnectorDNSError" in names:
        return "unknown_name"
    if "ConnectionRefusedError" in names:
        return "refused"
    if names & {"ConnectTimeout", "ConnectionTimeoutError", "ServerTimeoutError"}:
        return "no_answer"
    if names & {"ConnectError", "ConnectionResetError", "ClientConnectorError", "ServerDisconnectedError"}:
        return "no_connection"
    return ""


def _was_empty(error: BaseException) -> bool:
    return any(isinstance(each, json.JSONDecodeError) and not each.doc.strip() for each in chain_of(error))


def _texts(error: BaseException) -> Iterator[str]:
    for each in (error, *chain_of(error)):
        yield text_of(each)
