"""Handlers of the pack "raster": surfaces from points. The plans are made in ``gis/analysis/raster/surfaces.py``."""

from __future__ import annotations

import os
from typing import Any, Dict, Generator, List, Optional

from qgis.core import QgsCoordinateTransform, QgsGeometry, QgsVectorLayer

from ...analysis.checks.verify import (
    broken,
    require_values,
)
from ...analysis.ground.units import metres_in_units
from ...analysis.inputs.preflight import (
    Surveyor,
    remarks,
    require_crs,
    require_features,
    require_kind,
    require_number_field,
)
from ...analysis.raster.burn import (
    Cells,
    FieldReader,
    cells_around,
    nulls_said,
    plane_of,
)
from ...analysis.raster.results import (
    Look,
    add_raster,
    read_result,
)
from ...analysis.raster.surfaces import (
    KERNELS,
    PointReader,
    Points,
    fitting_cell,
    heat_step,
    linked,
    points_plan,
    rounded,
    surface_steps,
    whole_corners,
)
from ...analysis.run.plan import algorithms
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...call import Call
from ...conditions import Where
from ...errors import INVALID_PARAM, ToolError
from ...extents import transformed
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
MOST_PAIRS = 10_000_000_000
"""Points times cells of an inverse distance surface: about a minute."""


@tool("heatmap_raster", effect="create", runs="task")
def heatmap_raster(
    call: Call,
    layer_id: str,
    radius_m: float,
    weight_field: Optional[str] = None,
    cell_size_m: Optional[float] = None,
    where: Where = (),
    kernel: str = "quartic",
) -> Steps:
    """The sum, at each cell, of what the kernel gives for the points within the radius, in a metric plane."""
    layer = _points(call, layer_id)
    surveyor = Surveyor(layer, where)
    weights = FieldReader(layer, where, require_number_field(layer, weight_field)) if weight_field is not None else None
    survey, known = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (surveyor.read(feedback), weights.read(feedback) if weights is not None else None),
    )
    layer = _points(call, layer_id)
    require_features(layer, survey, bool(where))
    warnings = remarks(layer, survey)
    if weight_field is not None and known is not None:
        require_values(weight_field, survey.usable - known.nulls, survey.usable)
        warnings += nulls_said(weight_field, known)
    cell_m = cell_size_m or rounded(radius_m / 20)
    if cell_m > radius_m:
        raise _unfit(
            translate("QgisAgent", "A cell of {:.10g} m is larger than the radius.").format(cell_m),
            translate("QgisAgent", "Choose cell_size_m of a tenth of radius_m."),
        )
    cells = cells_around(layer, survey.box, radius_m, cell_m, call.host.project)
    nulls = known.nulls if known is not None else 0
    plan = points_plan(layer, survey, surveyor.expression, cells, weight_field, nulls)
    plan.append(heat_step(radius_m * metres_in_units(cells.crs, 1.0), cells, kernel, weight_field))
    name = translate("QgisAgent", "{} heatmap {:.10g} m").format(clean_text(layer.name(), 60), radius_m)
    made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), warnings)
    result = made["result"]
    close_files(made, keep=("result",))
    found = yield from read_result(result, translate("QgisAgent", "No cell lies within the radius of a point."))
    most = (
        survey.usable
        if known is None or known.high is None
        else (survey.usable - nulls) * max(abs(known.high), abs(known.low or 0))
    )
    if found.bands[0].high > most * (1 + 1e-5) and not survey.multipart:
        raise broken(
            translate("QgisAgent", "a cell has {:.6g}, and all points together {:.6g}").format(
                found.bands[0].high, most
            )
        )
    data = add_raster(call, result, name, plan, {"layer": layer_id}, found, Look(palette="YlOrRd"))
    data.update(
        input_count=survey.usable - nulls,
        radius_m=radius_m,
        cell_size_m=cell_m,
        kernel=kernel,
        method=translate(
            "QgisAgent", "sum over points of {} × {}; not divided by an area; QGIS places each point to within one cell"
        ).format(weight_field or "1", KERNELS[kernel][1]),
        crs_used=cells.name,
        algorithm=algorithms(plan),
    )
    data["warnings"] = warnings + _moved(cells)
    return Answer(data, " ".join(data["warnings"]))


@tool("interpolate_points", effect="create", runs="task")
def interpolate_points(
    call: Call,
    layer_id: str,
    field: str,
    method: str = "idw",
    cell_size_m: Optional[float] = None,
    where: Where = (),
    power: float = 2.0,
) -> Steps:
    """A surface through the values of points, within their box; tin ends at their hull."""
    layer = _points(call, layer_id)
    require_number_field(layer, field)
    surveyor, reader = Surveyor(layer, where), PointReader(layer, where, field)
    survey, points = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (surveyor.read(feedback), reader.read(feedback)),
    )
    layer = _points(call, layer_id)
    require_features(layer, survey, bool(where))
    _require_points(points, field, method)
    cells = _cells(call, layer, survey.box, cell_size_m)
    columns, rows = cells.size
    if method == "idw" and columns * rows * points.used > MOST_PAIRS:
        raise _unfit(
            translate("QgisAgent", "{:,} points and {:,} cells are too many for inverse distances.").format(
                points.used, columns * rows
            ),
            translate("QgisAgent", "Use method tin, a larger cell_size_m, or fewer points (where)."),
        )
    warnings = remarks(layer, survey) + _said(points, field)
    name = "{} {} {}".format(clean_text(layer.name(), 60), clean_text(field, 30), method)
    first = points_plan(layer, survey, surveyor.expression, cells, field, points.nulls)
    context = analysis_context(call.host.project)
    made: Dict[str, Any] = {}
    try:
        made = yield from run_plan(first, {"layer": layer}, context, warnings)
        source = made["points"]
        position = source.fields().lookupField(field)
        steps = surface_steps(source.source().split("|")[0], position, method, cells, power)
        del source
        surface = yield from run_plan(steps, {}, context, warnings)
    finally:
        close_files(made)
    result = surface["result"]
    _remove_beside(surface["grid"].source())
    close_files(surface, keep=("result",))
    found = yield from read_result(result, translate("QgisAgent", "No cell has a value."))
    _check(found.bands[0], points)
    plan = [*first, *surface_steps("[{}]".format(len(first)), position, method, cells, power)]
    data = add_raster(call, result, name, plan, {"layer": layer_id}, found, Look(), linked(plan))
    beyond = _beyond_hull(points.hull, layer, cells, call)
    data.update(
        method=translate("QgisAgent", "inverse distance, power {:.10g}, all points").format(power)
        if method == "idw"
        else translate("QgisAgent", "linear in triangles (TIN)"),
        field=field,
        points_used=points.used,
        nulls=points.nulls,
        duplicates=points.duplicates,
        input_min=points.low,
        input_max=points.high,
        beyond_hull_share=beyond,
        cell_size_m=cells.side / metres_in_units(cells.crs, 1.0),
        crs_used=cells.name,
        algorithm=algorithms(plan),
    )
    if beyond > 0.001:
        text = (
            translate("QgisAgent", "{:.1f} % of the area lies beyond the points' hull: extrapolated there.")
            if method == "idw"
            else translate("QgisAgent", "{:.1f} % of the area lies beyond the points' hull: nodata there.")
        )
        warnings.append(text.format(100 * beyond))
    data["warnings"] = warnings + _moved(cells)
    return Answer(data, " ".join(data["warnings"]))


def _points(call: Call, layer_id: str) -> QgsVectorLayer:
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["point"], "layer_id")
    require_crs(layer)
    return layer


def _cells(call: Call, layer: QgsVectorLayer, box: Any, cell_size_m: Optional[float]) -> Cells:
    """Cells around the points, with corners that QGIS's grid writer keeps."""
    project = call.host.project
    if cell_size_m is None:
        crs, _, moved = plane_of(layer, box, project)
        inner = transformed(box, layer.crs(), crs, project) if moved else box
        cell_size_m = fitting_cell(inner) / metres_in_units(crs, 1.0)
    return whole_corners(cells_around(layer, box, 0.0, cell_size_m, project))


def _require_points(points: Points, field: str, method: str) -> None:
    """NOT_FOUND without a value; INVALID_PARAM for points that make no triangle."""
    require_values(field, points.used, points.used + points.nulls)
    if points.places < 2 or (method == "tin" and (points.places < 3 or points.hull.area() <= 0)):
        raise _unfit(
            translate("QgisAgent", "{} different places are too few, or lie in one line.").format(points.places),
            translate("QgisAgent", "tin needs three points that are not in a line, idw two."),
        )


def _said(points: Points, field: str) -> List[str]:
    said = []
    if points.nulls:
        said.append(
            translate("QgisAgent", "{} points have no value in '{}' and are left out.").format(points.nulls, field)
        )
    if points.duplicates:
        said.append(
            translate("QgisAgent", "{} points lie where another lies, {} places have different values.").format(
                points.duplicates, points.conflicts
            )
        )
    return said


def _check(stats: Any, points: Points) -> None:
    """Neither method goes beyond the values of the points."""
    slack = 1e-5 * max(abs(points.low), abs(points.high), 1e-12)
    if stats.low < points.low - slack or stats.high > points.high + slack:
        raise broken(
            translate("QgisAgent", "the surface goes from {:.6g} to {:.6g}, the points from {:.6g} to {:.6g}").format(
                stats.low, stats.high, points.low, points.high
            )
        )


def _beyond_hull(hull: QgsGeometry, layer: QgsVectorLayer, cells: Cells, call: Call) -> float:
    """Share of the raster's area that is outside of the points' convex hull."""
    moved = QgsGeometry(hull)
    if cells.moved:
        moved.transform(QgsCoordinateTransform(layer.crs(), cells.crs, call.host.project.transformContext()))
    whole = cells.box.width() * cells.box.height()
    return round(max(0.0, 1.0 - moved.area() / whole), 4)


def _moved(cells: Cells) -> List[str]:
    if not cells.moved:
        return []
    return [translate("QgisAgent", "The layer's CRS is not true to metres; the raster is in {}.").format(cells.name)]


def _remove_beside(path: str) -> None:
    """QGIS writes the CRS of a text grid beside it."""
    beside = os.path.splitext(path)[0] + ".prj"
    if os.path.isfile(beside):
        os.remove(beside)


def _unfit(message: str, hint: str) -> ToolError:
    return ToolError(INVALID_PARAM, message, hint=hint, reason="options")
