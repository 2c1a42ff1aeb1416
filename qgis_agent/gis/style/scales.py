"""The scale that a person sees the map at, which says whether a range of scales hides a layer or its labels."""

from __future__ import annotations

from typing import Any

from qgis.core import QgsMapSettings
from qgis.PyQt.QtCore import QSize

_VIEW = QSize(1200, 800)
"""The picture that the command line draws: what a scale means where there is no canvas."""


def map_scale(host: Any) -> float:
    """The denominator of the map's scale; without a canvas that of the command line's picture. 0 where there is none."""
    if host.canvas is not None:
        return float(host.canvas.scale())
    extent = host.extent()
    if extent.isEmpty() or not extent.isFinite():
        return 0.0
    settings = QgsMapSettings()
    settings.setDestinationCrs(host.map_crs())
    settings.setOutputSize(_VIEW)
    settings.setExtent(extent)
    return float(settings.scale())
