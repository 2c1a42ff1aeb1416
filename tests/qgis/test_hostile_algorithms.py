"""Must show 7: no text in a call of run_algorithm reaches a file, the network, the environment or code without a click."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from hostile_calls import Sink, add_layers, base_call, digest_of, hostile, in_place_of, texts_of
from qgis.core import QgsApplication, QgsProcessingAlgorithm, QgsSettings
from qgis.PyQt.QtCore import QCoreApplication, QEvent

from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.scratch import session_folder

TEXTS = ("string", "expression", "file", "execute_sql", "raster_calc_expression", "authcfg", "providerconnection",
         "databaseschema", "databasetable", "coordinateoperation", "fields_mapping", "aggregates")  # fmt: skip
"""Kinds of parameters that get every hostile value."""
SOURCES = ("source", "vector", "raster", "layer", "multilayer", "mesh", "pointcloud", "vectortile", "annotation", "crs", "extent",
           "point", "geometry", "field", "enum", "layout", "maptheme", "color", "matrix", "relief_colors", "dxflayers",
           "vectortilewriterlayers", "alignrasterlayers", "idw_interpolation_data", "tininputlayers")  # fmt: skip
"""Kinds that get those that could be opened."""
OPENED = ("path", "up", "url", "vsicurl", "vrt", "driver", "uri", "existing", "property", "env")
CANARY = "canary-of-the-environment-7f3a"
SECRET = "canary-of-the-file-91c4"
MARKER = "hostile-5b2e"


class Attack:
    """The project, the sink and the folders, and what came of the calls."""

    def __init__(self, bench: Bench, outside: Path) -> None:
        self.bench, self.outside = bench, outside
        self.sink = Sink()
        add_layers(bench)
        self.layers = set(bench.host.project.mapLayers())
        self.before = (digest_of(bench.folder), digest_of(outside))
        self.scratch = Path(session_folder())
        self.codes: Counter[str] = Counter()
        self.ran: Counter[str] = Counter()

    def call(self, algorithm: QgsProcessingAlgorithm, name: str, label: str, value: Any, **more: Any) -> None:
        """One call with one hostile value; nothing of what must not come out has come out."""
        parameters = {**base_call(algorithm), **more, name: value}
        outcome = self.bench.outcome("run_algorithm", algorithm=algorithm.id(), parameters=parameters, as_is=True)
        envelope = outcome["envelope"]
        self.codes[envelope["code"] if not envelope["ok"] else "OK"] += 1
        if not envelope["ok"] and envelope["code"] in ("INVALID_PARAM", "FORBIDDEN", "NOT_FOUND", "PERMISSION_DENIED"):
            return
        self.ran[algorithm.id()] += 1
        where = f"{algorithm.id()} {name} {label}"
        for text in texts_of(self.bench, outcome, self.layers, self.scratch):
            assert CANARY not in text and SECRET not in text, where
        assert digest_of(self.outside) == self.before[1], where
        self._tidy()

    def _tidy(self) -> None:
        project = self.bench.host.project
        project.removeMapLayers([each for each in project.mapLayers() if each not in self.layers])
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def check(self) -> None:
        """The folders are as they were, and nobody has called."""
        assert digest_of(self.outside) == self.before[1]
        assert digest_of(self.bench.folder) == self.before[0]
        time.sleep(0.2)  # a connection that has just been made is counted by its thread
        assert self.sink.connections == 0
        strays = [
            each for folder in (Path.cwd(), Path.cwd().parent, Path.home()) for each in folder.glob(f"*{MARKER}*")
        ]
        assert strays == []
        assert self.bench.approver.cards == [] or {each["each_time"] for each in self.bench.approver.cards} == {True}


@pytest.fixture
def attack(bench: Bench, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A person who never agrees, at the highest level, with writing switched on."""
    monkeypatch.setenv("QGIS_AGENT_CANARY", CANARY)
    QgsSettings().setValue("qgis/walForSqlite3", False)
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text(f"name,{SECRET}\n1,{SECRET}\n", encoding="utf-8")
    load_providers()
    bench.issue(caller="chat", level="full_access")
    bench.approver.answer = "deny"
    made = Attack(bench, outside)
    yield made
    made.sink.close()


def shipped() -> list[QgsProcessingAlgorithm]:
    """Every algorithm that there is, by id."""
    return sorted(QgsApplication.processingRegistry().algorithms(), key=lambda each: each.id())


def test_hostile_texts_do_nothing(attack: Attack) -> None:
    tried = 0
    for algorithm in shipped():
        for each in algorithm.parameterDefinitions():
            if each.type() not in TEXTS:
                continue
            values = hostile(each.type(), attack.outside, attack.bench.folder, attack.sink.port, MARKER)
            for label, value in values.items():
                attack.call(algorithm, each.name(), label, in_place_of(each.type(), value))
                tried += 1
    attack.check()
    print(tried, "calls", dict(attack.codes), "ran:", sum(attack.ran.values()), "of", len(attack.ran), "algorithms")
    assert tried > 5000
    # Not all is refused for the wrong reason: some values are plain texts to some algorithms, and these ran.
    assert attack.codes["OK"] > 100


def test_hostile_sources_do_nothing(attack: Attack) -> None:
    tried = 0
    for algorithm in shipped():
        for each in algorithm.parameterDefinitions():
            if each.type() in SOURCES:
                values = hostile(each.type(), attack.outside, attack.bench.folder, attack.sink.port, MARKER)
                for label in OPENED:
                    attack.call(algorithm, each.name(), label, in_place_of(each.type(), values[label]))
                    tried += 1
            elif each.isDestination():
                attack.call(algorithm, each.name(), "target", str(attack.outside / f"{MARKER}.gpkg"))
                tried += 1
    attack.check()
    print(tried, "calls", dict(attack.codes))
    assert tried > 5000
    assert attack.codes["OK"] == 0, attack.ran


def test_the_sink_and_the_canaries_would_be_seen(attack: Attack) -> None:
    """The other tests can fail: what they look for is found when it happens."""
    import socket

    socket.create_connection(("127.0.0.1", attack.sink.port)).close()
    deadline = time.monotonic() + 5
    while not attack.sink.connections and time.monotonic() < deadline:
        time.sleep(0.01)
    assert attack.sink.connections == 1
    assert os.environ["QGIS_AGENT_CANARY"] == CANARY
    bench = attack.bench
    bench.host.waived_algorithms = {"expression": frozenset(["native:fieldcalculator"])}
    algorithm = QgsApplication.processingRegistry().algorithmById("native:fieldcalculator")
    with pytest.raises(AssertionError, match="native:fieldcalculator"):
        attack.call(algorithm, "FORMULA", "env", "env('QGIS_AGENT_CANARY')", FIELD_TYPE=2)
