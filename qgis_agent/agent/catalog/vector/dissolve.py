"""Contracts of the pack "vector": dissolving, and tables of groups."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_


class GroupAggregate(Arguments):
    """One aggregate of a field."""

    field: FieldName
    function: Literal["sum", "mean", "median", "min", "max", "count", "count_distinct", "concatenate"]


GroupBy = Annotated[list[FieldName], Field(max_length=5, description="One group for each of their values; [] = all.")]
Aggregates = Annotated[list[GroupAggregate], Field(max_length=8, description="NULL is left out.")]


class DissolveOptions(Arguments):
    """What is rarely needed."""

    separate_parts: Annotated[bool, Field(description="A feature for each part that touches no other.")] = False


class DissolveLayer(Arguments):
    """Arguments of dissolve_layer."""

    layer_id: LayerId
    fields: GroupBy = []  # noqa: RUF012
    aggregates: Aggregates = []  # noqa: RUF012
    where: Where_ = []  # noqa: RUF012
    options: DissolveOptions = DissolveOptions()


class AggregateOptions(Arguments):
    """How the table is sorted."""

    order_by: Annotated[str, Field(max_length=160, description="A column of the result, e.g. count.")] = ""
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
        "dissolve_layer", "vector", "qgis", "create",
        "Merge features that share the values of fields into one each; adds a layer with count and aggregates "
        "(field_function). Not for numbers alone (aggregate_layer). Returns layer_id, rows, areas.",
        DissolveLayer, "Dissolving {layer_id}", timeout_s=300,
    ),
    Contract(
        "aggregate_layer", "vector", "qgis", "create",
        "Group rows by fields; adds a table without geometry: the fields, count, aggregates (field_function). Not for one "
        "field's summary (summarize_field) or a new geometry (dissolve_layer). Returns layer_id, rows, totals.",
        AggregateLayer, "Grouping {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
