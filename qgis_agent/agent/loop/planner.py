"""The outer plan of a run: a request with several steps is split into two to four subtasks, which the inner loop works off.

Splitting is done by the person's own connecting words ("then", "再", "；"), not by another model call: it costs nothing for a
short command and says nothing that the person did not say. Each subtask knows which kind of tool closes it, so that the tail
of a request can say what is open; the model decides how. A parameter failure is reflected on once in a run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..context.untrusted import clean

Kind = Literal["query", "analysis", "render", "map", "write"]
Status = Literal["pending", "done"]
MAX_SUBTASKS = 4
MAX_WORDS = 80
"""Characters of a subtask's words in the tail."""
_SPLIT = re.compile(
    r"\s*[;；。\n]+\s*|\s*[,，]?\s*(?:然后|接着|之后|随后|最后)\s*[,，]?\s*|\s*[,，]\s*(?:再|并且?|同时)\s*"
    r"|\s*,?\s+(?:and\s+)?(?:then|afterwards|after that|finally)\s+|\s*[,，]\s*(?=(?:统计|按|用|叠加|导出|显示|计算|分析|把|将)\S)",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("write", re.compile(r"导出|另存|保存|\b(?:export|save)\b", re.IGNORECASE)),
    (
        "render",
        re.compile(
            r"分色|设色|分级|着色|上图|渲染|样式|标注|\b(?:colou?r|style|classif|label|symboli[sz]|graduat|render|shade)\w*",
            re.IGNORECASE,
        ),
    ),
    (
        "analysis",
        re.compile(
            r"缓冲|统计|密度|叠置|相交|裁剪|平均|汇总|\b(?:buffer|densit|statistic|overlay|intersect|clip|average)\w*",
            re.IGNORECASE,
        ),
    ),
    ("map", re.compile(r"叠加|显示|打开|关闭|隐藏|放大|缩放|定位|\b(?:show|hide|zoom|display|turn)\b", re.IGNORECASE)),
)  # fmt: skip
_TOOLS: Mapping[Kind, frozenset[str]] = {
    "render": frozenset(("set_render_rule", "patch_style", "set_layer_label", "set_raster_style", "copy_style")),
    "map": frozenset(("toggle_layer", "zoom_to", "set_map_view", "highlight_features", "select_features", "reorder_layer")),
    "write": frozenset(
        (
            "prepare_export_layer", "prepare_export_layout", "prepare_export_table", "prepare_edit_features",
            "prepare_remove_layer", "prepare_save_project", "prepare_bookmark",
        )
    ),
    "query": frozenset(("query_features", "count_features", "describe_layer", "summarize_field", "list_values", "measure")),
}  # fmt: skip
"""Tools that close a subtask of a kind; an analysis is closed by any tool that makes something."""


@dataclass(frozen=True)
class Subtask:
    """A part of a request in the person's words."""

    words: str
    kind: Kind
    status: Status = "pending"


def subtasks_of(text: str) -> tuple[Subtask, ...]:
    """Two to four subtasks, or none for a request of a single step. What is over four stays in the last one."""
    parts = [each.strip(" ,，") for each in _SPLIT.split(text) if each and each.strip(" ,，")]
    if len(parts) < 2:
        return ()
    if len(parts) > MAX_SUBTASKS:
        parts = [*parts[: MAX_SUBTASKS - 1], "; ".join(parts[MAX_SUBTASKS - 1 :])]
    return tuple(Subtask(clean(each, MAX_WORDS), kind_of(each)) for each in parts)


def kind_of(words: str) -> Kind:
    """What a part of a request asks for."""
    return next((kind for kind, pattern in _KINDS if pattern.search(words)), "query")


class OuterPlan:
    """The subtasks of a run and how far they are."""

    def __init__(self, text: str) -> None:
        self.subtasks = subtasks_of(text)
        self._reflected = False

    def settled(self, tool: str, effect: str, envelope: Mapping[str, Any]) -> None:
        """A call ended; a success closes the first open subtask of its kind."""
        if not envelope.get("ok"):
            return
        for at, each in enumerate(self.subtasks):
            closes = effect == "create" if each.kind == "analysis" else tool in _TOOLS[each.kind]
            if each.status == "pending" and closes:
                done = replace(each, status="done")
                self.subtasks = (*self.subtasks[:at], done, *self.subtasks[at + 1 :])
                return

    def lines(self) -> list[str]:
        """For the tail: the steps as the person said them (data), and which seem to be open."""
        if not self.subtasks:
            return []
        steps = "; ".join(
            f"{at}. {'done' if each.status == 'done' else 'open'} ({each.kind}): “{each.words}”"
            for at, each in enumerate(self.subtasks, 1)
        )
        return [f"Steps of the request, in the person's words: {steps}. Work off what is open, in order."]

    def reflection(self, tool: str, envelope: Mapping[str, Any]) -> str:
        """Once in a run, after the first argument that was wrong: what to think about before the next call; else empty."""
        if self._reflected or envelope.get("ok") or envelope.get("code") not in ("INVALID_PARAM", "NOT_FOUND"):
            return ""
        self._reflected = True
        return (
            f"{tool} could not use its arguments. Before you call it again, find out which argument was wrong and why: "
            "read message and hint, look the name up (search_layers, describe_layer) where it is not known, and change only that."
        )
