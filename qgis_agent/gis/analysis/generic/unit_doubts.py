"""Distances that an algorithm takes in the layer's units: metres written where QGIS reads degrees, feet, or stretched metres.

QGIS itself takes DISTANCE=1000 on a lon/lat layer as 1,000 degrees, and answers with a buffer that covers the planet.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingParameters,
    QgsProcessingUtils,
    QgsProperty,
    QgsRectangle,
    QgsVectorLayer,
)

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from ..ground.scale import (
    LocalScale,
    local_scale,
    metres_of_unit,
    unit_name,
)
from ..ground.suggest import metric_crs

REFUSED_DEGREES = 0.1
"""From here on (11 km) a number of degrees is more likely meant in metres."""
STRETCHED = 0.02
"""Relative error of a unit on the ground from which on it is no metre."""
_QUICK = ("memory", "ogr", "gdal", "delimitedtext")
"""Providers that know their extent without reading the layer."""
_NUMBERS = {
    "native:wedgebuffers": ("OUTER_RADIUS", "INNER_RADIUS"),
    "native:taperedbuffer": ("START_WIDTH", "END_WIDTH"),
    "qgis:idwinterpolation": ("PIXEL_SIZE",),
    "qgis:tininterpolation": ("PIXEL_SIZE",),
    "qgis:heatmapkerneldensityestimation": ("PIXEL_SIZE",),
    "gdal:rasterize": ("WIDTH", "HEIGHT"),
    "gdal:gridaverage": ("RADIUS_1", "RADIUS_2"),
    "gdal:griddatametrics": ("RADIUS_1", "RADIUS_2"),
    "gdal:gridinversedistance": ("RADIUS_1", "RADIUS_2"),
    "gdal:gridinversedistancenearestneighbor": ("RADIUS",),
    "gdal:gridlinear": ("RADIUS",),
    "gdal:gridnearestneighbor": ("RADIUS_1", "RADIUS_2"),
}
"""Plain numbers that are in the units of INPUT too."""
_FLAT = ("native:rastersurfacevolume",)
"""Volumes and areas of cells by the sides of a cell as they are: in degrees these are no volumes and areas."""
_SLOPES = {
    "native:slope": "Z_FACTOR",
    "native:hillshade": "Z_FACTOR",
    "qgis:relief": "Z_FACTOR",
    "gdal:slope": "SCALE",
    "gdal:hillshade": "SCALE",
}
"""Algorithms that divide heights by distances: in degrees or feet both must be brought to one unit."""
_NAMED = {
    "native:buffer": "buffer_layer(layer_id='{layer}', distance_m={value})",
    "gdal:buffervectors": "buffer_layer(layer_id='{layer}', distance_m={value})",
    "native:joinbynearest": "nearest_features(layer_id='{layer}', max_distance_m={value})",
    "native:selectwithindistance": "select_by_location(layer_id='{layer}', distance_m={value})",
}
_TERRAIN = "raster_terrain(layer_id='{layer}')"


class UnitDoubt(NamedTuple):
    """One parameter whose unit is not what it seems.

    ``refused``: more likely a mistake than not, so the run asks for a confirmation (``as_is``); else it is only told.
    """

    parameter: str
    value: float
    unit: str
    refused: bool
    text: str
    hint: str

    def __str__(self) -> str:
        return self.text

    def error(self) -> ToolError:
        """INVALID_PARAM, reason ``units``, with the call that does what was most likely meant."""
        return ToolError(INVALID_PARAM, self.text, hint=self.hint, reason="units")


def unit_doubts(
    algorithm: QgsProcessingAlgorithm,
    parameters: Dict[str, Any],
    context: QgsProcessingContext,
    alias_of: Optional[Callable[[QgsMapLayer], str]] = None,
) -> List[UnitDoubt]:
    """What must be known of the distances among ``parameters`` (layers as QgsMapLayer, source definition, id or list).

    Main thread, quick: no features are read. Those that are ``refused`` come first. ``alias_of`` names layers in hints.
    """
    found: List[UnitDoubt] = []
    for name, parent in _distances(algorithm):
        value = _number(parameters.get(name, algorithm.parameterDefinition(name).defaultValue()))
        if not value:
            continue
        crs, layer = _crs_of(algorithm, parent, parameters, context)
        if crs is None or not crs.isValid():
            continue
        alias = _alias(layer, alias_of)
        doubt = _doubt(algorithm.id(), name, value, crs, _box(layer), alias, context)
        if doubt is not None and (name in parameters or doubt.refused):
            found.append(doubt)
    found += _slope(algorithm, parameters, context, alias_of)
    found += _results_in_degrees(algorithm, parameters, context, alias_of)
    return sorted(found, key=lambda each: not each.refused)


def _distances(algorithm: QgsProcessingAlgorithm) -> List[Tuple[str, str]]:
    """(parameter, parameter that gives its CRS) of all that are in units of a CRS."""
    typed = [
        (each.name(), each.parentParameterName())
        for each in algorithm.parameterDefinitions()
        if each.type() == "distance" and each.parentParameterName()
    ]
    known = [each.name() for each in algorithm.parameterDefinitions()]
    return typed + [(name, "INPUT") for name in _NUMBERS.get(algorithm.id(), ()) if name in known]


def _number(value: Any) -> Optional[float]:
    """A plain number; None for one that is calculated for each feature, and for no number."""
    if isinstance(value, QgsProperty):
        value = value.staticValue()
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _crs_of(
    algorithm: QgsProcessingAlgorithm, parent: str, parameters: Dict[str, Any], context: QgsProcessingContext
) -> Tuple[Optional[QgsCoordinateReferenceSystem], Optional[QgsMapLayer]]:
    """The CRS that a distance is in, and the layer that it comes from."""
    definition = algorithm.parameterDefinition(parent)
    if definition is None:
        return None, None
    if definition.type() == "crs":
        return QgsProcessingParameters.parameterAsCrs(definition, parameters, context), None
    layer = _layer(parameters.get(parent), context)
    return (layer.crs(), layer) if layer is not None else (None, None)


def _layer(value: Any, context: QgsProcessingContext) -> Optional[QgsMapLayer]:
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        value = value.source
    if isinstance(value, QgsProperty):
        value = value.staticValue()
    if isinstance(value, QgsMapLayer):
        return value
    return QgsProcessingUtils.mapLayerFromString(value, context, False) if isinstance(value, str) and value else None


def _alias(layer: Optional[QgsMapLayer], alias_of: Optional[Callable[[QgsMapLayer], str]]) -> str:
    if layer is None:
        return "…"
    return alias_of(layer) if alias_of is not None else clean_text(layer.name(), 60)


def _box(layer: Optional[QgsMapLayer]) -> Optional[QgsRectangle]:
    """The layer's extent where it is known without reading features."""
    if layer is None or layer.providerType() not in _QUICK:
        return None
    if isinstance(layer, QgsVectorLayer) and (layer.subsetString() or layer.isEditable()):
        return None
    box = layer.extent()
    return box if not box.isNull() and box.isFinite() else None


def _doubt(
    algorithm: str,
    name: str,
    value: float,
    crs: QgsCoordinateReferenceSystem,
    box: Optional[QgsRectangle],
    alias: str,
    context: QgsProcessingContext,
) -> Optional[UnitDoubt]:
    scale = local_scale(crs, box.center(), context.transformContext()) if box is not None else None
    if crs.isGeographic():
        return _in_degrees(algorithm, name, value, crs, box, scale, alias)
    metre = metres_of_unit(crs)
    known = min(scale.x, scale.y) if scale is not None else metre
    if abs(metre - 1.0) > 1e-9:
        text = translate("QgisAgent", "{}={:g} is in {} in {}: {:.6g} m on the ground.").format(
            name, value, unit_name(crs), crs.authid(), value * known
        )
        return UnitDoubt(name, value, unit_name(crs), True, text, _hint(algorithm, name, value, crs, box, alias, known))
    if abs(known - 1.0) > STRETCHED:
        text = translate(
            "QgisAgent", "{}={:g} in {} is only {:.6g} m on the ground here: this CRS stretches by {:.3g}."
        ).format(name, value, crs.authid(), value * known, 1 / known)
        return UnitDoubt(name, value, unit_name(crs), True, text, _hint(algorithm, name, value, crs, box, alias, known))
    return None


def _in_degrees(
    algorithm: str,
    name: str,
    value: float,
    crs: QgsCoordinateReferenceSystem,
    box: Optional[QgsRectangle],
    scale: Optional[LocalScale],
    alias: str,
) -> UnitDoubt:
    """Degrees are never even: the same number is less far to the east than to the north."""
    if scale is not None:
        text = translate(
            "QgisAgent", "{}={:g} is in degrees in {}: {} km to the north, {} km to the east here."
        ).format(name, value, crs.authid(), _km(value * scale.y), _km(value * scale.x))
    else:
        text = translate("QgisAgent", "{}={:g} is in degrees in {}: about {} km to the north.").format(
            name, value, crs.authid(), _km(value * 111_195.0)
        )
    refused = abs(value) >= REFUSED_DEGREES
    return UnitDoubt(name, value, "degrees", refused, text, _hint(algorithm, name, value, crs, box, alias, None))


def _km(metres: float) -> str:
    """Three digits, never as a power of ten."""
    kilometres = metres / 1000
    return "{:.0f}".format(kilometres) if abs(kilometres) >= 100 else "{:.3g}".format(kilometres)


def _hint(
    algorithm: str,
    name: str,
    value: float,
    crs: QgsCoordinateReferenceSystem,
    box: Optional[QgsRectangle],
    alias: str,
    metre: Optional[float],
) -> str:
    """The call that takes metres; else the way through another CRS, or the number in the layer's unit."""
    ready = _NAMED.get(algorithm)
    if ready is not None:
        call = ready.format(layer=alias, value="{:g}".format(value))
        return translate("QgisAgent", "If metres are meant: {}. If not, say so with as_is.").format(call)
    target = metric_crs(box, crs)
    if alias == "…":
        return translate(
            "QgisAgent", "If metres are meant, use a metric CRS such as {}. If not, say so with as_is."
        ).format(target)
    call = "reproject_layer(layer_id='{}', crs='{}')".format(alias, target)
    text = translate("QgisAgent", "If metres are meant: first {}, then this algorithm on its result.").format(call)
    if metre:
        number = translate("QgisAgent", "Or {}={:.8g} here for {:g} m.").format(name, value / metre, value)
        text += " " + number
    return text + " " + translate("QgisAgent", "If not, say so with as_is.")


def _slope(
    algorithm: QgsProcessingAlgorithm,
    parameters: Dict[str, Any],
    context: QgsProcessingContext,
    alias_of: Optional[Callable[[QgsMapLayer], str]],
) -> List[UnitDoubt]:
    """Heights in metres over distances in degrees give slopes of 90 degrees everywhere."""
    name = _SLOPES.get(algorithm.id())
    layer = _layer(parameters.get("INPUT"), context) if name else None
    if name is None or layer is None or not layer.crs().isValid() or not layer.crs().isGeographic():
        return []
    value = _number(parameters.get(name, algorithm.parameterDefinition(name).defaultValue()))
    if value is None or not 0.01 < value < 100:
        return []
    text = translate(
        "QgisAgent", "{} divides heights by distances in degrees ({}), so the slopes are far too steep with {}={:g}."
    ).format(algorithm.id(), layer.crs().authid(), name, value)
    alias = _alias(layer, alias_of)
    hint = translate("QgisAgent", "If metres are meant: {}. If not, say so with as_is.").format(
        _TERRAIN.format(layer=alias)
    )
    return [UnitDoubt(name, value, "degrees", True, text, hint)]


def _results_in_degrees(
    algorithm: QgsProcessingAlgorithm,
    parameters: Dict[str, Any],
    context: QgsProcessingContext,
    alias_of: Optional[Callable[[QgsMapLayer], str]],
) -> List[UnitDoubt]:
    """Volumes of square degrees times metres, and distances to the nearest cell in degrees."""
    name = "UNITS" if algorithm.id() == "gdal:proximity" and parameters.get("UNITS") == 0 else "INPUT"
    if algorithm.id() not in _FLAT and name == "INPUT":
        return []
    layer = _layer(parameters.get("INPUT"), context)
    if layer is None or not layer.crs().isValid() or not layer.crs().isGeographic():
        return []
    text = translate("QgisAgent", "{} measures in degrees ({}): its numbers are no metres, areas or volumes.").format(
        algorithm.id(), layer.crs().authid()
    )
    hint = translate(
        "QgisAgent", "Bring '{}' to {} first (gdal:warpreproject), and use the result. If not, say so with as_is."
    ).format(_alias(layer, alias_of), metric_crs(_box(layer), layer.crs()))
    return [UnitDoubt(name, 0.0, "degrees", True, text, hint)]
