"""Points of a layer as arrays: by GDAL's column batches where the layer is a plain file, else feature by feature."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from osgeo import gdal, ogr
from qgis.core import (
    QgsFeatureRequest,
    QgsFeatureSource,
    QgsFeedback,
    QgsFields,
    QgsProviderRegistry,
    QgsVariantUtils,
    QgsVectorLayer,
)

from ...gdal_calls import attempt, last_error, open_dataset

_PLAIN_FILES = ("GPKG", "FlatGeobuf", "ESRI Shapefile")
_BATCH = 16_384
_POINT_BYTES = {21: (1,), 29: (1001, 2001, 0x80000001), 37: (3001,)}
"""Size and type numbers of a point in WKB: plain, with Z or M, with both."""
_CHECK_EVERY = 1000


class ArrowPlace(NamedTuple):
    """A file that can be read in columns: path, layer in it, and its fields by QGIS's names."""

    path: str
    layer: str


class Points(NamedTuple):
    """Coordinates (n, 2) in the layer's CRS; the feature of each point as a row number; numbers by field, NaN for NULL;
    features read, without a geometry, with several points."""

    places: Any
    owners: Any
    values: Dict[str, Any]
    rows: int
    without_geometry: int
    multipart: int


def arrow_place(layer: Any) -> Optional[ArrowPlace]:
    """Where to read the layer past QGIS; None where QGIS adds something: a filter, edits, joins, virtual fields. Main thread.

    Only of formats in which GDAL and QGIS have the same features.
    """
    if not isinstance(layer, QgsVectorLayer) or layer.providerType() != "ogr" or layer.subsetString():
        return None
    if layer.isEditable() or layer.dataProvider().storageType() not in _PLAIN_FILES:
        return None
    origins = {layer.fields().fieldOrigin(each) for each in range(layer.fields().count())}
    if origins - {_provider_origin()}:
        return None
    parts = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
    known = {"path", "layerName", "layerId"}
    if any(value for key, value in parts.items() if key not in known):
        return None
    path = str(parts.get("path") or "")
    return None if path.startswith("/vsi") else ArrowPlace(path, str(parts.get("layerName") or ""))


def _provider_origin() -> Any:
    """QgsFields.OriginProvider, which newer QGIS call Qgis.FieldOrigin.Provider."""
    origin = getattr(QgsFields, "FieldOrigin", None)
    return getattr(origin, "Provider", None) or getattr(origin, "OriginProvider", QgsFields.OriginProvider)


def read_arrow(place: ArrowPlace, fields: Sequence[str], feedback: QgsFeedback) -> Optional[Points]:
    """The points of a file on a worker thread, in batches; None where they are no single points, GDAL is too old, or cannot
    read the file to its end: then QGIS's own reading finds out and says so."""
    dataset, _ = open_dataset(place.path, gdal.OF_VECTOR)
    if dataset is None or not hasattr(ogr.Layer, "GetArrowStreamAsNumPy"):
        return None
    layer, _ = attempt(dataset.GetLayerByName, place.layer) if place.layer else attempt(dataset.GetLayer, 0)
    if layer is None:
        return None
    found, reason = attempt(_columns_of, layer, fields, feedback)
    return None if reason else found


def _columns_of(layer: Any, fields: Sequence[str], feedback: QgsFeedback) -> Optional[Points]:
    definition = layer.GetLayerDefn()
    names = [definition.GetFieldDefn(each).GetName() for each in range(definition.GetFieldCount())]
    key = layer.GetFIDColumn()
    if any(each not in names and each != key for each in fields):
        return None
    layer.SetIgnoredFields([each for each in names if each not in fields])
    options = ["MAX_FEATURES_IN_BATCH={}".format(_BATCH), "USE_MASKED_ARRAYS=YES"]
    stream = layer.GetArrowStreamAsNumPy(options=options)
    return _batches(stream, layer.GetGeometryColumn() or "wkb_geometry", fields, feedback)


def _batches(stream: Any, geometry: str, fields: Sequence[str], feedback: QgsFeedback) -> Optional[Points]:
    places: List[Any] = []
    owners: List[Any] = []
    values: Dict[str, List[Any]] = {each: [] for each in fields}
    rows = 0
    for batch in stream:
        if feedback.isCanceled() or last_error():  # without exceptions a stream that cannot read on never ends
            return None
        column = batch.get(geometry)
        if column is None:
            return None
        missing = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
        found = _coordinates(np.ma.getdata(column), missing)
        if found is None:
            return None
        present = np.arange(len(column)) if missing is None else np.flatnonzero(~missing)
        places.append(found)
        owners.append(present + rows)
        for name in fields:
            values[name].append(_numbers(batch[name]))
        rows += len(column)
    joined = np.concatenate(places) if places else np.empty((0, 2))
    belongs = np.concatenate(owners) if owners else np.empty(0, dtype=int)
    empty = np.isnan(joined).any(axis=1)
    joined, belongs = joined[~empty], belongs[~empty]
    columns = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in values.items()}
    return Points(joined, belongs, columns, rows, rows - len(joined), 0)


def _coordinates(column: Any, missing: Optional[Any]) -> Optional[Any]:
    """Coordinates of points in WKB, empty ones as NaN; None for anything else."""
    present = column if missing is None else column[~missing]
    if present.dtype.kind == "V":
        return _unpacked(np.ascontiguousarray(present).tobytes(), present.dtype.itemsize)
    if present.dtype.kind != "O":
        return None
    sizes = np.fromiter((len(each) for each in present), dtype=np.int64, count=len(present))
    places = np.full((len(present), 2), np.nan)
    for size in np.unique(sizes).tolist():  # an empty point has no Z, so there may be two sizes
        chosen = np.flatnonzero(sizes == size)
        found = _unpacked(b"".join(present[chosen].tolist()), size)
        if found is None:
            return None
        places[chosen] = found
    return places


def _unpacked(packed: bytes, size: int) -> Optional[Any]:
    """Points of one size in WKB, one behind the other."""
    if size not in _POINT_BYTES:
        return None
    fields = [("order", "u1"), ("type", "<u4"), ("place", "<f8", (2,)), ("rest", "u1", (size - 21,))]
    points = np.frombuffer(packed, dtype=np.dtype(fields))
    if (points["order"] != 1).any() or not np.isin(points["type"], _POINT_BYTES[size]).all():
        return None
    return points["place"].copy()


def _numbers(column: Any) -> Any:
    filled = np.ma.getdata(column).astype(float)
    if isinstance(column, np.ma.MaskedArray):
        filled[np.ma.getmaskarray(column)] = np.nan
    return filled


def read_source(source: QgsFeatureSource, fields: Sequence[str], feedback: QgsFeedback) -> Points:
    """The points of any source, on a worker thread. Each point of a multipoint is one."""
    positions = [(name, source.fields().lookupField(name)) for name in fields]
    request = QgsFeatureRequest().setSubsetOfAttributes([position for _, position in positions])
    places: List[Tuple[float, float]] = []
    owners: List[int] = []
    values: Dict[str, List[float]] = {each: [] for each in fields}
    rows = without = multipart = 0
    for feature in source.getFeatures(request):
        if not rows % _CHECK_EVERY and feedback.isCanceled():
            break
        geometry = feature.geometry()
        if geometry.isNull() or geometry.isEmpty():
            without += 1
        elif geometry.isMultipart():
            points = geometry.asMultiPoint()
            multipart += len(points) > 1
            places += [(each.x(), each.y()) for each in points]
            owners += [rows] * len(points)
        else:
            point = geometry.asPoint()
            places.append((point.x(), point.y()))
            owners.append(rows)
        for name, position in positions:
            value = feature[position]
            known = isinstance(value, (int, float)) or not QgsVariantUtils.isNull(value)
            values[name].append(float(value) if known else float("nan"))
        rows += 1
    joined = np.array(places, dtype=float) if places else np.empty((0, 2))
    columns = {name: np.array(each, dtype=float) for name, each in values.items()}
    return Points(joined, np.array(owners, dtype=int), columns, rows, without, multipart)
