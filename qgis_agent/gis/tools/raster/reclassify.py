"""Handlers of the pack "raster": reclassification."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence

from qgis.core import QgsFeedback

from ...analysis.raster.checks import (
    CREATE_OPTIONS,
    Looked,
    cells_of,
    doubts,
    look,
    raster_layer,
)
from ...analysis.raster.classes import (
    OPEN,
    Table,
    checked_table,
    number_type,
)
from ...analysis.raster.results import (
    Look,
    add_raster,
    class_areas,
    held_as,
    read_result,
    row_areas,
)
from ...analysis.run.plan import (
    RASTER_FILE,
    PlanStep,
    Ref,
    algorithms,
)
from ...analysis.run.runner import (
    analysis_context,
    run_plan,
)
from ...call import Call
from ...errors import NOT_FOUND, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...raster_cells import CellReader, neat
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_RULES = {0: "min < value <= max", 1: "min <= value < max", 2: "min <= value <= max"}


@tool("reclassify_raster", effect="create", runs="task")
def reclassify_raster(
    call: Call,
    layer_id: str,
    table: Sequence[Mapping[str, Any]],
    band: int = 1,
    boundaries: str = "min_included",
    missing: str = "nodata",
) -> Steps:
    """New values for ranges. Cells that no range holds lose or keep their value; both is counted and told."""
    layer = raster_layer(call, layer_id)
    ranges = checked_table(table, boundaries)
    reader = cells_of(layer, layer_id, band)
    looked = yield Work(translate("QgisAgent", "Reading cells"), lambda feedback: look(reader, band, feedback))
    layer = raster_layer(call, layer_id)
    _require_overlap(ranges, looked)
    values = list(dict.fromkeys(each.value for each in ranges.ranges))
    code, nodata = number_type(values) if missing == "nodata" else (6, -3.0e38)
    parameters: Dict[str, Any] = {
        "INPUT_RASTER": Ref("raster"),
        "RASTER_BAND": band,
        "TABLE": ranges.flat(),
        "NO_DATA": nodata,
        "RANGE_BOUNDARIES": ranges.rule,
        "NODATA_FOR_MISSING": missing == "nodata",
        "DATA_TYPE": code,
        "CREATE_OPTIONS": CREATE_OPTIONS,
    }
    plan = [PlanStep("result", "native:reclassifybytable", parameters, RASTER_FILE)]
    warnings = doubts(band, looked)
    name = translate("QgisAgent", "{} reclassified").format(clean_text(layer.name(), 60))
    made = yield from run_plan(plan, {"raster": layer}, analysis_context(call.host.project), warnings)
    result = made["result"]
    found = yield from read_result(result, translate("QgisAgent", "No cell lies in a range of the table."))
    rows = yield from _rows(result, values, bool(layer.crs().isValid()))
    outside = yield from _outside(cells_of(layer, layer_id, band), band, ranges, looked, rows, missing)
    drawn = Look("paletted") if missing == "nodata" else Look()
    data = add_raster(call, result, name, plan, {"raster": layer_id}, found, drawn)
    data.update(
        rows=rows,
        boundaries=_RULES[ranges.rule],
        area_method=translate("QgisAgent", "ellipsoidal, WGS 84: the cell in the middle of each row"),
        algorithm=algorithms(plan),
    )
    data["cells_in_no_range"] = outside
    warnings.extend(_said(ranges, outside, missing))
    data["warnings"] = warnings
    return Answer(data, " ".join(warnings), rows_key="rows")


def _rows(result: Any, values: Sequence[float], located: bool) -> Generator[Step, Any, List[Dict[str, Any]]]:
    """Cells and area of each new value."""
    held = {each: held_as(result, each) for each in values}  # a 32-bit raster holds 0.1 as 0.100000001
    reader, areas = CellReader(result, result.name()), row_areas(result) if located else [0.0] * result.height()

    def count(feedback: QgsFeedback) -> Dict[float, Dict[str, float]]:
        return class_areas(reader, 1, areas, held, feedback)

    found = yield Work(translate("QgisAgent", "Counting cells"), count)
    rows = []
    for value in sorted(found):
        row: Dict[str, Any] = {"value": neat(value), "cells": int(found[value]["cells"])}
        if located:
            row["area_km2"] = round(found[value]["area_m2"] / 1e6, 6)
        rows.append(row)
    return rows


def _outside(
    reader: CellReader, band: int, table: Table, looked: Looked, rows: Sequence[Mapping[str, Any]], missing: str
) -> Generator[Step, Any, Optional[int]]:
    """Cells that no range holds; None where the raster was only sampled. Those that keep their value are counted in the
    source: in the result they may have the value of a class."""
    if not looked.stats.exact:
        return None
    if missing == "nodata":
        return int(looked.stats.valid - sum(row["cells"] for row in rows))

    def count(feedback: QgsFeedback) -> int:
        strips = reader.strips(band, feedback, (reader.columns, reader.rows))
        return sum(int((each.valid & ~table.holds(each.values)).sum()) for each in strips)

    found: int = yield Work(translate("QgisAgent", "Counting cells"), count)
    return found


def _require_overlap(table: Table, looked: Looked) -> None:
    """NOT_FOUND when all ranges lie beside the values: nothing would be reclassified."""
    low, high = looked.stats.low, looked.stats.high
    if any(each.low <= high and each.high >= low for each in table.ranges):
        return
    raise ToolError(
        NOT_FOUND,
        translate("QgisAgent", "The values go from {:.10g} to {:.10g}: no range of the table holds any.").format(
            low, high
        ),
        hint=translate("QgisAgent", "Choose ranges within the values."),
        reason="ranges",
    )


def _said(table: Table, outside: Optional[int], missing: str) -> List[str]:
    said = []
    if table.gaps:
        gaps = ", ".join("{:.10g} – {:.10g}".format(*each) for each in table.gaps[:5])
        said.append(translate("QgisAgent", "The table has gaps: {}.").format(gaps))
    if outside and missing == "nodata":
        said.append(translate("QgisAgent", "{} cells are in no range: they are nodata now.").format(outside))
    elif outside:
        said.append(translate("QgisAgent", "{} cells are in no range: they keep their value.").format(outside))
    lowest, highest = table.ranges[0], table.ranges[-1]
    if outside and lowest.low > -OPEN and highest.high < OPEN:
        said.append(
            translate("QgisAgent", "The ranges go from {:.10g} to {:.10g} ({}).").format(
                lowest.low, highest.high, _RULES[table.rule]
            )
        )
    return said
