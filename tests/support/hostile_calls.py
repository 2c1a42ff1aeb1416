"""What the test of hostile calls needs: a valid call of every algorithm, hostile values, a sink, and a look at what came of it."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from conftest import Bench, memory_layer
from osgeo import gdal, osr
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsProcessingAlgorithm,
    QgsProcessingParameterDefinition,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

POINTS, LINES, POLYGONS, CELLS = "points", "lines", "polygons", "cells"
EXTENT = "0,100,0,100 [EPSG:3857]"
_TYPES = {
    Qgis.ProcessingSourceType.VectorPoint: POINTS,
    Qgis.ProcessingSourceType.VectorLine: LINES,
    Qgis.ProcessingSourceType.VectorPolygon: POLYGONS,
    Qgis.ProcessingSourceType.Raster: CELLS,
}


class Sink:
    """A port of this machine that counts who connects."""

    def __init__(self) -> None:
        self.connections = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            client.close()

    def close(self) -> None:
        """Stop listening."""
        self._server.close()


def add_layers(bench: Bench) -> None:
    """Points, lines and polygons as files of the project's folder, and a raster of 10 by 10 cells of 10 m."""
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    fields = "field=n:integer&field=name:string"
    squares = [f"POLYGON(({x} 0,{x + 30} 0,{x + 30} 60,{x} 60,{x} 0))" for x in (0, 40)]
    for name, kind, shapes in (
        (POINTS, "Point", [f"POINT({x} {y})" for x in (5, 25, 60, 90) for y in (5, 45)]),
        (LINES, "LineString", ["LINESTRING(0 0,50 50)", "LINESTRING(0 50,50 0)"]),
        (POLYGONS, "Polygon", squares),
    ):
        memory = memory_layer(
            f"{kind}?crs=EPSG:3857&{fields}", [(each, [at, f"v{at}"]) for at, each in enumerate(shapes)]
        )
        path = str(bench.folder / f"{name}.gpkg")
        options = QgsVectorFileWriter.SaveVectorOptions()
        context = bench.host.project.transformContext()
        QgsVectorFileWriter.writeAsVectorFormatV3(memory, path, context, options)
        bench.add(QgsVectorLayer(path, name, "ogr"))
    path = str(bench.folder / "cells.tif")
    raster = gdal.GetDriverByName("GTiff").Create(path, 10, 10, 1, gdal.GDT_Float32)
    raster.SetGeoTransform((0, 10, 0, 100, 0, -10))
    system = osr.SpatialReference()
    system.ImportFromEPSG(3857)
    raster.SetProjection(system.ExportToWkt())
    raster.GetRasterBand(1).WriteArray(np.arange(100, dtype="float32").reshape(10, 10))
    raster = None
    bench.host.project.addMapLayer(QgsRasterLayer(path, CELLS, "gdal"))


def hostile(kind: str, outside: Path, inside: Path, port: int, marker: str) -> dict[str, Any]:
    """Hostile values by name. ``outside`` holds a secret, ``inside`` is the project's folder; ``marker`` is in every new name."""
    secret, url = outside / "secret.txt", f"http://127.0.0.1:{port}/{marker}"
    vrt = f'<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand band="1"><SimpleSource><SourceFilename>/vsicurl/{url}'
    every: dict[str, Any] = {
        "path": str(secret),
        "up": f"../../{marker}",
        "target": str(outside / f"{marker}.gpkg"),
        "url": url,
        "vsicurl": f"/vsicurl/{url}.tif",
        "vrt": vrt + "</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>",
        "driver": f"PG:host=127.0.0.1 port={port} dbname={marker}",
        "uri": f"type=xyz&url={url}",
        "sql": f"n\" FROM points; ATTACH '{outside}/{marker}.db' AS x; --",
        "env": "env('QGIS_AGENT_CANARY')",
        "quote": "x' || env('QGIS_AGENT_CANARY') || '",
        "template": "[% env('QGIS_AGENT_CANARY') %]",
        "code": f"value = __import__('os').system('touch {outside}/{marker}')",
        "switch": f"--optfile {secret}",
        "existing": str(inside / "points.gpkg"),
        "property": {"type": "data_defined", "expression": "env('QGIS_AGENT_CANARY')"},
    }
    if kind == "expression":
        every["load"] = f"load_layer('{secret}', 'delimitedtext')"
        every["evaluated"] = "eval('en' || 'v(''QGIS_AGENT_CANARY'')')"
        every["variable"] = "var('project_' || 'path')"
    return every


def base_call(algorithm: QgsProcessingAlgorithm) -> dict[str, Any]:
    """Parameters with which the algorithm runs on the layers, where that can be said in general."""
    found: dict[str, Any] = {}
    for each in algorithm.parameterDefinitions():
        optional = bool(each.flags() & Qgis.ProcessingParameterFlag.Optional)
        if each.isDestination() or (optional and each.type() not in ("source", "vector", "raster")):
            continue
        if each.defaultValue() is None or each.type() in ("source", "vector", "raster", "multilayer"):
            value = _value(each)
            if value is not None:
                found[each.name()] = value
    if algorithm.id().startswith("native:tilesxyz"):
        # 3.40.6 waits for ever where there is no tile to draw.
        found.update(EXTENT="0,40000,0,40000 [EPSG:3857]", ZOOM_MIN=8, ZOOM_MAX=8)
    return found


def _value(definition: QgsProcessingParameterDefinition) -> Any:
    kind = definition.type()
    if kind in ("source", "vector", "layer"):
        return next(
            (_TYPES[each] for each in map(Qgis.ProcessingSourceType, definition.dataTypes()) if each in _TYPES), POINTS
        )
    if kind == "multilayer":
        layer = _TYPES.get(Qgis.ProcessingSourceType(definition.layerType()), POLYGONS)
        return [layer, POLYGONS] if layer != CELLS else [CELLS]
    if kind == "field":
        text = definition.dataType() == Qgis.ProcessingFieldParameterDataType.String
        return ["n"] if definition.allowMultiple() else "name" if text else "n"
    if kind == "expression":
        return '"cells@1" * 2' if definition.parentLayerParameterName() == "LAYERS" else '"n"'
    return {
        "raster": CELLS, "number": 1, "distance": 5, "area": 1, "duration": 1, "scale": 1000, "band": 1, "enum": 0,
        "boolean": False, "crs": "EPSG:3857", "extent": EXTENT, "point": "5,5 [EPSG:3857]", "string": "x",
        "matrix": [0, 50, 1], "relief_colors": "0,100,1,2,3", "raster_calc_expression": '"cells@1" * 2',
        "fields_mapping": [{"name": "m", "type": 2, "expression": '"n"'}],
        "aggregates": [{"name": "m", "type": 2, "input": '"n"', "aggregate": "sum", "delimiter": ","}],
        "idw_interpolation_data": [{"layer_id": POINTS, "field": "n"}],
        "vectortilewriterlayers": [{"layer_id": POINTS}],
        "dxflayers": [{"layer_id": POINTS}],
        "tininputlayers": [{"layer_id": POINTS, "field": "n"}],
    }.get(kind)  # fmt: skip


def in_place_of(kind: str, value: Any) -> Any:
    """A hostile value in the form that the kind of parameter takes."""
    if isinstance(value, dict):
        return value
    if kind == "fields_mapping":
        return [{"name": "m", "type": 10, "expression": value}]
    if kind == "aggregates":
        return [{"name": "m", "type": 10, "input": value, "aggregate": "concatenate", "delimiter": ","}]
    if kind == "multilayer":
        return [value, value]
    return value


def texts_of(bench: Bench, outcome: dict[str, Any], known: set[str], scratch: Path) -> Iterator[str]:
    """Everything that a call has given out: its outcome, the attributes of new layers, the files that it made."""
    yield repr(outcome)
    for ident, layer in bench.host.project.mapLayers().items():
        if ident not in known and isinstance(layer, QgsVectorLayer):
            yield repr([each.name() for each in layer.fields()])
            for feature in layer.getFeatures():
                yield repr(feature.attributes())
    for each in scratch.rglob("*"):
        if each.is_file():
            yield each.read_bytes().decode("latin-1")


def digest_of(folder: Path) -> dict[str, str]:
    """Every file below a folder with the hash of its bytes."""
    return {
        str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }
