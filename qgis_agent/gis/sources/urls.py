"""Addresses of services: what may be asked for, and how an address is shown without what is secret in it."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, quote_plus, urlencode, urlsplit, urlunsplit

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from ..layers import clean_text

MAX_LENGTH = 1000
_SECRET = re.compile(r"^(?:.*(?:key|token|secret|passw|pwd|signature|credential|auth).*|tk|ak|sig)$", re.IGNORECASE)
_HIDDEN = "***"
_SHORTEST = 3
"""Shorter values are no keys, and replacing them would spoil any text."""
_CONTROLS = re.compile(r"[\x00-\x20\x7f\\]")


def checked_url(text: str) -> str:
    """An http or https address of a host. INVALID_PARAM for other schemes, none, or a name and password in it."""
    url = text.strip()
    try:
        parts = urlsplit(url)
        host, secret = parts.hostname or "", bool(parts.username or parts.password)
        named_port = parts.port  # ValueError for what is no port
    except ValueError:
        host, secret, named_port = "", False, None
        parts = urlsplit("")
    if len(url) > MAX_LENGTH or _CONTROLS.search(url) or parts.scheme.lower() not in ("http", "https") or not host:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "This is no address of a service."),
            hint=translate("QgisAgent", "Give a whole address that begins with https:// or http://."),
            reason="url",
        )
    if "{" in parts.netloc or "}" in parts.netloc or "%" in parts.netloc:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The name of the host must stand as it is, without places for numbers."),
            hint=translate(
                "QgisAgent", "Give the address with one of the hosts, for example https://a.host/{z}/{x}/{y}."
            ),
            reason="url",
        )
    if secret or named_port == 0:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A user name or password does not belong into an address."),
            hint=translate("QgisAgent", "A person adds such a service in QGIS, with an authentication configuration."),
            reason="credentials",
        )
    return url


def host_of(url: str) -> str:
    """Host and port of an address, in lower case; "" for what is none."""
    try:
        parts = urlsplit(url.strip())
        return "{}:{}".format(parts.hostname, parts.port) if parts.port else (parts.hostname or "").lower()
    except ValueError:
        return ""


def shown_url(url: str) -> str:
    """The address as it may be shown and kept: values of keys and tokens are hidden, and a name with a password."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    host = host if host == parts.netloc else "{}@{}".format(_HIDDEN, host)
    items = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode([(name, _HIDDEN if _SECRET.match(name) else value) for name, value in items], safe="{}*:/,-")
    return clean_text(urlunsplit((parts.scheme, host, parts.path, query, "")), 300)


def without_secrets(url: str, text: str) -> str:
    """A text that a server or QGIS gave, without the values of the address that are not shown, however they are written."""
    items = urlsplit(url).query.split("&")
    raw = [each.partition("=")[2] for each in items if _SECRET.match(each.partition("=")[0])]
    values = {value for name, value in parse_qsl(urlsplit(url).query) if _SECRET.match(name)}
    written = set(raw) | values | {way(each) for each in values for way in (quote, quote_plus, _quoted)}
    for each in sorted(written, key=len, reverse=True):
        if len(each) >= _SHORTEST:
            text = text.replace(each, _HIDDEN)
    return text


def _quoted(value: str) -> str:
    return quote(value, safe="")


def with_query(url: str, **wanted: str) -> str:
    """The address with these parameters, in place of any of the same names whatever their case."""
    parts = urlsplit(url)
    names = {each.lower() for each in wanted}
    kept = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name.lower() not in names
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(kept + list(wanted.items()), safe="{}"), ""))


def without_query(url: str, *names: str) -> str:
    """The address without these parameters, whatever their case."""
    parts = urlsplit(url)
    folded = {each.lower() for each in names}
    kept = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name.lower() not in folded
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(kept, safe="{}"), ""))
