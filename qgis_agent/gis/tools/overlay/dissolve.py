"""Handlers of the pack "overlay": dissolving, and tables of groups. The plan is made in ``gis/analysis/vector/dissolve.py``."""

from __future__ import annotations

import math
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple

from qgis.core import Qgis, QgsVectorLayer

from ...analysis.inputs.preflight import (
    Survey,
    Surveyor,
    flattened,
    no_features,
    plain_remarks,
    remarks,
    require_crs,
    require_features,
    require_kind,
)
from ...analysis.run.outcome import (
    add_result,
    field_aliases,
    keep_aliases,
)
from ...analysis.run.plan import (
    Plan,
    Ref,
    algorithms,
)
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...analysis.vector import dissolve as groups
from ...analysis.vector.overlay import Meter
from ...call import Call
from ...conditions import Where
from ...features import FeatureReader
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
Aggregates = Sequence[Mapping[str, str]]


@tool("dissolve_layer", effect="create", runs="task")
def dissolve_layer(
    call: Call,
    layer_id: str,
    fields: Sequence[str] = (),
    aggregates: Aggregates = (),
    where: Where = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Merge the features of each group; counts and aggregates are checked against an own reading."""
    separate = bool((options or {}).get("separate_parts"))
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["point", "line", "polygon"], "dissolve_layer")
    require_crs(layer)
    grouping = groups.grouping_of(layer, fields, aggregates)
    surveyor = Surveyor(layer, where)
    survey = yield Work(translate("QgisAgent", "Looking at the features"), surveyor.read)
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    plan, prepared = groups.group_plan(layer, grouping, surveyor.expression, survey, separate)
    warnings, aliases = remarks(layer, survey), field_aliases(layer)
    made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), warnings)
    result = made[plan[-1].key]
    try:
        before, read, merged, table = yield from _read(made, layer, prepared, grouping, plan, bool(survey.invalid))
    finally:
        close_files(made)
    groups.check_groups(grouping, read, merged.rows)
    if survey.invalid and not math.isnan(before.ground):
        # Before the repair the two loops of a bow-tie have an area of 0.
        survey = survey._replace(area_m2=before.ground)
    warnings[:] = groups.without_own(warnings)
    warnings += flattened(layer, survey, result) + groups.nulls_said(read) + groups.rounded_said(grouping, read)
    doubled = groups.check_merged(before.planar, table.planar) if _sized(layer) else 0.0
    warnings += _doubled(doubled, layer)
    if separate and grouping.aggregates:
        warnings.append(
            translate("QgisAgent", "Each part has the count and aggregates of its whole group: do not add them up.")
        )
    name = _name(translate("QgisAgent", "{} dissolved"), layer, grouping)
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": len(table.rows),
        "input_count": read.count,
        "groups": len(read.groups),
        "rows": table.rows,
        "crs": result.crs().authid(),
        "algorithm": algorithms(plan),
        "warnings": warnings,
    }
    data.update(_sizes(layer, survey, table))
    return Answer(data, " ".join(warnings), rows_key="rows")


@tool("aggregate_layer", effect="create", runs="task")
def aggregate_layer(
    call: Call,
    layer_id: str,
    fields: Sequence[str] = (),
    aggregates: Aggregates = (),
    where: Where = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """A table of groups with counts and aggregates, sorted; checked against an own reading."""
    chosen = dict(options or {})
    layer = call.vector_layer(layer_id)
    grouping = groups.grouping_of(layer, fields, aggregates)
    column = groups.require_column(grouping, str(chosen.get("order_by") or ""))
    reader = FeatureReader(layer, where)
    count = yield Work(translate("QgisAgent", "Counting the rows"), reader.count)
    layer = call.vector_layer(layer_id)
    if not count:
        raise no_features(layer, bool(where))
    order = (column, bool(chosen.get("descending")))
    plan, prepared = groups.group_plan(layer, grouping, reader.expression, order=order)
    aliases, warnings = field_aliases(layer), plain_remarks(layer, count)
    made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), warnings)
    result = made[plan[-1].key]
    try:
        own = groups.GroupReader(made.get(prepared.key, layer), grouping)
        table_reader = groups.TableReader(result, grouping)
        read, table = yield Work(
            translate("QgisAgent", "Checking the groups"),
            lambda feedback: (own.read(feedback), table_reader.read(feedback)),
        )
    finally:
        close_files(made)
    groups.check_groups(grouping, read, table.rows)
    warnings[:] = groups.without_own(warnings)
    warnings += groups.nulls_said(read) + groups.rounded_said(grouping, read)
    name = _name(translate("QgisAgent", "{} grouped"), layer, grouping)
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "groups": len(table.rows),
        "input_count": read.count,
        "rows": table.rows,
        "sorted_by": [*([column] if column else []), *(each for each in grouping.fields if each != column)],
        "algorithm": algorithms(plan),
        "warnings": warnings,
    }
    return Answer(data, " ".join(warnings), rows_key="rows")


def _read(
    made: Dict[str, QgsVectorLayer],
    layer: QgsVectorLayer,
    prepared: Ref,
    grouping: groups.Grouping,
    plan: Plan,
    ground: bool,
) -> Generator[Step, Any, Tuple[Any, groups.Read, groups.Table, groups.Table]]:
    """Sizes before, an own reading of the groups, the merged features, and the result (their parts, where separated)."""
    source, merged, result = made.get(prepared.key, layer), made["grouped"], made[plan[-1].key]
    meter, own = Meter(source, ground), groups.GroupReader(source, grouping)
    readers = [groups.TableReader(each, grouping) for each in dict.fromkeys((merged, result))]
    before, read, tables = yield Work(
        translate("QgisAgent", "Checking the groups"),
        lambda feedback: (meter.read(feedback), own.read(feedback), [each.read(feedback) for each in readers]),
    )
    return before, read, tables[0], tables[-1]


def _sized(layer: QgsVectorLayer) -> bool:
    return layer.geometryType() in (Qgis.GeometryType.Polygon, Qgis.GeometryType.Line)


def _sizes(layer: QgsVectorLayer, survey: Survey, table: groups.Table) -> Dict[str, Any]:
    if layer.geometryType() == Qgis.GeometryType.Polygon:
        return {
            "area_km2": round(table.ground / 1e6, 6),
            "input_area_km2": round(survey.area_m2 / 1e6, 6),
            "area_method": translate("QgisAgent", "ellipsoidal, WGS 84"),
        }
    return {"length_km": round(table.ground / 1e3, 6)} if _sized(layer) else {}


def _doubled(share: float, layer: QgsVectorLayer) -> List[str]:
    if not share:
        return []
    name = clean_text(layer.name(), 60)
    if layer.geometryType() == Qgis.GeometryType.Line:
        text = translate("QgisAgent", "Lines of '{}' lie on each other: merged they are {:.3g} % shorter in sum.")
    else:
        text = translate("QgisAgent", "Polygons of '{}' overlap each other: merged they are {:.3g} % smaller in sum.")
    return [text.format(name, 100 * share)]


def _name(pattern: str, layer: QgsVectorLayer, grouping: groups.Grouping) -> str:
    name = pattern.format(clean_text(layer.name(), 60))
    fields = ", ".join(clean_text(each, 30) for each in grouping.fields)
    return translate("QgisAgent", "{} by {}").format(name, fields) if fields else name
