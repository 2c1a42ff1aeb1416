"""Points in polygons on numpy: against shapely (also on borders), the ways to read points against each other, hostile input."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from conftest import memory_layer
from qgis.core import (
    QgsApplication,
    QgsFeedback,
    QgsGeometry,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProject,
    QgsVectorFileWriter,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)

from qgis_agent.gis.analysis.vector.point_arrays import (
    Points,
    arrow_place,
    read_arrow,
    read_source,
)
from qgis_agent.gis.analysis.vector.point_in_polygon import (
    Rows,
    edges_of,
)
from qgis_agent.processing.points_in_polygons import PointsInPolygonsAlgorithm
from qgis_agent.processing.provider import QgisAgentProvider


def star(rng: random.Random, x: float, y: float, size: float) -> Any:
    """A star-shaped polygon with a hole of the same shape."""
    turns = sorted(rng.random() * 2 * np.pi for _ in range(rng.randrange(4, 40)))
    ring = [(np.cos(turn), np.sin(turn)) for turn in turns]
    radii = [size * (0.4 + 0.6 * rng.random()) for _ in turns]
    outer = [(x + r * east, y + r * north) for (east, north), r in zip(ring, radii)]
    hole = [(x + 0.3 * r * east, y + 0.3 * r * north) for (east, north), r in zip(ring, radii)]
    return shapely.Polygon(outer, [hole])


def check(shape: Any, places: Any) -> None:
    """The same points inside and on the border as by shapely's exact predicates."""
    inside, border = Rows(places).inside(edges_of(QgsGeometry.fromWkt(shape.wkt)))
    shape = shapely.from_wkt(shape.wkt)
    points = shapely.points(places)
    assert sorted(inside) == np.flatnonzero(shapely.contains(shape, points)).tolist()
    assert sorted(border) == np.flatnonzero(shapely.touches(shape, points)).tolist()


def test_random_polygons_with_holes() -> None:
    """40 polygons, 2,000 points each, of which some lie on vertices and edges."""
    rng = random.Random(7)
    for _ in range(40):
        shape = shapely.make_valid(star(rng, rng.random() * 10, rng.random() * 10, 1 + rng.random() * 5))
        if shape.geom_type != "Polygon":
            continue
        shape = shapely.from_wkt(shape.wkt)
        vertices = np.array(shape.exterior.coords)
        middles = (vertices[1:] + vertices[:-1]) / 2
        check(shape, np.concatenate([np.random.default_rng(3).random((2000, 2)) * 14 - 2, vertices, middles]))


def test_borders_on_a_grid() -> None:
    """Whole numbers hit edges and corners exactly; a multipolygon, horizontal and slanting edges."""
    shape = shapely.MultiPolygon(
        [
            shapely.Polygon([(0, 0), (6, 0), (6, 6), (3, 3), (0, 6)], [[(2, 1), (4, 1), (3, 2)]]),
            shapely.box(10, 0, 12, 2),
        ]
    )
    check(shape, np.array([(x / 2, y / 2) for x in range(-2, 28) for y in range(-2, 16)]))


def test_far_from_the_origin() -> None:
    """Coordinates of a national grid, points a nanometre beside a slanting border."""
    a, b = (500_000.123, 5_500_000.456), (500_700.789, 5_501_000.012)
    shape = shapely.Polygon([a, b, (500_900.0, 5_500_100.0)])
    line = np.linspace(0, 1, 301)[:, None] * (np.array(b) - np.array(a)) + np.array(a)
    check(shape, np.concatenate([line, line + (1e-9, 0), line - (1e-9, 0), line + (0, 1e-9)]))


def test_shapes_that_are_not_flat_polygons() -> None:
    """Z and M are left aside; a curve becomes segments; an empty polygon holds nothing."""
    places = np.array([(0.5, 0.5), (5.0, 5.0)])
    for wkt in (
        "POLYGONZ((0 0 1,1 0 2,1 1 3,0 1 4,0 0 1))",
        "MULTIPOLYGONZM(((0 0 1 9,1 0 2 9,1 1 3 9,0 1 4 9,0 0 1 9)))",
        "CURVEPOLYGON(CIRCULARSTRING(-1 0,0 1,1 0,0 -1,-1 0))",
    ):
        inside, _ = Rows(places).inside(edges_of(QgsGeometry.fromWkt(wkt)))
        assert inside.tolist() == [0], wkt
    inside, border = Rows(places).inside(edges_of(QgsGeometry.fromWkt("POLYGON EMPTY")))
    assert not len(inside) and not len(border)
    inside, border = Rows(np.empty((0, 2))).inside(edges_of(QgsGeometry.fromWkt("POLYGON((0 0,1 0,1 1,0 0))")))
    assert not len(inside) and not len(border)


def source_layer(kind: str = "Point") -> QgsVectorLayer:
    rng = random.Random(11)
    rows: list[tuple[str | None, list[Any]]] = []
    for n in range(500):
        place = f"{rng.random()!r} {rng.random()!r}"
        number = None if n % 5 == 0 else n
        rows.append(
            (None if n % 50 == 7 else f"{kind}({place}{' 3' if kind == 'PointZ' else ''})", [number, n / 7, "é"])
        )
    return memory_layer(f"{kind}?crs=EPSG:4326&field=a:integer&field=b:double&field=t:string(9)", rows, "points")


def written(layer: QgsVectorLayer, folder: Path, driver: str) -> QgsVectorLayer:
    path = str(folder / {"GPKG": "p.gpkg", "FlatGeobuf": "p.fgb", "ESRI Shapefile": "p.shp"}[driver])
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = driver
    QgsVectorFileWriter.writeAsVectorFormatV3(layer, path, layer.transformContext(), options)
    made = QgsVectorLayer(path, "points", "ogr")
    assert made.isValid()
    return made


def same(one: Points, other: Points) -> bool:
    """Whether both hold the same; rows may come in another order."""
    if (one.rows, one.without_geometry, one.multipart) != (other.rows, other.without_geometry, other.multipart):
        return False
    orders = [np.lexsort(each.places.T) for each in (one, other)]
    columns = [
        np.column_stack([each.places, *(each.values[name][each.owners] for name in sorted(each.values))])[order]
        for each, order in zip((one, other), orders)
    ]
    return np.array_equal(columns[0], columns[1], equal_nan=True)


@pytest.mark.parametrize("driver", ["GPKG", "FlatGeobuf", "ESRI Shapefile"])
@pytest.mark.parametrize("kind", ["Point", "PointZ"])
def test_columns_are_what_qgis_reads(tmp_path: Path, driver: str, kind: str) -> None:
    """The same points, NULL and rows without a geometry by both ways."""
    layer = written(source_layer(kind), tmp_path, driver)
    place = arrow_place(layer)
    assert place is not None
    fast = read_arrow(place, ["a", "b"], QgsFeedback())
    slow = read_source(QgsVectorLayerFeatureSource(layer), ["a", "b"], QgsFeedback())
    assert (slow.rows, slow.without_geometry) == ((490, 0) if driver == "FlatGeobuf" else (500, 10))
    if fast is None:
        pytest.skip("this GDAL reads no columns")
    assert same(fast, slow)
    assert np.isnan(fast.values["a"]).sum() >= 90


def test_what_is_read_feature_by_feature(tmp_path: Path) -> None:
    """A filter, edits, a virtual field, memory: QGIS knows more than the file."""
    layer = written(source_layer(), tmp_path, "GPKG")
    layer.setSubsetString('"a" > 10')
    assert arrow_place(layer) is None
    layer.setSubsetString("")
    assert arrow_place(layer) is not None
    layer.startEditing()
    assert arrow_place(layer) is None
    layer.rollBack()
    from qgis.core import QgsField
    from qgis.PyQt.QtCore import QMetaType

    layer.addExpressionField("1", QgsField("v", QMetaType.Type.Int))
    assert arrow_place(layer) is None and arrow_place(source_layer()) is None and arrow_place(None) is None


def test_multipoints_are_not_read_in_columns(tmp_path: Path) -> None:
    """Their WKB has no fixed size: None, and feature by feature each point is one."""
    rows = [("MULTIPOINT((0 0),(1 1))", [1]), ("MULTIPOINT((2 2))", [2])]
    layer = written(memory_layer("MultiPoint?crs=EPSG:4326&field=a:integer", rows), tmp_path, "GPKG")
    place = arrow_place(layer)
    assert place is not None and read_arrow(place, [], QgsFeedback()) is None
    slow = read_source(QgsVectorLayerFeatureSource(layer), ["a"], QgsFeedback())
    assert slow.owners.tolist() == [0, 0, 1] and slow.multipart == 1


def run(**parameters: Any) -> tuple[dict[str, Any], bool, str]:
    registry = QgsApplication.processingRegistry()
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())
    context, feedback = QgsProcessingContext(), QgsProcessingFeedback()
    context.setProject(QgsProject.instance())
    algorithm = registry.createAlgorithmById("qgisagent:pointsinpolygons")
    results, good = algorithm.run({"OUTPUT": "memory:", **parameters}, context, feedback)
    return results, good, feedback.textLog()


def test_the_algorithm_refuses_what_it_cannot_do(qgis_new_project: Any) -> None:
    """A text field and a function that does not exist are errors with a reason."""
    polygons = memory_layer("Polygon?crs=EPSG:4326", [("POLYGON((0 0,1 0,1 1,0 1,0 0))", [])], "areas")
    points = source_layer()
    for wrong in (["t", "sum", "x"], ["a", "median", "x"], ["zz", "sum", "x"]):
        _, good, log = run(POLYGONS=polygons, POINTS=points, AGGREGATES=wrong)
        assert not good and "cannot be computed" in log
    results, good, _ = run(POLYGONS=polygons, POINTS=points, AGGREGATES=["a", "max", "most"])
    assert good and results["COUNTED_POINTS"] == 490 and results["OUTSIDE"] == 0 and results["TWICE"] == 0


def test_a_wrong_count_is_noticed(qgis_new_project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """GEOS looks at a sample; a test that finds the opposite ends the run."""
    right = Rows.inside
    monkeypatch.setattr(Rows, "inside", lambda self, edges: right(self, edges)[::-1])
    polygons = memory_layer("Polygon?crs=EPSG:4326", [("POLYGON((0 0,1 0,1 1,0 1,0 0))", [])], "areas")
    _, good, log = run(POLYGONS=polygons, POINTS=source_layer())
    assert not good and "GEOS" in log
    assert PointsInPolygonsAlgorithm().name() == "pointsinpolygons"
