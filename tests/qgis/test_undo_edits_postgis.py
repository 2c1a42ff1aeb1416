"""Undo of edits that were saved in a database: rows and keys come back, what the database did by itself is said before."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench
from qgis.core import QgsVectorLayer
from six_providers import PostgisServer
from test_conditions import postgis  # noqa: F401  the fixture

TABLE = """
create extension if not exists postgis;
drop table if exists undo_places; drop table if exists undo_log;
create table undo_log (what text);
create table undo_places (id serial primary key, name text, n integer, geom geometry(point, 4326));
insert into undo_places (name, n, geom) select 'p' || x, x, st_setsrid(st_point(x, x), 4326) from generate_series(0, 4) as x;
create or replace function undo_told() returns trigger language plpgsql as
  $$ begin insert into undo_log values (tg_op); return null; end $$;
create trigger told after insert or update or delete on undo_places for each row execute function undo_told();
"""
ROWS = "select string_agg(id || name || n || st_astext(geom), ',' order by id) from undo_places"
EDITS: dict[str, dict[str, Any]] = {
    "set": {"where": [{"field": "n", "op": "gte", "value": 3}], "values": [{"field": "n", "value": 9}]},
    "delete": {"where": [{"field": "n", "op": "gte", "value": 3}]},
    "add": {
        "features": [{"wkt": "POINT(7 7)", "values": [{"field": "name", "value": "new"}, {"field": "n", "value": 7}]}]
    },
    "geometry": {"where": [{"field": "n", "op": "eq", "value": 4}], "features": [{"wkt": "POINT(8 8)"}]},
}


@pytest.mark.parametrize("action", sorted(EDITS))
def test_rows_and_keys_come_back(bench: Bench, postgis: PostgisServer, action: str) -> None:  # noqa: F811
    """As the database itself tells them; its triggers ran for the edit and for the undo, which the card said."""
    postgis.sql(TABLE)
    before = postgis.sql(ROWS)
    uri = f'{postgis.uri} key=\'id\' srid=4326 type=Point table="public"."undo_places" (geom)'
    bench.add(QgsVectorLayer(uri, "places", "postgres"))
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    bench.ok("prepare_edit_features", layer_id="places", action=action, options={"save": True}, **EDITS[action])
    assert postgis.sql(ROWS) != before
    assert "triggers" in bench.approver.cards[-1]["undo_words"]
    told = int(postgis.sql("select count(*) from undo_log"))
    report = bench.host.checkpoints.undo("run")
    assert report.complete, report
    assert len(report.not_restorable) == 1 and report.not_restorable[0] in bench.approver.cards[-1]["undo_words"]
    assert postgis.sql(ROWS) == before
    assert int(postgis.sql("select count(*) from undo_log")) > told
