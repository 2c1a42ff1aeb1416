"""Contracts of the pack "inspect": charts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract

ChartKind = Literal["bar", "line", "histogram", "scatter", "box"]
Column = Annotated[str, Field(min_length=1, max_length=128)]
Source = Annotated[str, Field(min_length=1, max_length=80, json_schema_extra=plain("string"))]


class MakeChart(Arguments):
    """Arguments of make_chart. One of ``layer_id`` and ``result_ref`` is given."""

    kind: ChartKind
    x: Annotated[
        str,
        Field(
            min_length=1,
            max_length=128,
            description="Field. bar, box: categories; line: number or date; scatter: number; histogram: the number.",
        ),
    ]
    y: Annotated[str, Field(min_length=1, max_length=128, description="Number field; bar: absent counts.")] | None = (
        None
    )
    layer_id: Source | None = None
    result_ref: Source | None = None
    title: Annotated[str, Field(max_length=80)] | None = None


class ReadChartValues(Arguments):
    """Arguments of read_chart_values, which make_chart calls for what it draws."""

    kind: ChartKind
    x: Column
    y: Column | None = None
    layer_id: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    result_ref: Annotated[str, Field(min_length=8, max_length=80)] | None = None


CONTRACTS = (
    Contract(
        "make_chart", "inspect", "agent", "read",
        "Draw a chart of a layer's fields, or of an earlier result by its result_ref, and show it in the answer. Use it when a "
        "chart is asked for, not for a map. bar sums y per category; box without y is of x. Returns the values that it shows.",
        MakeChart, "Drawing a chart of {x}", timeout_s=60,
    ),
    Contract(
        "read_chart_values", "inspect", "qgis", "read",
        "Read what a chart shows. Internal: use it from make_chart only, not as a model. Returns rows of the chart.",
        ReadChartValues, "Reading the values of {x}", timeout_s=60, internal=True,
    ),
)  # fmt: skip
