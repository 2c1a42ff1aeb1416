"""What can be said, shown with layers and fields of the project itself; each example is understood as it stands."""

from __future__ import annotations

from collections.abc import Sequence

from ...bridge.messages import CatalogueField, CatalogueLayer
from .answers import say
from .naming import is_key_field
from .prose import and_then
from .text import Language

MOST = 10
_LONGEST_NAME = 40
_Sentence = tuple[str, str]
_ZOOM: _Sentence = ("zoom to {layer}", "放大到{layer}")
_ANY: tuple[_Sentence, ...] = (("show {layer}", "打开{layer}"), ("hide {layer}", "关闭{layer}"))
_COUNT: _Sentence = ("how many {layer} are there", "有多少{layer}")
_NUMBER: tuple[_Sentence, ...] = (
    ("colour {layer} by {field}, 5 classes, quantile", "{layer}按{field}分5级设色，分位数"),
    ("top 3 {layer} by {field}", "{field}最多的3个{layer}"),
)
_POINTS: tuple[_Sentence, ...] = (
    ("buffer {layer} 500 m", "给{layer}做500米缓冲区"),
    ("count {layer} per {areas}", "统计每个{areas}的{layer}数量"),
)
_HEATMAP: _Sentence = ("show {layer} as a heat map", "{layer}做热力图")
_HILLSHADE: _Sentence = ("show {layer} as a hillshade", "{layer}做山体阴影")
_NO_LAYERS: tuple[_Sentence, ...] = (
    ("list the layers", "有哪些图层"),
    ("zoom to France", "放大到街道A"),
    ("show hospitals", "打开医院"),
    ("how many schools are there", "有多少学校"),
    ("count schools per street", "统计每个街道的学校数量"),
    ("colour the streets by area, 5 classes, quantile", "街道按面积分5级设色，分位数"),
    ("buffer schools 500 m", "给学校做500米缓冲区"),
    ("export the map as PDF", "导出地图为PDF"),
    ("help", "帮助"),
)
_ALWAYS: tuple[_Sentence, ...] = (("list the layers", "有哪些图层"), ("help", "帮助"))


def help_text(language: Language, layers: Sequence[CatalogueLayer]) -> str:
    """What can be said, by examples."""
    head = say(
        language,
        "Without a model I understand short commands, for example:",
        "没有连接模型时，我能听懂简短的命令，例如：",
    )
    return "\n".join([head, *(f"- {each}" for each in examples(language, layers))])


def not_understood(language: Language, clause: str, layers: Sequence[CatalogueLayer]) -> str:
    """A sentence that no pattern fits, and what can be said instead."""
    head = say(language, "I did not understand “{clause}”.", "我没有听懂“{clause}”。", clause=clause[:80])
    return and_then(head, help_text(language, layers))


def examples(language: Language, layers: Sequence[CatalogueLayer]) -> list[str]:
    """At most ten sentences about the project's own layers; general ones where there is no layer to name."""
    at = 1 if language == "zh" else 0
    usable = [each for each in layers if _sayable(each["name"])]
    if not usable:
        return [each[at] for each in _NO_LAYERS]
    made = [_ZOOM[at].format(layer=usable[0]["name"])]
    hidden = [each for each in usable if not each["visible"]] or usable
    made.append(_ANY[0][at].format(layer=hidden[0]["name"]))
    shown = [each for each in usable if each["visible"]] or usable
    made.append(_ANY[1][at].format(layer=shown[0]["name"]))
    made += _of_rows(at, usable)
    made += _of_points(at, usable)
    raster = next((each["name"] for each in usable if each["kind"] == "raster"), "")
    made += [_HILLSHADE[at].format(layer=raster)] if raster else []
    return [*made[: MOST - 2], *(each[at] for each in _ALWAYS)]


def _of_rows(at: int, usable: Sequence[CatalogueLayer]) -> list[str]:
    for layer in usable:
        field = next((each["name"] for each in layer["fields"] if _is_amount(each)), "")
        if field and _sayable(field) and layer["kind"] in ("point", "line", "polygon"):
            return [each[at].format(layer=layer["name"], field=field) for each in _NUMBER]
    return [_COUNT[at].format(layer=each["name"]) for each in usable if each["kind"] in ("point", "line", "polygon")][
        :1
    ]


def _of_points(at: int, usable: Sequence[CatalogueLayer]) -> list[str]:
    points = next((each["name"] for each in usable if each["kind"] == "point"), "")
    areas = next((each["name"] for each in usable if each["kind"] == "polygon"), "")
    made = [each[at].format(layer=points) for each in (_POINTS[0], _HEATMAP)] if points else []
    return made + ([_POINTS[1][at].format(layer=points, areas=areas)] if points and areas else [])


def _is_amount(field: CatalogueField) -> bool:
    """Whether classes and "the most" make sense for a field: a number that is no key."""
    return field["type"] in ("integer", "number") and not is_key_field(field["name"])


def _sayable(name: str) -> bool:
    """Whether a name stands well in a sentence."""
    return len(name) <= _LONGEST_NAME and not any(each in name for each in ',;，；。“”"')
