"""run_algorithm, as an agent calls it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsProject, QgsRasterLayer, QgsVectorFileWriter, QgsVectorLayer

from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.host import run_until

SQUARE = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's plugin Processing, as the tools load it."""
    load_providers()


def points(bench: Bench, count: int = 4, crs: str = "EPSG:32650", name: str = "points") -> QgsVectorLayer:
    """Points (0 0), (1 1) … with a number each."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({n} {n})", [n, f"p{n}"]) for n in range(count)]
    return bench.add(memory_layer(f"Point?crs={crs}&field=n:int&field=label:string(20)", rows, name))


def in_file(bench: Bench, folder: Path, name: str = "points") -> QgsVectorLayer:
    """Three points with v = 1, 2, 3 in a GeoPackage."""
    source = memory_layer("Point?crs=EPSG:32650&field=v:int", [(f"POINT({n} {n})", [n]) for n in (1, 2, 3)], name)
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.layerName = name
    path = str(folder / f"{name}.gpkg")
    QgsVectorFileWriter.writeAsVectorFormatV3(source, path, QgsProject.instance().transformContext(), options)
    return bench.add(QgsVectorLayer(f"{path}|layername={name}", name, "ogr"))


# strict parameters


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"INPUT": "points", "DISTNACE": 5}, "DISTANCE"),
        ({"INPUT": "points", "DISTANCE": "far"}, "number"),
        ({"INPUT": "points", "DISTANCE": 5, "SEGMENTS": 0}, ">= 1"),
        ({"INPUT": "points", "DISTANCE": 5, "SEGMENTS": 2.5}, "2"),
        ({"INPUT": "points", "DISTANCE": 5, "END_CAP_STYLE": "Rund"}, "Round"),
        ({"INPUT": "points", "DISTANCE": 5, "END_CAP_STYLE": 7}, "0: Round"),
        ({"INPUT": "points", "DISTANCE": 5, "DISSOLVE": "perhaps"}, "true or false"),
        ({"INPUT": "points", "DISTANCE": {"field": "m"}}, "'n'"),
        ({"INPUT": {"layer_id": "points", "only": True}}, "selected_only"),
        ({"DISTANCE": 5}, "INPUT"),
    ],
)
def test_what_does_not_fit_says_what_would(bench: Bench, parameters: dict[str, Any], word: str) -> None:
    """INVALID_PARAM, with the right name, range or choice."""
    points(bench)
    envelope = bench.call("run_algorithm", algorithm="native:buffer", parameters=parameters)
    assert envelope["code"] == "INVALID_PARAM", envelope
    assert word in envelope["hint"], envelope
    assert len(bench.host.project.mapLayers()) == 1


def test_fields_bands_crs_and_kinds_of_layers_are_looked_at(bench: Bench, tmp_path: Path) -> None:
    """Before anything runs."""
    points(bench)
    hint = bench.call("run_algorithm", algorithm="native:dissolve", parameters={"INPUT": "points", "FIELD": ["lable"]})
    assert "'label'" in hint["hint"]
    wrong = bench.call("run_algorithm", algorithm="native:polygonstolines", parameters={"INPUT": "points"})
    assert wrong["code"] == "INVALID_PARAM"
    assert "polygon" in wrong["message"]
    crs = {"INPUT": "points", "TARGET_CRS": "EPSG:999999"}
    assert "EPSG:4326" in bench.call("run_algorithm", algorithm="native:reprojectlayer", parameters=crs)["hint"]
    raster = dem(bench, tmp_path)
    for band in (0, 2, 5):  # case A36: QGIS itself only says that it failed
        zones = {"INPUT": "zone", "INPUT_RASTER": "dem", "RASTER_BAND": band}
        bench.host.project.removeMapLayers([e.id() for e in bench.host.project.mapLayersByName("zone")])
        bench.add(memory_layer("Polygon?crs=EPSG:32650", [(SQUARE, [])], "zone"))
        envelope = bench.call("run_algorithm", algorithm="native:zonalstatisticsfb", parameters=zones)
        assert envelope["code"] == "INVALID_PARAM"
        assert "1 to 1" in envelope["hint"]
    assert raster.isValid()


def dem(bench: Bench, folder: Path) -> QgsRasterLayer:
    """A 4 x 4 raster with the values 1 to 16, cells of 2.5 m from (0 0) to (10 10)."""
    path = folder / "dem.asc"
    rows = "\n".join(" ".join(str(4 * row + column + 1) for column in range(4)) for row in range(4))
    path.write_text(f"ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 2.5\n{rows}\n", encoding="ascii")
    layer = QgsRasterLayer(str(path), "dem", "gdal")
    bench.add(layer)
    return layer


def test_choices_by_text_or_number(bench: Bench) -> None:
    """A square cap around a point is a square: (2 * 5)² m²."""
    points(bench, 1)
    for cap in ("Square", "square", 2, "2"):
        data = bench.ok(
            "run_algorithm",
            algorithm="native:buffer",
            parameters={"INPUT": "points", "DISTANCE": 5, "END_CAP_STYLE": cap},
            name=f"cap {cap}",
        )
        layer = bench.host.layers.by_alias(data["layer_id"])
        assert next(layer.getFeatures()).geometry().area() == pytest.approx(100)


# units


def test_a01_metres_on_degrees_need_a_yes(bench: Bench) -> None:
    """1000 on a lon/lat layer is not passed on; with as_is it is 1000 degrees."""
    points(bench, 1, "EPSG:4326")
    call = {"algorithm": "native:buffer", "parameters": {"INPUT": "points", "DISTANCE": 1000}}
    envelope = bench.call("run_algorithm", **call)
    assert envelope["code"] == "INVALID_PARAM"
    assert envelope["reason"] == "units"
    assert "buffer_layer" in envelope["hint"]
    data = bench.ok("run_algorithm", **call, as_is=True)
    assert bench.host.layers.by_alias(data["layer_id"]).extent().width() == pytest.approx(2000)
    assert any("degrees" in each for each in data["warnings"])


# layers and what of them


def test_a52_selected_only_with_no_selection_asks(bench: Bench) -> None:
    """Three points, one selected: the layer gives 3, selected_only 1; with no selection it asks, and does not run."""
    layer = points(bench, 3)
    layer.selectByIds([next(layer.getFeatures()).id()])
    whole = bench.ok("run_algorithm", algorithm="native:buffer", parameters={"INPUT": "points", "DISTANCE": 5})
    assert whole["feature_count"] == 3
    assert any("selected" in each for each in whole["warnings"])
    only = {"INPUT": {"layer_id": "points", "selected_only": True}, "DISTANCE": 5}
    assert bench.ok("run_algorithm", algorithm="native:buffer", parameters=only)["feature_count"] == 1
    layer.removeSelection()
    envelope = bench.call("run_algorithm", algorithm="native:buffer", parameters=only)
    assert envelope["code"] == "AMBIGUOUS"
    assert envelope["data"]["options"]


def test_features_that_match_conditions(bench: Bench) -> None:
    """where, and the counts of what went in and came out."""
    points(bench, 5)
    source = {"layer_id": "points", "where": [{"field": "n", "op": "gte", "value": 3}]}
    data = bench.ok("run_algorithm", algorithm="native:buffer", parameters={"INPUT": source, "DISTANCE": 5})
    assert data["feature_count"] == 2
    assert data["inputs"] == [{"layer_id": "points", "feature_count": 2}]
    assert data["algorithm"] == ["native:buffer"]
    assert data["crs"] == "EPSG:32650"


def test_a53_unsaved_edits_are_seen_by_some_only_and_it_is_said(bench: Bench, tmp_path: Path) -> None:
    """QGIS's own algorithm sees 4 points, GDAL's 3; the edit session goes on untouched."""
    layer = in_file(bench, tmp_path)
    layer.startEditing()
    new = next(layer.getFeatures())
    new.setId(-1)
    new.setAttribute("fid", None)
    assert layer.addFeature(new)
    native = bench.ok("run_algorithm", algorithm="native:buffer", parameters={"INPUT": "points", "DISTANCE": 5})
    gdal = bench.ok(
        "run_algorithm",
        algorithm="gdal:buffervectors",
        parameters={"INPUT": "points", "DISTANCE": 5, "GEOMETRY": "geom"},
    )
    assert (native["feature_count"], gdal["feature_count"]) == (4, 3)
    assert any("not saved; they are included" in each for each in native["warnings"])
    assert any("NOT see" in each for each in gdal["warnings"])
    assert layer.isEditable()
    assert layer.isModified()
    layer.rollBack()


def test_a47_an_existing_file_is_never_an_output(bench: Bench, tmp_path: Path) -> None:
    """A GeoPackage as OUTPUT would lose its other layers: refused, and its bytes are as before."""
    layer = in_file(bench, tmp_path)
    path = Path(layer.source().split("|")[0])
    before = path.read_bytes()
    for place in (str(path), "memory:", f"ogr:dbname='{path}' table=\"x\" (geom)", {"sink": str(path)}):
        parameters = {"INPUT": "points", "DISTANCE": 5, "OUTPUT": place}
        assert bench.code("run_algorithm", algorithm="native:buffer", parameters=parameters) == "INVALID_PARAM"
    assert path.read_bytes() == before


def test_a50_an_output_that_cannot_be_read_is_no_success(bench: Bench, tmp_path: Path) -> None:
    """GDAL fails on a filtered layer with another name of the geometry; QGIS itself says that all is well."""
    layer = in_file(bench, tmp_path)
    assert layer.setSubsetString('"v">1')
    parameters = {"INPUT": "points", "DISTANCE": 5, "GEOMETRY": "geom"}
    assert bench.code("run_algorithm", algorithm="gdal:buffervectors", parameters=parameters) == "UPSTREAM_ERROR"
    assert len(bench.host.project.mapLayers()) == 1


# results


def test_a_result_is_a_layer_with_its_evidence(bench: Bench) -> None:
    """Under "Agent results", named, with the algorithm and its parameters; asked twice it can be told apart."""
    points(bench)
    outcome = bench.outcome(
        "run_algorithm", algorithm="native:centroids", parameters={"INPUT": "points"}, name="my centres"
    )
    data = outcome["envelope"]["data"]
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert layer.name() == "my centres"
    assert bench.host.layers.group_of(layer) == "Agent results"
    assert "native:centroids" in outcome["evidence"][0]["text"]
    assert data["parameters"] == {"INPUT": "points"}
    assert outcome["actions"][0]["op"] == "add_layer"


def test_several_outputs_and_only_the_wanted_ones(bench: Bench) -> None:
    """An optional output is made with true."""
    points(bench, 5)
    parameters = {"INPUT": "points", "FIELD": "n", "OPERATOR": "<", "VALUE": "2", "FAIL_OUTPUT": True}
    data = bench.ok("run_algorithm", algorithm="native:extractbyattribute", parameters=parameters)
    assert {each["output"]: each["feature_count"] for each in data["outputs"]} == {"OUTPUT": 2, "FAIL_OUTPUT": 3}
    del parameters["FAIL_OUTPUT"]
    assert bench.ok("run_algorithm", algorithm="native:extractbyattribute", parameters=parameters)["feature_count"] == 2


def test_numbers_and_texts_are_told(bench: Bench) -> None:
    """Values 0 to 4: the mean is 2, the sum 10; the HTML comes as text."""
    points(bench, 5)
    data = bench.ok(
        "run_algorithm",
        algorithm="native:basicstatisticsforfields",
        parameters={"INPUT_LAYER": "points", "FIELD_NAME": "n"},
    )
    assert (data["values"]["MEAN"], data["values"]["SUM"], data["values"]["COUNT"]) == (2, 10, 5)
    assert math.isclose(data["values"]["STD_DEV"], math.sqrt(2))
    assert "Mean value: 2" in data["values"]["OUTPUT_HTML_FILE"]["text"]
    assert "<" not in data["values"]["OUTPUT_HTML_FILE"]["text"]


def test_a_result_from_nothing_is_said(bench: Bench) -> None:
    """A clip that misses."""
    points(bench)
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [("POLYGON((90 90, 99 90, 99 99, 90 90))", [])], "mask"))
    envelope = bench.call("run_algorithm", algorithm="native:clip", parameters={"INPUT": "points", "OVERLAY": "mask"})
    assert envelope["ok"]
    assert envelope["data"]["feature_count"] == 0
    assert "no features" in envelope["message"]


def test_places_in_degrees(bench: Bench) -> None:
    """A grid over one degree: 4 cells of half a degree; a box in metres with its CRS."""
    degrees = {
        "TYPE": "Rectangle (Polygon)",
        "EXTENT": [10, 50, 11, 51],
        "HSPACING": 0.5,
        "VSPACING": 0.5,
        "CRS": "EPSG:4326",
    }
    assert (
        bench.ok("run_algorithm", algorithm="native:creategrid", parameters=degrees, as_is=True)["feature_count"] == 4
    )
    metres = dict(
        degrees, EXTENT={"bbox": [0, 0, 20, 20], "crs": "EPSG:32650"}, HSPACING=10, VSPACING=5, CRS="EPSG:32650"
    )
    assert bench.ok("run_algorithm", algorithm="native:creategrid", parameters=metres)["feature_count"] == 8
    bad = dict(degrees, EXTENT=[1, 2, 3])
    assert bench.code("run_algorithm", algorithm="native:creategrid", parameters=bad, as_is=True) == "INVALID_PARAM"
    point = bench.ok("run_algorithm", algorithm="native:pointtolayer", parameters={"INPUT": [116.4, 39.9]})
    feature = next(bench.host.layers.by_alias(point["layer_id"]).getFeatures())
    assert feature.geometry().asPoint().x() == pytest.approx(116.4)


# several layers


def test_one_run_for_each_layer(bench: Bench) -> None:
    """Three layers: three results, each with its own count."""
    for number in (1, 2, 3):
        points(bench, number, name=f"p{number}")
    parameters = {"INPUT": {"each": ["p1", "p2", "p3"]}, "DISTANCE": 5}
    data = bench.ok("run_algorithm", algorithm="native:buffer", parameters=parameters)
    assert [run["outputs"][0]["feature_count"] for run in data["runs"]] == [1, 2, 3]
    assert len(bench.host.project.mapLayers()) == 6


def test_of_several_runs_all_or_none(bench: Bench) -> None:
    """The second layer has an invalid polygon: its name is told, and no result of the first is added."""
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [(SQUARE, [])], "good"))
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [("POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))", [])], "bowtie"))
    envelope = bench.call(
        "run_algorithm", algorithm="native:dissolve", parameters={"INPUT": {"each": ["good", "bowtie"]}}
    )
    assert not envelope["ok"]
    assert "bowtie" in envelope["message"]
    assert "none was added" in envelope["message"]
    assert len(bench.host.project.mapLayers()) == 2
    ignored = bench.ok(
        "run_algorithm",
        algorithm="native:dissolve",
        parameters={"INPUT": {"each": ["good", "bowtie"]}},
        invalid_geometry="ignore",
    )
    assert len(ignored["runs"]) == 2


def test_b33_a_layer_that_goes_while_it_is_read_ends_the_call(bench: Bench) -> None:
    """The layer is named in ``parameters``, not in an argument of its own; nothing is added."""
    layer = points(bench, 2000)
    outcomes: list[dict[str, Any]] = []
    parameters = {"INPUT": "points", "DISTANCE": 50, "SEGMENTS": 60, "DISSOLVE": True}
    assert bench.begin("run_algorithm", {"algorithm": "native:buffer", "parameters": parameters}, outcomes) is not None
    bench.host.project.removeMapLayer(layer.id())
    assert run_until(lambda: bool(outcomes), 10)
    assert outcomes[0]["envelope"]["reason"] == "layer_removed"
    assert not bench.host.project.mapLayers()


def test_the_extent_of_a_filtered_layer_is_that_of_its_features(bench: Bench, tmp_path: Path) -> None:
    """v > 1 leaves (2 2) and (3 3): a box of 1 m, so 4 cells of half a metre."""
    layer = in_file(bench, tmp_path)
    assert layer.setSubsetString('"v">1')
    parameters = {"TYPE": 2, "EXTENT": "points", "HSPACING": 0.5, "VSPACING": 0.5, "CRS": "EPSG:32650"}
    assert bench.ok("run_algorithm", algorithm="native:creategrid", parameters=parameters)["feature_count"] == 4
