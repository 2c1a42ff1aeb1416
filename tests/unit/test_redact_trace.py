"""Redaction of traces: nothing of what was taken out stands anywhere in the line, and the same thing has one pseudonym."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qgis_agent.agent.records.redact_trace import redacted
from qgis_agent.bridge.trace import checked, result_of, to_line


def trace() -> dict[str, Any]:
    """A run on layers of a person's own."""
    rows = [{"Besitzer": "Anna Muster", "Ertrag": 4711.5}, {"Besitzer": "Bert Beispiel", "Ertrag": 12.25}]
    data = {"rows": rows, "total": 2, "result_ref": "query_features:7b0c8b7e-9c86-4d0b-8f7e-7a3d2c1b0a99"}
    state = {
        "visible": ["Weinberg"],
        "layers": {"Weinberg": {"name": "Weinberg Süd", "group": "Familie", "crs": "EPSG:25832"}},
        "selection": {"Weinberg": [17]},
        "filters": {"Weinberg": "\"Besitzer\" = 'Anna Muster'"},
        "view": {"bbox": [11.123456, 48.5, 11.2, 48.6], "crs": "EPSG:4326"},
    }
    return {
        "schema": "qgis-agent/trace/1",
        "trace_id": "tr_20261130_0123abcd",
        "session_id": "s-deadbeef",
        "user_text": "Zeig mir den Weinberg Süd von Anna Muster",
        "project": {"name": "Hof Muster", "key": "feedfacefeedface", "path": "/home/anna/hof/hof.qgz"},
        "versions": {"model": "script", "qgis": "3.40.6"},
        "aliases": {"Weinberg": {"layer_id": "wein_7b0c8b7e", "name": "Weinberg Süd", "source_digest": "aa11bb22"}},
        "state_in": state,
        "steps": [
            {
                "step": 1,
                "call_id": "call_77",
                "tool": "query_features",
                "args": {
                    "layer_id": "Weinberg",
                    "fields": ["Besitzer", "Ertrag"],
                    "where": [{"field": "Besitzer", "op": "eq", "value": "Anna Muster"}],
                },
                "result": result_of({"ok": True, "data": data}),
                "actions": [],
                "ms": 12,
            },
            {
                "step": 2,
                "call_id": "call_78",
                "tool": "set_render_rule",
                "args": {"layer_id": "Weinberg", "method": "graduated", "field": "Ertrag", "palette": "Reds"},
                "result": result_of({"ok": False, "code": "INVALID_PARAM", "reason": "field"}),
                "actions": [],
                "ms": 3,
            },
        ],
        "final": {
            "ok": True,
            "termination": "completed",
            "answer": "Anna Muster: 4711.5 von Weinberg",
            "map_state": state,
        },
    }


SECRETS = {
    "names": ["Weinberg", "Besitzer", "Ertrag", "Familie", "Hof Muster"],
    "ids": ["7b0c8b7e", "s-deadbeef", "feedface", "call_77", "tr_2026", "aa11bb22"],
    "values": ["Anna", "Bert", "4711.5", "12.25", "11.123456"],
}


@pytest.mark.parametrize(
    "kinds", [["names"], ["ids"], ["names", "ids"], ["names", "ids", "values"], ["names", "values"]]
)
def test_nothing_of_it_is_left(kinds: list[str]) -> None:
    line = to_line(redacted([trace()], kinds)[0])
    checked(json.loads(line))
    assert "/home/anna" not in line
    for kind in kinds:
        assert [each for each in SECRETS[kind] if each in line] == []


def test_what_was_not_asked_for_stays() -> None:
    line = to_line(redacted([trace()], ["ids"])[0])
    assert [each for each in SECRETS["names"] + SECRETS["values"] if each not in line] == []


def test_it_can_still_be_read_and_says_what_was_taken_out() -> None:
    found = redacted([trace()], ["names", "ids", "values"])[0]
    assert found["redacted"] == ["ids", "names", "values"]
    first, second = found["steps"]
    assert (first["tool"], second["tool"]) == ("query_features", "set_render_rule")
    assert second["result"]["code"] == "INVALID_PARAM" and second["args"]["method"] == "graduated"
    layer = first["args"]["layer_id"]
    assert layer.startswith("layer_") and second["args"]["layer_id"] == layer
    assert found["state_in"]["visible"] == [layer] and list(found["aliases"]) == [layer]
    assert (
        first["args"]["where"][0]["field"]
        == first["args"]["fields"][0]
        == next(iter(first["result"]["data"]["rows"][0]))
    )
    assert first["args"]["where"][0]["value"] == first["result"]["data"]["rows"][0][first["args"]["fields"][0]]
    assert first["result"]["data"]["total"] == 2
    assert found["state_in"]["selection"][layer] != [17]


def test_two_traces_of_a_conversation_have_the_same_pseudonyms() -> None:
    one, other = redacted([trace(), trace()], ["names", "ids"])
    assert one == other


def test_nothing_asked_for_changes_nothing() -> None:
    assert redacted([trace()], []) == [trace()]
