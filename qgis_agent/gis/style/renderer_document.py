"""Renderers of vector layers in the style document. Classes and rules are objects by short ids with an ``order``.

An id is the one that a patch gave (QGIS keeps it with the class), else ``c1``, ``c2`` … (``r1`` … for rules) by position.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import (
    Qgis,
    QgsExpression,
    QgsFeatureRenderer,
    QgsPointDisplacementRenderer,
    QgsUnitTypes,
    QgsVectorLayer,
)

from ..features import json_value
from ..layers import clean_text
from . import measures, palettes
from .data_defined import Note
from .merge import Document
from .ramps import read_ramp
from .symbol_document import read_symbol
from .symbol_values import hex_color
from .where_reading import where_of

VECTOR_TYPES = {
    "singleSymbol": "single",
    "categorizedSymbol": "categorized",
    "graduatedSymbol": "graduated",
    "RuleRenderer": "rules",
    "heatmapRenderer": "heatmap",
    "pointCluster": "cluster",
    "pointDisplacement": "displacement",
    "nullSymbol": "none",
}
CLASSIFICATIONS = {
    "EqualInterval": "equal_interval",
    "Quantile": "quantile",
    "Jenks": "natural_breaks",
    "Pretty": "pretty",
    "StdDev": "standard_deviation",
    "Logarithmic": "logarithmic",
    "Custom": "manual",
}
PLACEMENTS = {
    "ring": QgsPointDisplacementRenderer.Placement.Ring,
    "concentric_rings": QgsPointDisplacementRenderer.Placement.ConcentricRings,
    "grid": QgsPointDisplacementRenderer.Placement.Grid,
}
LABEL_LENGTH = 120
_SHORT_ID = re.compile(r"^[cr]\d{1,4}$")


class Reading(NamedTuple):
    """What is read: a renderer of a layer, at a path of the document; ``note`` is told what the document does not express."""

    layer: QgsVectorLayer
    renderer: Any
    path: str
    note: Note


def read_renderer(layer: QgsVectorLayer, renderer: Optional[QgsFeatureRenderer], path: str, note: Note) -> Document:
    """The document of a renderer with all its classes; ``note`` is told what it does not express."""
    if renderer is None:
        return {"type": "none"}
    kind = VECTOR_TYPES.get(renderer.type(), "other")
    said: Document = {"type": kind}
    if kind == "other":
        said["name"] = renderer.type()
        note(path, "renderer {}".format(renderer.type()))
    elif kind in _READERS:
        _READERS[kind](Reading(layer, renderer, path, note), said)
    _read_common(renderer, said, path, note)
    return said


def entry_ids(kept: Sequence[str], letter: str) -> List[str]:
    """Ids of classes or rules: those that a patch gave, and free ones by position for the others."""
    taken = {each for each in kept if _SHORT_ID.match(each)}
    found: List[str] = []
    for position, each in enumerate(kept, 1):
        ident = each if each in taken and each not in found else "{}{}".format(letter, position)
        while ident != each and (ident in taken or ident in found):
            position += 1
            ident = "{}{}".format(letter, position)
        found.append(ident)
    return found


def entries_key(said: Document) -> str:
    """Where the classes of a renderer's document are: "classes", "rules", or "" for a renderer without."""
    return next((each for each in ("classes", "rules") if each in said), "")


def _read_common(renderer: QgsFeatureRenderer, said: Document, path: str, note: Note) -> None:
    clauses = renderer.orderBy().list() if renderer.orderByEnabled() else []
    orders = []
    for each in clauses:
        expression = each.expression()
        if not expression.isField():
            note(path + ".order_by", "expression: {}".format(expression.expression()))
            orders = []
            break
        name = next(iter(expression.referencedColumns()))
        orders.append({"field": name, "ascending": each.ascending(), "nulls_first": each.nullsFirst()})
    if orders:
        said["order_by"] = orders
    if renderer.usingSymbolLevels():
        said["symbol_levels"] = True
    if renderer.referenceScale() > 0:
        said["reference_scale"] = renderer.referenceScale()
    if renderer.forceRasterRender():
        said["force_raster"] = True
    effect = renderer.paintEffect()
    if effect is not None and effect.enabled():
        note(path, "layer effect")


def _read_single(at: Reading, said: Document) -> None:
    said["symbol"] = read_symbol(at.renderer.symbol(), at.path + ".symbol", at.note)


def _read_attribute(at: Reading, said: Document) -> None:
    """The classified field; a computed name where it is one; an expression that a person wrote is kept as text."""
    name = at.renderer.classAttribute()
    expression = QgsExpression(name)
    plain = next(iter(expression.referencedColumns())) if expression.isField() else name
    if at.layer.fields().lookupField(plain) >= 0:
        said["field"] = plain
        return
    computed = measures.name_of(at.layer, name)
    if computed:
        said["field"] = computed
        return
    said["expression"] = clean_text(name, 300)
    at.note(at.path + ".field", "expression: {}".format(name))


def _class(each: Any, order: int, said: Document, path: str, note: Note) -> Document:
    """What every class has; the colour stands beside the symbol, where it is looked for first."""
    symbol = read_symbol(each.symbol(), path + ".symbol", note)
    entry: Document = {"order": order, "label": clean_text(each.label(), LABEL_LENGTH), **said}
    entry["color"] = symbol.pop("color") if symbol is not None else None
    entry["visible"] = each.renderState()
    if symbol is not None:
        entry["symbol"] = symbol
    return entry


def _add_palette(said: Document) -> None:
    palette, reverse = _palette_of(tuple((each["color"] or "")[:7] for each in said["classes"].values()))
    if palette:
        said.update(palette=palette, reverse=reverse)


@lru_cache(maxsize=256)
def _palette_of(colors: Tuple[str, ...]) -> Tuple[str, bool]:
    """As ``palettes.palette_of``; documents are read again and again."""
    return palettes.palette_of(colors)


def _read_categorized(at: Reading, said: Document) -> None:
    _read_attribute(at, said)
    categories = at.renderer.categories()
    classes: Dict[str, Any] = {}
    for order, (ident, each) in enumerate(zip(entry_ids([one.uuid() for one in categories], "c"), categories)):
        classes[ident] = _class(each, order, _value(each.value()), "{}.classes.{}".format(at.path, ident), at.note)
    said["classes"] = classes
    _add_palette(said)


def _value(raw: Any) -> Document:
    """The value of a category. QGIS draws NULL, the empty text and every value without a category of its own by the category
    of NULL or of the empty text; ``others`` says so."""
    if isinstance(raw, list):
        return {"values": [json_value(each, LABEL_LENGTH) for each in raw]}
    value = json_value(raw, LABEL_LENGTH)
    if value is None:
        return {"is_null": True, "others": True}
    return {"value": value, "others": True} if value == "" else {"value": value}


def _read_graduated(at: Reading, said: Document) -> None:
    _read_attribute(at, said)
    method = at.renderer.classificationMethod()
    said["classification"] = CLASSIFICATIONS.get(method.id() if method is not None else "", "manual")
    if at.renderer.graduatedMethod() == Qgis.GraduatedMethod.Size:
        said["by"] = "size"
    ranges = at.renderer.ranges()
    classes: Dict[str, Any] = {}
    for order, (ident, each) in enumerate(zip(entry_ids([one.uuid() for one in ranges], "c"), ranges)):
        limits = {"lower": json_value(each.lowerValue()), "upper": json_value(each.upperValue())}
        classes[ident] = _class(each, order, limits, "{}.classes.{}".format(at.path, ident), at.note)
    said["classes"] = classes
    _add_palette(said)


def _read_rules(at: Reading, said: Document) -> None:
    """Every rule below the root, outer before inner; ``parent`` is the id of the rule it is nested in."""
    rules = at.renderer.rootRule().descendants()
    keys = [each.ruleKey() for each in rules]
    ids = entry_ids(keys, "r")
    by_key = dict(zip(keys, ids))
    said["rules"] = {
        ident: _rule(at.layer, rule, order, by_key, "{}.rules.{}".format(at.path, ident), at.note)
        for order, (ident, rule) in enumerate(zip(ids, rules))
    }


def _rule(layer: QgsVectorLayer, rule: Any, order: int, ids: Dict[str, str], path: str, note: Note) -> Document:
    entry: Document = {"order": order, "label": clean_text(rule.label(), LABEL_LENGTH)}
    if rule.description():
        entry["description"] = clean_text(rule.description(), 500)
    if rule.isElse():
        entry["else"] = True
    elif rule.filterExpression():
        where = where_of(layer, rule.filterExpression())
        if where is None:
            entry["expression"] = clean_text(rule.filterExpression(), 300)
            note(path + ".where", "expression: {}".format(rule.filterExpression()))
        else:
            entry["where"] = where
    if rule.minimumScale() or rule.maximumScale():
        entry["scale_range"] = {"min": rule.minimumScale(), "max": rule.maximumScale()}
    parent = rule.parent()
    if parent is not None and parent.ruleKey() in ids:
        entry["parent"] = ids[parent.ruleKey()]
    symbol = read_symbol(rule.symbol(), path + ".symbol", note)
    if symbol is not None:
        entry["color"] = symbol.pop("color")
        entry["symbol"] = symbol
    entry["visible"] = rule.active()
    return entry


def _read_heatmap(at: Reading, said: Document) -> None:
    said.update(
        radius=at.renderer.radius(),
        radius_unit=QgsUnitTypes.encodeUnit(at.renderer.radiusUnit()),
        maximum=at.renderer.maximumValue(),
        quality=int(at.renderer.renderQuality()),
    )
    weight = at.renderer.weightExpression()
    if weight:
        expression = QgsExpression(weight)
        if expression.isField():
            said["weight_field"] = next(iter(expression.referencedColumns()))
        else:
            at.note(at.path + ".weight_field", "expression: {}".format(weight))
    ramp = read_ramp(at.renderer.colorRamp())
    if ramp is None:
        at.note(at.path + ".ramp", "colour ramp")
    else:
        said["ramp"] = ramp


def _read_points(at: Reading, said: Document) -> None:
    """Clusters and displaced points: a distance, a symbol (of the cluster or the centre), the renderer of single points."""
    said["tolerance"] = at.renderer.tolerance()
    said["tolerance_unit"] = QgsUnitTypes.encodeUnit(at.renderer.toleranceUnit())
    displaced = isinstance(at.renderer, QgsPointDisplacementRenderer)
    symbol = at.renderer.centerSymbol() if displaced else at.renderer.clusterSymbol()
    said["symbol"] = read_symbol(symbol, at.path + ".symbol", at.note)
    said["renderer"] = read_renderer(at.layer, at.renderer.embeddedRenderer(), at.path + ".renderer", at.note)
    if displaced:
        said["placement"] = next(key for key, each in PLACEMENTS.items() if each == at.renderer.placement())
        said["circle_color"] = hex_color(at.renderer.circleColor())
        said["circle_width"] = at.renderer.circleWidth()
        said["circle_radius_addition"] = at.renderer.circleRadiusAddition()
        if at.renderer.labelAttributeName():
            at.note(at.path, "labels of displaced points")


_READERS = {
    "single": _read_single,
    "categorized": _read_categorized,
    "graduated": _read_graduated,
    "rules": _read_rules,
    "heatmap": _read_heatmap,
    "cluster": _read_points,
    "displacement": _read_points,
}
