"""Contracts of the pack "join": joins by place and by value."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_

Fields = Annotated[list[FieldName], Field(max_length=40)]
Prefix = Annotated[str, Field(max_length=20, pattern=r"^\w*$", description="Of added fields.")]
OtherLayer = Annotated[str, Field(min_length=1, max_length=80)]


class SpatialJoinOptions(Arguments):
    """What is rarely needed."""

    mode: Annotated[
        Literal["first", "largest_overlap", "one_to_many", "summary"],
        Field(description="summary: count, and functions of fields."),
    ] = "first"
    functions: Annotated[list[Literal["sum", "mean", "min", "max"]], Field(min_length=1, max_length=4)] = ["sum"]  # noqa: RUF012
    prefix: Prefix = ""
    keep_unmatched: bool = True
    where: Where_ = []  # noqa: RUF012
    join_where: Where_ = []  # noqa: RUF012


class SpatialJoin(Arguments):
    """Arguments of spatial_join."""

    layer_id: LayerId
    join_layer_id: OtherLayer
    predicate: Annotated[
        Literal["intersects", "within", "contains", "touches", "overlaps", "equals", "crosses", "within_distance"],
        Field(description="layer_id … join_layer_id."),
    ] = "intersects"
    distance_m: Annotated[float, Field(gt=0, le=1_000_000, description="For within_distance.")] | None = None
    fields: Annotated[list[FieldName], Field(max_length=40, description="To add; none: all.")] = []  # noqa: RUF012
    options: SpatialJoinOptions = SpatialJoinOptions()


class AttributeJoinOptions(Arguments):
    """What is rarely needed."""

    mode: Literal["first", "one_to_many"] = "first"
    match: Annotated[
        Literal["exact", "number", "trim", "trim_ignore_case"],
        Field(description="number: 01001 is 1001."),
    ] = "exact"
    prefix: Prefix = ""
    keep_unmatched: bool = True
    where: Where_ = []  # noqa: RUF012
    join_where: Where_ = []  # noqa: RUF012


class JoinAttribute(Arguments):
    """Arguments of join_attribute."""

    layer_id: LayerId
    field: FieldName
    join_layer_id: OtherLayer
    join_field: Annotated[str, Field(max_length=128, description="Default: as field.")] = ""
    fields: Annotated[list[FieldName], Field(max_length=40, description="To add; none: all.")] = []  # noqa: RUF012
    options: AttributeJoinOptions = AttributeJoinOptions()


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "spatial_join", "join", "qgis", "create",
        "Give features the fields of what lies at their place; adds a layer. For which district a point is in; not for plain "
        "counts (stat_by_polygon) or nearest (nearest_features). Returns layer_id, rows in and out, matched, unmatched, multiple.",
        SpatialJoin, "Joining {join_layer_id} to {layer_id} by place", timeout_s=300,
    ),
    Contract(
        "join_attribute", "join", "qgis", "create",
        "Join a table by a key field; adds a layer. For codes or names; not by place (spatial_join). NULL never matches. Returns "
        "layer_id, matched, duplicate and unmatched keys.",
        JoinAttribute, "Joining {join_layer_id} to {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
