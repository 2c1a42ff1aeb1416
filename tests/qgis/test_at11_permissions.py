"""AT11: the truth table of permission, against two tables that were written by hand and that a person can read.

``permission_table.csv``: level x effect x rule x grant x mode x caller x taint x risk -> outcome and what made it. The first row
that fits counts; "*" fits anything, "a|b" either. ``permission_effects.csv``: every tool and every algorithm of QGIS with its
effect and what each level says to it in the chat.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsApplication

from qgis_agent.gis.analysis.generic import effects
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.approvals import CallFacts, Capability, Ledger
from qgis_agent.gis.approved_plan import ApprovedPlan
from qgis_agent.gis.contracts import Contracts
from qgis_agent.gis.grants import HOST, Grant, GrantStore, Target
from qgis_agent.gis.tools.registry import EFFECTS, REGISTRY, Tool, load_all, tool

HERE = Path(__file__).resolve().parent
LEVELS = ("read_only", "safe_write", "full_access")
RULES = ("as_level", "ask", "deny")
GRANTS = ("none", "session", "always")
MODES = ("build", "plan", "in_plan", "off_plan")
CALLERS = ("chat", "headless", "cli", "mcp", "program", "subagent")
"""An MCP client on the command line is "mcp", one whose cards a person sees "program"."""
TAINTS = ("clean", "tainted", "wanted")
RISKS = ("none", "risk", "broken")
COLUMNS = ("level", "effect", "rule", "grant", "mode", "caller", "taint", "risk")
SERVER = Target(HOST, "example.org:443")


class Fixed:
    """The rule is the same for every tool."""

    def __init__(self, action: str) -> None:
        self.action = action

    def of(self, _tool: str, _algorithm: str = "") -> str:
        """See Rules."""
        return self.action


def rows_of(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fits(row: Mapping[str, str], case: Mapping[str, str]) -> bool:
    return all(row[each] == "*" or case[each] in row[each].split("|") for each in COLUMNS)


def expected(rows: list[dict[str, str]], case: Mapping[str, str]) -> int:
    """The number of the first row that fits."""
    return next(number for number, row in enumerate(rows) if fits(row, case))


def ledgers(folder: Path) -> dict[tuple[str, str], Ledger]:
    """A ledger for each kind of rule and grant; the grants are for every caller and effect that can have one."""
    found = {}
    for grant in GRANTS:
        store = GrantStore(lambda: "/projects/town.qgz", file=folder / (grant + ".json"))
        for caller, effect in product(("chat", "cli", "mcp:s", "subagent"), ("view", "create", "network")):
            if grant != "none":
                target = SERVER if effect == "network" else Target()
                more = {"session": "s", "project_id": "p", "lifetime": grant, "by": "test"}
                made = store.add(caller=caller, tool="do_it", effect=effect, target=target, **more)
                assert made.lifetime == grant
        for rule in RULES:
            found[rule, grant] = Ledger(grants=store, rules=Fixed(rule))  # type: ignore[arg-type]
    return found


def decided(ledger: Ledger, case: Mapping[str, str]) -> tuple[str, str]:
    """What the ledger says to one row of the product."""
    capability = Capability(
        token="t",
        caller={"headless": "chat", "program": "mcp"}.get(case["caller"], case["caller"]),
        level=case["level"],
        session_id="s",
        run_id="r",
        project_id="p",
        plan_mode=case["mode"] == "plan",
        enabled_packs=frozenset(["write"]),
        attended=case["caller"] in ("chat", "program"),
    )
    facts = CallFacts(
        "do_it",
        case["effect"],
        target=SERVER if case["effect"] == "network" else Target(),
        risks={"none": (), "risk": ("some_risk",), "broken": ("check_failed",)}[case["risk"]],
        tainted=case["taint"] != "clean",
        requested=frozenset(["write", "host:example.org"] if case["taint"] == "wanted" else []),
        deviates=case["mode"] == "off_plan",
    )
    decision = ledger.decide(capability, facts)
    return decision.outcome, decision.by


def test_at11_the_whole_truth_table(tmp_path: Path) -> None:
    """34,992 combinations; every row of the table is reached."""
    rows, boundary, used, wrong = rows_of("permission_table.csv"), ledgers(tmp_path), set(), []
    for values in product(LEVELS, EFFECTS, RULES, GRANTS, MODES, CALLERS, TAINTS, RISKS):
        case = dict(zip(COLUMNS, values))
        number = expected(rows, case)
        used.add(number)
        row = rows[number]
        by = row["by"].replace("level:*", "level:" + case["level"])
        found = decided(boundary[case["rule"], case["grant"]], case)
        if found != (row["outcome"], by):
            wrong.append((case, found, row["outcome"], by))
    assert not wrong, (len(wrong), wrong[:3])
    assert used == set(range(len(rows))), [rows[each]["note"] for each in set(range(len(rows))) - used]


def test_at11_the_table_itself_never_opens_what_is_graver() -> None:
    """A property of the hand-written table: no grant, taint, mode or caller makes a row laxer than its level says."""
    rows = rows_of("permission_table.csv")
    strictness = ("allow", "ask", "click", "deny")
    plain = {"rule": "as_level", "grant": "none", "mode": "build", "caller": "chat", "taint": "clean", "risk": "none"}
    for values in product(LEVELS, EFFECTS, RULES, GRANTS, MODES, CALLERS, TAINTS, RISKS):
        case = dict(zip(COLUMNS, values))
        row = rows[expected(rows, case)]
        level = rows[expected(rows, {**case, **plain})]
        laxer = strictness.index(row["outcome"]) < strictness.index(level["outcome"])
        assert not laxer or row["by"] == "grant", case
        assert case["effect"] not in ("write", "execute") or row["outcome"] != "allow", case


# every tool and every algorithm


@dataclass(frozen=True)
class Known:
    """What the product says of a tool or an algorithm: its effect, and the outcome of each level."""

    effect: str
    outcomes: tuple[str, ...]


def product_says(tools: Mapping[str, Tool], contracts: Contracts) -> dict[str, Known]:
    """Every contract, every handler, every classified algorithm and every algorithm of this QGIS that is ours."""
    found = {}
    for name in {*contracts.tools, *tools}:
        contract = contracts.tools.get(name, {})
        stated = [contract.get("effect", ""), tools[name].effect if name in tools else ""]
        if contract.get("where") == "qgis" and name not in tools:
            stated = [""]
        effect = max((each for each in stated if each in EFFECTS), key=EFFECTS.index, default="")
        found[name] = known(name, effect, contract.get("pack", "default"))
    entries = json.loads(effects.FILE.read_text(encoding="utf-8"))["algorithms"]
    found.update({each: known("run_algorithm", entry["effect"], "processing") for each, entry in entries.items()})
    return found


def known(name: str, effect: str, pack: str) -> Known:
    ledger = Ledger(rules=Fixed("as_level"))  # type: ignore[arg-type]
    outcomes = []
    for level in LEVELS:
        capability = Capability("t", "chat", level, "s", "r", "p", enabled_packs=frozenset(["write"]))
        outcomes.append(ledger.decide(capability, CallFacts(name, effect, pack)).outcome)
    return Known(effect, tuple(outcomes))


def differences(said: Mapping[str, Known]) -> list[str]:
    """What of the product is not in the hand-written file, or is there otherwise."""
    written = {
        row["name"]: Known(row["effect"], tuple(row[each] for each in LEVELS))
        for row in rows_of("permission_effects.csv")
    }
    missing = [f"{each}: not in the file" for each in said if each not in written]
    gone = [f"{each}: only in the file" for each in written if each not in said]
    other = [f"{each}: {said[each]}" for each in said if each in written and said[each] != written[each]]
    return sorted(missing + gone + other)


def test_at11_every_tool_and_every_algorithm_is_in_the_file() -> None:
    assert not differences(product_says(load_all(), Contracts()))


def test_at11_every_algorithm_of_qgis_is_in_the_file() -> None:
    """Also those that the processing registry has and the classification might have forgotten."""
    load_providers()
    written = {row["name"] for row in rows_of("permission_effects.csv")}
    shipped = ("native", "qgis", "gdal", "3d", "pdal")
    there = [e.id() for e in QgsApplication.processingRegistry().algorithms() if e.provider().id() in shipped]
    assert len(there) > 300
    assert not [each for each in there if each not in written]


def test_at11_a_tool_that_is_not_in_the_file_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "format_disk", Tool("format_disk", "read", "main", lambda call: None))
    assert differences(product_says(load_all(), Contracts())) == ["format_disk: not in the file"]


def test_at11_an_algorithm_that_is_not_in_the_file_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    document = json.loads(effects.FILE.read_text(encoding="utf-8"))
    document["algorithms"]["native:formatdisk"] = {"effect": "create"}
    (tmp_path / "effects.json").write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setattr(effects, "FILE", tmp_path / "effects.json")
    assert differences(product_says(load_all(), Contracts())) == ["native:formatdisk: not in the file"]


@pytest.mark.parametrize("effect", ["", "reads", "Read", None])
def test_at11_a_tool_without_an_effect_cannot_be_registered(effect: Any) -> None:
    with pytest.raises(ValueError, match="no_effect"):
        tool("no_effect", effect=effect)(lambda call: None)
    assert "no_effect" not in REGISTRY


def test_at11_a_tool_whose_effect_was_taken_away_is_denied_and_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the decorator: the decision denies what it does not know, and the file differs."""
    monkeypatch.setitem(REGISTRY, "bare", Tool("bare", "", "main", lambda call: None))
    said = product_says(load_all(), Contracts())
    assert said["bare"].outcomes == ("deny",) * 3
    assert differences(said) == ["bare: not in the file"]


# callers within others, grants of others


@pytest.mark.parametrize(("own", "session"), list(product(LEVELS, LEVELS)))
@pytest.mark.parametrize("caller", ["subagent", "mcp"])
def test_at11_a_caller_within_another_gets_the_intersection(own: str, session: str, caller: str) -> None:
    """For every effect the stricter of both levels; in which order they are given does not matter."""
    strictness = ("allow", "ask", "click", "deny")
    ledger = Ledger(rules=Fixed("as_level"))  # type: ignore[arg-type]
    parent = Capability("t", "chat", session, "s", "r", "p")
    child = parent.as_caller(caller, own)
    for effect in EFFECTS:
        facts = CallFacts("do_it", effect)
        one = ledger.decide(Capability("t", caller, own, "s", "r", "p"), facts).outcome
        other = ledger.decide(Capability("t", caller, session, "s", "r", "p"), facts).outcome
        assert ledger.decide(child, facts).outcome == max(one, other, key=strictness.index), effect


def test_at11_a_grant_is_not_shared() -> None:
    """Not with another caller, session, project, tool, effect or target."""
    ledger = Ledger(rules=Fixed("as_level"))  # type: ignore[arg-type]
    capability = Capability("t", "chat", "read_only", "s", "r", "p")
    layer = Target("layer", "roads", "source", "id1")
    facts = CallFacts("toggle_layer", "view", target=layer)
    assert isinstance(ledger.grant(capability, facts), Grant)
    assert ledger.decide(capability, facts).by == "grant"
    others = [
        (Capability("t", "mcp", "read_only", "s", "r", "p"), facts),
        (capability.as_caller("subagent"), facts),
        (Capability("t", "chat", "read_only", "s2", "r", "p"), facts),
        (Capability("t", "chat", "read_only", "s", "r", "p2"), facts),
        (capability, CallFacts("zoom_to", "view", target=layer)),
        (capability, CallFacts("toggle_layer", "create", target=layer)),
        (capability, CallFacts("toggle_layer", "view", target=Target("layer", "roads", "source", "id2"))),
        (capability, CallFacts("toggle_layer", "view")),
    ]
    assert [ledger.decide(who, what).outcome for who, what in others] == ["ask"] * len(others)


@pytest.mark.parametrize("effect", ["write", "execute"])
def test_at11_no_grant_for_a_write_or_code(effect: str) -> None:
    ledger = Ledger(rules=Fixed("as_level"))  # type: ignore[arg-type]
    capability = Capability("t", "chat", "full_access", "s", "r", "p", enabled_packs=frozenset(["write"]))
    assert ledger.grant(capability, CallFacts("do_it", effect)) is None
    assert ledger.decide(capability, CallFacts("do_it", effect)).outcome != "allow"


def test_at21_the_plan_of_qgis_has_the_hash_of_the_agents() -> None:
    """SHA-256 of the canonical JSON of the steps, written out here; a status may change, nothing else."""
    import hashlib

    step = {"title": "Hide", "tool": "toggle_layer", "target": "roads", "status": "pending"}
    canonical = '[["Hide","toggle_layer","roads",[],"",null]]'
    wanted = hashlib.sha256(canonical.encode()).hexdigest()
    plan = ApprovedPlan({"steps": [step], "hash": wanted})
    assert (plan.hash, plan.genuine) == (wanted, True)
    assert ApprovedPlan({"steps": [{**step, "status": "done"}], "hash": wanted}).genuine
    assert not ApprovedPlan({"steps": [{**step, "target": "towns"}], "hash": wanted}).genuine


DEVIATIONS = [
    ("toggle_layer", "view", {"layer_id": "roads"}, False),
    ("toggle_layer", "view", {"layer_id": "towns"}, True),
    ("count_features", "read", {"layer_id": "towns"}, False),
    ("zoom_to", "view", {"layer_id": "towns"}, False),
    ("dissolve_layer", "create", {"layer_id": "roads"}, True),
    ("overlay_layers", "create", {"layer_id": "roads", "overlay_layer_id": "towns"}, False),
    ("overlay_layers", "create", {"layer_id": "roads", "overlay_layer_id": "rivers"}, True),
    ("prepare_export_layer", "write", {"layer_id": "roads", "path": "a.gpkg"}, False),
    ("prepare_export_layer", "write", {"layer_id": "roads", "path": "b.gpkg"}, True),
]


@pytest.mark.parametrize(("name", "effect", "arguments", "deviates"), DEVIATIONS)
def test_at21_what_is_not_in_the_plan(name: str, effect: str, arguments: dict[str, Any], deviates: bool) -> None:
    steps = [
        {"title": "a", "tool": "toggle_layer", "target": "roads"},
        {"title": "b", "tool": "overlay_layers", "target": "roads", "inputs": ["towns"]},
        {"title": "c", "tool": "prepare_export_layer", "target": "roads", "path": "a.gpkg"},
    ]
    assert ApprovedPlan({"steps": steps}).deviates(name, effect, arguments) is deviates
    changed = ApprovedPlan({"steps": steps, "hash": "another"})
    assert changed.deviates(name, effect, arguments) is (effect != "read")


def test_at21_a_layer_that_a_step_made_is_in_the_plan() -> None:
    """ "$1" is nothing until step 1 has made its layer; a layer that another call made is not it."""
    steps = [
        {"title": "a", "tool": "buffer_layer", "target": "roads"},
        {"title": "b", "tool": "dissolve_layer", "target": "$1"},
    ]
    plan = ApprovedPlan({"steps": steps})
    assert plan.deviates("dissolve_layer", "create", {"layer_id": "buffer"})
    plan.settled("buffer_layer", {"layer_id": "towns"}, {"ok": True, "data": {"layer_id": "other"}})
    plan.settled("buffer_layer", {"layer_id": "roads"}, {"ok": True, "data": {"layer_id": "buffer"}})
    assert not plan.deviates("dissolve_layer", "create", {"layer_id": "buffer"})
    assert plan.deviates("dissolve_layer", "create", {"layer_id": "other"})
