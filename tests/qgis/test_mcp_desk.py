"""What QGIS lets MCP clients do: capabilities, questions that name the client, and how they end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Bench, memory_layer

from qgis_agent.gis import questions
from qgis_agent.gis.host import run_until
from qgis_agent.gis.mcp import desk, settings
from qgis_agent.gis.mcp.settings import Clients

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from mcp_desk import Front, ended

ROWS = [(f"POINT({each} 0)", [each, f"place {each}"]) for each in range(60)]


@pytest.fixture
def front(bench: Bench, tmp_path: Path) -> Iterator[Front]:
    """Two layers, and a desk."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int&field=name:string", ROWS, "towns"))
    bench.host.audit._folder = tmp_path / "audit"
    made = Front(bench.host, tmp_path)
    yield made
    made.controller.close()


def test_nobody_but_those_that_a_person_allowed(front: Front) -> None:
    """An unknown id is FORBIDDEN with what to do; a request that is none of the desk's is left to others."""
    envelope = front.client("x")["envelope"]
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "client") and "MCP" in envelope["hint"]
    assert front.client("stdio")["envelope"]["reason"] == "client"
    assert not front.desk.handles(type("Asked", (), {"method": "tools/call"})())


def test_a_client_gets_its_own_level_under_the_sessions(front: Front) -> None:
    """The stricter of both; the packs are the client's; the same answer while nothing changes."""
    given = front.client("a", name="claude", version="2")
    assert (given["level"], given["enabled_packs"], given["session_id"]) == ("safe_write", ["write"], "mcp-a")
    assert front.client("b")["level"] == "read_only" and front.client("b")["enabled_packs"] == []
    assert front.client("a") == given
    assert front.desk.now() == [("a", "Claude", "claude 2"), ("b", "Other", "")]
    front.controller.level = "read_only"
    assert ("mcp/revoked", {"client_id": "a"}) in front.told
    again = front.client("a")
    assert again["level"] == "read_only" and again["capability"] != given["capability"]
    assert (
        front.call("a", "prepare_export_layer", layer_id="towns", path="x.gpkg", format="GPKG")["code"] == "FORBIDDEN"
    )


def test_reading_asks_nobody_and_a_change_names_the_client(front: Front) -> None:
    """At read_only a change of the map is asked about; the card and the audit log name the program."""
    assert front.call("b", "count_features", layer_id="towns")["data"]["count"] == 60
    assert not front.person.cards
    outcomes = front.begin("b", "toggle_layer", layer_id="towns", visible=False)
    card = front.person.cards[0]
    assert card["caller"] == "mcp"
    front.person.say("once")
    assert ended(outcomes)["ok"]
    log = [json.loads(line) for each in front.controller.host.audit.folder.iterdir() for line in each.open("rb")]
    lines = [each for each in log if each.get("session_id") == "mcp-b"]
    assert {"decision", "call", "client_connected"} <= {each["t"] for each in lines}
    assert {each["client"] for each in lines} == {"Other"}


def test_a_clients_write_is_prepared_clicked_and_committed(front: Front, bench: Bench) -> None:
    """The preview comes at once; the click alone arms; the token is for once and for its client."""
    made = front.call("a", "prepare_export_layer", layer_id="towns", path="new.gpkg", format="GPKG")
    assert made["ok"], made
    data = made["data"]
    assert (data["armed"], data["written"]) == (False, False)
    assert not (bench.folder / "new.gpkg").exists()
    outcomes = front.begin("a", "commit_action", confirm_token=data["confirm_token"])
    assert not run_until(lambda: bool(outcomes), 0.4)
    assert front.call("c", "commit_action", confirm_token=data["confirm_token"])["code"] in (
        "FORBIDDEN",
        "CONFIRM_REQUIRED",
    )
    assert not (bench.folder / "new.gpkg").exists()
    front.person.say("once")
    assert ended(outcomes)["ok"], outcomes
    assert (bench.folder / "new.gpkg").exists()
    assert front.call("a", "commit_action", confirm_token=data["confirm_token"])["reason"] == "used"


@pytest.mark.parametrize(("said", "reason"), [("deny", "voided"), ("session", "voided"), ("no_answer", "voided")])
def test_a_no_voids_the_token(front: Front, bench: Bench, said: str, reason: str) -> None:
    """And no later click arms it."""
    data = front.call("a", "prepare_export_layer", layer_id="towns", path="new.gpkg", format="GPKG")["data"]
    front.person.say(said)
    assert front.call("a", "commit_action", confirm_token=data["confirm_token"])["reason"] == reason
    assert not (bench.folder / "new.gpkg").exists() and not front.person.open


def test_commit_waits_a_while_for_the_click(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it says that a person decides; meanwhile others may change the map."""
    monkeypatch.setattr("qgis_agent.gis.confirm.CLICK_WAIT_S", 1.5)
    data = front.call("a", "prepare_export_layer", layer_id="towns", path="new.gpkg", format="GPKG")["data"]
    outcomes = front.begin("a", "commit_action", confirm_token=data["confirm_token"])
    other = front.begin("c", "toggle_layer", layer_id="towns", visible=False)
    assert ended(other)["ok"] and not outcomes
    envelope = ended(outcomes)
    assert (envelope["code"], envelope["reason"]) == ("CONFIRM_REQUIRED", "not_armed")
    assert "commit_action" in envelope["hint"]


def test_one_question_of_all_clients_and_no_more_than_three_behind_it(front: Front) -> None:
    """The next card comes when the first is answered."""
    waiting = [front.begin(each, "toggle_layer", layer_id="towns", visible=False) for each in ("b", "b", "b")]
    export = front.begin("a", "prepare_export_layer", layer_id="towns", path="n.gpkg", format="GPKG")
    assert ended(export)["data"]["armed"] is False  # answered, its question waits in the line
    assert len(front.person.cards) == 1
    envelope = ended(front.begin("b", "toggle_layer", layer_id="towns", visible=False))
    assert (envelope["code"], envelope["reason"]) == ("RATE_LIMITED", "too_many_questions")
    refused = ended(front.begin("a", "prepare_export_layer", layer_id="towns", path="m.gpkg", format="GPKG"))
    assert refused["reason"] == "too_many_questions"
    front.person.say("once")
    assert ended(waiting[0])["ok"] and len(front.person.cards) == 2 and len(front.person.open) == 1


def test_a_client_may_not_ask_more_than_ten_times_a_minute(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another client still may; after a minute it may again."""
    now = [1000.0]
    rate = front.controller.calls._ask_rate = questions.AskRate(lambda: now[0])
    for _ in range(10):
        outcomes = front.begin("b", "toggle_layer", layer_id="towns", visible=True)
        front.person.say("once")
        assert ended(outcomes)["ok"]
    assert front.call("b", "toggle_layer", layer_id="towns", visible=True)["reason"] == "too_many_questions"
    assert not rate.full("mcp-a")
    now[0] += 61
    outcomes = front.begin("b", "toggle_layer", layer_id="towns", visible=True)
    front.person.say("once")
    assert ended(outcomes)["ok"]


def test_another_project_ends_everything_of_a_client(front: Front, bench: Bench) -> None:
    """The card closes, the token is void, the old capability is worth nothing; the next one is a new one."""
    given = front.client("a")
    data = front.call("a", "prepare_export_layer", layer_id="towns", path="new.gpkg", format="GPKG")["data"]
    waiting = front.begin("b", "toggle_layer", layer_id="towns", visible=False)
    assert len(front.person.open) == 1
    bench.host.project.clear()
    assert not front.person.open and ended(waiting)["code"] == "CANCELLED"
    assert {each["client_id"] for method, each in front.told if method == "mcp/revoked"} == {"a", "b"}
    envelope = ended(front.begin_with(given, "count_features", {"layer_id": "towns"}))
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "capability")
    assert front.call("a", "commit_action", confirm_token=data["confirm_token"])["reason"] in (
        "other_project",
        "voided",
    )


def test_a_person_revokes_rotates_and_lowers(bench: Bench, tmp_path: Path) -> None:
    """At once: cards close, calls end, permissions for the session are forgotten. Off: nobody is let in."""
    settings.choose_enabled(True)
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "towns"))
    clients = Clients(tmp_path)
    made, _token = clients.add("Claude", "read_only")
    front = Front(bench.host, tmp_path, clients)
    try:
        outcomes = front.begin(made.id, "toggle_layer", layer_id="towns", visible=False)
        front.person.say("session")
        assert ended(outcomes)["ok"]
        assert front.call(made.id, "toggle_layer", layer_id="towns", visible=True)["ok"]
        first = front.client(made.id)["capability"]
        clients.change(made.id, label="Claude 2")
        assert front.client(made.id)["capability"] != first
        clients.rotate(made.id)
        assert not front.desk.now()
        outcomes = front.begin(made.id, "toggle_layer", layer_id="towns", visible=False)
        assert len(front.person.open) == 1  # asked again: what was agreed to for the session has ended
        clients.revoke(made.id)
        assert ended(outcomes)["code"] == "CANCELLED" and not front.person.open
        assert front.client(made.id)["envelope"]["reason"] == "client"
        other, _token = clients.add("B")
        settings.choose_enabled(False)
        assert front.client(other.id)["envelope"]["reason"] == "client"
    finally:
        settings.QgsSettings().remove(settings.PREFIX)
        front.controller.close()


def test_what_one_client_was_allowed_is_not_anothers(front: Front) -> None:
    """A kept answer is for its client alone."""
    front.controller.level = "read_only"
    outcomes = front.begin("a", "toggle_layer", layer_id="towns", visible=False)
    front.person.say("session")
    assert ended(outcomes)["ok"]
    assert front.call("a", "toggle_layer", layer_id="towns", visible=True)["ok"]
    front.begin("c", "toggle_layer", layer_id="towns", visible=False)
    assert len(front.person.cards) == 2


def test_a_capability_that_is_not_used_for_half_an_hour_ends(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks anew when it calls again."""
    now = [1000.0]
    front.controller.host.ledger.clock = lambda: now[0]
    front.client("a")
    now[0] += desk.IDLE_S - 1
    front.desk._end_idle()
    assert front.desk.now()
    now[0] += 2
    front.desk._end_idle()
    assert not front.desk.now() and front.told[-1] == ("mcp/revoked", {"client_id": "a"})


def test_changes_wait_for_a_run_of_the_panel(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go on when it has ended, and are told to come again when it takes long; reading does not wait."""
    front.controller._run = SimpleNamespace(stopping=False, called=set())
    try:
        waiting = front.begin("c", "toggle_layer", layer_id="towns", visible=False)
        assert front.call("c", "count_features", layer_id="towns")["ok"] and not waiting
        monkeypatch.setattr("qgis_agent.gis.writers.PATIENCE_S", 0.2)
        envelope = front.call("c", "toggle_layer", layer_id="towns", visible=True)
        assert (envelope["code"], envelope["reason"]) == ("RATE_LIMITED", "busy") and not waiting
    finally:
        front.controller._run = None
    front.controller.finished.emit({})
    assert ended(waiting)["ok"]


def test_each_client_has_an_undo_of_its_own(front: Front, bench: Bench) -> None:
    """Named after it; taking one back leaves the other's."""
    other = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "wells"))
    towns = bench.host.layers.by_alias("towns")
    assert front.call("a", "toggle_layer", layer_id="towns", visible=False)["ok"]
    assert front.call("c", "toggle_layer", layer_id="wells", visible=False)["ok"]
    runs = bench.host.checkpoints.runs()
    assert [each.caller for each in runs] == ["mcp", "mcp"]
    assert "Claude" in runs[0].text and "Third" in runs[1].text
    report = bench.host.checkpoints.undo(runs[0].run_id)
    assert report.complete
    assert bench.host.layers.is_visible(towns) and not bench.host.layers.is_visible(other)


def test_what_is_excluded_does_not_exist_for_a_client(front: Front, bench: Bench) -> None:
    """As for every caller."""
    towns = bench.host.layers.by_alias("towns")
    bench.host.scope.set([towns.id()], {}, [])
    envelope = front.call("a", "count_features", layer_id="towns")
    assert not envelope["ok"] and "60" not in json.dumps(envelope)


def test_the_answer_to_a_question_of_an_ended_capability_arms_nothing(front: Front, bench: Bench) -> None:
    """The click comes too late."""
    data = front.call("a", "prepare_export_layer", layer_id="towns", path="new.gpkg", format="GPKG")["data"]
    answer = front.person.open[0]
    front.desk.revoke("a")
    answer("once")
    assert front.call("a", "commit_action", confirm_token=data["confirm_token"])["reason"] == "voided"
    assert not (bench.folder / "new.gpkg").exists()


def test_what_a_program_was_allowed_for_good_goes_with_it(bench: Bench, tmp_path: Path) -> None:
    """A kept answer stays while it is changed, and ends when it is removed."""
    settings.choose_enabled(True)
    bench.host.project.setFileName(str(tmp_path / "p.qgz"))
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "towns"))
    clients = Clients(tmp_path)
    made, _token = clients.add("Claude", "read_only")
    front = Front(bench.host, tmp_path, clients)
    grants = bench.host.ledger.grants
    try:
        outcomes = front.begin(made.id, "toggle_layer", layer_id="towns", visible=False)
        front.person.say("always")
        assert ended(outcomes)["ok"]
        assert [each.caller for each in grants.listed()] == ["mcp:mcp-" + made.id]
        clients.change(made.id, label="B")
        assert front.call(made.id, "toggle_layer", layer_id="towns", visible=True)["ok"]
        clients.revoke(made.id)
        assert not grants.listed()
    finally:
        settings.QgsSettings().remove(settings.PREFIX)
        front.controller.close()


def test_two_programs_do_not_change_the_map_at_the_same_time(front: Front, bench: Bench) -> None:
    """The second begins when the first has ended; each one's undo has its own changes only."""
    first = front.begin("a", "buffer_layer", layer_id="towns", distance_m=1000)
    second = front.begin("c", "toggle_layer", layer_id="towns", visible=False)
    assert not first and not second
    assert run_until(lambda: bool(second), 30) and first
    assert first[0]["envelope"]["ok"], first
    one, two = bench.host.checkpoints.runs()
    assert "Claude" in one.text and "Third" in two.text
    assert not any("towns" in each and "shown" in each for each in one.changes), one.changes
    assert len(two.changes) == 1
