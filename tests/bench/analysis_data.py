"""Layers of the analysis bench: polygons over the million points of ``million.py``, and a raster."""

from __future__ import annotations

from pathlib import Path

import numpy as np

WEST, SOUTH, SIDE = 500_000.0, 4_000_000.0, 10_000.0
"""The square of the million points (EPSG:32650, metres)."""
ACROSS, UP = 60, 50
CORNERS = 40
CELLS = 4_000


def write_polygons(path: Path) -> None:
    """A GeoPackage with 3,000 polygons of 40 corners, one in each cell of a grid, with wobbling edges; field code."""
    from osgeo import ogr, osr

    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32650)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer("areas", crs, ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("code", ogr.OFTString))
    random = np.random.default_rng(4)
    angles = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    layer.StartTransaction()
    for number in range(ACROSS * UP):
        middle = WEST + (number % ACROSS + 0.5) * SIDE / ACROSS, SOUTH + (number // ACROSS + 0.5) * SIDE / UP
        radii = random.uniform(50, 80, CORNERS)
        ring = ogr.Geometry(ogr.wkbLinearRing)
        for angle, radius in zip(angles, radii):
            ring.AddPoint_2D(middle[0] + radius * np.cos(angle), middle[1] + radius * np.sin(angle))
        ring.CloseRings()
        polygon = ogr.Geometry(ogr.wkbPolygon)
        polygon.AddGeometry(ring)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField(0, f"p{number}")
        feature.SetGeometryDirectly(polygon)
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def write_raster(path: Path) -> None:
    """A GeoTIFF of 4,000 x 4,000 cells of 2.5 m over the same square: a smooth surface with noise, 32-bit floats."""
    from osgeo import gdal, osr

    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32650)
    size = SIDE / CELLS
    raster = gdal.GetDriverByName("GTiff").Create(str(path), CELLS, CELLS, 1, gdal.GDT_Float32, ["TILED=YES"])
    raster.SetProjection(crs.ExportToWkt())
    raster.SetGeoTransform((WEST, size, 0, SOUTH + SIDE, 0, -size))
    wave = np.sin(np.arange(CELLS) / 200.0)
    noise = np.random.default_rng(5).normal(0, 1, (CELLS, CELLS))
    raster.GetRasterBand(1).WriteArray((500 + 100 * np.outer(wave, wave) + noise).astype(np.float32))
