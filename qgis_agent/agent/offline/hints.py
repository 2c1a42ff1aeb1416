"""A tool's hint for a person: hints are written for a model, and those of the bridge are English."""

from __future__ import annotations

import re

from ..texts import has_cjk, translated
from .text import Language

_DID_YOU_MEAN = re.compile(r"Did you mean (?P<names>'.+')\?")
_VALID = re.compile(r"Valid [\w ]+: (?P<names>'.+?')(?: and (?P<more>\d+) more)?\.")
_NAME = re.compile(r"'((?:[^'\\]|\\.)*)'")
_FOR_MODELS = re.compile(r"^(?:Say that|Use another tool|Do not try)\b|\b[a-z]+_[a-z_]+\b")
"""What to say or which tool to call is no advice for a person."""


def hint_text(language: Language, hint: str) -> str:
    """The hint in the language of the answer, or "" where it says nothing to a person."""
    if language == "en":
        return "" if _FOR_MODELS.search(_NAME.sub("", hint)) else hint
    known = translated(hint, language)
    if known != hint:
        return known
    meant = _DID_YOU_MEAN.fullmatch(hint)
    if meant is not None:
        return "是否指{}？".format("或".join(f"“{each}”" for each in _NAME.findall(meant["names"])))
    valid = _VALID.fullmatch(hint)
    if valid is not None:
        more = f"等 {int(valid['more']) + 12} 项" if valid["more"] else ""
        return "可用的有：{}{}。".format("、".join(_NAME.findall(valid["names"])), more)
    return hint if has_cjk(_NAME.sub("", hint)) else ""
