"""What must be known of a result, in the words of the answer: a tool's own remark is in the language of QGIS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .text import Language, is_chinese


def _say(language: Language, english: str, chinese: str, **values: Any) -> str:
    return (chinese if language == "zh" else english).format(**values)


def fitting(language: Language, remark: str) -> str:
    """A tool's remark where it is in the language of the answer; names in another script make no difference."""
    return remark if not remark or (language == "zh") == is_chinese(remark) else ""


def counted_by_area(language: Language, data: Mapping[str, Any], chosen: Sequence[str], remark: str) -> str:
    """Where the other points of stat_by_polygon are. ``chosen`` names the areas that were asked about; none: all areas.

    What the tool's numbers do not tell (multipoints, repaired polygons) stays in its remark, which is kept where it has
    more to say or the numbers are missing.
    """
    outside, border, points = (data.get(key) for key in ("outside", "on_border", "points"))
    if language == "en" and remark:
        return remark
    if not isinstance(outside, int) or not isinstance(points, int):
        return fitting(language, remark)
    said: list[str] = []
    if outside and chosen:
        where = ("、" if language == "zh" else ", ").join(chosen)
        said.append(
            _say(
                language,
                "Points outside of {where}: {n} of {all}.",
                "其余 {n} 个（共 {all} 个）在{where}之外。",
                where=where,
                n=outside,
                all=points,
            )
        )
    elif outside and data.get("total_count"):
        said.append(
            _say(
                language,
                "{n} of {all} points lie outside of all polygons.",
                "{all} 个中有 {n} 个不在任何面内。",
                n=outside,
                all=points,
            )
        )
    elif points and not chosen and not data.get("total_count"):
        said.append(
            _say(
                language,
                "No point lies inside a polygon: check the CRS of both layers.",
                "没有点落在任何面内，请检查两个图层的坐标系。",
            )
        )
    if border:
        said.append(
            _say(
                language,
                "{n} points lie exactly on a border and are counted in no polygon.",
                "有 {n} 个点正好在边界上，不计入任何面。",
                n=border,
            )
        )
    return " ".join(said) if language == "en" else "".join(said)


def distinct(names: Sequence[str], codes: Sequence[Any]) -> list[str]:
    """Names as they are, with the code behind each that occurs more than once."""
    often = Counter(names)
    if len(codes) != len(names):
        return list(names)
    return [f"{name} ({code})" if often[name] > 1 else name for name, code in zip(names, codes, strict=True)]
