"""Computed names that can be classified like fields, as expressions of the renderer: area and length on the ground, and
the ratio of two numbers ("pop / $area_km2"), so that counts are drawn as densities without a field being written.

Areas are taken in an equal-area projection of WGS 84, which is right whatever the project's units, its ellipsoid and the
renderer's context are (``$area`` is planimetric where the project has no ellipsoid, and comes in the project's unit). No
projection keeps all lengths: lengths are ``$length``, ellipsoidal by the project's ellipsoid, in its present unit.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from qgis.core import Qgis, QgsCoordinateReferenceSystem, QgsExpression, QgsProject, QgsUnitTypes, QgsVectorLayer

from ..errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import layer_kind
from ..scope import seen_fields

AREA = "$area_km2"
LENGTH = "$length_m"
NAMES = (AREA, LENGTH)
_KINDS = {AREA: "polygon", LENGTH: "line"}
_CYLINDRICAL, _NORTH, _SOUTH = "EPSG:6933", "EPSG:6931", "EPSG:6932"
"""EASE-Grid 2.0, equal-area: the first has straight parallels and ends at 180°; the polar ones have no seam there."""


def names_for(kind: str) -> List[str]:
    """The computed names that a layer of this kind has."""
    return [name for name in NAMES if _KINDS[name] == kind]


def expression(layer: QgsVectorLayer, name: str) -> str:
    """The expression of a computed name on a layer of the open project.

    INVALID_PARAM for the wrong kind of geometry; UNSUPPORTED without a CRS, or without the ellipsoid that it needs.
    """
    if layer_kind(layer) != _KINDS[name]:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} needs a {} layer.").format(name, _KINDS[name]),
            hint=translate("QgisAgent", "Use a number field of the layer."),
            reason="layer_kind",
        )
    crs = layer.crs()
    if not crs.isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so its size on the ground is unknown.").format(
                layer.name()
            ),
            hint=translate("QgisAgent", "Set the layer's CRS in QGIS first."),
            reason="no_crs",
        )
    project = layer.project() or QgsProject.instance()
    if name == LENGTH:
        unit = QgsUnitTypes.fromUnitToUnitFactor(project.distanceUnits(), Qgis.DistanceUnit.Meters)
        return "$length * {!r}".format(_with_ellipsoid(project, unit))
    if not crs.authid():  # the expression function transform() knows a CRS by its id only
        unit = QgsUnitTypes.fromUnitToUnitFactor(project.areaUnits(), Qgis.AreaUnit.SquareKilometers)
        return "$area * {!r}".format(_with_ellipsoid(project, unit))
    return "area(transform($geometry, {}, '{}')) / 1000000".format(
        QgsExpression.quotedString(crs.authid()), _equal_area(crs)
    )


def ratio_parts(text: str) -> Optional[Tuple[str, str]]:
    """ "a / b" as its two names; None when the text is no ratio."""
    parts = [each.strip() for each in text.split("/")]
    return (parts[0], parts[1]) if len(parts) == 2 and all(parts) else None


def ratio_expression(over: str, under: str) -> str:
    """The expression of a ratio of two expressions. NULL where one of them is NULL or the second is 0."""
    return "({}) / ({})".format(over, under)


def name_of(layer: QgsVectorLayer, text: str) -> str:
    """The field or computed name that a renderer's attribute stands for; "" for an expression of another kind."""
    if seen_fields(layer).lookupField(text) >= 0:
        return text
    column = text[1:-1].replace('""', '"') if len(text) > 2 and text[0] == text[-1] == '"' else ""
    if column and seen_fields(layer).lookupField(column) >= 0:
        return column
    for name in NAMES:
        if layer_kind(layer) == _KINDS[name] and _is(layer, name, text):
            return name
    over, middle, under = text.partition(") / (")
    if middle and over.startswith("(") and under.endswith(")"):
        names = name_of(layer, over[1:]), name_of(layer, under[:-1])
        return "{} / {}".format(*names) if all(names) else ""
    return ""


def _is(layer: QgsVectorLayer, name: str, text: str) -> bool:
    try:
        return expression(layer, name) == text
    except ToolError:  # the layer has no CRS or the project no ellipsoid, so the text is not this measure
        return False


def label(name: str) -> str:
    """A computed name as a legend title; other names as they are."""
    if ratio_parts(name) is not None:
        over, under = ratio_parts(name) or ("", "")
        return "{} / {}".format(label(over), label(under))
    if name == AREA:
        return str(translate("QgisAgent", "Area (km²)"))
    return str(translate("QgisAgent", "Length (m)")) if name == LENGTH else name


def _equal_area(crs: QgsCoordinateReferenceSystem) -> str:
    if crs.isGeographic() or crs.authid() in ("EPSG:3857", "EPSG:3395"):
        return _CYLINDRICAL
    return _NORTH if crs.bounds().center().y() >= 0 else _SOUTH


def _with_ellipsoid(project: QgsProject, factor: float) -> float:
    if project.ellipsoid() in ("", "NONE"):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The project has no ellipsoid, so this cannot be measured on the ground."),
            hint=translate("QgisAgent", "Choose an ellipsoid in Project > Properties > General (for example WGS 84)."),
            reason="no_ellipsoid",
        )
    return factor
