"""What holds for all suites: only the suite qgis has a QGIS in the test process, and only tests/unit runs in two."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
QGIS_TESTS = HERE / "qgis"
UNIT_TESTS = HERE / "unit"
PROCESSES = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--part 2/4``: the second of four parts of a suite, file by file, so that parts can run side by side."""
    parser.addoption("--part", default="1/1", help="run one part of the test files, as 2/4")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of the other parts. Every n-th file by name: neighbours are alike, so the parts are too."""
    part, parts = (int(each) for each in config.getoption("--part").split("/"))
    if parts == 1 or not collection_path.name.startswith("test_"):
        return None
    files = sorted(collection_path.parent.glob("test_*.py"))
    return True if collection_path in files and files.index(collection_path) % parts != part - 1 else None


def _asked_for(config: pytest.Config) -> list[Path]:
    """The files and folders of the command line."""
    return [(config.invocation_params.dir / each.split("::")[0]).resolve() for each in config.args]


def pytest_configure(config: pytest.Config) -> None:
    """Say how the tests that need a QGIS are started, in place of a hundred fixtures that are not found."""
    if config.pluginmanager.has_plugin("pytest_qgis") or hasattr(config, "workerinput"):
        return
    for path in _asked_for(config):
        if path == QGIS_TESTS or path in QGIS_TESTS.parents or QGIS_TESTS in path.parents:
            raise pytest.UsageError(
                "tests/qgis need a QGIS: make qgis-test, or "
                "QT_QPA_PLATFORM=offscreen .venv/bin/pytest -p pytest_qgis -p pytest-qt -n 0 --dist no tests/qgis"
            )


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two for the whole of tests/unit, where there are two cores. A file, or a suite that starts QGIS, stays in one."""
    whole = _asked_for(config) == [UNIT_TESTS]
    return PROCESSES if whole and (os.cpu_count() or 1) >= PROCESSES else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test's name must be the same in both processes, or neither runs it: refuse names with an address in them."""
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(
                f"{item.nodeid}: give its parameters ids that do not change from process to process"
            )
