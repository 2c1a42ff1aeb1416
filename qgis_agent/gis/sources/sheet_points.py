"""Points of a sheet or .dbf: a temporary copy of its rows with geometry, because QGIS makes no points of such a table itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsFields,
    QgsGeometry,
    QgsMemoryProviderUtils,
    QgsPointXY,
    QgsRectangle,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QCoreApplication

from ..errors import UPSTREAM_ERROR, ToolError
from ..features import json_value, read_features
from ..i18n import translate
from ..layers import clean_text
from .columns import Column, coordinate_of
from .coordinates import Misplaced, needs_a_look
from .table_place import odd_example, require_numbers


@dataclass
class SheetPoints:
    """A memory layer with all rows of a table, owned by the main thread; ``without`` rows have no place."""

    layer: QgsVectorLayer
    count: int
    without: int
    odd: Optional[str]
    extent: QgsRectangle
    misplaced: Optional[Misplaced]


def made(
    source: QgsVectorLayerFeatureSource,
    fields: QgsFields,
    place: Dict[str, str],
    comma: bool,
    name: str,
    feedback: QgsFeedback,
) -> SheetPoints:
    """The copy, made on a worker thread. INVALID_PARAM where the named columns hold no coordinates."""
    columns = [Column(place[key]) for key in ("x_field", "y_field") if key in place]
    rows: List[Tuple[List[Any], Optional[QgsGeometry]]] = []
    positions = [fields.lookupField(place[key]) for key in ("x_field", "y_field", "wkt_field") if key in place]
    for feature in read_features(source, QgsFeatureRequest(), feedback):
        values = feature.attributes()
        cells = [values[each] for each in positions]
        rows.append((values, _point(columns, cells, comma) if columns else _shape(_text(cells[0]))))
    require_numbers(columns, place)
    kind = next((geometry.wkbType() for _, geometry in rows if geometry is not None), Qgis.WkbType.Point)
    return _filled(rows, fields, kind if columns else QgsWkbTypes.multiType(kind), place, name, odd_example(columns))


def _text(value: Any) -> str:
    """A cell as text, a number as Python writes it; "" for NULL."""
    plain = json_value(value)
    return "" if plain is None else str(value)


def _point(columns: List[Column], cells: List[Any], comma: bool) -> Optional[QgsGeometry]:
    numbers = [_number(each, comma) for each in cells]
    for column, cell, number in zip(columns, cells, numbers):
        column.watch(_text(cell), number is not None)
    x, y = numbers
    return None if x is None or y is None else QgsGeometry.fromPointXY(QgsPointXY(x, y))


def _number(cell: Any, comma: bool) -> Optional[float]:
    if isinstance(cell, (int, float)):
        return float(cell) if math.isfinite(cell) else None
    return coordinate_of(_text(cell), comma)


def _shape(text: str) -> Optional[QgsGeometry]:
    geometry = QgsGeometry.fromWkt(text) if text else QgsGeometry()
    return None if geometry.isEmpty() or geometry.type() == Qgis.GeometryType.Unknown else geometry


def _filled(
    rows: List[Tuple[List[Any], Optional[QgsGeometry]]],
    fields: QgsFields,
    kind: Qgis.WkbType,
    place: Dict[str, str],
    name: str,
    odd: Optional[str],
) -> SheetPoints:
    crs = QgsCoordinateReferenceSystem(place["crs"]) if place.get("crs") else QgsCoordinateReferenceSystem()
    layer = QgsMemoryProviderUtils.createMemoryLayer(name, fields, kind, crs, False)
    features, without, found, box = [], 0, Misplaced(), QgsRectangle()
    for values, geometry in rows:
        feature = QgsFeature(layer.fields())
        feature.setAttributes(values)
        fitting = geometry.coerceToType(kind) if geometry is not None else []
        if len(fitting) == 1:
            feature.setGeometry(fitting[0])
            box.combineExtentWith(fitting[0].boundingBox())
            found.add(fitting[0].boundingBox())
        else:
            without += 1
        features.append(feature)
    taken, _ = layer.dataProvider().addFeatures(features)
    if not taken or layer.featureCount() != len(rows):  # a memory layer counts what it holds
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take all features: {}").format(
                clean_text("; ".join(layer.dataProvider().errors()), 200)
            ),
            hint=translate("QgisAgent", "Add the table without coordinates, and look at its rows."),
            reason="features",
        )
    layer.updateExtents()
    layer.moveToThread(QCoreApplication.instance().thread())
    return SheetPoints(layer, len(rows), without, odd, box, found if needs_a_look(box, crs) else None)
