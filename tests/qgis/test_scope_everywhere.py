"""Every tool of the registry against a project with an excluded layer and excluded fields: no canary comes out anywhere."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from osgeo import gdal, osr
from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsGraduatedSymbolRenderer,
    QgsPalLayerSettings,
    QgsProject,
    QgsRasterLayer,
    QgsRectangle,
    QgsRendererCategory,
    QgsRendererRange,
    QgsSymbol,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)
from scope_calls import CALLS, NAMES_TO_MAKE, keys_of, names_fields, names_layers, places, replaced
from test_scope import in_file

from qgis_agent.gis.contracts import Contracts
from qgis_agent.gis.tools.registry import load_all

TEXT = "kanarienvogel"
NUMBER = 918273
GHOST = "kanarienvogelnest"
HIDDEN = ("secret", "hush")
LAYERS = (("people", "Point"), ("zones", "Polygon"), (GHOST, "Point"))
FIELDS = "crs=EPSG:4326&field=id:integer&field=kind:string&field=salary:double&field=secret:string&field=hush:double"


def contract(name: str) -> dict[str, Any]:
    """The contract of a tool."""
    return Contracts().get(name)


def told_fields(name: str) -> set[str]:
    """The parameters of a tool that name fields, conditions left out: those are tried everywhere."""
    found = {each for each in keys_of(contract(name)["parameters"]) if names_fields(each)}
    if name.endswith("layout_item"):
        found -= {"x", "y"}  # millimetres
    return {each for each in found if (name, each) not in NAMES_TO_MAKE}


TOOLS = sorted(load_all())
WITH_LAYER = [each for each in TOOLS if any(names_layers(key) for key in keys_of(contract(each)["parameters"]))]
WORKING = [(name, at) for name, found in CALLS.items() for at in range(len(found))]
LAYER_PLACES = [
    (name, at, path) for name, at in WORKING for path in places(CALLS[name][at], names_layers) if len(path) <= 3
] + [("run_algorithm", 0, ("parameters", "INPUT"))]
FIELD_PLACES = [
    (name, at, path)
    for name, at in WORKING
    for path in places(CALLS[name][at], names_fields)
    if (name, next(each for each in reversed(path) if isinstance(each, str))) not in NAMES_TO_MAKE
] + [
    ("run_algorithm", 1, ("parameters", "FIELD")),
    ("run_algorithm", 2, ("parameters", "FIELD_2")),
    ("calculate_field", 0, ("formula",)),
    ("set_render_rule", 2, ("options", "size")),
]
WHERES = [
    (name, key)
    for name in WITH_LAYER
    for key in sorted(contract(name)["parameters"]["properties"])
    if key.endswith("where")
]


def rows(shape: str) -> list[tuple[str | None, list[Any]]]:
    """Twelve points or four squares."""

    def values(n: int) -> list[Any]:
        return [n, "abc"[n % 3], 10.0 + n, f"{TEXT}{n}", float(NUMBER + n)]

    if shape == "Point":
        return [(f"POINT({n / 10} {(n % 5 + 0.5) / 10})", values(n)) for n in range(12)]
    squares = [(0, 0), (0.6, 0), (0, 0.6), (0.6, 0.6)]
    return [
        (f"POLYGON(({x} {y}, {x + 0.6} {y}, {x + 0.6} {y + 0.6}, {x} {y + 0.6}, {x} {y}))", values(n))
        for n, (x, y) in enumerate(squares)
    ]


def dem(path: Path) -> QgsRasterLayer:
    """Write a raster over all of it."""
    data = gdal.GetDriverByName("GTiff").Create(str(path), 12, 12, 1, gdal.GDT_Float32)
    data.SetGeoTransform((0, 0.1, 0, 1.2, 0, -0.1))
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    data.SetProjection(crs.ExportToWkt())
    data.GetRasterBand(1).WriteArray(np.add.outer(np.arange(12.0), np.arange(12.0)))
    data = None
    return QgsRasterLayer(str(path), "dem")


def labelled(layer: QgsVectorLayer, field: str) -> None:
    """Labels by a field."""
    settings = QgsPalLayerSettings()
    settings.fieldName = field
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    layer.setLabelsEnabled(True)


@pytest.fixture(scope="module")
def data(qgis_app: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the project, written once."""
    folder = tmp_path_factory.mktemp("data")
    for name, shape in LAYERS:
        in_file(folder / name, name, memory_layer(f"{shape}?{FIELDS}", rows(shape), name))
    dem(folder / "dem.tif")
    return folder


@pytest.fixture
def world(bench: Bench, data: Path, tmp_path: Path) -> Iterator[Bench]:
    """The project: looks, labels and display names of the layers read what is excluded."""
    bench.approver.answer = "once"
    project = QgsProject.instance()
    shutil.copytree(data, tmp_path, dirs_exist_ok=True)
    for name, _shape in LAYERS:
        path = next((tmp_path / name).glob("*.gpkg"))
        layer = bench.add(QgsVectorLayer(str(path), name, "ogr"))
        layer.setDisplayExpression('"secret"')
        layer.setMapTipTemplate("[% secret %]")
        labelled(layer, "secret")
    people, zones, ghost = (project.mapLayersByName(each)[0] for each in ("people", "zones", GHOST))
    categories = [
        QgsRendererCategory(f"{TEXT}{n}", QgsSymbol.defaultSymbol(people.geometryType()), f"{TEXT}{n}")
        for n in range(12)
    ]
    people.setRenderer(QgsCategorizedSymbolRenderer("secret", categories))
    span = QgsRendererRange(NUMBER, NUMBER + 9, QgsSymbol.defaultSymbol(zones.geometryType()), f"{NUMBER} to more")
    zones.setRenderer(QgsGraduatedSymbolRenderer("hush", [span]))
    bench.add(
        memory_layer("Point?crs=EPSG:4326&field=id:integer&field=kind:string", [("POINT(0.1 0.1)", [1, "a"])], "plain")
    )
    project.addMapLayer(QgsRasterLayer(str(tmp_path / "dem.tif"), "dem"))
    project.write(str(tmp_path / "p.qgz"))
    bench.host.set_extent(QgsRectangle(0, 0, 1.2, 1.2), people.crs())
    assert bench.call("create_layout", name="sheet")["ok"]
    bench.host.scope.set([ghost.id()], {people.id(): HIDDEN, zones.id(): HIDDEN}, [])
    bench.approver.cards.clear()
    yield bench


def clean(text: str, echo: str = "") -> bool:
    """Whether no canary is in a text; ``echo`` is what the caller itself wrote."""
    text = text.replace(echo, "") if echo else text
    return TEXT not in text and str(NUMBER)[:5] not in text


def said(bench: Bench, outcome: dict[str, Any]) -> str:
    """All that left QGIS: the outcome, the cards, and what is pushed."""
    pushed = [bench.host.snapshot(), bench.host.layers.catalogue(), bench.host.map_state()]
    return json.dumps([outcome, bench.approver.cards, pushed], ensure_ascii=False, default=str)


def made(bench: Bench, before: set[str], folder: Path) -> str:
    """Fields and values of layers that were made, and the text of files that were written."""
    project, parts = QgsProject.instance(), []
    for ident, layer in project.mapLayers().items():
        if ident not in before and isinstance(layer, QgsVectorLayer):
            parts.append(repr([layer.fields().names(), [each.attributes() for each in layer.getFeatures()]]))
    parts += [each.read_bytes().decode("latin-1") for each in folder.glob("out.*")]
    return " ".join(parts)


def arguments_of(bench: Bench, name: str, at: int) -> dict[str, Any]:
    """The working arguments, with a path in the folder that may be written."""
    arguments = copy.deepcopy(CALLS[name][at])
    if "path" in arguments:
        arguments["path"] = str(bench.folder / arguments["path"])
    return arguments


def test_every_tool_with_a_layer_is_tried() -> None:
    assert set(WITH_LAYER) <= set(CALLS), sorted(set(WITH_LAYER) - set(CALLS))


@pytest.mark.parametrize("name", WITH_LAYER)
def test_every_parameter_of_a_tool_is_tried(name: str) -> None:
    """A new parameter for a layer or field has to get a call in the table."""
    used = {key for arguments in CALLS[name] for key in keys_used(arguments)}
    wanted = {key for key in keys_of(contract(name)["parameters"]) if names_layers(key)} | told_fields(name)
    assert wanted <= used | {"field"}, sorted(wanted - used)


def keys_used(node: Any) -> set[str]:
    """All keys in arguments."""
    if isinstance(node, dict):
        return set(node).union(*(keys_used(each) for each in node.values()))
    return set().union(*(keys_used(each) for each in node)) if isinstance(node, list) else set()


@pytest.mark.parametrize(("name", "at"), WORKING)
def test_no_result_holds_what_is_excluded(world: Bench, tmp_path: Path, name: str, at: int) -> None:
    """The calls work, or say that they cannot without the field; nothing excluded is in what they give."""
    before = set(QgsProject.instance().mapLayers())
    outcome = world.outcome(name, **arguments_of(world, name, at))
    envelope = outcome["envelope"]
    assert envelope["ok"] or name in MAY_FAIL, envelope
    assert clean(said(world, outcome)), outcome
    assert not any(f'"{each}"' in json.dumps(outcome) for each in HIDDEN), outcome
    parts = made(world, before, tmp_path)
    assert clean(parts) and not any(f"'{each}'" in parts for each in HIDDEN), parts[:2000]
    ref = (envelope.get("data") or {}).get("result_ref")
    if ref:
        assert clean(json.dumps(world.call("fetch_result", result_ref=ref)))


MAY_FAIL = {"resolve_place", "revert_style", "set_layer_encoding", "set_legend"}
"""No place of the name; no style to go back to; a GeoPackage states its encoding; the classes of an excluded field are not known."""


def refused(world: Bench, name: str, arguments: dict[str, Any], echo: str = "") -> dict[str, Any]:
    """The envelope of a call that must be refused, with nothing excluded in all that it told."""
    outcome = world.outcome(name, **arguments)
    envelope: dict[str, Any] = outcome["envelope"]
    assert not envelope["ok"], (arguments, envelope)
    assert envelope["code"] in ("FORBIDDEN", "NOT_FOUND", "INVALID_PARAM"), (arguments, envelope)
    assert clean(said(world, outcome), echo), outcome
    return envelope


@pytest.mark.parametrize("name", sorted({each[0] for each in LAYER_PLACES}))
def test_an_excluded_layer_is_refused(world: Bench, name: str) -> None:
    """At each place of each call where a layer is named."""
    for _, at, path in (each for each in LAYER_PLACES if each[0] == name):
        envelope = refused(world, name, replaced(arguments_of(world, name, at), path, GHOST), GHOST)
        assert "salary" not in json.dumps(envelope), envelope


@pytest.mark.parametrize("name", sorted({each[0] for each in FIELD_PLACES}))
def test_an_excluded_field_is_refused(world: Bench, name: str) -> None:
    """At each place of each call where a field is named; hints name no other excluded one."""
    for _, at, path in (each for each in FIELD_PLACES if each[0] == name):
        for field, other in (HIDDEN, HIDDEN[::-1]):
            value = f'"{field}"' if path == ("formula",) else field
            envelope = refused(world, name, replaced(arguments_of(world, name, at), path, value))
            assert other not in json.dumps(envelope), envelope


@pytest.mark.parametrize("name", sorted({each[0] for each in WHERES}))
def test_a_condition_on_an_excluded_field_is_refused(world: Bench, name: str) -> None:
    where = [{"field": "secret", "op": "starts_with", "value": "x"}]
    for _, key in (each for each in WHERES if each[0] == name):
        refused(world, name, {**arguments_of(world, name, 0), key: where})


@pytest.mark.parametrize("name", ["get_map_state", "describe_layout", "list_data_files", "resolve_place"])
def test_tools_without_a_layer_tell_nothing_of_it(world: Bench, name: str) -> None:
    arguments = {"describe_layout": {"layout": "sheet"}, "resolve_place": {"text": f"{TEXT}3"}}.get(name, {})
    outcome = world.outcome(name, **arguments)
    assert clean(said(world, outcome), f"{TEXT}3"), outcome


def test_the_harness_can_see_a_canary(world: Bench, tmp_path: Path) -> None:
    """Without the scope the same calls do show it."""
    world.host.scope.set([], {}, [])
    before = set(QgsProject.instance().mapLayers())
    assert not clean(said(world, world.outcome("query_features", layer_id="people", limit=3)))
    assert world.call("buffer_layer", layer_id="people", distance_m=10)["ok"]
    assert not clean(made(world, before, tmp_path))
    assert not clean(said(world, world.outcome("get_style", layer_id="people")))
