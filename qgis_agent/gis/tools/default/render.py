"""Handlers of the pack "default": colouring a layer by a rule."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generator, List, Mapping, NamedTuple, Optional, Tuple

from qgis.core import Qgis, QgsVectorLayer

from ...call import Call
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ...i18n import translate
from ...layers import clean_text, field_type, layer_kind
from ...scope import seen_fields
from ...style import density, measures, palettes, renderers, sizes, titles
from ...style.classification import Classes, classify
from ...style.history import history_of, restore, set_show_counts, snapshot
from ...style.rule import DEFAULT_CLASSES, USES, Rule, classification
from ...style.symbols import symbol_of
from ...style.values import CategoryReader, NumberReader, Numbers, TextSample, is_text_field, require_number_field
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


class Made(NamedTuple):
    """What a method came to: the renderer, what the result says of it, remarks."""

    drawn: renderers.Drawn
    data: Dict[str, Any]
    notes: List[str]


Making = Generator[Step, Any, Made]


@tool("set_render_rule", effect="view", runs="task")
def set_render_rule(
    call: Call,
    layer_id: str,
    method: str,
    field: Optional[str] = None,
    classes: Optional[int] = None,
    palette: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Draw a layer with one colour, by categories, in classes whose limits come from the data, or as a density of points.

    Undone, when QGIS does not take it over. The earlier style is kept under the returned ``rule_id``.
    """
    rule = Rule(method, field, classes, palette, dict(options or {}))
    layer = _drawable(call, layer_id)
    made = yield from _MAKERS[method](call, layer_id, rule)
    layer = _drawable(call, layer_id)
    data: Dict[str, Any] = {"layer_id": call.host.layers.alias(layer), "rule_id": "", "method": method, **made.data}
    own = sizes.title_for(made.drawn.look.sizes, measures.label(str(data.get("field") or layer.name())))
    title = titles.title_after(
        call.host, layer, titles.subject(made.drawn.renderer), rule.more.get("legend_title"), own
    )
    uncounted: List[str] = []
    data["rule_id"] = _apply(call, layer, made.drawn, title, uncounted)
    data["classes"] = made.drawn.classes
    data.update(titles.said(title))
    notes = [*made.notes, *([title.note] if title.note else []), *_size_note(own, title.text), *uncounted]
    if rule.unused():
        notes.append(
            translate("QgisAgent", "The method {} does not use {}.").format(method, ", ".join(sorted(rule.unused())))
        )
    if layer.subsetString():
        notes.append(
            translate("QgisAgent", "The layer's filter is in force: classes are those of the filtered features.")
        )
    _report(call, data, made.drawn)
    return Answer(data, " ".join(notes), rows_key="classes")


def _single(call: Call, layer_id: str, rule: Rule) -> Making:
    notes: List[str] = []
    look, said = yield from _look(call, layer_id, rule, notes)
    layer = _drawable(call, layer_id)
    return Made(renderers.single(layer, _single_color(layer, rule), look), said, notes)


def _graduated(call: Call, layer_id: str, rule: Rule) -> Making:
    layer = _drawable(call, layer_id)
    name = _needed(layer, rule)
    method, breaks = classification(rule.more)
    if is_text_field(layer, name):
        found = yield Work(translate("QgisAgent", "Reading values"), TextSample(layer, name).read)
        require_number_field(_drawable(call, layer_id), name, *found)
    reader = NumberReader(layer, name)
    wanted = rule.classes or DEFAULT_CLASSES
    numbers, classes = yield Work(
        translate("QgisAgent", "Reading values"), lambda feedback: _classified(reader, feedback, method, wanted, breaks)
    )
    _require_values(numbers, name)
    palette = rule.palette or palettes.DEFAULT_GRADUATED
    notes = [*_notes_of(numbers, classes), *palettes.order_notes(palette, len(classes.counts))]
    look, said = yield from _look(call, layer_id, rule, notes)
    layer = _drawable(call, layer_id)
    drawn = renderers.graduated(layer, reader.attribute, classes, method, palette, rule.reverse, look)
    data = {"field": name, "classification": method, **_palette_said(palette, len(classes.counts)), **said}
    data.update(features=numbers.total, null_count=numbers.nulls, not_drawn=numbers.missing + classes.left_out)
    if classes.sample:
        data["sample"] = classes.sample
    return Made(drawn, data, notes)


def _categorized(call: Call, layer_id: str, rule: Rule) -> Making:
    layer = _drawable(call, layer_id)
    name = _needed(layer, rule)
    found = yield Work(translate("QgisAgent", "Reading values"), CategoryReader(layer, name, rule.classes).read)
    layer = _drawable(call, layer_id)
    if not found.entries:
        raise _no_features(layer)
    notes: List[str] = []
    look, said = yield from _look(call, layer_id, rule, notes)
    layer = _drawable(call, layer_id)
    valued = sum(1 for each in found.entries if each.value is not None)
    palette = rule.palette or palettes.default_categorized(valued)
    drawn = renderers.categorized(layer, name, found.entries, palette, rule.reverse, look)
    missing, others = found.nulls + found.empty, sum(each.count for each in found.entries if each.others)
    data = {"field": name, **_palette_said(palette, valued), **said}
    data.update(features=sum(each.count for each in found.entries), null_count=missing, not_drawn=0)
    if others:
        data["other_values"] = found.distinct - valued
        notes.append(
            translate("QgisAgent", "{} more values ({} features, {} of them without a value) are one category.").format(
                found.distinct - valued, others, missing
            )
        )
    elif missing:
        notes.append(translate("QgisAgent", "{} features without a value are a category of their own.").format(missing))
    if found.empty:
        data["empty_count"] = found.empty
        notes.append(
            translate("QgisAgent", "{} of them hold an empty text, which QGIS draws like NULL.").format(found.empty)
        )
    if valued > palettes.size(palette):
        notes.append(translate("QgisAgent", "So many colours are hard to tell apart; give classes for fewer."))
    return Made(drawn, data, notes)


def _heatmap(call: Call, layer_id: str, rule: Rule) -> Making:
    layer = _drawable(call, layer_id)
    density.require_points(layer, rule.method)
    radius = _radius(rule)
    notes: List[str] = []
    data: Dict[str, Any] = {"radius_mm": radius}
    weight = ""
    if rule.field is not None:
        reader = NumberReader(
            layer, rule.field, otherwise=translate("QgisAgent", "Without field every point counts the same.")
        )
        numbers = yield Work(translate("QgisAgent", "Reading values"), reader.read)
        _require_values(numbers, rule.field)
        weight = reader.attribute
        data.update(field=rule.field, features=numbers.total, null_count=numbers.nulls, not_drawn=numbers.missing)
        if numbers.missing:
            notes.append(
                translate("QgisAgent", "{} of {} features have no weight and count nothing.").format(
                    numbers.missing, numbers.total
                )
            )
        if numbers.values[0] < 0:
            notes.append(translate("QgisAgent", "Some weights are below 0 and take from the density."))
    palette = rule.palette or palettes.DEFAULT_HEATMAP
    notes.extend(palettes.order_notes(palette, palettes.size(palette)))
    data.update(_palette_said(palette, min(5, palettes.size(palette))))
    return Made(renderers.of_density(density.heatmap(radius, weight, palette, rule.reverse)), data, notes)


def _grouped(call: Call, layer_id: str, rule: Rule) -> Making:
    """Clusters, or points moved apart: nothing is to be read."""
    layer = _drawable(call, layer_id)
    density.require_points(layer, rule.method)
    radius = _radius(rule)
    yield from ()
    return Made(
        renderers.of_density(density.grouped(layer, rule.method, radius, rule.color, rule.opacity)),
        {"radius_mm": radius},
        [],
    )


_MAKERS: Dict[str, Callable[[Call, str, Rule], Making]] = {
    "single": _single,
    "graduated": _graduated,
    "categorized": _categorized,
    "heatmap": _heatmap,
    "cluster": _grouped,
    "displacement": _grouped,
}


def _look(
    call: Call, layer_id: str, rule: Rule, notes: List[str]
) -> Generator[Step, Any, Tuple[renderers.Look, Dict[str, Any]]]:
    """Size and opacity of the symbols, and what the result says of them."""
    layer = _drawable(call, layer_id)
    opacity = rule.opacity if "color" in USES[rule.method] else None
    field, size_mm = sizes.parsed(rule.more.get("size"))
    if not field:
        if rule.more.get("size") is not None:
            size_mm = sizes.check_fixed(size_mm, layer.geometryType())
        return renderers.Look(size_mm, None, opacity), ({"size_mm": size_mm} if size_mm else {})
    reader = NumberReader(layer, field, otherwise=translate("QgisAgent", "Or give size in millimetres."))
    numbers = yield Work(translate("QgisAgent", "Reading sizes"), reader.read)
    found = sizes.sizes_of(field, reader.attribute, numbers, _drawable(call, layer_id).geometryType())
    return renderers.Look(0.0, found, opacity), {"size": sizes.describe(found, notes)}


def _classified(
    reader: NumberReader, feedback: Any, method: str, classes: int, breaks: List[float]
) -> Tuple[Numbers, Optional[Classes]]:
    numbers = reader.read(feedback)
    if not len(numbers.values):
        return numbers, None
    return numbers, classify(numbers.values, method, classes, breaks)


def _size_note(own: str, title: Optional[str]) -> List[str]:
    if not own:
        return []
    if title == own:
        return [translate("QgisAgent", "Legends cannot show these sizes, so the legend title tells the largest.")]
    return [
        translate("QgisAgent", "Legends cannot show these sizes; the title could tell the largest: '{}'.").format(own)
    ]


def _apply(call: Call, layer: QgsVectorLayer, drawn: renderers.Drawn, title: titles.Title, notes: List[str]) -> str:
    """Set the renderer, read it back, draw; returns the rule id. Everything is as before when it was not taken over."""
    before = snapshot(call.host, layer)
    layer.setRenderer(drawn.renderer.clone())
    if not renderers.matches(layer, drawn):
        restore(call.host, before)
        raise renderers.not_kept(layer)
    titles.put_title(call.host, layer, title)
    if before.show_counts and sizes.explained(layer.renderer()):
        set_show_counts(call.host, layer, False)
        notes.append(
            translate("QgisAgent", "The legend no longer counts features: QGIS would write [0] beside the sizes.")
        )
    rule_id = history_of(call.host).remember(before)
    call.host.repaint(layer)
    return rule_id


def _report(call: Call, data: Dict[str, Any], drawn: renderers.Drawn) -> None:
    alias, rule = data["layer_id"], {"method": data["method"], "field": data.get("field")}
    rule["breaks"] = [each["upper"] for each in drawn.classes[:-1] if "upper" in each] or None
    rule["colors"] = drawn.colors
    rule["size_field"] = data.get("size", {}).get("field")
    rule["radius_mm"] = data.get("radius_mm")
    call.acted(
        "render",
        layer_id=alias,
        rule_id=data["rule_id"],
        rule={key: each for key, each in rule.items() if each is not None},
    )
    title = data.get("legend_title")
    items = [{"label": each["label"], "color": each["color"]} for each in drawn.classes]
    call.add_legend(alias, [dict(each, title=title) for each in items] if title else items)
    if data["method"] in density.METHODS:
        text = translate("QgisAgent", "{}: {}, radius {} mm").format(alias, data["method"], data["radius_mm"])
    elif data["method"] == "single":
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


def _needed(layer: QgsVectorLayer, rule: Rule) -> str:
    if rule.field is not None:
        return rule.field
    graduated = rule.method == "graduated"
    kinds = ("integer", "number") if graduated else ("text", "integer", "boolean", "date", "number")
    names = [each.name() for each in seen_fields(layer) if field_type(each) in kinds]
    if graduated:
        names += measures.names_for(layer_kind(layer))
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The method {} needs a field.").format(rule.method),
        hint=translate("QgisAgent", "Give field, one of: {}.").format(", ".join(names[:12]) or "-"),
        reason="field",
    )


def _radius(rule: Rule) -> float:
    field, size = sizes.parsed(rule.more.get("size"))
    if field:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "size is the radius in mm here, and '{}' is a text.").format(clean_text(field, 60)),
            hint=translate("QgisAgent", "Give a number of millimetres; the field of a heatmap is its weight."),
            reason="size",
        )
    return density.radius_of(rule.method, size if rule.more.get("size") is not None else None)


def _single_color(layer: QgsVectorLayer, rule: Rule) -> str:
    if rule.color:
        return rule.color
    if rule.palette:
        return palettes.colors(rule.palette, 3, rule.reverse)[-1]
    symbol = symbol_of(layer.renderer())
    return str(symbol.color().name()) if symbol is not None else palettes.RESULT_COLORS[0]


def _palette_said(palette: str, count: int) -> Dict[str, Any]:
    return {"palette": palette, "colorblind_safe": palettes.colorblind_safe(palette, count)}


def _notes_of(numbers: Numbers, classes: Classes) -> List[str]:
    """What a person must know of these classes: features that none of them draws, and classes that draw none."""
    notes: List[str] = []
    if numbers.missing:
        notes.append(
            translate("QgisAgent", "{} of {} features have no value and are not drawn.").format(
                numbers.missing, numbers.total
            )
        )
    notes.extend(classes.notes)
    bare = [label for label, count in zip(classes.labels(), classes.counts) if not count]
    if bare:
        shown = ", ".join(bare[:4]) + (", …" if len(bare) > 4 else "")
        notes.append(
            translate("QgisAgent", "{} of {} classes hold no feature: {}.").format(
                len(bare), len(classes.counts), shown
            )
        )
    return notes


def _require_values(numbers: Numbers, field: str) -> None:
    if len(numbers.values):
        return
    if numbers.missing:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "All {} features are without a value in '{}', so there are no classes.").format(
                numbers.missing, field
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
