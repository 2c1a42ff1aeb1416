"""Contracts of the pack "overlay": dissolving, and tables of groups."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import ADVERTISED
from ..base import Arguments, Contract, FieldName, LayerId, Where_


class GroupAggregate(Arguments):
    """One aggregate of a field."""

    field: FieldName
    function: Literal["sum", "mean", "median", "min", "max", "count", "count_distinct", "concatenate"]


GroupBy = Annotated[list[FieldName], Field(max_length=5, description="A group for each value; [] = all.")]
Aggregates = Annotated[list[GroupAggregate], Field(max_length=8, description="NULL is left out.")]
_ELSEWHERE = {
    ADVERTISED: {"type": "array", "items": {"type": "object"}, "description": "As in aggregate_layer."},
}
AggregatesElsewhere = Annotated[
    list[GroupAggregate], Field(max_length=8, description="NULL is left out.", json_schema_extra=_ELSEWHERE)
]
"""The same, in a tool that is shown beside the one that explains it."""


class DissolveOptions(Arguments):
    """What is rarely needed."""

    separate_parts: Annotated[bool, Field(description="Split parts that do not touch.")] = False


class DissolveLayer(Arguments):
    """Arguments of dissolve_layer."""

    layer_id: LayerId
    fields: GroupBy = []  # noqa: RUF012
    aggregates: AggregatesElsewhere = []  # noqa: RUF012
    where: Where_ = []  # noqa: RUF012
    options: DissolveOptions = DissolveOptions()


class AggregateOptions(Arguments):
    """How the table is sorted."""

    order_by: Annotated[str, Field(max_length=160, description="A column of the result.")] = ""
    descending: bool = False


class AggregateLayer(Arguments):
    """Arguments of aggregate_layer."""

    layer_id: LayerId
    fields: GroupBy = []  # noqa: RUF012
    aggregates: Aggregates = []  # noqa: RUF012
    where: Where_ = []  # noqa: RUF012
    options: AggregateOptions = AggregateOptions()


CONTRACTS = (
    Contract(
        "dissolve_layer", "overlay", "qgis", "create",
        "Merge the features of each group into one; adds a layer with count and aggregates. Use it for new areas; not for "
        "numbers alone (aggregate_layer). Returns layer_id, rows, areas.",
        DissolveLayer, "Dissolving {layer_id}", timeout_s=300,
    ),
    Contract(
        "aggregate_layer", "overlay", "qgis", "create",
        "Group rows by fields; adds a table: fields, count, aggregates (field_function). Use it for a table of numbers; not "
        "for one field (summarize_field) or shapes (dissolve_layer). Returns layer_id, rows.",
        AggregateLayer, "Grouping {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
