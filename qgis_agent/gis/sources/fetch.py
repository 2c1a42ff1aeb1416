"""Fetching from a service on a worker thread, through QGIS's own network settings (proxy, certificates)."""

from __future__ import annotations

import re
import time
from typing import Tuple

from qgis.core import QgsFeedback, QgsNetworkAccessManager
from qgis.PyQt.QtCore import QEventLoop, QTimer, QUrl
from qgis.PyQt.QtNetwork import QNetworkReply, QNetworkRequest

from ..errors import CANCELLED, FORBIDDEN, TIMEOUT, UPSTREAM_ERROR, ToolError
from ..i18n import translate
from ..layers import clean_text
from .urls import host_of, shown_url, without_secrets

MAX_BYTES = 30 * 1024 * 1024
TIMEOUT_MS = 20_000
MAX_REDIRECTS = 5
_TOO_BIG = "qgis_agent_too_big"
_TAGS = re.compile(rb"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def fetched(url: str, feedback: QgsFeedback) -> Tuple[bytes, str]:
    """(content, content type) of an address. UPSTREAM_ERROR with the server's words, TIMEOUT, CANCELLED.

    A redirect to another host is refused: the person allowed the one that they read on the card. (QGIS's own blocking request
    follows every redirect, whatever the policy, so the reply is waited for here.)
    """
    for _ in range(MAX_REDIRECTS):
        reply = _reply(url, feedback)
        target = reply.attribute(QNetworkRequest.Attribute.RedirectionTargetAttribute)
        if target is None or not target.isValid():
            return _content(url, reply)
        leads_to = reply.url().resolved(target).toString()
        reply.deleteLater()
        if not may_follow(url, leads_to):
            raise _redirected(url, leads_to)
        url = leads_to
    raise wrong_answer(url, None, b"", translate("QgisAgent", "it redirects in a circle"))


def may_follow(url: str, leads_to: str) -> bool:
    """Whether a redirect leads to the same host and port, and does not give up https: an address can have a key in it."""
    wanted = ("https://",) if url.lower().startswith("https://") else ("http://", "https://")
    return bool(host_of(url)) and host_of(leads_to) == host_of(url) and leads_to.lower().startswith(wanted)


def _reply(url: str, feedback: QgsFeedback) -> QNetworkReply:
    """The finished reply, waited for in an event loop of this worker thread."""
    request = QNetworkRequest(QUrl(url))
    request.setTransferTimeout(TIMEOUT_MS)
    policy = QNetworkRequest.RedirectPolicy.ManualRedirectPolicy
    request.setAttribute(QNetworkRequest.Attribute.RedirectPolicyAttribute, policy)
    reply = QgsNetworkAccessManager.instance().get(request)
    loop, watch = QEventLoop(), QTimer()
    started = time.monotonic()

    def look() -> None:
        too_long = time.monotonic() - started > 2 * TIMEOUT_MS / 1000
        if reply.bytesAvailable() > MAX_BYTES:
            reply.setProperty(_TOO_BIG, True)  # what has come is dropped by abort
        if feedback.isCanceled() or too_long or reply.property(_TOO_BIG):
            reply.abort()
        if reply.isFinished():
            loop.quit()

    watch.setInterval(20)
    watch.timeout.connect(look)
    watch.start()
    if not reply.isFinished():
        loop.exec()
    watch.stop()
    if feedback.isCanceled():
        raise ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")
    return reply


def _content(url: str, reply: QNetworkReply) -> Tuple[bytes, str]:
    status = reply.attribute(QNetworkRequest.Attribute.HttpStatusCodeAttribute)
    big = bool(reply.property(_TOO_BIG)) or reply.bytesAvailable() > MAX_BYTES
    content = bytes(reply.readAll()) if not big else b""
    error, why = reply.error(), reply.errorString()
    kind = bytes(reply.rawHeader(b"Content-Type")).decode("latin-1", "replace").lower()
    reply.deleteLater()  # else it stays with this thread's network manager
    if big:
        raise wrong_answer(url, status, b"", translate("QgisAgent", "the answer is too big"))
    if error in (QNetworkReply.NetworkError.TimeoutError, QNetworkReply.NetworkError.OperationCanceledError):
        raise ToolError(
            TIMEOUT,
            translate("QgisAgent", "{} did not answer in time.").format(host_of(url)),
            hint=translate("QgisAgent", "Try again later."),
            reason="timeout",
        )
    if error != QNetworkReply.NetworkError.NoError:
        raise wrong_answer(url, status, content, why)
    return content, kind


def _redirected(url: str, target: str) -> ToolError:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "{} leads on to another host: {}").format(host_of(url), shown_url(target)),
        hint=translate("QgisAgent", "Ask whether that host may be used, and give its address."),
        reason="redirect",
    )


def wrong_answer(url: str, status: object, content: bytes, why: str = "") -> ToolError:
    """UPSTREAM_ERROR with what the server said, as data: clipped, without markup, without keys of the address."""
    said = clean_text(_TAGS.sub(b" ", content[:20_000]).decode("utf-8", "replace"), 200)
    parts = [host_of(url), "HTTP {}".format(status) if status else "", said or clean_text(why, 200)]
    text = ": ".join(each for each in parts if each)
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The service gave no usable answer. {}").format(without_secrets(url, text)),
        hint=translate("QgisAgent", "Check the address and the kind (xyz, wms, wmts, wfs)."),
        reason="service",
    )
