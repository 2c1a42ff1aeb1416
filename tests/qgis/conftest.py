"""A host on an empty project, and a way to call tools as the agent process does: through ``Calls``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from osgeo import gdal, ogr, osr
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsFeature, QgsGeometry, QgsProject, QgsSettings, QgsVectorLayer

from qgis_agent.gis.approvals import Capability
from qgis_agent.gis.calls import Calls, RunningCall
from qgis_agent.gis.host import Host, run_until
from qgis_agent.gis.paths import PathPolicy
from qgis_agent.gis.scratch import end_session
from qgis_agent.processing.provider import QgisAgentProvider

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def algorithms(qgis_app: QgsApplication) -> None:
    """QGIS's own algorithms and ours, as they are in a QGIS that has started; a test may have taken one away."""
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


class Answering:
    """An approver that answers at once, or never when ``answer`` is None, and keeps the cards."""

    def __init__(self, answer: str | None = "headless") -> None:
        self.answer = answer
        self.cards: list[dict[str, Any]] = []
        self.withdrawn = 0

    def ask(self, card: dict[str, Any], answer: Callable[[str], None]) -> Callable[[], None]:
        """See Approver."""
        self.cards.append(card)
        if self.answer is not None:
            answer(self.answer)

        def withdraw() -> None:
            self.withdrawn += 1

        return withdraw


class Bench:
    """Host, calls and an approver, and ``call`` that waits for the outcome."""

    def __init__(self, project: QgsProject, folder: Path) -> None:
        self.folder = folder
        self.approver = Answering()
        self.host = Host(project, paths=PathPolicy(project, write_roots=[str(folder)]))
        self.calls = Calls(self.host, self.approver)
        self._number = 0
        self.capability = self.issue()

    def issue(self, caller: str = "cli", level: str = "safe_write", write: bool = True, **more: Any) -> Capability:
        """A capability; the bench's own calls use the last one. Its person's words ask for what a test asks for."""
        more.setdefault("requested", frozenset(["write", "note"]))
        self.capability = self.host.ledger.issue(
            caller=caller,
            level=level,
            session_id="session",
            run_id="run",
            project_id=self.host.project_id(),
            enabled_packs=frozenset(["write"] if write else []),
            **more,
        )
        return self.capability

    def begin(self, name: str, arguments: Any, outcomes: list[dict[str, Any]], **more: Any) -> RunningCall | None:
        """Start a call without waiting."""
        self._number += 1
        params = {
            "call_id": f"c{self._number}",
            "run_id": "run",
            "capability": self.capability.token,
            "name": name,
            "arguments": arguments,
        }
        return self.calls.start({**params, **more}, outcomes.append)

    def outcome(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The ToolOutcome of a call."""
        outcomes: list[dict[str, Any]] = []
        self.begin(name, arguments, outcomes)
        assert run_until(lambda: bool(outcomes), 60), f"{name} gave no answer"
        return outcomes[0]

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The envelope of a call."""
        return self.outcome(name, **arguments)["envelope"]

    def ok(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The data of a call that must succeed."""
        envelope = self.call(name, **arguments)
        assert envelope["ok"], envelope
        return envelope["data"]

    def code(self, name: str, /, **arguments: Any) -> str:
        """The code of a call that must fail, with a hint."""
        envelope = self.call(name, **arguments)
        assert not envelope["ok"], envelope
        assert envelope["hint"], envelope
        return envelope["code"]

    def add(self, layer: QgsVectorLayer) -> QgsVectorLayer:
        """Add a layer to the project."""
        assert layer.isValid()
        self.host.project.addMapLayer(layer)
        return layer


@pytest.fixture(autouse=True, scope="session")
def no_background_drawing(qgis_iface: Any) -> None:
    """The test canvas of pytest-qgis draws every layer of every test in the background, while the next test takes the
    project away; with 3.40.6 that crashed in QgsMapCanvas.rendererJobFinished now and then. Nothing here needs it: the
    real canvas is looked at in tests/desktop."""
    qgis_iface.mapCanvas().setRenderFlag(False)


@pytest.fixture(autouse=True, scope="session")
def exceptions_of_gdal() -> None:
    """QGIS's plugin Processing, which the desktop always loads, turns them on for the whole process."""
    for module in (gdal, ogr, osr):
        module.UseExceptions()


@pytest.fixture(autouse=True)
def nothing_beside_the_sample() -> Iterator[None]:
    """Sources are never written to: a test that opens the sample itself, not a copy, would leave QGIS's statistics of it."""
    folder = REPO / "resources" / "sample"
    before = {each.name for each in folder.iterdir()}
    yield
    left = {each.name for each in folder.iterdir()} - before
    assert not left, f"{sorted(left)} appeared beside the sample"


@pytest.fixture
def bench(qgis_new_project: Any, tmp_path: Path) -> Iterator[Bench]:
    """An empty project; the write folder is a temporary one."""
    QgsSettings().setValue("qgis/walForSqlite3", False)
    project = QgsProject.instance()
    project.clear()
    made = Bench(project, tmp_path)
    yield made
    made.calls.cancel_all()
    # QGIS's own tasks (counts of legends) read the layers: they end before the project takes these away.
    QgsApplication.taskManager().cancelAll()
    run_until(lambda: not QgsApplication.taskManager().activeTasks(), 10)
    project.clear()
    end_session()  # files that an algorithm wrote stay as long as QGIS runs; each test begins without


def memory_layer(definition: str, rows: list[tuple[str | None, list[Any]]], name: str = "layer") -> QgsVectorLayer:
    """A memory layer: ``definition`` as in QGIS ("Point?crs=EPSG:4326&field=a:int"), rows of (WKT, attributes)."""
    layer = QgsVectorLayer(definition, name, "memory")
    features = []
    for wkt, attributes in rows:
        feature = QgsFeature(layer.fields())
        feature.setAttributes(attributes)
        if wkt is not None:
            feature.setGeometry(QgsGeometry.fromWkt(wkt))
        features.append(feature)
    added, _ = layer.dataProvider().addFeatures(features)
    assert added
    layer.updateExtents()
    return layer
