"""Handlers of the pack "raster": terrain."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Tuple

from qgis.core import QgsFeedback, QgsRasterLayer

from ...analysis.checks.verify import broken
from ...analysis.ground.units import metres_in_units
from ...analysis.raster.checks import (
    CREATE_OPTIONS,
    NODATA,
    Looked,
    Plane,
    cells_of,
    doubts,
    ignored_settings,
    look,
    metric_plane,
    needs_plain_copy,
    raster_layer,
    require_raster_crs,
)
from ...analysis.raster.results import (
    Look,
    add_raster,
    read_result,
)
from ...analysis.run.plan import (
    RASTER_FILE,
    PlanStep,
    Ref,
    algorithms,
)
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...call import Call
from ...i18n import translate
from ...layers import clean_text
from ...raster_cells import CellReader
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
FOOT_M = 0.3048
_FEET = ("ft", "feet", "foot", "us survey foot", "us_survey_foot", "ftus", "usft", "international foot")
_ALGORITHMS = {
    "slope": "native:slope",
    "aspect": "native:aspect",
    "hillshade": "native:hillshade",
    "tri": "native:ruggednessindex",
    "roughness": "gdal:roughness",
    "tpi": "gdal:tpitopographicpositionindex",
}
_IN_PLANE = ("slope", "aspect", "hillshade")
"""These divide heights by the sides of cells; the others only compare heights of neighbours."""
_LOOKS = {
    "slope": Look(palette="YlOrBr"),
    "aspect": Look(palette="Spectral"),
    "hillshade": Look("gray"),
    "roughness": Look(palette="YlOrRd"),
    "tri": Look(palette="YlOrRd"),
    "tpi": Look(palette="BrBG"),
}
_PLAIN = "plain"
"""Key of the step that copies the heights with a nodata value that QGIS's terrain algorithms understand."""
_RANGES = {"slope": (0.0, 90.0), "aspect": (0.0, 360.0), "hillshade": (0.0, 255.0)}


@tool("raster_terrain", effect="create", runs="task")
def raster_terrain(call: Call, layer_id: str, method: str, options: Optional[Mapping[str, Any]] = None) -> Steps:
    """Slope and the like of heights in band 1. Degrees and distorted metres are brought to a metric plane first."""
    more = dict(options or {})
    layer = raster_layer(call, layer_id)
    reader = cells_of(layer, layer_id)
    require_raster_crs(layer)
    looked, unit = yield Work(translate("QgisAgent", "Reading cells"), lambda feedback: _survey(reader, feedback))
    layer = raster_layer(call, layer_id)
    unit = str(more.get("z_unit") or unit)
    plane = metric_plane(layer, call.host.project) if method in _IN_PLANE else None
    plan, z_factor = _plan(layer, method, plane, unit, more)
    warnings = doubts(1, looked) + _said_of_bands(layer)
    if plan[0].key != _PLAIN:
        warnings += ignored_settings(layer, 1)
    name = "{} {}".format(clean_text(layer.name(), 60), method)
    made = yield from run_plan(plan, {"dem": layer}, analysis_context(call.host.project), warnings)
    close_files(made, keep=("result",))
    found = yield from read_result(
        made["result"],
        translate("QgisAgent", "No cell has a {}: the surface is flat everywhere or has holes.").format(method),
    )
    stats = found.bands[0]
    low, high = _RANGES.get(method, (stats.low, stats.high))
    if stats.low < low or stats.high > high:
        raise broken(translate("QgisAgent", "{} from {:.6g} to {:.6g}").format(method, stats.low, stats.high))
    data = add_raster(call, made["result"], name, plan, {"dem": layer_id}, found, _LOOKS[method])
    data.update(method=method, unit=_unit_of(method, unit), algorithm=algorithms(plan))
    if plane is not None:
        data.update(crs_used=plane.name, z_unit=unit, z_factor=z_factor)
    if plane is not None and plane.moved:
        warnings.append(
            translate(
                "QgisAgent", "The raster's CRS is not true to metres; worked in {} with cells of {:.4g} m (bilinear)."
            ).format(plane.name, plane.cell_m)
        )
    if method == "aspect":
        flat = _flat(looked, plane, found.bands[0].valid)
        if flat:
            data["flat_cells"] = flat
            warnings.append(translate("QgisAgent", "{} flat cells have no aspect: they are nodata.").format(flat))
    if method in ("roughness", "tpi"):
        warnings.append(translate("QgisAgent", "Cells at the edge and beside nodata have no value."))
    data["warnings"] = warnings
    return Answer(data, " ".join(warnings))


def _survey(reader: CellReader, feedback: QgsFeedback) -> Tuple[Looked, str]:
    """Statistics of band 1, and the unit of heights that the file tells: "ft" or "m". On a worker thread."""
    looked = look(reader, 1, feedback)
    told = reader.file.facts([1])["units"].get(1, "") if reader.file is not None else ""
    return looked, "ft" if str(told).lower() in _FEET else "m"


def _plan(
    layer: QgsRasterLayer, method: str, plane: Optional[Plane], unit: str, more: Mapping[str, Any]
) -> Tuple[List[PlanStep], float]:
    """The steps, and the factor from heights to the plane's units."""
    steps: List[PlanStep] = []
    source = Ref("dem")
    factor = 1.0
    if plane is not None:
        height_m = FOOT_M if unit == "ft" else 1.0
        factor = height_m * (1.0 if plane.moved else metres_in_units(layer.crs(), 1.0))
        if plane.moved:
            steps.append(PlanStep("plane", "gdal:warpreproject", _warp(plane), RASTER_FILE))
            source = Ref("plane")
    if not steps and needs_plain_copy(_ALGORITHMS[method], layer):
        wish = {"LAYERS": [source], "BANDS": "1", "FORMULA": "A", "TYPE": 0}
        steps.append(PlanStep(_PLAIN, "qgisagent:rastercalculate", wish, RASTER_FILE))
        source = Ref(_PLAIN)
    parameters: Dict[str, Any] = {"INPUT": source}
    if method in _IN_PLANE:
        factor *= float(more.get("exaggeration", 1.0)) if method == "hillshade" else 1.0
        parameters["Z_FACTOR"] = factor
    if method == "hillshade":  # what QGIS calls the vertical angle of the light is its distance from the zenith
        parameters.update(AZIMUTH=float(more.get("azimuth", 315.0)), V_ANGLE=90.0 - float(more.get("altitude", 45.0)))
    if method in ("roughness", "tpi"):
        parameters.update(BAND=1, OPTIONS=CREATE_OPTIONS)
    steps.append(PlanStep("result", _ALGORITHMS[method], parameters, RASTER_FILE))
    return steps, float("{:.8g}".format(factor))


def _warp(plane: Plane) -> Dict[str, Any]:
    """Into the plane, bilinear, 32-bit numbers, -9999 outside."""
    return {
        "INPUT": Ref("dem"),
        "TARGET_CRS": plane.crs,
        "RESAMPLING": 1,
        "NODATA": NODATA,
        "DATA_TYPE": 6,
        "TARGET_RESOLUTION": plane.cell_m,
        "OPTIONS": CREATE_OPTIONS,
    }


def _flat(looked: Looked, plane: Optional[Plane], valid: int) -> int:
    """Cells with a height and without an aspect; known where the grid is the raster's own."""
    return looked.stats.valid - valid if looked.stats.exact and plane is not None and not plane.moved else 0


def _said_of_bands(layer: QgsRasterLayer) -> List[str]:
    if layer.bandCount() == 1:
        return []
    return [translate("QgisAgent", "The raster has {} bands; heights are taken from band 1.").format(layer.bandCount())]


def _unit_of(method: str, unit: str) -> str:
    return {
        "slope": translate("QgisAgent", "degrees"),
        "aspect": translate("QgisAgent", "degrees clockwise from north"),
        "hillshade": translate("QgisAgent", "brightness 0 to 255"),
    }.get(method, translate("QgisAgent", "unit of the heights ({})").format(unit))
