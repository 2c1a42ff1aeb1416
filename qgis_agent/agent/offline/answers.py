"""The closing sentences, in two languages. Every number comes from an envelope (rounded), the request or an argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...bridge.envelope import NOT_FOUND
from ...bridge.messages import CatalogueLayer
from ..texts import translated
from .hints import hint_text
from .prose import and_then, in_lines
from .remarks import distinct
from .steps import Result
from .text import Language

MAX_LINES = 12
_QUOTED = re.compile(r"'(.+)'|“(.+)”")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_KINDS = {
    "point": ("points", "点"),
    "line": ("lines", "线"),
    "polygon": ("polygons", "面"),
    "raster": ("raster", "栅格"),
    "table": ("table", "表"),
    "other": ("other", "其他"),
}
_RENDERERS = {
    "single": ("one symbol", "单一符号"),
    "categorized": ("categories", "分类"),
    "graduated": ("classes", "分级"),
    "rules": ("rules", "规则"),
    "none": ("no symbol", "无符号"),
}
_METHODS = {
    "equal_interval": ("equal intervals", "等间隔"),
    "quantile": ("quantiles", "分位数"),
    "natural_breaks": ("natural breaks", "自然断点"),
    "pretty": ("pretty breaks", "整齐断点"),
}


_AGENTS = {
    "chart": "图表没有画成。可以改为列出数值。",
    "agent_process": "智能体进程没有完成这一步。请重新发送请求。",
    "profile": "当前配置没有这类工具。请选择其他配置。",
    "level": "当前配置只能读取。要更改地图，请选择其他配置。",
    "unknown_tool": "这里没有执行这一步所需的工具。",
}
"""What failures of the agent process's own tools, which speak English only, are in Chinese."""


def say(language: Language, english: str, chinese: str, **values: Any) -> str:
    """One sentence in the language of the request."""
    return (chinese if language == "zh" else english).format(**values)


def listed(language: Language, items: Iterable[str]) -> str:
    """Items in a row."""
    return ("、" if language == "zh" else ", ").join(items)


def num(value: Any) -> str:
    """A number as it is shown: whole as it is, else rounded to two decimals, small ones to three digits."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    if abs(value) < 0.1:
        return f"{value:.3g}"
    return f"{value:.2f}"


def kind_name(language: Language, kind: str) -> str:
    """The kind of a layer in words."""
    return _KINDS.get(kind, _KINDS["other"])[language == "zh"]


def with_remark(text: str, remark: str) -> str:
    """A sentence and the remark that the tool made, if it made one."""
    return and_then(text, remark)


def moved(language: Language, done: str, result: Result) -> str:
    """What was done to the view; where the person has moved the map meanwhile, it was only offered, and this is said instead."""
    if not result.data.get("offered"):
        return with_remark(done, result.message)
    return say(
        language,
        "You moved the map meanwhile, so it stays there. Click “Zoom to result” to go to it.",
        "您在此期间移动了地图，因此地图保持原处。要转到结果，请点击“缩放到结果”。",
    )


def failed(language: Language, envelope: Mapping[str, Any]) -> str:
    """What a tool said when it failed, and how to put it right."""
    missing = _missing_field(language, envelope)
    if missing:
        return missing
    if envelope.get("reason") == "place" and envelope.get("code") == NOT_FOUND:
        quoted = _QUOTED.search(str(envelope.get("message") or ""))
        said = (quoted.group(1) or quoted.group(2)) if quoted else "?"
        return say(
            language,
            "No feature of the project is called “{said}”. Try the full name or the code.",
            "工程中没有名为“{said}”的要素。请使用全名或代码。",
            said=said,
        )
    own = _AGENTS.get(str(envelope.get("reason") or ""))
    if own and language == "zh":
        return say(language, "", own)
    reason = and_then(
        translated(str(envelope.get("message") or "").strip(), language),
        hint_text(language, str(envelope.get("hint") or "").strip()),
    )
    return say(language, "That did not work. {reason}", "没有成功。{reason}", reason=reason).strip()


def _missing_field(language: Language, envelope: Mapping[str, Any]) -> str:
    """A field that does not exist, in the words of the answer, with the fields that the tool offers instead."""
    data = envelope.get("data")
    options = data.get("options") if isinstance(data, Mapping) else None
    if envelope.get("reason") != "field" or not isinstance(options, list) or not options:
        return ""
    return say(
        language,
        "There is no field “{said}”. Fields: {names}.",
        "没有字段“{said}”。可用字段：{names}。",
        said=options[0].get("replaces"),
        names=listed(language, (str(each.get("label")) for each in options)),
    )


def no_layer(language: Language, phrase: str, layers: Sequence[CatalogueLayer]) -> str:
    """No layer is called so; which there are."""
    if not layers:
        return say(language, "The project has no layers.", "工程中没有图层。")
    return say(
        language,
        "There is no layer “{phrase}”. Layers: {names}.",
        "没有名为“{phrase}”的图层。现有图层：{names}。",
        phrase=_ARTICLE.sub("", phrase),
        names=listed(language, (each["name"] for each in layers[:MAX_LINES])),
    )


def toggled(
    language: Language, visible: bool, names: Sequence[str], before: Sequence[str], groups: Sequence[str]
) -> str:
    """Which layers were switched, which were so already, and which groups had to be switched on with them."""
    parts: list[str] = []
    words = ("Shown: {names}.", "已显示：{names}。") if visible else ("Hidden: {names}.", "已隐藏：{names}。")
    so = ("Shown already: {names}.", "本来就显示着：{names}。")
    if not visible:
        so = ("Hidden already: {names}.", "本来就没有显示：{names}。")
    switched = ("Groups switched on with it: {names}.", "同时打开的分组：{names}。")
    for said, those in ((words, names), (so, before), (switched, groups)):
        if those:
            parts.append(say(language, *said, names=listed(language, those)))
    return ("" if language == "zh" else " ").join(parts)


def layer_list(language: Language, data: Mapping[str, Any]) -> str:
    """The layers of search_layers."""
    rows = data.get("layers") or []
    head = say(language, "The project has {n} layers:", "工程中有 {n} 个图层：", n=num(data.get("total", 0)))
    return "\n".join([head, *(f"- {_layer_line(language, row)}" for row in rows)])


def _layer_line(language: Language, row: Mapping[str, Any]) -> str:
    kind = kind_name(language, str(row.get("kind")))
    shown = say(language, "shown", "显示") if row.get("visible") else say(language, "hidden", "隐藏")
    return say(
        language, "{name} ({kind}, {shown})", "{name}（{kind}，{shown}）", name=row.get("name"), kind=kind, shown=shown
    )


def description(language: Language, data: Mapping[str, Any]) -> str:
    """The data of describe_layer."""
    kind = kind_name(language, str(data.get("kind")))
    parts = [
        say(
            language,
            "{name}: {kind}, {crs}.",
            "{name}：{kind}，{crs}。",
            name=data.get("name"),
            kind=kind,
            crs=data.get("crs") or "?",
        )
    ]
    if data.get("feature_count") is not None:
        parts.append(say(language, "{n} features.", "{n} 个要素。", n=num(data["feature_count"])))
    fields = [_field_text(language, each) for each in data.get("fields") or []]
    if fields:
        parts.append(say(language, "Fields: {fields}.", "字段：{fields}。", fields=listed(language, fields)))
    for warning in data.get("warnings") or []:
        parts.append(say(language, "Note: {text}.", "注意：{text}。", text=warning))
    return ("" if language == "zh" else " ").join(parts)


def _field_text(language: Language, each: Mapping[str, Any]) -> str:
    if not each.get("alias"):
        return str(each.get("name"))
    return say(language, "{name} ({alias})", "{name}（{alias}）", name=each.get("name"), alias=each["alias"])


def counted(language: Language, name: str, data: Mapping[str, Any]) -> str:
    """A count, in all or by the values of a field."""
    text = say(language, "{name}: {n} features.", "{name}共有 {n} 个要素。", name=name, n=num(data.get("count", 0)))
    groups = data.get("groups") or []
    lines = [f"- {_shown(language, each.get('value'))}: {num(each.get('count'))}" for each in groups[:MAX_LINES]]
    return "\n".join([text, *lines])


def _shown(language: Language, value: Any) -> str:
    return say(language, "(empty)", "（空）") if value is None or value == "" else num(value)


def rows(language: Language, name: str, data: Mapping[str, Any]) -> str:
    """Rows of query_features, one a line."""
    found = data.get("rows") or []
    if not data.get("total"):
        return say(language, "No feature of {name} matches.", "{name}中没有符合条件的要素。", name=name)
    head = say(
        language,
        "{name}: {total} features match; {returned} are listed.",
        "{name}：符合条件的要素有 {total} 个，列出 {returned} 个。",
        name=name,
        total=num(data.get("total")),
        returned=num(data.get("returned", 0)),
    )
    return "\n".join([head, *(f"- {_row_text(language, row)}" for row in found)])


def _row_text(language: Language, row: Any) -> str:
    if not isinstance(row, Mapping):
        return str(row)
    return listed(language, (f"{key} = {_shown(language, value)}" for key, value in row.items()))


def area_names(language: Language, data: Mapping[str, Any]) -> list[str]:
    """What the areas of stat_by_polygon are called, with the code where a name occurs twice."""
    found = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
    plain = [str(row.get("name") or row.get("code") or say(language, "area", "区域")) for row in found]
    codes = [next((row[key] for key in ("code", "adcode") if row.get(key)), None) for row in found]
    return plain if None in codes else distinct(plain, codes)


def polygons(language: Language, points: str, data: Mapping[str, Any]) -> str:
    """Rows of stat_by_polygon: the count, area and density of each, the total, and that a layer was added."""
    found = [row for row in data.get("rows") or [] if isinstance(row, Mapping)]
    names = area_names(language, data)
    lines = [_polygon_text(language, name, row) for name, row in zip(names[:MAX_LINES], found, strict=False)]
    name = data.get("name") or data.get("layer_id")
    added = say(language, "The layer “{name}” was added.", "已添加图层“{name}”。", name=name)
    if data.get("reused"):
        added = say(
            language,
            "The layer “{name}” from before shows this already.",
            "之前的图层“{name}”已经是这个结果。",
            name=name,
        )
    if len(lines) == 1:
        return say(
            language,
            "{points}: {line}. {added}",
            "{points}：{line}。{added}",
            points=points,
            line=lines[0],
            added=added,
        )
    total = say(
        language,
        "{points}: {n} in all {polygons} areas.",
        "{points}：{polygons} 个区域内共 {n} 个。",
        points=points,
        n=num(data.get("total_count", 0)),
        polygons=num(data.get("polygons", "")),
    )
    return in_lines([total, *(f"- {each}" for each in lines), added])


def _polygon_text(language: Language, name: str, row: Mapping[str, Any]) -> str:
    text = say(language, "{name} has {n}", "{name}有 {n} 个", name=name, n=num(row.get("count", 0)))
    if row.get("density_per_km2") is None or row.get("area_km2") is None:
        return text
    return text + say(
        language,
        " ({density} per km² on {area} km²)",
        "（面积 {area} 平方公里，每平方公里 {density} 个）",
        density=num(row["density_per_km2"]),
        area=num(row["area_km2"]),
    )


def rendered(language: Language, name: str, field: str, result: Result) -> str:
    """Classes or categories of set_render_rule with their counts, and the tool's remark."""
    data = result.data
    classes = [each for each in data.get("classes") or [] if isinstance(each, Mapping)]
    lines = [_class_text(each) for each in classes[:MAX_LINES]]
    method = _METHODS.get(str(data.get("classification")))
    how = "" if method is None else say(language, " ({method})", "（{method}）", method=method[language == "zh"])
    text = say(
        language,
        "{name} is coloured by {field}{how}: {classes}.",
        "{name}已按{field}{how}着色：{classes}。",
        name=name,
        field=field,
        how=how,
        classes=("；" if language == "zh" else "; ").join(lines),
    )
    if data.get("not_drawn") and not result.message:
        text += say(language, " {n} features are in no class.", "有 {n} 个要素不在任何一类。", n=num(data["not_drawn"]))
    return with_remark(text, result.message)


def _class_text(each: Mapping[str, Any]) -> str:
    label = str(each.get("label") or "")
    if not label and each.get("lower") is not None:
        label = f"{num(each['lower'])} – {num(each.get('upper'))}"
    return label if each.get("count") is None else f"{label} ({num(each['count'])})"


def style(language: Language, name: str, data: Mapping[str, Any]) -> str:
    """The look of a layer from a style document: the kind of renderer, its field and its classes."""
    head = data.get("renderer")
    renderer: Mapping[str, Any] = head if isinstance(head, Mapping) else {}
    kind = _RENDERERS.get(str(renderer.get("type")), (str(renderer.get("type") or "?"),) * 2)[language == "zh"]
    text = say(language, "{name} is drawn with {kind}", "{name}的渲染方式是{kind}", name=name, kind=kind)
    if renderer.get("field"):
        text += say(language, " of {field}", "，字段 {field}", field=renderer["field"])
    classes = renderer.get("classes") or renderer.get("rules")
    entries = [each for each in classes.values() if isinstance(each, Mapping)] if isinstance(classes, Mapping) else []
    labels = [label for label in (_class_text(each) for each in entries[:MAX_LINES]) if label]
    symbol = renderer.get("symbol")
    if labels:
        text += say(language, ": {classes}", "：{classes}", classes=("；" if language == "zh" else "; ").join(labels))
    elif isinstance(symbol, Mapping) and symbol.get("color"):
        text += say(language, " in {colour}", "，颜色 {colour}", colour=symbol["color"])
    return text + say(language, ".", "。")


_SUMMARY = (
    ("count", "count", "个数"),
    ("sum", "sum", "总和"),
    ("mean", "mean", "平均值"),
    ("min", "minimum", "最小值"),
    ("max", "maximum", "最大值"),
    ("median", "median", "中位数"),
    ("stdev", "standard deviation", "标准差"),
)


def values(language: Language, name: str, field: str, data: Mapping[str, Any]) -> str:
    """The different values of a field, with their counts where the tool gave them."""
    found = [each if isinstance(each, Mapping) else {"value": each} for each in data.get("values") or []]
    lines = [_value_line(language, each) for each in found[:MAX_LINES]]
    head = say(language, "Values of {field} in {name}:", "{name}的{field}取值：", field=field, name=name)
    return "\n".join([head, *lines])


def _value_line(language: Language, each: Mapping[str, Any]) -> str:
    text = f"- {_shown(language, each.get('value'))}"
    return text if each.get("count") is None else f"{text}: {num(each['count'])}"


def summary(language: Language, name: str, field: str, data: Mapping[str, Any]) -> str:
    """What summarize_field found: the numbers that it gave."""
    found = [
        say(language, "{what} {n}", "{what} {n}", what=chinese if language == "zh" else english, n=num(data[key]))
        for key, english, chinese in _SUMMARY
        if data.get(key) is not None
    ]
    return say(
        language,
        "{field} of {name}: {found}.",
        "{name}的{field}：{found}。",
        field=field,
        name=name,
        found=listed(language, found) or say(language, "no values", "没有数值"),
    )
