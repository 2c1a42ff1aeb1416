"""The development environment itself: PyQGIS, GDAL and numpy have to fit together in it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from osgeo import gdal, gdal_array
from qgis.core import QgsApplication

from qgis_agent import environment

REPO = Path(__file__).resolve().parents[2]


def test_gdal_and_numpy_fit_together() -> None:
    """A numpy of .venv's own in front of the system's breaks gdal_array at import, or with other numbers than were put in."""
    source = np.arange(12, dtype="float32").reshape(3, 4)
    dataset = gdal_array.OpenArray(source)
    assert dataset.GetRasterBand(1).ReadAsArray().tolist() == source.tolist()
    assert gdal.GetDataTypeName(dataset.GetRasterBand(1).DataType) == "Float32"
    assert not np.__file__.startswith(sys.prefix + "/")


def test_the_profile_of_this_qgis_holds_the_environment(
    qgis_app: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QGIS_AGENT_ENV", raising=False)
    monkeypatch.setattr(environment, "PLUGIN_ROOT", tmp_path)
    profile = Path(QgsApplication.qgisSettingsDirPath())
    assert environment.locate().parents[2] == profile


def test_checking_works_beside_a_running_application(qgis_app: Any) -> None:
    folder = REPO / ".agent-env"
    report = environment.check(folder)
    assert report.ok, report.message
    assert QgsApplication.instance() is not None
