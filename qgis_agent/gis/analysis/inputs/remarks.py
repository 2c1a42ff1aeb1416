"""What a person should know of an analysis's input, in sentences: said, never put right silently."""

from __future__ import annotations

from typing import Dict, List
from urllib.parse import unquote

from qgis.core import QgsProviderRegistry, QgsVectorLayer, QgsWkbTypes

from ...extents import bbox_degrees
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from ...sources.coordinates import crs_doubts
from ...sources.gcj02 import (
    draws_in_gcj02,
    in_china,
    offset_m,
)
from ..ground.scale import (
    local_scale,
    metres_of_unit,
    unit_name,
)
from .survey import (
    Survey,
    project_of,
)

_NAMED_FIELDS = 2


def remarks(layer: QgsVectorLayer, survey: Survey, *, flat: bool = False, selection_used: bool = False) -> List[str]:
    """Filter, open edits, selection; doubts about coordinates and CRS; features left out, repaired, or odd.

    ``flat``: what is made has no Z and M. ``selection_used``: only the selected features were taken. Main thread, quick.
    """
    name = clean_text(layer.name(), 60)
    return [
        *_of_state(layer, 0 if selection_used else survey.count, name),
        *_of_place(layer, survey, name),
        *_of_geometry(survey, name),
        *_of_shape(survey, name, flat),
        *_of_keys(survey, name),
        *_of_fields(layer, name),
    ]


def plain_remarks(layer: QgsVectorLayer, count: int = 0) -> List[str]:
    """For work on attributes alone: filter, open edits, fields that differ in case only, and that the selection was not used
    for the ``count`` features that were (0: selections are not told of). Main thread, quick."""
    name = clean_text(layer.name(), 60)
    return [*_of_state(layer, count, name), *_of_fields(layer, name)]


def _of_state(layer: QgsVectorLayer, count: int, name: str) -> List[str]:
    found: List[str] = []
    if layer.subsetString():
        found.append(translate("QgisAgent", "The filter of '{}' is in force.").format(name))
    if layer.isEditable() and layer.isModified():
        found.append(translate("QgisAgent", "'{}' has edits that are not saved; they are included.").format(name))
    selected = layer.selectedFeatureCount()
    if 0 < selected < count:
        found.append(
            translate("QgisAgent", "{} features of '{}' are selected; the selection was not used.").format(
                selected, name
            )
        )
    return found


def _of_place(layer: QgsVectorLayer, survey: Survey, name: str) -> List[str]:
    """Coordinates that do not fit the CRS, and maps of China that lie beside the data."""
    found: List[str] = []
    if not layer.isSpatial() or survey.box.isNull():
        return found
    project = project_of(layer)
    for doubt in crs_doubts(survey.box, layer.crs(), project, survey.misplaced):
        found.append("'{}': {}".format(name, doubt["text"]))
    degrees = bbox_degrees(survey.box, layer.crs(), project)
    if degrees is None:
        return found
    longitude, latitude = (degrees[0] + degrees[2]) / 2, (degrees[1] + degrees[3]) / 2
    if in_china(longitude, latitude) and any(_in_gcj02(each) for each in project.mapLayers().values()):
        text = translate(
            "QgisAgent",
            "A map service of this project draws China in GCJ-02. If '{}' was drawn on it or comes from such a map, it lies about "
            "{} m off WGS 84; nothing was moved.",
        )
        found.append(text.format(name, round(offset_m(longitude, latitude))))
    return found


def _in_gcj02(layer: object) -> bool:
    if layer.providerType() != "wms":  # type: ignore[attr-defined]
        return False
    parts = QgsProviderRegistry.instance().decodeUri("wms", layer.source())  # type: ignore[attr-defined]
    return draws_in_gcj02(unquote(str(parts.get("url") or "")))


def long_way_said(count: int, name: str) -> str:
    """Of features that are drawn round the earth where a person means the short way across 180°."""
    text = translate(
        "QgisAgent",
        "{} features of '{}' jump across 180°: on the map they run the long way round the earth, and so does what is made "
        "of them here; only their lengths and areas take the short way. Split them at 180° first.",
    )
    return text.format(count, name)


def _of_geometry(survey: Survey, name: str) -> List[str]:
    found: List[str] = []
    if survey.without_geometry:
        text = translate("QgisAgent", "{} features of '{}' have no geometry and are left out.")
        found.append(text.format(survey.without_geometry, name))
    if survey.invalid:
        named = "; ".join(
            translate("QgisAgent", "feature {}: {}").format(each.feature_id, each.reason or "?")
            for each in survey.faults
        )
        more = "; …" if survey.invalid > len(survey.faults) else ""
        text = translate("QgisAgent", "{} invalid geometries of '{}' were repaired on a copy ({}).")
        found.append(text.format(survey.invalid, name, named + more))
    if survey.not_finite:
        text = translate("QgisAgent", "{} features of '{}' have coordinates that are no numbers or no place on earth.")
        found.append(text.format(survey.not_finite, name))
    if survey.long_way:
        found.append(long_way_said(survey.long_way, name))
    if survey.pointlike:
        text = translate("QgisAgent", "{} lines of '{}' have fewer than two different points, so no length.")
        found.append(text.format(survey.pointlike, name))
    return found


def _of_shape(survey: Survey, name: str, flat: bool) -> List[str]:
    found: List[str] = []
    if survey.curved:
        text = translate("QgisAgent", "{} curved geometries of '{}' are worked with as straight segments.")
        found.append(text.format(survey.curved, name))
    if len(survey.kinds) > 1:
        kinds = ", ".join("{} {}".format(number, kind) for kind, number in survey.types)
        found.append(translate("QgisAgent", "'{}' mixes kinds of geometry: {}.").format(name, kinds))
    if flat and (survey.with_z or survey.with_m):
        text = translate("QgisAgent", "{} features of '{}' have heights or measures (Z, M); the result has none.")
        found.append(text.format(max(survey.with_z, survey.with_m), name))
    return found


def flattened(layer: QgsVectorLayer, survey: Survey, result: QgsVectorLayer) -> List[str]:
    """That a result has lost the heights or measures of its features. Nothing where it has them, or there were none."""
    lost_z = survey.with_z and not QgsWkbTypes.hasZ(result.wkbType())
    lost_m = survey.with_m and not QgsWkbTypes.hasM(result.wkbType())
    if not (lost_z or lost_m):
        return []
    number = max(survey.with_z if lost_z else 0, survey.with_m if lost_m else 0)
    text = translate("QgisAgent", "{} features of '{}' have heights or measures (Z, M); the result has none.")
    return [text.format(number, clean_text(layer.name(), 60))]


def _of_keys(survey: Survey, name: str) -> List[str]:
    found: List[str] = []
    if survey.repeated_ids:
        text = translate("QgisAgent", "{} features of '{}' have an id that another one has too.")
        found.append(text.format(survey.repeated_ids, name))
    if survey.repeated_fids:
        text = translate(
            "QgisAgent", "{} features of '{}' repeat a value of the field fid: a GeoPackage of it needs another key."
        )
        found.append(text.format(survey.repeated_fids, name))
    return found


def _of_fields(layer: QgsVectorLayer, name: str) -> List[str]:
    """Names that a GeoPackage, a database or a shapefile takes for one."""
    seen: Dict[str, str] = {}
    found: List[str] = []
    for field in seen_fields(layer):
        other = seen.setdefault(field.name().casefold(), field.name())
        if other != field.name():
            text = translate(
                "QgisAgent", "The fields '{}' and '{}' of '{}' differ in case only: a GeoPackage takes one."
            )
            found.append(text.format(clean_text(other, 60), clean_text(field.name(), 60), name))
    return found[:_NAMED_FIELDS]


def unit_remarks(layer: QgsVectorLayer, survey: Survey) -> List[str]:
    """For what is computed in the plane of the layer's CRS: that it is in degrees, in feet, or stretched, and by how much."""
    crs, name = layer.crs(), clean_text(layer.name(), 60)
    if not crs.isValid() or survey.box.isNull():
        return []
    if crs.isGeographic():
        text = translate("QgisAgent", "'{}' is in degrees ({}): what is computed in its plane has no lengths or areas.")
        return [text.format(name, crs.authid())]
    found: List[str] = []
    metre = metres_of_unit(crs)
    if abs(metre - 1.0) > 1e-9:
        text = translate("QgisAgent", "The coordinates of '{}' are in {} ({:.7g} m).")
        found.append(text.format(name, unit_name(crs), metre))
    scale = local_scale(crs, survey.box.center(), project_of(layer).transformContext())
    if scale is not None and abs(min(scale.x, scale.y) / metre - 1.0) > 0.02:
        text = translate("QgisAgent", "In {} lengths are {:.3g} times and areas {:.3g} times those on the ground here.")
        found.append(text.format(crs.authid(), metre / min(scale.x, scale.y), metre**2 / (scale.x * scale.y)))
    return found
