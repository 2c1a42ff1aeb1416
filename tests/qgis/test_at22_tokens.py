"""AT22: the token between the preview of a write and its commit. Through ``Calls``; the ledger alone is in test_at22_ledger.py.

From the registry: every ``prepare_…`` tool has a case here; a new one without a case fails.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Answering, Bench, memory_layer
from qgis.core import (
    QgsApplication,
    QgsLayoutItemLabel,
    QgsMapThemeCollection,
    QgsProject,
    QgsReferencedRectangle,
    QgsSettings,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from qgis_agent.gis.confirm import ConfirmWrite
from qgis_agent.gis.headless import HeadlessApprover
from qgis_agent.gis.host import run_until
from qgis_agent.gis.project_files import preferences, set_preferences
from qgis_agent.gis.rules import DENY
from qgis_agent.gis.tools.registry import load_all

EXPORT = {"layer_id": "towns", "path": "new.gpkg", "format": "GPKG"}


@dataclass
class Clock:
    """Seconds that a test sets."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


# through Calls: every prepare tool


@dataclass(frozen=True)
class Case:
    """Arguments of a prepare tool, a change that makes its preview untrue, and what the commit answers then."""

    arguments: dict[str, Any]
    change: Callable[[Bench], Any]
    reason: str = "state_changed"


def towns(bench: Bench) -> QgsVectorLayer:
    layer = bench.host.layers.by_alias("towns")
    assert isinstance(layer, QgsVectorLayer)
    return layer


def other_value(bench: Bench) -> None:
    provider = towns(bench).dataProvider()
    first = next(provider.getFeatures())
    assert provider.changeAttributeValues({first.id(): {provider.fieldNameIndex("name"): "by hand"}})


def other_bookmark(bench: Bench) -> None:
    from qgis.core import QgsBookmark

    mark = QgsBookmark()
    mark.setName("here")
    mark.setExtent(QgsReferencedRectangle(towns(bench).extent(), towns(bench).crs()))
    assert bench.host.project.bookmarkManager().addBookmark(mark)[1]


def other_layout(bench: Bench) -> None:
    layout = bench.host.project.layoutManager().layoutByName("sheet")
    label = QgsLayoutItemLabel(layout)
    label.setText("by hand")
    layout.addLayoutItem(label)


def other_theme(bench: Bench) -> None:
    theme = QgsMapThemeCollection.MapThemeRecord()
    theme.addLayerRecord(QgsMapThemeCollection.MapThemeLayerRecord(towns(bench)))
    bench.host.project.mapThemeCollection().insert("by hand", theme)


def other_layer(bench: Bench) -> None:
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(1 1)", [1])], "by hand"))


def taken_name(bench: Bench) -> None:
    (bench.folder / "table.csv").write_text("by hand", encoding="utf-8")


CASES: dict[str, Case] = {
    "prepare_bookmark": Case({"name": "here", "bbox": [1, 1, 2, 2]}, other_bookmark),
    "prepare_edit_features": Case(
        {
            "action": "set",
            "layer_id": "towns",
            "values": [{"field": "n", "value": 9}],
            "where": [{"field": "name", "op": "eq", "value": "p1"}],
            "options": {"save": True},
        },
        other_value,
    ),
    "prepare_export_layer": Case(EXPORT, other_value),
    "prepare_export_layout": Case({"layout": "sheet", "path": "sheet.svg", "format": "svg", "dpi": 60}, other_layout),
    # The preview is made of the rows in the arguments alone: what can change is the place.
    "prepare_export_table": Case({"path": "table.csv", "rows": [{"a": 1}]}, taken_name, "file_exists"),
    "prepare_note": Case({"text": "Use km.", "about": "person"}, lambda _bench: set_preferences("by hand")),
    "prepare_remove_layer": Case({"layer_ids": ["towns"]}, other_theme),
    "prepare_save_project": Case({"path": "other.qgz"}, other_layer),
}


@pytest.fixture
def city(bench: Bench, tmp_path: Path) -> Iterator[Bench]:
    """A saved project with a layer of a GeoPackage and a layout, on the command line, where nobody is asked."""
    QgsSettings().remove("qgis_agent/preferences")
    rows = [(f"POINT({x} {x})", [x, f"p{x}"]) for x in range(1, 4)]
    source = memory_layer("Point?crs=EPSG:4326&field=n:integer&field=name:string", rows, "towns")
    options = QgsVectorFileWriter.SaveVectorOptions()
    context = QgsProject.instance().transformContext()
    QgsVectorFileWriter.writeAsVectorFormatV3(source, str(tmp_path / "towns.gpkg"), context, options)
    bench.add(QgsVectorLayer(str(tmp_path / "towns.gpkg"), "towns", "ogr"))
    bench.ok("create_layout", name="sheet")
    assert bench.host.project.write(str(tmp_path / "city.qgs"))
    bench.issue()
    yield bench
    bench.host.ledger.rules.replace([])
    QgsSettings().remove("qgis_agent/preferences")


def world(bench: Bench) -> Any:
    """What a write could change: files, layers, values, bookmarks, preferences."""
    files = {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in bench.folder.rglob("*")
        if each.is_file() and not each.name.endswith(("-wal", "-shm"))
    }
    project = bench.host.project
    values = {
        each.name(): sorted(str(feature.attributes()) for feature in each.getFeatures())
        for each in project.mapLayers().values()
    }
    marks = [each.name() for each in project.bookmarkManager().bookmarks()]
    return files, values, marks, preferences()


def preview(bench: Bench, name: str) -> str:
    """The token of a preview that nobody has agreed to."""
    data = bench.ok(name, **CASES[name].arguments)
    assert (data["armed"], data["written"]) == (False, False)
    return str(data["confirm_token"])


def commit(bench: Bench, token: str) -> dict[str, Any]:
    return bench.call("commit_action", confirm_token=token)


def test_at22_every_prepare_tool_has_a_case() -> None:
    tools = {each.name for each in load_all().values() if each.name.startswith("prepare_")}
    assert tools == set(CASES)
    # nothing but these and commit_action is a write by its own effect
    assert {each.name for each in load_all().values() if each.effect == "write"} == {*CASES, "commit_action"}


def test_at22_prepare_and_commit_have_one_code_path() -> None:
    """In the code: a write is kept in one place, and redeemed in two, which carry out what is kept."""
    used: dict[str, set[str]] = {}
    for path in (REPO / "qgis_agent" / "gis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if not isinstance(called, ast.Attribute) or called.attr not in ("prepare", "redeem", "arm"):
                continue
            if "ledger" in ast.unparse(called.value):
                used.setdefault(called.attr, set()).add(path.name)
    assert used == {"prepare": {"confirm.py"}, "redeem": {"confirm.py", "commit.py"}, "arm": {"confirm.py"}}


@pytest.mark.parametrize("name", CASES)
def test_at22_a_preview_writes_nothing_and_a_token_writes_once(city: Bench, name: str) -> None:
    before = world(city)
    token = preview(city, name)
    assert world(city) == before
    assert commit(city, token)["reason"] == "not_armed"
    assert world(city) == before
    city.host.ledger.arm(token)
    assert commit(city, token)["ok"]
    after = world(city)
    assert after != before
    assert commit(city, token)["reason"] == "used"
    assert world(city) == after


@pytest.mark.parametrize("name", CASES)
def test_at22_what_changed_since_the_preview_is_refused(city: Bench, name: str) -> None:
    """With its reason, without a second effect: on the command line, and for a click that comes too late."""
    case = CASES[name]
    token = preview(city, name)
    city.host.ledger.arm(token)
    case.change(city)
    before = world(city)
    refused = commit(city, token)
    assert (refused["ok"], refused["reason"], bool(refused["message"])) == (False, case.reason, True), refused
    assert world(city) == before


class Late:
    """A person who agrees after something has happened."""

    def __init__(self, happens: Callable[[], Any]) -> None:
        self._happens = happens

    def ask(self, _card: dict[str, Any], answer: Callable[..., None]) -> Callable[[], None]:
        """See Approver."""
        self._happens()
        answer("once")
        return lambda: None


@pytest.mark.parametrize("name", CASES)
def test_at22_in_chat_a_click_on_a_preview_that_is_not_true_any_more(city: Bench, name: str) -> None:
    case, after = CASES[name], []

    def happens() -> None:
        case.change(city)
        after.append(world(city))

    city.issue(caller="chat")
    city.calls.approver = Late(happens)
    refused = city.call(name, **case.arguments)
    assert (refused["ok"], refused["reason"]) == (False, case.reason), refused
    assert [world(city)] == after


@pytest.mark.parametrize("name", CASES)
def test_at22_a_click_and_a_commit_do_the_same(city: Bench, name: str) -> None:
    """The same steps of the token, and the same job for both: its ``run`` is what the token holds."""
    seen: list[tuple[str, str]] = []
    watch = city.host.ledger.observe

    def observe(what: str, token: str, pending: Any) -> None:
        seen.append((what, getattr(pending.commit, "__qualname__", "")))
        watch(what, token, pending)

    city.host.ledger.observe = observe
    token = preview(city, name)
    city.host.ledger.arm(token)
    assert commit(city, token)["ok"]
    by_token, seen[:] = list(seen), []
    assert [what for what, _job in by_token] == ["made", "armed", "redeemed"]
    job = by_token[0][1]
    assert job.endswith(".run")
    # The chat asks for the same: the very call again would find its own work done, so its click is looked at, not its effect.
    city.host.ledger.observe = observe
    if name not in ("prepare_edit_features", "prepare_note", "prepare_remove_layer"):
        for each in ("new.gpkg", "sheet.svg", "table.csv", "other.qgz"):
            (city.folder / each).unlink(missing_ok=True)
        city.host.project.bookmarkManager().clear()
        city.issue(caller="chat")
        city.approver.answer = "once"
        assert city.call(name, **CASES[name].arguments)["ok"]
        assert seen == by_token


# who may


def test_at22_20_commits_at_once(city: Bench) -> None:
    """Begun together, before any has ended: one success, and one file."""
    token = preview(city, "prepare_export_layer")
    city.host.ledger.arm(token)
    outcomes: list[dict[str, Any]] = []
    for _ in range(20):
        city.begin("commit_action", {"confirm_token": token}, outcomes)
    assert run_until(lambda: len(outcomes) == 20, 60)
    envelopes = [each["envelope"] for each in outcomes]
    assert sum(bool(each["ok"]) for each in envelopes) == 1
    assert [each["reason"] for each in envelopes if not each["ok"]] == ["used"] * 19
    assert [each.name for each in city.folder.glob("new*")] == ["new.gpkg"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"session_id": "t"}, "other_session"), ({"caller": "mcp"}, "other_caller"), ({"project_id": "q"}, "capability")],
)
def test_at22_another_session_caller_or_project(city: Bench, change: dict[str, str], reason: str) -> None:
    """Through Calls; a capability of another project is worth nothing at all. With the right one it is written."""
    token = preview(city, "prepare_export_layer")
    city.host.ledger.arm(token)
    own = city.capability
    given = {"caller": "cli", "session_id": "session", "project_id": city.host.project_id(), **change}
    city.capability = city.host.ledger.issue(
        level="safe_write", run_id="other", enabled_packs=own.enabled_packs, requested=own.requested, **given
    )
    assert commit(city, token)["reason"] == reason
    assert not (city.folder / "new.gpkg").exists()
    city.capability = own
    assert commit(city, token)["ok"]


def test_at22_another_project_voids_it(city: Bench) -> None:
    token = preview(city, "prepare_export_layer")
    city.host.ledger.arm(token)
    city.host.ledger.project_changed()
    city.issue()
    assert commit(city, token)["reason"] == "voided"


def test_at22_the_model_cannot_confirm_its_own_write(city: Bench) -> None:
    """No argument arms, no second call does, no grant and no level; the chat has no commit_action at all."""
    for level in ("safe_write", "full_access"):
        city.issue(level=level)
        token = preview(city, "prepare_export_layer")
        for more in ({"armed": True}, {"confirmed": True}, {"approve": "all"}):
            assert city.call("commit_action", confirm_token=token, **more)["code"] == "INVALID_PARAM"
        assert [commit(city, token)["reason"] for _ in range(3)] == ["not_armed"] * 3
        assert city.call("prepare_export_layer", **EXPORT, armed=True)["code"] == "INVALID_PARAM"
    city.issue(caller="chat", level="full_access")
    city.approver.answer = "session"  # what a grant would be given by: a write takes none
    assert city.call("prepare_export_layer", **EXPORT)["reason"] == "denied"
    city.approver.answer = "deny"
    assert city.call("prepare_export_layer", **EXPORT)["reason"] == "denied"
    assert commit(city, token)["reason"] == "not_offered"
    assert not (city.folder / "new.gpkg").exists()
    assert not city.host.ledger.grants.listed()


def test_at22_in_chat_no_token_comes_out(city: Bench) -> None:
    """Neither with a yes nor with a no."""
    city.issue(caller="chat")
    for answer in ("deny", "once"):
        city.approver.answer = answer
        assert "confirm_token" not in json.dumps(city.outcome("prepare_export_layer", **EXPORT))


POLICIES = pytest.mark.parametrize(
    ("policy", "may_write", "export", "note"),
    [
        ("none", True, False, False),
        ("reversible", True, False, True),
        ("all", True, True, True),
        ("all", False, False, False),
    ],
)


@POLICIES
def test_at22_an_mcp_client_commits_what_the_policy_has_armed(
    city: Bench, policy: str, may_write: bool, export: bool, note: bool
) -> None:
    """Its prepare call writes nothing, whatever the policy: the token is armed or not, and commit_action is the write."""
    city.issue(caller="mcp", attended=False)
    city.calls.approver = HeadlessApprover(policy, may_write=may_write)
    prepared = city.ok("prepare_export_layer", **EXPORT)
    assert (prepared["armed"], prepared["written"]) == (export, False)
    assert not (city.folder / "new.gpkg").exists()
    assert city.ok("prepare_bookmark", **CASES["prepare_bookmark"].arguments)["armed"] is note
    answer = commit(city, prepared["confirm_token"])
    assert answer["ok"] is export and (city.folder / "new.gpkg").exists() is export
    assert export or answer["reason"] == "not_armed"


@POLICIES
def test_at22_programs_are_agreed_to_by_policy(
    city: Bench, policy: str, may_write: bool, export: bool, note: bool
) -> None:
    """``--approve``: an export is not reversible, a bookmark is. What is not agreed to stays a preview."""
    city.issue(caller="cli")
    city.calls.approver = HeadlessApprover(policy, may_write=may_write)
    wrote = city.ok("prepare_export_layer", **EXPORT)
    assert (wrote["written"], (city.folder / "new.gpkg").exists()) == (export, export)
    assert city.ok("prepare_bookmark", **CASES["prepare_bookmark"].arguments)["written"] is note
    if not export:
        assert commit(city, wrote["confirm_token"])["reason"] == "not_armed"


def test_at22_a_rule_that_came_since_the_preview_holds(city: Bench) -> None:
    """Of the tool that prepared the write; deny comes before an armed token."""
    token = preview(city, "prepare_export_layer")
    city.host.ledger.arm(token)
    city.host.ledger.rules.add("prepare_export_layer", DENY)
    envelope = commit(city, token)
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "rule")
    assert not (city.folder / "new.gpkg").exists()
    city.host.ledger.rules.replace([])
    assert commit(city, token)["ok"]


@pytest.mark.parametrize("more", [{"level": "read_only"}, {"write": False}, {"plan_mode": True}])
def test_at22_a_capability_that_was_narrowed_since(city: Bench, more: dict[str, Any]) -> None:
    token = preview(city, "prepare_export_layer")
    city.host.ledger.arm(token)
    city.issue(**more)
    assert commit(city, token)["code"] == "FORBIDDEN"
    assert not (city.folder / "new.gpkg").exists()


def test_at22_data_that_was_read_since_the_preview(city: Bench) -> None:
    """A later run whose words ask for no write: what was clicked is written, and nothing else is prepared or committed."""
    token = preview(city, "prepare_export_layer")
    city.ok("describe_layer", layer_id="towns")
    city.issue(requested=frozenset())
    assert commit(city, token)["reason"] == "not_armed"
    assert city.call("prepare_export_layer", **EXPORT)["reason"] == "tainted"
    city.host.ledger.arm(token)
    assert commit(city, token)["ok"]


def test_at22_the_arguments_are_those_that_were_shown(city: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes a call's arguments while its card is open is refused: args_changed."""
    start = ConfirmWrite.start

    def tampered(self: ConfirmWrite, feedback: Any, done: Any) -> None:
        self._running.call.arguments["path"] = "elsewhere.gpkg"
        start(self, feedback, done)

    monkeypatch.setattr(ConfirmWrite, "start", tampered)
    city.issue(caller="chat")
    city.approver.answer = "once"
    assert city.call("prepare_export_layer", **EXPORT)["reason"] == "args_changed"
    assert not list(city.folder.glob("*w*ere.gpkg")) and not (city.folder / "new.gpkg").exists()


def test_at22_a_token_ends_after_five_minutes(city: Bench) -> None:
    """By a clock of the test's."""
    clock = Clock()
    city.host.ledger.clock = clock
    token = preview(city, "prepare_export_layer")
    city.host.ledger.arm(token)
    clock.now += 300.1
    assert commit(city, token)["reason"] == "expired"
    assert not (city.folder / "new.gpkg").exists()


def test_at22_tokens_are_in_no_log_audit_or_card(city: Bench) -> None:
    """Made, refused, armed, used: searched for in the whole profile, the message log, the cards and all other outcomes."""
    said: list[str] = []
    log = QgsApplication.messageLog()

    def heard(*parts: Any) -> None:
        said.append(str(parts))

    log.messageReceived.connect(heard)
    cards = Answering("headless")
    city.calls.approver = cards
    tokens, others = [], []
    for name in CASES:
        token = preview(city, name)
        tokens.append(token)
        others.append(commit(city, token))
        city.host.ledger.arm(token)
    for token in tokens[:3]:
        others.append(commit(city, token))
    city.host.ledger.project_changed()
    log.messageReceived.disconnect(heard)
    profile = Path(QgsApplication.qgisSettingsDirPath())
    texts = [json.dumps(cards.cards, default=str), json.dumps(others), *said]
    texts += [each.read_bytes().decode("latin-1") for each in profile.rglob("*") if each.is_file()]
    audit = [each.read_text(encoding="utf-8") for each in city.host.audit.folder.glob("*.jsonl")]
    assert any("token_made" in each and "token_redeemed" in each and "token_voided" in each for each in audit)
    assert len(cards.cards) == len(CASES)
    for token in tokens:
        assert not any(token in each or token[:16] in each for each in (*texts, *audit))


def test_at22_capabilities_are_not_told_either(city: Bench) -> None:
    """The other secret of the boundary: in no audit line, and in no outcome."""
    token = city.capability.token
    outcome = city.outcome("prepare_export_layer", **EXPORT)
    audit = [each.read_text(encoding="utf-8") for each in city.host.audit.folder.glob("*.jsonl")]
    assert token not in json.dumps(outcome) and not any(token in each for each in audit)
