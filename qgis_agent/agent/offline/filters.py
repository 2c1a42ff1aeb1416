"""Filters in force, said in the words of the answer: a number of what a filter shows is not the whole truth."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ...bridge.envelope import NOT_FOUND
from .answers import listed, say, with_remark
from .prose import and_then, in_lines
from .steps import Run

_TELLS = re.compile(r"The (?:layer's )?filter(?: of '.*?')? is in force\.|(?:图层的|“[^”]*”的)过滤器正在起作用。")
"""How tools say so, in the language of QGIS."""


def filtered(run: Run) -> list[str]:
    """Aliases of the layers with a filter: those that the state of the map names, and what this run has set up to here."""
    known = run.snapshot.get("filters")
    found = dict.fromkeys(known if isinstance(known, Mapping) else ())
    for each in run.settled[: run.position]:
        if each.call.name == "set_layer_filter" and each.envelope.get("ok"):
            layer_id, data = str(each.arguments.get("layer_id")), each.envelope.get("data")
            if each.arguments.get("where") or (isinstance(data, Mapping) and data.get("found_filter")):
                found[layer_id] = None
            else:
                found.pop(layer_id, None)
    return list(found)


def remark_of(run: Run, layer_ids: Collection[str], raw: str = "") -> str:
    """The sentence about the filters of these layers; "" where none is in force. ``raw`` is what the tool said itself."""
    in_force = set(filtered(run))
    names = [each["name"] for each in run.layers if each["layer_id"] in layer_ids and each["layer_id"] in in_force]
    told = " ".join(_TELLS.findall(raw))
    if told and not names:
        every = [each["name"] for each in run.layers if each["layer_id"] in layer_ids]
        names = [each for each in every if each in told] or every[:1]
    if not names:
        return ""
    if len(names) == 1:
        english = "{names} is filtered: what the filter hides is not included."
    else:
        english = "{names} are filtered: what the filters hide is not included."
    return say(
        run.language,
        english,
        "{names}正被筛选，被筛掉的要素不计在内。",
        names=listed(run.language, dict.fromkeys(names)),
    )


def told(run: Run, text: str, layer_ids: Collection[str], remark: str, raw: str | None = None) -> str:
    """An answer, the tool's remark, and that a filter is in force, once. ``raw``: the remark before it was chosen from."""
    own = remark_of(run, layer_ids, remark if raw is None else raw)
    if not own:
        return with_remark(text, remark)
    return joined(with_remark(text, _TELLS.sub("", remark).strip()), own)


def joined(text: str, own: str) -> str:
    """A text and one more sentence, on a line of its own under a list."""
    return (in_lines([text, own]) if "\n" in text else and_then(text, own)) if own else text


def hidden_place(run: Run, envelope: Mapping[str, Any]) -> str:
    """Where a place was not found: the filters that may hide it; "" for other failures and without a filter."""
    if envelope.get("reason") != "place" or envelope.get("code") != NOT_FOUND:
        return ""
    return remark_of(run, filtered(run))
