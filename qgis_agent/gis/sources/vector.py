"""Vector files: their layers, what is in one of them, and opening it on a worker thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from osgeo import gdal, ogr
from qgis.core import (
    Qgis,
    QgsFeatureRequest,
    QgsFeedback,
    QgsProviderRegistry,
    QgsRectangle,
    QgsVectorLayer,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QCoreApplication

from ..errors import AMBIGUOUS, NOT_FOUND, UPSTREAM_ERROR, ToolError, hint_for_name
from ..features import count_matching, feature_source, read_features
from ..gdal_calls import GdalReadError, attempt, each_feature
from ..gdal_calls import open_dataset as opened_again
from ..i18n import translate
from ..layers import clean_text
from ..paths import ReadableRoots
from .coordinates import Misplaced, needs_a_look
from .encodings import Guess, beside, guess
from .formats import SHEET_SUFFIXES, DataFile, layer_options, open_dataset, quiet_gdal, unreadable
from .shapefile_text import table_text

_NOT_DATA = ("layer_styles", "qgis_projects")
"""Tables that QGIS keeps in a GeoPackage: styles and projects."""
MAX_OPTIONS = 20


@dataclass(frozen=True)
class Part:
    """A layer of a file: its name, its kind of geometry in a word, and what QGIS's provider opens."""

    name: str
    geometry: str
    uri: str


@dataclass
class Opened:
    """A layer that is open and counted; made on a worker thread, owned by the main thread."""

    layer: QgsVectorLayer
    count: int
    extent: QgsRectangle
    style_left_out: bool
    encoding: Optional[Guess]
    without: int = 0
    """Features without a place, where they were looked at: of delimited text."""
    misplaced: Optional[Misplaced] = None


def sublayers(file: DataFile, dataset: Any, driver: str) -> List[Part]:
    """The layers of a file; one with mixed geometry counts once for each kind of geometry."""
    if layer_options(driver):  # QGIS's own query opens the file without them, and would write beside it
        layers = [dataset.GetLayer(index) for index in range(dataset.GetLayerCount())]
        return [_part_with_options(file, driver, each) for each in layers]
    metadata = QgsProviderRegistry.instance().providerMetadata("ogr")
    flags = Qgis.SublayerQueryFlags(Qgis.SublayerQueryFlag.ResolveGeometryType)
    found = metadata.querySublayers(file.opened_as, flags)
    return [
        Part(each.name(), geometry_word(each.wkbType()), each.uri())
        for each in found
        if each.name() not in _NOT_DATA and each.type() == Qgis.LayerType.Vector
    ]


def _part_with_options(file: DataFile, driver: str, layer: Any) -> Part:
    uri = "{}|layername={}{}".format(file.opened_as, layer.GetName(), layer_options(driver))
    return Part(layer.GetName(), ogr.GeometryTypeToName(layer.GetGeomType()), uri)


def sublayer_labels(found: List[Part]) -> List[str]:
    """A name for each, told apart by geometry where names are equal: "roads", "mixed (Point)"."""
    names = [clean_text(each.name, 80) for each in found]
    return [
        name if names.count(name) == 1 else "{} ({})".format(name, each.geometry) for name, each in zip(names, found)
    ]


def geometry_word(kind: Qgis.WkbType) -> str:
    """Point, LineString …, "none" for a table, "mixed" where it is not known."""
    if kind == Qgis.WkbType.NoGeometry:
        return "none"
    return "mixed" if kind == Qgis.WkbType.Unknown else QgsWkbTypes.displayString(kind)


def chosen(file_name: str, labels: List[str], wanted: Optional[str]) -> int:
    """Position of the wanted layer. AMBIGUOUS with all of them when there are several and none is named."""
    folded = [each.casefold() for each in labels]
    if wanted is not None and wanted.casefold() in folded:
        return folded.index(wanted.casefold())
    if wanted is not None:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "'{}' has no layer '{}'.").format(file_name, clean_text(wanted, 80)),
            hint=hint_for_name(wanted, labels, "sublayer"),
            reason="sublayer",
        )
    if not labels:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "'{}' has no layer with data.").format(file_name),
            hint=translate("QgisAgent", "Look into it with inspect_data_file."),
            reason="empty_file",
        )
    if len(labels) > 1:
        raise ToolError(
            AMBIGUOUS,
            (
                translate("QgisAgent", "'{}' has {} sheets.")
                if file_name.lower().endswith(SHEET_SUFFIXES)
                else translate("QgisAgent", "'{}' has {} layers.")
            ).format(file_name, len(labels)),
            hint=translate("QgisAgent", "Ask which one is meant, and give it as sublayer."),
            reason="sublayer",
            options=[{"sublayer": each, "label": each} for each in labels[:MAX_OPTIONS]],
        )
    return 0


def open_vector(
    file: DataFile, sublayer: Optional[str], encoding: str, roots: ReadableRoots, feedback: QgsFeedback
) -> Opened:
    """Open one layer of a file and count it, on a worker thread. The layer has none of the style stored with the file."""
    with quiet_gdal():
        dataset, driver = open_dataset(file, "vector", roots)
        found = sublayers(file, dataset, driver)
        del dataset  # closed: QGIS opens it again
        labels = sublayer_labels(found)
        part = found[chosen(file.name, labels, sublayer)]
        layer = _made(part.uri, clean_text(_plain_name(file, part, labels), 120), "ogr")
        if encoding:
            layer.setProviderEncoding(encoding)
        return counted(layer, has_style(file), table_encoding(file, feedback), feedback)


def _plain_name(file: DataFile, part: Part, labels: List[str]) -> str:
    """The layer's name in the file, or the file's where it has one layer of a name of the driver's making."""
    return part.name if len(labels) > 1 and part.name else file.name.rsplit(".", 1)[0]


def _made(uri: str, name: str, provider: str) -> QgsVectorLayer:
    options = QgsVectorLayer.LayerOptions()
    options.loadDefaultStyle = False
    options.skipCrsValidation = True  # or QGIS asks for a CRS with a dialog
    layer = QgsVectorLayer(uri, name, provider, options)
    if not layer.isValid():
        why = layer.dataProvider().error().summary() if layer.dataProvider() is not None else layer.error().summary()
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS cannot open '{}': {}").format(name, clean_text(why, 200) or "-"),
            hint=translate("QgisAgent", "Look into it with inspect_data_file."),
            reason="provider",
        )
    return layer


def open_delimited(uri: str, name: str, feedback: QgsFeedback) -> Opened:
    """Open a delimited text source on a worker thread."""
    return counted(_made(uri, name, "delimitedtext"), False, None, feedback)


def counted(layer: QgsVectorLayer, styled: bool, encoding: Optional[Guess], feedback: QgsFeedback) -> Opened:
    """Count the features and read the extent here, then hand the layer to the main thread.

    Of delimited text the features are counted with their geometry: rows whose place cannot be read are no features, but
    QGIS's provider gives them all the same when no geometry is asked for.
    """
    spatial = layer.isSpatial()
    opened = Opened(layer, 0, QgsRectangle(layer.extent()) if spatial else QgsRectangle(), styled, encoding)
    placed = spatial and layer.providerType() == "delimitedtext"
    if placed or needs_a_look(opened.extent, layer.crs()):
        _look_at_each(opened, feedback)
    if not placed:
        opened.count = count_matching(feature_source(layer), "", feedback)
    layer.moveToThread(QCoreApplication.instance().thread())
    return opened


def _look_at_each(opened: Opened, feedback: QgsFeedback) -> None:
    """Count the features with their geometry, and tell apart those in degrees that lie where there are none."""
    count = without = 0
    found = Misplaced()
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    for feature in read_features(feature_source(opened.layer), request, feedback):
        count += 1
        geometry = feature.geometry()
        if geometry.isEmpty():
            without += 1
        else:
            found.add(geometry.boundingBox())
    opened.count, opened.without = count, without
    if needs_a_look(opened.extent, opened.layer.crs()):
        opened.misplaced = found


def has_style(file: DataFile) -> bool:
    """Whether a style lies beside the file or in it, which is not taken over."""
    if not file.member and any(beside(file.path, each) is not None for each in (".qml", ".sld")):
        return True
    if file.suffix != ".gpkg":
        return False
    dataset, _ = opened_again(file.opened_as, gdal.OF_VECTOR, ["GPKG"], ["LIST_ALL_TABLES=YES"])
    styles = attempt(dataset.GetLayerByName, "layer_styles")[0] if dataset is not None else None
    return styles is not None and (attempt(styles.GetFeatureCount)[0] or 0) > 0


def table_encoding(file: DataFile, feedback: QgsFeedback) -> Optional[Guess]:
    """What the bytes of a shapefile's table say of its encoding; None for other formats, which state theirs."""
    text = table_text(file, feedback)
    return guess(text.pieces()) if text is not None else None


def described(
    file: DataFile, roots: ReadableRoots, sublayer: Optional[str], encoding: str, feedback: QgsFeedback
) -> Dict[str, Any]:
    """What is in a vector file: driver, layers, and of the chosen (or only) one its fields, CRS, extent, exact count.

    ``encoding`` is the one that a shapefile's text is read in; "" for other formats, and where it is not known.
    """
    with quiet_gdal():
        dataset, driver = open_dataset(file, "vector", roots)
        found = sublayers(file, dataset, driver)
        labels = sublayer_labels(found)
        data: Dict[str, Any] = {"driver": driver, "sublayers": []}
        data["sublayers"] = [{"sublayer": label, "geometry": each.geometry} for label, each in zip(labels, found)]
        if sublayer is None and len({each.name for each in found}) != 1:
            return data
        part = found[chosen(file.name, labels, sublayer)] if sublayer is not None else found[0]
        if encoding and driver == "ESRI Shapefile":  # QGIS switches GDAL's own recoding off
            again, _ = opened_again(file.opened_as, gdal.OF_VECTOR, [driver], ["ENCODING=" + encoding])
            dataset = dataset if again is None else again
        source = attempt(dataset.GetLayerByName, part.name)[0] or dataset.GetLayer(0)
        try:
            return dict(data, layer=_layer_facts(source, feedback))
        except GdalReadError as error:
            raise unreadable(file.name, clean_text(str(error), 200)) from error


def _layer_facts(source: Any, feedback: QgsFeedback) -> Dict[str, Any]:
    """Fields with a raw value, CRS as WKT, extent in its own coordinates, number of features counted one by one."""
    definition = source.GetLayerDefn()
    fields = [definition.GetFieldDefn(index) for index in range(definition.GetFieldCount())]
    first = next(each_feature(source), None)
    rows = []
    for index, each in enumerate(fields):
        row = {"name": clean_text(each.GetName(), 60), "type": each.GetTypeName().lower()}
        if first is not None and first.IsFieldSetAndNotNull(index):
            row["raw"] = clean_text(first.GetFieldAsString(index), 40)
        rows.append(row)
    count, box, misplaced = _counted_with_extent(source, feedback)
    system = source.GetSpatialRef()
    wkt = attempt(system.ExportToWkt)[0] or "" if system is not None else ""
    return {"fields": rows, "count": count, "box": box, "misplaced": misplaced, "wkt": wkt}


def _counted_with_extent(source: Any, feedback: QgsFeedback) -> Tuple[int, QgsRectangle, Misplaced]:
    source.ResetReading()
    count, box, misplaced = 0, QgsRectangle(), Misplaced()
    spatial = source.GetGeomType() != ogr.wkbNone
    for feature in each_feature(source):
        count += 1
        geometry = feature.GetGeometryRef() if spatial else None
        if geometry is not None and not geometry.IsEmpty():
            west, east, south, north = geometry.GetEnvelope()
            each = QgsRectangle(west, south, east, north, False)
            box.combineExtentWith(each)
            misplaced.add(each)
        if count % 1000 == 0 and feedback.isCanceled():
            break
    return count, box, misplaced
