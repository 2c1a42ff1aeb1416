"""Handlers of the pack "default"."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeatureRequest,
    QgsRectangle,
    QgsUnitTypes,
    QgsVectorLayer,
)

from ..call import Call
from ..conditions import Where, require_field, where_expression
from ..errors import AMBIGUOUS, INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ..features import MAX_ROWS, FeatureReader, expression_context, feature_source
from ..host import RESULT_GROUP, WGS84, transformed
from ..i18n import translate
from ..layers import clean_text, field_type, layer_kind, show_node
from ..places import (
    Hit,
    by_ids,
    find,
    find_group,
    one_each,
    options_of,
    originals,
    parse_group,
    place_layer,
    split_layer,
)
from ..style import handlers as _style_handlers  # noqa: F401  importing registers get_style and set_render_rule
from ..view import best_view, on_one_side, parts_of
from ..work import Answer, Step, Work
from .registry import tool

Steps = Generator[Step, Any, Answer]


def clamp_limit(limit: int) -> tuple[int, str]:
    """The limit in force, at most 200, and a sentence when it was lowered."""
    if limit <= MAX_ROWS:
        return limit, ""
    return MAX_ROWS, translate("QgisAgent", "limit {} was lowered to {}.").format(limit, MAX_ROWS)


@tool("describe_layer", effect="read", runs="task")
def describe_layer(call: Call, layer_id: str) -> Steps:
    """What a layer is. Extent in degrees (EPSG:4326); the number of features is counted, not estimated."""
    layer = call.layer(layer_id)
    crs = layer.crs()
    data: Dict[str, Any] = {
        "layer_id": call.host.layers.alias(layer),
        "name": clean_text(layer.name(), 120),
        "kind": layer_kind(layer),
        "crs": crs.authid() or clean_text(crs.description(), 60),
        "crs_unit": QgsUnitTypes.toString(crs.mapUnits()) if crs.isValid() else None,
        "visible": call.host.layers.is_visible(layer),
    }
    warnings: List[str] = []
    if not layer.isValid():
        warnings.append(translate("QgisAgent", "its data cannot be read"))
    elif not crs.isValid() and layer.isSpatial():
        warnings.append(translate("QgisAgent", "it has no CRS: distances and places cannot be computed"))
    if isinstance(layer, QgsVectorLayer) and layer.isValid():
        if layer.subsetString():
            warnings.append(
                translate("QgisAgent", "a filter is in force: {}").format(clean_text(layer.subsetString(), 200))
            )
        if layer.isEditable():
            warnings.append(translate("QgisAgent", "it is being edited"))
        reader = FeatureReader(layer, ())
        data["feature_count"] = yield Work(translate("QgisAgent", "Counting"), reader.count)
        data["count_kind"] = "exact"
        data["fields"] = [
            dict({"name": each.name(), "type": field_type(each)}, **({"alias": each.alias()} if each.alias() else {}))
            for each in layer.fields()
        ]
    data["bbox"] = _bbox_degrees(call, layer.extent(), crs)
    data["warnings"] = warnings
    return Answer(data, "", rows_key="fields")


def _bbox_degrees(call: Call, box: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> Optional[List[float]]:
    if box.isNull() or not box.isFinite() or not crs.isValid():
        return None
    try:
        degrees = transformed(box, crs, QgsCoordinateReferenceSystem(WGS84), call.host.project)
    except QgsCsException:
        return None
    values = [degrees.xMinimum(), degrees.yMinimum(), degrees.xMaximum(), degrees.yMaximum()]
    return [round(each, 6) for each in values] if degrees.isFinite() else None


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
            raise _no_place(text)
        number = len({(hit.alias, hit.fid) for hit in hits})
        if number > 1:
            raise ToolError(
                AMBIGUOUS,
                translate("QgisAgent", "'{}' can mean {} places.").format(text, number),
                hint=translate("QgisAgent", "Let the person choose from data.options."),
                reason="place",
                options=options_of(hits, titles, text),
            )
    return _place_answer(call, hits, message)


def _is_result(call: Call, layer: QgsVectorLayer) -> bool:
    """Whether a layer is a result of QGIS Agent: made in this session, or in the group for results."""
    group = call.host.layers.group_of(layer).split(" / ")[0]
    return layer.id() in call.host.created_layers or group == RESULT_GROUP


def _box_of_hit(call: Call, hit: Hit) -> Optional[Tuple[float, ...]]:
    """The box of a hit in degrees, rounded to about a metre, to compare places of layers in different CRS."""
    if not any(hit.bbox):
        return None
    box = _bbox_degrees(call, QgsRectangle(*hit.bbox), call.vector_layer(hit.alias).crs())
    return None if box is None else tuple(round(each, 5) for each in box)


def _place_answer(call: Call, hits: List[Any], message: str) -> Answer:
    layer = call.vector_layer(hits[0].alias)
    codes = [hit.code for hit in hits]
    place = place_layer(hits[0].alias, layer)
    by_code = place is not None and place.exact_code and None not in codes and len(set(codes)) == len(codes)
    field = place.exact_code if place is not None and by_code else hits[0].field
    values = codes if by_code else [hit.value for hit in hits]
    box = QgsRectangle(*hits[0].bbox)
    for hit in hits[1:]:
        box.combineExtentWith(QgsRectangle(*hit.bbox))
    data = {
        "layer_id": hits[0].alias,
        "field": field,
        "values": values,
        "names": [hit.name for hit in hits],
        "count": len(hits),
        "bbox": _bbox_degrees(call, box, layer.crs()),
        "where": [{"field": field, "op": "in", "value": values}],
    }
    return Answer(data, message, rows_key="names")


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
        translate("QgisAgent", "The layer '{}' has no field with names or codes.").format(layer.name()),
        hint=translate("QgisAgent", "Use query_features to look at its fields."),
        reason="no_name_field",
    )


def _no_place(text: str) -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "No feature of the project is called '{}'.").format(text),
        hint=translate("QgisAgent", "Try the full name or the code, or look at the names with query_features."),
        reason="place",
    )


@tool("fetch_result", effect="read")
def fetch_result(call: Call, result_ref: str, cursor: int = 0, page_size: int = 20) -> Answer:
    """A page of an earlier result."""
    capability = call.capability
    page = call.host.results.page(
        result_ref,
        cursor,
        page_size,
        project_id=call.host.project_id(),
        caller=capability.caller,
        session_id=capability.session_id,
    )
    return Answer(page, clamp_limit(page_size)[1], rows_key="rows", rows=[])


@tool("toggle_layer", effect="view")
def toggle_layer(call: Call, layer_id: str, visible: bool) -> Answer:
    """Show or hide a layer; the groups above one that is shown are switched on too. Read back before it counts as done."""
    layer = call.layer(layer_id)
    before = call.host.layers.is_visible(layer)
    groups = show_node(call.host.project, layer, visible)
    now = call.host.layers.is_visible(layer)
    if now != visible:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' is not in the layer tree.").format(layer_id),
            hint=translate("QgisAgent", "Add it to the layer tree in QGIS."),
            reason="not_in_tree",
        )
    call.host.project.setDirty(True)
    alias = call.host.layers.alias(layer)
    call.acted("layer", layer_id=alias, visible=visible)
    message = "" if before != now else translate("QgisAgent", "It was so already.")
    if groups:
        message = translate("QgisAgent", "Groups switched on with it: {}.").format(", ".join(groups))
    data: Dict[str, Any] = {"layer_id": alias, "visible": now, "changed": before != now}
    return Answer(dict(data, groups=groups) if groups else data, message)


@tool("zoom_to", effect="view", runs="task")
def zoom_to(
    call: Call, layer_id: Optional[str] = None, where: Where = (), bbox: Optional[List[float]] = None
) -> Generator[Step, Any, Answer]:
    """Move the map to a layer, to some of its features, or to a box in degrees (EPSG:4326)."""
    if (layer_id is None) == (bbox is None) or (where and layer_id is None):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "zoom_to needs either layer_id (with or without where) or bbox."),
            hint=translate("QgisAgent", "Give one of the two."),
            reason="tool_arguments",
        )
    left_out: List[Any] = []
    if bbox is not None:
        west, south, east, north = _checked_bbox(bbox)
    else:
        layer = call.layer(str(layer_id))
        _require_crs(layer)
        if isinstance(layer, QgsVectorLayer):
            parts = yield _read_parts(call, call.vector_layer(str(layer_id)), where)
            if not parts:
                raise _nothing_there(str(layer_id), bool(where))
            view = best_view(parts) if where else best_view([part._replace(area=0.0) for part in parts])
            west, south, east, north = view[:4]
            left_out = sorted(view.left_out, key=lambda part: -part.area)
        else:
            box = _bbox_degrees(call, layer.extent(), layer.crs())
            if box is None:
                raise _nothing_there(str(layer_id), False)
            west, south, east, north = box
    return _show(call, west, south, east, north, left_out)


def _show(call: Call, west: float, south: float, east: float, north: float, left_out: List[Any]) -> Answer:
    message = ""
    shown_west, shown_east = west, east
    if east > 180.0 and not call.host.map_crs().isGeographic():
        shown_west, shown_east = on_one_side(west, east)
        message = translate("QgisAgent", "The map's CRS ends at 180°, so only one side of it is shown.")
    degrees = QgsCoordinateReferenceSystem(WGS84)
    try:
        shown = call.host.set_extent(QgsRectangle(shown_west, south, shown_east, north), degrees)
    except QgsCsException:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "This place cannot be shown in the map's CRS ({}).").format(
                call.host.map_crs().authid()
            ),
            hint=translate("QgisAgent", "Change the project CRS, for example to EPSG:4326."),
            reason="crs",
        ) from None
    box = [round(each, 6) for each in (west, south, east, north)]
    call.host.remember_view(box)
    call.acted("zoom_to", bbox=box, padding=0.05)
    data: Dict[str, Any] = {"bbox": box, "crs": WGS84, "view_bbox": _bbox_degrees(call, shown, shown.crs())}
    if left_out:
        data["left_out"] = len(left_out)
        first = left_out[0]
        data["left_out_largest"] = [round(each, 2) for each in first[:4]]
        message = translate(
            "QgisAgent", "The main part is shown; {} parts farther away are not (the largest around {:.1f}, {:.1f})."
        ).format(len(left_out), (first.west + first.east) / 2, (first.south + first.north) / 2)
    return Answer(data, message)


def _checked_bbox(bbox: List[float]) -> List[float]:
    west, south, east, north = bbox
    if -180 <= west < east <= 360 and -90 <= south < north <= 90:
        return [west, south, east, north]
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "bbox is not a box in degrees."),
        hint=translate(
            "QgisAgent", "[west, south, east, north]: longitudes from -180 to 180, latitudes from -90 to 90."
        ),
        reason="bbox",
    )


def _require_crs(layer: Any) -> None:
    if not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so nobody knows where it is.").format(layer.name()),
            hint=translate("QgisAgent", "Set the layer's CRS in QGIS first."),
            reason="no_crs",
        )


def _nothing_there(layer_id: str, filtered: bool) -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "No feature of '{}' with a geometry matches.").format(layer_id)
        if filtered
        else translate("QgisAgent", "The layer '{}' has nothing to show.").format(layer_id),
        hint=translate("QgisAgent", "Check the condition with count_features."),
        reason="no_features",
    )


def _read_parts(call: Call, layer: QgsVectorLayer, where: Where) -> Work:
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    expression = where_expression(layer, where)
    if expression:
        request = QgsFeatureRequest().setFilterExpression(expression)
        request.setExpressionContext(expression_context(layer))
    source = feature_source(layer)
    to_degrees = QgsCoordinateTransform(
        layer.crs(), QgsCoordinateReferenceSystem(WGS84), call.host.project.transformContext()
    )
    return Work(
        translate("QgisAgent", "Reading geometry"), lambda feedback: parts_of(source, request, to_degrees, feedback)
    )


@tool("query_features", effect="read", runs="task")
def query_features(
    call: Call,
    layer_id: str,
    where: Where = (),
    fields: List[str] = (),  # type: ignore[assignment]
    order_by: Optional[str] = None,
    descending: bool = False,
    limit: int = 20,
) -> Steps:
    """Rows of the attribute table, with the exact total of what matches."""
    layer = call.vector_layer(layer_id)
    for name in list(fields) + ([order_by] if order_by else []):
        require_field(layer, name)
    wanted, note = clamp_limit(limit)
    reader = FeatureReader(layer, where)

    def read(feedback: Any) -> Any:
        return reader.count(feedback), reader.rows(feedback, fields, order_by or "", descending, wanted)

    total, rows = yield Work(translate("QgisAgent", "Reading rows"), read)
    data = {"layer_id": layer_id, "rows": rows, "total": total, "returned": len(rows), "count_kind": "exact"}
    if total == 0:
        note = translate("QgisAgent", "No feature matches.")
    return Answer(data, note, rows_key="rows")


@tool("count_features", effect="read", runs="task")
def count_features(call: Call, layer_id: str, where: Where = (), group_by: Optional[str] = None) -> Steps:
    """Exact counts, in all or by the values of a field."""
    layer = call.vector_layer(layer_id)
    if group_by is not None:
        require_field(layer, group_by)
    reader = FeatureReader(layer, where)
    data: Dict[str, Any] = {"layer_id": layer_id}
    if group_by is None:
        data["count"] = yield Work(translate("QgisAgent", "Counting"), reader.count)
    else:
        groups = yield Work(
            translate("QgisAgent", "Counting"), lambda feedback: reader.group_counts(feedback, group_by)
        )
        data["count"] = sum(number for _, number in groups)
        data["group_by"] = group_by
        data["total_groups"] = len(groups)
        data["groups"] = [{"value": value, "count": number} for value, number in groups]
    data["count_kind"] = "exact"
    message = "" if data["count"] else translate("QgisAgent", "No feature matches.")
    if layer.subsetString():
        message = (message + " " + translate("QgisAgent", "The layer's filter is in force.")).strip()
    return Answer(data, message, rows_key="groups" if group_by else "")
