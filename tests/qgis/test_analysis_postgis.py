"""Joins and selections where both layers lie in one PostGIS: the database finds the pairs, and they are those found here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsVariantUtils,
    QgsVectorLayer,
)
from six_providers import PostgisServer
from test_conditions import postgis  # noqa: F401  the fixture

from qgis_agent.gis.analysis.joins.postgis import (
    HOW,
    server_pairs,
)
from qgis_agent.gis.errors import ToolError

PREDICATES = ["intersects", "within", "contains", "touches", "overlaps", "equals", "crosses"]
TABLES = '''
create schema if not exists "wo rk";
drop table if exists "wo rk"."The ""Points""";
drop table if exists "wo rk".cells;
create table "wo rk"."The ""Points""" ("Key" bigserial primary key, n integer, "the geom" geometry(point, 32650));
insert into "wo rk"."The ""Points""" (n, "the geom")
  select x * 100 + y, st_setsrid(st_point(x / 2.0, y / 2.0), 32650)
  from generate_series(0, 49) as x, generate_series(0, 39) as y;
create index on "wo rk"."The ""Points""" using gist ("the geom");
create table "wo rk".cells (id integer primary key, name text, geom geometry(polygon, 32650));
insert into "wo rk".cells
  select x * 10 + y - 50, 'c' || x || y, st_setsrid(st_makeenvelope(x * 3, y * 3, x * 3 + 4, y * 3 + 3), 32650)
  from generate_series(0, 8) as x, generate_series(0, 6) as y;
create index on "wo rk".cells using gist (geom);
'''


@pytest.fixture
def opened(bench: Bench, postgis: PostgisServer) -> Callable[..., QgsVectorLayer]:  # noqa: F811
    """Opens a table of the database: points, cells, or the name of another one."""
    postgis.sql("create extension if not exists postgis")
    postgis.sql(TABLES)

    def open_(name: str, subset: str = "", **changed: str) -> QgsVectorLayer:
        parts = {
            "points": {"key": "Key", "type": "Point", "table": '"wo rk"."The \\"Points\\""', "geom": "the geom"},
            "cells": {"key": "id", "type": "Polygon", "table": '"wo rk"."cells"', "geom": "geom"},
        }[name]
        parts = {"srid": "32650", **parts, **changed}
        uri = "{} key='{key}' srid={srid} type={type} table={table} ({geom})".format(postgis.uri, **parts)
        layer = QgsVectorLayer(uri, name, "postgres")
        assert layer.isValid(), layer.dataProvider().error().summary()
        if subset:
            assert layer.setSubsetString(subset)
        return bench.add(layer)

    return open_


def copy(bench: Bench, layer: QgsVectorLayer, name: str) -> QgsVectorLayer:
    """The same features in memory."""
    made = layer.materialize(QgsFeatureRequest())
    made.setName(name)
    return bench.add(made)


def rows(bench: Bench, data: dict[str, Any]) -> list[tuple[Any, ...]]:
    """All attributes of a result, in an order of their own."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    found = [
        tuple(None if QgsVariantUtils.isNull(each) else each for each in feature.attributes())
        for feature in layer.getFeatures()
    ]
    return sorted(found, key=str)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_the_database_finds_the_same_pairs(bench: Bench, opened: Callable[..., QgsVectorLayer], predicate: str) -> None:
    """Points and cells with shared borders, both ways; negative and 64-bit keys; names that need quotes."""
    for left, right in (("points", "cells"), ("cells", "points"), ("cells", "cells")):
        layers = [opened(left)] + ([] if left == right else [opened(right)])
        here = [copy(bench, each, f"{each.name()} here").name() for each in layers]
        asked = {"predicate": predicate, "options": {"mode": "one_to_many"}}
        there = bench.ok("spatial_join", layer_id=left, join_layer_id=right, **asked)
        local = bench.ok("spatial_join", layer_id=alias(bench, here[0]), join_layer_id=alias(bench, here[-1]), **asked)
        assert there["method"] == HOW and local["method"] != HOW
        told = ("rows_in", "rows_out", "matched", "unmatched", "multiple", "pairs", "join_unused")
        assert [there[each] for each in told] == [local[each] for each in told]
        if there["layer_id"]:
            assert rows(bench, there) == rows(bench, local)
        one = bench.ok("select_by_location", layer_id=left, by_layer_id=right, predicate=predicate)
        two = bench.ok(
            "select_by_location",
            layer_id=alias(bench, here[0]),
            by_layer_id=alias(bench, here[-1]),
            predicate=predicate,
        )
        assert one["method"] == HOW and one["selected"] == two["selected"] == there["matched"]
        assert selected(bench, layers[0].name()) == selected(bench, here[0])
        bench.host.project.removeAllMapLayers()


def alias(bench: Bench, name: str) -> str:
    """The alias of a layer by its name."""
    return str(bench.host.layers.alias(bench.host.project.mapLayersByName(name)[0]))


def selected(bench: Bench, name: str) -> list[tuple[Any, ...]]:
    """Attributes of the selected features."""
    (layer,) = bench.host.project.mapLayersByName(name)
    return sorted(tuple(each.attributes()) for each in layer.selectedFeatures())


def test_filters_and_conditions_hold(bench: Bench, opened: Callable[..., QgsVectorLayer]) -> None:
    """The layers' own filters go into the SQL, conditions of the call are QGIS's; the count is PostGIS's own."""
    opened("points", '"n" < 1000')
    opened("cells", "\"name\" <> 'c00'")
    data = bench.ok("spatial_join", layer_id="points", join_layer_id="cells", options={"mode": "one_to_many"})
    assert data["method"] == HOW and data["rows_in"] == 400
    server = server_pairs(*(bench.host.layers.by_alias(each) for each in ("points", "cells")), "intersects")
    assert server is not None
    pairs = server.pairs(QgsFeedback())
    assert pairs is not None and sum(map(len, pairs.values())) == data["pairs"]
    found = bench.ok(
        "select_by_location",
        layer_id="points",
        by_layer_id="cells",
        options={
            "where": [{"field": "n", "op": "lt", "value": 300}],
            "by_where": [{"field": "name", "op": "eq", "value": "c01"}],
        },
    )
    assert found["method"] == HOW
    layer = bench.host.layers.by_alias("points")
    # c01 is x 0 to 4, y 3 to 6; n < 300 are x 0, 0.5 and 1
    assert {each["n"] for each in layer.selectedFeatures()} == {x * 100 + y for x in range(3) for y in range(6, 13)}


def test_the_sums_of_the_database(bench: Bench, opened: Callable[..., QgsVectorLayer], postgis: PostgisServer) -> None:  # noqa: F811
    """A summary's counts are those that SQL written in this test gives."""
    opened("points")
    opened("cells")
    data = bench.ok(
        "spatial_join",
        layer_id="cells",
        join_layer_id="points",
        predicate="contains",
        fields=["n"],
        options={"mode": "summary"},
    )
    text = postgis.sql(
        'select c.id, count(*), sum(p.n) from "wo rk".cells c join "wo rk"."The ""Points""" p '
        'on st_contains(c.geom, p."the geom") group by c.id order by c.id'
    )
    wanted = {tuple(map(int, line.split("|"))) for line in text.split()}
    assert {(each[0], each[2], int(each[3])) for each in rows(bench, data)} == wanted and data["method"] == HOW


def test_what_is_done_here_instead(
    bench: Bench,
    opened: Callable[..., QgsVectorLayer],
    postgis: PostgisServer,  # noqa: F811
) -> None:
    """Open edits, a CRS set by hand, no index, geography, invalid polygons: the features are compared here, and it is right."""
    points, cells = opened("points"), opened("cells")
    assert server_pairs(points, cells, "intersects") is not None
    assert server_pairs(points, cells, "within_distance") is None
    cells.startEditing()
    new = QgsFeature(cells.fields())
    new.setAttributes([1000, "new"])
    new.setGeometry(QgsGeometry.fromWkt("POLYGON((100 100,101 100,101 101,100 101,100 100))"))
    assert cells.addFeature(new) and server_pairs(points, cells, "intersects") is None
    cells.rollBack()
    points.setCrs(QgsCoordinateReferenceSystem("EPSG:32651"))
    assert server_pairs(points, cells, "intersects") is None
    points.setCrs(QgsCoordinateReferenceSystem("EPSG:32650"))
    postgis.sql(
        "update \"wo rk\".cells set geom = st_geomfromtext('POLYGON((0 0,4 4,4 0,0 4,0 0))', 32650) where id = -50"
    )
    pairs = server_pairs(points, cells, "intersects")
    assert pairs is not None and pairs.pairs(QgsFeedback()) is None and pairs.left_ids(QgsFeedback()) is None
    envelope = bench.call("select_by_location", layer_id="points", by_layer_id="cells", predicate="within")
    assert envelope["data"]["method"] != HOW and "1 invalid" in envelope["message"]
    postgis.sql(
        'drop table if exists "wo rk".round; create table "wo rk".round (id serial primary key, '
        'geog geography(point, 4326)); create index on "wo rk".round using gist (geog);'
        'insert into "wo rk".round (geog) values (st_point(1, 1)::geography)'
    )
    around = opened("points", table='"wo rk"."round"', key="id", geom="geog", srid="4326")
    pairs = server_pairs(around, around, "intersects")
    assert pairs is not None and pairs.pairs(QgsFeedback()) is None
    memory = bench.add(memory_layer("Point?crs=EPSG:32650", [("POINT(1 1)", [])], "memory"))
    assert server_pairs(memory, cells, "intersects") is None


def test_the_database_is_only_read(
    bench: Bench,
    opened: Callable[..., QgsVectorLayer],
    postgis: PostgisServer,  # noqa: F811
) -> None:
    """No row is written, no table is made, and a stopped question answers CANCELLED."""
    opened("points")
    opened("cells")
    seen = "select sum(n_tup_ins + n_tup_upd + n_tup_del), count(*) from pg_stat_all_tables where schemaname = 'wo rk'"
    postgis.sql("select pg_stat_force_next_flush()")
    before = postgis.sql(seen)
    bench.ok("spatial_join", layer_id="points", join_layer_id="cells")
    bench.ok("select_by_location", layer_id="points", by_layer_id="cells")
    assert postgis.sql(seen) == before
    feedback = QgsFeedback()
    feedback.cancel()
    pairs = server_pairs(*(bench.host.layers.by_alias(each) for each in ("points", "cells")), "intersects")
    assert pairs is not None
    with pytest.raises(ToolError) as caught:
        pairs.pairs(feedback)
    assert caught.value.envelope["code"] == "CANCELLED"
