"""Make the sample project of a small fictional city, ``resources/sample``: city.qgz, city.gpkg and dem.tif.

Run it with the Python that owns PyQGIS; ``--out DIR`` writes elsewhere. It is one file because half of it is tables.
Nothing in it is a real place. Everything is drawn from a fixed seed, ids and dates are fixed and the XML is put in
a fixed order, so two runs on one machine give the same bytes. The layers have different CRSs on purpose: counting and
measuring are right only if they are transformed and measured on the ellipsoid.

    streets    EPSG:4509, Gauss-Krueger with its meridian 2.6 degrees away: planar areas are 0.16 % too large
    districts, 公共设施    EPSG:4490 (CGCS2000)      schools, hospitals, bus_stops    EPSG:4326
    dem        EPSG:32650, 150 m cells               project    EPSG:3857, where planar areas are 34 % too large
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import uuid
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

# Before Qt, GDAL and QGIS start: a fixed order of Qt's hash tables, a fixed date in GeoPackage tables, no user profile.
os.environ.update(QT_HASH_SEED="0", OGR_CURRENT_DATE="2025-01-01T00:00:00.000Z", GDAL_PAM_ENABLED="NO")
os.environ["QGIS_CUSTOM_CONFIG_PATH"] = tempfile.mkdtemp(prefix="make_sample_")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from osgeo import gdal, osr
from qgis.core import (
    Qgis,
    QgsApplication,
    QgsColorRampShader,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsDistanceArea,
    QgsFeature,
    QgsField,
    QgsFillSymbol,
    QgsGeometry,
    QgsLabelObstacleSettings,
    QgsMarkerSymbol,
    QgsPalLayerSettings,
    QgsPointXY,
    QgsProject,
    QgsProjectMetadata,
    QgsRasterLayer,
    QgsRasterShader,
    QgsReferencedRectangle,
    QgsSettings,
    QgsSingleBandPseudoColorRenderer,
    QgsSingleSymbolRenderer,
    QgsTextFormat,
    QgsVectorFileWriter,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtCore import QDateTime, QMetaType, Qt
from qgis.PyQt.QtGui import QColor

SEED = 20250101
PROFILE = os.environ["QGIS_CUSTOM_CONFIG_PATH"]
OUT = Path(__file__).resolve().parents[1] / "resources" / "sample"
ELLIPSOID = "EPSG:7030"
"""WGS 84. CGCS2000 and GRS80 differ from it by 0.1 mm in the polar radius."""
CENTRE = (119.62, 30.36)
"""Longitude and latitude of kilometre (0, 0)."""
KM = (1 / 96.12, 1 / 110.86)
"""Degrees of longitude and latitude in a kilometre at CENTRE, near enough for drawing."""

HILLS = [(-5.2, 3.9, 310, 1.9), (-2.2, 5.6, 220, 1.5), (-6.6, -0.4, 150, 1.6), (5.8, -4.6, 90, 1.3)]
"""Middle in km, height in metres, radius in km."""
LAKE = (5.9, 0.25, 0.85, 0.4)
"""Middle and half axes of an ellipse, km. The terrain has no data there, and nothing stands in it."""

Point = tuple[float, float]
Row = tuple[QgsGeometry, list[Any]]
Column = tuple[str, QMetaType.Type, int]
TEXT, INTEGER, REAL = QMetaType.Type.QString, QMetaType.Type.Int, QMetaType.Type.Double

# The city in kilometres from CENTRE: named nodes, and each district as the ring of its nodes (neighbours share arcs).
NODES: dict[str, Point] = {
    "o1": (-7.4, 1.3), "o2": (-5.2, 5.0), "o3": (-1.4, 5.4), "o4": (3.9, 5.9), "o5": (6.6, 2.9),
    "o6": (8.0, -1.2), "o7": (5.3, -4.9), "o8": (1.2, -5.3), "o9": (-3.2, -6.0), "o10": (-6.9, -2.6),
    "i1": (-2.2, 2.5), "i2": (2.0, 2.7), "i3": (2.5, -0.3), "i4": (1.5, -2.0), "i5": (-2.0, -1.8), "i6": (-2.7, 0.5),
    "k": (4.5, 0.2),
}  # fmt: skip
DISTRICTS: list[tuple[str, str, int, str]] = [
    ("330102", "城关区", 162400, "i4 o8 o9 i5"),
    ("330103", "青岭区", 88700, "o1 o2 o3 i1 i6"),
    ("330104", "北山区", 97300, "o3 o4 i2 i1"),
    ("330105", "东浦区", 121500, "o4 o5 k i3 i2"),
    ("330106", "南渡区", 134900, "k o7 o8 i4 i3"),
    ("330107", "白沙区", 76200, "i6 i5 o9 o10 o1"),
    ("330110", "云溪区", 185600, "i1 i2 i3 i4 i5 i6"),
    ("330182", "城关区", 64800, "o5 o6 o7 k"),
]
STREET_NODES: dict[str, Point] = {"p": (0.05, 0.45), "w": (-1.4, 0.05), "n": (0.4, 1.8), "e": (1.35, 0.2)}
STREETS: list[tuple[str, str, int, float, str, list[Point]]] = [
    # code, name, people, area in km2 on the ellipsoid, nodes, the outer arc (from the second node to the third)
    ("330110001", "街道A", 38600, 1.85, "p w n", [(-1.5, 0.75), (-1.15, 1.4), (-0.4, 1.8)]),
    ("330110002", "街道B", 29400, 1.02, "p n e", [(0.95, 1.55), (1.35, 0.95)]),
    ("330110003", "街道C", 41200, 2.10, "p e w", [(1.25, -0.6), (0.5, -1.15), (-0.35, -1.2), (-1.15, -0.7)]),
]

ROOTS = [
    "文苑", "学林", "春晖", "育才", "明德", "求是", "星海", "望湖", "映月", "青禾", "翠屏",
    "云栖", "朝阳", "东风", "和平", "胜利", "安吉里", "新桥", "南塘", "北辰", "柳浪", "丹桂",
    "石榴", "金沙", "银杏", "长乐", "康宁", "庆丰", "白鹭", "松涛", "茶山",
]  # fmt: skip
SCHOOL_KINDS = [("小学", 480, 1900), ("中学", 720, 2600), ("小学", 300, 1200), ("幼儿园", 90, 420)]
"""Kind, and between which numbers its pupils are."""
STOP_ENDINGS = ["路口", "新村", "公园", "广场", "大桥"]
FACILITIES = ["图书馆", "社区服务中心", "公园", "体育馆", "文化馆", "菜市场", "公共厕所", "养老院"]
HOSPITALS: list[tuple[str, int, str, Point]] = [
    ("示例市第一人民医院", 1800, "三甲", (-0.55, 0.95)),
    ("示例市第二人民医院", 1200, "三甲", (1.9, -3.6)),
    ("示例市中医院", 900, "三乙", (0.75, 0.95)),
    ("示例市妇幼保健院", 650, "三甲", (-0.35, -0.55)),
    ("云溪区人民医院", 480, "二甲", (1.75, -1.1)),
    ("青岭区人民医院", 420, "二甲", (-4.2, 2.6)),
    ("东浦区中心医院", 360, "二甲", (4.3, 2.6)),
    ("白沙区医院", 240, "二乙", (-4.4, -1.5)),
    ("城关社区卫生服务中心", 60, "一级", (5.6, -1.9)),
]
BUS_LINES: dict[str, list[Point]] = {
    "1路": [(-6.0, 0.6), (-2.0, 0.2), (0.4, 0.1), (2.6, 0.6), (6.4, 1.4)],
    "2路": [(-0.9, 5.2), (0.0, 2.4), (0.3, 0.1), (-0.2, -2.4), (-0.7, -5.0)],
    "5路": [(-4.9, 4.0), (-2.0, 1.6), (0.4, 0.1), (2.9, -2.2), (4.7, -4.0)],
    "8路": [(-5.3, -2.6), (-2.3, -1.0), (0.1, -0.7), (1.3, 0.9), (3.1, 4.7)],
    "12路": [(-3.6, 2.9), (-0.9, 1.4), (1.2, 1.4), (4.2, 2.1), (6.2, 2.4)],
    "16路": [(-3.6, -4.2), (-0.6, -3.4), (2.2, -3.8), (4.6, -2.2), (6.7, -1.2)],
    "快3路": [(-1.4, -1.1), (-1.0, 0.5), (0.3, 1.2), (2.3, 1.5), (3.9, 0.6), (3.4, -2.6)],
}


def lonlat(point: Point) -> QgsPointXY:
    """Kilometres from CENTRE to degrees, rounded to a centimetre."""
    return QgsPointXY(round(CENTRE[0] + point[0] * KM[0], 7), round(CENTRE[1] + point[1] * KM[1], 7))


def rng_of(name: str) -> np.random.Generator:
    """A random generator of its own for each thing, so that changing one leaves the others."""
    return np.random.default_rng([SEED, zlib.crc32(name.encode())])


def in_lake(x: Any, y: Any, grown: float = 1.0) -> Any:
    """Whether a place (km; numbers or arrays) is in the lake, or in one so many times as wide."""
    return ((x - LAKE[0]) / LAKE[2]) ** 2 + ((y - LAKE[1]) / LAKE[3]) ** 2 < grown**2


def wiggle(name: str, points: Sequence[Point], rough: float = 0.11, shortest: float = 0.22) -> list[Point]:
    """A natural line through points (km): midpoints are moved sideways until no piece is longer than ``shortest``."""
    rng = rng_of(name)

    def split(a: Point, b: Point) -> list[Point]:
        dx, dy = b[0] - a[0], b[1] - a[1]
        if (dx * dx + dy * dy) ** 0.5 <= shortest:
            return [a]
        shift = float(rng.uniform(-rough, rough))
        middle = ((a[0] + b[0]) / 2 - dy * shift, (a[1] + b[1]) / 2 + dx * shift)
        return split(a, middle) + split(middle, b)

    line: list[Point] = []
    for a, b in pairwise(points):
        line += split(a, b)
    return [*line, points[-1]]


def arc(nodes: dict[str, Point], start: str, end: str) -> list[Point]:
    """The arc between two nodes: the same line in both directions, so that neighbours fit without gaps."""
    first, last = sorted((start, end))
    line = wiggle(f"{first}-{last}", [nodes[first], nodes[last]])
    return line if first == start else line[::-1]


def polygon(ring: Sequence[Point]) -> QgsGeometry:
    """A polygon in longitude and latitude from kilometres; a ValueError when it crosses itself."""
    geometry = QgsGeometry.fromPolygonXY([[lonlat(each) for each in ring]])
    if not geometry.isGeosValid():
        raise ValueError("a made polygon crosses itself; change the seed or its nodes")
    return geometry


def district_geometry(ring: str) -> QgsGeometry:
    """A district from the names of its nodes."""
    names = ring.split()
    points: list[Point] = []
    for start, end in pairwise([*names, names[0]]):
        points += arc(NODES, start, end)[:-1]
    return polygon(points)


def change(source: str, target: str) -> QgsCoordinateTransform:
    """The transformation between two CRSs."""
    systems = QgsCoordinateReferenceSystem(source), QgsCoordinateReferenceSystem(target)
    return QgsCoordinateTransform(*systems, QgsProject.instance())


def transformed(geometry: QgsGeometry, source: str, target: str, digits: int) -> QgsGeometry:
    """The polygon in another CRS, its coordinates rounded."""
    moved = QgsGeometry(geometry)
    moved.transform(change(source, target))
    ring = [QgsPointXY(round(each.x(), digits), round(each.y(), digits)) for each in moved.asPolygon()[0]]
    return QgsGeometry.fromPolygonXY([ring])


def street_geometry(nodes: str, outer: list[Point], area_km2: float) -> QgsGeometry:
    """A street in EPSG:4509: its outer arc is moved in or out until its area on the ellipsoid is the wanted one."""
    measure = QgsDistanceArea()
    measure.setSourceCrs(QgsCoordinateReferenceSystem("EPSG:4509"), QgsProject.instance().transformContext())
    measure.setEllipsoid(ELLIPSOID)
    hub, first, last = nodes.split()
    px, py = STREET_NODES[hub]

    def made(factor: float) -> QgsGeometry:
        via = [(px + (x - px) * factor, py + (y - py) * factor) for x, y in outer]
        line = wiggle(f"outer {first}-{last}", [STREET_NODES[first], *via, STREET_NODES[last]], 0.09, 0.16)
        ring = arc(STREET_NODES, hub, first)[:-1] + line[:-1] + arc(STREET_NODES, last, hub)[:-1]
        return transformed(polygon(ring), "EPSG:4490", "EPSG:4509", 3)

    low, high = 0.7, 1.4
    for _ in range(40):
        factor = (low + high) / 2
        if measure.measureArea(made(factor)) < area_km2 * 1e6:
            low = factor
        else:
            high = factor
    street = made((low + high) / 2)
    if abs(measure.measureArea(street) - area_km2 * 1e6) > 50:
        raise ValueError(f"the outer arc {first}-{last} cannot reach {area_km2} km2")
    return street


def scatter(rng: np.random.Generator, inside: QgsGeometry, count: int, gap: float, taken: list[Point]) -> list[Point]:
    """Random places (km) within an area in degrees, at least ``gap`` km from each other and from ``taken``."""
    box = inside.boundingBox()
    found: list[Point] = []
    for _ in range(20000):
        x = (float(rng.uniform(box.xMinimum(), box.xMaximum())) - CENTRE[0]) / KM[0]
        y = (float(rng.uniform(box.yMinimum(), box.yMaximum())) - CENTRE[1]) / KM[1]
        near = any((x - a) ** 2 + (y - b) ** 2 < gap * gap for a, b in taken)
        if not near and not in_lake(x, y, 1.7) and inside.contains(QgsGeometry.fromPointXY(lonlat((x, y)))):
            found.append((x, y))
            taken.append((x, y))
            if len(found) == count:
                return found
    raise ValueError("no room for the points; make the gap smaller")


def shrunk(geometry: QgsGeometry, km: float) -> QgsGeometry:
    """Without a margin along the border, so that no count hangs on a centimetre."""
    return geometry.buffer(-km * KM[1], 8)


def at(point: Point) -> QgsGeometry:
    """A point geometry in longitude and latitude."""
    return QgsGeometry.fromPointXY(lonlat(point))


def school_rows(streets: list[QgsGeometry], districts: dict[str, QgsGeometry]) -> list[Row]:
    """12, 8 and 5 schools in the streets and 6 in other districts; every seventh has no number of pupils."""
    rng = rng_of("schools")
    taken: list[Point] = []
    places: list[Point] = []
    for street, count in zip(streets, (12, 8, 5), strict=True):
        places += scatter(rng, shrunk(transformed(street, "EPSG:4509", "EPSG:4490", 9), 0.06), count, 0.17, taken)
    for code in ("330102", "330103", "330104", "330105", "330106", "330182"):
        places += scatter(rng, shrunk(districts[code], 0.5), 1, 1.0, taken)
    rows: list[Row] = []
    for index, place in enumerate(places):
        kind, low, high = SCHOOL_KINDS[index % 4]
        pupils = int(rng.integers(low, high))
        year = int(rng.integers(1952, 2022))
        rows.append((at(place), [ROOTS[index] + kind, kind, None if index % 7 == 5 else pupils, year]))
    return rows


def bus_rows() -> list[Row]:
    """Stops about every 0.55 km along the lines; where lines meet they share a stop."""
    rng = rng_of("bus_stops")
    stops: list[tuple[Point, list[str]]] = []
    for line, corners in BUS_LINES.items():
        course = wiggle(line, corners, 0.06, 0.1)
        walked = 1.0
        for a, b in pairwise(course):
            walked += float(np.hypot(b[0] - a[0], b[1] - a[1]))
            if walked < 0.55:
                continue
            walked = 0.0
            shared = [names for place, names in stops if np.hypot(place[0] - b[0], place[1] - b[1]) < 0.2]
            if shared:
                shared[0].extend([line] if line not in shared[0] else [])
            else:
                stops.append((b, [line]))
    names = [root + ending for ending in STOP_ENDINGS for root in ROOTS]
    order = rng.permutation(len(names))
    return [(at(place), [names[order[i]], "、".join(lines)]) for i, (place, lines) in enumerate(stops)]


def facility_rows(city: QgsGeometry) -> list[Row]:
    """40 public places with Chinese field names; some have no year, some no area."""
    rng = rng_of("facilities")
    rows: list[Row] = []
    for index, place in enumerate(scatter(rng, shrunk(city, 0.3), 40, 0.5, [])):
        kind = FACILITIES[index % len(FACILITIES)]
        name = ROOTS[int(rng.integers(len(ROOTS)))] + kind
        year, area = int(rng.integers(1965, 2024)), round(float(rng.lognormal(7.2, 0.9)), 1)
        rows.append((at(place), [name, kind, None if index % 6 == 4 else year, None if index % 8 == 6 else area]))
    return rows


def write_table(path: Path, name: str, kind: str, crs: str, fields: list[Column], rows: list[Row]) -> None:
    """Write one table of the GeoPackage."""
    layer = QgsVectorLayer(f"{kind}?crs={crs}", name, "memory")
    provider = layer.dataProvider()
    provider.addAttributes([QgsField(title, type_, len=length) for title, type_, length in fields])
    layer.updateFields()
    features = []
    for geometry, values in rows:
        feature = QgsFeature(layer.fields())
        feature.setGeometry(geometry)
        feature.setAttributes(values)
        features.append(feature)
    provider.addFeatures(features)
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.layerName = "GPKG", name
    actions = QgsVectorFileWriter.ActionOnExistingFile
    options.actionOnExistingFile = actions.CreateOrOverwriteLayer if path.exists() else actions.CreateOrOverwriteFile
    context = QgsProject.instance().transformContext()
    error, message, *_ = QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(path), context, options)
    if error != QgsVectorFileWriter.WriterError.NoError:
        raise OSError(f"{name}: {message}")


def write_dem(path: Path) -> None:
    """120 x 100 cells of 150 m in EPSG:32650, in metres: hills, a plain, a lake and an edge without data."""
    rng = rng_of("dem")
    x, y = np.meshgrid((np.arange(120) - 59.5) * 0.15, (49.5 - np.arange(100)) * 0.15)
    height = 14 + 1.1 * y - 0.8 * x
    for cx, cy, top, wide in HILLS:
        height += top * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * wide * wide))
    for step in (20, 10, 5):
        coarse = rng.normal(0, 1, (100 // step + 2, 120 // step + 2))
        rows, columns = np.arange(100) / step, np.arange(120) / step
        across = np.array([np.interp(columns, np.arange(coarse.shape[1]), line) for line in coarse])
        height += step * 0.5 * np.array([np.interp(rows, np.arange(coarse.shape[0]), line) for line in across.T]).T
    height = np.maximum(height, 2.0)
    height[in_lake(x, y) | (x + 0.6 * y > 11.6)] = -9999
    corner = change("EPSG:4490", "EPSG:32650").transform(QgsPointXY(*CENTRE))
    options = ["COMPRESS=DEFLATE", "PREDICTOR=3", "ZLEVEL=9"]
    raster = gdal.GetDriverByName("GTiff").Create(str(path), 120, 100, 1, gdal.GDT_Float32, options)
    raster.SetGeoTransform((round(corner.x()) - 60 * 150, 150, 0, round(corner.y()) + 50 * 150, 0, -150))
    system = osr.SpatialReference()
    system.ImportFromEPSG(32650)
    raster.SetProjection(system.ExportToWkt())
    raster.GetRasterBand(1).SetNoDataValue(-9999)
    raster.GetRasterBand(1).WriteArray(np.round(height, 1).astype(np.float32))
    raster.FlushCache()


@dataclass(frozen=True)
class Made:
    """How a layer is stored, drawn and described. A ``layer_id`` of up to ten characters would not survive in QGIS."""

    name: str
    layer_id: str
    group: str  # "" is the top of the tree
    symbol: dict[str, str]
    abstract: str
    keywords: list[str]
    aliases: dict[str, str]
    label: tuple[float, str, bool] | None = None  # size in points, colour, bold
    visible: bool = True


LAYERS: list[Made] = [
    Made(
        "schools", "sample_layer_schools", "教育与卫生",
        {"name": "circle", "color": "#1f78b4", "size": "2.8", "outline_color": "#ffffff", "outline_width": "0.3"},
        "学校点位：小学、中学和幼儿园，含在校学生数（部分缺失）和建校年份。", ["学校", "教育"],
        {"name": "学校名称", "kind": "类别", "pupils": "学生数", "year": "建校年份"},
    ),
    Made(
        "hospitals", "sample_layer_hospitals", "教育与卫生",
        {"name": "cross_fill", "color": "#e31a1c", "size": "4.8", "outline_color": "#e31a1c", "outline_width": "0.6"},
        "医院点位：名称、床位数和等级（三甲、二甲等）。", ["医院", "医疗", "卫生"],
        {"name": "医院名称", "beds": "床位数", "level": "等级"}, visible=False,
    ),
    Made(
        "公共设施", "sample_layer_facilities", "",
        {"name": "diamond", "color": "#33a02c", "size": "2.6", "outline_color": "#ffffff", "outline_width": "0.2"},
        "公共服务设施：图书馆、公园、体育馆等，含建成年份和面积（平方米）。", ["图书馆", "公园", "设施"], {},
    ),
    Made(
        "bus_stops", "sample_layer_bus_stops", "",
        {"name": "square", "color": "#5b6770", "size": "1.5", "outline_color": "#ffffff", "outline_width": "0.15"},
        "公交站点和经过的线路。", ["公交", "公交站", "交通"], {},
    ),
    Made(
        "streets", "sample_layer_streets", "行政区划",
        {"color": "253,201,119,110", "outline_color": "#b8691b", "outline_width": "0.5"},
        "云溪区的三个街道（九位代码），含常住人口。", ["街道", "行政区划"],
        {"code": "代码", "name": "街道名称", "pop": "人口"}, (9.5, "#6b3a08", True),
    ),
    Made(
        "districts", "sample_layer_districts", "行政区划",
        {"color": "255,255,255,70", "outline_color": "#7d7269", "outline_width": "0.3"},
        "示例市的区县（六位代码）。有两个城关区，代码不同。", ["区县", "行政区划"],
        {"code": "代码", "name": "区名", "pop": "人口"}, (9.0, "#5a5a5a", False),
    ),
]  # fmt: skip
"""From the top of the map to the bottom; the terrain comes last."""


def labels(size: float, colour: str, bold: bool) -> QgsVectorLayerSimpleLabeling:
    """Labels by name, with a white halo, in a font that has Chinese on each system."""
    text = QgsTextFormat()
    font = text.font()
    font.setFamily("Noto Sans CJK SC")
    font.setBold(bold)
    text.setFont(font)
    text.setFamilies(["Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC"])
    text.setSize(size)
    text.setColor(QColor(colour))
    text.buffer().setEnabled(True)
    text.buffer().setSize(0.8)
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    settings.placement = Qgis.LabelPlacement.Horizontal
    settings.setFormat(text)
    # The default obstacle is the outline only, and the name of a district would land on the streets.
    settings.obstacleSettings().setType(QgsLabelObstacleSettings.ObstacleType.PolygonInterior)
    settings.obstacleSettings().setFactor(2 if bold else 0)
    return QgsVectorLayerSimpleLabeling(settings)


def describe(layer: QgsVectorLayer | QgsRasterLayer, abstract: str, keywords: list[str]) -> None:
    """Chinese metadata, which the search for layers reads."""
    metadata = layer.metadata()
    metadata.setTitle(layer.name())
    metadata.setAbstract(abstract)
    metadata.setLanguage("ZHO")
    metadata.setKeywords({"gmd:topicCategory": [], "keywords": keywords})
    layer.setMetadata(metadata)


def vector_layer(made: Made, gpkg: Path) -> QgsVectorLayer:
    """A table of the GeoPackage as a drawn and described layer."""
    layer = QgsVectorLayer(f"{gpkg}|layername={made.name}", made.name, "ogr")
    layer.setId(made.layer_id)
    area = layer.geometryType() == Qgis.GeometryType.Polygon
    symbol = (QgsFillSymbol if area else QgsMarkerSymbol).createSimple(made.symbol)
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))
    if made.label is not None:
        layer.setLabeling(labels(*made.label))
        layer.setLabelsEnabled(True)
    for field, alias in made.aliases.items():
        layer.setFieldAlias(layer.fields().indexOf(field), alias)
    describe(layer, made.abstract, made.keywords)
    return layer


def dem_layer(path: Path) -> QgsRasterLayer:
    """The terrain in pale colours; class limits are fixed, so no statistics are asked for or stored."""
    layer = QgsRasterLayer(str(path), "dem", "gdal")
    layer.setId("sample_layer_dem")
    colours = [(0, "#e3eedb"), (40, "#eef2d8"), (110, "#f4e6c3"), (220, "#e3c9a0"), (400, "#cba983")]
    ramp = QgsColorRampShader(colours[0][0], colours[-1][0], None, Qgis.ShaderInterpolationMethod.Linear)
    item = QgsColorRampShader.ColorRampItem
    ramp.setColorRampItemList([item(value, QColor(colour), f"{value} m") for value, colour in colours])
    shader = QgsRasterShader(colours[0][0], colours[-1][0])
    shader.setRasterShaderFunction(ramp)
    renderer = QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader)
    renderer.setClassificationMin(colours[0][0])  # else the legend says "nan"
    renderer.setClassificationMax(colours[-1][0])
    renderer.setNodataColor(QColor("#cfe3ee"))
    layer.setRenderer(renderer)
    describe(layer, "数字高程模型，单位米，格网 150 米，湖面和边缘无数据。", ["高程", "地形", "DEM"])
    return layer


def save_project(folder: Path) -> Path:
    """Put the layers into a project beside the data and save it as city.qgs."""
    project = QgsProject.instance()
    project.clear()
    project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    project.setEllipsoid(ELLIPSOID)
    project.setAreaUnits(Qgis.AreaUnit.SquareKilometers)
    project.setFilePathStorage(Qgis.FilePathType.Relative)
    project.setTitle("示例城市 / Sample city")
    metadata = QgsProjectMetadata()
    metadata.setTitle(project.title())
    metadata.setAbstract("虚构的小城市，用于练习和测试。A small fictional city, for practice and tests.")
    metadata.setCreationDateTime(QDateTime.fromString("2025-01-01T00:00:00", Qt.DateFormat.ISODate))
    project.setMetadata(metadata)
    root = project.layerTreeRoot()
    for made in LAYERS:
        layer = vector_layer(made, folder / "city.gpkg")
        project.addMapLayer(layer, False)
        parent = (root.findGroup(made.group) or root.addGroup(made.group)) if made.group else root
        parent.addLayer(layer).setItemVisibilityChecked(made.visible)
    dem = dem_layer(folder / "dem.tif")
    project.addMapLayer(dem, False)
    root.addGroup("地形").addLayer(dem)
    extent = change("EPSG:4490", "EPSG:3857").transformBoundingBox(project.mapLayer("sample_layer_districts").extent())
    extent.scale(1.08)
    project.viewSettings().setDefaultViewExtent(QgsReferencedRectangle(extent, project.crs()))
    path = folder / "city.qgs"
    if not project.write(str(path)):
        raise OSError(project.error())
    return path


def pack(project: Path, target: Path) -> None:
    """The project as a .qgz without what changes from run to run: user, time, random ids, the order of attributes."""
    text = project.read_text(encoding="utf-8")
    known: dict[str, str] = {}

    def fixed(match: re.Match[str]) -> str:
        return known.setdefault(match.group(0), str(uuid.uuid5(uuid.NAMESPACE_URL, f"sample {len(known)}")))

    text = re.sub(r"[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}", fixed, text)
    tree = ElementTree.fromstring(text)
    for name in ("saveUser", "saveUserFull", "saveDateTime"):
        tree.attrib.pop(name, None)
    for element in tree.iter():
        if element.tag == "ProjectStyleSettings":
            # An empty style database with a random name; QGIS makes a new one when none is named.
            element.attrib.pop("projectStyleId", None)
        elif element.tag == "elevation":
            # Symbols for elevation profiles, in random colours.
            for child in [each for each in element if each.tag.startswith("profile")]:
                element.remove(child)
        elif element.tag == "individual-layer-settings":
            element[:] = sorted(element, key=lambda each: each.get("id", ""))
        element.attrib = dict(sorted(element.attrib.items()))
    ElementTree.indent(tree)
    head = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
    entry = zipfile.ZipInfo("city.qgs", (2025, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(entry, head + ElementTree.tostring(tree, encoding="unicode") + "\n", compresslevel=9)


def write_data(folder: Path) -> None:
    """Write city.gpkg and dem.tif."""
    gpkg = folder / "city.gpkg"
    streets = [street_geometry(nodes, outer, area) for _, _, _, area, nodes, outer in STREETS]
    districts = {code: district_geometry(ring) for code, _, _, ring in DISTRICTS}
    named = [("name", TEXT, 20), ("pop", INTEGER, 0)]
    street_rows = [(shape, list(row[:3])) for shape, row in zip(streets, STREETS, strict=True)]
    write_table(gpkg, "streets", "Polygon", "EPSG:4509", [("code", TEXT, 9), *named], street_rows)
    district_rows = [(districts[code], [code, name, pop]) for code, name, pop, _ in DISTRICTS]
    write_table(gpkg, "districts", "Polygon", "EPSG:4490", [("code", TEXT, 6), *named], district_rows)
    fields = [("name", TEXT, 40), ("kind", TEXT, 10), ("pupils", INTEGER, 0), ("year", INTEGER, 0)]
    write_table(gpkg, "schools", "Point", "EPSG:4326", fields, school_rows(streets, districts))
    fields = [("name", TEXT, 40), ("beds", INTEGER, 0), ("level", TEXT, 10)]
    hospitals = [(at(place), [name, beds, level]) for name, beds, level, place in HOSPITALS]
    write_table(gpkg, "hospitals", "Point", "EPSG:4326", fields, hospitals)
    write_table(gpkg, "bus_stops", "Point", "EPSG:4326", [("name", TEXT, 40), ("lines", TEXT, 60)], bus_rows())
    fields = [("名称", TEXT, 40), ("类型", TEXT, 20), ("建成年份", INTEGER, 0), ("面积_平方米", REAL, 0)]
    city = QgsGeometry.unaryUnion(list(districts.values()))
    write_table(gpkg, "公共设施", "Point", "EPSG:4490", fields, facility_rows(city))
    write_dem(folder / "dem.tif")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sample in a folder of its own, then put its three files in place."""
    parser = argparse.ArgumentParser(description="Make the sample project.")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to")
    out: Path = parser.parse_args(arguments).out
    app = QgsApplication([], True, PROFILE)
    app.initQgis()
    QgsSettings().setValue("qgis/walForSqlite3", False)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_data(folder)
        pack(save_project(folder), folder / "city.qgz")
        QgsProject.instance().clear()
        for name in ("city.gpkg", "dem.tif", "city.qgz"):
            shutil.copyfile(folder / name, out / name)
            print(f"{name}: {(out / name).stat().st_size} bytes")
    app.exitQgis()
    shutil.rmtree(PROFILE, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
