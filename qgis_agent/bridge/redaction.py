"""Secrets out of everything that is written, shown or sent: by value, by the name of their key, and by their usual forms.

One redactor for both processes. It works at the writer of every sink: records, logs, errors, cards, copied text, exports.
What it takes for a secret is replaced by ``[hidden]``, which is neither HTML nor Markdown; redacting twice changes nothing.
"""

from __future__ import annotations

import re
import threading
from typing import Any, Dict, Iterable, Optional, Pattern, Set

from .secret_forms import BARE_VALUE, HIDDEN, KEY_NAMES, NAMED, hide_forms, variants

__all__ = ["HIDDEN", "MIN_SECRET", "REDACTOR", "Redactor"]

MIN_SECRET = 6
"""Shorter values are not hidden by value: they would blot out ordinary words. Their key's name still hides them."""
MIN_WORD = 10
"""The same for values of letters alone: a password "postgres" must not blot out the name of the provider."""
HANDLES = frozenset(["confirm_token", "result_ref"])
"""Random names of things that QGIS keeps: no secrets to those who get them, and useless when a letter is hidden."""
MAX_KNOWN = 400
MAX_VALUE = 4096
_OWN_NAME = re.compile(r"[a-z][a-z_]{0,39}")
_ESCAPE = re.compile(r"(?:%[0-9A-F]{2})+")
"""Percent-encoded bytes may be written in small letters."""
_PLACEHOLDERS = frozenset(
    ["not-needed", "no-key", "no-key-required", "no-key-needed", "lm-studio", "dummy-key", "placeholder", "anonymous"]
)
"""What people enter where a server wants some key: no secrets, and words that stand elsewhere too."""


class Redactor:
    """Knows the secrets of one process. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._secrets: Dict[str, None] = {}
        self._pattern: Optional[Pattern[str]] = None

    def know(self, secret: Any) -> None:
        """Hide this value from now on, also as base64, percent-encoded, JSON-escaped and in hexadecimal."""
        if not isinstance(secret, str) or not _telling(secret.strip()):
            return
        with self._lock:
            for each in {secret, secret.strip()}:
                self._secrets.pop(each, None)
                self._secrets[each] = None  # the newest last: the oldest is forgotten first
            while len(self._secrets) > MAX_KNOWN:
                del self._secrets[next(iter(self._secrets))]
            self._pattern = _any_of(self._secrets)

    def know_all_in(self, text: Any) -> None:
        """Hide the passwords and keys that stand in this text (a data source, an address), wherever else they appear."""
        if not isinstance(text, str):
            return
        for match in NAMED.finditer(text):
            self.know(_unquoted(match.group("value")))
        for match in re.finditer(r"://[^/\s:@'\"]*:([^/\s'\"]+)@", text):
            self.know(match.group(1))

    def clean(self, value: Any) -> Any:
        """A copy of JSON data without secrets. Values under keys that name a secret are hidden whatever they are."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self._key(str(key)): self._member(str(key), item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.clean(each) for each in value]
        return value

    def strings(self, value: Any) -> Any:
        """A copy of data with ``text`` done to every string, whatever its key: for what a caller still has to use.

        Handles that QGIS itself made stay as they are, and so does what is neither text, dict, list nor tuple.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self._key(key) if isinstance(key, str) else key: item if key in HANDLES else self.strings(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.strings(each) for each in value]
        if isinstance(value, tuple):
            return (
                type(value)(*map(self.strings, value)) if hasattr(value, "_fields") else tuple(map(self.strings, value))
            )
        return value

    def text(self, text: str) -> str:
        """A text without secrets."""
        pattern = self._pattern
        if pattern is not None:
            text = pattern.sub(HIDDEN, text)
        return hide_forms(text)

    def _key(self, key: str) -> str:
        """Our own names stay: a layer whose "password" is "layer_id" must not take that word out of every result."""
        return key if _OWN_NAME.fullmatch(key) else self.text(key)

    def _member(self, key: str, item: Any) -> Any:
        if KEY_NAMES.match(key) and item not in (None, "") and not isinstance(item, (bool, dict, list, tuple)):
            return HIDDEN
        return self.clean(item)


REDACTOR = Redactor()
"""The one of the QGIS side's process. (The agent process makes its own: several services may share one in tests.)"""


def _telling(secret: str) -> bool:
    """Whether a value is unlike ordinary words, so that it can be hidden wherever it stands."""
    if not MIN_SECRET <= len(secret) <= MAX_VALUE or secret.casefold() in _PLACEHOLDERS or HIDDEN in secret:
        return False
    return len(secret) >= MIN_WORD or not secret.isalpha()


def _any_of(secrets: Iterable[str]) -> Pattern[str]:
    forms: Set[str] = set()
    for each in secrets:
        forms |= variants(each, MIN_SECRET)
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile("|".join(_ESCAPE.sub(r"(?i:\g<0>)", re.escape(each)) for each in ordered))


def _unquoted(value: str) -> str:
    """The bare value of ``'…'``, ``"…"`` or ``\\"…\\"`` with the backslashes of a connection string taken off."""
    plain = re.sub(r"\\(.)", r"\1", value)
    if len(plain) >= 2 and plain[0] == plain[-1] and plain[0] in "'\"":
        return plain[1:-1]
    return plain if BARE_VALUE.fullmatch(plain) else ""
