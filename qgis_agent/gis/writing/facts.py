"""What was read from a layer and what is read from the file that was written of it: counts, sums, lengths of texts.

The file is read with GDAL alone, not with QGIS's writer or layers, so that a fault of those does not hide itself.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Set

from osgeo import gdal, ogr
from qgis.core import QgsFeedback, QgsRectangle, QgsVariantUtils, QgsVectorLayer

from ..conditions import Where
from ..drafts import not_written
from ..features import FeatureReader
from ..gdal_calls import GdalReadError, attempt, each_feature, open_dataset, thread_options
from ..i18n import translate
from ..layers import clean_text, field_type
from ..work import cancelled
from .formats import CODECS, Format, config_options, open_options

MAX_EXACT = 2**53
"""Whole numbers up to here are kept by a double."""


class Column:
    """Numbers about one column: values that are there, the sum of numbers, characters of texts that are not blanks."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.values = 0
        self.total = 0.0
        self.size = 0.0
        self.characters = 0

    def add(self, value: Any) -> None:
        """Take a value that is not NULL."""
        if self.kind in ("integer", "number"):
            number = float(value)
            if math.isfinite(number):
                self.values += 1
                self.total += number
                self.size += abs(number)
        else:
            text = "".join(str(value).split()) if self.kind == "text" else "?"
            self.values += bool(text)
            self.characters += len(text) if self.kind == "text" else 0


class Facts:
    """What a layer or a file holds. ``columns`` by position; ``first`` and ``last`` are the texts and numbers of a row.

    ``rounded``: by column, how many numbers have more decimals than their field is declared with. A layer in memory or a
    virtual field may hold such, and QGIS's writer rounds them without a word.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self.columns = [Column(each) for each in kinds]
        self.count = 0
        self.without_geometry = 0
        self.bytes = 0
        self.box = QgsRectangle()
        self.types: Set[int] = set()
        self.first: List[Any] = []
        self.last: List[Any] = []
        self.not_encoded: Dict[int, int] = {}
        self.long_numbers: Dict[int, int] = {}
        self.rounded: Dict[int, int] = {}
        self.infinite = 0


class FactsReader:
    """Reads the facts of a layer's features on a worker thread. Made on the main thread."""

    def __init__(
        self, layer: QgsVectorLayer, where: Where, ids: Optional[Sequence[int]], fields: Sequence[str], encoding: str
    ) -> None:
        self.reader = FeatureReader(layer, where, ids)
        self.fields = list(fields)
        self.positions = [layer.fields().indexOf(each) for each in fields]
        self.kinds = [field_type(layer.fields().at(each)) for each in self.positions]
        self._decimals = [layer.fields().at(each).precision() for each in self.positions]
        self._codec = CODECS[encoding]

    def read(self, feedback: QgsFeedback) -> Facts:
        """One pass over the features."""
        facts = Facts(self.kinds)
        for feature in self.reader.read(feedback, fields=self.fields, geometry=True):
            facts.count += 1
            if feature.hasGeometry():
                shape = feature.geometry().constGet()
                facts.types.add(int(shape.wkbType()))
                facts.bytes += shape.wkbSize()
                facts.box.combineExtentWith(shape.boundingBox())
            else:
                facts.without_geometry += 1
            values = [feature.attribute(each) for each in self.positions]
            self._take(facts, values)
            facts.last = values
            if facts.count == 1:
                facts.first = values
        facts.first, facts.last = (self._row(each) for each in (facts.first, facts.last))
        return facts

    def _take(self, facts: Facts, values: List[Any]) -> None:
        for index, value in enumerate(values):
            if value is None or QgsVariantUtils.isNull(value):
                continue
            facts.columns[index].add(value)
            if isinstance(value, str):
                facts.bytes += len(value)
                if self._codec != "utf-8" and not _fits_codec(value, self._codec):
                    facts.not_encoded[index] = facts.not_encoded.get(index, 0) + 1
                continue
            facts.bytes += 8
            if isinstance(value, int) and abs(value) > MAX_EXACT:
                facts.long_numbers[index] = facts.long_numbers.get(index, 0) + 1
            if not isinstance(value, float):
                continue
            if not math.isfinite(value):
                facts.infinite += 1
            elif self._decimals[index] > 0 and not _fits_decimals(value, self._decimals[index]):
                facts.rounded[index] = facts.rounded.get(index, 0) + 1

    def _row(self, values: List[Any]) -> List[Any]:
        return [_comparable(value, kind) for value, kind in zip(values, self.kinds)]


def _fits_decimals(number: float, decimals: int) -> bool:
    return math.isclose(round(number, decimals), number, rel_tol=1e-12)


def _fits_codec(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def _comparable(value: Any, kind: str) -> Any:
    """A value of a row as it can be compared with that of any format; None for what is written in many ways."""
    if value is None or QgsVariantUtils.isNull(value):
        return None
    if kind in ("integer", "number"):
        return float(value)
    return "".join(str(value).split()) or None if kind == "text" else None


class Written:
    """What a file holds: its facts, fields, geometry type and CRS."""

    def __init__(self, facts: Facts, fields: List[str], geometry_type: str, crs_wkt: str) -> None:
        self.facts = facts
        self.fields = fields
        self.geometry_type = geometry_type
        self.crs_wkt = crs_wkt


def read_file(
    path: Path, form: Format, names: Sequence[str], kinds: Sequence[str], encoding: str, feedback: QgsFeedback
) -> Optional[Written]:
    """The facts of a file that was just written, with the columns of these names; None when it cannot be opened. UPSTREAM_ERROR
    when it cannot be read to its end."""
    with thread_options(config_options(form.driver)):
        try:
            return _read(path, form, names, kinds, encoding, feedback)
        except GdalReadError as error:
            raise not_written(clean_text(str(error), 200)) from error


def _read(
    path: Path, form: Format, names: Sequence[str], kinds: Sequence[str], encoding: str, feedback: QgsFeedback
) -> Optional[Written]:
    options = open_options(form.driver, encoding)
    source, _ = open_dataset(str(path), gdal.OF_VECTOR, options=options)
    layer = None if source is None else _main_layer(source)
    if layer is None:
        return None
    definition = layer.GetLayerDefn()
    found = [definition.GetFieldDefn(each).GetName() for each in range(definition.GetFieldCount())]
    features = each_feature(layer)
    ours = form.driver == "CSV"  # the columns as we wrote them, after those of the shape, whatever they are called
    if ours:
        found = _header(next(features, None))
    if form.fields == "all" and len(found) + bool(layer.GetFIDColumn()) < len(names):
        raise not_written(translate("QgisAgent", "{} of {} fields were written.").format(len(found), len(names)))
    asked = _columns([] if ours else names, found, layer.GetFIDColumn()) if form.fields == "all" else []
    asked = list(range(len(found) - len(names), len(found))) if ours else asked
    as_wkt = ours and len(found) == len(names) + 1
    kinds = list(kinds)[: len(asked)]
    facts = Facts(kinds)
    for feature in features:
        if feedback.isCanceled():
            raise cancelled()
        facts.count += 1
        _take_geometry(facts, _shape_of(feature.GetFieldAsString(0)) if as_wkt else feature.GetGeometryRef())
        row = [_value(feature, index, kind) for index, kind in zip(asked, kinds)]
        for column, value in zip(facts.columns, row):
            if value is not None:
                column.add(value)
        facts.last = row
        if facts.count == 1:
            facts.first = row
    facts.first, facts.last = (
        [_comparable(value, kind) for value, kind in zip(row, kinds)] for row in (facts.first, facts.last)
    )
    srs = layer.GetSpatialRef()
    return Written(
        facts,
        [found[each] if each >= 0 else layer.GetFIDColumn() for each in asked if each < len(found)],
        ogr.GeometryTypeToName(ogr.wkbUnknown if as_wkt else layer.GetGeomType()),
        attempt(srs.ExportToWkt)[0] or "" if srs is not None else "",
    )


def _columns(names: Sequence[str], found: List[str], key: str) -> List[int]:
    """Where each column stands; -1 for the key of a GeoPackage, which is no field of it. A driver may change names (GML) and
    puts columns of its own first (WKT, X and Y, gml_id), so that what is not found by its name is counted from the end."""
    offset = len(found) - len(names)
    return [
        found.index(name) if name in found else -1 if name == key else max(0, position + offset)
        for position, name in enumerate(names)
    ]


def _header(feature: Any) -> List[str]:
    """The names in the first row of a CSV. GDAL does not read them as such: it would take each column called WKT for geometry,
    and lose the rows where it is none."""
    return [] if feature is None else [feature.GetFieldAsString(each) for each in range(feature.GetFieldCount())]


def _shape_of(text: str) -> Any:
    """A geometry from its text; None for none. GdalReadError where it is not one."""
    if not text:
        return None
    shape, reason = attempt(ogr.CreateGeometryFromWkt, text)
    if shape is None:
        raise GdalReadError(reason or text[:80])
    return shape


def _main_layer(source: Any) -> Any:
    """The first layer with features: a GPX has five, of which one is used."""
    layers = [source.GetLayer(index) for index in range(source.GetLayerCount())]
    return next((each for each in layers if attempt(each.GetFeatureCount)[0]), layers[0] if layers else None)


def _take_geometry(facts: Facts, shape: Any) -> None:
    if shape is None or shape.IsEmpty():
        facts.without_geometry += 1
        return
    west, east, south, north = shape.GetEnvelope()
    facts.box.combineExtentWith(QgsRectangle(west, south, east, north))


def _value(feature: Any, index: int, kind: str) -> Any:
    if index < 0:
        return feature.GetFID()
    if index >= feature.GetFieldCount() or not feature.IsFieldSetAndNotNull(index):
        return None
    if kind == "integer":
        text = feature.GetFieldAsString(index)
        return float(text) if text else None
    if kind == "number":
        text = feature.GetFieldAsString(index) if feature.GetFieldDefnRef(index).GetType() == ogr.OFTString else None
        return feature.GetFieldAsDouble(index) if text is None else float(text) if text else None
    text = feature.GetFieldAsString(index)
    return text if text or kind == "text" else None  # a CSV has no other NULL


def differences(
    before: Facts, after: Facts, names: Sequence[str], form: Format, lossy: Set[str], *, shapes: bool, moved: bool
) -> List[str]:
    """What a file does not hold as the layer does; empty when all agrees. ``lossy``: fields of which losses were shown
    beforehand. ``shapes``: the file has geometry; ``moved``: coordinates were converted, so that boxes differ."""
    found: List[str] = []
    splits = form.driver == "DXF" and after.count > before.count  # it has no multipart shapes
    if after.count != before.count and not splits:
        return [translate("QgisAgent", "{} of {} features were written.").format(after.count, before.count)]
    if shapes and form.fields != "few" and after.without_geometry != before.without_geometry:
        text = translate("QgisAgent", "{} features have no geometry, {} before.")
        found.append(text.format(after.without_geometry, before.without_geometry))
    boxes = shapes and not moved and not before.box.isNull() and not after.box.isNull()
    if boxes and not _near(before.box, after.box, form.grid):
        found.append(translate("QgisAgent", "the extent is another one"))
    for name, old, new in zip(names, before.columns, after.columns):
        if name not in lossy and not _same(old, new):
            found.append(translate("QgisAgent", "the values of '{}' differ").format(clean_text(name, 60)))
    if form.ordered and not found and not lossy and after.columns and not _same_rows(before, after):
        found.append(translate("QgisAgent", "the first or the last row differs"))
    return found


def _near(one: QgsRectangle, other: QgsRectangle, grid: float) -> bool:
    room = max(
        grid, 2e-7, 1e-9 * max(abs(each) for each in (one.xMinimum(), one.xMaximum(), one.yMinimum(), one.yMaximum()))
    )
    pairs = zip(
        (one.xMinimum(), one.yMinimum(), one.xMaximum(), one.yMaximum()),
        (other.xMinimum(), other.yMinimum(), other.xMaximum(), other.yMaximum()),
    )
    return all(abs(first - second) <= room for first, second in pairs)


def _same(old: Column, new: Column) -> bool:
    close = abs(old.total - new.total) <= 1e-9 * max(old.size, new.size)
    return old.values == new.values and old.characters == new.characters and close


def _same_rows(before: Facts, after: Facts) -> bool:
    pairs = list(zip(before.first + before.last, after.first + after.last))
    return all(
        old == new
        or (isinstance(old, float) and isinstance(new, float) and math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-15))
        for old, new in pairs
    )
