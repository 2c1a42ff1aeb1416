"""What the numbers of each case must be, in the order of its ``expect_result.numbers``: computed by ``eval_oracle``, never by us."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import numpy
import shapely
from eval_oracle import (
    GEOD,
    Row,
    area_m2,
    between,
    cells_km2,
    country,
    district,
    having,
    height,
    heights_in,
    inside,
    km2,
    mean,
    metres,
    nearest,
    one,
    rows,
    street,
    terrain,
    values,
)

SCHOOLS = ("文苑小学", "学林中学", "春晖小学")
CLOUD = "330110"
"""The code of 云溪区."""


def _counts_per_polygon(points: str, areas: str) -> list[int]:
    return [len(inside(points, each["geometry"])) for each in rows(areas)]


def _densities() -> list[float]:
    return [len(inside("schools", each["geometry"])) / km2(each) for each in rows("streets")]


def _school(name: str) -> dict[str, object]:
    return one("schools", "name", name)


def _pairs(names: tuple[str, ...]) -> list[float]:
    found = [_school(each) for each in names]
    return sorted(metres(a, b) for at, a in enumerate(found) for b in found[at + 1 :])


def _stops_near_schools(distance: float) -> list[int]:
    stops = rows("bus_stops")
    return [sum(metres(each, stop) <= distance for stop in stops) for each in rows("schools")]


def _facility_areas() -> list[float]:
    sums: dict[str, float] = {}
    for each in rows("公共设施"):
        sums[each["类型"]] = sums.get(each["类型"], 0.0) + (each["面积_平方米"] or 0.0)
    return sorted(sums.values(), reverse=True)


def _pupils(kind: str) -> list[float]:
    return values("schools", "pupils", lambda each: each["kind"] == kind)


def _kinds() -> list[float]:
    return [
        float(len(having("schools", lambda each, kind=kind: each["kind"] == kind)))
        for kind in ("小学", "中学", "幼儿园")
    ]


def _in_box(layer: str, west: float, south: float, east: float, north: float, project: str = "sample") -> int:
    box = shapely.box(west, south, east, north)
    return len(having(layer, lambda each: each["geometry"].intersects(box), project))


def _touching(name: str) -> int:
    shape = country(name)["geometry"]
    return len(having("countries", lambda each: each["NAME"] != name and each["geometry"].intersects(shape), "world"))


def _streets_in_cloud() -> float:
    streets = shapely.union_all([each["geometry"] for each in rows("streets")])
    return area_m2(district(CLOUD).intersection(streets)) / 1e6


def _districts_without_streets() -> float:
    streets = shapely.union_all([each["geometry"] for each in rows("streets")])
    return sum(area_m2(each["geometry"].difference(streets)) for each in rows("districts")) / 1e6


def _ids(found: list[Row]) -> list[int]:
    return sorted(each["fid"] for each in found)


def _bounds(found: list[Row]) -> tuple[float, ...]:
    return tuple(shapely.MultiPoint([each["geometry"] for each in found]).bounds)


EXPECTED: dict[str, Callable[[], list[float]]] = {
    "e_003": lambda: [len(having("schools", lambda each: each["year"] == 2021))],
    "e_004": lambda: [_pairs(SCHOOLS)[0]],
    "e_015": lambda: [len(having("schools", lambda each: each["kind"] == "中学"))],
    "e_016": lambda: [len(having("schools", lambda each: each["kind"] == "小学"))],
    "e_019": lambda: [_touching("Switzerland")],
    "e_021": lambda: [len(inside("schools", district(CLOUD)))],
    "e_022": lambda: [len(rows("hospitals"))],
    "e_023": lambda: [len(rows("bus_stops"))],
    "e_024": lambda: [len(having("schools", lambda each: (each["pupils"] or 0) > 1000))],
    "e_025": _kinds,
    "e_026": lambda: [max(values("hospitals", "beds"))],
    "e_027": lambda: sorted(values("schools", "pupils"), reverse=True)[:3],
    "e_028": lambda: [mean(values("schools", "pupils"))],
    "e_029": lambda: [len(having("hospitals", lambda each: each["level"] == "三甲"))],
    "e_030": lambda: [sum(values("hospitals", "beds"))],
    "e_033": lambda: [len(having("公共设施", lambda each: each["类型"] == "图书馆"))],
    "e_034": lambda: [len(having("schools", lambda each: each["pupils"] is None))],
    "e_035": lambda: [len(having("schools", lambda each: each["kind"] == "小学" and each["year"] < 1990))],
    "e_036": lambda: [km2(street("街道A"))],
    "e_037": lambda: [area_m2(district(CLOUD)) / 1e6],
    "e_038": lambda: [metres(one("hospitals", "name", "示例市中医院"), _school("文苑小学"))],
    "e_039": lambda: [km2(*rows("streets"))],
    "e_040": lambda: [len(having("bus_stops", lambda each: "快3路" in each["lines"]))],
    "e_041": lambda: [len(having("公共设施", lambda each: (each["面积_平方米"] or 0) > 3000))],
    "e_042": lambda: [len(having("公共设施", lambda each: 1990 <= (each["建成年份"] or 0) <= 2000))],
    "e_043": lambda: [len(rows("countries", "world"))],
    "e_045": lambda: [len(having("countries", lambda each: (each["NAME"] or "").upper().startswith("S"), "world"))],
    "e_046": lambda: [km2(country("Brazil"))],
    "e_047": lambda: [between(country("Cuba"), country("Jamaica"))],
    "e_048": lambda: [_in_box("countries", 10, 45, 20, 50, "world")],
    "e_049": lambda: [height(one("hospitals", "name", "示例市第一人民医院")["geometry"])],
    "e_050": lambda: [150, float(numpy.nanmin(terrain()[0])), float(numpy.nanmax(terrain()[0]))],
    "e_051": lambda: [len(having("districts", lambda each: each["pop"] > 100000))],
    "e_052": lambda: [_in_box("schools", 119.60, 30.34, 119.64, 30.38)],
    "e_053": lambda: [statistics.median(values("schools", "pupils"))],
    "e_054": lambda: [sum(values("districts", "pop"))],
    "e_067": lambda: [len(having("schools", lambda each: each["year"] >= 2000))],
    "e_073": lambda: [
        len(inside("schools", shapely.union_all([each["geometry"] for each in rows("streets")]))),
        *_densities(),
    ],
    "e_074": lambda: [sum(_stops_near_schools(500)), mean(_stops_near_schools(500))],
    "e_077": lambda: [
        sum(_counts_per_polygon("bus_stops", "districts")),
        max(_counts_per_polygon("bus_stops", "districts")),
    ],
    "e_078": lambda: [
        sum(_counts_per_polygon("schools", "districts")),
        sum(each["pupils"] or 0 for each in inside("schools", district(CLOUD))),
    ],
    "e_079": lambda: [mean(nearest("schools", "hospitals"))],
    "e_080": lambda: [sum(each > 1000 for each in nearest("schools", "hospitals"))],
    "e_081": lambda: [sum(each <= 200 for each in nearest("schools", "bus_stops"))],
    "e_082": lambda: [len(inside("bus_stops", district(CLOUD)))],
    "e_083": lambda: [len(inside("bus_stops", street("街道B")["geometry"]))],
    "e_084": lambda: [sum(_counts_per_polygon("schools", "districts"))],
    "e_085": lambda: [area_m2(shapely.union_all([each["geometry"] for each in rows("districts")])) / 1e6],
    "e_086": lambda: [sum(_pupils("小学")), mean(_pupils("小学"))],
    "e_090": lambda: [max(each["pop"] / km2(each) for each in rows("districts"))],
    "e_091": lambda: [len(having("districts", lambda each: not each["geometry"].is_valid))],
    "e_094": lambda: [float(heights_in(district("330104")).mean())],
    "e_095": lambda: [cells_km2(lambda cells: cells >= 100)],
    "e_096": lambda: [
        sum(
            min(metres(each, other) for other in rows("hospitals")) <= 1000
            for each in having("schools", lambda each: each["kind"] == "小学")
        )
    ],
    "e_098": lambda: [len(rows("schools")) + len(rows("hospitals"))],
    "e_100": lambda: [
        mean([each["geometry"].x for each in rows("schools")]),
        mean([each["geometry"].y for each in rows("schools")]),
    ],
    "e_105": lambda: [_facility_areas()[0]],
    "e_106": lambda: [float(heights_in(district("330104")).max())],
    "e_110": lambda: [len(having("countries", lambda each: not each["geometry"].is_valid, "world"))],
    "e_111": lambda: [_streets_in_cloud()],
    "e_120": lambda: [max(_densities())],
    "e_122": lambda: [float(numpy.nanmax(terrain()[0])) * 3.28084],
    "e_124": lambda: [max(height(each["geometry"]) for each in rows("schools"))],
    "e_126": lambda: [max(len(inside("bus_stops", each["geometry"])) / km2(each) for each in rows("streets"))],
    "e_123": lambda: _densities(),
    "e_128": lambda: [len(rows("hospitals"))],
    "e_130": lambda: [_districts_without_streets()],
    "e_127": lambda: [GEOD.geometry_length(shapely.LineString([(119.60, 30.34), (119.64, 30.38)])) / 1000],
}

SELECTED: dict[str, Callable[[], list[int]]] = {
    "e_015": lambda: _ids(having("schools", lambda each: each["kind"] == "中学")),
    "e_019": lambda: _ids(
        having("countries", lambda each: each["geometry"].touches(country("Switzerland")["geometry"]), "world")
    ),
    "e_081": lambda: [each["fid"] for each, far in zip(rows("schools"), nearest("schools", "bus_stops")) if far <= 200],
    "e_082": lambda: _ids(inside("bus_stops", district(CLOUD))),
    "e_119": lambda: _ids(having("schools", lambda each: each["kind"] == "中学")),
}
"""Ids of the features that are selected at the end of a case."""

SHOWN: dict[str, Callable[[], tuple[float, ...]]] = {
    "e_001": lambda: district(CLOUD).bounds,
    "e_006": lambda: _bounds(rows("hospitals")),
    "e_007": lambda: _bounds(rows("hospitals")),
    "e_017": lambda: (
        shapely.MultiPolygon([each for each in country("Japan")["geometry"].geoms if each.bounds[2] < 150]).bounds
    ),
    "e_018": lambda: max(country("Brazil")["geometry"].geoms, key=lambda part: part.area).bounds,
    "e_119": lambda: _bounds(having("schools", lambda each: each["kind"] == "中学")),
}
"""What the map shows at the end of a case: west, south, east, north, degrees."""
VIEW_MARGIN = 0.15
"""How far each side may be from that, as a share of the width or height: a map shows somewhat more than was asked for."""
