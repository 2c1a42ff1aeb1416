"""What a format cannot hold of a layer, and about how much is written: told before anything is."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from qgis.core import QgsField, QgsVectorLayer, QgsWkbTypes
from qgis.PyQt.QtCore import QMetaType

from ..i18n import translate
from ..layers import clean_text
from .facts import Facts
from .formats import GEOJSON_DECIMALS, Format, file_names, has_shapes

_TIMES = (QMetaType.Type.QTime, QMetaType.Type.QDateTime, QMetaType.Type.QDate)
_PLAIN = (
    QMetaType.Type.QString,
    QMetaType.Type.Int,
    QMetaType.Type.UInt,
    QMetaType.Type.LongLong,
    QMetaType.Type.ULongLong,
    QMetaType.Type.Double,
    QMetaType.Type.Bool,
    *_TIMES,
)
_SHEET = ("XLSX", "ODS")
_COPIED_BYTES = {
    "GPKG": 1.4,
    "GeoJSON": 3.0,
    "CSV": 3.0,
    "KML": 4.0,
    "GML": 5.0,
    "GPX": 5.0,
    "DXF": 6.0,
    "XLSX": 0.6,
    "ODS": 0.6,
}
"""Bytes in the file for one byte of geometry and values, measured on a few layers: for a first idea of the size."""

_EMPTY_BYTES = {"GPKG": 98_304, "XLSX": 5_000, "ODS": 5_000}
"""Bytes of a file without a feature: a GeoPackage has its tables (24 pages of 4,096 bytes, as GDAL 3.6 writes one)."""


def about_size(facts: Facts, name: str) -> str:
    """About how big the file will be, in words."""
    size = facts.bytes * _COPIED_BYTES.get(name, 1.2) + 60 * facts.count + _EMPTY_BYTES.get(name, 0)
    if size < 1_000_000:
        return translate("QgisAgent", "about {} kB").format(max(1, round(size / 1000)))
    return translate("QgisAgent", "about {} MB").format(round(size / 1_000_000, 1))


def loss_lines(layer: QgsVectorLayer, names: Sequence[str], facts: Facts, name: str, form: Format) -> List[List[str]]:
    """Lines for the card: fields, values and shapes that the format does not keep. A shapefile's own are in
    ``sources/shapefile_limits.py``."""
    lines = _shape_lines(layer, facts, form)
    chosen = [layer.fields().at(layer.fields().indexOf(each)) for each in names]
    if form.fields == "none" and names:
        lines.append([translate("QgisAgent", "Fields left out"), _listed(names)])
    if form.fields == "few" and names:
        text = translate(
            "QgisAgent", "{} has few fields of its own: others are written as extensions that few programs read"
        )
        lines.append([translate("QgisAgent", "Fields"), text.format(name)])
    if form.fields == "all":
        lines += _type_lines(chosen, name)
    renamed = [pair for pair in zip(names, file_names(name, names)) if pair[0] != pair[1]]
    if renamed and name != "ESRI Shapefile":
        pairs = "; ".join("{} → {}".format(clean_text(old, 60), new) for old, new in renamed)
        lines.append([translate("QgisAgent", "Renamed fields"), pairs])
    lines += _value_lines(names, facts, name)
    return lines + ([[translate("QgisAgent", "Keeps all of it"), "GPKG"]] if lines and name != "GPKG" else [])


def _shape_lines(layer: QgsVectorLayer, facts: Facts, form: Format) -> List[List[str]]:
    lines: List[List[str]] = []
    if not has_shapes(layer):
        return lines
    kind = layer.wkbType()
    if not form.geometry:
        lines.append(
            [translate("QgisAgent", "Geometry"), translate("QgisAgent", "left out: only the table is written")]
        )
        return lines
    lost = [word for word, has, keeps in (("Z", QgsWkbTypes.hasZ(kind), form.z), ("M", QgsWkbTypes.hasM(kind), form.m))
            if has and not keeps]  # fmt: skip
    if lost:
        lines.append([translate("QgisAgent", "Dropped from the geometry"), ", ".join(lost)])
    if QgsWkbTypes.isCurvedType(kind) and not form.curves:
        lines.append([translate("QgisAgent", "Curves"), translate("QgisAgent", "become lines with many points")])
    if facts.without_geometry:
        lines.append([translate("QgisAgent", "Features without geometry"), str(facts.without_geometry)])
    if form.driver == "MapInfo File":
        lines.append(
            [
                translate("QgisAgent", "Coordinates"),
                translate("QgisAgent", "rounded to about 0.1 m, as MapInfo keeps them"),
            ]
        )
    if form.driver == "GeoJSON":
        text = translate("QgisAgent", "{} decimals of a degree (about 0.1 mm)").format(GEOJSON_DECIMALS)
        lines.append([translate("QgisAgent", "Coordinates"), text])
    return lines


def _type_lines(fields: Sequence[QgsField], name: str) -> List[List[str]]:
    changed: List[Tuple[str, str]] = []
    for each in fields:
        if name == "GeoJSON" and each.type() in _TIMES:
            changed.append((each.name(), translate("QgisAgent", "text (ISO 8601)")))
        elif each.type() not in _PLAIN and name not in ("GPKG", "ESRI Shapefile"):
            changed.append((each.name(), translate("QgisAgent", "text")))
    lines: List[List[str]] = []
    if name == "CSV":
        lines.append(
            [translate("QgisAgent", "Types"), translate("QgisAgent", "a CSV holds text only: programs guess the types")]
        )
    if changed:
        parts = "; ".join("{} → {}".format(clean_text(field, 60), kind) for field, kind in changed)
        lines.append([translate("QgisAgent", "Changed types"), parts])
    return lines


def _value_lines(names: Sequence[str], facts: Facts, name: str) -> List[List[str]]:
    lines: List[List[str]] = []
    if facts.not_encoded:
        lines.append(
            [translate("QgisAgent", "Values with letters that the encoding lacks"), _counted(names, facts.not_encoded)]
        )
    if facts.long_numbers and name in _SHEET:
        lines.append([translate("QgisAgent", "Numbers of which digits are lost"), _counted(names, facts.long_numbers)])
    nulls = _nulls(facts) if name == "MapInfo File" else {}
    if nulls:
        lines.append([translate("QgisAgent", "NULL becomes 0 (MapInfo has no NULL numbers)"), _counted(names, nulls)])
    if facts.rounded and name == "ESRI Shapefile":
        text = translate("QgisAgent", "Numbers cut to the decimals of their field")
        lines.append([text, _counted(names, facts.rounded)])
    if facts.infinite and name != "GPKG":
        lines.append([translate("QgisAgent", "Infinite or undefined numbers"), str(facts.infinite)])
    return lines


def _nulls(facts: Facts) -> Dict[int, int]:
    """By column of numbers, how many values are missing."""
    kinds = ("integer", "number", "boolean")
    counts = {index: facts.count - each.values for index, each in enumerate(facts.columns) if each.kind in kinds}
    return {index: count for index, count in counts.items() if count}


def lossy_fields(names: Sequence[str], facts: Facts, name: str) -> List[str]:
    """Fields of which the card said that values are lost: what is read back may differ there."""
    known: Dict[int, int] = dict(facts.not_encoded)
    if name in _SHEET:
        known.update(facts.long_numbers)
    if name == "ESRI Shapefile":
        known.update(facts.rounded)
    if name == "MapInfo File":
        known.update(_nulls(facts))
    return [names[each] for each in known]


def _counted(names: Sequence[str], counts: Dict[int, int]) -> str:
    return "; ".join("{}: {}".format(clean_text(names[index], 60), number) for index, number in sorted(counts.items()))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(clean_text(each, 60) for each in names)
