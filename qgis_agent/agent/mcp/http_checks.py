"""What a request must be before anything of it is read: the checks of its line and headers, and of the version its body names.

Each check raises Refused, which is the answer. No answer, and no line of a log, holds anything of a token.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from mcp_types import HEADER_MISMATCH, INVALID_REQUEST, PROTOCOL_VERSION_META_KEY, UNSUPPORTED_PROTOCOL_VERSION

from ...bridge.text import clean
from .health import SERVED_VERSIONS

MCP_PATH, HEALTH_PATH = "/mcp", "/health"
LOOPBACK = frozenset(["127.0.0.1", "localhost", "::1"])
OURS = frozenset(["127.0.0.1", "localhost"])
"""Names under which the endpoint is asked. Any other comes from a page whose name was made to point here (DNS rebinding)."""
VERSION_HEADER = "mcp-protocol-version"
MAX_TOKEN = 512
RATE_CODE = -32000
"""JSON-RPC leaves these codes to servers; clients of MCP read the HTTP status."""

Headers = Iterable[tuple[bytes, bytes]]


class Refused(Exception):
    """The answer to a request that goes no further: HTTP status, a JSON-RPC error, headers.

    ``ident`` is the request's id, where that was read; MCP's schema has no null for it, so that it is left out else.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: int = INVALID_REQUEST,
        data: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        ident: Any = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        error: dict[str, Any] = {"code": code, "message": message}
        if data:
            error["data"] = dict(data)
        self.body = {"jsonrpc": "2.0", **({} if ident is None else {"id": ident}), "error": error}


def one(headers: Headers, name: str) -> str | None:
    """The value of a header, None where it is absent. Refused where it comes twice: two readers might take different ones."""
    found = [value.decode("latin-1").strip() for key, value in headers if key.decode("latin-1").lower() == name]
    if len(found) > 1:
        raise Refused(400, f"{name} comes more than once.")
    return found[0] if found else None


def check_host(headers: Headers) -> None:
    """Host names this machine."""
    host = one(headers, "host")
    if host is None or _host_of(f"//{host}") not in OURS:
        raise Refused(403, "This endpoint is asked as 127.0.0.1 or localhost only.")


def check_origin(headers: Headers) -> None:
    """No page of another machine sends this: Origin is absent, or on this machine."""
    origin = one(headers, "origin")
    if origin is None:
        return
    if not origin.lower().startswith(("http://", "https://")) or _host_of(origin) not in LOOPBACK:
        raise Refused(403, "Requests of pages from elsewhere are not answered.")


def _host_of(url: str) -> str:
    """The host that a URL names, in lower case; "" where it names none that can be."""
    try:
        parts = urlsplit(url)
        return "" if parts.port == 0 else (parts.hostname or "")
    except ValueError:
        return ""


def check_size(headers: Headers, limit: int) -> None:
    """The headers are not larger than allowed, also where they came all at once."""
    if sum(len(key) + len(value) + 4 for key, value in headers) > limit:
        raise Refused(431, f"The headers have at most {limit} bytes.")


def client_of(headers: Headers, tokens: Mapping[str, str]) -> str:
    """The id of the client whose token is presented; ``tokens`` are their SHA-256 in hexadecimal. Refused 401.

    Every token is compared, in a time that does not depend on it.
    """
    given = one(headers, "authorization")
    scheme, _space, token = (given or "").partition(" ")
    token = token.strip()
    if given is None or scheme.lower() != "bearer" or not token:
        raise Refused(
            401,
            "A token is needed. QGIS shows one when a program is allowed (settings, MCP).",
            headers={"WWW-Authenticate": 'Bearer realm="qgis-agent"'},
        )
    digest = hashlib.sha256(token.encode("utf-8")).hexdigest() if len(token) <= MAX_TOKEN else ""
    found = ""
    for client_id, known in tokens.items():
        if hmac.compare_digest(digest, known):
            found = client_id
    if not found:
        raise not_allowed()
    return found


def not_allowed() -> Refused:
    """The answer to a token that is none, or no longer one."""
    return Refused(
        401,
        "The token is not valid, or was taken back. QGIS shows a new one when a program is allowed (settings, MCP).",
        headers={"WWW-Authenticate": 'Bearer realm="qgis-agent", error="invalid_token"'},
    )


def check_content(headers: Headers, limit: int) -> None:
    """The body is JSON as it stands, and not larger than allowed, as far as the headers say."""
    kind = (one(headers, "content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "Content-Type must be application/json.")
    if (one(headers, "content-encoding") or "identity").lower() != "identity":
        raise Refused(415, "The body must not be compressed.")
    length = one(headers, "content-length")
    if length is not None and (not length.isdecimal() or len(length) > 18 or int(length) > limit):
        raise too_large(limit)


def too_large(limit: int) -> Refused:
    """The answer to a body of more than ``limit`` bytes."""
    return Refused(413, f"A request has at most {limit} bytes.")


def check_message(headers: Headers, body: bytes) -> None:
    """The version is one that is served, and header and body name the same. Refused 400, never another version instead.

    What is no JSON-RPC message at all passes: the SDK says what is wrong with it.
    """
    header = one(headers, VERSION_HEADER)
    ident, named = _read(body)
    if named is not None and named != header:
        what = "is missing" if header is None else "names another version than the body"
        raise Refused(400, f"The MCP-Protocol-Version header {what}.", code=HEADER_MISMATCH, ident=ident)
    if header is not None and header not in SERVED_VERSIONS:
        raise Refused(
            400,
            "Unsupported protocol version",
            code=UNSUPPORTED_PROTOCOL_VERSION,
            data={
                "supported": list(SERVED_VERSIONS),
                "requested": clean(header, 40),
                "hint": "Send one of the supported versions in MCP-Protocol-Version.",
            },
            ident=ident,
        )


def _read(body: bytes) -> tuple[Any, Any]:
    """The id of a message, and the version that its own envelope names; None where there is none.

    Refused where the id is neither a text nor a whole number: the SDK takes such a request of the older era for a notification.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(message, dict):
        return None, None
    ident = message.get("id")
    if "id" in message and (not isinstance(ident, (str, int)) or isinstance(ident, bool)):
        raise Refused(400, "The id of a request is a text or a whole number.")
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return ident, meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
