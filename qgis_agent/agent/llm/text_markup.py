"""The tags that models write when a tool call comes out as text, and the two tags around their thoughts.

Three families, each with its own closing tags: Hermes and Qwen (``tool_call`` around JSON, ``function=NAME`` with
``parameter=KEY``), the bare ``invoke name="NAME"``, and DeepSeek's DSML, which is the latter with a marker of bars in each tag.
The bars come as ASCII, full width, double, and as one double bar, sometimes mixed within one answer.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

TagKind = Literal["tool_call", "calls", "function", "invoke", "parameter", "think", "quoted", "foreign"]
MAX_TAG = 240
"""Characters of the longest tag; a longer beginning is text."""
_BARS = "[|\uff5c\u2016]{1,2}"
_DSML = rf"{_BARS}\s?DSML\s?{_BARS}\s?"
_NAME = r"[A-Za-z_][\w.\-]*"
_NAMED = rf"""(?:\s*=\s*(?P<plain>{_NAME})|\s+name\s*=\s*(?P<quote>["'])(?P<attr>{_NAME})(?P=quote))"""
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<dsml>{_DSML})?(?:"
    r"(?P<tool_call>tool_call)\s*"
    r"|(?P<calls>tool_calls|function_calls|calls)\s*"
    rf"|(?P<named>function|invoke|parameter)(?:{_NAMED}(?:\s+string\s*=\s*[\"'](?P<string>true|false)[\"'])?)?\s*"
    r"|(?P<think>think|thinking)\s*"
    r"|(?P<quoted>pre|code|example)(?:\s[^<>]*)?"
    r")>"
)
_DSML_TAG = re.compile(rf"<(?P<close>/?){_DSML}[^<>]*>")
_DEEPSEEK = re.compile("<[|\uff5c]tool[\u2581_]calls?[\u2581_](?P<edge>begin|end)[|\uff5c]>")
_DEEPSEEK_END = re.compile("<[|\uff5c]tool[\u2581_]calls[\u2581_]end[|\uff5c]>")
_WORDS = tuple("tool_call tool_calls function_calls function invoke parameter think thinking pre code example".split())
_BARRED = ("|DSML|", "|tool_calls_begin|>", "|tool_call_begin|>", "|tool_calls_end|>", "|tool_call_end|>")
_ATTRIBUTES = re.compile(r"[\s=]")


class Tag(NamedTuple):
    """One tag of the markup. ``name`` is the tool of a call or the key of a parameter, ``word`` what the tag is called.

    ``json_value`` says that DSML declared the value as JSON (``string="false"``); None where it declared nothing.
    """

    kind: TagKind
    start: int
    end: int
    closing: bool = False
    dsml: bool = False
    word: str = ""
    name: str = ""
    json_value: bool | None = None


def tag_at(text: str, start: int) -> Tag | None:
    """The tag that begins at ``start``, None when none does."""
    found = _TAG.match(text, start)
    if found is not None and found.end() - start <= MAX_TAG:
        tag = _known(found)
        if tag is not None:
            return tag
    found = _DSML_TAG.match(text, start)
    if found is not None and found.end() - start <= MAX_TAG:
        return Tag("foreign", start, found.end(), bool(found["close"]), True)
    found = _DEEPSEEK.match(text, start)
    return None if found is None else Tag("foreign", start, found.end(), found["edge"] == "end")


def _known(found: re.Match[str]) -> Tag | None:
    """The match as a tag; None where the parts do not make one (a call without a name, thoughts in DSML …)."""
    kind: TagKind
    closing, dsml = bool(found["close"]), bool(found["dsml"])
    name = found["plain"] or found["attr"] or ""
    where = (found.start(), found.end(), closing, dsml)
    if found["named"]:
        kind = found["named"]  # type: ignore[assignment]  # the pattern allows these three kinds only
        if closing == bool(name):
            return None
        return Tag(kind, *where, found["named"], name, None if not found["string"] else found["string"] == "false")
    if found["tool_call"]:
        return Tag("tool_call", *where, "tool_call")
    if found["calls"]:
        return Tag("calls", *where, found["calls"]) if dsml or found["calls"] != "calls" else None
    if dsml:
        return None
    return Tag("think", *where, found["think"]) if found["think"] else Tag("quoted", *where, found["quoted"])


def may_become_tag(text: str, start: int) -> bool:
    """Whether the text from ``start`` on could become a tag when more of it comes."""
    head = text[start + 1 : start + MAX_TAG]
    if ">" in head or "<" in head or len(head) >= MAX_TAG - 1:
        return False
    head = head.removeprefix("/")
    if not head:
        return True
    if head[0] in "|\uff5c\u2016":
        plain = _one_bar(head)
        return any(each.startswith(plain) or plain.startswith(each) for each in _BARRED)
    return any(
        each.startswith(head) or (head.startswith(each) and _ATTRIBUTES.match(head, len(each)) is not None)
        for each in _WORDS
    )


def _one_bar(head: str) -> str:
    """The beginning of a barred tag with all bars alike and no space around them."""
    plain = re.sub("[|\uff5c\u2016]+", "|", head).replace("\u2581", "_")
    return re.sub(r"\s*\|\s*", "|", plain).rstrip()


def closing_tag(text: str, start: int, opening: Tag) -> Tag | None:
    """The first closing tag of ``opening`` from ``start`` on."""
    if opening.kind == "foreign" and not opening.dsml:
        found = _DEEPSEEK_END.search(text, start)
        return None if found is None else Tag("foreign", found.start(), found.end(), True)
    at = text.find("</", start)
    while at >= 0:
        tag = tag_at(text, at)
        if tag is not None and closes(tag, opening):
            return tag
        at = text.find("</", at + 1)
    return None


def closes(tag: Tag, opening: Tag) -> bool:
    """Whether ``tag`` is the closing tag that ``opening`` needs."""
    return tag.closing and tag.kind == opening.kind and tag.dsml == opening.dsml


def names_in(text: str) -> list[str]:
    """The tools that opening tags in ``text`` name."""
    tags = (tag_at(text, found.start()) for found in re.finditer("<", text))
    return [tag.name for tag in tags if tag is not None and tag.kind in ("function", "invoke") and not tag.closing]
