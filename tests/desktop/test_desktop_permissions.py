"""Permission and Undo in the real QGIS, as a person meets them: asked, refused with a reason, allowed for the session, taken
back in the settings, a write refused and one agreed to, runs undone. What is seen lies in ``build/desktop/p_….png``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import SHOTS, Outcome, run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

REASON = "The ward meeting needs them on the map"
RED, BLUE = "#d62728", "#0000ff"
STEPS = ["load", "deny", "session", "style_and_undo", "writes", "undo_conflict"]


def toggle(layer: str, visible: bool) -> dict[str, Any]:
    return {"name": "toggle_layer", "arguments": {"layer_id": layer, "visible": visible}}


def calls(*given: dict[str, Any], text: str = "OK.") -> list[dict[str, Any]]:
    """A turn with calls, and the answer after it."""
    return [{"text": "", "tool_calls": list(given)}, {"text": text}]


STYLE = {"name": "set_render_rule", "arguments": {"layer_id": "schools", "method": "single", "options": {"color": RED}}}
EDIT = {
    "name": "prepare_edit_features",
    "arguments": {
        "layer_id": "schools",
        "action": "set",
        "values": [{"field": "pupils", "value": 77}],
        "options": {"all_features": True},
    },
}
TURNS = [
    *calls(toggle("bus_stops", False), text="The bus stops stay."),
    *calls(toggle("schools", False)),
    *calls(toggle("schools", True)),
    *calls(toggle("schools", False), text="The schools stay."),
    *calls(STYLE),
    *calls(EDIT, text="Nothing was changed."),
    *calls(EDIT),
    *calls(STYLE, toggle("bus_stops", False)),
]


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """All steps in English and QGIS's own look."""
    return run_qgis(tmp_path_factory.mktemp("permissions"), STEPS, turns=TURNS, more={"reason": REASON})


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The same in Chinese and QGIS's dark look."""
    return run_qgis(
        tmp_path_factory.mktemp("permissions_zh"),
        STEPS,
        locale="zh_CN",
        theme="Night Mapping",
        prefix="zh_",
        turns=TURNS,
        more={"reason": REASON},
    )


def test_a_refusal_with_a_reason_reaches_the_model(english: Outcome) -> None:
    seen = english.step("deny")
    assert seen["armed_at_once"] is False and seen["focus"] is True, "no answer by accident; the no has the keyboard"
    assert seen["session"] is True and seen["always"] is True
    assert seen["visible"] is True, "the bus stops were not hidden"
    assert "PERMISSION_DENIED" in seen["told"] and REASON in seen["told"]


def test_allowed_for_the_session_until_it_is_revoked(english: Outcome) -> None:
    seen = english.step("session")
    assert seen["first"]["asked"] and seen["hidden"] is True
    assert seen["second"]["asked"] is False and seen["shown"] is True
    assert seen["revoked"] == {"before": 1, "after": 0}
    assert seen["third"]["asked"] and seen["visible_at_end"] is True


def test_a_style_is_shown_before_and_after_and_taken_back(english: Outcome) -> None:
    seen = english.step("style_and_undo")
    assert seen["looks"] == ["after", "before"] and seen["flashed"] is True
    assert seen["before"] != RED and seen["changed"] == RED and seen["back"] == seen["before"]
    assert seen["offered"][0] == "Undo this run" and "schools" in seen["offered"][1]
    assert seen["said"].startswith("Undone: ")


def test_a_write_is_refused_and_another_is_agreed_to(english: Outcome) -> None:
    seen = english.step("writes")
    for each in (seen["refused"], seen["agreed"]):
        assert each["session"] is False and each["always"] is False, "no write is ever agreed to beforehand"
        assert each["rows"] == 31, "one row for each of the sample's schools"
    assert seen["edited_after_no"] is False and seen["edited_after_yes"] is True
    assert seen["edited_after_undo"] is False and seen["said"].startswith("Undone: ")


def test_undo_keeps_what_the_person_changed_since(english: Outcome) -> None:
    seen = english.step("undo_conflict")
    assert len(seen["asked"]) == 1 and seen["ticked"] == [False]
    assert seen["kept"]["schools"] == BLUE, "the person's own colour"
    assert seen["kept"]["bus_stops"] is seen["start"]["bus_stops"] is True
    assert seen["end"]["schools"] == seen["start"]["schools"]
    assert seen["streets"] is True, "a name that the person gave"


def test_in_chinese_and_dark(chinese: Outcome) -> None:
    assert REASON in chinese.step("deny")["told"]
    assert chinese.step("undo_conflict")["streets"] is True
    assert chinese.step("writes")["edited_after_no"] is False


def test_qgis_ends_well_and_the_pictures_are_there(english: Outcome, chinese: Outcome) -> None:
    for each in (english, chinese):
        assert each.exit_code == 0, each.log[-4000:]
        assert each.leftover == [] and each.errors == "" and "Traceback" not in each.log
    names = ("ask", "ask_reason", "denied", "permissions", "style", "undo_offered", "undone", "edit", "conflict")
    wanted = {f"{prefix}p_{name}.png" for prefix in ("", "zh_") for name in names}
    assert wanted <= {each.name for each in SHOTS.glob("*.png")}
