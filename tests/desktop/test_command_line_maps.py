"""Layouts and charts from the command line: one sentence, a PDF and a PNG; a chart in a file of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from qgis.PyQt.QtGui import QImage
from test_command_line import REPO, SAMPLE, ask, call, run

SCRIPT = REPO / "tests" / "support" / "layout_script.json"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sample that may be written beside."""
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder)
    return folder


def digests(folder: Path) -> dict[str, str]:
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir()}


def test_one_sentence_makes_a_map_on_paper(copy: Path) -> None:
    """A4 at 150 dpi is 1754 by 1240 pixels; title in glyphs, legend, bar and arrow on it; the sources are as before."""
    before = digests(copy)
    report = ask(
        "Make an A4 map titled 余杭区学校分布图 with legend, scale bar and north arrow, as PDF and PNG",
        "--script", str(SCRIPT), "--approve", "all", "--allow-write", str(copy), project=copy / "city.qgz",
    )  # fmt: skip
    assert report["ok"] and all(each["ok"] for each in report["steps"]), report["steps"]
    assert {name: digest for name, digest in digests(copy).items() if name in before} == before
    assert sorted(set(digests(copy)) - set(before)) == ["map.pdf", "map.png"]
    assert (copy / "map.pdf").read_bytes().startswith(b"%PDF-")
    picture = QImage(str(copy / "map.png"))
    assert (picture.width(), picture.height()) == (round(297 * 150 / 25.4), round(210 * 150 / 25.4))
    per_mm = 150 / 25.4

    def dark(left: float, top: float, width: float, height: float) -> int:
        """Dark pixels in a box given in millimetres."""
        xs = range(round(left * per_mm), round((left + width) * per_mm))
        ys = range(round(top * per_mm), round((top + height) * per_mm))
        return sum(picture.pixelColor(x, y).lightness() < 110 for x in xs for y in ys)

    assert dark(10, 10, 100, 10) > 1500  # the title, 18 points bold
    assert dark(229, 28, 58, 60) > 300  # the legend
    assert dark(229, 160, 58, 16) > 150  # the north arrow
    assert dark(229, 178, 58, 16) > 300  # the scale bar, one segment of which is black


def test_nothing_is_exported_without_approval(copy: Path) -> None:
    """The layout is made in memory; no file."""
    report = ask("Make a map", "--script", str(SCRIPT), "--allow-write", str(copy), project=copy / "city.qgz")
    codes = [each["code"] for each in report["steps"] if each["tool"] == "prepare_export_layout"]
    assert codes and all(codes)
    assert not list(copy.glob("map.*"))


def test_a_layout_is_saved_with_the_project(copy: Path) -> None:
    """It is there when the project is opened again, with its items."""
    status, envelope = call(
        "create_layout", {"name": "图 1", "title": "标题"}, "--save-project", str(copy / "new.qgz"),
        project=copy / "city.qgz",
    )  # fmt: skip
    assert status == 0, envelope
    with zipfile.ZipFile(copy / "new.qgz") as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".qgs")]
        root = ElementTree.fromstring(archive.read(name))  # noqa: S314  written by QGIS just now
    (layout,) = [each for each in root.iter("Layout") if each.get("name") == "图 1"]
    assert {"map", "legend", "scale_bar", "north_arrow", "title"} <= {
        each.get("id") for each in layout.iter("LayoutItem")
    }


def test_a_chart_is_drawn_and_found(copy: Path) -> None:
    """Its file is named on stderr, a PNG of 960 by 600; the envelope has the values and no path."""
    arguments = {"kind": "bar", "x": "name", "y": "pop", "layer_id": "streets", "title": "人口 $x$"}
    status, out, err = run("call", "make_chart", "--args", json.dumps(arguments), "--project", str(copy / "city.qgz"))
    assert status == 0, out
    data = json.loads(out)["data"]
    assert {each["label"]: each["value"] for each in data["rows"]} == {"街道A": 38600, "街道B": 29400, "街道C": 41200}
    path = Path(next(line.split(": ", 1)[1] for line in err.splitlines() if line.startswith("chart: ")))
    picture = QImage(str(path))
    assert (picture.width(), picture.height()) == (960, 600)
    assert str(path) not in out
    assert "No installed font" not in json.loads(out)["message"]


def test_the_command_line_keeps_to_its_own_profile(copy: Path, tmp_path: Path) -> None:
    """QGIS_AGENT_PROFILE: settings, sessions and charts are there and nowhere else."""
    profile = tmp_path / "profile"
    arguments = {"kind": "histogram", "x": "pop", "layer_id": "streets"}
    status, out, err = run(
        "call", "make_chart", "--args", json.dumps(arguments), "--project", str(copy / "city.qgz"),
        env={"QGIS_AGENT_PROFILE": str(profile)},
    )  # fmt: skip
    assert status == 0, out
    path = Path(next(line.split(": ", 1)[1] for line in err.splitlines() if line.startswith("chart: ")))
    assert profile in path.parents and path.is_file()
    assert list(profile.rglob("sessions/*.jsonl"))
