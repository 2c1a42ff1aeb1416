"""What passwords, keys and tokens look like: in addresses, data sources, headers, JSON, environment variables and by themselves.

Ordinary words stay: "token ring", "password field", "basic information" name no secret.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from typing import Callable, List, Match, Pattern, Set, Tuple, Union
from urllib.parse import quote, quote_plus

HIDDEN = "[hidden]"

KEY_NAMES: Pattern[str] = re.compile(
    r"^(?:[a-z0-9]+[_-])*(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|account[_-]?key|subscription[_-]?key|auth[_-]?key"
    r"|(?:access|auth|refresh|id|session|bearer|confirm|security|private)?[_-]?token|(?:proxy[_-]?)?authorization|bearer"
    r"|client[_-]?secret|secret|capability|passw(?:or)?d|passphrase|pwd|authcfg|private[_-]?key|credentials?"
    r"|(?:set[_-]?)?cookie|shared[_-]?access[_-]?signature)$",
    re.IGNORECASE,
)
"""Names of members of JSON data whose value is a secret."""

_EQUALS = r"(?:=|%3D|%253D)"
_BARE = r"(?:(?!%26|%2526)[^\s&;,'\"(){}\[\]|\\<>])+"
_QUOTED = r"\\\"(?:(?!\\\").)*\\\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUE = r"(?P<value>(?!\[hidden\])(?:" + _QUOTED + "|" + _BARE + "))"
_STRONG = (
    r"(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|account[_-]?key|subscription[_-]?key|auth[_-]?key|passwo?r?d|passphrase"
    r"|authcfg|client[_-]?secret|private[_-]?key|(?:access|auth|refresh|session|bearer|confirm|security|id)[_-]?token"
    r"|shared[_-]?access[_-]?signature)"
)
_WEAK = r"(?<![A-Za-z])(?:token|secret|pwd|passwd|password|capability|credential)"
_IN_ADDRESS = (
    r"(?:[?&]|%3F|%26|%253F|%2526)(?:token|secret|pwd|key|ak|tk|sk|sig|sign|signature|code|sas|x-(?:amz|goog)-(?:signature|credential)"
    r"|jsessionid|sessionid|ticket|map_?key|app_?key|license_?key)"
)

BARE_VALUE: Pattern[str] = re.compile(_BARE)
NAMED: Pattern[str] = re.compile(
    r"(?i)(?P<name>(?:" + _STRONG + r"(?:\\?[\"'])?|" + _WEAK + r")\s*" + _EQUALS + r"\s*"
    r"|" + _IN_ADDRESS + _EQUALS + r"|http-header:(?!referer)[\w-]+" + _EQUALS + ")" + _VALUE
)
"""``name=value`` in connection strings, addresses (also percent-encoded), environment variables and command lines."""

_JSON = re.compile(
    r"(?i)(?P<name>\\?[\"'](?:[a-z0-9]+[_-])*(?:"
    + _STRONG
    + r"|token|secret|pwd|capability|cookie|set-cookie|authorization)\\?[\"']\s*:\s*)(?P<value>(?!\\?[\"']\[hidden\])(?:"
    + _QUOTED
    + r"))"
)
_HEADER = re.compile(
    r"(?i)(?P<name>\b(?:proxy-)?authorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?)"
    r"(?P<value>(?!\[hidden\])(?!bearer\b|basic\b)[^\s,;'\"\\{}<>]+)"
)
_COOKIE = re.compile(
    r"(?im)(?P<name>\b(?:set-)?cookie\\?[\"']?\s*:\s*\\?[\"']?)(?P<value>(?!\[hidden\])[^\r\n\"'\\={}]{1,100}=[^\r\n\"'\\{}]*)"
)
_KEY_HEADER = re.compile(
    r"(?i)(?P<name>(?<![A-Za-z])(?:api[_-]?key|auth[_-]?token|access[_-]?token|access[_-]?key|client[_-]?secret|subscription-key)"
    r"\s*:\s*)(?P<value>(?!\[hidden\])[^\s,;'\"\\{}<>]{6,})"
)
_SAID = re.compile(
    r"(?i)(?P<name>(?<![A-Za-z])(?:password|passwd|pwd|passphrase|token|secret|api[ _-]?key)(?:\s*[:：]\s*|\s+is:?\s+)"
    r"|(?:密码|口令|密钥|令牌|秘钥)\s*(?:[:：=]|是|为)\s*)"
    r"(?P<value>(?!\[hidden\])(?=[^\s,;&]*[0-9])(?=[^\s,;&]*[A-Za-z])(?:(?![,;&'\"<>\\{}])[!-~]){6,})"
)
_USER_INFO = re.compile(
    r"(?i)(?P<name>\b[a-z][a-z0-9+.-]{0,20}://)(?P<value>(?!\[hidden\]@)[^/\s?#'\"<>@]+(?:@[^/\s?#'\"<>@]+)*)(?=@[^/\s'\"<>@]*)"
)
_USER_INFO_ENCODED = re.compile(
    r"(?i)(?P<name>\b[a-z][a-z0-9+.-]{0,20}(?:%3A%2F%2F|%253A%252F%252F))(?P<value>(?!\[hidden\])(?:(?!%2F|%3F|%252F|%253F)[^\s&'\"])+?)(?=%40|%2540)"
)
_AUTH_SCHEME = re.compile(
    r"(?i)(?P<name>\bbearer\s+)(?P<value>(?=[A-Za-z+/._~=-]*[0-9])[A-Za-z0-9+/._~=-]{8,}|[A-Za-z0-9+/._~=-]{24,})"
)
_BASIC = re.compile(r"(?i)(?P<name>\bbasic\s+)(?P<value>[A-Za-z0-9+/_-]{6,}={0,2})(?![A-Za-z0-9+/=])")
_KNOWN_SHAPES: Tuple[Pattern[str], ...] = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    re.compile(r"(?<![A-Za-z0-9])[ps]k\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    re.compile(r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{16,400}"),
    re.compile(r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[a-z]+[-_])?[A-Za-z]{20,}(?![A-Za-z0-9_-])"),
    re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|hf_|gsk_|xox[abeoprs]-|npm_|r8_)[A-Za-z0-9_-]{16,}"),
    re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    re.compile(r"(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,})"),
)
_TELLING = re.compile(
    r"(?i)[=:：]|%3D|bearer|basic|eyJ|[spr]k[-_.]|gh[pousr]_|github_pat_|glpat-|hf_|gsk_|xox|npm_|r8_|AKIA|ASIA|AIza|ya29|BEGIN|\sis\s"
)
"""A text without any of these holds no form of a secret: most texts are looked at once."""
_Replacement = Union[str, Callable[[Match[str]], str]]


def _hide_value(match: Match[str]) -> str:
    return match.group("name") + HIDDEN


def _hide_basic(match: Match[str]) -> str:
    """Only what decodes to user:password; "basic information" is prose."""
    coded = match.group("value").rstrip("=")
    try:
        plain = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_" if set(coded) & set("-_") else None)
    except (binascii.Error, ValueError):
        return match.group(0)
    return match.group("name") + HIDDEN if b":" in plain else match.group(0)


def _hide_quoted(match: Match[str]) -> str:
    """Of quoted values the quotes stay, so that JSON stays JSON."""
    value = match.group("value")
    quote_mark = '\\"' if value.startswith('\\"') else value[:1] if value[:1] in "'\"" else ""
    return match.group("name") + quote_mark + HIDDEN + quote_mark


_STEPS: Tuple[Tuple[Pattern[str], _Replacement], ...] = (
    *((each, HIDDEN) for each in _KNOWN_SHAPES),
    (_USER_INFO, _hide_value),
    (_USER_INFO_ENCODED, _hide_value),
    (_HEADER, _hide_value),
    (_COOKIE, _hide_value),
    (_KEY_HEADER, _hide_value),
    (_JSON, _hide_quoted),
    (NAMED, _hide_quoted),
    (_SAID, _hide_value),
    (_AUTH_SCHEME, _hide_value),
    (_BASIC, _hide_basic),
)


def hide_forms(text: str) -> str:
    """``text`` with everything that has the form of a secret replaced."""
    if not _TELLING.search(text):
        return text
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    return text


def variants(secret: str, shortest: int) -> Set[str]:
    """The forms in which a value may stand in a text; none is shorter than ``shortest``."""
    raw = secret.encode("utf-8", "replace")
    forms = {
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        quote(quote(secret, safe=""), safe=""),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(secret)[1:-1])[1:-1],
        html.escape(secret),
        repr(secret)[1:-1],
        raw.hex(),
    }
    forms |= set(_base64_forms(raw))
    return {each for each in forms if len(each) >= shortest}


def _base64_forms(raw: bytes) -> List[str]:
    """Base64 of the value, also from the middle of a longer text (``user:key``): the characters that depend on it alone."""
    forms: List[str] = []
    for encoded in (base64.b64encode(raw).decode("ascii"), base64.urlsafe_b64encode(raw).decode("ascii")):
        forms += [encoded, encoded.rstrip("=")]
    for shift, first in ((0, 0), (1, 2), (2, 3)):
        padded = b"\0" * shift + raw
        whole = len(padded) * 8 // 6  # characters that are whole bits of the value
        for table in (base64.b64encode, base64.urlsafe_b64encode):
            core = table(padded).decode("ascii")[first:whole]
            forms += [core] if len(core) >= 8 else []
    return forms
