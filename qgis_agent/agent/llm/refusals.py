"""Which option of a request a server turned down, read from its refusal. The text is looked at here and goes no further.

Strict on purpose: a complaint about the schema of one tool, or about a value, must not switch tools off for good.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

Option = Literal["usage", "tools", "stream", "temperature", "top_p", "roles"]
"""``roles``: roles that do not come in turn."""
_STATUSES = frozenset({400, 404, 405, 422, 501})
_NOT = r"(?:is|are) (?:not|n't) (?:supported|available|allowed|enabled|permitted)"
_UNKNOWN = r"(?:unrecognized|unknown|unsupported|unexpected|extra|invalid)"
_NO_TOOLS = re.compile(
    r"does ?n[o']t support (?:native )?(?:tools?\b|functions?\b|tool[ _-](?:use|call)|function[ _-]call)"
    r"|does not support parameters: \[?['\"]?tools"
    rf"|\b(?:tools?|tool[ _-](?:use|calls?|calling|choice)|functions?|function[ _-]call(?:s|ing)?) {_NOT}"
    r"|support(?:s|ing)? tool use|enable-auto-tool-choice"
    rf"|{_UNKNOWN} (?:request )?(?:argument|parameter|field|key|input)s?(?: supplied)?:? ['\"`]?(?:tools|tool_choice)\b"
)
_NO_STREAM = re.compile(
    rf"\bstream(?:ing|ed)?(?: (?:mode|responses?))? {_NOT}|does ?n[o']t support stream|['\"`]stream['\"`] does not support"
    r"|\bstream['\"`]? must be (?:set to )?false"
    rf"|{_UNKNOWN} (?:request )?(?:argument|parameter|field|key|value)s?(?: supplied)?:? ['\"`]?stream(?!_)\b"
)
_ROLES = re.compile(
    r"\b(?:conversation )?roles must alternate|\broles? (?:must|should|have to|need to) (?:strictly )?alternate"
    r"|\balternat(?:e|ing|ion)\b.{0,40}\broles?\b|\bunexpected role ['\"`]?user['\"`]? after role ['\"`]?(?:tool|user)\b"
    r"|\bconsecutive (?:messages? (?:with|from|of) the same role|(?:user|assistant) messages?)\b"
)
_USAGE_MARKS = ("stream_options", "include_usage")
_SAMPLING_MARKS = ("support", "deprecated", "unrecognized", "unknown", "not allowed", "cannot", "only the default")


def refused_option(status: int | None, text: str, sent: Collection[Option]) -> Option | None:
    """The option among ``sent`` that the refusal is about; None when it is about something else. ``text`` in lower case."""
    if status not in _STATUSES:
        return None
    if _ROLES.search(text):
        # Where they are in turn already, calls and results are what the template cannot place: these go as text.
        return next((each for each in ("roles", "tools") if each in sent), None)
    if "usage" in sent and any(mark in text for mark in _USAGE_MARKS):
        return "usage"
    if "tools" in sent and _NO_TOOLS.search(text):
        return "tools"
    if "stream" in sent and _NO_STREAM.search(text):
        return "stream"
    if any(mark in text for mark in _SAMPLING_MARKS):
        # Where both together are the matter, the temperature stays.
        for option, name in (("top_p", "top_p"), ("temperature", "temperature")):
            if option in sent and name in text:
                return option  # type: ignore[return-value]  # of the pairs above
    return None
