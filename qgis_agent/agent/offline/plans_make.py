"""Plans that make something new: buffers, exported files, bookmarks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .answers import num, say, with_remark
from .choose import no_raster, one_layer
from .grammar import Command
from .places import where_of
from .steps import Ask, Plan, Run, Stop
from .text import Language, number
from .words import METRES

MOST_METRES = 1_000_000
"""The largest distance that buffer_layer takes."""
_FORMATS = {"gpkg": "GPKG", "geojson": "GeoJSON", "json": "GeoJSON", "csv": "CSV", "shp": "ESRI Shapefile"}
_FORMAT_WORDS = {"geopackage": "gpkg", "shapefile": "shp"} | {each: each for each in _FORMATS}

_NOT_WRITTEN = frozenset("excel xlsx xls kml kmz gpx dxf dwg cad gml tab mif word txt ods pdf png svg jpg tif".split())
"""Formats that people ask for by name and that are not written; no names of files."""
_FORMAT_THEN_FILE = re.compile(
    r"(?P<format>\.?[a-z]+)(?: file)?(?: (?:to|as|into|in|called|named) |\s*(?:文件)?(?:到|为|至|，|,|叫|名为)\s*)(?P<file>\S.*)",
    re.IGNORECASE,
)
"""“GeoJSON to schools.geojson”: the format is no part of the file's name."""


def buffer(command: Command, run: Run) -> Plan[str]:
    """Buffers in metres. A distance without a unit is asked about, never guessed."""
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "buffer", "为其做缓冲区：")
    where = where_of(command, run, layer)
    metres = asked_metres(command, run)
    if not 0 < metres <= MOST_METRES:
        text = say(
            run.language,
            "A buffer of {said} {unit} is not possible: more than 0 and at most 1000 km.",
            "无法做{said}{unit}的缓冲区：距离须大于 0 且不超过 1000 公里。",
            said=command.words["n"],
            unit=command.words["unit"],
        )
        raise Stop(text, "tool_failed", "out_of_range")
    arguments: dict[str, Any] = {"layer_id": layer["layer_id"], "distance_m": metres}
    arguments.update({"where": where} if where else {})
    arguments.update({"dissolve": True} if "dissolve" in command.words else {})
    result = yield from run.do("buffer_layer", **arguments)
    text = say(
        run.language,
        "Buffers of {metres} m around {layer}: {n} features in the new layer “{name}”, {how}.",
        "已为{layer}生成 {metres} 米缓冲区：新图层“{name}”，{n} 个要素，{how}。",
        metres=num(result.data.get("distance_m", metres)),
        layer=layer["name"],
        n=num(result.data.get("feature_count", 0)),
        name=result.data.get("name") or result.data.get("layer_id"),
        how=_measured(run.language, str(result.data.get("crs_used") or "?")),
    )
    return with_remark(text, result.message)


def asked_metres(command: Command, run: Run) -> float:
    """The distance of a command in metres. Raises Ask for one without a unit, Stop for one that cannot be read."""
    said = command.words["n"]
    distance = number(said)
    if distance is None:
        raise Stop(say(run.language, "I cannot read the distance “{said}”.", "无法识别距离“{said}”。", said=said))
    if "unit" not in command.words:
        units = ("米", "公里", "英尺") if run.language == "zh" else ("m", "km", "ft")
        blank = "" if run.language == "zh" else " "
        question = say(run.language, "In which unit is {said}?", "{said}的单位是什么？", said=said)
        raise Ask(question, [run.sentence.replace(said, f"{said}{blank}{unit}", 1) for unit in units])
    return round(distance * METRES[command.words["unit"].casefold()], 6)


def _measured(language: Language, crs_used: str) -> str:
    """How distances were measured, in words that need no knowledge of projections; another CRS by its name."""
    if crs_used.startswith(("geodesic", "azimuthal equidistant")):
        return say(language, "measured as distances on the ground", "按实地距离计算")
    return say(language, "computed in {crs}", "计算所用坐标系 {crs}", crs=crs_used)


def export(command: Command, run: Run) -> Plan[str]:
    """Write a layer to a new file. The person sees and clicks the preview; without that nothing is written."""
    layer = one_layer(run, command.words["layer"])
    path, format_name = _target(command.words.get("path", ""), layer["layer_id"])
    if not format_name:
        text = say(
            run.language,
            "I can write GeoPackage, GeoJSON, CSV and Shapefile, not “{path}”.",
            "可以导出 GeoPackage、GeoJSON、CSV 和 Shapefile，不能导出“{path}”。",
            path=path,
        )
        raise Stop(text, "tool_failed", "format")
    result = yield from run.do("prepare_export_layer", layer_id=layer["layer_id"], path=path, format=format_name)
    if not result.data.get("written"):
        raise Stop(result.message or say(run.language, "Nothing was written.", "没有写入任何文件。"), "tool_failed")
    text = say(
        run.language,
        "{layer} was written to {path} ({n} features).",
        "{layer}已导出到 {path}（{n} 个要素）。",
        layer=layer["name"],
        path=result.data.get("path", path),
        n=num(result.data.get("feature_count", 0)),
    )
    return text


def _target(said: str, layer_id: str) -> tuple[str, str]:
    """Path and format: "schools.geojson", "geojson" (the layer's own name then) or nothing (a GeoPackage). The format is "" for an ending that cannot be written."""
    path = said.strip("\"'“”‘’ ")
    both = _FORMAT_THEN_FILE.fullmatch(path)
    wanted = _FORMAT_WORDS.get(both["format"].casefold().lstrip(".")) if both else None
    if both and wanted:
        file, format_name = _target(both["file"], layer_id)
        named = "." in file and file == both["file"].strip("\"'“”‘’ ")
        if not named:
            return both["file"].strip("\"'“”‘’ ") + "." + wanted, _FORMATS[wanted]
        # A format and a file of another one: which is meant is not for us to choose.
        return (file, format_name) if format_name == _FORMATS[wanted] else (path, "")
    word = _FORMAT_WORDS.get(path.casefold().lstrip("."))
    if word is not None or not path:
        ending = word or "gpkg"
        return f"{layer_id}.{ending}", _FORMATS[ending]
    if path.casefold() in _NOT_WRITTEN:
        return path, ""
    _, dot, ending = path.rpartition(".")
    if not dot or "/" in ending:
        return f"{path}.gpkg", "GPKG"
    return path, _FORMATS.get(ending.casefold(), "")


def bookmark(command: Command, run: Run) -> Plan[str]:
    """Keep the present view under a name. The person sees and clicks the preview; without that nothing is stored."""
    said = command.words.get("name", "").strip("\"'“”‘’「」 ")
    if not said:
        raise Stop(say(run.language, "Say a name for the bookmark.", "请说出书签的名称。"))
    result = yield from run.do("prepare_bookmark", name=said)
    if not result.data.get("written"):
        raise Stop(result.message or say(run.language, "Nothing was stored.", "没有保存任何内容。"), "tool_failed")
    return with_remark(
        say(run.language, "Bookmark “{name}” is stored.", "已保存书签“{name}”。", name=said), result.message
    )


MAKE_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "buffer": buffer,
    "export": export,
    "bookmark": bookmark,
}
