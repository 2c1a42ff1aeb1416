"""Must show 3: every tool x place of a text x twelve hostile forms, from chat and as an MCP caller, and nobody clicks.

Generated from the registry of tools: a new tool needs a valid call in tests/support/hostile_tools.py, or the test fails.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agent_fakes
import pytest
from conftest import Bench, memory_layer
from hostile_calls import Sink, add_layers, digest_of, texts_of
from hostile_tools import ASKED, BASE, forms, slots, with_text
from injected_world import Conversation, InProcess
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsSettings,
    QgsVectorFileWriter,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QCoreApplication, QEvent

from qgis_agent.agent.governance.factory import build_single_call_runtime
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import ToolCall
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.contracts import SCHEMA_PATH
from qgis_agent.gis.scratch import session_folder
from qgis_agent.gis.tools.registry import load_all

CANARY = "canary-of-the-environment-7f3a"
SECRET = "canary-of-the-file-91c4"
MARKER = "hostile-5b2e"
COMBINATIONS = [("chat", "safe_write"), ("mcp", "full_access"), ("chat", "full_access"), ("mcp", "safe_write")]
GRAVE = ("path", "url", "folder", "formula", "INPUT")
"""Parameters whose texts always meet every form under all four; with QGIS_AGENT_HOSTILE=some the others take turns (a third
of the calls)."""
EVERY = os.environ.get("QGIS_AGENT_HOSTILE") != "some"
SPECS = {each["name"]: each for each in json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))["tools"]}
"""Every contract, also those of tools that only our own process calls."""
TOOLS = sorted(SPECS)


class Stage:
    """The project with one layer of each kind, the sink, the folder outside, and calls of any tool."""

    def __init__(self, bench: Bench, outside: Path) -> None:
        self.bench, self.outside, self.sink = bench, outside, Sink()
        add_layers(bench)
        rows: list[tuple[str | None, list[Any]]] = [("POINT(5 5)", [1, "v1"]), ("POINT(50 50)", [2, "v2"])]
        bench.add(memory_layer("Point?crs=EPSG:3857&field=n:integer&field=name:string", rows, "points2"))
        bare = bench.add(memory_layer("Point?field=n:integer", [("POINT(5 5)", [1])], "bare"))
        bare.setCrs(QgsCoordinateReferenceSystem())
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = "ESRI Shapefile"
        project = bench.host.project
        source = project.mapLayersByName("points2")[0]
        path = str(bench.folder / "shape.shp")
        QgsVectorFileWriter.writeAsVectorFormatV3(source, path, project.transformContext(), options)
        bench.add(QgsVectorLayer(path, "shape", "ogr"))
        (bench.folder / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        (bench.folder / "link.csv").symlink_to(outside / "secret.csv")
        project.write(str(bench.folder / "city.qgz"))
        bench.issue(caller="chat", level="safe_write")
        assert bench.call("create_layout", name="sheet", title="City")["ok"]
        self.talk = Conversation(bench.folder.parent / "records", session_id="session", world=self)  # type: ignore[arg-type]
        self.bridge = InProcess(bench, lambda: None)
        self.layers = set(project.mapLayers())
        self.items = set(project.layoutManager().layoutByName("sheet").items())
        self.scratch = Path(session_folder())
        self.before = (digest_of(bench.folder), digest_of(outside))
        self.codes: Counter[str] = Counter()

    def call(self, name: str, arguments: dict[str, Any], caller: str, level: str) -> dict[str, Any]:
        """The outcome of one call in a run of its own. Tools of the agent process go through its runtime."""
        self.bench.issue(caller=caller, level=level)
        if SPECS[name]["where"] == "qgis":
            return self.bench.outcome(name, **arguments)
        context = self.talk.context(self.bridge, enabled=("write",), caller=caller)
        profile = PROFILES["gis-plan" if name == "update_plan" else "gis-build"]
        runtime = build_single_call_runtime(agent_fakes.REGISTRY, context, profile)
        done = asyncio.run(runtime.execute(ToolCall("c1", name, json.dumps(arguments)), "c1"))
        return {"envelope": done.envelope, "actions": done.actions, "legend": done.legend, "evidence": done.evidence}

    def base(self, name: str) -> dict[str, Any]:
        """The valid call, with a handle and a rule of this session where it needs one."""
        made = json.loads(json.dumps(BASE[name]))
        if name == "fetch_result":
            capability = self.bench.capability
            made["result_ref"] = self.bench.host.results.put(
                [{"n": 1}], tool="query_features", project_id=capability.project_id, caller=capability.caller,
                session_id=capability.session_id,
            )  # fmt: skip
        if name == "revert_style":
            made["rule_id"] = self.bench.ok("set_render_rule", layer_id="points", method="single")["rule_id"]
        return made

    def tidy(self, name: str) -> None:
        """Take away what a call made; names, filters and looks are as before."""
        project = self.bench.host.project
        project.removeMapLayers([each for each in project.mapLayers() if each not in self.layers])
        if SPECS[name]["effect"] in ("view", "create"):
            for layer in project.mapLayers().values():
                if isinstance(layer, QgsVectorLayer) and layer.subsetString():
                    layer.setSubsetString("")
            for layout in project.layoutManager().printLayouts():
                if layout.name() != "sheet":
                    project.layoutManager().removeLayout(layout)
                    continue
                for item in set(layout.items()) - self.items:
                    layout.removeLayoutItem(item)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def attack(self, name: str, path: Any, label: str, value: str, caller: str, level: str) -> None:
        """The valid call with one hostile text in it, and a look at what came of it."""
        where = f"{name} {path} {label} {caller} {level}"
        self.bench.issue(caller=caller, level=level)
        outcome = self.call(name, with_text(self.base(name), path, value), caller, level)
        envelope = outcome["envelope"]
        self.codes["OK" if envelope["ok"] else envelope["code"]] += 1
        assert envelope.get("reason") != "internal", (where, envelope)  # a handler that broke
        if envelope["ok"]:
            self.look(outcome, where)
            self.tidy(name)
        else:
            assert CANARY not in repr(outcome) and SECRET not in repr(outcome), where

    def look(self, outcome: dict[str, Any], where: str) -> None:
        """Nothing of what must not come out has come out."""
        for text in texts_of(self.bench, outcome, self.layers, self.scratch):
            assert CANARY not in text and SECRET not in text, where

    def check(self, where: str) -> None:
        """The folders are as they were, nobody has called, and every layer is there."""
        assert digest_of(self.outside) == self.before[1], where
        assert digest_of(self.bench.folder) == self.before[0], where
        assert self.layers <= set(self.bench.host.project.mapLayers()), where
        assert self.sink.connections == 0, where


@pytest.fixture
def stage(bench: Bench, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A person who says no."""
    monkeypatch.setenv("QGIS_AGENT_CANARY", CANARY)
    QgsSettings().setValue("qgis/walForSqlite3", False)
    load_providers()
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.csv").write_text(f"name,{SECRET}\n1,{SECRET}\n", encoding="utf-8")
    bench.approver.answer = "deny"
    made = Stage(bench, outside)
    yield made
    made.sink.close()


def test_the_undisturbed_call_of_each_tool_reaches_its_handler(stage: Stage) -> None:
    assert sorted(BASE) == TOOLS
    assert set(load_all()) == {name for name, spec in SPECS.items() if spec["where"] == "qgis"}
    stopped = {}
    for name in TOOLS:
        caller = "mcp" if name in ("commit_action", "get_map_state") else "chat"
        stage.bench.issue(caller=caller, level="safe_write")
        envelope = stage.call(name, stage.base(name), caller, "safe_write")["envelope"]
        reached = envelope["ok"] or envelope["code"] in ASKED or envelope["reason"] in ("no_model", "nested_subagent")
        if not reached:
            stopped[name] = envelope
        stage.tidy(name)
    assert not stopped, repr(stopped)


@pytest.mark.timeout(1500)
def test_hostile_texts_do_nothing(stage: Stage) -> None:
    tried, at = 0, 0
    values = forms(stage.bench.folder, stage.outside, stage.sink.port, MARKER)
    assert len(values) == 12
    for name in TOOLS:
        for path in slots(SPECS[name]["parameters"]):
            grave = path[-1] in GRAVE
            for label, value in values.items():
                at += 1
                for caller, level in COMBINATIONS if grave or EVERY else (COMBINATIONS[at % 4],):
                    stage.attack(name, path, label, value, caller, level)
                    tried += 1
            at += 1  # the next place meets each form under another caller and level
        stage.check(name)
    time.sleep(0.2)
    stage.check("the end")
    print(tried, "calls", dict(stage.codes))
    assert tried > (20_000 if EVERY else 5_000)
    assert stage.codes["OK"] > 100  # some forms are plain texts to some tools, and these ran


def test_what_the_sweep_looks_for_is_seen_when_it_happens(stage: Stage) -> None:
    """A person who agrees lets a call out: the sink and the folder show it."""
    stage.bench.approver.answer = "once"
    stage.call(
        "add_service_layer", {"kind": "wfs", "url": f"http://127.0.0.1:{stage.sink.port}/wfs"}, "chat", "full_access"
    )
    with pytest.raises(AssertionError, match="first"):
        stage.check("first")
    stage.sink.connections = 0
    stage.call("prepare_export_layer", {"layer_id": "points", "path": "new.gpkg"}, "chat", "full_access")
    with pytest.raises(AssertionError, match="second"):
        stage.check("second")
