"""What an analysis must leave as it was: fields that happen to have a name that QGIS uses, and the names that people see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from osgeo import gdal
from qgis.core import (
    QgsApplication,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsRasterLayer,
    QgsVectorLayer,
)


def layer_of(bench: Bench, data: dict[str, Any]) -> Any:
    """The layer that a tool made."""
    return bench.host.layers.by_alias(data["layer_id"])


def aliases(layer: QgsVectorLayer) -> dict[str, str]:
    """{field: name that people see}, where there is one."""
    return {each.name(): each.alias() for each in layer.fields() if each.alias()}


@pytest.mark.parametrize("dissolve", [False, True])
def test_rings_keep_fields_called_layer_and_path(bench: Bench, dissolve: bool) -> None:
    """QGIS's merge adds "layer" and "path" of its own, which are taken out again: not those of the data."""
    bench.add(
        memory_layer(
            "LineString?crs=EPSG:32631&field=layer:string&field=path:string",
            [("LINESTRING(500000 5000000, 500500 5000000)", ["rivers", "main"])],
            "lines",
        )
    )
    data = bench.ok("buffer_layer", layer_id="lines", distance_m=200, dissolve=dissolve, options={"rings": [100]})
    result = layer_of(bench, data)
    names = [each.name() for each in result.fields()]
    if dissolve:
        assert names == ["ring_from_m", "ring_to_m"]
        return
    assert names == ["layer", "path", "ring_from_m", "ring_to_m"]
    rows = sorted(each.attributes() for each in result.getFeatures())
    assert rows == [["rivers", "main", 0.0, 100.0], ["rivers", "main", 100.0, 200.0]]


def test_an_alias_of_the_other_layer_is_not_put_on_an_own_field(bench: Bench) -> None:
    """Both layers have "name"; only the second one's has an alias. In the result the first one's has none."""
    polygon = "Polygon?crs=EPSG:32631&field=name:string&field=code:integer"
    one = memory_layer(polygon, [("POLYGON((0 0,10 0,10 10,0 10,0 0))", ["a", 1])], "one")
    two = memory_layer(polygon, [("POLYGON((5 0,15 0,15 10,5 10,5 0))", ["b", 1])], "two")
    two.setFieldAlias(0, "Owner of the parcel")
    two.setFieldAlias(1, "Code of the owner")
    for each in (one, two):
        bench.add(each)
    cut = bench.ok("overlay_layers", layer_id="one", overlay_layer_id="two", operation="clip")
    assert aliases(layer_of(bench, cut)) == {}
    joined = bench.ok(
        "join_attribute", layer_id="one", field="code", join_layer_id="two", options={"prefix": "o_"}, fields=["name"]
    )
    result = layer_of(bench, joined)
    assert [each.name() for each in result.fields()] == ["name", "code", "o_name"]
    assert aliases(result) == {"o_name": "Owner of the parcel"}


def test_cells_that_keep_their_value_are_not_counted_as_reclassified(bench: Bench, tmp_path: Any) -> None:
    """3 cells of 1 become 9; 2 cells are 9 anyway and in no range, and so are the 4 cells of 5."""
    values = np.array([[1, 1, 1], [9, 9, 5], [5, 5, 5]], dtype=np.float32)
    path = str(tmp_path / "classes.tif")
    target = gdal.GetDriverByName("GTiff").Create(path, 3, 3, 1, gdal.GDT_Float32)
    target.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
    target.SetProjection(QgsRasterLayer().crs().toWkt() or "")
    target.GetRasterBand(1).SetNoDataValue(-1)
    target.GetRasterBand(1).WriteArray(values)
    del target
    bench.host.project.addMapLayer(QgsRasterLayer(path, "classes"))
    data = bench.ok("reclassify_raster", layer_id="classes", table=[{"min": 0, "max": 2, "value": 9}], missing="keep")
    assert [(row["value"], row["cells"]) for row in data["rows"]] == [(9, 5)]
    assert data["cells_in_no_range"] == 6


def test_a_table_without_rows_is_told(bench: Bench) -> None:
    """Fields of a layer that has no features: the layer is made, and that it is empty is said."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:string&field=b:string", [], "empty"))
    outcome = bench.call("refactor_fields", layer_id="empty", keep=["a"])
    assert outcome["ok"] and "has no features" in outcome["message"]


def test_a_selection_that_a_table_of_groups_does_not_use_is_told(bench: Bench) -> None:
    """aggregate_layer and join_attribute say so as all others do: the person selected one of two and gets both."""
    layer = bench.add(
        memory_layer("Point?crs=EPSG:4326&field=a:string", [("POINT(1 1)", ["x"]), ("POINT(2 2)", ["x"])], "pts")
    )
    layer.selectByIds([1])
    grouped = bench.ok("aggregate_layer", layer_id="pts", fields=["a"])
    assert any("the selection was not used" in each for each in grouped["warnings"])
    other = memory_layer("Point?crs=EPSG:4326&field=a:string&field=b:integer", [("POINT(1 1)", ["x", 1])], "other")
    bench.add(other)
    joined = bench.ok("join_attribute", layer_id="pts", field="a", join_layer_id="other")
    assert sum("the selection was not used" in each for each in joined["warnings"]) == 1


@pytest.mark.parametrize("name", ["geodesiccircles", "checkgeometries", "rastercalculate", "focalstatistics"])
def test_an_algorithm_that_was_stopped_gives_nothing(bench: Bench, tmp_path: Any, name: str) -> None:
    """Half a result is no result: not in the toolbox either, where nobody else looks at it."""
    points = memory_layer("Point?crs=EPSG:32631", [("POINT(500000 5000000)", [])], "points")
    path = str(tmp_path / "cells.tif")
    target = gdal.GetDriverByName("GTiff").Create(path, 3, 3, 1, gdal.GDT_Float32)
    target.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
    del target
    cells = QgsRasterLayer(path, "cells")
    parameters = {
        "geodesiccircles": {"INPUT": points, "DISTANCE": 10, "OUTPUT": "memory:"},
        "checkgeometries": {"INPUT": points, "OUTPUT": "memory:"},
        "rastercalculate": {"LAYERS": [cells], "FORMULA": "A", "OUTPUT": str(tmp_path / "made.tif")},
        "focalstatistics": {"INPUT": cells, "OUTPUT": str(tmp_path / "made.tif")},
    }[name]
    context, feedback = QgsProcessingContext(), QgsProcessingFeedback()
    feedback.cancel()
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("qgisagent:" + name)
    results, _ = algorithm.run(parameters, context, feedback)
    assert results == {}


def test_an_empty_geometry_is_in_no_number(bench: Bench) -> None:
    """POINT EMPTY has no place: neither its value nor that it has none counts."""
    places = [(0, 0), (1000, 0), (0, 1000), (1000, 1000)]
    rows = [(f"POINT({500000 + x} {5000000 + y})", [number]) for number, (x, y) in enumerate(places, 1)]
    bench.add(
        memory_layer(
            "Point?crs=EPSG:32631&field=v:double", [*rows, ("POINT EMPTY", [1000]), ("POINT EMPTY", [None])], "pts"
        )
    )
    data = bench.ok("interpolate_points", layer_id="pts", field="v", cell_size_m=100)
    assert (data["input_min"], data["input_max"], data["points_used"], data["nulls"]) == (1, 4, 4, 0)
    burnt = bench.ok("convert_raster_vector", layer_id="pts", method="raster", field="v", cell_size_m=100)
    assert burnt["input_count"] == 4
