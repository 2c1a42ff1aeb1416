"""Closing a run without another model call (X-5), and knowing when an analysis has its answer.

``auto_final`` saves one round trip, so it may only be used where nothing can be lost: the request has one step of one kind, every
call of the batch is a confirmed success of a map or style tool, one of them is of the very kind that was asked for, and each word
of the request is accounted for by that kind, by the layers' names or by the arguments of the calls. Anything left over ("显示小学"
when the layer is 学校) goes back to the model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..context.untrusted import clean
from ..execution.packs import plain
from ..llm.types import SettledCall

MAX_MESSAGES = 3


def _kind(latin: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{latin})(?![a-z])|{chinese}")


_VERBS: Mapping[str, re.Pattern[str]] = {
    "show": _kind(
        r"show|display|overlay|unhide|(?:turn|switch) on|(?:turn|switch)(?= .* on$)|(?<= )on$",
        "显示|打开|开启|叠加|展示",
    ),
    "hide": _kind(r"hide|(?:turn|switch) off|(?:turn|switch)(?= .* off$)|(?<= )off$", "隐藏|关掉|关闭|关上|关了"),
    "zoom": _kind(
        r"zoom(?: in)? (?:to|on)|zoom|go to|pan to|cent(?:re|er) on|fly to",
        "放大到|缩放到|缩放至|定位到|定位|移动到|移到|跳到|转到",
    ),
    "style": _kind(r"colou?r|style|shade|classify|symboli[sz]e|render", "分色|设色|着色|上色|分级|渲染"),
    "label": _kind(r"label|annotate", "标注|注记"),
    "select": _kind(r"select", "选中|选择"),
    "highlight": _kind(r"highlight", "高亮"),
    "rename": _kind(r"rename", "重命名|改名"),
    "order": _kind(r"bring|send|move", "置顶|置底|上移|下移"),
    "revert": _kind(r"revert", "还原|恢复"),
    "clear": _kind(r"clear|deselect", "取消|清除"),
}
_CLOSES: Mapping[str, frozenset[str]] = {
    "show": frozenset({"toggle_layer"}),
    "hide": frozenset({"toggle_layer"}),
    "zoom": frozenset({"zoom_to", "set_map_view"}),
    "style": frozenset({"set_render_rule", "patch_style", "set_raster_style"}),
    "label": frozenset({"set_layer_label"}),
    "select": frozenset({"select_features"}),
    "highlight": frozenset({"highlight_features"}),
    "rename": frozenset({"rename_layer"}),
    "order": frozenset({"reorder_layer"}),
    "revert": frozenset({"revert_style"}),
    "clear": frozenset({"clear_selection"}),
}
MAP_AND_STYLE = frozenset(
    "toggle_layer zoom_to highlight_features select_features set_layer_filter set_render_rule patch_style set_layer_label "
    "set_map_view clear_selection reorder_layer group_layers rename_layer set_legend revert_style copy_style set_raster_style".split()
)
"""The map and style list: 17 tools, each of effect ``view``."""
_CHAIN = re.compile(
    r"(?<![a-z])(?:then|after(?:wards)?|before|finally|also|but|unless|if|next)(?![a-z])"
    r"|然后|接着|之后|随后|最后|再|并|同时|另外|还要|如果|只要|先|但|而"
)
_MANY = re.compile(
    r"(?<![a-z])(?:and|or|all|every|each|except|both|only|others?|rest|everything|these|those)(?![a-z])|[,，、;；&+]|和|与|及|跟|所有|全部|除了?|其他|只|这些|那些|都|各"
)
_ASKS = re.compile(
    r"[?？]|(?<![a-z])(?:how|what|which|where|who|why|when|is|are|does|do|count|many|much|average|sum|total"
    r"|percent|list|tell|describe)(?![a-z])"
    r"|多少|几|什么|哪|吗|为何|为什么|怎么|如何|是否|统计|平均|总|占比|列出|告诉|说明|介绍"
)
_NEGATES = re.compile(r"(?<![a-z])(?:not|don'?t|never|no|without)(?![a-z])|不|别|勿|没")
_FILLERS = re.compile(
    r"(?<![a-z])(?:please|pls|the|a|an|layers?|map|on|in|to|of|with|by|its|my|me|for|can|could|would|you|up|now|just|again|thanks?|colou?rs?"
    r"|using|from|as|into|at|it)(?![a-z])"
    r"|请|帮我|帮忙|麻烦|一下|把|将|给|图层|地图|上|到|至|在|的|了|吧|呢|啊|我|要|想|用|按|以|为|成|改|进行|谢谢|下"
)


def single_intent(text: str) -> str:
    """The one kind of step that a request asks for, or "": no chain, no question, no number asked, one verb of the list."""
    words = plain(text)
    if len(words) > 120 or "\n" in text.strip() or re.search(r"[.。!！]\s*\S", words):
        return ""
    if _CHAIN.search(words) or _MANY.search(words) or _ASKS.search(words) or _NEGATES.search(words):
        return ""
    kinds = [kind for kind, pattern in _VERBS.items() if pattern.search(words)]
    return kinds[0] if len(kinds) == 1 else ""


def auto_final(
    text: str,
    settled: Sequence[SettledCall],
    *,
    language: str,
    names: Mapping[str, str],
    known: Collection[str] = (),
    actions: Iterable[Mapping[str, Any]] = (),
    effects: Mapping[str, str] | None = None,
) -> str:
    """The local confirmation of a batch that was the whole request, or "".

    ``names`` gives layers' names by alias, ``known`` further words that the run has looked up, ``actions`` the map operations
    that the calls reported.
    """
    kind = single_intent(text)
    if not kind or not settled or not all(_confirmed(each, effects or {}) for each in settled):
        return ""
    if not all(each.get("ok") is True for each in actions):
        return ""
    if not any(each.call.name in _CLOSES[kind] and _of_kind(kind, each) for each in settled):
        return ""
    if _left_over(text, kind, settled, names, known):
        return ""
    mark = "" if language == "zh" else " "
    return mark.join(confirmation(each, language, names) for each in settled)


def _confirmed(call: SettledCall, effects: Mapping[str, str]) -> bool:
    """Whether a call is a success of the list, with data that says so."""
    envelope = call.envelope
    listed = call.call.name in MAP_AND_STYLE and effects.get(call.call.name, "view") == "view"
    return listed and envelope.get("ok") is True and isinstance(envelope.get("data"), Mapping)


def _of_kind(kind: str, call: SettledCall) -> bool:
    if kind in ("show", "hide"):
        return call.arguments.get("visible") is (kind == "show")
    return True


def _left_over(
    text: str, kind: str, settled: Sequence[SettledCall], names: Mapping[str, str], known: Collection[str]
) -> str:
    """What of a request no verb, name, argument or filler accounts for."""
    rest = plain(text)
    said = [*known]
    for each in settled:
        said += _strings(each.arguments)
        alias = str(each.arguments.get("layer_id") or "")
        said.append(names.get(alias, ""))
    for word in sorted({plain(each) for each in said if each.strip()}, key=len, reverse=True):
        rest = _without(rest, word)
    rest = _VERBS[kind].sub(" ", rest)
    rest = _FILLERS.sub(" ", rest)
    for number in (each for call in settled for each in call.arguments.values() if isinstance(each, (int, float))):
        rest = re.sub(rf"(?<![\d.]){re.escape(str(number))}(?![\d.])", " ", rest)
    return re.sub(r"[\W_]+", "", rest)


def _without(text: str, word: str) -> str:
    if not word[0].isascii():
        return text.replace(word, " ")
    stem = re.escape(word[:-1] if word.endswith("s") and len(word) > 3 else word)
    return re.sub(rf"(?<![a-z0-9]){stem}s?(?![a-z0-9])", " ", text)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value, value.replace("_", " ").replace("-", " ")]
    if isinstance(value, Mapping):
        return [each for item in value.values() for each in _strings(item)]
    return [each for item in value for each in _strings(item)] if isinstance(value, (list, tuple)) else []


_SAID: Mapping[str, tuple[str, str]] = {
    "toggle_layer": ('The layer "{name}" is shown.', "已显示图层“{name}”。"),
    "toggle_layer:hide": ('The layer "{name}" is hidden.', "已隐藏图层“{name}”。"),
    "zoom_to": ('The map shows "{name}".', "地图已定位到“{name}”。"),
    "zoom_to:bare": ("The map was moved.", "地图已定位。"),
    "offered": (
        "You moved the map meanwhile, so it stays there. Click “Zoom to result” to go to it.",
        "您在此期间移动了地图，因此地图保持原处。要转到结果，请点击“缩放到结果”。",
    ),
    "highlight_features": ('Features of "{name}" are highlighted.', "已高亮图层“{name}”的要素。"),
    "select_features": ('Features of "{name}" are selected.', "已选中图层“{name}”的要素。"),
    "set_layer_filter": ('The layer "{name}" is filtered.', "已过滤图层“{name}”。"),
    "set_render_rule": ('The layer "{name}" is drawn in a new style.', "图层“{name}”已按新样式绘制。"),
    "patch_style": ('The style of "{name}" was changed.', "已更改图层“{name}”的样式。"),
    "set_raster_style": ('The style of "{name}" was changed.', "已更改图层“{name}”的样式。"),
    "set_layer_label": ('The labels of "{name}" were changed.', "已更改图层“{name}”的标注。"),
    "reorder_layer": ('The layer "{name}" was moved in the order.', "已调整图层“{name}”的顺序。"),
    "rename_layer": ('The layer "{name}" was renamed.', "已重命名图层“{name}”。"),
    "set_legend": ('The legend of "{name}" was changed.', "已更改图层“{name}”的图例。"),
    "revert_style": ('The style of "{name}" is as it was.', "已恢复图层“{name}”的样式。"),
    "copy_style": ('The style was copied to "{name}".', "已将样式复制到图层“{name}”。"),
    "clear_selection": ("The selection is cleared.", "已清除选择。"),
    "set_map_view": ("The view of the map was changed.", "已更改地图视图。"),
    "group_layers": ("The layers are grouped.", "图层已分组。"),
}  # fmt: skip


def confirmation(call: SettledCall, language: str, names: Mapping[str, str]) -> str:
    """What a settled call did, in the person's language, with the tool's own message as evidence."""
    tool = call.call.name
    alias = str(call.arguments.get("layer_id") or "")
    key = tool
    if (call.envelope.get("data") or {}).get("offered"):
        return _SAID["offered"][language == "zh"]
    if tool == "toggle_layer" and call.arguments.get("visible") is False:
        key = "toggle_layer:hide"
    elif tool == "zoom_to" and not alias:
        key = "zoom_to:bare"
    said = _SAID[key][language == "zh"].format(name=clean(names.get(alias) or alias, 80))
    message = clean(str(call.envelope.get("message") or ""), 300)
    if not message:
        return said
    return said + ("" if language == "zh" else " ") + message


@dataclass(frozen=True)
class AnalysisReadiness:
    """When results suffice for an answer (O-244): a heuristic over what the analysis tools returned.

    It is meant to end wandering, not to cut an analysis short: by default it only tells the model so, once. ``force`` ends the
    run with a tool-free turn.
    """

    runs: int = 2
    """Analysis tools that succeeded one after the other."""
    conclusions: int = 2
    evidence: int = 2
    chars: int = 160
    force: bool = False
    conclusion_words: tuple[str, ...] = (
        "综合评价",
        "评级",
        "结论",
        "得分",
        "等级",
        "score",
        "rating",
        "rank",
        "conclusion",
        "grade",
    )
    evidence_words: tuple[str, ...] = (
        "道路",
        "公交",
        "距离",
        "覆盖",
        "数量",
        "密度",
        "count",
        "mean",
        "density",
        "distance",
        "coverage",
        "sum",
    )

    def suffices(self, results: Sequence[str]) -> bool:
        """Whether the results of the last analysis tools, as text, are enough of an answer."""
        if len(results) < self.runs:
            return False
        text = plain(" ".join(results))
        found = [sum(each in text for each in words) for words in (self.conclusion_words, self.evidence_words)]
        return found[0] >= self.conclusions and found[1] >= self.evidence and len(text) > self.chars
