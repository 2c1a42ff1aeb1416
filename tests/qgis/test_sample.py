"""The sample project: what it promises, measured and counted by sqlite3, shapely and pyproj rather than by QGIS."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from osgeo import gdal
from pyproj import CRS, Geod, Transformer
from qgis.core import QgsProject, QgsRasterLayer, QgsSettings, QgsVectorLayer
from shapely.geometry.base import BaseGeometry
from shapely.ops import transform

REPO = Path(__file__).resolve().parents[2]
SAMPLE = REPO / "resources" / "sample"
FILES = {"city.qgz", "city.gpkg", "dem.tif"}
VECTORS = {"streets", "schools", "hospitals", "bus_stops", "districts", "公共设施"}
AREAS_KM2 = {"街道A": 1.85, "街道B": 1.02, "街道C": 2.10}
SCHOOLS = {"街道A": 12, "街道B": 8, "街道C": 5}
DENSITIES = {"街道A": 6.49, "街道B": 7.84, "街道C": 2.38}


class Table:
    """A table of the GeoPackage read without QGIS and without GDAL."""

    def __init__(self, path: Path, name: str) -> None:
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        connection.row_factory = sqlite3.Row
        try:
            column, code = connection.execute(
                "SELECT g.column_name, s.organization_coordsys_id FROM gpkg_geometry_columns g "
                "JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id WHERE g.table_name = ?",
                [name],
            ).fetchone()
            self.rows = [dict(row) for row in connection.execute(f'SELECT * FROM "{name}" ORDER BY fid')]  # noqa: S608
        finally:
            connection.close()
        self.crs = f"EPSG:{code}"
        self.shapes: list[BaseGeometry] = [geopackage_shape(row.pop(column)) for row in self.rows]

    def shapes_in(self, crs: str) -> list[BaseGeometry]:
        """The geometries in another CRS, by pyproj."""
        change = Transformer.from_crs(self.crs, crs, always_xy=True).transform
        return [transform(change, shape) for shape in self.shapes]

    def column(self, field: str) -> list[Any]:
        """The values of a field."""
        return [row[field] for row in self.rows]


def geopackage_shape(blob: bytes) -> BaseGeometry:
    """The geometry of a GeoPackage blob: a head of 8 bytes, an envelope of 0, 4, 6, 6 or 8 doubles, then WKB."""
    doubles = (0, 4, 6, 6, 8)[(blob[3] >> 1) & 7]
    return shapely.from_wkb(blob[8 + 8 * doubles :])


def km2(shape: BaseGeometry) -> float:
    """The area of a polygon in degrees on the ellipsoid of CGCS2000 (that of GRS 80)."""
    area, _ = Geod(ellps="GRS80").geometry_area_perimeter(shape)
    return abs(area) / 1e6


def digests(folder: Path) -> dict[str, str]:
    """The digest of each file."""
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the sample."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "sample"))


@pytest.fixture
def project(qgis_new_project: Any, folder: Path) -> Any:
    """The copy, opened."""
    QgsSettings().setValue("qgis/walForSqlite3", False)
    opened = QgsProject.instance()
    assert opened.read(str(folder / "city.qgz")), opened.error()
    yield opened
    opened.clear()


@pytest.fixture
def streets() -> Table:
    """The three streets."""
    return Table(SAMPLE / "city.gpkg", "streets")


def test_the_layers(project: QgsProject, folder: Path) -> None:
    """Names, ids, sources beside the project, nothing selected."""
    layers = project.mapLayers()
    assert {each.name() for each in layers.values()} == VECTORS | {"dem"}
    assert all(each.isValid() for each in layers.values())
    assert all(Path(each.source().split("|")[0]).parent == folder for each in layers.values())
    ascii_name = {"公共设施": "facilities"}
    assert {key: each.name() for key, each in layers.items()} == {
        f"sample_layer_{ascii_name.get(name, name)}": name for name in VECTORS | {"dem"}
    }
    assert isinstance(project.mapLayersByName("dem")[0], QgsRasterLayer)
    vectors = [each for each in layers.values() if isinstance(each, QgsVectorLayer)]
    assert {each.name() for each in vectors} == VECTORS
    assert not any(each.selectedFeatureCount() for each in vectors)
    assert re.search("学校", project.mapLayersByName("schools")[0].metadata().abstract())
    assert {each.crs().authid() for each in vectors} == {"EPSG:4509", "EPSG:4490", "EPSG:4326"}


def test_the_tree(project: QgsProject) -> None:
    """Groups, what is visible, and points above areas above the terrain."""
    root = project.layerTreeRoot()
    groups = {each.name(): [node.name() for node in each.findLayers()] for each in root.findGroups()}
    assert groups == {"教育与卫生": ["schools", "hospitals"], "行政区划": ["streets", "districts"], "地形": ["dem"]}
    assert [node.name() for node in root.findLayers() if not node.isVisible()] == ["hospitals"]
    assert [each.name() for each in root.layerOrder()][-3:] == ["streets", "districts", "dem"]


def test_the_project(project: QgsProject) -> None:
    """Title, CRS, ellipsoid, and a view of the city."""
    assert project.title() == "示例城市 / Sample city"
    assert (project.crs().authid(), project.ellipsoid()) == ("EPSG:3857", "EPSG:7030")
    districts = Table(SAMPLE / "city.gpkg", "districts").shapes_in("EPSG:3857")
    view = project.viewSettings().defaultViewExtent()
    saved = shapely.box(view.xMinimum(), view.yMinimum(), view.xMaximum(), view.yMaximum())
    city = shapely.union_all(districts)
    assert saved.contains(city)
    assert city.envelope.area > 0.7 * saved.area


def test_the_project_file_is_portable() -> None:
    """Relative paths, no user, nothing but the project inside, and the world map stays outside."""
    with zipfile.ZipFile(SAMPLE / "city.qgz") as archive:
        assert archive.namelist() == ["city.qgs"]
        text = archive.read("city.qgs").decode("utf-8")
    sources = re.findall(r"<datasource>([^<]*)</datasource>", text)
    assert sorted(sources) == sorted(["./dem.tif", *(f"./city.gpkg|layername={name}" for name in VECTORS)])
    assert re.search(r'<Absolute type="bool">false</Absolute>', text)
    assert not re.search(r"saveUser|saveDateTime|world_map|/home/|/root/|/tmp/|/usr/", text)


def test_opening_changes_no_byte(project: QgsProject, folder: Path) -> None:
    """Three small files, and still only those, unchanged, after QGIS has read every feature."""
    for layer in project.mapLayers().values():
        if isinstance(layer, QgsVectorLayer):
            assert layer.featureCount() == len(list(layer.getFeatures()))
    project.clear()
    assert digests(folder) == digests(SAMPLE)
    assert {each.name for each in SAMPLE.iterdir()} == FILES
    assert sum(each.stat().st_size for each in SAMPLE.iterdir()) < 1_500_000


def test_areas_schools_and_densities(streets: Table) -> None:
    """1.85, 1.02 and 2.10 km2 on the ellipsoid, 12, 8 and 5 schools, six more outside; planes and boxes differ."""
    names = streets.column("name")
    areas = dict(zip(names, map(km2, streets.shapes_in("EPSG:4490"))))
    assert areas == pytest.approx(AREAS_KM2, abs=0.0005)
    planar = {name: shape.area / 1e6 for name, shape in zip(names, streets.shapes)}
    assert all(abs(planar[name] - AREAS_KM2[name]) > 0.001 for name in names)
    schools = Table(SAMPLE / "city.gpkg", "schools")
    places = schools.shapes_in(streets.crs)
    found = [[street.contains(place) for place in places] for street in streets.shapes]
    counts = dict(zip(names, map(sum, found)))
    assert counts == SCHOOLS
    assert len(places) == sum(SCHOOLS.values()) + 6
    boxed = [sum(street.envelope.contains(place) for place in places) for street in streets.shapes]
    assert boxed != list(SCHOOLS.values())
    assert {name: round(counts[name] / areas[name], 2) for name in names} == DENSITIES
    # No count hangs on a metre.
    assert min(shape.boundary.distance(place) for shape in streets.shapes for place in places) > 20


def test_the_shape_of_the_streets(streets: Table) -> None:
    """Irregular neighbours without overlap, inside one district, where the six schools outside are not."""
    assert streets.column("code") == ["330110001", "330110002", "330110003"]
    assert all(isinstance(value, int) for value in streets.column("pop"))
    a, b, c = streets.shapes
    assert all(shape.is_valid and len(shape.exterior.coords) > 30 for shape in streets.shapes)
    assert all(shape.area < 0.9 * shape.minimum_rotated_rectangle.area for shape in streets.shapes)
    for one, other in ((a, b), (b, c), (a, c)):
        assert one.intersection(other).area < 1e-6
        assert one.intersection(other).length > 500
    assert shapely.union_all([a, b, c]).geom_type == "Polygon"
    districts = Table(SAMPLE / "city.gpkg", "districts")
    home = dict(zip(districts.column("code"), districts.shapes_in(streets.crs)))["330110"]
    assert all(home.contains(shape) for shape in streets.shapes)
    schools = Table(SAMPLE / "city.gpkg", "schools").shapes_in(streets.crs)
    assert sum(home.contains(place) for place in schools) == sum(SCHOOLS.values())


def test_the_districts() -> None:
    """Eight with six digits; two, and only two, share a name; no overlaps and no gaps; CGCS2000."""
    districts = Table(SAMPLE / "city.gpkg", "districts")
    codes = districts.column("code")
    assert len(codes) == len(set(codes)) == 8
    assert all(re.fullmatch(r"\d{6}", code) for code in codes)
    assert [name for name, count in Counter(districts.column("name")).items() if count > 1] == ["城关区"]
    assert districts.column("name").count("城关区") == 2
    city = shapely.union_all(districts.shapes)
    assert city.geom_type == "Polygon" and not city.interiors
    assert city.area == pytest.approx(sum(shape.area for shape in districts.shapes), rel=1e-9)
    assert CRS.from_user_input(districts.crs) == CRS.from_epsg(4490)


def test_the_points() -> None:
    """Fields, kinds and missing values of the point layers."""
    schools, hospitals, stops, facilities = (
        Table(SAMPLE / "city.gpkg", name) for name in ("schools", "hospitals", "bus_stops", "公共设施")
    )
    assert list(schools.rows[0]) == ["fid", "name", "kind", "pupils", "year"]
    assert set(schools.column("kind")) == {"小学", "中学", "幼儿园"}
    assert 0 < schools.column("pupils").count(None) < 10
    assert len(set(schools.column("name"))) == len(schools.rows) == 31
    assert list(hospitals.rows[0]) == ["fid", "name", "beds", "level"]
    assert len(hospitals.rows) == 9 and hospitals.column("level").count("三甲") == 3
    assert list(stops.rows[0]) == ["fid", "name", "lines"]
    assert 100 <= len(stops.rows) <= 140 and any("、" in lines for lines in stops.column("lines"))
    assert len(set(stops.column("name"))) == len(stops.rows)
    assert list(facilities.rows[0]) == ["fid", "名称", "类型", "建成年份", "面积_平方米"]
    assert len(facilities.rows) == 40
    assert 0 < facilities.column("建成年份").count(None) < 20
    assert 0 < facilities.column("面积_平方米").count(None) < 20


def test_the_terrain() -> None:
    """120 x 100 cells of float32 over the whole city, with declared cells without data."""
    source = gdal.Open(str(SAMPLE / "dem.tif"))
    band = source.GetRasterBand(1)
    assert (source.RasterXSize, source.RasterYSize, band.DataType) == (120, 100, gdal.GDT_Float32)
    heights = band.ReadAsArray()
    empty = heights == band.GetNoDataValue()
    assert 20 < int(empty.sum()) < heights.size / 4
    assert 0 < float(heights[~empty].min()) < 10 and 200 < float(heights[~empty].max()) < 400
    assert np.isfinite(heights).all()
    left, size, _, top, _, _ = source.GetGeoTransform()
    raster = shapely.box(left, top - 100 * size, left + 120 * size, top)
    epsg = int(source.GetSpatialRef().GetAuthorityCode(None))
    assert all(raster.contains(shape) for shape in Table(SAMPLE / "city.gpkg", "districts").shapes_in(f"EPSG:{epsg}"))


def test_the_script_makes_this_sample(tmp_path: Path) -> None:
    """Two runs give the same bytes, and the features are those in the repo."""
    for name in ("one", "two"):
        command = [sys.executable, str(REPO / "scripts" / "make_sample.py"), "--out", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert set(digests(tmp_path / "one")) == FILES
    for name in VECTORS:
        made, kept = Table(tmp_path / "one" / "city.gpkg", name), Table(SAMPLE / "city.gpkg", name)
        assert (made.rows, made.crs) == (kept.rows, kept.crs)
        tolerance = 0.02 if name == "streets" else 2e-7
        assert all(a.equals_exact(b, tolerance) for a, b in zip(made.shapes, kept.shapes))
