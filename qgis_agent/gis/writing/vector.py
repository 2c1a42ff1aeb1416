"""Writing the features of a layer to a new file: with QGIS's own writer task, or one by one where conditions choose them or
that task would round numbers. A CSV has a writer of its own, ``csv_file.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List, NamedTuple, Optional, Sequence

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsFeature,
    QgsFeatureSink,
    QgsFeedback,
    QgsFields,
    QgsVectorFileWriter,
    QgsVectorFileWriterTask,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ..conditions import Where
from ..drafts import not_written
from ..errors import ToolError
from ..features import FeatureReader
from ..i18n import translate
from ..layers import clean_text
from ..work import Done, hold, release
from .formats import GEOJSON_DECIMALS, Format, file_names, has_shapes


class Wish(NamedTuple):
    """What is to be written. ``geometry``: "wkt", "xy" or "none", for a CSV. ``where`` and ``ids`` choose the features."""

    form: Format
    name: str
    target: Path
    crs: QgsCoordinateReferenceSystem
    fields: Sequence[str]
    layer_name: str
    encoding: str = "UTF-8"
    geometry: str = "wkt"
    where: Where = ()
    selected_only: bool = False


def failed(why: str) -> ToolError:
    """The error of an export."""
    return not_written(why, translate("QgisAgent", "Try another format (GPKG keeps most) or another folder."))


def export_names(wish: Wish) -> List[str]:
    """The names of the fields in the file."""
    return file_names(wish.name, wish.fields)


def save_options(layer: QgsVectorLayer, wish: Wish, holes: bool) -> QgsVectorFileWriter.SaveVectorOptions:
    """The writer's options. ``holes``: some features have no geometry, which a FlatGeobuf with an index refuses."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = wish.form.driver
    options.fileEncoding = wish.encoding
    options.layerName = wish.layer_name
    options.onlySelectedFeatures = wish.selected_only
    options.actionOnExistingFile = QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteFile
    fields = layer.fields()
    options.attributes = [fields.indexOf(each) for each in wish.fields]
    options.attributesExportNames = export_names(wish)
    options.skipAttributeCreation = wish.form.fields == "none" or not wish.fields
    if not wish.form.geometry:
        options.overrideGeometryType = QgsWkbTypes.Type.NoGeometry
    options.layerOptions = _layer_options(layer, wish, holes)
    options.datasourceOptions = {"GPX": ["GPX_USE_EXTENSIONS=YES"], "GML": ["FORMAT=GML3.2"]}.get(wish.name, [])
    return options


def _layer_options(layer: QgsVectorLayer, wish: Wish, holes: bool) -> List[str]:
    if wish.name == "GPKG":
        return _fid_option(layer, wish.fields) + _shape_option(layer)
    return {
        "GeoJSON": ["RFC7946=YES", "COORDINATE_PRECISION={}".format(GEOJSON_DECIMALS)],
        "FlatGeobuf": ["SPATIAL_INDEX=NO" if holes or not has_shapes(layer) else "SPATIAL_INDEX=YES"],
        "GPX": ["FORCE_GPX_TRACK=YES"],
    }.get(wish.name, [])


def _fid_option(layer: QgsVectorLayer, chosen: Sequence[str]) -> List[str]:
    """A GeoPackage's key is called "fid", and an attribute of that name would have to be one: then the key gets another."""
    names = [each.name().lower() for each in layer.fields()]
    keys = [names[index] for index in layer.primaryKeyAttributes()]
    if "fid" not in [each.lower() for each in chosen] or "fid" in keys:
        return []
    number = 1
    while "fid_{}".format(number) in names:
        number += 1
    return ["FID=fid_{}".format(number)]


def _shape_option(layer: QgsVectorLayer) -> List[str]:
    """A GeoPackage's shapes stand in a column "geom": another one where a field is called so."""
    names = [each.name().lower() for each in layer.fields()]
    if not has_shapes(layer) or "geom" not in names:
        return []
    number = 1
    while "geom_{}".format(number) in names:
        number += 1
    return ["GEOMETRY_NAME=geom_{}".format(number)]


class TaskStep:
    """Writes a layer with QGIS's own writer task; gives True or raises what the writer said."""

    def __init__(
        self, layer: QgsVectorLayer, path: Path, wish: Wish, holes: bool, context: QgsCoordinateTransformContext
    ) -> None:
        options = save_options(layer, wish, holes)
        options.ct = QgsCoordinateTransform(layer.crs(), wish.crs, context)
        self._task = QgsVectorFileWriterTask(layer, str(path), options)
        self._done: Done = lambda _result, _error: None

    def start(self, feedback: Any, done: Done) -> None:
        """See Step. The task tells by these two signals on the main thread, when it has finished."""
        self._done = done
        self._task.writeComplete.connect(self._written)
        self._task.errorOccurred.connect(self._failed)
        feedback.canceled.connect(self._task.cancel)
        hold(self)
        QgsApplication.taskManager().addTask(self._task)

    def _written(self, _path: str) -> None:
        release(self)
        self._done(True, None)

    def _failed(self, _code: int, message: str) -> None:
        release(self)
        self._done(None, failed(clean_text(message, 300) or translate("QgisAgent", "The writer gave no reason.")))


class ChosenWriter:
    """Writes the features that conditions choose, on a worker thread. Made on the main thread."""

    def __init__(
        self,
        layer: QgsVectorLayer,
        path: Path,
        wish: Wish,
        ids: Optional[Sequence[int]],
        holes: bool,
        context: QgsCoordinateTransformContext,
    ) -> None:
        self._reader = FeatureReader(layer, wish.where, ids)
        self._names = list(wish.fields)
        self._path = str(path)
        self._crs = wish.crs
        self._context = context
        self._options = save_options(layer, wish, holes)
        self._options.attributes = []  # the features below have the chosen fields only
        self._options.attributesExportNames = []
        self._fields = _chosen_fields(layer, wish)
        without = self._options.overrideGeometryType == QgsWkbTypes.Type.NoGeometry
        self._kind = QgsWkbTypes.Type.NoGeometry if without else layer.wkbType()
        moves = has_shapes(layer) and layer.crs() != wish.crs
        self._transform = QgsCoordinateTransform(layer.crs(), wish.crs, context) if moves else None

    def write(self, feedback: QgsFeedback) -> bool:
        """True, or the error that the writer said."""
        writer = QgsVectorFileWriter.create(
            self._path, self._fields, self._kind, self._crs, self._context, self._options
        )
        try:
            self._check(writer)
            positions = [self._reader.position(each) for each in self._names]
            for feature in self._reader.read(feedback, fields=self._names, geometry=True):
                made = QgsFeature(self._fields)
                made.setAttributes([feature.attribute(each) for each in positions])
                geometry = feature.geometry()
                if self._transform is not None and not geometry.isNull():
                    geometry.transform(self._transform)
                if self._kind != QgsWkbTypes.Type.NoGeometry:
                    made.setGeometry(geometry)
                if not writer.addFeature(made, QgsFeatureSink.Flag.FastInsert):
                    self._check(writer)
            writer.flushBuffer()
            self._check(writer)
        finally:
            del writer  # closes the file, on this thread
        return True

    @staticmethod
    def _check(writer: QgsVectorFileWriter) -> None:
        if writer.hasError() != QgsVectorFileWriter.WriterError.NoError:
            raise failed(clean_text(writer.errorMessage(), 300) or translate("QgisAgent", "The writer gave no reason."))


def _chosen_fields(layer: QgsVectorLayer, wish: Wish) -> QgsFields:
    fields = QgsFields()
    for name, called in zip(wish.fields, export_names(wish)):
        field = layer.fields().at(layer.fields().indexOf(name))
        field.setName(called)
        if wish.name != "ESRI Shapefile" and field.isNumeric() and field.precision() > 0:
            field.setLength(0)  # else numbers are rounded to the decimals that the field is declared with
            field.setPrecision(0)
        fields.append(field)
    return fields
