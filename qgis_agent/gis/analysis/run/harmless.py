"""Errors with which an algorithm goes on and ends well: which of them mean that its result is not whole."""

from __future__ import annotations

from typing import Sequence

from ...errors import (
    UPSTREAM_ERROR,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from .messages import text_of_qgis

_TELLS_UNMATCHED = ("native:joinattributestable", "native:joinattributesbylocation", "native:joinbynearest")
"""They call it an error when a feature found no partner; their numbers say so, too."""
_SLOW = tuple(
    "No spatial index exists for {}, performance will be severely degraded".format(each)
    for each in ("join layer", "input layer", "overlay layer", "points layer", "intersect layer", "lines layer")
)


def is_harmless(algorithm: str, text: str) -> bool:
    """Whether an error is no more than a remark: nothing is missing from the result."""
    if algorithm in _TELLS_UNMATCHED:
        return True
    return any(text == clean_text(text_of_qgis("QObject", each), 300) for each in _SLOW)


def not_whole(algorithm: str, errors: Sequence[str]) -> ToolError:
    """The algorithm ended, but told of features that it could not do: nothing is added without a yes."""
    if algorithm.startswith("gdal:") and any("ExecuteSQL" in each for each in errors):
        hint = translate("QgisAgent", "GEOMETRY must name the file's geometry column: geom in most GeoPackages.")
    else:
        hint = translate(
            "QgisAgent",
            "Repair the input (fix_geometries) or leave these features out (where); as_is takes it all the same.",
        )
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "{} ended, but its result is not whole: {}").format(
            algorithm, clean_text(" ".join(errors[:3]), 600)
        ),
        hint=hint,
        reason="not_whole",
    )
