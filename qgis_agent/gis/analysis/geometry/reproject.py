"""The plan of a reprojection, and what PROJ says of the transformation."""

from __future__ import annotations

from typing import Any, Dict, List

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsRectangle,
)

from ...i18n import translate
from ...layers import clean_text
from ..ground.units import in_degrees
from ..inputs.pair import near_each_other
from ..inputs.preflight import Survey
from ..run.plan import Plan
from ..run.steps import Builder


def reproject_plan(expression: str, crs: QgsCoordinateReferenceSystem) -> Plan:
    """Matching features in another CRS. Features without a geometry stay, without one; types of geometry stay."""
    builder = Builder("layer")
    if expression:
        builder.add("native:extractbyexpression", {"EXPRESSION": expression})
    builder.reproject(crs)
    return builder.steps


def transformation(
    source: QgsCoordinateReferenceSystem, target: QgsCoordinateReferenceSystem, context: QgsCoordinateTransformContext
) -> Dict[str, Any]:
    """Name of the operation that PROJ takes, its accuracy in metres (None where it is not known), and whether it is a rough
    one for want of a grid or of a known datum shift ("ballpark")."""
    details = QgsCoordinateTransform(source, target, context).instantiatedCoordinateOperationDetails()
    grids = [clean_text(each.shortName, 60) for each in details.grids if not each.isAvailable]
    rough = "ballpark" in details.name.lower() or "ballpark" in details.proj.lower()
    ballpark = rough and not near_each_other(source, target)
    accuracy = details.accuracy if details.accuracy >= 0 else None
    return {
        "operation": clean_text(details.name, 120),
        "accuracy_m": accuracy,
        "ballpark": ballpark,
        "missing_grids": grids[:3],
    }


def doubts(survey: Survey, source: QgsCoordinateReferenceSystem, target: QgsCoordinateReferenceSystem, found: Dict[str, Any],
           context: QgsCoordinateTransformContext) -> List[str]:  # fmt: skip
    """What is to be said of a reprojection: a rough transformation, and features outside of where the CRS is meant for."""
    said: List[str] = []
    if found["ballpark"]:
        said.append(
            translate("QgisAgent", "No exact transformation between the datums is known: off by up to some 100 m.")
        )
    elif found["accuracy_m"] is not None and found["accuracy_m"] > 5.0:
        said.append(translate("QgisAgent", "The transformation is exact to {:g} m.").format(found["accuracy_m"]))
    if found["missing_grids"]:
        said.append(
            translate("QgisAgent", "A finer one needs grids that are not installed: {}.").format(
                ", ".join(found["missing_grids"])
            )
        )
    meant = target.bounds()
    box = in_degrees(survey.box, source, context) if not survey.box.isNull() else None
    if box is not None and not meant.isEmpty() and not _within(box, meant):
        said.append(
            translate(
                "QgisAgent", "Features lie outside of the area that {} is meant for ({:g} {:g} to {:g} {:g})."
            ).format(target.authid(), meant.xMinimum(), meant.yMinimum(), meant.xMaximum(), meant.yMaximum())
        )
    return said


def _within(box: QgsRectangle, meant: QgsRectangle) -> bool:
    """Whether a box (west over east where it crosses 180°) lies in an area of use, but for a little."""
    if not meant.yMinimum() - 0.1 <= box.yMinimum() <= box.yMaximum() <= meant.yMaximum() + 0.1:
        return False
    if meant.xMaximum() < meant.xMinimum() or meant.width() > 359.0 or box.xMaximum() < box.xMinimum():
        return True  # across 180°, or all around: not looked at closer
    return bool(meant.xMinimum() - 0.1 <= box.xMinimum() and box.xMaximum() <= meant.xMaximum() + 0.1)
