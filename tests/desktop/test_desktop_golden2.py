"""Golden request 2 typed into the real QGIS, and the windows that ask before each kind of write.

Expected counts come from shapely and pyproj on the sample's own points, read without QGIS.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import SHOTS, Outcome, run_qgis, scripted, why_not
from test_command_line import SAMPLE, geometries

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

SCHOOL = {"field": "name", "op": "eq", "value": "SCHOOL"}
CARDS: list[tuple[str, bool, str, dict[str, Any]]] = [
    ("bookmark", True, "prepare_bookmark", {"name": "学校"}),
    (
        "edit",
        True,
        "prepare_edit_features",
        {"layer_id": "schools", "action": "set", "where": [SCHOOL], "values": [{"field": "pupils", "value": 1234}]},
    ),
    (
        "delete",
        False,
        "prepare_edit_features",
        {"layer_id": "bus_stops", "action": "delete", "options": {"all_features": True}},
    ),
    ("remove", True, "prepare_remove_layer", {"layer_ids": ["hospitals"]}),
    ("restore", True, "prepare_remove_layer", {"layer_ids": ["hospitals"], "restore": True}),
    ("save", True, "prepare_save_project", {}),
    ("table", False, "prepare_export_table", {"path": "t.csv", "rows": [{"学校": "甲", "n": 3}]}),
]
"""Name, whether it is agreed to, tool, arguments."""


def schools() -> list[Any]:
    return geometries(SAMPLE / "city.gpkg", "schools", "name")


def expected_counts() -> dict[str, int]:
    """School -> bus stops within 500 m: in a plane around each school that keeps its distances (azimuthal equidistant)."""
    import shapely
    from pyproj import Transformer

    stops = [point for point, *_ in geometries(SAMPLE / "city.gpkg", "bus_stops", "1")]
    found = {}
    for school, name in schools():
        plane = f"+proj=aeqd +lon_0={school.x} +lat_0={school.y} +ellps=WGS84"
        transform = Transformer.from_crs("EPSG:4326", plane, always_xy=True).transform
        circle = shapely.Point(0, 0).buffer(500, quad_segs=180)
        found[name] = sum(circle.covers(shapely.Point(transform(each.x, each.y))) for each in stops)
    return found


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Golden request 2, then one window for each kind of write."""
    first = schools()[0][1]
    turns = scripted("golden_2.json")
    for _name, _agrees, tool, arguments in CARDS:
        given = {**arguments, "where": [{**SCHOOL, "value": first}]} if "where" in arguments else arguments
        turns += [{"text": "", "tool_calls": [{"name": tool, "arguments": given}]}, {"text": "OK."}]
    cards = {"cards": [[name, agrees] for name, agrees, *_ in CARDS]}
    return run_qgis(tmp_path_factory.mktemp("golden2"), ["load", "golden2", "cards"], turns=turns, more=cards)


def test_golden_2_is_counted_and_drawn(outcome: Outcome) -> None:
    """Each school has its count; the layer is graduated by it in four classes at the quartiles."""
    seen, expected = outcome.step("golden2"), expected_counts()
    assert seen["report"]["ok"] and seen["report"]["termination"] == "completed"
    assert [line[:2] for line in seen["lines"]] == [
        ["buffer_layer", "done"],
        ["stat_by_polygon", "done"],
        ["list_values", "done"],
        ["set_render_rule", "done"],
        ["zoom_to", "done"],
    ]
    assert seen["counts"] == expected and len(expected) == 31
    assert seen["visible"] is True and seen["field"] == "count"
    limits = [lower for lower, _upper, _colour in seen["classes"]] + [seen["classes"][-1][1]]
    assert limits == np.quantile(list(expected.values()), [0, 0.25, 0.5, 0.75, 1]).tolist()
    assert len({colour for *_, colour in seen["classes"]}) == 4


def test_golden_2_is_answered_with_sources_and_legend(outcome: Outcome) -> None:
    """The sum and the mean of the counts stand in the answer; every number has a source."""
    seen, expected = outcome.step("golden2"), list(expected_counts().values())
    assert seen["shown_text"] == seen["report"]["answer"]
    assert f"合计 {sum(expected)} " in seen["shown_text"] and f"{np.mean(expected):.2f}" in seen["shown_text"]
    sourced = {each["text"]: each["source"] for each in seen["report"]["numbers"]}
    assert sourced and all(sourced.values()), sourced
    legend = [[each["label"], each["color"]] for each in seen["report"]["legend"]]
    assert len(legend) >= 4 and seen["legend_shown"] == legend


def test_each_window_says_on_its_buttons_what_is_done(outcome: Outcome) -> None:
    """A person who reads only the buttons knows what they agree to."""
    seen = outcome.step("cards")
    assert {name: each["words"] for name, each in seen["asked"].items()} == {
        "bookmark": ["Save", "Don't save"],
        "edit": ["Change", "Don't change"],
        "delete": ["Delete", "Don't delete"],
        "remove": ["Remove", "Don't remove"],
        "restore": ["Put back", "Don't put back"],
        "save": ["Save", "Don't save"],
        "table": ["Write", "Don't write"],
    }
    stops = len(geometries(SAMPLE / "city.gpkg", "bus_stops", "1"))
    shown = dict(map(tuple, seen["asked"]["delete"]["card"]))
    assert shown["Features that are deleted"] == f"{stops} (the first 20 are shown)"


def test_what_was_agreed_to_is_done_and_nothing_else(outcome: Outcome) -> None:
    """One bookmark, one layer in edit mode, hospitals are back, the project saved with a copy, no table, no stop deleted."""
    seen = outcome.step("cards")
    states = {name: each["lines"][-1][1] for name, each in seen["asked"].items()}
    assert {name for name, state in states.items() if state == "done"} == {
        name for name, agrees, *_ in CARDS if agrees
    }, states
    assert seen["bookmarks"] == ["学校"]
    assert seen["edited"] == ["schools"], "changed and not saved; the stops were not deleted"
    assert "hospitals" in seen["layers"]
    assert "t.csv" not in seen["files"]
    assert sum(each.startswith("city_before-") for each in seen["files"]) == 1


def test_qgis_ends_well_and_the_pictures_are_there(outcome: Outcome) -> None:
    outcome.step("cards")
    assert outcome.exit_code == 0, outcome.log[-4000:]
    assert outcome.leftover == [] and outcome.errors == "" and "Traceback" not in outcome.log
    wanted = {"d_golden2.png", *(f"e_card_{name}.png" for name, *_ in CARDS)}
    assert wanted <= {each.name for each in SHOTS.glob("*.png")}
