"""What is looked at before a raster analysis: kind, CRS, size, the size of a cell on the ground, and a metric plane."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Tuple

from qgis.core import QgsCoordinateReferenceSystem, QgsFeedback, QgsProject, QgsRasterLayer, QgsRectangle

from ...errors import (
    INVALID_PARAM,
    UNSUPPORTED,
    ToolError,
)
from ...extents import transformed
from ...i18n import translate
from ...layers import clean_text
from ...raster_about import (
    cell_metres,
    shown_grid,
    suspicion,
)
from ...raster_cells import (
    CellReader,
    require_band,
)
from ...raster_stats import (
    BandStats,
    Suspect,
    band_stats,
    suspect,
)
from ..ground.units import (
    EARTH_RADIUS_M,
    degrees_crs,
    in_degrees,
    local_crs,
    local_name,
    metres_in_units,
    utm_zone,
)

MAX_CELLS = 100_000_000
"""Cells of a result: 400 MB of 32-bit numbers."""
DISTORTED = 0.01
"""Relative difference between a CRS's metres and metres on the ground from which on a plane is made first."""
MAX_HALF_WIDTH_M = 600_000.0
"""Around the centre of a plane: 0.15 % too long there across the direction to the centre (see ``units.py``)."""
CREATE_OPTIONS = "COMPRESS=DEFLATE|TILED=YES|BIGTIFF=IF_SAFER"
NODATA = -9999.0


def raster_layer(call: Any, layer_id: str) -> QgsRasterLayer:
    """The raster layer of an alias, readable and with cells. UNSUPPORTED for other kinds, services and broken sources."""
    layer = call.layer(layer_id)
    if not isinstance(layer, QgsRasterLayer):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is not a raster layer.").format(layer_id),
            hint=translate("QgisAgent", "Use a raster layer; search_layers tells the kind of each."),
            reason="layer_kind",
        )
    if not layer.isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The data of layer '{}' cannot be read.").format(layer_id),
            hint=translate("QgisAgent", "Repair its data source in QGIS (the file may have been moved)."),
            reason="broken_source",
        )
    return layer


def cells_of(layer: QgsRasterLayer, layer_id: str, band: int = 1) -> CellReader:
    """A reader of the cells, the band checked. UNSUPPORTED for services, INVALID_PARAM for a band that there is not."""
    reader = CellReader(layer, layer_id)
    require_band(band, reader.bands)
    return reader


def require_raster_crs(layer: QgsRasterLayer) -> None:
    """UNSUPPORTED without a CRS: nobody knows where the raster is, and it is not guessed."""
    if not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so its place and metres are unknown.").format(
                clean_text(layer.name(), 60)
            ),
            hint=translate("QgisAgent", "Set it with set_layer_crs, if it is known."),
            reason="no_crs",
        )


def require_upright(reader: CellReader) -> None:
    """On a worker thread. UNSUPPORTED for a file whose grid is turned: algorithms would see another grid than its own."""
    reader.open()
    if reader.resampled:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The grid of the raster is turned against its CRS."),
            hint=translate("QgisAgent", "Run gdal:warpreproject with run_algorithm first, and use its result."),
            reason="turned_grid",
        )


class Looked(NamedTuple):
    """Statistics of a band, and the value in it that looks like undeclared nodata."""

    stats: BandStats
    doubt: Optional[Suspect]


def look(reader: CellReader, band: int, feedback: QgsFeedback) -> Looked:
    """Read a band, on a worker thread. UNSUPPORTED for a turned grid and when the band has no valid cells."""
    require_upright(reader)
    size = reader.size()
    stats = band_stats(reader, band, feedback, size)
    if not stats.valid:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "Band {} has no valid cells: all of them are nodata.").format(band),
            hint=translate("QgisAgent", "Use another band or another raster."),
            reason="no_values",
        )
    return Looked(stats, suspect(reader, band, feedback, stats, size))


def doubts(band: int, looked: Looked) -> List[str]:
    """The suspicion of undeclared nodata in words, and that the statistics were sampled."""
    said = [suspicion(band, looked.doubt)] if looked.doubt is not None else []
    if not looked.stats.exact:
        said.append(translate("QgisAgent", "The band was looked at by a sample of its cells."))
    return said


def ignored_settings(layer: QgsRasterLayer, band: int) -> List[str]:
    """What GDAL's and QGIS's terrain tools do not see: nodata that the person set in the layer, scale and offset."""
    provider, said = layer.dataProvider(), []
    if provider.userNoDataValues(band) or (
        provider.sourceHasNoDataValue(band) and not provider.useSourceNoDataValue(band)
    ):
        said.append(
            translate("QgisAgent", "The nodata settings of the layer are not seen by the algorithm, only the file's.")
        )
    if provider.bandScale(band) != 1.0 or provider.bandOffset(band) != 0.0:
        said.append(
            translate(
                "QgisAgent", "The file's scale {:.10g} and offset {:.10g} are not applied by the algorithm."
            ).format(provider.bandScale(band), provider.bandOffset(band))
        )
    return said


_NINE_CELLS = ("native:slope", "native:aspect", "native:hillshade", "native:ruggednessindex", "qgis:relief")


def needs_plain_copy(algorithm: str, layer: QgsRasterLayer) -> bool:
    """Whether QGIS's own terrain algorithms misread band 1. They compare cells with a number: where the file declares no
    nodata value they drop every height of 0, where it is NaN they find none, not even beyond the edge (QGIS 3.40.6)."""
    provider = layer.dataProvider()
    if algorithm not in _NINE_CELLS or provider is None:
        return False
    return not provider.sourceHasNoDataValue(1) or math.isnan(provider.sourceNoDataValue(1))


def cell_size(layer: QgsRasterLayer) -> Tuple[float, float]:
    """Width and height of a cell in units of the CRS."""
    grid = shown_grid(layer)
    return grid.cell() if grid is not None else (0.0, 0.0)


class Plane(NamedTuple):
    """A metric CRS for a raster, the cell size in it (metres), and its name. ``moved`` is False where it is the layer's own."""

    crs: QgsCoordinateReferenceSystem
    cell_m: float
    name: str
    moved: bool


def metric_plane(layer: QgsRasterLayer, project: QgsProject) -> Plane:
    """The raster's own CRS where its units are true to 1 % at the centre (feet included); else a local one in metres.

    UNSUPPORTED when the raster is too large for a plane.
    """
    grid, (width, height) = shown_grid(layer), cell_size(layer)
    ground = cell_metres(layer, project, grid) if grid is not None else None
    unit = 1.0 / metres_in_units(layer.crs(), 1.0)
    if ground is not None and true_to_ground(layer.crs(), (width * unit, height * unit), ground):
        return Plane(layer.crs(), (width + height) * unit / 2, layer.crs().authid() or layer.crs().description(), False)
    crs, name = plane_around(layer.extent(), layer.crs(), project)
    mean = math.sqrt(ground[0] * ground[1]) if ground is not None else 0.0
    return Plane(crs, mean, name, True)


def true_to_ground(crs: QgsCoordinateReferenceSystem, told: Tuple[float, float], ground: Tuple[float, float]) -> bool:
    """Whether lengths in a projected CRS are those on the ground to 1 %."""
    return not crs.isGeographic() and all(abs(one - two) <= DISTORTED * two for one, two in zip(told, ground))


def plane_around(
    box: QgsRectangle, crs: QgsCoordinateReferenceSystem, project: QgsProject
) -> Tuple[QgsCoordinateReferenceSystem, str]:
    """A local CRS in metres for a box: UTM where the box fits in its zone's reach, else azimuthal equidistant; and its name.

    UNSUPPORTED for a box that is larger than 1,200 km, or has no place on earth.
    """
    degrees = in_degrees(box, crs, project.transformContext())
    if degrees is None:
        raise _no_plane()
    west, south, east, north = degrees.xMinimum(), degrees.yMinimum(), degrees.xMaximum(), degrees.yMaximum()
    east += 360.0 if east < west else 0.0
    longitude, latitude = (west + east) / 2, (south + north) / 2
    longitude -= 360.0 * round(longitude / 360.0)
    narrowest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
    half_width = math.radians(east - west) / 2 * math.cos(math.radians(narrowest)) * EARTH_RADIUS_M
    half_height = math.radians(north - south) / 2 * EARTH_RADIUS_M
    if math.hypot(half_width, half_height) > MAX_HALF_WIDTH_M:
        raise _no_plane()
    if south >= -80 and north <= 84 and east - west <= 6.0:
        authority = utm_zone(longitude, latitude)
        return QgsCoordinateReferenceSystem(authority), authority
    return local_crs(longitude, latitude), local_name(longitude, latitude)


def _no_plane() -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer is too large for measuring in one plane (more than 1,200 km across)."),
        hint=translate(
            "QgisAgent",
            "Work on a part of it (clip_raster with a bbox, or where), or reproject it for the region and use run_algorithm there.",
        ),
        reason="too_large",
    )


def check_size(columns: float, rows: float, parameter: str) -> None:
    """INVALID_PARAM when a result would have more than 1e8 cells, said before anything is made."""
    if columns * rows > MAX_CELLS:
        factor = math.sqrt(columns * rows / MAX_CELLS)
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The result would have {:.3g} cells; at most {:.0e} are made.").format(
                columns * rows, MAX_CELLS
            ),
            hint=translate("QgisAgent", "Make {} at least {:.3g} times as large, or work on a smaller area.").format(
                parameter, math.ceil(factor * 10) / 10
            ),
            reason="too_many_cells",
        )


def box_in(layer: QgsRasterLayer, box: QgsRectangle, project: QgsProject) -> QgsRectangle:
    """A box in degrees in the raster's CRS."""
    return transformed(box, degrees_crs(), layer.crs(), project)


def round_the_world(layer: QgsRasterLayer, box: QgsRectangle) -> bool:
    """Whether a box (in the raster's CRS) goes on where the raster begins anew: past 180°, or on a raster from 0 to 360°."""
    if not layer.crs().isGeographic():
        return False
    shifted = [
        QgsRectangle(box.xMinimum() + turn, box.yMinimum(), box.xMaximum() + turn, box.yMaximum())
        for turn in (-360.0, 360.0)
    ]
    parts = [layer.extent().intersect(each) for each in shifted]
    return any(not each.isEmpty() and each.width() > 1e-9 for each in parts)


def round_the_world_said(layer: QgsRasterLayer, box: QgsRectangle) -> List[str]:
    """That polygons reach past the raster's edge to cells on its other side, which are not looked at."""
    if not round_the_world(layer, box):
        return []
    return [
        translate(
            "QgisAgent",
            "Polygons go on past the raster's edge at {:g}°: its cells on the other side are left out; split them there first.",
        ).format(layer.extent().xMaximum() if box.xMaximum() > layer.extent().xMaximum() else layer.extent().xMinimum())
    ]


def snapped(layer: QgsRasterLayer, box: QgsRectangle) -> QgsRectangle:
    """The cells of a raster that a box touches, as a box on the raster's grid; empty when it touches none."""
    extent, (width, height) = layer.extent(), cell_size(layer)
    part = extent.intersect(box)
    if part.isEmpty():
        return QgsRectangle()
    left = math.floor((part.xMinimum() - extent.xMinimum()) / width + 1e-6)
    right = math.ceil((part.xMaximum() - extent.xMinimum()) / width - 1e-6)
    top = math.floor((extent.yMaximum() - part.yMaximum()) / height + 1e-6)
    bottom = math.ceil((extent.yMaximum() - part.yMinimum()) / height - 1e-6)
    return QgsRectangle(
        extent.xMinimum() + left * width,
        extent.yMaximum() - max(bottom, top + 1) * height,
        extent.xMinimum() + max(right, left + 1) * width,
        extent.yMaximum() - top * height,
    )
