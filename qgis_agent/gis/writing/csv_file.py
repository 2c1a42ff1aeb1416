"""Writing features as a CSV (RFC 4180): texts in quotes, numbers bare, so that "007" stays a text and 7 a number.

GDAL before 3.7 puts whole numbers in quotes as well, and QGIS's writer rounds numbers to the decimals that a field is
declared with; here every number has the digits that it needs to be read as the same one.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence

from osgeo import ogr
from qgis.core import (
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsFeedback,
    QgsGeometry,
    QgsVariantUtils,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ..features import FeatureReader, json_value
from ..gdal_calls import attempt
from ..i18n import translate
from ..layers import clean_text
from .formats import has_shapes
from .vector import Wish, export_names, failed


class CsvWriter:
    """Writes the features that are wanted on a worker thread. Made on the main thread."""

    def __init__(
        self,
        layer: QgsVectorLayer,
        path: Path,
        wish: Wish,
        ids: Optional[Sequence[int]],
        context: QgsCoordinateTransformContext,
    ) -> None:
        self._reader = FeatureReader(layer, wish.where, ids)
        self._names = list(wish.fields)
        self._called = export_names(wish)
        self._path = str(path)
        moves = has_shapes(layer) and layer.crs() != wish.crs
        self._transform = QgsCoordinateTransform(layer.crs(), wish.crs, context) if moves else None
        self._shape = wish.geometry if has_shapes(layer) else "none"
        self._columns: List[str] = {"wkt": ["WKT"], "xy": ["X", "Y"], "none": []}[self._shape]
        if self._shape == "xy" and QgsWkbTypes.hasZ(layer.wkbType()):
            self._columns.append("Z")

    def write(self, feedback: QgsFeedback) -> bool:
        """True. UPSTREAM_ERROR when the file cannot be written or a shape not be converted."""
        positions = [self._reader.position(each) for each in self._names]
        shape = {"wkt": self._wkt, "xy": self._place, "none": lambda _geometry: []}[self._shape]
        try:
            with open(self._path, "x", encoding="utf-8", newline="") as file:
                file.write(_row([_quoted(each) for each in (*self._columns, *self._called)]))
                for feature in self._reader.read(feedback, fields=self._names, geometry=self._shape != "none"):
                    cells = self._cells(shape, feature.geometry())
                    cells += [cell(feature.attribute(each)) for each in positions]
                    file.write(_row(cells))
        except (OSError, UnicodeEncodeError) as error:
            raise failed(clean_text(str(getattr(error, "strerror", "") or error), 200)) from error
        except QgsCsException as error:
            text = translate("QgisAgent", "a place cannot be converted into {}").format(self._transform_name())
            raise failed("{}: {}".format(text, clean_text(str(error), 160))) from error
        return True

    def _transform_name(self) -> str:
        return "-" if self._transform is None else str(self._transform.destinationCrs().authid())

    def _cells(self, shape: Callable[[QgsGeometry], List[str]], geometry: QgsGeometry) -> List[str]:
        if geometry.isNull() or geometry.isEmpty():
            return [""] * len(self._columns)
        if self._transform is not None:
            geometry.transform(self._transform)
        return shape(geometry)

    @staticmethod
    def _wkt(geometry: QgsGeometry) -> List[str]:
        """GDAL's text has the digits that a coordinate needs and no more; curves as lines with many points."""
        shape = geometry.constGet()
        straight = shape.segmentize() if QgsWkbTypes.isCurvedType(shape.wkbType()) else shape
        made, reason = attempt(ogr.CreateGeometryFromWkb, bytes(straight.asWkb()))
        text, reason = attempt(made.ExportToIsoWkt) if made is not None else (None, reason)
        if text is None:
            raise failed(clean_text(reason, 200) or "-")
        return [_quoted(text)]

    def _place(self, geometry: QgsGeometry) -> List[str]:
        point = geometry.constGet()
        return [repr(each) for each in (point.x(), point.y(), *([point.z()] if "Z" in self._columns else []))]


def cell(value: Any) -> str:
    """A value as it stands in the file: NULL as nothing, a text in quotes, lists and maps as JSON."""
    if value is None or QgsVariantUtils.isNull(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else repr(value)
    if isinstance(value, str):
        return _quoted(value)
    plain = json_value(value, len(str(value)))
    return _quoted(plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False))


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))


def _row(cells: Sequence[str]) -> str:
    return ",".join(cells) + "\r\n"
