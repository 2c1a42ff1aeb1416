"""Makes the project of the MCP budget test: ``python mcp_budget_world.py FOLDER COUNT``. Its layers are those of ``scope_calls``.

``people`` has COUNT points in a square of 1.2 degrees, long texts in the first thousand, and a different ``kind`` in each.
"""

from __future__ import annotations

import random
import sqlite3
import struct
import sys
from pathlib import Path

import numpy as np
from osgeo import gdal, ogr, osr
from qgis.core import QgsApplication, QgsProject, QgsRasterLayer, QgsVectorLayer

LONG = 3_000


def _wgs84() -> osr.SpatialReference:
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    return crs


def _layer(path: Path, kind: int) -> None:
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer(path.stem, _wgs84(), kind, options=["SPATIAL_INDEX=NO"])
    for name, type_ in (("id", ogr.OFTInteger), ("kind", ogr.OFTString), ("salary", ogr.OFTReal)):
        layer.CreateField(ogr.FieldDefn(name, type_))


def _points(path: Path, count: int) -> None:
    _layer(path, ogr.wkbPoint)
    random_ = random.Random(1)
    head = bytes.fromhex("47500001E6100000") + struct.pack("<BI", 1, 1)  # GeoPackage header, then little-endian WKB

    def rows() -> object:
        for n in range(count):
            point = head + struct.pack("<dd", random_.uniform(0, 1.2), random_.uniform(0, 1.2))
            yield point, n, f"k{n}" + ("名" * LONG if n < 1000 else ""), n / 7.0

    with sqlite3.connect(path) as database:
        database.executemany(f"insert into {path.stem} (geom, id, kind, salary) values (?, ?, ?, ?)", rows())  # noqa: S608


def _zones(path: Path) -> None:
    _layer(path, ogr.wkbPolygon)
    source = ogr.Open(str(path), 1)
    layer = source.GetLayer(0)
    for n in range(3):
        feature = ogr.Feature(layer.GetLayerDefn())
        for name, value in (("id", n), ("kind", f"zone {n}"), ("salary", float(n))):
            feature.SetField(name, value)
        west = n * 0.4
        corners = ((west, 0), (west + 0.4, 0), (west + 0.4, 1), (west, 1), (west, 0))
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON((" + ",".join(f"{x} {y}" for x, y in corners) + "))"))
        layer.CreateFeature(feature)


def _dem(path: Path) -> None:
    data = gdal.GetDriverByName("GTiff").Create(str(path), 12, 12, 1, gdal.GDT_Float32)
    data.SetGeoTransform((0, 0.1, 0, 1.2, 0, -0.1))
    data.SetProjection(_wgs84().ExportToWkt())
    data.GetRasterBand(1).WriteArray(np.add.outer(np.arange(12.0), np.arange(12.0)))


def main(folder: Path, count: int) -> None:
    """Write the files and the project into the folder."""
    _points(folder / "people.gpkg", count)
    _points(folder / "plain.gpkg", 5)
    _zones(folder / "zones.gpkg")
    _dem(folder / "dem.tif")
    (folder / "table.csv").write_text("id,kind\n1,a\n", encoding="utf-8")
    application = QgsApplication([], False)
    application.initQgis()
    project = QgsProject.instance()
    for name in ("people", "plain", "zones"):
        project.addMapLayer(QgsVectorLayer(f"{folder / name}.gpkg", name, "ogr"))
    project.addMapLayer(QgsRasterLayer(str(folder / "dem.tif"), "dem"))
    if not project.write(str(folder / "budget.qgz")):
        sys.exit("the project could not be written")
    project.clear()
    application.exitQgis()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
