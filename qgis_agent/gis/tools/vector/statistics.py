"""Handlers of the pack "vector": statistics by polygon. The plan is made in ``gis/analysis/vector/polygons.py``."""

from __future__ import annotations

import json
from typing import Any, Dict, Generator, List, Sequence

from qgis.core import QgsVectorLayer

from ...analysis.checks.verify import require_count
from ...analysis.inputs.pair import pair_remarks
from ...analysis.inputs.preflight import (
    Surveyor,
    remarks,
    require_crs,
    require_features,
    require_kind,
)
from ...analysis.run.outcome import (
    add_result,
    field_aliases,
    keep_aliases,
    same_result,
)
from ...analysis.run.plan import algorithms
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...analysis.run.steps import bulky
from ...analysis.vector import polygons as statistics
from ...call import Call
from ...conditions import Where
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_NAMED = 3


@tool("stat_by_polygon", effect="create", runs="task")
def stat_by_polygon(
    call: Call,
    polygon_layer_id: str,
    layer_id: str,
    polygon_where: Where = (),
    where: Where = (),
    aggregates: Sequence[Dict[str, Any]] = (),
) -> Steps:
    """Count points in polygons, with ellipsoidal area, density, and aggregates that ignore NULL."""
    polygons, points = _checked_layers(call, polygon_layer_id, layer_id)
    wanted = statistics.aggregates_of(points, aggregates)
    area_surveyor, point_surveyor = Surveyor(polygons, polygon_where), statistics.PointSurveyor(points, where)
    surveys = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (area_surveyor.read(feedback), point_surveyor.read(feedback)),
    )
    polygons, points = _checked_layers(call, polygon_layer_id, layer_id)
    require_features(polygons, surveys[0], bool(polygon_where))
    names = statistics.free_names(polygons, wanted)
    expressions = (area_surveyor.expression, point_surveyor.expression)
    plan = statistics.polygon_plan(surveys, expressions, wanted, names, bulky(points, surveys[1].usable))
    notes = remarks(polygons, surveys[0]) + remarks(points, surveys[1])
    notes += pair_remarks(polygons, surveys[0].box, points, surveys[1].box, chosen=bool(polygon_where or where))
    aliases = field_aliases(polygons)
    labels, first = statistics.label_fields(polygons), len(seen_fields(polygons))
    name = translate("QgisAgent", "{} per {}").format(clean_text(points.name(), 60), clean_text(polygons.name(), 60))
    context = analysis_context(call.host.project)
    facts: Dict[str, Dict[str, Any]] = {}
    made = yield from run_plan(plan, {"polygons": polygons, "points": points}, context, notes, facts)
    try:
        result = made["result"]
        require_count("qgisagent:pointsinpolygons", surveys[0].usable, result.featureCount())
        source = feature_source(result)
        totals = yield Work(
            translate("QgisAgent", "Reading the result"),
            lambda feedback: statistics.read_totals(source, labels, first, wanted, feedback, surveys[0].invalid),
        )
        found = facts["counted"]
        all_points = int(found["COUNTED_POINTS"])
        balance = statistics.balance(found, totals.count)
        if totals.without_area:
            text = translate("QgisAgent", "{} polygons have no area, so no point is in them.")
            notes.append(text.format(totals.without_area))
        notes += statistics.nulls_said(json.loads(found["NULLS"]), all_points)
    finally:
        close_files(made)
    inputs = {"polygons": polygon_layer_id, "points": layer_id}
    alias = same_result(call, result, name, plan, inputs)
    reused = bool(alias)
    if not alias:
        keep_aliases(result, aliases)
        alias = add_result(call, result, name, plan, inputs)
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "rows": totals.rows,
        "total_count": totals.count,
        "total_area_km2": round(totals.area_km2, 4),
        **statistics.count_facts(totals.rows),
        "polygons": len(totals.rows),
        "points": all_points,
        "outside": balance.outside,
        "on_border": balance.on_border,
        "fields": {"count": names.count, "area_km2": names.area, "density_per_km2": names.density},
        "area_method": "ellipsoidal, {}".format(context.ellipsoid()),
        "crs": result.crs().authid(),
        "algorithm": algorithms(plan),
    }
    if reused:
        data["reused"] = True
        notes.append(translate("QgisAgent", "The layer '{}' was there already with these numbers.").format(name))
    chosen = _chosen(totals.rows, labels) if polygon_where else ""
    notes.extend(_said(balance, totals.count, all_points, int(found["MULTIPART"]), chosen))
    data["warnings"] = notes
    return Answer(data, " ".join(notes), rows_key="rows")


def _chosen(rows: Sequence[Dict[str, Any]], labels: Sequence[str]) -> str:
    """How polygons that were chosen by a condition are called: up to three names, else "the chosen polygons"."""
    names = [str(row[labels[0]]) for row in rows if labels and row.get(labels[0])]
    if 0 < len(names) == len(rows) <= _NAMED:
        return ", ".join(names)
    return translate("QgisAgent", "the chosen polygons")


def _checked_layers(call: Call, polygon_layer_id: str, layer_id: str) -> tuple[QgsVectorLayer, QgsVectorLayer]:
    polygons, points = call.vector_layer(polygon_layer_id), call.vector_layer(layer_id)
    require_kind(polygons, ["polygon"], "polygon_layer_id")
    require_kind(points, ["point"], "layer_id")
    for each in (polygons, points):
        require_crs(each)
    return polygons, points


def _said(balance: statistics.Balance, counted: int, points: int, multipart: int, chosen: str) -> List[str]:
    """What must be known of the numbers. ``chosen`` names the polygons that a condition chose, "" for a whole layer.

    Points outside of one chosen polygon are no sign of a wrong CRS.
    """
    found: List[str] = []
    if multipart:
        found.append(
            translate("QgisAgent", "{} multipoint features were taken apart: each of their points counts.").format(
                multipart
            )
        )
    if not points:
        found.append(translate("QgisAgent", "There are no points to count."))
    elif not counted and chosen:
        found.append(translate("QgisAgent", "None of the {} points lies inside {}.").format(points, chosen))
    elif not counted:
        found.append(translate("QgisAgent", "No point lies inside a polygon: check the CRS of both layers."))
    if balance.outside and counted and chosen:
        found.append(translate("QgisAgent", "Points outside of {}: {} of {}.").format(chosen, balance.outside, points))
    elif balance.outside and counted:
        found.append(
            translate("QgisAgent", "{} of {} points lie outside of all polygons.").format(balance.outside, points)
        )
    if balance.on_border:
        found.append(
            translate(
                "QgisAgent",
                "{} points lie exactly on a border; QGIS counts such a point in no polygon that it borders.",
            ).format(balance.on_border)
        )
    if balance.twice:
        found.append(
            translate(
                "QgisAgent", "Polygons overlap: {} points too many in the total, because they lie in several polygons."
            ).format(balance.twice)
        )
    return found
