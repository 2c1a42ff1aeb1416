"""Contracts of the pack "default": always shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Arguments, Bbox, Contract, FieldName, LayerId, Limit, ResultRef, Where_


class SearchLayers(Arguments):
    """Arguments of search_layers."""

    query: Annotated[
        str, Field(max_length=120, description="Words of the name, group, abstract or a field; empty lists all.")
    ]
    kind: Literal["any", "point", "line", "polygon", "raster", "table", "other"] = "any"
    limit: Limit = 10


class DescribeLayer(Arguments):
    """Arguments of describe_layer."""

    layer_id: LayerId


class ResolvePlace(Arguments):
    """Arguments of resolve_place."""

    text: Annotated[str, Field(max_length=120, description="Name or code of the place, as the person wrote it.")]
    use_selection: Annotated[
        bool, Field(description="True for 'these', 'the selected ones', 这三个: the features selected on the map.")
    ] = False
    layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Look in this layer only.")] | None = None


class FetchResult(Arguments):
    """Arguments of fetch_result."""

    result_ref: ResultRef
    cursor: Annotated[int, Field(ge=0, description="Row to start at; take next from the last page.")] = 0
    page_size: Annotated[int, Field(ge=1, description="Rows of a page; more than 200 are never returned.")] = 20


class AskUser(Arguments):
    """Arguments of ask_user."""

    question: Annotated[str, Field(min_length=1, max_length=400)]
    options: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=80)]],
        Field(max_length=6, description="Answers to choose from, shown as buttons."),
    ] = []  # noqa: RUF012  (pydantic copies defaults)


class RequestToolPack(Arguments):
    """Arguments of request_tool_pack."""

    pack: Literal["vector", "write"]


class ToggleLayer(Arguments):
    """Arguments of toggle_layer."""

    layer_id: LayerId
    visible: bool


class ZoomTo(Arguments):
    """Arguments of zoom_to."""

    layer_id: (
        Annotated[str, Field(min_length=1, max_length=80, description="Zoom to this layer, or to its where.")] | None
    ) = None
    where: Where_ = []  # noqa: RUF012
    bbox: Bbox | None = None


class QueryFeatures(Arguments):
    """Arguments of query_features."""

    layer_id: LayerId
    where: Where_ = []  # noqa: RUF012
    fields: Annotated[list[FieldName], Field(max_length=60, description="Empty: all fields.")] = []  # noqa: RUF012
    order_by: Annotated[str, Field(min_length=1, max_length=128, description="Field to sort by.")] | None = None
    descending: bool = False
    limit: Limit = 20


class CountFeatures(Arguments):
    """Arguments of count_features."""

    layer_id: LayerId
    where: Where_ = []  # noqa: RUF012
    group_by: (
        Annotated[str, Field(min_length=1, max_length=128, description="Count per value of this field.")] | None
    ) = None


class GetStyle(Arguments):
    """Arguments of get_style."""

    layer_id: LayerId
    part: Literal["all", "renderer", "labels", "legend"] = "all"
    cursor: Annotated[int, Field(ge=0, description="First class to return; take next from the last page.")] = 0


class RenderOptions(Arguments):
    """Less common settings of set_render_rule."""

    classification: Literal["equal_interval", "quantile", "natural_breaks", "pretty", "manual"] = "quantile"
    breaks: Annotated[
        list[float],
        Field(
            max_length=19,
            description="Only with classification manual: ascending inner limits; n breaks make n+1 classes.",
        ),
    ] = []  # noqa: RUF012
    reverse: Annotated[bool, Field(description="Turn the palette round.")] = False
    color: Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$", description="Colour of method single.")] | None = None
    opacity: Annotated[float, Field(ge=0, le=1)] | None = None
    legend_title: Annotated[str, Field(max_length=80)] | None = None


class SetRenderRule(Arguments):
    """Arguments of set_render_rule."""

    layer_id: LayerId
    method: Literal["single", "categorized", "graduated"]
    field: (
        Annotated[str, Field(min_length=1, max_length=128, description="Field of categorized and graduated.")] | None
    ) = None
    classes: Annotated[int, Field(ge=2, le=20, description="Number of classes of graduated.")] = 5
    palette: (
        Literal[
            "OrRd",
            "Blues",
            "Greens",
            "Reds",
            "Purples",
            "YlOrRd",
            "YlGnBu",
            "Viridis",
            "Spectral",
            "RdYlGn",
            "Set2",
            "Paired",
        ]
        | None
    ) = None
    options: RenderOptions = RenderOptions()


CONTRACTS = (
    Contract(
        "search_layers", "default", "agent", "read",
        "Find layers of the project by words (name, group, abstract, field). Use it first to get a layer_id. Returns the best "
        "matches with kind, fields and visibility. It does not read features.",
        SearchLayers, "Looking for layers: {query}",
    ),
    Contract(
        "describe_layer", "default", "qgis", "read",
        "What a layer is: kind, CRS and unit, extent, exact number of features, fields with type, filter in force, warnings. "
        "Use it before you query, style or analyse a layer that you do not know.",
        DescribeLayer, "Reading about {layer_id}",
    ),
    Contract(
        "resolve_place", "default", "qgis", "read",
        "Find a place by name or code among the features of the project's layers, or take the selected features. Returns "
        "layer_id, field and values to use in where. Several candidates give AMBIGUOUS: never choose for the person.",
        ResolvePlace, "Looking for the place {text}",
    ),
    Contract(
        "fetch_result", "default", "qgis", "read",
        "Read more rows of an earlier result by its result_ref.",
        FetchResult, "Reading more rows",
    ),
    Contract(
        "ask_user", "default", "agent", "read",
        "Ask the person one short question when the request cannot be carried out without an answer. Ends this run; the answer "
        "comes as the next message.",
        AskUser, "Asking you a question",
    ),
    Contract(
        "request_tool_pack", "default", "agent", "read",
        "Show the tools of another pack. vector: buffer and statistics by polygon. write: export to files (a person enables it).",
        RequestToolPack, "Getting the tools of {pack}",
    ),
    Contract(
        "toggle_layer", "default", "qgis", "view",
        "Show or hide a layer on the map (叠加, 打开, 关掉). Groups above a layer that is shown are switched on with it.",
        ToggleLayer, "Switching {layer_id}",
    ),
    Contract(
        "zoom_to", "default", "qgis", "view",
        "Move the map: to a layer, to the features of a layer that match where (places from resolve_place), or to a bbox. Give "
        "layer_id or bbox, not both.",
        ZoomTo, "Moving the map",
    ),
    Contract(
        "query_features", "default", "qgis", "read",
        "Read rows of a layer's attribute table that match where, with the true total. No geometry. To count only, use "
        "count_features.",
        QueryFeatures, "Querying {layer_id}", timeout_s=60,
    ),
    Contract(
        "count_features", "default", "qgis", "read",
        "Count the features that match where, in all or per value of group_by. Exact.",
        CountFeatures, "Counting {layer_id}", timeout_s=60,
    ),
    Contract(
        "get_style", "default", "qgis", "read",
        "The look of a layer as a style document: renderer, classes with limits and colours, labels, opacity.",
        GetStyle, "Reading the style of {layer_id}",
    ),
    Contract(
        "set_render_rule", "default", "qgis", "view",
        "Draw a layer with one colour (single), by categories of a field (categorized) or in classes of a number field "
        "(graduated, 分色, 分级). Class limits are computed from the data. Returns classes, legend, rule_id. Compute a density "
        "first (stat_by_polygon); counts are not densities.",
        SetRenderRule, "Styling {layer_id}", timeout_s=60,
    ),
)  # fmt: skip
