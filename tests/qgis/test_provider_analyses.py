"""The analysis algorithms of our provider as children of one model, and with Cancel during each."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPO, Bench
from qgis.core import (
    QgsApplication,
    QgsProcessingContext,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildParameterSource,
    QgsProject,
)

from qgis_agent.gis.analysis.run.providers import load_providers

sys.path.insert(0, str(REPO / "tests" / "support"))
from provider_analyses import ANALYSES  # the support folder is no package
from provider_runs import Feedback, algorithm


class Impatient(Feedback):
    """A person who cancels when an algorithm has asked so many times whether anybody has."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after
        self.asked = 0

    def isCanceled(self) -> bool:  # noqa: N802
        """Counts down."""
        self.asked += 1
        if self.asked > self._after:
            self.cancel()
        return self.asked > self._after


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("analyses")
    shutil.copytree(REPO / "resources" / "sample", made / "city")
    return made


@pytest.fixture
def city(bench: Bench, folder: Path) -> Iterator[QgsProject]:
    load_providers()
    assert bench.host.project.read(str(folder / "city" / "city.qgz"))
    yield bench.host.project


def target(folder: Path, name: str) -> str:
    return str(folder / f"{name}.tif") if ANALYSES[name][1] == "tif" else "memory:"


def test_the_table_has_all_of_them(city: QgsProject) -> None:
    provider = QgsApplication.processingRegistry().providerById("qgisagent")
    assert {each.name() for each in provider.algorithms() if each.groupId() != "agent"} == set(ANALYSES)


def test_all_of_them_in_one_model(city: QgsProject, tmp_path: Path) -> None:
    model = QgsProcessingModelAlgorithm("all", "tests")
    for name, (parameters, _) in ANALYSES.items():
        child = QgsProcessingModelChildAlgorithm(f"qgisagent:{name}")
        child.setChildId(name)
        for key, value in {**parameters, "OUTPUT": target(tmp_path, name)}.items():
            child.addParameterSources(key, [QgsProcessingModelChildParameterSource.fromStaticValue(value)])
        model.addChildAlgorithm(child)
    context = QgsProcessingContext()
    context.setProject(city)
    told = Feedback()
    outputs, well = model.run({}, context, told, {}, True)
    assert well, told.warned
    assert set(outputs["CHILD_RESULTS"]) == set(ANALYSES)


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("after", [0, 1])
def test_cancel(city: QgsProject, tmp_path: Path, name: str, after: int) -> None:
    """At once, and in the middle: it ends, there is no error, and no result that looks whole."""
    told = Impatient(after)
    if not after:
        told.cancel()
    context = QgsProcessingContext()
    context.setProject(city)
    began = time.monotonic()
    outputs, well = algorithm(name).run(
        {**ANALYSES[name][0], "OUTPUT": target(tmp_path, name)}, context, told, {}, True
    )
    assert time.monotonic() - began < 3 and well and not any("rror" in each for each in told.warned), told.warned
    if name == "geodesicbuffer":  # its loop is QGIS's own, which asks the feedback itself
        assert bool(context.getMapLayer(outputs["OUTPUT"]).featureCount()) is bool(after)
    elif name == "deviationalellipse" and after:
        assert told.asked == 1  # 31 points are one step
    else:
        assert told.asked > after and outputs == {}
