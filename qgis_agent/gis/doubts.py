"""What an analyst has to know of a layer before using it: said, never put right silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional
from urllib.parse import unquote

from qgis.core import Qgis, QgsMapLayer, QgsProviderRegistry, QgsRectangle, QgsVectorLayer

from .extents import bbox_degrees
from .i18n import translate
from .layers import clean_text
from .scope_looks import filter_text
from .sources.coordinates import crs_doubts
from .sources.gcj02 import draws_in_gcj02, offset_m
from .survey import Survey
from .temporary import is_temporary

if TYPE_CHECKING:
    from .host import Host

_HOLDERS = (Qgis.LayerType.Annotation, Qgis.LayerType.Group)
"""Layers whose contents have CRSs of their own."""


def warnings_of(host: Host, layer: QgsMapLayer, survey: Optional[Survey]) -> List[str]:
    """Sentences about a layer whose data can be read; ``survey`` is there for vector layers."""
    said: List[str] = []
    box = survey.box if survey is not None else QgsRectangle()
    placed = layer.isSpatial() and layer.type() not in _HOLDERS
    if placed and not layer.crs().isValid():
        said.append(translate("QgisAgent", "it has no CRS: distances and places cannot be computed"))
    elif placed:
        said += [str(each["text"]).rstrip(".。") for each in crs_doubts(box, layer.crs(), host.project)]
    said += _offset(host, layer)
    if is_temporary(layer, host.project):
        said.append(translate("QgisAgent", "it is temporary: its data is lost when QGIS closes, unless it is exported"))
    scale = host.view.scale()
    if layer.hasScaleBasedVisibility() and scale and not layer.isInScaleRange(scale):
        said.append(translate("QgisAgent", "it is not drawn at the present scale"))
    if isinstance(layer, QgsVectorLayer) and survey is not None:
        said += _of_vector(host, layer, survey)
    return said


def _offset(host: Host, layer: QgsMapLayer) -> List[str]:
    """A map service in GCJ-02 lies beside everything else: an offset, no CRS (case A13)."""
    if layer.providerType() != "wms":
        return []
    parts = QgsProviderRegistry.instance().decodeUri("wms", layer.source())
    if not draws_in_gcj02(unquote(str(parts.get("url") or ""))):
        return []
    extent = host.extent()
    view = bbox_degrees(extent, extent.crs(), host.project)
    metres = offset_m((view[0] + view[2]) / 2, (view[1] + view[3]) / 2) if view is not None else 0.0
    text = translate(
        "QgisAgent",
        "this service draws China in GCJ-02: WGS 84 data lies {} m beside it in the middle of the view. That is an offset, "
        "no CRS, and no EPSG code takes it away",
    )
    return [text.format(round(metres))]


def _of_vector(host: Host, layer: QgsVectorLayer, survey: Survey) -> List[str]:
    said: List[str] = []
    if layer.subsetString():
        said.append(translate("QgisAgent", "a filter is in force: {}").format(filter_text(layer, 200)))
    if layer.isEditable():
        said.append(
            translate("QgisAgent", "it is being edited, with unsaved changes: only some tools see them")
            if layer.isModified()
            else translate("QgisAgent", "it is being edited")
        )
    if survey.unread:
        text = translate("QgisAgent", "{} rows have a place that cannot be read: QGIS takes them for no features")
        said.append(text.format(survey.unread))
    if survey.invalid:
        said.append(translate("QgisAgent", "{} of its geometries are invalid").format(survey.invalid))
    for join, duplicates in zip(layer.vectorJoins(), survey.duplicate_keys):
        said += _of_join(host, join, duplicates)
    return said


def _of_join(host: Host, join: Any, duplicates: Optional[int]) -> List[str]:
    table = join.joinLayer()
    name = clean_text(table.name(), 60) if table is not None and not host.layers.is_hidden(table) else "?"
    if duplicates is None:
        return [translate("QgisAgent", "its join with '{}' does not work: the table cannot be read").format(name)]
    if not duplicates:
        return []
    text = translate("QgisAgent", "the joined table '{}' has {} keys in several rows; only one row of each is used")
    return [text.format(name, duplicates)]
