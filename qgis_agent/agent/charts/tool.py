"""make_chart: reads the chart's values over the bridge, draws them, and puts the picture into the run's report."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ...bridge.envelope import INVALID_PARAM, UPSTREAM_ERROR, Envelope, failure, success
from ...bridge.messages import RESULTS_READ, TOOLS_CALL
from ...bridge.peer import RpcError
from ..context.untrusted import clean
from ..execution.bound import checked_envelope
from ..execution.context import CallRequest, ToolContext
from .draw import Drawing, draw

SEEN = "The person sees the chart under the answer."
SHOWN_ROWS = 12
"""Rows of the chart that the model gets; the picture has all of them."""
MAX_ROWS = 2000
MAX_PAGES = 200
Outcome = dict[str, Any]


async def make_chart(context: ToolContext, request: CallRequest) -> Outcome:
    """A ToolOutcome with ``charts``. What QGIS refuses is passed on as it is."""
    arguments = request.arguments
    envelope = await _values(context, request)
    if not envelope["ok"]:
        return {"envelope": envelope}
    data = dict(envelope["data"])
    try:
        rows = await _all_rows(context, data)
    except RpcError as error:
        return {"envelope": _broken(f"QGIS did not give the chart's values: {error.message[:200]}")}
    if context.charts_dir is None:
        return {"envelope": _broken("There is no folder for charts here.")}
    title = clean(str(arguments.get("title") or ""), 80)
    path = context.charts_dir / _file_name(context, request)
    try:
        drawing = await asyncio.to_thread(draw, {**data, "rows": rows}, title, path)
    except ImportError:
        return {"envelope": _broken("The agent's environment has no matplotlib.", "Build it anew in the settings.")}
    except OSError as error:
        return {"envelope": _broken(f"The picture could not be written: {error.strerror}.")}
    return _outcome(request, data, rows, title, path, drawing, str(envelope["message"]))


def _outcome(
    request: CallRequest,
    data: Mapping[str, Any],
    rows: list[dict[str, Any]],
    title: str,
    path: Path,
    drawing: Drawing,
    message: str,
) -> Outcome:
    notes = [message] if message else []
    if drawing.missing:
        notes.append(f"No installed font has these characters: {drawing.missing[:20]}")
    source = str(data.get("layer_id") or request.arguments.get("layer_id") or request.arguments.get("result_ref"))
    shown = {
        "kind": data["kind"], "x": data["x"], "y": data["y"], "title": title, "rows": rows[:SHOWN_ROWS],
        "total": len(rows), "used": data["used"], "left_out": data["left_out"], "summary": data["summary"],
    }  # fmt: skip
    chart = {
        "title": title, "kind": data["kind"], "x": data["x"], "y": data["y"] or "", "source": source, "file": str(path),
        "width": drawing.width, "height": drawing.height, "rows": len(rows),
    }  # fmt: skip
    words = f"{data['kind']} chart of {data['x']}" + (f" and {data['y']}" if data["y"] else "")
    evidence = [
        {"ref": source, "tool": request.name, "text": f"{words}: {data['used']} values, {data['left_out']} left out"}
    ]
    return {
        "envelope": success(shown, " ".join([SEEN, *notes])),
        "evidence": evidence,
        "charts": [chart],
    }


async def _values(context: ToolContext, request: CallRequest) -> Envelope:
    wanted = {key: value for key, value in request.arguments.items() if key != "title"}
    if ("layer_id" in wanted) == ("result_ref" in wanted):
        return failure(
            INVALID_PARAM,
            "A chart is of a layer or of a result.",
            hint="Give one of layer_id and result_ref.",
            reason="tool_arguments",
        )
    params = {
        "call_id": f"{context.call_prefix}{request.call_id}.values",
        "run_id": context.run_id,
        "capability": context.capability,
        "name": "read_chart_values",
        "arguments": wanted,
        "origin": request.origin,
        "ask_reason": request.ask_reason,
    }
    try:
        outcome = await context.bridge.request(TOOLS_CALL, params)
    except RpcError as error:
        return _broken(f"QGIS did not read the chart's values: {error.message[:200]}")
    return checked_envelope(outcome.get("envelope") if isinstance(outcome, dict) else None)


async def _all_rows(context: ToolContext, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All rows, page by page where they did not fit in the answer."""
    ref = data.get("result_ref")
    if not isinstance(ref, str):
        return cast(list[dict[str, Any]], list(data["rows"]))
    rows: list[dict[str, Any]] = []
    cursor: int | None = 0
    for _ in range(MAX_PAGES):
        params = {"capability": context.capability, "result_ref": ref, "cursor": cursor, "page_size": 200}
        envelope = checked_envelope(await context.bridge.request(RESULTS_READ, params))
        if not envelope["ok"]:
            raise RpcError(0, str(envelope.get("message", "")))
        rows += envelope["data"]["rows"]
        cursor = envelope["data"].get("next")
        if cursor is None or len(rows) >= MAX_ROWS:
            break
    return rows


def _file_name(context: ToolContext, request: CallRequest) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", f"{context.session_id}-{context.run_id}-{request.call_id}")
    return f"{plain[:120]}.png"


def _broken(message: str, hint: str = "Give the values as a table instead.") -> Envelope:
    return failure(UPSTREAM_ERROR, message, hint=hint, reason="chart")
