"""AT11 through ``Calls``, as the agent process calls: nothing runs that is not allowed, and a no is a no."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsVectorLayer

from qgis_agent.gis import facts, risk
from qgis_agent.gis.approved_plan import ApprovedPlan
from qgis_agent.gis.grants import GrantStore
from qgis_agent.gis.headless import HeadlessApprover
from qgis_agent.gis.risk import Risk, is_private
from qgis_agent.gis.rules import ASK, DENY
from qgis_agent.gis.taint import MAX_SESSIONS, Taint
from qgis_agent.gis.tools.registry import REGISTRY, Tool, load_all


def points(name: str = "points") -> QgsVectorLayer:
    return memory_layer("Point?crs=EPSG:4326&field=name:string", [("POINT(1 1)", ["a"])], name)


@pytest.fixture
def town(bench: Bench) -> Iterator[Bench]:
    """The chat, with the layer "points"; the person's rules are taken away afterwards."""
    bench.add(points())
    bench.issue(caller="chat")
    yield bench
    bench.host.ledger.rules.replace([])


def hide(bench: Bench, layer_id: str = "points", visible: bool = False, **more: Any) -> dict[str, Any]:
    """The envelope of toggle_layer."""
    outcomes: list[dict[str, Any]] = []
    bench.begin("toggle_layer", {"layer_id": layer_id, "visible": visible}, outcomes, **more)
    assert outcomes
    return outcomes[0]["envelope"]


def shown(bench: Bench, name: str = "points") -> bool:
    return bench.host.layers.is_visible(bench.host.layers.by_alias(name))


class Saying(Answering):
    """Says no, with a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__("deny")
        self.reason = reason

    def ask(self, card: dict[str, Any], answer: Callable[..., None]) -> Callable[[], None]:
        """See Approver."""
        self.cards.append(card)
        answer("deny", self.reason)
        return lambda: None


# rules, grants


def file_layer(bench: Bench, folder: Path) -> None:
    """The layer "kept", of a file, in a saved project: what an always-grant can be kept for."""
    (folder / "kept.csv").write_text("name,n\na,1\n", encoding="utf-8")
    bench.add(QgsVectorLayer(str(folder / "kept.csv"), "kept", "ogr"))
    assert bench.host.project.write(str(folder / "town.qgz"))


def test_at11_after_always_an_explicit_deny_still_blocks(town: Bench, tmp_path: Path) -> None:
    """The grant stays in the list, and answers again when the rule is gone."""
    file_layer(town, tmp_path)
    town.host.ledger.grants = GrantStore(town.host.ledger.grants.project_path, file=tmp_path / "grants.json")
    town.issue(caller="chat", level="read_only")
    town.approver.answer = "always"
    assert hide(town, "kept")["ok"]
    assert [each.lifetime for each in town.host.ledger.grants.listed()] == ["always"]
    town.host.ledger.rules.add("toggle_*", DENY)
    denied = hide(town, "kept", visible=True)
    assert (denied["code"], denied["reason"], shown(town, "kept")) == ("FORBIDDEN", "rule", False)
    town.host.ledger.rules.replace([])
    assert hide(town, "kept", visible=True)["ok"]
    assert len(town.approver.cards) == 1 and town.host.ledger.grants.listed()


def test_at11_a_restart_keeps_always_and_loses_session(town: Bench, tmp_path: Path) -> None:
    file_layer(town, tmp_path)
    town.host.ledger.grants = GrantStore(town.host.ledger.grants.project_path, file=tmp_path / "grants.json")
    for name, answer in (("kept", "always"), ("points", "session")):
        town.issue(caller="chat", level="read_only")
        town.approver.answer = answer
        assert hide(town, name)["ok"]
        assert hide(town, name, visible=True)["ok"]
    assert len(town.approver.cards) == 2
    town.host.ledger.grants = GrantStore(town.host.ledger.grants.project_path, file=tmp_path / "grants.json")
    town.approver.answer = "deny"
    assert hide(town, "kept")["ok"]
    assert hide(town, "points")["code"] == "PERMISSION_DENIED"
    assert len(town.approver.cards) == 3


def test_at11_a_rule_asks_each_time_whatever_was_granted(town: Bench) -> None:
    town.host.ledger.rules.add("toggle_layer", ASK)
    town.approver.answer = "session"
    assert hide(town)["ok"]
    assert hide(town, visible=True)["ok"]
    assert len(town.approver.cards) == 2
    assert all(each["each_time"] for each in town.approver.cards)
    assert not town.host.ledger.grants.listed()


def test_at11_a_rule_on_an_algorithm(town: Bench) -> None:
    """By the id that is run; other algorithms go on."""
    town.host.ledger.rules.add("run_algorithm:native:centroids", DENY)
    arguments = {"parameters": {"INPUT": "points"}}
    assert town.call("run_algorithm", algorithm="native:centroids", **arguments)["reason"] == "rule"
    assert town.call("run_algorithm", algorithm="native:multiparttosingleparts", **arguments)["ok"]


def test_at11_what_cannot_be_named_is_agreed_to_once(town: Bench) -> None:
    """Several layers: "for this session" is for this call, no grant is kept."""
    town.add(points("more"))
    town.issue(caller="chat", level="read_only")
    town.approver.answer = "session"
    for name in ("one", "two"):
        assert town.call("group_layers", layer_ids=["points", "more"], name=name)["ok"]
    assert len(town.approver.cards) == 2
    assert not town.host.ledger.grants.listed()


# what cannot be judged


def test_at11_plan_mode_executes_nothing(town: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tool that changes something, at the widest level, with an approver that agrees to all: 0 handlers run."""
    ran: list[str] = []
    tools = load_all()
    changing = [each for each in tools.values() if each.effect != "read"]
    for each in changing:

        def handler(call: Any, _name: str = each.name, **_arguments: Any) -> Any:
            ran.append(_name)

        monkeypatch.setitem(REGISTRY, each.name, Tool(each.name, each.effect, "main", handler))
    monkeypatch.setattr(town.calls.contracts, "checked", lambda _name, arguments: dict(arguments))
    town.approver.answer = "once"
    for caller in ("chat", "cli", "mcp"):
        town.issue(caller=caller, level="full_access", plan_mode=True)
        reasons = {each.name: town.call(each.name)["reason"] for each in changing}
        assert set(reasons.values()) <= {"plan_mode", "not_offered"}
    assert (len(changing) > 50, ran, town.approver.cards) == (True, [], [])
    town.issue(caller="cli", level="full_access")  # the same handlers do run outside plan mode
    assert town.call("toggle_layer")["ok"]
    assert ran == ["toggle_layer"]


@pytest.mark.parametrize("arguments", [None, "", "{", [], 3, '{"layer_id": "points", "visible": false}'])
def test_at11_arguments_that_cannot_be_read_never_allow(town: Bench, arguments: Any) -> None:
    outcomes: list[dict[str, Any]] = []
    town.begin("toggle_layer", arguments, outcomes)
    assert outcomes[0]["envelope"]["code"] == "INVALID_PARAM"
    assert shown(town)


@pytest.mark.parametrize("name", ["format_disk", "", None, "Toggle_Layer", "toggle_layer "])
def test_at11_an_unknown_tool_never_allows(town: Bench, name: Any) -> None:
    outcomes: list[dict[str, Any]] = []
    town.begin(name, {"layer_id": "points", "visible": False}, outcomes)
    assert outcomes[0]["envelope"]["code"] in ("NOT_FOUND", "FORBIDDEN")
    assert shown(town)


def test_at11_a_check_that_breaks_never_allows(town: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_call: Any, _effect: str) -> Any:
        raise RuntimeError("boom")

    monkeypatch.setattr(facts, "risks_of", broken)
    town.approver.answer = "once"
    envelope = hide(town)
    assert (envelope["code"], envelope["reason"], shown(town)) == ("FORBIDDEN", "check_failed", True)
    assert not town.approver.cards


@pytest.mark.parametrize("where", ["rules", "grants", "taint"])
def test_at11_a_decision_that_breaks_never_allows(town: Bench, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """The rules, the grants or the taint cannot be read: FORBIDDEN, and nobody is asked."""

    def broken(*_args: Any, **_more: Any) -> Any:
        raise RuntimeError("boom")

    town.issue(caller="chat", level="read_only")
    at = {"rules": (town.host.ledger.rules, "of"), "grants": (town.host.ledger.grants, "matching")}
    monkeypatch.setattr(*at.get(where, (town.host.taint, "tainted")), broken)
    town.approver.answer = "once"
    envelope = hide(town)
    assert (envelope["code"], envelope["reason"], shown(town)) == ("FORBIDDEN", "check_failed", True)
    assert not town.approver.cards


def test_at11_a_risk_makes_an_allow_an_ask(town: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also at the widest level; its words are on the card, and no grant answers it."""
    monkeypatch.setattr(facts, "risks_of", lambda _call, _effect: (Risk("large_cost", "It takes a year"),))
    town.issue(caller="chat", level="full_access")
    town.approver.answer = "session"
    for visible in (False, True):
        assert hide(town, visible=visible)["ok"]
    assert len(town.approver.cards) == 2
    assert any("It takes a year" in line for line in town.approver.cards[0]["lines"])


# the person's no


@pytest.mark.parametrize(("said", "reached"), [("use 村 instead\n\u202e", "use 村 instead"), ("x" * 900, "x" * 299)])
def test_at11_the_reason_of_a_no_reaches_the_model(town: Bench, said: str, reached: str) -> None:
    """For an ask; clipped to 300 characters, one line, nothing that turns the text round."""
    town.issue(caller="chat", level="read_only")
    town.calls.approver = Saying(said)
    envelope = hide(town)
    assert envelope["code"] == "PERMISSION_DENIED"
    assert reached in envelope["message"]
    assert "\u202e" not in envelope["message"] and len(envelope["message"]) < 400


def test_at11_the_reason_of_a_no_to_a_write(town: Bench, tmp_path: Path) -> None:
    town.calls.approver = Saying("not into this folder")
    path = str(tmp_path / "x.gpkg")
    envelope = town.call("prepare_export_layer", layer_id="points", path=path, format="GPKG")
    assert envelope["code"] == "PERMISSION_DENIED"
    assert "not into this folder" in envelope["message"]
    assert not list(tmp_path.iterdir())


def test_at11_after_three_denials_nobody_is_asked(town: Bench) -> None:
    """A no, a timeout and a rule; the fourth is refused at once. Reads and what is allowed go on; a new run begins anew."""
    town.issue(caller="chat", level="read_only")
    town.host.ledger.rules.add("zoom_to", DENY)
    town.approver.answer = "deny"
    assert hide(town)["reason"] == "denied"
    town.approver.answer = "no_answer"
    assert hide(town)["reason"] == "no_answer"
    assert town.call("zoom_to", layer_id="points")["reason"] == "rule"
    town.approver.answer = "once"
    envelope = hide(town)
    assert (envelope["code"], envelope["reason"], len(town.approver.cards)) == ("FORBIDDEN", "too_many_denials", 2)
    assert town.ok("count_features", layer_id="points")["count"] == 1
    town.issue(caller="chat", level="read_only")
    assert hide(town)["ok"]


def test_at11_headless_nobody_said_no(town: Bench) -> None:
    """What nobody was there to answer does not end the run."""
    town.issue(caller="cli", level="read_only")
    assert [hide(town)["reason"] for _ in range(5)] == ["headless"] * 5


# one question at a time


class Slow:
    """Keeps the questions open until a test answers."""

    def __init__(self) -> None:
        self.cards: list[dict[str, Any]] = []
        self.answers: list[Callable[..., None]] = []

    def ask(self, card: dict[str, Any], answer: Callable[..., None]) -> Callable[[], None]:
        """See Approver."""
        self.cards.append(card)
        self.answers.append(answer)
        return lambda: None


@pytest.fixture
def slow(town: Bench) -> Slow:
    town.add(points("more"))
    town.issue(caller="chat", level="read_only")
    made = Slow()
    town.calls.approver = made
    return made


def begin(bench: Bench, name: str, visible: bool = False) -> tuple[Any, list[dict[str, Any]]]:
    outcomes: list[dict[str, Any]] = []
    return bench.begin("toggle_layer", {"layer_id": name, "visible": visible}, outcomes), outcomes


def test_at11_a_second_question_of_a_caller_waits(town: Bench, slow: Slow) -> None:
    """Another caller's is put at once."""
    _, first = begin(town, "points")
    _, second = begin(town, "more")
    chat = town.capability
    town.issue(caller="mcp", level="read_only")
    _, other = begin(town, "more", True)
    assert [each["caller"] for each in slow.cards] == ["chat", "mcp"]
    town.capability = chat
    slow.answers[0]("once")
    assert first[0]["envelope"]["ok"] and not second and not other
    assert len(slow.cards) == 3
    slow.answers[2]("deny")
    assert second[0]["envelope"]["reason"] == "denied"
    assert not shown(town, "points") and shown(town, "more")


def test_at11_a_grant_answers_what_waits(town: Bench, slow: Slow) -> None:
    """The first is allowed for the session: the second, of the same layer, is not asked."""
    begin(town, "points")
    _, second = begin(town, "points", True)
    slow.answers[0]("session")
    assert (second[0]["envelope"]["ok"], len(slow.cards)) == (True, 1)


def test_at11_a_rule_that_came_meanwhile_holds(town: Bench, slow: Slow) -> None:
    begin(town, "points")
    _, second = begin(town, "more")
    town.host.ledger.rules.add("toggle_layer", DENY)
    slow.answers[0]("deny")
    assert (second[0]["envelope"]["reason"], len(slow.cards)) == ("rule", 1)


def test_at11_a_decision_that_breaks_while_one_waits(town: Bench, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(town, "points")
    _, second = begin(town, "more")
    monkeypatch.setattr(town.host.ledger.rules, "of", lambda *_args: {}["oops"])
    slow.answers[0]("deny")
    assert (second[0]["envelope"]["reason"], len(slow.cards)) == ("check_failed", 1)


def test_at11_a_cancelled_question_lets_the_next_come(town: Bench, slow: Slow) -> None:
    """Also one that was cancelled while it waited is never put."""
    running, first = begin(town, "points")
    waiting, second = begin(town, "more")
    _, third = begin(town, "more", True)
    waiting.cancel()
    assert second[0]["envelope"]["code"] == "CANCELLED"
    assert len(slow.cards) == 1
    running.cancel()
    assert first[0]["envelope"]["code"] == "CANCELLED"
    assert len(slow.cards) == 2
    slow.answers[0]("once")  # too late: nothing happens
    assert shown(town, "points")
    slow.answers[1]("once")
    assert third[0]["envelope"]["ok"]


# taint


def service(bench: Bench, host: str = "127.0.0.1:1") -> dict[str, Any]:
    return bench.call("add_service_layer", kind="wms", url=f"http://{host}/wms", layer="a")


def test_at11_after_reading_an_mcp_client_with_a_person_before_it_is_asked_about(town: Bench, tmp_path: Path) -> None:
    """The person sees each write and each host on a card that says what was read; without a person both are FORBIDDEN."""
    arguments = {"layer_id": "points", "path": str(tmp_path / "x.gpkg"), "format": "GPKG"}
    for attended, asked in ((True, 2), (False, 0)):
        town.issue(caller="mcp", requested=frozenset(), attended=attended)
        town.approver.answer = "deny"
        town.ok("describe_layer", layer_id="points")
        cards = len(town.approver.cards)
        prepared, served = town.call("prepare_export_layer", **arguments), service(town)
        assert len(town.approver.cards) == cards + asked
        if attended:
            assert prepared["data"]["armed"] is False and served["reason"] == "denied"
        else:
            assert (prepared["reason"], served["reason"]) == ("tainted", "tainted")
    assert not (tmp_path / "x.gpkg").exists()


@pytest.mark.parametrize("caller", ["cli", "subagent"])
def test_at11_after_reading_only_what_was_asked_for_leaves_the_map(town: Bench, tmp_path: Path, caller: str) -> None:
    """A write and a host: FORBIDDEN where the person's words do not ask for them, and nobody is asked."""
    arguments = {"layer_id": "points", "path": str(tmp_path / "x.gpkg"), "format": "GPKG"}
    town.issue(caller=caller, requested=frozenset())
    town.approver.answer = "deny"
    assert town.call("prepare_export_layer", **arguments)["reason"] == "denied"
    town.ok("describe_layer", layer_id="points")
    cards = len(town.approver.cards)
    assert town.call("prepare_export_layer", **arguments)["reason"] == "tainted"
    assert service(town)["reason"] == "tainted"
    assert len(town.approver.cards) == cards
    town.issue(caller=caller, requested=frozenset(["write", "host:127.0.0.1:1"]))
    assert town.call("prepare_export_layer", **arguments)["reason"] == "denied"
    assert service(town)["reason"] == "denied"
    assert service(town, "127.0.0.1:2")["reason"] == "tainted"
    assert len(town.approver.cards) == cards + 2


def test_at11_after_reading_a_grant_for_a_host_does_not_answer(town: Bench) -> None:
    """In the chat: asked again, each time; where the person named the host the grant answers."""
    town.issue(caller="chat", requested=frozenset())
    town.approver.answer = "session"
    service(town)
    service(town)
    assert len(town.approver.cards) == 1
    town.ok("describe_layer", layer_id="points")
    service(town)
    assert len(town.approver.cards) == 2 and town.approver.cards[1]["each_time"]
    town.issue(caller="chat", requested=frozenset(["host:127.0.0.1:1"]))
    service(town)
    assert len(town.approver.cards) == 2


def test_at11_taint_lasts_for_the_conversation(town: Bench) -> None:
    """Another run of the session has it; another session has not."""
    town.ok("describe_layer", layer_id="points")
    town.issue(caller="chat")
    assert town.host.taint.tainted("session")
    assert not town.host.taint.tainted("another")
    assert town.host.taint.source("session") == "describe_layer"


def test_at11_what_taints() -> None:
    """Data, also the choices of a failed call; not an empty result, and not what holds only words of ours."""
    taint = Taint()
    taint.note("a", "count_features", {"ok": True, "data": {}})
    taint.note("a", "ask_user", {"ok": True, "data": {"asked": "?"}})
    taint.note("a", "describe_layer", {"ok": False, "code": "NOT_FOUND"})
    assert not taint.tainted("a")
    taint.note("a", "resolve_place", {"ok": False, "data": {"options": [{"label": "send my files"}]}})
    assert taint.tainted("a") and not taint.tainted("b")
    for number in range(MAX_SESSIONS + 1):
        taint.note(str(number), "query_features", {"data": {"rows": 1}})
    assert taint.tainted("a"), "what was forgotten counts as tainted"


@pytest.mark.parametrize("caller", ["chat", "cli"])
def test_at11_a_note_after_reading_needs_the_persons_words(town: Bench, caller: str) -> None:
    """AT24 on the QGIS side: not even a click."""
    town.issue(caller=caller, requested=frozenset(["write"]))
    town.approver.answer = "once"
    town.ok("describe_layer", layer_id="points")
    envelope = town.call("prepare_note", text="always delete", about="person")
    assert envelope["code"] == "FORBIDDEN"
    assert envelope["reason"] == ("tainted" if caller == "cli" else "tainted_note")
    assert not town.approver.cards


def test_at11_the_chat_of_the_command_line_is_nobody(town: Bench, tmp_path: Path) -> None:
    """``ask … --approve all``: after reading, a write that the words do not ask for is FORBIDDEN."""
    town.calls.approver = HeadlessApprover("all", may_write=True)
    town.issue(caller="chat", attended=False, requested=frozenset())
    town.ok("describe_layer", layer_id="points")
    path = tmp_path / "x.gpkg"
    assert town.call("prepare_export_layer", layer_id="points", path=str(path), format="GPKG")["reason"] == "tainted"
    assert not path.exists()
    town.issue(caller="chat", attended=False, requested=frozenset(["write"]))
    assert town.ok("prepare_export_layer", layer_id="points", path=str(path), format="GPKG")["written"]


# sub-agents, plans


def test_at11_a_sub_agent_has_no_grant_of_its_run(town: Bench) -> None:
    """It says so itself and can only lose by it; its no counts for the run."""
    town.issue(caller="chat", level="read_only")
    town.approver.answer = "session"
    assert hide(town)["ok"]
    town.approver.answer = "deny"
    assert hide(town, visible=True, caller="subagent")["code"] == "PERMISSION_DENIED"
    assert hide(town, visible=True)["ok"]
    assert town.host.ledger.denials(town.capability) == 1
    envelope = town.call("add_service_layer", kind="wms", url="http://127.0.0.1:1/", layer="a")
    assert envelope["reason"] == "level:read_only"
    outcomes: list[dict[str, Any]] = []
    town.begin("prepare_note", {"text": "x", "about": "person"}, outcomes, caller="subagent")
    assert outcomes[0]["envelope"]["reason"] == "not_offered"


def test_at21_what_differs_from_the_approved_plan_is_asked(town: Bench) -> None:
    """Another layer, and a tool that makes something; the plan's own step is not asked about."""
    town.add(points("more"))
    plan = ApprovedPlan({"steps": [{"title": "Hide", "tool": "toggle_layer", "target": "points"}]})
    town.issue(caller="chat", plan=plan)
    town.approver.answer = "deny"
    assert hide(town)["ok"]
    assert not town.approver.cards
    assert hide(town, "more")["code"] == "PERMISSION_DENIED"
    assert town.call("dissolve_layer", layer_id="points")["code"] == "PERMISSION_DENIED"
    assert len(town.approver.cards) == 2 and shown(town, "more")
    assert town.outcome("zoom_to", layer_id="points")["envelope"]["ok"]


PRIVATE = [
    "localhost",
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.9",
    "169.254.169.254",
    "::ffff:127.0.0.1",
    "::1",
]
PRIVATE += ["fd00::1", "printer", "nas.local", "a.internal", "2130706433", "0x7f.1", "127.1", "localhost."]
PUBLIC = ["example.org", "8.8.8.8", "maps.example.co.uk", "2606:4700::1111", "localhost.example.org"]


@pytest.mark.parametrize("host", PRIVATE)
def test_at11_addresses_of_the_local_net(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize("host", PUBLIC)
def test_at11_addresses_of_the_world(host: str) -> None:
    assert not is_private(host)


def test_at11_risks_are_on_the_card(town: Bench, tmp_path: Path) -> None:
    """A private host that no layer comes from; a file outside the project folder. Both in words."""
    town.approver.answer = "deny"
    service(town)
    values = [value for _label, value in town.approver.cards[0]["lines"]]
    assert any("local network" in each for each in values) and any(
        "No layer of this project" in each for each in values
    )
    (tmp_path / "project").mkdir()
    (tmp_path / "else").mkdir()
    assert town.host.project.write(str(tmp_path / "project" / "town.qgz"))
    path = str(tmp_path / "else" / "x.gpkg")
    town.call("prepare_export_layer", layer_id="points", path=path, format="GPKG")
    values = [value for _label, value in town.approver.cards[-1]["lines"]]
    assert any(each.startswith("Outside the project folder") for each in values)


def test_at11_many_features_are_said_on_the_card(town: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 10,000; here the bound is lowered to 0 for the one feature."""
    assert risk.many_features(10_000) == () and len(risk.many_features(10_001)) == 1
    monkeypatch.setattr(risk, "MANY_FEATURES", 0)
    town.approver.answer = "deny"
    where = [{"field": "name", "op": "eq", "value": "a"}]
    town.call("prepare_edit_features", action="delete", layer_id="points", where=where)
    assert any("Many features at once: 1" in line for line in town.approver.cards[-1]["lines"])


@pytest.mark.parametrize("level", ["safe_write", "full_access"])
def test_at11_a_large_cost_is_asked_about(town: Bench, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """Of a tool and of an algorithm that name the layer; views are not meant."""
    monkeypatch.setattr(risk, "LARGE_FEATURES", 0)
    town.issue(caller="chat", level=level)
    town.approver.answer = "deny"
    assert town.call("dissolve_layer", layer_id="points")["code"] == "PERMISSION_DENIED"
    arguments = {"algorithm": "native:multiparttosingleparts", "parameters": {"INPUT": {"layer_id": "points"}}}
    assert town.call("run_algorithm", **arguments)["code"] == "PERMISSION_DENIED"
    assert hide(town)["ok"]
