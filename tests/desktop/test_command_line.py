"""The command line as a person uses it: real processes, the real agent environment, the sample project.

Expected numbers come from shapely and pyproj on the sample's own data (see ``expected_densities``).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).resolve().parents[2]
SAMPLE = REPO / "resources" / "sample"
GOLDEN = REPO / "tests" / "support" / "golden_1.json"
REQUEST = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"

sys.path.insert(0, str(REPO / "tests" / "support"))
from model_server import ModelServer  # noqa: E402  the support folder is no package


def run(
    *arguments: str, env: dict[str, str] | None = None, timeout: float = 120, python: str = "", typed: str = ""
) -> tuple[int, str, str]:
    """Exit status, stdout, stderr of ``python -m qgis_agent …``."""
    done = subprocess.run(
        [python or str(REPO / ".venv" / "bin" / "python"), "-m", "qgis_agent", *arguments],
        cwd=REPO,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        input=typed,
    )
    return done.returncode, done.stdout, done.stderr


def ask(text: str, *arguments: str, project: str | Path = SAMPLE / "city.qgz", **more: Any) -> dict[str, Any]:
    """The JSON object of ``ask --json``: the only thing on stdout."""
    _, out, err = run("ask", text, "--project", str(project), "--json", *arguments, **more)
    try:
        return json.loads(out)
    except ValueError:
        raise AssertionError(f"stdout is no JSON: {out!r}\n{err}") from None


def call(
    tool: str, arguments: Any, *more: str, project: str | Path = SAMPLE / "city.qgz"
) -> tuple[int, dict[str, Any]]:
    """Exit status and envelope of ``call``."""
    status, out, err = run("call", tool, "--args", json.dumps(arguments), "--project", str(project), *more)
    try:
        return status, json.loads(out)
    except ValueError:
        raise AssertionError(f"stdout is no JSON: {out!r}\n{err}") from None


@pytest.fixture
def city(tmp_path: Path) -> Path:
    """A copy of the sample that a test may change."""
    shutil.copytree(SAMPLE, tmp_path / "city")
    return tmp_path / "city" / "city.qgz"


def geometries(gpkg: Path, table: str, columns: str) -> list[tuple[Any, ...]]:
    """(shapely geometry, columns…) of a GeoPackage table, read without QGIS and GDAL (GeoPackage 1.3, clause 2.1.3)."""
    import shapely

    with sqlite3.connect(gpkg) as database:
        column = database.execute(
            "select column_name from gpkg_geometry_columns where table_name = ?", (table,)
        ).fetchone()[0]
        rows = database.execute(f'select "{column}", {columns} from "{table}"').fetchall()  # noqa: S608  names of our own tables
    envelope_bytes = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}
    return [(shapely.from_wkb(blob[8 + envelope_bytes[blob[3] >> 1 & 7] :]), *rest) for blob, *rest in rows]


def srs_of(gpkg: Path, table: str) -> int:
    """EPSG code of a table."""
    with sqlite3.connect(gpkg) as database:
        return int(
            database.execute("select srs_id from gpkg_geometry_columns where table_name = ?", (table,)).fetchone()[0]
        )


def expected_densities(gpkg: Path) -> dict[str, tuple[int, float, float]]:
    """name -> (schools inside, km² on the ellipsoid, schools per km²), by shapely and pyproj."""
    import pyproj
    import shapely
    from shapely.ops import transform

    streets = geometries(gpkg, "streets", '"name"')
    source = pyproj.CRS.from_epsg(srs_of(gpkg, "streets"))
    to_streets = pyproj.Transformer.from_crs(srs_of(gpkg, "schools"), source, always_xy=True).transform
    to_degrees = pyproj.Transformer.from_crs(source, source.geodetic_crs, always_xy=True).transform
    schools = [transform(to_streets, point) for point, *_ in geometries(gpkg, "schools", "1")]
    geod = pyproj.Geod(ellps="GRS80")
    result = {}
    for polygon, name in streets:
        count = sum(1 for point in schools if shapely.contains(polygon, point))
        km2 = abs(geod.geometry_area_perimeter(transform(to_degrees, polygon))[0]) / 1e6
        result[name] = (count, km2, count / km2)
    return result


def check_golden(report: dict[str, Any], gpkg: Path) -> None:
    """What golden request 1 must give: densities with sources, a graduated layer, hospitals visible, evidence."""
    assert report["ok"], report
    assert report["termination"] == "completed"
    expected = expected_densities(gpkg)
    rows = next(step for step in report["steps"] if step["tool"] == "stat_by_polygon")
    assert rows["code"] in (None, "", "ok")
    shown = {number["text"]: number for number in report["numbers"]}
    for _, _, density in expected.values():
        assert shown[f"{density:.2f}"]["source"] is not None
    assert "hospitals" in report["map_state"]["visible"]
    assert len(report["legend"]) >= 3
    assert {item["layer_id"] for item in report["legend"]} >= {"schools_per_streets"}
    assert report["evidence"]
    render = next(action for action in report["map_actions"] if action["op"] == "render")
    densities = sorted(density for _, _, density in expected.values())
    assert all(densities[0] - 1e-3 <= value <= densities[-1] + 1e-3 for value in render["args"]["rule"]["breaks"])
    assert report["map_state"]["created"] == ["schools_per_streets"]


def test_golden_1_with_a_script() -> None:
    """The seed's own request, with its densities 6.49, 7.84 and 2.38 per km²."""
    assert {f"{density:.2f}" for _, _, density in expected_densities(SAMPLE / "city.gpkg").values()} == {
        "6.49",
        "7.84",
        "2.38",
    }
    check_golden(ask(REQUEST, "--script", str(GOLDEN)), SAMPLE / "city.gpkg")


def test_golden_1_through_a_server_and_litellm(tmp_path: Path) -> None:
    """The same by HTTP. The key reaches the server, and neither trace nor report."""
    with ModelServer(turns=json.loads(GOLDEN.read_text(encoding="utf-8"))) as server:
        env = {"QGIS_AGENT_API_BASE": server.base_url, "QGIS_AGENT_API_KEY": "canary-key-4711"}
        report = ask(REQUEST, "--model", "openai/script", "--trace", str(tmp_path / "t.jsonl"), env=env)
    check_golden(report, SAMPLE / "city.gpkg")
    assert len(server.requests) == 5
    assert "canary" not in json.dumps(report) + (tmp_path / "t.jsonl").read_text(encoding="utf-8")
    assert report["usage"]["model_calls"] == 5


def test_a_model_that_fails_leaves_a_trace_although_the_offline_commands_answer() -> None:
    """A key that the server refuses: the answer is on stdout, the warning on stderr or in ``notices``."""
    with ModelServer() as server:
        env = {"QGIS_AGENT_API_BASE": server.base_url, "QGIS_AGENT_API_KEY": "wrong-key-4711"}
        asked = ("ask", "how many schools", "--project", str(SAMPLE / "city.qgz"), "--model", "openai/status401")
        status, out, err = run(*asked, env=env)
        report = ask("how many schools", "--model", "openai/status401", env=env)
    assert status == 0 and "31" in out and "warning:" not in out
    warnings = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert any("key" in line for line in warnings), err
    assert [each["level"] for each in report["notices"]] == ["warning"] * len(report["notices"])
    assert any("key" in each["text"] for each in report["notices"]), report["notices"]
    assert "4711" not in out + err + json.dumps(report)


def test_a_run_without_trouble_has_no_notices() -> None:
    """Nothing on stderr that looks like one, and an empty list."""
    status, _, err = run("ask", "how many schools", "--project", str(SAMPLE / "city.qgz"), "--offline")
    assert status == 0 and not [line for line in err.splitlines() if line.startswith(("warning: ", "error: "))]
    assert ask("how many schools", "--offline")["notices"] == []


def test_the_numbers_follow_the_data(city: Path, tmp_path: Path) -> None:
    """Two schools moved from 街道A to 街道C: the tool's numbers are shapely's, and the old sentence has no source."""
    import pyproj
    from shapely.ops import transform

    gpkg = city.parent / "city.gpkg"
    target = next(
        polygon for polygon, name in geometries(gpkg, "streets", '"name"') if name == "街道C"
    ).representative_point()
    back = pyproj.Transformer.from_crs(srs_of(gpkg, "streets"), srs_of(gpkg, "schools"), always_xy=True).transform
    before = expected_densities(gpkg)
    _move_schools(gpkg, "街道A", transform(back, target), 2)
    after = expected_densities(gpkg)
    assert (after["街道A"][0], after["街道C"][0]) == (before["街道A"][0] - 2, before["街道C"][0] + 2)
    report = ask(REQUEST, "--script", str(GOLDEN), project=city)
    numbers = {number["text"]: number["source"] for number in report["numbers"]}
    assert numbers[f"{before['街道A'][2]:.2f}"] is None
    assert numbers[f"{before['街道B'][2]:.2f}"] is not None
    status, envelope = call("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"}, project=city)
    assert status == 0
    rows = {row["name"]: row for row in envelope["data"]["rows"]}
    for name, (count, km2, density) in after.items():
        assert rows[name]["count"] == count
        assert rows[name]["area_km2"] == pytest.approx(km2, abs=1e-3)
        assert rows[name]["density_per_km2"] == pytest.approx(density, rel=1e-3)


def _move_schools(gpkg: Path, street: str, point: Any, count: int) -> None:
    """Move schools by OGR, which keeps the GeoPackage's index right."""
    from osgeo import ogr

    source = ogr.Open(str(gpkg), 1)
    polygon = next(shape for shape, name in geometries(gpkg, "streets", '"name"') if name == street)
    import pyproj
    import shapely
    from shapely.ops import transform

    forward = pyproj.Transformer.from_crs(srs_of(gpkg, "schools"), srs_of(gpkg, "streets"), always_xy=True).transform
    layer = source.GetLayerByName("schools")
    moved = 0
    for feature in layer:
        shape = shapely.from_wkb(bytes(feature.GetGeometryRef().ExportToWkb()))
        if moved < count and shapely.contains(polygon, transform(forward, shape)):
            feature.SetGeometry(ogr.CreateGeometryFromWkt(point.wkt))
            layer.SetFeature(feature)
            moved += 1
    source = None
    assert moved == count


def test_a_wrong_sentence_has_no_source(tmp_path: Path) -> None:
    """The seed's own sample answer says 4.4–7.8, which its rows do not give: both ends are marked."""
    turns = json.loads(GOLDEN.read_text(encoding="utf-8"))
    turns[-1]["text"] = "三个街道共有学校 25 所,密度 4.4~7.8 所/平方公里,B 街道最密。"
    (tmp_path / "wrong.json").write_text(json.dumps(turns), encoding="utf-8")
    report = ask(REQUEST, "--script", str(tmp_path / "wrong.json"))
    numbers = {number["text"]: number["source"] for number in report["numbers"]}
    assert numbers["25"] is not None
    assert numbers["4.4"] is None


def test_offline_zoom_to_france_and_to_a_street() -> None:
    """The view lies within 6° W–10° E, 41–52° N; and on 街道A."""
    report = ask("zoom to France", "--offline", project="world")
    assert report["ok"], report
    west, south, east, north = report["map_state"]["view"]["bbox"]
    assert -6 <= west < east <= 10
    assert 41 <= south < north <= 52
    report = ask("放大到街道A", "--offline")
    assert report["ok"], report
    import pyproj
    from shapely.ops import transform

    gpkg = SAMPLE / "city.gpkg"
    street = next(shape for shape, name in geometries(gpkg, "streets", '"name"') if name == "街道A")
    to_degrees = pyproj.Transformer.from_crs(srs_of(gpkg, "streets"), 4326, always_xy=True).transform
    assert report["map_state"]["view"]["bbox"] == pytest.approx(transform(to_degrees, street).bounds, abs=1e-3)


def test_offline_questions_and_styles() -> None:
    """A count, a classification by area, hiding a layer."""
    report = ask("how many schools are in 街道B", "--offline")
    assert report["ok"], report
    assert re.search(r"\b8\b", report["answer"])
    report = ask("colour the streets by area, 5 classes, quantile", "--offline")
    assert report["ok"], report
    assert any(action["op"] == "render" for action in report["map_actions"])
    report = ask("把学校关掉", "--offline")
    assert report["ok"], report
    assert "schools" not in report["map_state"]["visible"]


def test_offline_does_not_claim_what_it_does_not_understand() -> None:
    """An unknown sentence fails and says what can be said."""
    status, out, _ = run("ask", "write me a poem", "--offline", "--json")
    report = json.loads(out)
    assert status == 1
    assert report["ok"] is False
    assert report["answer"] or report["error"]["hint"]


def test_offline_an_ambiguous_place_is_asked_about_and_the_button_works() -> None:
    """Two 城关区: buttons; a button's message is carried out."""
    report = ask("放大到城关区", "--offline")
    assert report["termination"] == "awaiting_user"
    options = report["question"]["options"]
    assert len(options) == 2
    again = ask(options[1]["send"], "--offline")
    assert again["ok"], again


def test_call_errors_and_exit_status() -> None:
    """Through the whole ToolRuntime: code, hint, exit status 1; wrong usage 2."""
    cases = [
        ("count_features", {"layer_id": "scools"}, "NOT_FOUND", "schools"),
        ("count_features", {"layer_id": "schools", "were": []}, "INVALID_PARAM", "where"),
        ("count_features", {}, "INVALID_PARAM", "layer_id"),
        ("set_render_rule", {"layer_id": "schools", "method": "gradated"}, "INVALID_PARAM", "graduated"),
        ("count_feature", {"layer_id": "schools"}, "NOT_FOUND", "count_features"),
        ("search_layers", {"query": "school", "limt": 3}, "INVALID_PARAM", "limit"),
    ]
    for tool, arguments, code, hint in cases:
        status, envelope = call(tool, arguments)
        assert (status, envelope["code"]) == (1, code), envelope
        assert hint in envelope["hint"] + envelope["message"], envelope
    assert run("call", "count_features", "--args", "{")[0] == 2
    assert run("nonsense")[0] == 2
    status, out, _ = run("ask", "count schools", "--project", "no/such.qgz", "--json")
    assert (status, json.loads(out)["error"]["code"]) == (1, "NOT_FOUND")


def test_search_layers_through_call() -> None:
    """An agent-side tool by the same command."""
    _, envelope = call("search_layers", {"query": "学校"})
    assert envelope["data"]["layers"][0]["layer_id"] == "schools"


def test_a_write_without_a_click_is_impossible(tmp_path: Path) -> None:
    """Must show 7: CONFIRM_REQUIRED and no file; with --approve and --allow-write it is written."""
    target = tmp_path / "schools.gpkg"
    export = {"layer_id": "schools", "path": str(target)}
    status, envelope = call("prepare_export_layer", export, "--allow-write", str(tmp_path))
    assert envelope["data"]["written"] is False
    token = envelope["data"]["confirm_token"]
    status, envelope = call("commit_action", {"confirm_token": token}, "--allow-write", str(tmp_path))
    assert (status, envelope["code"]) == (1, "CONFIRM_REQUIRED")
    assert list(tmp_path.iterdir()) == []
    status, envelope = call("prepare_export_layer", export, "--approve", "all")
    assert envelope["code"] == "FORBIDDEN"
    assert list(tmp_path.iterdir()) == []
    status, envelope = call("prepare_export_layer", export, "--approve", "all", "--allow-write", str(tmp_path))
    assert (status, envelope["data"]["written"], target.exists()) == (0, True, True)


def test_reading_leaves_the_data_as_it_is(city: Path) -> None:
    """Byte for byte, and no -wal, -shm or .aux.xml beside it."""
    before = {each.name: each.read_bytes() for each in city.parent.iterdir()}
    ask("how many schools are in 街道B", "--offline", project=city)
    call("describe_layer", {"layer_id": "dem"}, project=city)
    assert {each.name: each.read_bytes() for each in city.parent.iterdir()} == before


def test_the_qgis_side_runs_under_the_bare_system_python() -> None:
    """Debian's own Python, without any package of ours: isolated from user site and from the environments."""
    status, out, err = run(
        "ask", "how many schools", "--project", str(SAMPLE / "city.qgz"), "--json", python="/usr/bin/python3"
    )
    assert status == 0, out + err
    assert "31" in json.loads(out)["answer"]


def test_doctor_tools_and_env() -> None:
    """The commands that look."""
    assert run("doctor", "--json")[0] == 0
    listed = [each["name"] for each in json.loads(run("tools", "--json")[1])["tools"]]
    assert len(listed) == 88 and "read_chart_values" not in listed  # make_chart's own
    assert run("tools", "--pack", "nothing")[0] == 2
    assert run("env", "check")[0] == 0


def test_a_picture_and_the_project_are_written_on_request(tmp_path: Path) -> None:
    """--picture and --save-project."""
    report = ask(
        "show hospitals",
        "--offline",
        "--picture",
        str(tmp_path / "map.png"),
        "--save-project",
        str(tmp_path / "saved.qgz"),
    )
    assert report["ok"], report
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "saved.qgz").stat().st_size > 1000


def test_what_was_not_allowed_is_said_with_the_options_that_allow_it(city: Path, tmp_path: Path) -> None:
    """The model says that it is done; nothing is, and the person is told so. The same for ``call``, whose token ends with it."""
    arguments = {"layer_id": "schools", "path": "out.gpkg"}
    turns = [{"text": "", "tool_calls": [{"name": "prepare_export_layer", "arguments": arguments}]}, {"text": "Done."}]
    script = tmp_path / "turns.json"
    script.write_text(json.dumps(turns), encoding="utf-8")
    asked = ("ask", "export the schools", "--project", str(city), "--script", str(script))
    for more in ([], ["--allow-write", str(city.parent)]):
        _, _, err = run(*asked, *more)
        assert "not allowed: prepare_export_layer: " in err and "--approve all with --allow-write DIR" in err
    status, out, err = run("call", "prepare_export_layer", "--args", json.dumps(arguments), "--project", str(city))
    assert status == 0 and json.loads(out)["data"]["written"] is False
    assert "nothing was written: run again with --approve all" in err
    assert not (city.parent / "out.gpkg").exists()
    _, _, err = run(*asked, "--approve", "all", "--allow-write", str(city.parent))
    assert "not allowed" not in err and (city.parent / "out.gpkg").exists()
