"""Handlers of the pack "default": reading features."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Sequence

from ...call import Call
from ...conditions import Where, require_field
from ...features import FeatureReader, clamp_limit
from ...i18n import translate
from ...null_facts import learn, tell
from ...selection import selected_ids
from ...summaries import FieldReader, most_frequent
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


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
        return reader.count_both(feedback), reader.rows(feedback, fields, order_by or "", descending, wanted)

    tell(call.host, layer, reader)
    (total, unknown), rows = yield Work(translate("QgisAgent", "Reading rows"), read)
    learn(call.host, layer, reader)
    data = {"layer_id": layer_id, "rows": rows, "total": total, "returned": len(rows), "count_kind": "exact"}
    notes = [
        note,
        "" if total else translate("QgisAgent", "No feature matches."),
        _left_out(data, unknown),
        translate("QgisAgent", "The layer's filter is in force.") if layer.subsetString() else "",
    ]
    return Answer(data, joined(notes), rows_key="rows")


@tool("count_features", effect="read", runs="task")
def count_features(
    call: Call, layer_id: str, where: Where = (), group_by: Optional[str] = None, use_selection: bool = False
) -> Steps:
    """Exact counts, in all or by the values of a field."""
    layer = call.vector_layer(layer_id)
    if group_by is not None:
        require_field(layer, group_by)
    reader = FeatureReader(layer, where, selected_ids(layer) if use_selection else None)
    data: Dict[str, Any] = {"layer_id": layer_id}

    def read(feedback: Any) -> Any:
        if group_by is None:
            return reader.count_both(feedback), []
        groups = reader.group_counts(feedback, group_by)
        return (sum(number for _, number in groups), reader.null_left_out(feedback)), groups

    tell(call.host, layer, reader)
    (data["count"], unknown), groups = yield Work(translate("QgisAgent", "Counting"), read)
    learn(call.host, layer, reader)
    data["count_kind"] = "exact"
    if group_by is not None:
        data["group_by"] = group_by
        data["total_groups"] = len(groups)
        data["groups"] = [{"value": value, "count": number} for value, number in groups]
    notes = [
        "" if data["count"] else translate("QgisAgent", "No feature matches."),
        _left_out(data, unknown),
        translate("QgisAgent", "The layer's filter is in force.") if layer.subsetString() else "",
        translate("QgisAgent", "Only the selected features.") if use_selection else "",
    ]
    return Answer(data, joined(notes), rows_key="groups" if group_by else "")


@tool("summarize_field", effect="read", runs="task")
def summarize_field(call: Call, layer_id: str, field: str, where: Where = (), use_selection: bool = False) -> Steps:
    """Numbers of a field, by its type; of texts also how many look like numbers or codes."""
    layer = call.vector_layer(layer_id)
    require_field(layer, field, ("integer", "number"))
    reader = FeatureReader(layer, where, selected_ids(layer) if use_selection else None)
    column = FieldReader(layer, field, reader)
    summary = yield Work(translate("QgisAgent", "Reading values"), column.summary)
    data = {"layer_id": layer_id, "field": field, "type": column.kind, **summary}
    notes = [
        "" if summary["count"] else translate("QgisAgent", "There are no values."),
        translate("QgisAgent", "{} features have no value (NULL) and are not part of it.").format(summary["nulls"])
        if summary["nulls"] and summary["count"]
        else "",
        translate("QgisAgent", "{} are infinite or no number (NaN) and are not part of it.").format(
            summary["not_finite"]
        )
        if summary.get("not_finite")
        else "",
        _numbers_as_text(summary),
        translate("QgisAgent", "The layer's filter is in force.") if layer.subsetString() else "",
        translate("QgisAgent", "Only the selected features.") if use_selection else "",
    ]
    return Answer(data, joined(notes))


def _numbers_as_text(summary: Dict[str, Any]) -> str:
    """Say that a field of text holds numbers: sorted as text 9 comes after 100."""
    if not summary.get("look_like_numbers"):
        return ""
    text = translate(
        "QgisAgent", "The field is text; {} of {} values look like numbers, and only as_numbers reads them so."
    ).format(summary["look_like_numbers"], summary["count"])
    if summary["leading_zeros"]:
        text += " " + translate("QgisAgent", "{} have leading zeros, so they may be codes.").format(
            summary["leading_zeros"]
        )
    return text


@tool("list_values", effect="read", runs="task")
def list_values(
    call: Call, layer_id: str, field: str, where: Where = (), limit: int = 20, contains: Optional[str] = None
) -> Steps:
    """The different values of a field with their counts, most frequent first."""
    layer = call.vector_layer(layer_id)
    require_field(layer, field)
    wanted, note = clamp_limit(limit)
    column = FieldReader(layer, field, FeatureReader(layer, where))
    found = yield Work(
        translate("QgisAgent", "Reading values"), lambda feedback: column.distinct(feedback, contains or "")
    )
    data = {
        "layer_id": layer_id,
        "field": field,
        "values": most_frequent(found, wanted),
        "total_distinct": len(found.counts),
        "count": found.total,
        "count_kind": "exact",
    }
    if not found.complete:
        data["distinct_kind"] = "at_least"
    notes = [
        note,
        "" if found.total else translate("QgisAgent", "No feature matches."),
        translate("QgisAgent", "The layer's filter is in force.") if layer.subsetString() else "",
    ]
    return Answer(data, joined(notes), rows_key="values")


def joined(notes: Sequence[str]) -> str:
    """Sentences as one text."""
    return " ".join(filter(None, notes))


def _left_out(data: Dict[str, Any], unknown: int) -> str:
    """Say how many rows do not count because a value is NULL: a comparison with NULL is neither true nor false."""
    if not unknown:
        return ""
    data["null_left_out"] = unknown
    return translate("QgisAgent", "{} more have no value (NULL) to compare and are left out.").format(unknown)
