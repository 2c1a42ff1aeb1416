"""The tests' side of the oracle: one process of .oracle-env for all of them, and how layers are given to it."""

from __future__ import annotations

import atexit
import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsVariantUtils, QgsVectorLayer

REPO = Path(__file__).resolve().parents[2]
PYTHON = REPO / ".oracle-env" / "bin" / "python"


class Oracle:
    """Asks ``oracle_server.py``."""

    def __init__(self) -> None:
        command = [str(PYTHON), str(Path(__file__).with_name("oracle_server.py"))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.close)

    def ask(self, question: str, **given: Any) -> Any:
        """The answer; RuntimeError with the oracle's own traceback when it has none."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"ask": question, "given": given}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        told = json.loads(line) if line else {"error": f"the oracle ended with {self._process.wait()}"}
        if "error" in told:
            raise RuntimeError(told["error"])
        return told["answer"]

    def close(self) -> None:
        """End of input ends it."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(10)


@functools.lru_cache(maxsize=1)
def _running() -> Oracle:
    return Oracle()


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    """The one oracle, started by the first test that asks. It is never left out silently: no environment, no pass."""
    if not PYTHON.exists():
        pytest.fail(".oracle-env is not there: run `make oracle-env`")
    return _running()


def given(layer: QgsVectorLayer) -> dict[str, Any]:
    """A layer as the oracle reads it: its CRS, and (WKT, attributes) of each feature."""
    names = [each.name() for each in layer.fields()]
    rows = []
    for feature in layer.getFeatures():
        values = [_value(each) for each in feature.attributes()]
        wkt = feature.geometry().asWkt(17) if feature.hasGeometry() else None
        rows.append([wkt, dict(zip(names, values))])
    return {"crs": layer.crs().authid() or layer.crs().toWkt(), "fields": names, "rows": rows}


def _value(value: Any) -> Any:
    if QgsVariantUtils.isNull(value):
        return None
    return value if isinstance(value, (int, float, str, bool)) else str(value)
