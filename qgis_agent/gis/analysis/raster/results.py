"""A raster result: its numbers, all of them from all cells, a look that shows it, and its place in the project."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from qgis.core import Qgis, QgsFeedback, QgsGeometry, QgsRasterLayer, QgsRectangle

from ...errors import (
    NOT_FOUND,
    ToolError,
)
from ...features import json_value
from ...i18n import translate
from ...raster_about import (
    shown_grid,
    stats_data,
)
from ...raster_cells import (
    CellReader,
    neat,
)
from ...raster_stats import (
    BandStats,
    band_stats,
)
from ...style.raster_document import put_raster
from ...style.raster_looks import (
    Found,
    hillshade,
    make_look,
    wanted_of,
)
from ...work import (
    Step,
    Work,
)
from ..inputs.preflight import ground_measure
from ..run.outcome import add_result
from ..run.plan import Plan

__all__ = ["Look", "RasterResult", "add_raster", "class_areas", "held_as", "read_result", "row_areas"]


class Look(NamedTuple):
    """How a result is drawn: a method of set_raster_style, a palette, and whether it is turned round."""

    method: str = "pseudocolor"
    palette: Optional[str] = None
    reverse: bool = False


class RasterResult(NamedTuple):
    """What was read of a result: the statistics of its bands in order."""

    bands: List[BandStats]


def read_result(layer: QgsRasterLayer, nothing: str) -> Generator[Step, Any, RasterResult]:
    """Read every cell of a result. NOT_FOUND with the sentence ``nothing`` when no band has a valid cell."""
    reader = CellReader(layer, layer.name())

    def read(feedback: QgsFeedback) -> List[BandStats]:
        bands = range(1, min(reader.bands, 12) + 1)
        return [band_stats(reader, each, feedback, (reader.columns, reader.rows)) for each in bands]

    bands = yield Work(translate("QgisAgent", "Reading the result"), read)
    if not any(each.valid for each in bands):
        raise ToolError(
            NOT_FOUND,
            nothing,
            hint=translate("QgisAgent", "Check with get_raster_info where the inputs lie and what values they have."),
            reason="no_values",
        )
    return RasterResult(bands)


def add_raster(
    call: Any,
    layer: QgsRasterLayer,
    name: str,
    plan: Plan,
    inputs: Dict[str, str],
    found: RasterResult,
    look: Look,
    exact: Optional[Plan] = None,
) -> Dict[str, Any]:
    """Draw and add a result; returns the facts that every raster tool tells. ``exact``: see ``add_result``."""
    legend = _draw(layer, found, look)
    alias = add_result(call, layer, name, plan, inputs, exact)
    if legend:
        call.add_legend(alias, legend)
    grid = shown_grid(layer)
    first = found.bands[0]
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "crs": layer.crs().authid() or layer.crs().toProj(),
        "size": [layer.width(), layer.height()],
        "cell_size": [json_value(float("{:.10g}".format(each))) for each in grid.cell()] if grid is not None else None,
        "band_count": layer.bandCount(),
    }
    data.update(stats_data(first, None))
    data["nodata_share"] = round(first.nodata / max(1, first.nodata + first.valid), 4)
    if len(found.bands) > 1:
        data["bands"] = [
            {
                "band": number,
                "valid_cells": each.valid,
                "min": neat(each.low),
                "max": neat(each.high),
                "mean": json_value(each.mean),
            }
            for number, each in enumerate(found.bands, 1)
            if each.valid
        ]
    return data


def _draw(layer: QgsRasterLayer, found: RasterResult, look: Look) -> List[Dict[str, Any]]:
    """Set the renderer; the legend's entries. A picture of three bands keeps the look that QGIS gives it."""
    stats = found.bands[0]
    if look.method == "hillshade":
        made = hillshade(layer, 1)
    elif look.method == "multiband" or not stats.valid:
        return []
    else:
        method = look.method if look.method != "paletted" or stats.distinct is not None else "pseudocolor"
        wanted = wanted_of(method, [1], look.palette, None, {"reverse": look.reverse} if look.reverse else {})
        made = make_look(layer, wanted, [Found(stats, None, (stats.low, stats.high), None, 0, [])])
    put_raster(layer, made.document)
    return made.legend


def row_areas(layer: QgsRasterLayer) -> List[float]:
    """m² on the ellipsoid of a cell of each row, by the cell in the row's middle. On any thread, about 20 µs a row."""
    box, rows = layer.extent(), layer.height()
    width, height = box.width() / layer.width(), box.height() / rows
    left = box.center().x() - width / 2
    measure = ground_measure(layer.crs())
    top = box.yMaximum()
    return [
        measure.measureArea(
            QgsGeometry.fromRect(QgsRectangle(left, top - (row + 1) * height, left + width, top - row * height))
        )
        for row in range(rows)
    ]


def held_as(layer: QgsRasterLayer, value: float) -> float:
    """A number as the cells of a result hold it: with 32 bits 0.1 is 0.10000000149."""
    if layer.dataProvider().dataType(1) != Qgis.DataType.Float32:
        return float(value)
    return float(np.float32(value))


def class_areas(
    reader: CellReader, band: int, areas: Sequence[float], values: Mapping[float, float], feedback: QgsFeedback
) -> Dict[float, Dict[str, float]]:
    """{value: {cells, area_m2}} of a raster of few values, by the areas of the rows' cells. ``values``: each value, and the
    number in the cells that stands for it. On a worker thread."""
    found = {float(each): {"cells": 0, "area_m2": 0.0} for each in values}
    for strip in reader.strips(band, feedback, (reader.columns, reader.rows)):
        for value, held in values.items():
            entry = found[float(value)]
            counts = ((strip.values == held) & strip.valid).sum(axis=1)
            entry["cells"] += int(counts.sum())
            entry["area_m2"] += float(
                sum(int(count) * areas[strip.top + row] for row, count in enumerate(counts) if count)
            )
    return found
