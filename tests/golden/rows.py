"""The rows of QGIS's own Processing suite as calls of run_algorithm: layers, values, places for the results."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

from qgis.core import (
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingParameterDefinition,
    QgsRasterLayer,
    QgsVectorLayer,
)

RASTER_HASH_FILE = "raster.tif"
KINDS = ("points", "structure_lines", "break_lines")


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows that pass when an algorithm is called directly."""
    lines = (folder / "qgis_golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["status"] == "PASS"]


def unpack(folder: Path, into: Path) -> Path:
    """The test data in a folder that may be written to: GDAL puts .gfs files beside GML."""
    with tarfile.open(folder / "processing_testdata.tar.xz") as archive:
        archive.extractall(into)  # noqa: S202  our own archive; Debian's Python 3.11 has no filters yet
    return into / "testdata"


def source_of(data: Path, entry: dict[str, Any]) -> str:
    """The source of a layer of the test data."""
    path = str(data / (entry.get("uri") or entry["name"]))
    return path + "|option:FORCE_SRS_DETECTION=YES" if ".gml" in path else path


class Row:
    """One row on its way: its layers are added to the project, its results go to files of its own folder."""

    def __init__(self, row: dict[str, Any], data: Path, folder: Path, bench: Any) -> None:
        self.row = row
        self.data = data
        self.folder = folder
        self.bench = bench
        self.copies: list[Path] = []
        self._layers: dict[str, str] = {}

    def arguments(self, algorithm: QgsProcessingAlgorithm) -> dict[str, Any]:
        """The arguments of run_algorithm. What the row has on purpose (degrees, invalid geometry) is meant as it is."""
        given = self.row["params"]
        if isinstance(given, list):
            names = [each.name() for each in algorithm.parameterDefinitions()]
            given = dict(zip(names, given))
        parameters = {key: self._value(value) for key, value in given.items()}
        destinations = [each.name() for each in algorithm.destinationParameterDefinitions()]
        parameters.update({key: True for key in self.row["results"] if key in destinations})
        return {
            "algorithm": self.row["algorithm"],
            "parameters": parameters,
            "as_is": True,
            "invalid_geometry": "skip" if self.row["skip_invalid"] else "ignore",
        }

    def _value(self, value: Any) -> Any:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind in ("vector", "table", "raster"):
            return self._alias(value)
        if kind == "multi":
            return [self._value(each) for each in value["params"]]
        if kind == "file":
            return str(self.data / value["name"])
        if kind == "interpolation":
            parts = [each.split("::~::") for each in value["name"].split("::|::")]
            # Four rows name a file that the suite has not (breaklines.gml); called directly, QGIS passes over it.
            return [self._interpolated(*each) for each in parts if (self.data / each[0]).is_file()]
        return value

    def _interpolated(self, name: str, use_z: str, index: str, kind: str) -> dict[str, Any]:
        """QGIS's text "file::~::use Z::~::field's number::~::kind" as the tool takes it."""
        alias = self._alias({"type": "vector", "name": name})
        given: dict[str, Any] = {"layer_id": alias, "use_z": use_z == "1", "kind": KINDS[int(kind)]}
        if int(index) >= 0:
            given["field"] = self.bench.host.layers.by_alias(alias).fields()[int(index)].name()
        return given

    def _alias(self, entry: dict[str, Any]) -> str:
        source = self._in_place(entry) if entry.get("in_place") else source_of(self.data, entry)
        if source not in self._layers:
            layer: QgsMapLayer
            if entry["type"] == "raster":
                layer = QgsRasterLayer(source, entry["name"], "gdal")
            else:
                layer = QgsVectorLayer(source, entry["name"], "ogr")
            self.bench.host.project.addMapLayer(layer)
            self._layers[source] = self.bench.host.layers.alias(layer)
        return self._layers[source]

    def _in_place(self, entry: dict[str, Any]) -> str:
        original = self.data / entry["name"]
        for each in original.parent.glob(original.stem + ".*"):
            shutil.copy(each, self.folder / each.name)
        self.copies.append(self.folder / original.name)
        return str(self.copies[-1])

    def place(self, algorithm: QgsProcessingAlgorithm, definition: QgsProcessingParameterDefinition) -> str | None:
        """Where the host puts an output: a file with the base name of the expected one. None for what no row looks at."""
        expected = self.row["results"].get(definition.name())
        if expected is None or "in_place_result" in expected:
            return None
        if expected["type"] == "directory":
            return str(self.folder)
        folder = self.folder / f"o{list(self.row['results']).index(definition.name())}"
        if expected["type"] == "rasterhash":
            return str(folder / RASTER_HASH_FILE)
        name = expected["name"][0] if isinstance(expected["name"], list) else expected["name"]
        base = "out.gpkg" if name.startswith("ogr:") else Path(name).name
        return str(folder / base)
