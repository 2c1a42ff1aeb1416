"""Secrets out of everything that is written: by value, by the name of their key, and by their usual forms."""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import quote

HIDDEN = "<hidden>"
MIN_SECRET = 6
"""Shorter values are not hidden by value: they would blot out ordinary words."""
_KEY_NAMES = re.compile(
    r"^(api_?key|apikey|access_?token|auth_?token|authorization|bearer|client_?secret|confirm_token|capability|passw(or)?d|pwd"
    r"|secret|token|authcfg|private_?key|credentials?)$",
    re.IGNORECASE,
)
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(sk|pk|rk|ghp|gho|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{16,}"), HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~=-]{8,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"(?i)([a-z][a-z0-9+.-]*://)[^/\s:@'\"]+:[^/\s@'\"]+@"), rf"\1{HIDDEN}@"),
    (
        re.compile(
            r"""(?i)\b((?:[a-z]+_)*(?:api_?key|token|authkey|authcfg|password|passwd|pwd|secret)["']?\s*[=:]\s*)"""
            r"""('[^']*'|"[^"]*"|[^\s&;,'"}]+)"""
        ),
        rf"\1{HIDDEN}",
    ),
)


class Redactor:
    """Knows the secrets of this process. Every writer of records passes its values through ``clean``."""

    def __init__(self) -> None:
        self._secrets: set[str] = set()

    def know(self, secret: Any) -> None:
        """Hide this value from now on, also as base64 and percent-encoded."""
        if not isinstance(secret, str) or len(secret) < MIN_SECRET:
            return
        encoded = base64.b64encode(secret.encode("utf-8", "replace")).decode("ascii")
        self._secrets.update({secret, encoded, encoded.rstrip("="), quote(secret, safe="")})

    def clean(self, value: Any) -> Any:
        """A copy of JSON data without secrets. Values under keys that name a secret are hidden whatever they are."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {str(key): self._member(str(key), item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.clean(each) for each in value]
        return value

    def text(self, text: str) -> str:
        """A text without secrets."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return text

    def _member(self, key: str, item: Any) -> Any:
        if _KEY_NAMES.match(key) and item not in (None, "") and not isinstance(item, (bool, dict, list)):
            return HIDDEN
        return self.clean(item)
