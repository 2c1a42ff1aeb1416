"""What a layer is, for an analyst: facts that cost nothing, and what a survey of its features adds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List

from qgis.core import (
    Qgis,
    QgsFeedback,
    QgsMapLayer,
    QgsProviderRegistry,
    QgsRasterLayer,
    QgsUnitTypes,
    QgsVectorLayer,
)

from .extents import WGS84
from .i18n import translate
from .layers import clean_text, field_type, file_of, layer_kind
from .scope import hidden_fields, seen_field
from .scope_looks import filter_text, hides_look, outside
from .survey import Survey
from .temporary import is_temporary

if TYPE_CHECKING:
    from .host import Host

_TYPES = {
    "Vector": "vector",
    "Raster": "raster",
    "Plugin": "plugin",
    "Mesh": "mesh",
    "VectorTile": "vector_tiles",
    "Annotation": "annotation",
    "PointCloud": "point_cloud",
    "Group": "group",
    "TiledScene": "tiled_scene",
}
_ORIGINS = {Qgis.FieldOrigin.Join: "joined", Qgis.FieldOrigin.Expression: "virtual", Qgis.FieldOrigin.Edit: "unsaved"}
_STYLED_BY = ("classAttribute", "sourceColumn", "weightExpression")
MANY_FIELDS = 25
"""From so many fields on all their names are listed once more, short: the list of fields itself may be cut."""


def facts(host: Host, layer: QgsMapLayer) -> Dict[str, Any]:
    """What is known of any kind of layer without reading its data. Absent keys mean "no" or "does not apply"."""
    crs = layer.crs()
    found: Dict[str, Any] = {
        "layer_id": host.layers.alias(layer),
        "name": clean_text(layer.name(), 80),
        "kind": layer_kind(layer),
        "type": _TYPES.get(layer.type().name, "other"),
        "provider": layer.providerType(),
        "file": file_of(layer),
        "group": clean_text(host.layers.group_of(layer), 80),
        "crs": crs.authid() or clean_text(crs.description(), 60),
        "crs_unit": QgsUnitTypes.toString(crs.mapUnits()) if crs.isValid() else None,
        "crs_kind": ("geographic" if crs.isGeographic() else "projected") if crs.isValid() else None,
        "visible": host.layers.is_visible(layer),
        "style": style_line(layer),
    }
    if layer.hasScaleBasedVisibility():
        found["scale_range"] = [round(layer.minimumScale()), round(layer.maximumScale())]
    if is_temporary(layer, host.project):
        found["temporary"] = True
    if isinstance(layer, QgsVectorLayer):
        found.update(_vector_facts(host, layer))
    elif isinstance(layer, QgsRasterLayer) and layer.isValid():
        found.update(_raster_facts(layer))
    return {key: value for key, value in found.items() if value not in ("", None, [])}


def _vector_facts(host: Host, layer: QgsVectorLayer) -> Dict[str, Any]:
    provider = layer.dataProvider()
    found: Dict[str, Any] = {
        "geometry": Qgis.WkbType(layer.wkbType()).name if layer.isSpatial() and layer.isValid() else None,
        "filter": filter_text(layer),
        "encoding": provider.encoding() if provider is not None and layer.isValid() else None,
        "joins": [_join(host, layer, each) for each in layer.vectorJoins()],
    }
    if layer.isValid() and layer.isSpatial():
        found["spatial_index"] = {
            Qgis.SpatialIndexPresence.SpatialIndexPresent: True,
            Qgis.SpatialIndexPresence.SpatialIndexNotPresent: False,
        }.get(Qgis.SpatialIndexPresence(layer.hasSpatialIndex()))
    if layer.isEditable():
        found["editing"] = "unsaved changes" if layer.isModified() else "no changes"
    if layer.selectedFeatureCount():
        found["selected"] = layer.selectedFeatureCount()
    return found


def _join(host: Host, layer: QgsVectorLayer, join: Any) -> Dict[str, Any]:
    table = join.joinLayer()
    hidden = table is None or host.layers.is_hidden(table)
    return {
        "layer_id": None if hidden else host.layers.alias(table),
        "field": join.targetFieldName() if seen_field(layer, join.targetFieldName()) else None,
        "join_field": join.joinFieldName() if not hidden and seen_field(table, join.joinFieldName()) else None,
    }


def _raster_facts(layer: QgsRasterLayer) -> Dict[str, Any]:
    if layer.width() <= 0:
        return {"bands": layer.bandCount()}  # a tile service: it has no pixels of its own
    return {
        "bands": layer.bandCount(),
        "size": [layer.width(), layer.height()],
        "pixel_size": [
            float("{:.8g}".format(each)) for each in (layer.rasterUnitsPerPixelX(), layer.rasterUnitsPerPixelY())
        ],
    }


def style_line(layer: QgsMapLayer) -> str:
    """The look in a line, e.g. "categorizedSymbol by kind, 5 classes, opacity 50 %"; "" for a layer that cannot be drawn."""
    renderer = getattr(layer, "renderer", lambda: None)() if layer.isValid() else None
    if renderer is None:
        return ""
    words = [str(renderer.type())]
    by = next((getattr(renderer, each)() for each in _STYLED_BY if hasattr(renderer, each)), "")
    if by and hides_look(layer, "renderer"):
        words[0] += " " + outside()
    elif by:
        words[0] += " by {}".format(clean_text(str(by), 60))
    classes = next((getattr(renderer, each)() for each in ("categories", "ranges") if hasattr(renderer, each)), None)
    if classes is not None:
        words.append("{} classes".format(len(classes)))
    if layer.opacity() < 1:
        words.append("opacity {:.0f} %".format(layer.opacity() * 100))
    if isinstance(layer, QgsVectorLayer) and layer.labelsEnabled():
        words.append("labelled")
    return ", ".join(words)


class BrokenSource:
    """The source of an invalid layer, taken apart on the main thread. No credentials are kept."""

    def __init__(self, layer: QgsMapLayer) -> None:
        parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
        self._path = str(parts.get("path") or "")
        self._name = file_of(layer)
        self._where = clean_text(str(parts.get("host") or parts.get("dbname") or parts.get("service") or ""), 60)

    def problem(self, _feedback: QgsFeedback) -> str:
        """Why it cannot be read, on a worker thread: a network drive may let one wait."""
        if self._name and not os.path.exists(self._path):
            return translate("QgisAgent", "source not found: {}").format(self._name)
        if self._name:
            return translate("QgisAgent", "source cannot be read: {}").format(self._name)
        if self._where:
            return translate("QgisAgent", "source cannot be reached: {}").format(self._where)
        return translate("QgisAgent", "source cannot be read")


def fields_of(layer: QgsVectorLayer, survey: Survey) -> List[Dict[str, Any]]:
    """The fields: name, type, alias, where it comes from when not from the data, and the share of NULL when there is any."""
    rows = []
    hidden = hidden_fields(layer)
    for index, each in enumerate(layer.fields()):
        if each.name() in hidden:
            continue
        row: Dict[str, Any] = {"name": each.name(), "type": field_type(each)}
        if each.alias():
            row["alias"] = clean_text(each.alias(), 60)
        origin = _ORIGINS.get(Qgis.FieldOrigin(layer.fields().fieldOrigin(index)))
        if origin:
            row["origin"] = origin
        if survey.rows and survey.nulls[index]:
            row["null_share"] = max(round(survey.nulls[index] / survey.rows, 3), 0.001)
        rows.append(row)
    return rows


def surveyed(layer: QgsVectorLayer, survey: Survey) -> Dict[str, Any]:
    """What the survey adds: counts, extent in degrees and in the layer's CRS, geometry, fields."""
    found: Dict[str, Any] = {"feature_count": survey.count, "count_kind": "exact"}
    if layer.isSpatial():
        found["bbox"] = survey.degrees
        if layer.crs().authid() != WGS84 and not survey.box.isNull():
            found["extent"] = _rounded(layer, survey)
        if len(survey.types) > 1:
            found["geometry_types"] = survey.types
        if survey.without:
            found["without_geometry"] = survey.without
        if survey.invalid:
            found["invalid_geometries"] = survey.invalid
    found["fields"] = fields_of(layer, survey)
    if len(found["fields"]) >= MANY_FIELDS:
        found["field_names"] = [each["name"] for each in found["fields"]]
    if survey.rows < survey.count:
        found["null_share_of"] = "sample of {} rows".format(survey.rows)
    return found


def _rounded(layer: QgsVectorLayer, survey: Survey) -> List[float]:
    box, digits = survey.box, 6 if layer.crs().isGeographic() else 2
    return [round(each, digits) for each in (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum())]
