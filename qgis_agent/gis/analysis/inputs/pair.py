"""Two layers that are to be worked with together: CRS, datum, and whether they lie in the same place at all."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsDatumTransform,
    QgsMapLayer,
    QgsProject,
    QgsRectangle,
)

from ...errors import (
    UNSUPPORTED,
    ToolError,
)
from ...extents import bbox_degrees
from ...i18n import translate
from ...layers import clean_text
from ...sources.coordinates import (
    crs_name,
    jump_km,
)
from .survey import project_of

_NORMALIZED = " (with axis order normalized for visualization)"
_NEAR_WGS84 = frozenset(
    [
        *("wgs 84", "wgs 1984", "china geodetic coordinate system 2000", "etrs89", "etrs 1989", "rgf93 v1", "rgf93 v2"),
        *("rgf93 v2b", "rgf 1993", "nad83", "north american 1983", "nad83(csrs)", "gda94", "gda 1994", "gda2020"),
        *("nzgd2000", "nzgd 2000", "jgd2000", "jgd2011", "korea 2000", "twd97", "sirgas 2000"),
    ]
)
"""Names of datums by satellite, of EPSG and of Esri: they agree within about 2 m (their plates have drifted since, and NAD83
was laid 1.5 m beside), so that PROJ's "ballpark" between them is no matter of 100 m."""


class Datum(NamedTuple):
    """How good the way from one CRS to another is.

    ``accuracy_m`` is None where nobody knows it; ``ballpark``: the datums are taken for equal though they may be 100 m and more
    apart; ``missing`` names grids of a better way that are not installed, ``better_m`` is that way's accuracy.
    """

    operation: str
    accuracy_m: Optional[float]
    ballpark: bool
    missing: Tuple[str, ...] = ()
    better_m: Optional[float] = None


def matched(first: QgsMapLayer, second: QgsMapLayer) -> Optional[QgsCoordinateReferenceSystem]:
    """The CRS that ``second`` is to be reprojected to, ``first``'s; None when both have the same.

    UNSUPPORTED when one has no CRS, or when there is no transformation between them (another planet, an engineering CRS).
    """
    for layer in (first, second):
        if not layer.crs().isValid():
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The layer '{}' has no CRS, so it cannot be laid over another one.").format(
                    clean_text(layer.name(), 60)
                ),
                hint=translate("QgisAgent", "Ask the person which CRS the data is in; then set_layer_crs."),
                reason="no_crs",
            )
    require_transform(second.crs(), first.crs(), project_of(first).transformContext())
    return None if same_crs(first.crs(), second.crs()) else first.crs()


def same_crs(one: QgsCoordinateReferenceSystem, other: QgsCoordinateReferenceSystem) -> bool:
    """Whether coordinates mean the same in both: also where a file's own definition has no authority's id."""
    if one == other:
        return True
    return bool(not (one.authid() and other.authid()) and one.toProj() == other.toProj() and one.toProj())


def require_transform(
    source: QgsCoordinateReferenceSystem, target: QgsCoordinateReferenceSystem, context: QgsCoordinateTransformContext
) -> None:
    """UNSUPPORTED where PROJ knows no way from one CRS to the other."""
    if same_crs(source, target) or QgsCoordinateTransform(source, target, context).isValid():
        return
    raise ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "There is no transformation from {} to {}.").format(crs_name(source), crs_name(target)),
        hint=translate("QgisAgent", "Check the CRS of both layers (describe_layer); set_layer_crs where one is wrong."),
        reason="no_transform",
    )


def datum_of(
    source: QgsCoordinateReferenceSystem, target: QgsCoordinateReferenceSystem, context: QgsCoordinateTransformContext
) -> Optional[Datum]:
    """The way that is taken between two different CRSs; None where none is needed, or none is there. Some milliseconds."""
    if same_crs(source, target) or base_of(source) == base_of(target):
        return None
    transform = QgsCoordinateTransform(source, target, context)
    if not transform.isValid():
        return None
    taken = transform.instantiatedCoordinateOperationDetails()
    name = str(taken.name)
    accuracy = taken.accuracy if taken.accuracy >= 0 else None
    ballpark = "ballpark" in name.lower() and not near_each_other(source, target)
    better = [
        each
        for each in QgsDatumTransform.operations(source, target)
        if not each.isAvailable and each.accuracy >= 0 and (accuracy is None or each.accuracy < accuracy / 2)
    ]
    better.sort(key=lambda each: each.accuracy)
    missing = tuple(
        clean_text(grid.shortName, 60) for each in better[:1] for grid in each.grids if not grid.isAvailable
    )
    return Datum(name, accuracy, ballpark, missing, better[0].accuracy if better else None)


def base_of(crs: QgsCoordinateReferenceSystem) -> str:
    """The name of the geographic CRS that a CRS is made on, in small letters.

    Its id is empty for a projected CRS (3.40), and its PROJ text is the same for all datums on one ellipsoid.
    """
    base = crs.toGeographicCrs()
    name = base.description().replace(_NORMALIZED, "").replace("_", " ").casefold().strip()
    name = name.removeprefix("gcs ")
    return name if name and name != "unknown" else str(base.toProj())


def near_each_other(one: QgsCoordinateReferenceSystem, other: QgsCoordinateReferenceSystem) -> bool:
    """Whether the datums of two CRSs agree within about 2 m, so that they may be taken for equal."""
    return base_of(one) in _NEAR_WGS84 and base_of(other) in _NEAR_WGS84


def pair_remarks(
    first: QgsMapLayer,
    first_box: QgsRectangle,
    second: QgsMapLayer,
    second_box: QgsRectangle,
    *,
    reprojected: bool = True,
    chosen: bool = False,
) -> List[str]:
    """What must be known of two layers together. Boxes (of the features, ``Survey.box``) are in each layer's CRS. Main thread.

    Told: that the second is reprojected and to what (not with ``reprojected=False``, for geodesic work); a datum that is only
    guessed; that they lie nowhere near each other, which says nothing of the layers where conditions chose the features
    (``chosen``).
    """
    found: List[str] = []
    names = clean_text(first.name(), 60), clean_text(second.name(), 60)
    project = project_of(first)
    if not first.crs().isValid() or not second.crs().isValid():
        return found
    if not same_crs(first.crs(), second.crs()):
        if reprojected:
            text = translate("QgisAgent", "'{}' ({}) was reprojected on a copy to {}, the CRS of '{}'.")
            found.append(text.format(names[1], second.crs().authid() or "?", crs_name(first.crs()), names[0]))
        found += _of_datum(datum_of(second.crs(), first.crs(), project.transformContext()))
    if not chosen:
        found += _of_boxes(names, _placed(first, first_box, project), _placed(second, second_box, project), project)
    return found


def _of_datum(datum: Optional[Datum]) -> List[str]:
    if datum is None:
        return []
    if datum.ballpark:
        text = translate(
            "QgisAgent",
            "No transformation between their datums is installed: they were taken for equal, which can be wrong by 100 m or more.",
        )
        return [text + " " + _grids(datum) if datum.missing else text]
    if datum.missing and datum.accuracy_m is not None and datum.accuracy_m >= 1:
        text = translate("QgisAgent", "The transformation between their datums is good to {:g} m.").format(
            datum.accuracy_m
        )
        return [text + " " + _grids(datum)]
    return []


def _grids(datum: Datum) -> str:
    return translate("QgisAgent", "With the grid {} it would be {:g} m.").format(
        ", ".join(datum.missing), datum.better_m or 0.0
    )


def _placed(layer: QgsMapLayer, box: QgsRectangle, project: QgsProject) -> Optional[List[float]]:
    return None if box.isNull() else bbox_degrees(box, layer.crs(), project)


def _of_boxes(
    names: Tuple[str, str], first: Optional[List[float]], second: Optional[List[float]], project: QgsProject
) -> List[str]:
    """That two boxes in degrees do not meet: most often because one layer's CRS is wrong or its axes are swapped."""
    if first is None or second is None or gap_degrees(first, second) == (0.0, 0.0):
        return []
    text = translate("QgisAgent", "'{}' and '{}' lie about {} km apart: they have no place in common.").format(
        *names, _rounded(gap_km(first, second, project))
    )
    swapped = [first[1], first[0], first[3], first[2]]
    if max(map(abs, swapped[1::2])) <= 90 and gap_degrees(swapped, second) == (0.0, 0.0):
        return [text + " " + translate("QgisAgent", "With x and y of one of them swapped they would meet.")]
    return [text + " " + translate("QgisAgent", "Check the CRS of both.")]


def _rounded(kilometres: float) -> str:
    return "{:.0f}".format(kilometres) if kilometres >= 10 else "{:.2g}".format(kilometres)


def gap_degrees(one: List[float], other: List[float]) -> Tuple[float, float]:
    """Degrees of longitude and latitude between two boxes in degrees (east may be over 180); 0 where they overlap."""
    gaps = [max(0.0, other[0] + turn - one[2], one[0] - other[2] - turn) for turn in (-360.0, 0.0, 360.0)]
    return min(gaps), max(0.0, other[1] - one[3], one[1] - other[3])


def gap_km(one: List[float], other: List[float], project: QgsProject) -> float:
    """About how far two boxes are apart on the ground: between their nearest sides or corners."""
    low, high = _nearest(one[1], one[3], other[1], other[3])
    found = []
    for turn in (-360.0, 0.0, 360.0):
        west, east = _nearest(one[0], one[2], other[0] + turn, other[2] + turn)
        found.append(jump_km((west, low), (east, high), project))
    return min(found)


def _nearest(low: float, high: float, other_low: float, other_high: float) -> Tuple[float, float]:
    """The two nearest numbers of two spans; the middle of what they share where they overlap."""
    if other_low > high:
        return high, other_low
    if other_high < low:
        return low, other_high
    middle = (max(low, other_low) + min(high, other_high)) / 2
    return middle, middle
