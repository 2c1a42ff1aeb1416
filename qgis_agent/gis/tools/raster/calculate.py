"""Handlers of the pack "raster": calculations. Formulas: ``gis/analysis/raster/formula.py``."""

from __future__ import annotations

import re
from typing import Any, Dict, Generator, List, Mapping, NamedTuple, Optional, Sequence

from qgis.core import QgsFeedback, QgsProject, QgsRasterLayer

from ...analysis.checks.verify import broken
from ...analysis.raster.checks import (
    NODATA,
    cells_of,
    check_size,
    doubts,
    look,
    raster_layer,
    require_raster_crs,
)
from ...analysis.raster.formula import (
    Formula,
    parse,
)
from ...analysis.raster.grid import (
    aligned,
    overlap,
    union_grid,
)
from ...analysis.raster.indices import (
    INDICES,
    Index,
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
from ...errors import INVALID_PARAM, NOT_FOUND, ToolError
from ...extents import transformed
from ...i18n import translate
from ...layers import clean_text
from ...sources.coordinates import crs_name
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_MOST_REFLECTANCE = 2.0
_EXACT_IN_32_BITS = 2.0**24


class _Inputs(NamedTuple):
    """For each of A, B, …: the alias, the band, and its role with an index."""

    aliases: List[str]
    bands: List[int]
    roles: List[str]

    @property
    def letters(self) -> List[str]:
        """A, B, … as many as there are."""
        return list("ABCDEFGH"[: len(self.aliases)])

    @property
    def sources(self) -> Dict[str, str]:
        """{letter: alias@band}."""
        named = zip(self.letters, self.aliases, self.bands)
        return {letter: "{}@{}".format(alias, band) for letter, alias, band in named}


@tool("raster_calculate", effect="create", runs="task")
def raster_calculate(
    call: Call,
    layer_ids: Sequence[str],
    bands: Sequence[int] = (),
    formula: str = "",
    index: Optional[str] = None,
    roles: Sequence[str] = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """A formula over rasters, on the grid of A. Where an input or the formula has no value, the result has none."""
    more = dict(options or {})
    inputs, parsed = _checked(layer_ids, bands, formula, index, roles, float(more.get("scale", 1.0)))
    layers = [raster_layer(call, each) for each in inputs.aliases]
    readers = [cells_of(each, alias, band) for each, alias, band in zip(layers, inputs.aliases, inputs.bands)]
    foreign = _foreign(layers, bool(more.get("reproject")))

    def survey(feedback: QgsFeedback) -> List[Any]:
        return [look(reader, band, feedback) for reader, band in zip(readers, inputs.bands)]

    looked = yield Work(translate("QgisAgent", "Reading cells"), survey)
    layers = [raster_layer(call, each) for each in inputs.aliases]
    warnings = _notes(inputs, looked) + _too_bright(index, looked, float(more.get("scale", 1.0)))
    _check_grid(layers, foreign, call.host.project)
    plan = _plan(inputs, layers, foreign, parsed, str(more.get("data_type", "float32")))
    name = _name(layers[0], index, parsed)
    facts: Dict[str, Dict[str, Any]] = {}
    context = analysis_context(call.host.project)
    made = yield from run_plan(plan, dict(zip(inputs.letters, layers)), context, warnings, facts)
    layers = [raster_layer(call, each) for each in inputs.aliases]
    shown = [made.get("{}_moved".format(letter), layer) for letter, layer in zip(inputs.letters, layers)]
    warnings.extend(_grids(shown, foreign))
    counts, result = facts["result"], made["result"]
    close_files(made, keep=("result",))
    found = yield from read_result(result, _nothing(counts))
    if found.bands[0].valid != counts["VALID_CELLS"]:
        raise broken(
            translate("QgisAgent", "the file has {} cells with a value, {} were calculated").format(
                found.bands[0].valid, counts["VALID_CELLS"]
            )
        )
    diverging = index is not None and not INDICES[index].reflectance
    data = add_raster(call, result, name, plan, inputs.sources, found, Look(palette="RdYlGn" if diverging else None))
    data.update(_facts(inputs, index, parsed, counts, result), algorithm=algorithms(plan))
    warnings.extend(_counted(counts, data["total_cells"]) + _rounded(found.bands[0], more))
    data["warnings"] = warnings
    return Answer(data, " ".join(warnings))


def _facts(
    inputs: _Inputs, index: Optional[str], parsed: Formula, counts: Mapping[str, Any], result: QgsRasterLayer
) -> Dict[str, Any]:
    """What was calculated of what."""
    data: Dict[str, Any] = {
        "formula": parsed.text,
        "inputs": inputs.sources,
        "grid": translate("QgisAgent", "cells of A ({})").format(inputs.aliases[0]),
        "overlap_cells": counts["OVERLAP_CELLS"],
        "total_cells": result.width() * result.height(),
        "undefined_cells": counts["UNDEFINED_CELLS"],
    }
    if index is not None:
        data.update(index=index, source=INDICES[index].source, roles=dict(zip(inputs.letters, inputs.roles)))
    return data


def _counted(counts: Mapping[str, Any], cells: int) -> List[str]:
    """Where the result has no value, and why."""
    said = []
    if counts["OVERLAP_CELLS"] < cells:
        said.append(
            translate("QgisAgent", "The rasters overlap in {} of {} cells; elsewhere the result has no value.").format(
                counts["OVERLAP_CELLS"], cells
            )
        )
    if counts["UNDEFINED_CELLS"]:
        said.append(
            translate(
                "QgisAgent",
                "In {} cells the formula has no value (division by zero, root or logarithm of a negative number, overflow): nodata.",
            ).format(counts["UNDEFINED_CELLS"])
        )
    return said


def _rounded(stats: Any, more: Mapping[str, Any]) -> List[str]:
    """That 32 bits do not hold large whole numbers exactly."""
    if more.get("data_type", "float32") != "float32" or max(abs(stats.low), abs(stats.high)) <= _EXACT_IN_32_BITS:
        return []
    return [translate("QgisAgent", "Values are rounded to 7 digits (float32); options.data_type float64 keeps 15.")]


def _too_bright(index: Optional[str], looked: Sequence[Any], scale: float) -> List[str]:
    """That an index with constants for reflectances gets other numbers."""
    if index is None or not INDICES[index].reflectance:
        return []
    if max(each.stats.high for each in looked) * scale <= _MOST_REFLECTANCE:
        return []
    return [
        translate(
            "QgisAgent", "{} expects reflectances from 0 to 1, and the values are larger: give options.scale."
        ).format(index)
    ]


def _checked(
    layer_ids: Sequence[str],
    bands: Sequence[int],
    formula: str,
    index: Optional[str],
    roles: Sequence[str],
    scale: float,
) -> tuple[_Inputs, Formula]:
    """The inputs by letter and the formula. INVALID_PARAM for what does not fit together."""
    if (index is None) == (not formula.strip()):
        raise _unfit(translate("QgisAgent", "One of formula and index is needed, not both."))
    count = max(len(layer_ids), len(bands), 1)
    if len(layer_ids) not in (1, count) or len(bands) not in (0, 1, count):
        raise _unfit(
            translate("QgisAgent", "{} layers and {} bands do not fit together.").format(len(layer_ids), len(bands))
        )
    aliases = list(layer_ids) * (count if len(layer_ids) == 1 else 1)
    numbers = [int(each) for each in bands] or [1]
    numbers = numbers * (count if len(numbers) == 1 else 1)
    if index is None:
        text = formula
    else:
        wanted = INDICES[index]
        order = _by_role(index, wanted, roles, count)
        aliases, numbers = [aliases[each] for each in order], [numbers[each] for each in order]
        text, count = wanted.formula, len(order)
    parsed = parse(_scaled(text, scale), count)
    return _Inputs(aliases, numbers, list(INDICES[index].roles) if index is not None else []), parsed


def _scaled(text: str, scale: float) -> str:
    """The formula with every letter times a factor."""
    if scale == 1.0:
        return text
    return re.sub(r"(?<![A-Za-z_0-9.])([A-Ha-h])(?![A-Za-z_0-9(])", "(\\1 * {:.15g})".format(scale), text)


def _by_role(index: str, wanted: Index, roles: Sequence[str], count: int) -> List[int]:
    """Which input has each role of the index, in its order."""
    missing = [each for each in wanted.roles if each not in roles]
    if missing or len(roles) != count or len(set(roles)) != len(roles):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} needs the bands {}, one role for each band.").format(
                index, ", ".join(wanted.roles)
            ),
            hint=translate("QgisAgent", "Give bands and roles of the same length, as bands [4, 3], roles [nir, red]."),
            reason="roles",
        )
    return [list(roles).index(each) for each in wanted.roles]


def _unfit(message: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        message,
        hint=translate("QgisAgent", "Give one layer and band for each letter, or one layer with several bands."),
        reason="inputs",
    )


def _foreign(layers: Sequence[QgsRasterLayer], reproject: bool) -> List[int]:
    """Numbers of the rasters in another CRS than the first. INVALID_PARAM unless they are to be reprojected."""
    found = [number for number, each in enumerate(layers) if each.crs() != layers[0].crs()]
    if found and not reproject:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The rasters have different CRSs: {}.").format(
                ", ".join(dict.fromkeys(crs_name(each.crs()) for each in layers))
            ),
            hint=translate("QgisAgent", "options.reproject true brings them to the CRS of A (nearest neighbour)."),
            reason="crs",
        )
    for number in [0, *found] if found else []:
        require_raster_crs(layers[number])
    return found


def _check_grid(layers: Sequence[QgsRasterLayer], foreign: Sequence[int], project: QgsProject) -> None:
    """NOT_FOUND when the rasters have no place in common; INVALID_PARAM when together they are too large."""
    first = layers[0].crs()
    boxes = [
        transformed(each.extent(), each.crs(), first, project) if number in foreign else each.extent()
        for number, each in enumerate(layers)
    ]
    if overlap(boxes).isEmpty():
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The rasters have no place in common, so no cell would have a value."),
            hint=translate("QgisAgent", "get_raster_info tells where each lies; check their CRSs."),
            reason="no_overlap",
        )
    grid = union_grid(layers[0], boxes)
    check_size(grid.columns, grid.rows, translate("QgisAgent", "the cells of A"))


def _plan(
    inputs: _Inputs, layers: Sequence[QgsRasterLayer], foreign: Sequence[int], parsed: Formula, kind: str
) -> List[PlanStep]:
    steps: List[PlanStep] = []
    refs: List[Ref] = []
    for number, letter in enumerate(inputs.letters):
        if number in foreign:
            wish: Dict[str, Any] = {"INPUT": Ref(letter), "TARGET_CRS": layers[0].crs(), "RESAMPLING": 0}
            if not layers[number].dataProvider().sourceHasNoDataValue(inputs.bands[number]):
                wish.update(NODATA=NODATA, DATA_TYPE=7)  # GDAL's Float64 holds every value, and nodata apart from them
            steps.append(PlanStep("{}_moved".format(letter), "gdal:warpreproject", wish, RASTER_FILE))
            refs.append(Ref("{}_moved".format(letter)))
        else:
            refs.append(Ref(letter))
    parameters = {
        "LAYERS": refs,
        "BANDS": ",".join(str(each) for each in inputs.bands),
        "FORMULA": parsed.text,
        "TYPE": 1 if kind == "float64" else 0,
    }
    return [*steps, PlanStep("result", "qgisagent:rastercalculate", parameters, RASTER_FILE)]


def _grids(layers: Sequence[QgsRasterLayer], foreign: Sequence[int]) -> List[str]:
    """What is to be said of grids that differ."""
    said = []
    other = [letter for letter, each in zip("ABCDEFGH", layers) if not aligned(layers[0], each)]
    if other:
        said.append(
            translate(
                "QgisAgent", "The grid of {} differs from that of A: read at the centres of A's cells (nearest)."
            ).format(", ".join(other))
        )
    if foreign:
        said.append(
            translate("QgisAgent", "Reprojected to the CRS of A (nearest neighbour): {}.").format(
                ", ".join("ABCDEFGH"[each] for each in foreign)
            )
        )
    return said


def _notes(inputs: _Inputs, looked: Sequence[Any]) -> List[str]:
    """Doubts about nodata, each once, with the letter of the input."""
    said: List[str] = []
    for letter, band, each in zip(inputs.letters, inputs.bands, looked):
        said.extend("{}: {}".format(letter, text) for text in doubts(band, each))
    return said


def _nothing(counts: Mapping[str, Any]) -> str:
    if not counts["OVERLAP_CELLS"]:
        return translate("QgisAgent", "The rasters have no place in common, so no cell has a value.")
    return translate("QgisAgent", "No cell has a value: nowhere do all inputs have one that the formula can take.")


def _name(layer: QgsRasterLayer, index: Optional[str], parsed: Formula) -> str:
    if index is not None:
        return "{} {}".format(clean_text(layer.name(), 60), index.upper())
    return clean_text("{}: {}".format(clean_text(layer.name(), 40), parsed.text), 80)
