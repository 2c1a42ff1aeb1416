"""Handlers of the pack "default": colouring a layer by a rule."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Tuple

from qgis.core import Qgis, QgsVectorLayer

from ...call import Call
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ...i18n import translate
from ...layers import clean_text, field_type, layer_kind
from ...style import measures, palettes, renderers
from ...style.classification import Classes, check_breaks, classify
from ...style.history import history_of, restore, set_legend_title, snapshot
from ...style.symbols import symbol_of
from ...style.values import CategoryReader, NumberReader, Numbers
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("set_render_rule", effect="view", runs="task")
def set_render_rule(
    call: Call,
    layer_id: str,
    method: str,
    field: Optional[str] = None,
    classes: int = 5,
    palette: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Draw a layer with one colour, by categories, or in classes whose limits come from the data.

    Undone, when QGIS does not take it over. The earlier style is kept under the returned ``rule_id``.
    """
    more = dict(options or {})
    layer = _drawable(call, layer_id)
    data: Dict[str, Any] = {"layer_id": call.host.layers.alias(layer), "rule_id": "", "method": method}
    notes: List[str] = []
    if method == "single":
        drawn = renderers.single(layer, _single_color(layer, palette, more))
    elif method == "graduated":
        name = _needed(layer, field, method)
        classification, breaks = _classification(more)
        reader = NumberReader(layer, name)
        numbers, found = yield Work(
            translate("QgisAgent", "Reading values"),
            lambda feedback: _classified(reader, feedback, classification, classes, breaks),
        )
        layer = _drawable(call, layer_id)
        _require_values(numbers, name)
        chosen = palette or palettes.DEFAULT_GRADUATED
        drawn = renderers.graduated(layer, reader.attribute, found, classification, chosen, bool(more.get("reverse")))
        data.update(field=name, classification=classification, palette=chosen)
        data.update(_left_out(numbers, notes))
        if found.sample:
            data["sample"] = found.sample
        notes.extend(found.notes)
    else:
        name = _needed(layer, field, method)
        categories = yield Work(translate("QgisAgent", "Reading values"), CategoryReader(layer, name).read)
        layer = _drawable(call, layer_id)
        if not categories:
            raise _no_features(layer)
        chosen = palette or palettes.default_categorized(len(categories))
        drawn = renderers.categorized(layer, name, categories, chosen, bool(more.get("reverse")))
        nulls = sum(each.count for each in categories if each.value is None)
        data.update(field=name, palette=chosen, null_count=nulls, not_drawn=0)
        if nulls:
            notes.append(
                translate("QgisAgent", "{} features without a value are a category of their own.").format(nulls)
            )
    data["rule_id"] = _apply(call, layer, drawn, more)
    data["classes"] = drawn.classes
    if more.get("legend_title"):
        data["legend_title"] = clean_text(str(more["legend_title"]), 80)
    if layer.subsetString():
        notes.append(
            translate("QgisAgent", "The layer's filter is in force: classes are those of the filtered features.")
        )
    _report(call, data, drawn)
    return Answer(data, " ".join(notes), rows_key="classes")


def _classified(
    reader: NumberReader, feedback: Any, classification: str, classes: int, breaks: List[float]
) -> Tuple[Numbers, Optional[Classes]]:
    numbers = reader.read(feedback)
    if not len(numbers.values):
        return numbers, None
    return numbers, classify(numbers.values, classification, classes, breaks)


def _apply(call: Call, layer: QgsVectorLayer, drawn: renderers.Drawn, more: Mapping[str, Any]) -> str:
    """Set the renderer, read it back, draw; returns the rule id. Everything is as before when it was not taken over."""
    before = snapshot(call.host, layer)
    layer.setRenderer(drawn.renderer.clone())
    if more.get("opacity") is not None:
        layer.setOpacity(float(more["opacity"]))
    if not renderers.matches(layer, drawn):
        restore(call.host, before)
        raise renderers.not_kept(layer)
    if more.get("legend_title"):
        set_legend_title(call.host, layer, clean_text(str(more["legend_title"]), 80))
    rule_id = history_of(call.host).remember(before)
    call.host.repaint(layer)
    return rule_id


def _report(call: Call, data: Dict[str, Any], drawn: renderers.Drawn) -> None:
    alias, rule = data["layer_id"], {"method": data["method"], "field": data.get("field")}
    rule["breaks"] = [each["upper"] for each in drawn.classes[:-1] if "upper" in each] or None
    rule["colors"] = drawn.colors
    call.acted(
        "render",
        layer_id=alias,
        rule_id=data["rule_id"],
        rule={key: each for key, each in rule.items() if each is not None},
    )
    title = data.get("legend_title")
    items = [{"label": each["label"], "color": each["color"]} for each in drawn.classes]
    call.add_legend(alias, [dict(each, title=title) for each in items] if title else items)
    if data["method"] == "single":
        text = translate("QgisAgent", "{}: one colour, {}").format(alias, drawn.colors[0])
    else:
        text = translate("QgisAgent", "{}: {} by {}, {}, palette {}, {} classes").format(
            alias, data["method"], data["field"], data.get("classification", "-"), data["palette"], len(drawn.classes)
        )
    call.add_evidence(data["rule_id"], text)


def _drawable(call: Call, layer_id: str) -> QgsVectorLayer:
    layer = call.vector_layer(layer_id)
    if layer.geometryType() in (Qgis.GeometryType.Null, Qgis.GeometryType.Unknown):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no geometry, so nothing of it is drawn.").format(layer_id),
            hint=translate("QgisAgent", "Use a point, line or polygon layer."),
            reason="layer_kind",
        )
    return layer


def _needed(layer: QgsVectorLayer, field: Optional[str], method: str) -> str:
    if field is not None:
        return field
    kinds = ("integer", "number") if method == "graduated" else ("text", "integer", "boolean", "date", "number")
    names = [each.name() for each in layer.fields() if field_type(each) in kinds]
    if method == "graduated":
        names += measures.names_for(layer_kind(layer))
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The method {} needs a field.").format(method),
        hint=translate("QgisAgent", "Give field, one of: {}.").format(", ".join(names[:12]) or "-"),
        reason="field",
    )


def _classification(more: Mapping[str, Any]) -> Tuple[str, List[float]]:
    breaks = [float(each) for each in more.get("breaks") or []]
    method = str(more.get("classification") or ("manual" if breaks else "quantile"))
    if method == "manual":
        check_breaks(breaks)
    elif breaks:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "breaks go with the classification manual only; {} computes its own.").format(
                method
            ),
            hint=translate("QgisAgent", "Leave breaks out, or use classification manual."),
            reason="breaks",
        )
    return method, breaks


def _single_color(layer: QgsVectorLayer, palette: Optional[str], more: Mapping[str, Any]) -> str:
    if more.get("color"):
        return str(more["color"]).lower()
    if palette:
        return palettes.colors(palette, 3, bool(more.get("reverse")))[-1]
    symbol = symbol_of(layer.renderer())
    return str(symbol.color().name()) if symbol is not None else palettes.RESULT_COLORS[0]


def _left_out(numbers: Numbers, notes: List[str]) -> Dict[str, int]:
    missing = numbers.nulls + numbers.not_finite
    if missing:
        notes.append(
            translate("QgisAgent", "{} of {} features have no value and are not drawn.").format(
                missing, missing + len(numbers.values)
            )
        )
    return {"null_count": numbers.nulls, "not_drawn": missing}


def _require_values(numbers: Numbers, field: str) -> None:
    if len(numbers.values):
        return
    missing = numbers.nulls + numbers.not_finite
    if missing:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "All {} features are without a value in '{}', so there are no classes.").format(
                missing, field
            ),
            hint=translate("QgisAgent", "Use another field; the style was not changed."),
            reason="no_values",
        )
    raise ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer has no features, so there are no classes."),
        hint=translate("QgisAgent", "Check the layer's filter; the style was not changed."),
        reason="no_features",
    )


def _no_features(layer: QgsVectorLayer) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer '{}' has no features, so there are no categories.").format(layer.name()),
        hint=translate("QgisAgent", "Check the layer's filter; the style was not changed."),
        reason="no_features",
    )
