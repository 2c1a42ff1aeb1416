"""Audit: who did what, when, on which layer, allowed by whom; one line a decision and a call (M-196, M-355, M-374, M-380).

What is expected of each line is written out here; digests are computed with hashlib and json alone.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import Qgis, QgsApplication, QgsProject

from qgis_agent.gis.audit import audit_folder
from qgis_agent.gis.audit_read import COLUMNS, Query, as_csv, export_audit, read, sentence
from qgis_agent.gis.runs import RunController

NOW = datetime.datetime(2026, 3, 31, 23, 59, 30, 250000, tzinfo=datetime.timezone.utc)


@pytest.fixture
def audited(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A log of its own, whose clock stands; the chat asks a person."""
    bench.host.audit._folder = tmp_path_factory.mktemp("log") / "audit"
    bench.host.audit._now = lambda: NOW
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(1 2)", [1])], "schools"))
    bench.issue(caller="chat")
    yield bench
    for each in bench.host.ledger.grants.listed():
        bench.host.ledger.grants.revoke(each.id)


def lines(bench: Bench, kind: str = "") -> list[dict[str, Any]]:
    """What the file says, read with json alone."""
    path = bench.host.audit.folder / "2026-03.jsonl"
    found = [json.loads(each) for each in path.read_text("utf-8").splitlines()] if path.exists() else []
    return [each for each in found if kind in ("", each["t"])]


def test_one_request_is_restored_from_the_log_alone(audited: Bench) -> None:
    """Who, what, when, on which layer, allowed by whom, how it ended."""
    arguments = {"layer_id": "schools", "visible": False}
    audited.ok("toggle_layer", **arguments)
    decision, call = lines(audited)
    layer = audited.host.project.mapLayersByName("schools")[0]
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for each in (decision, call):
        assert each["v"] == 1
        assert each["time"] == "2026-03-31T23:59:30.250+00:00"
        assert (each["user"], each["qgis"]) == (QgsApplication.userLoginName(), Qgis.version())
        assert (each["caller"], each["level"]) == ("chat", "safe_write")
        assert (each["session_id"], each["run_id"], each["call_id"]) == ("session", "run", "c1")
        assert (each["tool"], each["effect"]) == ("toggle_layer", "view")
        assert each["arguments_sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
        assert each["layers"] == [
            {
                "layer_id": "schools",
                "name": "schools",
                "id": layer.id(),
                "source_sha256": hashlib.sha256(layer.source().encode()).hexdigest(),
            }
        ]
        assert (each["decision"], each["by"]) == ("allow", "level:safe_write")
    assert (decision["t"], call["t"]) == ("decision", "call")
    assert call["code"] == "" and isinstance(call["ms"], int) and call["changed"]


def test_reads_failures_and_calls_without_a_run_are_in_it(audited: Bench) -> None:
    """Nothing is done or refused without a line."""
    audited.ok("count_features", layer_id="schools")
    audited.code("count_features", layer_id="school")
    audited.capability = type(audited.capability)("forged", "chat", "full_access", "s", "r", "p")
    audited.code("toggle_layer", layer_id="schools", visible=True)
    ended = lines(audited, "call")
    assert [(each["tool"], each["code"], each["reason"]) for each in ended] == [
        ("count_features", "", ""),
        ("count_features", "NOT_FOUND", "layer"),
        ("toggle_layer", "FORBIDDEN", "capability"),
    ]
    assert [each["tool"] for each in lines(audited, "decision")] == ["count_features", "count_features"]
    assert ended[2]["caller"] == "" and ended[2]["level"] == "read_only"


ANSWERS = [
    ("once", "allow", "person:once", ""),
    ("session", "allow", "person:session", ""),
    ("deny", "deny", "person:deny", "PERMISSION_DENIED"),
    ("no_answer", "deny", "person:no_answer", "PERMISSION_DENIED"),
    ("headless", "deny", "headless", "PERMISSION_DENIED"),
]


@pytest.mark.parametrize(("said", "decision", "by", "code"), ANSWERS)
def test_what_a_person_says_is_a_line_of_its_own(audited: Bench, said: str, decision: str, by: str, code: str) -> None:
    """First that it was asked and why, then the answer and by whom."""
    audited.issue(caller="chat", level="read_only")
    audited.approver.answer = said
    audited.call("toggle_layer", layer_id="schools", visible=False)
    asked, answered = lines(audited, "decision")
    assert (asked["decision"], asked["by"]) == ("ask", "level:read_only")
    assert (answered["decision"], answered["by"]) == (decision, by)
    assert lines(audited, "call")[0]["code"] == code


def test_the_option_of_the_command_line_is_no_person(audited: Bench) -> None:
    """--approve answered: neither the answer's line nor the call's says that a person did."""

    class Unattended(Answering):
        unattended = True

        def ask(self, card: dict[str, Any], answer: Any) -> Any:
            answer("once", "")
            return lambda: None

    audited.calls.approver = Unattended()
    audited.issue(caller="chat", level="read_only")
    audited.call("toggle_layer", layer_id="schools", visible=False)
    assert lines(audited, "decision")[1]["by"] == "approve_option:once"
    assert lines(audited, "call")[0]["by"] == "approve_option:once"


def test_the_reason_of_a_no_is_kept(audited: Bench) -> None:
    """In the person's own words."""

    class Refusing(Answering):
        def ask(self, card: dict[str, Any], answer: Any) -> Any:
            answer("deny", "not before the council has met")
            return lambda: None

    audited.calls.approver = Refusing()
    audited.issue(caller="chat", level="read_only")
    audited.call("toggle_layer", layer_id="schools", visible=False)
    assert lines(audited, "decision")[1]["reason"] == "not before the council has met"


def test_a_grant_and_its_end(audited: Bench) -> None:
    """Added, used by its id, revoked; then it is asked again."""
    audited.issue(caller="chat", level="read_only")
    audited.approver.answer = "session"
    audited.call("toggle_layer", layer_id="schools", visible=False)
    audited.call("toggle_layer", layer_id="schools", visible=True)
    grant = audited.host.ledger.grants.listed()[0]
    audited.host.ledger.grants.revoke(grant.id)
    added, revoked = lines(audited, "grant_added")[0], lines(audited, "grant_revoked")[0]
    for each in (added, revoked):
        assert each["grant"]["id"] == grant.id
        assert (each["grant"]["tool"], each["grant"]["caller"], each["grant"]["lifetime"]) == (
            "toggle_layer",
            "chat",
            "session",
        )
    used = lines(audited, "decision")[-1]
    assert used["decision"] == "allow" and used["by"].startswith("grant") and used["by"] != "grant_added"


@pytest.mark.parametrize(
    ("level", "more", "by"),
    [
        ("read_only", {}, "level:read_only"),
        ("full_access", {"plan_mode": True}, "plan_mode"),
    ],
)
def test_denials_name_their_rule(audited: Bench, level: str, more: dict[str, Any], by: str) -> None:
    """Deny by level, by plan mode."""
    audited.issue(caller="chat", level=level, **more)
    audited.call("prepare_export_layer", layer_id="schools", path="x.gpkg")
    assert (lines(audited, "decision")[0]["decision"], lines(audited, "decision")[0]["by"]) == ("deny", by)
    assert lines(audited, "call")[0]["code"] == "FORBIDDEN"


def test_a_rule_of_the_person(audited: Bench) -> None:
    """What was set, and that it decided."""
    rules = audited.host.ledger.rules
    try:
        rules.add("toggle_layer", "deny")
        audited.call("toggle_layer", layer_id="schools", visible=False)
        assert lines(audited, "rule_changed")[0]["rules"] == [{"pattern": "toggle_layer", "action": "deny"}]
        decided = lines(audited, "decision")[0]
        assert decided["decision"] == "deny" and "rule" in decided["by"]
    finally:
        rules.replace([])


def test_tokens_are_named_but_never_told(audited: Bench) -> None:
    """Made, armed, redeemed; voided by a no. The file does not hold the token."""
    audited.issue(caller="cli")
    token = audited.ok("prepare_export_layer", layer_id="schools", path="out.gpkg")["confirm_token"]
    audited.host.ledger.arm(token)
    audited.ok("commit_action", confirm_token=token)
    kinds = [each["t"] for each in lines(audited) if each["t"].startswith("token_")]
    assert kinds == ["token_made", "token_armed", "token_redeemed"]
    names = {each["token_name"] for each in lines(audited) if each["t"].startswith("token_")}
    assert names == {hashlib.sha256(token.encode()).hexdigest()[:12]}
    assert token not in (audited.host.audit.folder / "2026-03.jsonl").read_text("utf-8")
    second = audited.ok("prepare_export_layer", layer_id="schools", path="b.gpkg")["confirm_token"]
    audited.host.ledger.void(second)
    assert lines(audited)[-1]["t"] == "token_voided"


def test_level_and_the_write_switch(audited: Bench) -> None:
    """What the person sets for the chat."""
    controller = RunController(audited.host, Answering(), records=audited.folder)
    controller.level = "full_access"
    controller.level = "full_access"
    controller.set_write_enabled(True)
    controller.set_write_enabled(True)
    controller.close()
    changed, switch = lines(audited)
    assert (changed["t"], changed["before"], changed["after"]) == ("level_changed", "safe_write", "full_access")
    assert (switch["t"], switch["enabled"]) == ("write_switch", True)


def test_the_file_is_the_owners_and_only_grows(audited: Bench) -> None:
    """0600 in a folder of 0700; earlier bytes never change."""
    audited.ok("count_features", layer_id="schools")
    path = audited.host.audit.folder / "2026-03.jsonl"
    before = path.read_bytes()
    audited.ok("count_features", layer_id="schools")
    assert path.read_bytes().startswith(before) and len(path.read_bytes()) > len(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_torn_line_is_passed_over(audited: Bench) -> None:
    """Killed at any byte of the last line: all others are read, and the next line is whole."""
    for _ in range(3):
        audited.ok("count_features", layer_id="schools")
    path = audited.host.audit.folder / "2026-03.jsonl"
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last, 7):
        path.write_bytes(whole[:-cut])
        audited.ok("count_features", layer_id="schools")
        found = list(read(folder=path.parent))
        complete = 6 if cut == 1 else 5  # without its line's end alone the last record is still one
        assert len(found) == complete + 2
        assert [each["t"] for each in found[-2:]] == ["decision", "call"]


def test_a_disk_that_fails_stops_no_call_and_is_said_once(audited: Bench) -> None:
    """The call's outcome is what it is; afterwards the log goes on."""
    told: list[str] = []
    audited.host.audit.trouble.connect(told.append)
    blocked = audited.host.audit.folder
    blocked.parent.mkdir(exist_ok=True)
    blocked.write_text("a file where the folder should be")
    for _ in range(3):
        assert audited.ok("count_features", layer_id="schools")["count"] == 1
    assert len(told) == 1 and audited.host.audit.failed
    blocked.unlink()
    audited.ok("count_features", layer_id="schools")
    assert not audited.host.audit.failed and len(lines(audited)) == 2


def test_a_link_in_place_of_the_file_is_not_followed(audited: Bench) -> None:
    """Nothing is appended to a file of somebody's choice."""
    audited.host.audit.folder.mkdir(parents=True)
    victim = audited.folder / "victim.txt"
    victim.write_text("mine")
    (audited.host.audit.folder / "2026-03.jsonl").symlink_to(victim)
    audited.ok("count_features", layer_id="schools")
    assert victim.read_text() == "mine" and audited.host.audit.failed


def test_questions_to_the_log(audited: Bench) -> None:
    """By time, tool, layer and caller."""
    audited.ok("count_features", layer_id="schools")
    audited.host.audit._now = lambda: NOW + datetime.timedelta(days=1)
    audited.issue(caller="cli")
    audited.ok("toggle_layer", layer_id="schools", visible=False)
    folder = audited.host.audit.folder
    assert sorted(each.name for each in folder.iterdir()) == ["2026-03.jsonl", "2026-04.jsonl"]

    def count(**query: str) -> int:
        return len(list(read(Query(**query), folder)))

    assert count() == 4
    assert count(until="2026-03-31") == 2 and count(since="2026-04-01") == 2
    assert count(since="2026-03-31T23:59:31Z") == 2 and count(until="2026-03-31T23:59:30Z") == 0
    assert count(since="2026-04-01T01:00:00+01:00", until="2026-04-02") == 2
    assert count(tool="toggle_layer") == 2 and count(tool="toggle") == 0
    assert count(caller="chat") == 2 and count(caller="mcp") == 0
    assert count(layer="schools") == 4 and count(layer="nothing") == 0
    with pytest.raises(ValueError, match="yesterday"):
        Query(since="yesterday").times()


def test_extracts_are_whole(audited: Bench, tmp_path: Path) -> None:
    """CSV that a spreadsheet reads back and does not run; JSON lines as they stand; for the button of the settings."""
    layer = memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], '=cmd|"/c calc"!A1')
    audited.add(layer)
    alias = audited.host.layers.alias(layer)
    audited.ok("count_features", layer_id=alias)
    records = lines(audited)
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    assert len(rows) == 2 and tuple(rows[0]) == COLUMNS
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert rows[1]["tool"] == "count_features" and rows[1]["ms"].isdigit()
    target = tmp_path / "log.jsonl"
    assert export_audit(str(target), folder=audited.host.audit.folder) == 2
    assert [json.loads(each) for each in target.read_text("utf-8").splitlines()] == records
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    words = sentence(records[1])
    assert all(
        each in words
        for each in (NOW.isoformat(timespec="milliseconds"), "chat", "count_features", alias, "level:safe_write", "ok")
    )


def test_where_it_is(qgis_new_project: Any) -> None:
    """In the profile, where no tool may read or write (test_paths.py)."""
    assert audit_folder() == Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent" / "audit"
    assert not QgsProject.instance().fileName()
    assert os.path.isabs(str(audit_folder()))


def test_the_file_of_a_call_is_named(audited: Bench) -> None:
    """Which file was exported is a question of every audit; a password in it is not."""
    audited.issue(caller="chat")
    audited.call("prepare_export_layer", layer_id="schools", path="out/schools 学校.gpkg")
    assert {each.get("path") for each in lines(audited, "call")} == {"out/schools 学校.gpkg"}


def test_what_the_agent_process_refuses_by_itself_is_a_line_too(
    audited: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only that: a call that came here has its own lines."""
    controller = RunController(audited.host, audited.approver, records=audited.folder)
    monkeypatch.setattr(controller, "when_ready", lambda then: None)
    assert controller.start("export the schools")
    run = controller._run
    assert run is not None
    run.called.add("c1")
    event = {"type": "tool_finished", "run_id": run.capability.run_id, "tool": "prepare_export_layer", "ok": False}
    for call_id, code in (("c0", "FORBIDDEN"), ("c1", "FORBIDDEN"), ("c2", "NOT_FOUND"), ("c3", "")):
        controller._agent_event({**event, "call_id": call_id, "code": code, "message": "The pack is not enabled."})
    [line] = lines(audited, "refused_in_agent")
    assert (line["call_id"], line["tool"], line["code"]) == ("c0", "prepare_export_layer", "FORBIDDEN")
    assert (line["reason"], line["run_id"]) == ("The pack is not enabled.", run.capability.run_id)
    controller.close()
