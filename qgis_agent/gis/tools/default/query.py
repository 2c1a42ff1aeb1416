"""Handlers of the pack "default": reading features."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from ...call import Call
from ...conditions import Where, require_field
from ...features import FeatureReader, clamp_limit
from ...i18n import translate
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
