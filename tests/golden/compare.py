"""Whether the results of a row are the expected ones. The comparison of features is QGIS's own."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy
from osgeo import gdal
from qgis.core import QgsVectorLayer
from qgis.testing import QgisTestCase
from rows import Row, source_of


def difference(row: Row, places: dict[str, str], values: dict[str, Any]) -> str:
    """What is wrong with the results of a row; "" when all of them match."""
    for name, expected in row.row["results"].items():
        path = (
            str(row.copies[0]) if "in_place_result" in expected else places.get(name) or _beside(row, values.get(name))
        )
        if not path:
            return f"{name}: no result"
        try:
            _CHECKS[expected["type"]](row, expected, path)
        except (AssertionError, OSError) as error:
            return f"{name}: {str(error)[:300]}"
    return ""


def _beside(row: Row, told: Any) -> str:
    """The path of a file that an algorithm wrote beside its input, without asking where to."""
    return str(row.data / told["file"]) if isinstance(told, dict) and "file" in told else ""


def _vector(row: Row, expected: dict[str, Any], path: str) -> None:
    source = path + "|option:FORCE_SRS_DETECTION=YES" if ".gml" in path else path
    result = QgsVectorLayer(source, "result", "ogr")
    assert result.isValid(), f"{path} cannot be read"
    compare = expected.get("compare", {})
    if compare is False:
        return
    names = expected["name"] if isinstance(expected["name"], list) else [expected["name"]]
    problems = []
    for name in names:
        wanted = QgsVectorLayer(source_of(row.data, dict(expected, name=name)), "expected", "ogr")
        assert wanted.isValid(), f"{name} cannot be read"
        try:
            more = {"pk": expected["pk"]} if "pk" in expected else {}
            QgisTestCase().assertLayersEqual(wanted, result, compare=compare, **more)
            return
        except AssertionError as error:
            problems.append(str(error))
    raise AssertionError(problems[0])


def _raster_hash(row: Row, expected: dict[str, Any], path: str) -> None:
    dataset = gdal.Open(path)
    kinds = {
        gdal.GDT_Byte: numpy.uint8,
        gdal.GDT_UInt16: numpy.uint16,
        gdal.GDT_Int16: numpy.int16,
        gdal.GDT_UInt32: numpy.uint32,
        gdal.GDT_Int32: numpy.int32,
        gdal.GDT_Float32: numpy.float32,
        gdal.GDT_Float64: numpy.float64,
    }
    kind = kinds[dataset.GetRasterBand(1).DataType]
    cells = numpy.nan_to_num(numpy.frombuffer(dataset.ReadRaster(), kind))
    found = hashlib.sha224(cells.tobytes()).hexdigest()
    wanted = expected["hash"] if isinstance(expected["hash"], list) else [expected["hash"]]
    assert found in wanted, f"the cells have the hash {found}"


def _regex(row: Row, expected: dict[str, Any], path: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    for rule in expected["rules"]:
        assert re.search(rule, text), f"{rule!r} is not in {text[:200]!r}"


def _file(row: Row, expected: dict[str, Any], path: str) -> None:
    names = expected["name"] if isinstance(expected["name"], list) else [expected["name"]]
    text = Path(path).read_text(encoding="utf-8")
    assert text in [(row.data / each).read_text(encoding="utf-8") for each in names], "the text is another"


_CHECKS = {"vector": _vector, "rasterhash": _raster_hash, "regex": _regex, "file": _file}
