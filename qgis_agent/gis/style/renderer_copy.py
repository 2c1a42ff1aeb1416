"""Copies of renderers that hold all that the renderer holds."""

from __future__ import annotations

import math
from typing import Any

from qgis.core import QgsSingleBandPseudoColorRenderer


def renderer_copy(renderer: Any) -> Any:
    """A copy of a layer's renderer.

    QGIS (3.40) leaves the limits of a pseudocolour renderer out of its copies, so that the panel of the person's QGIS would
    show none and the style be written with "nan". Setting them also moves the ends of the ramp, which are put back.
    """
    copy = renderer.clone()
    if not isinstance(renderer, QgsSingleBandPseudoColorRenderer):
        return copy
    low, high = renderer.classificationMin(), renderer.classificationMax()
    function = copy.shader().rasterShaderFunction() if copy.shader() is not None else None
    ends = (function.minimumValue(), function.maximumValue()) if function is not None else None
    if math.isfinite(low):
        copy.setClassificationMin(low)
    if math.isfinite(high):
        copy.setClassificationMax(high)
    if function is not None and ends is not None:
        function.setMinimumValue(ends[0])
        function.setMaximumValue(ends[1])
    return copy
