"""Handlers of the pack "default": places by name."""

from __future__ import annotations

from typing import Any, Generator, List, Optional, Tuple

from qgis.core import (
    QgsRectangle,
    QgsVectorLayer,
)

from ...call import Call
from ...conditions import MAX_VALUES
from ...errors import AMBIGUOUS, NOT_FOUND, UNSUPPORTED, ToolError
from ...extents import bbox_degrees
from ...features import FeatureReader
from ...host import RESULT_GROUP
from ...i18n import translate
from ...layers import clean_text
from ...places import (
    MAX_HITS,
    Hit,
    by_ids,
    find,
    find_group,
    one_each,
    options_of,
    originals,
    parse_group,
    place_layer,
    similar,
    split_layer,
)
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
MAX_FILTERED = 5
"""Layers with a filter that are named where a place was not found."""


@tool("resolve_place", effect="read", runs="task")
def resolve_place(call: Call, text: str, use_selection: bool = False, layer_id: Optional[str] = None) -> Steps:
    """Features that ``text`` names, "place [layer]" in this layer only. Several candidates raise AMBIGUOUS with options.

    Copies in QGIS Agent's own results do not count where another layer has the place, and equal places count once.
    """
    host = call.host
    titles = host.layers.titles()
    if layer_id is None:
        text, named = split_layer(text, {alias: (title,) for alias, title in titles.items()})
        layer_id = named or None
    if layer_id is not None:
        vectors = [call.vector_layer(layer_id)]
    else:
        every = (host.layers.by_alias(alias) for alias in host.layers.aliases())
        vectors = [each for each in every if isinstance(each, QgsVectorLayer) and each.isValid()]
    selected = [each for each in vectors if each.selectedFeatureCount()] if use_selection else []
    if len(selected) > 1:
        raise _ambiguous_layers(call, selected, text)
    found = (place_layer(host.layers.alias(layer), layer, _is_result(call, layer)) for layer in selected or vectors)
    layers = [each for each in found if each]
    message = ""
    group = parse_group(text) if use_selection else None
    if selected:
        if not layers:
            raise _no_names(selected[0])
        ids = selected[0].selectedFeatureIds()
        hits = yield Work(
            translate("QgisAgent", "Reading the selection"), lambda feedback: by_ids(layers[0], ids, feedback)
        )
        if group is not None and group[0] != len(hits):
            message = translate("QgisAgent", "{} features are selected, not {}.").format(len(hits), group[0])
    elif group is not None:
        groups = yield Work(
            translate("QgisAgent", "Looking for places"),
            lambda feedback: find_group(layers, group[1], group[0], feedback),
        )
        hits = _one_group(call, groups, text)
        message = translate(
            "QgisAgent", "Nothing is selected; '{}' has exactly {} that fit, so these are taken."
        ).format(titles[hits[0].alias], group[0])
    elif use_selection:
        raise _nothing_selected()
    else:
        hits = yield Work(translate("QgisAgent", "Looking for places"), lambda feedback: find(layers, text, feedback))
        hits = originals(hits, layers)
        hits = one_each(hits, [_box_of_hit(call, hit) for hit in hits])
        if not hits:
            alike = yield Work(
                translate("QgisAgent", "Looking for places"), lambda feedback: similar(layers, text, feedback)
            )
            alike = originals(alike, layers)
            alike = one_each(alike, [_box_of_hit(call, hit) for hit in alike])
            raise _no_place(text, options_of(alike, titles, text), [each for each in vectors if each.subsetString()])
        number = len({(hit.alias, hit.fid) for hit in hits})
        if number > 1:
            raise ToolError(
                AMBIGUOUS,
                translate("QgisAgent", "'{}' can mean {} places.").format(text, number)
                if len(hits) < MAX_HITS
                else translate("QgisAgent", "'{}' can mean {} places or more.").format(text, number),
                hint=translate("QgisAgent", "Let the person choose from data.options."),
                reason="place",
                options=options_of(hits, titles, text),
            )
    return (yield from _place_answer(call, hits, message))


def _is_result(call: Call, layer: QgsVectorLayer) -> bool:
    """Whether a layer is a result of QGIS Agent: made in this session, or in the group for results."""
    group = call.host.layers.group_of(layer).split(" / ")[0]
    return layer.id() in call.host.created_layers or group == RESULT_GROUP


def _box_of_hit(call: Call, hit: Hit) -> Optional[Tuple[float, ...]]:
    """The box of a hit in degrees, rounded to about a metre, to compare places of layers in different CRS."""
    if hit.bbox is None:
        return None
    box = bbox_degrees(QgsRectangle(*hit.bbox), call.vector_layer(hit.alias).crs(), call.host.project)
    return None if box is None else tuple(round(each, 5) for each in box)


def _place_answer(call: Call, hits: List[Hit], message: str) -> Steps:
    layer = call.vector_layer(hits[0].alias)
    box = QgsRectangle()
    for hit in hits:
        if hit.bbox is not None:
            box.combineExtentWith(QgsRectangle(*hit.bbox))
    data = {"layer_id": hits[0].alias, "names": [hit.name for hit in hits], "count": len(hits)}
    data["bbox"] = bbox_degrees(box, layer.crs(), call.host.project)
    said = [message]
    if layer.isSpatial() and all(hit.bbox is None for hit in hits):
        said.append(translate("QgisAgent", "It has no geometry, so it has no place on the map."))
    if len(hits) > MAX_VALUES:
        said.append(translate("QgisAgent", "They are too many for a condition: use the selection (use_selection)."))
        return Answer(data, " ".join(filter(None, said)), rows_key="names")
    data["field"], data["values"], number = yield from _condition(layer, hits)
    data["where"] = _where(data["field"], data["values"])
    if number != len(hits):
        data["where_matches"] = number
        said.append(
            translate("QgisAgent", "Nothing tells it from others: where finds {} features, not {}.").format(
                number, len(hits)
            )
        )
    return Answer(data, " ".join(filter(None, said)), rows_key="names")


def _condition(layer: QgsVectorLayer, hits: List[Hit]) -> Generator[Step, Any, Tuple[str, List[Any], int]]:
    """A field and values that find the hits, and how many features they find: others too, where no code or key tells."""
    place, value = place_layer(hits[0].alias, layer), (hits[0].field, [hit.value for hit in hits])
    choices = [value]
    if place is not None:
        codes = [hit.code for hit in hits]
        one_each = place.exact_code and len(set(codes)) == len(codes)
        choices = [*([(place.exact_code, codes)] if one_each else []), value, (place.key, [hit.key for hit in hits])]
    found: List[Tuple[int, str, List[Any]]] = []
    for field, values in [each for each in choices if each[0] and None not in each[1]]:
        number = yield Work(translate("QgisAgent", "Counting"), FeatureReader(layer, _where(field, values)).count)
        if number == len(hits):
            return field, values, number
        found.append((number, field, values))
    number, field, values = min(found, key=lambda each: abs(each[0] - len(hits)), default=(0, *value))
    return field, values, number


def _where(field: str, values: List[Any]) -> List[Any]:
    return [{"field": field, "op": "in", "value": values}]


def _one_group(call: Call, groups: List[List[Any]], text: str) -> List[Any]:
    if len(groups) == 1:
        return groups[0]
    if not groups:
        raise _nothing_selected()
    layers = [call.vector_layer(group[0].alias) for group in groups]
    raise _ambiguous_layers(call, layers, text)


def _ambiguous_layers(call: Call, layers: List[QgsVectorLayer], text: str) -> ToolError:
    titles = call.host.layers.titles()
    aliases = [call.host.layers.alias(each) for each in layers]
    return ToolError(
        AMBIGUOUS,
        translate("QgisAgent", "'{}' can mean features of {} layers.").format(text, len(layers)),
        hint=translate("QgisAgent", "Let the person choose the layer, then call again with layer_id."),
        reason="layer",
        options=[
            {"label": "{} [{}]".format(text, titles[alias]), "layer_id": alias, "replaces": text} for alias in aliases
        ],
    )


def _nothing_selected() -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "No features are selected."),
        hint=translate("QgisAgent", "Select the features on the map, or name them."),
        reason="selection",
    )


def _no_names(layer: QgsVectorLayer) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer '{}' has no field with names or codes.").format(clean_text(layer.name(), 60)),
        hint=translate("QgisAgent", "Use query_features to look at its fields."),
        reason="no_name_field",
    )


def _no_place(text: str, alike: List[Any], filtered: List[QgsVectorLayer]) -> ToolError:
    """NOT_FOUND with names that look like it; what the filters of ``filtered`` hide cannot be found, and that is said."""
    hint = (
        translate("QgisAgent", "Names that look like it: {}. Let the person choose from data.options.").format(
            ", ".join(each["label"] for each in alike[:3])
        )
        if alike
        else translate(
            "QgisAgent",
            "Try the full name or the code, as the data writes it (names are not translated), or see the names with "
            "list_values.",
        )
    )
    if filtered:
        # Without quotation marks: what stands in them is offered as another spelling of the place.
        names = ", ".join(clean_text(each.name(), 60).replace("'", "") for each in filtered[:MAX_FILTERED])
        hint += " " + translate("QgisAgent", "What a filter hides is not found; filters are in force in: {}.").format(
            names
        )
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "No feature of the project is called '{}'.").format(text),
        hint=hint,
        reason="place",
        options=alike or None,
    )
