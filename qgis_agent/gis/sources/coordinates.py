"""Whether coordinates can be what their CRS says: told when a layer is added or its CRS is set, never put right silently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsDistanceArea,
    QgsPointXY,
    QgsProject,
    QgsRectangle,
)

from ..errors import INVALID_PARAM, ToolError, nearest
from ..host import WGS84
from ..i18n import translate

MARGIN_DEGREES = 5.0
"""How far data may lie outside the area that its CRS is made for before that is said."""
NAMED_IDS = 5
"""Misplaced features that are named."""
_DEGREES = QgsRectangle(-360, -90, 360, 90)
_ZONES = (
    (4491, 4501, 11, 13),
    (4513, 4533, 21, 25),
    (2327, 2337, 11, 13),
    (2349, 2369, 21, 25),
    (21413, 21423, 40, 13),
    (2401, 2421, 21, 25),
)
"""Gauss-Kruger zones of China whose eastings begin with the zone's number: first and last EPSG code, what to add for the
code of the same meridian without the number, and the first zone. CGCS2000, Xian 1980, Beijing 1954; 6 and 3 degrees wide."""


def known_crs(text: str) -> QgsCoordinateReferenceSystem:
    """A CRS by its authority id. INVALID_PARAM with near ones where QGIS does not know it."""
    crs = QgsCoordinateReferenceSystem(text)
    if crs.isValid():
        return crs
    usual = ["EPSG:4326", "EPSG:3857", "EPSG:4490", "EPSG:4547", "EPSG:4548", "EPSG:32650"]
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "QGIS knows no CRS '{}'.").format(text),
        hint=translate("QgisAgent", "For example {}.").format(", ".join(nearest(text, usual, 3) or usual[:3])),
        reason="crs",
    )


def crs_name(crs: QgsCoordinateReferenceSystem) -> str:
    """Id and name of a CRS for people."""
    if not crs.isValid():
        return translate("QgisAgent", "none")
    return " ".join(filter(None, (crs.authid(), crs.description())))


def position(
    box: QgsRectangle, crs: QgsCoordinateReferenceSystem, project: QgsProject
) -> Optional[Tuple[float, float]]:
    """(longitude, latitude) in degrees of the middle of ``box`` in ``crs``; None when it has no place on earth."""
    try:
        middle = _transform(crs, project).transform(box.center())
    except QgsCsException:
        return None
    return (middle.x(), middle.y()) if abs(middle.x()) <= 360 and abs(middle.y()) <= 90 else None


def jump_km(one: Tuple[float, float], other: Tuple[float, float], project: QgsProject) -> float:
    """Distance in km on the ellipsoid of WGS 84 between two (longitude, latitude)."""
    measure = QgsDistanceArea()
    measure.setSourceCrs(QgsCoordinateReferenceSystem(WGS84), project.transformContext())
    measure.setEllipsoid("EPSG:7030")
    return measure.measureLine(QgsPointXY(*one), QgsPointXY(*other)) / 1000


@dataclass
class Misplaced:
    """Features of a layer in degrees that lie where there are none: told apart from a CRS that is wrong for all."""

    count: int = 0
    fitting: int = 0
    example: Tuple[float, float] = (0.0, 0.0)
    box: Optional[QgsRectangle] = None
    """Around the features that fit."""
    ids: List[int] = field(default_factory=list)
    """The first of those that do not, where ids are told."""

    def add(self, box: QgsRectangle, feature_id: Optional[int] = None) -> None:
        """The box of one feature."""
        if _within(box, 360, 90):
            self.fitting += 1
            if self.box is None:
                self.box = QgsRectangle()
            self.box.combineExtentWith(box)
            return
        self.count += 1
        if self.count == 1:
            self.example = _farthest(box)
        if feature_id is not None and len(self.ids) < NAMED_IDS:
            self.ids.append(feature_id)


def needs_a_look(box: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> bool:
    """Whether coordinates are beyond what degrees can be, so that it must be seen how many are."""
    return crs.isValid() and crs.isGeographic() and not box.isNull() and not _within(box, 360, 90)


def fitting_box(
    box: QgsRectangle, crs: QgsCoordinateReferenceSystem, misplaced: Optional[Misplaced]
) -> Optional[QgsRectangle]:
    """The extent without features that lie where there are no degrees; None where all of them do."""
    if not needs_a_look(box, crs):
        return box
    return misplaced.box if misplaced is not None else None


def crs_doubts(
    box: QgsRectangle,
    crs: QgsCoordinateReferenceSystem,
    project: QgsProject,
    misplaced: Optional[Misplaced] = None,
) -> List[Dict[str, Any]]:
    """What does not fit, as [{problem, text, suggest?}]: no_crs, swapped_axes, out_of_range, some_out_of_range, zone_prefix,
    outside_area.

    ``box`` is the layer's extent in its own coordinates; ``misplaced`` is known where its features were looked at.
    """
    if box.isNull() or not box.isFinite():
        return []
    if not crs.isValid():
        return [_no_crs(box)]
    if crs.isGeographic() and misplaced is not None and misplaced.fitting:
        return [_some_misplaced(misplaced)] if misplaced.count else []
    found = _geographic(box, misplaced is not None) if crs.isGeographic() else _zone(box, crs)
    return found or _outside(box, crs, project)


def _doubt(problem: str, text: str, suggest: str = "") -> Dict[str, Any]:
    doubt: Dict[str, Any] = {"problem": problem, "text": text}
    return dict(doubt, suggest=suggest) if suggest else doubt


def _no_crs(box: QgsRectangle) -> Dict[str, Any]:
    text = translate(
        "QgisAgent", "It has no CRS, and none is guessed: a person must say which one it is (set_layer_crs)."
    )
    return _doubt("no_crs", text + " " + _what_numbers(box))


def _what_numbers(box: QgsRectangle) -> str:
    if _within(box, 180, 90):
        return translate("QgisAgent", "The numbers could be degrees.")
    if _within(box, 90, 180):
        return translate("QgisAgent", "The numbers could be degrees with longitude and latitude swapped.")
    if box.intersects(_DEGREES):
        return translate("QgisAgent", "Not all of the numbers can be degrees ({:g}, {:g}).").format(*_farthest(box))
    return translate("QgisAgent", "The numbers are no degrees.")


def _within(box: QgsRectangle, x: float, y: float) -> bool:
    return max(abs(box.xMinimum()), abs(box.xMaximum())) <= x and max(abs(box.yMinimum()), abs(box.yMaximum())) <= y


def _farthest(box: QgsRectangle) -> Tuple[float, float]:
    """The corner of a box with the greatest numbers."""
    return (
        max(box.xMinimum(), box.xMaximum(), key=abs),
        max(box.yMinimum(), box.yMaximum(), key=abs),
    )


def _some_misplaced(found: Misplaced) -> Dict[str, Any]:
    x, y = found.example
    text = translate(
        "QgisAgent",
        "{} of {} features have coordinates that are no degrees, for example ({:g}, {:g}); the others fit the CRS. Ask for these "
        "to be put right in the source; do not set another CRS.",
    ).format(found.count, found.count + found.fitting, x, y)
    if abs(x) <= 90 and abs(y) <= 180:
        text += " " + translate("QgisAgent", "Their longitude and latitude look swapped.")
    return _doubt("some_out_of_range", text)


def _geographic(box: QgsRectangle, all_misplaced: bool) -> List[Dict[str, Any]]:
    """Of a box with numbers that are no degrees; ``all_misplaced`` where no feature has others."""
    if _within(box, 360, 90):
        return []
    x, y = _farthest(box)
    if not all_misplaced and box.intersects(_DEGREES):
        text = translate(
            "QgisAgent",
            "The coordinates reach to ({:g}, {:g}), which are no degrees, while others can be: some features are wrong "
            "(longitude and latitude may be swapped there), or the CRS is. Find out which before using another CRS.",
        )
        return [_doubt("some_out_of_range", text.format(x, y))]
    if _within(box, 90, 360):
        text = translate(
            "QgisAgent",
            "Latitudes beyond 90°: longitude and latitude are swapped in this data ({:g}, {:g}). "
            "Do not work with it before its source is put right.",
        )
        return [_doubt("swapped_axes", text.format(x, y))]
    text = translate(
        "QgisAgent",
        "The coordinates ({:.1f}, {:.1f}) are no degrees, so the CRS is wrong: they are most likely metres of a "
        "projected CRS that the file does not name.",
    )
    return [_doubt("out_of_range", text.format(x, y))]


def _zone(box: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> List[Dict[str, Any]]:
    """Eastings with a zone's number under a CRS without it, or the other way round."""
    number = _epsg(crs)
    for first, last, plus, zone in _ZONES:
        if first <= number <= last and box.xMinimum() > 0 and box.xMaximum() < 1_000_000:
            other = "EPSG:{}".format(number + plus)
            text = translate(
                "QgisAgent",
                "Eastings in {} begin with the zone's number ({}), those of this data do not: it is most likely in {}.",
            ).format(crs.authid(), number - first + zone, other)
            return [_doubt("zone_prefix", text, other)]
        if first + plus <= number <= last + plus:
            prefix = number - plus - first + zone
            if prefix * 1_000_000 < box.xMinimum() and box.xMaximum() < (prefix + 1) * 1_000_000:
                other = "EPSG:{}".format(number - plus)
                text = translate(
                    "QgisAgent",
                    "Eastings of this data begin with a zone's number ({}), which {} does not have: it is most likely in {}.",
                ).format(prefix, crs.authid(), other)
                return [_doubt("zone_prefix", text, other)]
    return []


def _epsg(crs: QgsCoordinateReferenceSystem) -> int:
    authority, _, number = crs.authid().partition(":")
    return int(number) if authority == "EPSG" and number.isdigit() else 0


def _outside(box: QgsRectangle, crs: QgsCoordinateReferenceSystem, project: QgsProject) -> List[Dict[str, Any]]:
    """Far from the area that the CRS is made for, or nowhere on earth."""
    place = position(box, crs, project)
    if place is None:
        text = translate("QgisAgent", "Coordinates like ({:.1f}, {:.1f}) have no place on earth in {}.")
        return [_doubt("out_of_range", text.format(box.center().x(), box.center().y(), crs_name(crs)))]
    area = QgsRectangle(crs.bounds())
    if area.isEmpty():
        return []
    area.grow(MARGIN_DEGREES)
    if any(area.contains(QgsPointXY(place[0] + turn, place[1])) for turn in (0.0, 360.0, -360.0)):
        return []
    text = translate(
        "QgisAgent", "The data lies at {:.4f}, {:.4f} (lon, lat), far outside the area that {} is made for."
    )
    swapped = area.contains(QgsPointXY(place[1], place[0])) and crs.isGeographic()
    return [
        _doubt(
            "swapped_axes" if swapped else "outside_area",
            text.format(place[0], place[1], crs_name(crs))
            + (" " + translate("QgisAgent", "Swapped (lat, lon) it would fit.") if swapped else ""),
        )
    ]


def _transform(crs: QgsCoordinateReferenceSystem, project: QgsProject) -> QgsCoordinateTransform:
    transform = QgsCoordinateTransform(crs, QgsCoordinateReferenceSystem(WGS84), project.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    return transform
