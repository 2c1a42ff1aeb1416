"""The plan of a buffer by metres on the ground: one zone, several rings, one side of lines, or inwards from a polygon's edge."""

from __future__ import annotations

import math
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from qgis.core import Qgis, QgsVectorLayer

from ...errors import (
    INVALID_PARAM,
    UNSUPPORTED,
    ToolError,
)
from ...i18n import translate
from ...scope import seen_fields
from ..ground.units import (
    EARTH_RADIUS_M,
    SEGMENTS,
    Plane,
    metres_in_units,
)
from ..inputs.preflight import Survey
from ..run.plan import (
    Plan,
    PlanStep,
    Ref,
)
from ..run.steps import (
    Builder,
    bulky,
)

GEODESIC = "qgisagent:geodesicbuffer"
CIRCLES = "qgisagent:geodesiccircles"
SELECTED = PlanStep("selected", "native:saveselectedfeatures", {"INPUT": Ref("layer")})
FROM, TO = "ring_from_m", "ring_to_m"
_OF_MERGE = ("layer", "path")
"""Fields that native:mergevectorlayers adds."""
_BEND = 0.0005
"""Share of the distance by which an edge may bend between two CRSs before it is divided."""
_CAPS = {"round": 0, "flat": 1, "square": 2}
_SIDES = {"left": 0, "right": 1}


class Zone(NamedTuple):
    """What is wanted. ``distances`` in metres, ascending; only the last one is a zone's edge when there is one."""

    distances: Tuple[float, ...]
    discs: bool = False
    side: str = "both"
    end_cap: str = "round"
    dissolve: bool = False
    separate: bool = False

    @property
    def ringed(self) -> bool:
        """Whether there are several zones."""
        return len(self.distances) > 1

    @property
    def distance_m(self) -> float:
        """The outermost distance; negative for inwards."""
        return self.distances[-1]

    @property
    def bands(self) -> List[Tuple[float, float]]:
        """(from, to) of each zone, the innermost first."""
        starts = [0.0, *self.distances[:-1]]
        return [(0.0 if self.discs else start, end) for start, end in zip(starts, self.distances)]


def zone_of(kind: Qgis.GeometryType, distance_m: float, dissolve: bool, options: Mapping[str, Any]) -> Zone:
    """Check the wish against the kind of geometry. INVALID_PARAM where it means nothing."""
    inner = tuple(float(each) for each in options.get("rings") or ())
    zone = Zone(
        (*inner, float(distance_m)),
        bool(options.get("discs")),
        str(options.get("side") or "both"),
        str(options.get("end_cap") or "round"),
        dissolve,
        bool(options.get("separate_parts")),
    )
    areas, lines = kind == Qgis.GeometryType.Polygon, kind == Qgis.GeometryType.Line
    if distance_m == 0:
        raise _wrong(translate("QgisAgent", "A buffer of 0 m changes nothing."), "distance_m")
    if distance_m < 0 and (not areas or inner):
        raise _wrong(translate("QgisAgent", "Only polygons can be buffered inwards, by one distance."), "distance_m")
    if inner and (inner[0] <= 0 or list(zone.distances) != sorted(set(zone.distances))):
        raise _wrong(
            translate("QgisAgent", "rings are the distances inside of distance_m: above 0, ascending, below it."),
            "rings",
        )
    if (zone.side != "both" or zone.end_cap != "round") and not lines:
        raise _wrong(translate("QgisAgent", "side and end_cap are for lines only."), "side")
    if zone.side != "both" and inner:
        raise _wrong(translate("QgisAgent", "Rings on one side of a line are not made."), "side")
    return zone


def _wrong(why: str, reason: str) -> ToolError:
    hint = translate("QgisAgent", "See the tool's parameters: distance_m in metres, options for the rest.")
    return ToolError(INVALID_PARAM, why, hint=hint, reason=reason)


def buffer_plan(
    layer: QgsVectorLayer, survey: Survey, expression: str, plane: Optional[Plane], zone: Zone, source: str = "layer"
) -> Plan:
    """Circles on the ellipsoid for points; else a buffer in a local metric CRS and back, or geodesically without a plane.

    The radius is within 0.35 % of the geodesic distance either way: 0.21 % for the chords of a circle, 0.1 % for the plane.
    """
    builder = Builder(source)
    builder.prepare(survey, expression)
    makers = _Points() if layer.geometryType() == Qgis.GeometryType.Point else _Edges(layer, plane, zone)
    makers.begin(builder)
    if zone.dissolve:
        _without_fields(builder, layer)
    if zone.ringed:
        _rings(builder, makers, zone, [] if zone.dissolve else [each.name() for each in seen_fields(layer)])
    else:
        _disc(builder, makers, zone, zone.distance_m)
    if zone.distance_m < 0:  # before the edges are divided: that makes odd shapes of empty ones
        builder.add("native:removenullgeometries", {"REMOVE_EMPTY": True})
    if makers.leaves_plane and bulky(layer, survey.usable * len(zone.distances)):
        builder.keep_in_files()
    makers.end(builder)
    if zone.separate:
        builder.add("native:multiparttosingleparts", {})
    return builder.steps


class _Points:
    """Zones around points: circles on the ellipsoid, in the layer's CRS."""

    leaves_plane = False

    def begin(self, builder: Builder) -> None:
        """Nothing to prepare."""

    def disc(self, builder: Builder, distance: float) -> None:
        """A full circle."""
        builder.add(CIRCLES, {"DISTANCE": distance, "SEGMENTS": SEGMENTS})

    def ring(self, builder: Builder, inner: float, outer: float) -> None:
        """Between two distances."""
        builder.add(CIRCLES, {"DISTANCE": outer, "INNER": inner, "SEGMENTS": SEGMENTS})

    def end(self, builder: Builder) -> None:
        """The circles are in the layer's CRS."""


class _Edges:
    """Zones around lines and polygons: in the plane, with edges short enough to run alike in both CRSs."""

    def __init__(self, layer: QgsVectorLayer, plane: Optional[Plane], zone: Zone) -> None:
        self._crs = layer.crs()
        self._plane = plane
        self._zone = zone
        self._straight = longest_edge_m(abs(zone.distance_m))
        self.leaves_plane = plane is not None
        plain = zone.side == "both" and zone.end_cap == "round" and zone.distance_m > 0
        if plane is None and not (plain and (not zone.ringed or zone.discs or zone.dissolve)):
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The features lie too far apart for this kind of buffer in one metric plane."),
                hint=translate(
                    "QgisAgent", "Choose fewer features with where, or use a plain buffer (no side, no end_cap, discs)."
                ),
                reason="too_large",
            )

    def begin(self, builder: Builder) -> None:
        """Into the plane."""
        if self._plane is not None:
            interval = metres_in_units(self._crs, self._straight)
            builder.add("native:densifygeometriesgivenaninterval", {"INTERVAL": interval})
            builder.reproject(self._plane.crs)

    def disc(self, builder: Builder, distance: float) -> None:
        """All within the distance, on the wanted side; dissolved by QGIS at once where that is wanted."""
        if self._plane is None:
            builder.add(GEODESIC, {"DISTANCE": distance, "SEGMENTS": SEGMENTS})
            return
        shared = {"DISTANCE": distance, "SEGMENTS": SEGMENTS, "JOIN_STYLE": 0, "MITER_LIMIT": 2}
        if self._zone.side in _SIDES:
            builder.add("native:singlesidedbuffer", {**shared, "SIDE": _SIDES[self._zone.side]})
        else:
            builder.add(
                "native:buffer",
                {
                    **shared,
                    "END_CAP_STYLE": _CAPS[self._zone.end_cap],
                    "DISSOLVE": False,
                    "SEPARATE_DISJOINT": False,
                },
            )

    def ring(self, builder: Builder, inner: float, outer: float) -> None:
        """Between two distances of each feature."""
        cap = "'{}'".format(self._zone.end_cap)
        far, near = ("buffer(@geometry, {:.12g}, {}, {})".format(each, SEGMENTS, cap) for each in (outer, inner))
        expression = "difference({}, {})".format(far, near)
        builder.add("native:geometrybyexpression", {"OUTPUT_GEOMETRY": 0, "EXPRESSION": expression})

    def end(self, builder: Builder) -> None:
        """Back into the layer's CRS."""
        if self._plane is not None:
            builder.add("native:densifygeometriesgivenaninterval", {"INTERVAL": self._straight})
            builder.reproject(self._crs)


def _disc(builder: Builder, makers: Any, zone: Zone, distance: float) -> None:
    makers.disc(builder, distance)
    if zone.dissolve:
        builder.add("native:dissolve", {"FIELD": [], "SEPARATE_DISJOINT": False})


def _rings(builder: Builder, makers: Any, zone: Zone, fields: Sequence[str]) -> None:
    """One zone after the other from the same prepared features, each with its distances, then all in one layer.

    QGIS's merge adds two fields, but not those that the data has (``fields``): only its own are taken out again.
    """
    start = builder.last
    made: List[Ref] = []
    inside: Optional[Ref] = None
    for inner, outer in zone.bands:
        builder.last = start
        if inner == 0 or zone.dissolve:
            _disc(builder, makers, zone, outer)
            whole = builder.last
            if inner and inside is not None:
                builder.add("native:difference", {"OVERLAY": inside})
            inside = whole
        else:
            makers.ring(builder, inner, outer)
        for name, value in ((FROM, inner), (TO, outer)):
            formula = "{:.12g}".format(value)
            builder.add("native:fieldcalculator", {"FIELD_NAME": name, "FIELD_TYPE": 0, "FORMULA": formula})
        made.append(builder.last)
    builder.steps.append(PlanStep("merged", "native:mergevectorlayers", {"LAYERS": made}))
    builder.last = Ref("merged")
    own = {each.casefold() for each in fields}
    added = [each for each in _OF_MERGE if each not in own]
    if added:
        builder.add("native:deletecolumn", {"COLUMN": added}, key="rings")


def _without_fields(builder: Builder, layer: QgsVectorLayer) -> None:
    """A dissolved zone belongs to no single feature: the first one's attributes would be wrong for all others."""
    names = [each.name() for each in seen_fields(layer)]
    if names:
        builder.add("native:deletecolumn", {"COLUMN": names})


def longest_edge_m(distance_m: float) -> float:
    """An edge of this length bends by 0.05 % of the distance at most, at 45° of latitude: sagitta = L² / (8 R)."""
    return math.sqrt(8 * EARTH_RADIUS_M * distance_m * _BEND)


def expected_count(survey: Survey, zone: Zone) -> Optional[int]:
    """How many features the result must have; None where only the geometry tells."""
    if zone.separate or zone.distance_m < 0:
        return None
    return len(zone.distances) * (1 if zone.dissolve else survey.usable)


def crs_used(kind: Qgis.GeometryType, plane: Optional[Plane]) -> str:
    """How the distance was measured."""
    if kind == Qgis.GeometryType.Point or plane is None:
        return "geodesic on the WGS 84 ellipsoid"
    return plane.name
