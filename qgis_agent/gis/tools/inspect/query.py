"""Handlers of the pack "inspect": features in a box."""

from __future__ import annotations

from typing import Any, Generator, List

from ...box_query import BoxReader
from ...call import Call
from ...conditions import Where, require_field
from ...features import clamp_limit
from ...i18n import translate
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("query_in_bbox", effect="read", runs="task")
def query_in_bbox(
    call: Call,
    layer_id: str,
    bbox: List[float],
    where: Where = (),
    fields: List[str] = (),  # type: ignore[assignment]
    limit: int = 20,
) -> Steps:
    """Rows of the features that touch a box in degrees (EPSG:4326), with the exact total."""
    layer = call.vector_layer(layer_id)
    for name in fields:
        require_field(layer, name)
    wanted, note = clamp_limit(limit)
    reader = BoxReader(layer, bbox, where, call.host.project)
    total, rows = yield Work(
        translate("QgisAgent", "Reading rows"), lambda feedback: reader.read(feedback, list(fields), wanted)
    )
    notes = [
        note,
        "" if total else translate("QgisAgent", "No feature matches."),
        translate("QgisAgent", "The layer's filter is in force.") if layer.subsetString() else "",
    ]
    data = {"layer_id": layer_id, "rows": rows, "total": total, "returned": len(rows), "count_kind": "exact"}
    return Answer(data, " ".join(filter(None, notes)), rows_key="rows")
