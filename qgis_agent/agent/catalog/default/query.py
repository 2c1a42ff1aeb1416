"""Contracts of the pack "default": reading features."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract, FieldName, LayerId, Limit, ResultRef, Where_, WhereExplained


class FetchResult(Arguments):
    """Arguments of fetch_result."""

    result_ref: ResultRef
    cursor: Annotated[
        int,
        Field(
            ge=0,
            description="Row to start at; take next from the last page.",
            json_schema_extra=plain("integer"),
        ),
    ] = 0
    page_size: Annotated[
        int,
        Field(
            ge=1, description="Rows of a page; more than 200 are never returned.", json_schema_extra=plain("integer")
        ),
    ] = 20


class QueryFeatures(Arguments):
    """Arguments of query_features."""

    layer_id: LayerId
    where: WhereExplained = []  # noqa: RUF012
    fields: Annotated[list[FieldName], Field(max_length=60, description="Empty: all fields.")] = []  # noqa: RUF012
    order_by: (
        Annotated[
            str,
            Field(min_length=1, max_length=128, description="Field to sort by.", json_schema_extra=plain("string")),
        ]
        | None
    ) = None
    descending: bool = False
    limit: Limit = 20


class CountFeatures(Arguments):
    """Arguments of count_features."""

    layer_id: LayerId
    where: Where_ = []  # noqa: RUF012
    group_by: Annotated[str, Field(min_length=1, max_length=128, json_schema_extra=plain("string"))] | None = None
    use_selection: Annotated[bool, Field(json_schema_extra=plain("boolean"))] = False


class SummarizeField(Arguments):
    """Arguments of summarize_field."""

    layer_id: LayerId
    field: FieldName
    where: Where_ = []  # noqa: RUF012
    use_selection: bool = False


class ListValues(Arguments):
    """Arguments of list_values."""

    layer_id: LayerId
    field: FieldName
    where: Where_ = []  # noqa: RUF012
    limit: Limit = 20
    contains: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=128,
                description="Only values with this text, whatever its case.",
                json_schema_extra=plain("string"),
            ),
        ]
        | None
    ) = None


CONTRACTS = (
    Contract(
        "fetch_result", "default", "qgis", "read",
        "Read more rows of an earlier result, when the sample is not enough; not for totals. Returns a page and next "
        "(the next cursor).",
        FetchResult, "Reading more rows", parallel=True,
    ),
    Contract(
        "query_features", "default", "qgis", "read",
        "Read rows of a layer's attribute table that match where. Use it to list or look up values; not to count "
        "(count_features). Returns rows without geometry, and the true total.",
        QueryFeatures, "Querying {layer_id}", timeout_s=60, parallel=True, cacheable=True,
    ),
    Contract(
        "count_features", "default", "qgis", "read",
        "Count features that match where, in all or per value of group_by. Use it for how many; not inside polygons. "
        "Returns exact counts.",
        CountFeatures, "Counting {layer_id}", timeout_s=60, parallel=True, cacheable=True,
    ),
    Contract(
        "summarize_field", "default", "qgis", "read",
        "Compute statistics of a field; not for counts per value (list_values). Returns sum, mean, median, quartiles, extremes, "
        "NULLs; of text lengths and how many look like numbers.",
        SummarizeField, "Summarising {field}", timeout_s=60, parallel=True, cacheable=True,
    ),
    Contract(
        "list_values", "default", "qgis", "read",
        "List the values of a field, before conditions on text; not for statistics (summarize_field). Returns values with counts, "
        "most frequent first.",
        ListValues, "Listing values of {field}", timeout_s=60, parallel=True, cacheable=True,
    ),
)  # fmt: skip
