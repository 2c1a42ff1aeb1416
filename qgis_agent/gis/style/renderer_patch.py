"""From the document of a renderer back to a renderer. The layer is not touched; what is not expressed stays as it is."""

from __future__ import annotations

from typing import Any, List, Optional

from qgis.core import (
    Qgis,
    QgsFeatureRenderer,
    QgsFeatureRequest,
    QgsHeatmapRenderer,
    QgsNullSymbolRenderer,
    QgsPointClusterRenderer,
    QgsPointDisplacementRenderer,
    QgsSingleSymbolRenderer,
    QgsUnitTypes,
    QgsVectorLayer,
)

from ..conditions import require_field
from ..i18n import translate
from ..layers import layer_kind
from .class_patch import Change, categorized_from, graduated_from
from .merge import Document, flag, invalid, number, one_of, only, same, whole
from .ramps import make_ramp
from .renderer_document import PLACEMENTS, VECTOR_TYPES
from .rule_patch import rules_from
from .symbol_patch import SYMBOL_KEYS, symbol_from
from .symbol_values import parse_color
from .values import require_number_field

TYPES = tuple(VECTOR_TYPES.values())
_COMMON = ("type", "order_by", "symbol_levels", "reference_scale", "force_raster")
_KEYS = {
    "single": ("symbol",),
    "categorized": ("field", "expression", "classes", "palette", "reverse"),
    "graduated": ("field", "expression", "classification", "by", "classes", "palette", "reverse"),
    "rules": ("rules",),
    "heatmap": ("radius", "radius_unit", "maximum", "quality", "weight_field", "ramp"),
    "cluster": ("tolerance", "tolerance_unit", "symbol", "renderer"),
    "displacement": (
        "tolerance",
        "tolerance_unit",
        "symbol",
        "renderer",
        "placement",
        "circle_color",
        "circle_width",
        "circle_radius_addition",
    ),
    "none": (),
    "other": ("name",),
}
_NEEDED = {
    "single": ("symbol",),
    "categorized": ("field", "classes"),
    "graduated": ("field", "classes"),
    "rules": ("rules",),
    "cluster": ("renderer",),
    "displacement": ("renderer",),
}
_POINT_TYPES = ("heatmap", "cluster", "displacement")
_SYMBOL_TYPES = {"point": "marker", "line": "line", "polygon": "fill"}


def renderer_from(
    layer: QgsVectorLayer, old: Optional[QgsFeatureRenderer], before: Document, after: Any, path: str
) -> QgsFeatureRenderer:
    """A renderer that draws as ``after`` says; ``before`` is the document of ``old``.

    INVALID_PARAM or NOT_FOUND for anything that does not fit, also for what a new type lacks.
    """
    if not isinstance(after, dict):
        raise invalid(path, translate("QgisAgent", "must be an object"))
    if old is not None and same(before, after):
        return old.clone()
    kind = after.get("type")
    if not (kind == "other" and before.get("type") == "other"):
        one_of(kind, TYPES, path + ".type")
    only(after, _COMMON + _KEYS[kind], path, {"symbol": SYMBOL_KEYS})
    switched = before.get("type") != kind or old is None
    missing = [each for each in _NEEDED.get(kind, ()) if each not in after and "expression" not in after]
    if missing:
        raise invalid(
            path,
            translate("QgisAgent", "of type {} lacks {}").format(kind, ", ".join(missing)),
            translate("QgisAgent", "Give {} too; or let set_render_rule make it from the data.").format(
                ", ".join(missing)
            ),
            reason="incomplete",
        )
    if kind in _POINT_TYPES and layer_kind(layer) != "point":
        raise invalid(path + ".type", translate("QgisAgent", "needs a point layer"))
    made = _MAKERS[kind](Change(layer, None if switched else old, {} if switched else before, after, path))
    if old is not None:
        old.copyRendererData(made)
    _set_common(layer, made, before, after, path)
    return made


def symbol_type(layer: QgsVectorLayer) -> str:
    """marker, line or fill: what draws the layer's features."""
    return _SYMBOL_TYPES.get(layer_kind(layer), "")


def _single(change: Change) -> QgsFeatureRenderer:
    layer, old, before, after, path = change
    symbol = old.symbol() if old is not None else None
    made = symbol_from(symbol, before.get("symbol"), after["symbol"], layer, path + ".symbol", symbol_type(layer))
    if old is None:
        return QgsSingleSymbolRenderer(made)
    copy = old.clone()
    copy.setSymbol(made)
    return copy


def _heatmap(change: Change) -> QgsFeatureRenderer:
    layer, old, before, after, path = change
    made = old.clone() if old is not None else QgsHeatmapRenderer()
    if "radius" in after:
        made.setRadius(number(after["radius"], path + ".radius", 0.01, 1e7))
    if "radius_unit" in after:
        made.setRadiusUnit(unit(after["radius_unit"], path + ".radius_unit"))
    made.setMaximumValue(number(after.get("maximum", 0), path + ".maximum", 0, 1e12))
    made.setRenderQuality(whole(after.get("quality", 2), path + ".quality", 0, 4))
    if after.get("weight_field") != before.get("weight_field"):
        name = after.get("weight_field")
        if name is not None and not isinstance(name, str):
            raise invalid(path + ".weight_field", translate("QgisAgent", "must be the name of a field"))
        quoted = '"{}"'.format(require_number_field(layer, name).replace('"', '""')) if name is not None else ""
        made.setWeightExpression(quoted)
    if "ramp" in after and after["ramp"] != before.get("ramp"):
        made.setColorRamp(make_ramp(after["ramp"], path + ".ramp"))
    return made


def _points(change: Change) -> QgsFeatureRenderer:
    layer, old, before, after, path = change
    displaced = after["type"] == "displacement"
    made = (
        old.clone() if old is not None else QgsPointDisplacementRenderer() if displaced else QgsPointClusterRenderer()
    )
    if "tolerance" in after:
        made.setTolerance(number(after["tolerance"], path + ".tolerance", 0, 1e7))
    if "tolerance_unit" in after:
        made.setToleranceUnit(unit(after["tolerance_unit"], path + ".tolerance_unit"))
    present = old.embeddedRenderer() if old is not None else None
    inner = after["renderer"]
    if isinstance(inner, dict) and inner.get("type") in _POINT_TYPES:
        raise invalid(path + ".renderer.type", translate("QgisAgent", "must draw single points here"))
    made.setEmbeddedRenderer(renderer_from(layer, present, before.get("renderer") or {}, inner, path + ".renderer"))
    if "symbol" in after:
        had = (old.centerSymbol() if displaced else old.clusterSymbol()) if old is not None else None
        symbol = symbol_from(had, before.get("symbol"), after["symbol"], layer, path + ".symbol", "marker")
        made.setCenterSymbol(symbol) if displaced else made.setClusterSymbol(symbol)
    if displaced:
        _displace(made, after, path)
    return made


def _displace(made: QgsPointDisplacementRenderer, after: Document, path: str) -> None:
    if "placement" in after:
        made.setPlacement(PLACEMENTS[one_of(after["placement"], tuple(PLACEMENTS), path + ".placement")])
    if "circle_color" in after:
        made.setCircleColor(parse_color(after["circle_color"], path + ".circle_color"))
    if "circle_width" in after:
        made.setCircleWidth(number(after["circle_width"], path + ".circle_width", 0, 100))
    if "circle_radius_addition" in after:
        made.setCircleRadiusAddition(number(after["circle_radius_addition"], path + ".circle_radius_addition", 0, 1000))


def _none(change: Change) -> QgsFeatureRenderer:
    return change.old.clone() if change.old is not None else QgsNullSymbolRenderer()


def _other(change: Change) -> QgsFeatureRenderer:
    if change.after.get("name") != change.before.get("name") or change.old is None:
        raise invalid(change.path + ".name", translate("QgisAgent", "cannot be changed"))
    return change.old.clone()


def unit(value: Any, path: str) -> Qgis.RenderUnit:
    """A unit by QGIS's name of it, else INVALID_PARAM."""
    found, known = QgsUnitTypes.decodeRenderUnit(value if isinstance(value, str) else "")
    if not known:
        raise invalid(
            path, translate("QgisAgent", "must be a unit"), "MM, Point, Pixel, MapUnit, RenderMetersInMapUnits"
        )
    return found


def _set_common(layer: QgsVectorLayer, made: QgsFeatureRenderer, before: Document, after: Document, path: str) -> None:
    if not same(before.get("order_by"), after.get("order_by")):
        clauses = _clauses(layer, after.get("order_by") or [], path + ".order_by")
        made.setOrderBy(QgsFeatureRequest.OrderBy(clauses))
        made.setOrderByEnabled(bool(clauses))
    if before.get("symbol_levels") != after.get("symbol_levels"):
        made.setUsingSymbolLevels(flag(after.get("symbol_levels", False), path + ".symbol_levels"))
    if not same(before.get("reference_scale"), after.get("reference_scale")):
        made.setReferenceScale(number(after.get("reference_scale", -1), path + ".reference_scale", -1, 1e9))
    if before.get("force_raster") != after.get("force_raster"):
        made.setForceRasterRender(flag(after.get("force_raster", False), path + ".force_raster"))


def _clauses(layer: QgsVectorLayer, said: Any, path: str) -> List[QgsFeatureRequest.OrderByClause]:
    if not isinstance(said, list) or len(said) > 5:
        raise invalid(path, translate("QgisAgent", "must be a list of at most 5 fields"))
    found = []
    for index, each in enumerate(said):
        inner = "{}[{}]".format(path, index)
        only(each, ("field", "ascending", "nulls_first"), inner)
        name = require_field(layer, str(each.get("field", ""))).name()
        quoted = '"{}"'.format(name.replace('"', '""'))
        ascending = flag(each.get("ascending", True), inner + ".ascending")
        found.append(
            QgsFeatureRequest.OrderByClause(
                quoted, ascending, flag(each.get("nulls_first", False), inner + ".nulls_first")
            )
        )
    return found


_MAKERS = {
    "single": _single,
    "categorized": categorized_from,
    "graduated": graduated_from,
    "rules": rules_from,
    "heatmap": _heatmap,
    "cluster": _points,
    "displacement": _points,
    "none": _none,
    "other": _other,
}
