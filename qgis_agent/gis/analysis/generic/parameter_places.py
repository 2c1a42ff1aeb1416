"""Parameters that are places: CRSs, extents, points, geometries.

A list of numbers is in degrees (EPSG:4326), as everywhere in our tools; another CRS is named beside it.
"""

from __future__ import annotations

import math
import re
from typing import Any, List, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingParameterDefinition,
    QgsRectangle,
    QgsReferencedPointXY,
    QgsReferencedRectangle,
)

from ...errors import ToolError
from ...extents import (
    WGS84,
    checked_box,
)
from ...i18n import translate
from .parameter_errors import (
    bad,
    shown,
)
from .parameters import (
    Reader,
    Source,
)

Definition = QgsProcessingParameterDefinition
_NUMBER = r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*"
_CRS_TEXT = r"(?:\[([A-Za-z]+:\d+)\])?\s*"
_EXTENT = re.compile("^{0},{0},{0},{0}{1}$".format(_NUMBER, _CRS_TEXT))
_POINT = re.compile(r"^\(?{0},{0}{1}\)?$".format(_NUMBER, _CRS_TEXT))
_AUTHID = re.compile(r"^[A-Za-z]{2,12}:\w{1,20}$")
MAX_WKT = 20_000


def crs_of(name: str, text: Any) -> QgsCoordinateReferenceSystem:
    """A CRS by its id ("EPSG:3857"). INVALID_PARAM for any other text: no WKT, no PROJ string, which name files."""
    crs = QgsCoordinateReferenceSystem(text) if isinstance(text, str) and _AUTHID.match(text) else None
    if crs is None or not crs.isValid():
        raise bad(
            name,
            translate("QgisAgent", "{} is no CRS.").format(shown(text)),
            translate("QgisAgent", "Give an id such as EPSG:4326 or EPSG:32650."),
        )
    return crs


def read_crs(reader: Reader, definition: Definition, value: Any) -> Any:
    """A CRS by id, "project" for the project's, or that of a layer by its alias."""
    if value == "":
        return QgsCoordinateReferenceSystem()
    if isinstance(value, str) and value.lower() in ("project", "projectcrs"):
        return reader.call.host.project.crs()
    layer = reader.call.host.layers.by_alias(value) if isinstance(value, str) else None
    return layer.crs() if layer is not None else crs_of(definition.name(), value)


def _numbers(value: Any, count: int) -> List[float]:
    good = isinstance(value, list) and len(value) == count
    if good and all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in value):
        found = [float(each) for each in value]
        return found if all(math.isfinite(each) for each in found) else []
    return []


def read_extent(reader: Reader, definition: Definition, value: Any) -> Any:
    """A box: see ``parameters``. A layer's alias stands for the layer's extent."""
    name = definition.name()
    if isinstance(value, str) and _EXTENT.match(value):
        crs_text = _EXTENT.match(value).group(1)  # type: ignore[union-attr]
        if crs_text:
            crs_of(name, crs_text)
        return value
    if isinstance(value, str):
        layer = reader.call.host.layers.by_alias(value)
        if layer is None:
            raise _no_extent(name)
        reader.add_source(Source(name, value, layer))
        return layer
    given, crs = _placed(name, value, "bbox")
    box = _numbers(given, 4)
    if not box:
        raise _no_extent(name)
    if crs is None:
        west, south, east, north = checked_box(box)
        return QgsReferencedRectangle(QgsRectangle(west, south, east, north), QgsCoordinateReferenceSystem(WGS84))
    if box[0] > box[2] or box[1] > box[3]:
        raise _no_extent(name)
    return QgsReferencedRectangle(QgsRectangle(*box), crs)


def _placed(name: str, value: Any, key: str) -> Tuple[Any, Any]:
    """The numbers and the CRS of {key: numbers, "crs": id}; the CRS is None for numbers alone."""
    if isinstance(value, dict) and set(value) <= {key, "crs"} and key in value:
        return value[key], crs_of(name, value["crs"]) if "crs" in value else None
    return value, None


def _no_extent(name: str) -> ToolError:
    return bad(
        name,
        translate("QgisAgent", "is no extent."),
        translate(
            "QgisAgent",
            '[west, south, east, north] in degrees, {"bbox": [xmin, ymin, xmax, ymax], "crs": "EPSG:3857"}, or a layer\'s alias.',
        ),
    )


def read_point(definition: Definition, value: Any) -> Any:
    """A place: see ``parameters``."""
    name = definition.name()
    if isinstance(value, str) and _POINT.match(value):
        crs_text = _POINT.match(value).group(1)  # type: ignore[union-attr]
        if crs_text:
            crs_of(name, crs_text)
        return value
    given, crs = _placed(name, value, "point")
    point = _numbers(given, 2)
    if not point or (crs is None and not (-180 <= point[0] <= 360 and -90 <= point[1] <= 90)):
        raise bad(
            name,
            translate("QgisAgent", "is no point."),
            translate("QgisAgent", '[lon, lat] in degrees, or {"point": [x, y], "crs": "EPSG:3857"}.'),
        )
    return QgsReferencedPointXY(QgsPointXY(*point), crs or QgsCoordinateReferenceSystem(WGS84))


def read_geometry(definition: Definition, value: Any) -> str:
    """A geometry as WKT, valid and finite."""
    text = value if isinstance(value, str) and len(value) <= MAX_WKT else ""
    geometry = QgsGeometry.fromWkt(text)
    if geometry.isNull() or geometry.isEmpty() or not geometry.boundingBox().isFinite() or not geometry.isGeosValid():
        raise bad(
            definition.name(),
            translate("QgisAgent", "is no valid geometry."),
            translate("QgisAgent", "Give WKT, for example POINT(116.4 39.9)."),
        )
    return text
