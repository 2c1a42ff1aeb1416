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


COLUMNS = {
    "type": "Weingut geheim",
    "status": "insolvent",
    "kind": "verpachtet",
    "mode": "heimlich",
    "unit": "Fuder",
    "format": "Doppelstueck",
    "reason": "Scheidung",
    "name": "Clara Geheim",
    "title": "Erbhof",
    "height": 8101.5,
    "width": 8102.5,
    "total": 8103.5,
    "count": 8104.5,
    "k": 8105.5,
    "run": 8106.5,
    "step": 8107.5,
    "verkauft": True,
}
"""A record whose columns are called as keys of the program are."""


def with_step(args: dict[str, Any], data: dict[str, Any], tool: str = "query_features") -> dict[str, Any]:
    """The run, with one more step."""
    made = trace()
    step = {"step": 3, "tool": tool, "args": args, "result": result_of({"ok": True, "data": data}), "actions": []}
    made["steps"].append(step)
    return made


def texts_of(value: Any) -> list[str]:
    """Every key and value below a value, spelled out."""
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in [str(key), *texts_of(each)]]
    return [text for each in value for text in texts_of(each)] if isinstance(value, list) else [str(value)]


@pytest.mark.parametrize("container", ["rows", "values", "features", "table"])
def test_columns_called_like_keys_of_the_program_hold_values(container: str) -> None:
    found = redacted([with_step({container: [COLUMNS]}, {container: [COLUMNS]})], ["values"])[0]["steps"][2]
    left = {text for part in (found["args"], found["result"]["data"]) for text in texts_of(part)}
    assert [each for each in COLUMNS.values() if str(each) in left] == []
    assert list(found["args"][container][0]) == list(COLUMNS)  # "values" alone leaves the names


def test_columns_called_like_keys_of_the_program_are_names_too() -> None:
    """And the frame of the trace stays readable, though a column is called "tool", "args" and "result"."""
    columns = dict.fromkeys([*COLUMNS, "tool", "args", "result", "data", "steps", "layers"], 1)
    line = json.loads(to_line(redacted([with_step({"layer_id": "Weinberg"}, {"rows": [columns]})], ["names"])[0]))
    step = checked(line)["steps"][2]
    assert all(each.startswith("field_") for each in step["result"]["data"]["rows"][0])
    assert (step["tool"], list(step["args"])) == ("query_features", ["layer_id"])
    assert list(line["state_in"]["layers"]) == line["state_in"]["visible"] == [step["args"]["layer_id"]]


def test_a_layer_called_like_a_tool_or_a_key_is_renamed_and_the_tool_is_not() -> None:
    text = json.dumps(trace(), ensure_ascii=False).replace("Weinberg", "points").replace('"points Süd"', '"measure"')
    made = json.loads(text)
    made["steps"][0]["tool"] = "measure"
    found = redacted([made], ["names"])[0]
    assert found["steps"][0]["tool"] == "measure"
    assert "points" not in texts_of(found["state_in"]) and "measure" not in texts_of(found["state_in"])


def test_a_known_field_is_a_column_wherever_it_stands() -> None:
    """A layer with columns "status" and "count": what a result says under these is the data's."""
    asked = {"layer_id": "Weinberg", "fields": ["status", "count"]}
    data = {"first": {"status": "insolvent", "count": 8104.5}, "unit": "ha", "total": 2}
    found = redacted([with_step(asked, data)], ["values"])[0]["steps"][2]["result"]["data"]
    assert not {"insolvent", "8104.5"} & set(texts_of(found))
    assert (found["unit"], found["total"]) == ("ha", 2)


EXPRESSION = '"Besitzer" = \'Anna Muster\' AND "Ertrag" > 4711.5'


@pytest.mark.parametrize(
    "args",
    [
        {"algorithm": "native:extractbyexpression", "parameters": {"INPUT": "Weinberg", "EXPRESSION": EXPRESSION}},
        {"algorithm": "x:y", "parameters": {"type": "Anna Muster", "count": 4711.5, "LIST": [{"unit": "Anna Muster"}]}},
        {"layer_id": "Weinberg", "formula": EXPRESSION},
        {"layer_id": "Weinberg", "expression": EXPRESSION},
        {"layer_id": "Weinberg", "filter": EXPRESSION},
        {"layer_id": "Weinberg", "contains": "Anna"},
        {"layer_id": "Weinberg", "options": {"match": "Anna Muster", "above": 4711.5, "expression": EXPRESSION}},
        {"layer_id": "Weinberg", "patch": {"renderer": {"rules": {"r1": {"filter": EXPRESSION}}, "max": 4711.5}}},
    ],
)
def test_what_a_call_says_of_the_data_is_taken_out(args: dict[str, Any]) -> None:
    made = with_step(args, {}, "run_algorithm")
    values = json.dumps(redacted([made], ["values"])[0]["steps"][2])
    assert [each for each in ("Anna", "4711.5") if each in values] == []
    found = redacted([made], ["names", "values"])[0]["steps"][2]
    assert "Besitzer" not in json.dumps(found)
    assert found["args"].get("algorithm") == args.get("algorithm")
    layer = found["args"].get("layer_id") or found["args"]["parameters"].get("INPUT", "layer_1")
    assert layer == "layer_1"


@pytest.mark.parametrize("kinds", [["values"], ["names"]])
def test_how_something_was_computed_is_a_sentence(kinds: list[str]) -> None:
    """``method`` is a word of the program ("graduated"), and the formula where there is one."""
    data = {"field": "Ertrag", "method": "Ertrag * 4711.5; $area, $length: EPSG:7030", "crs": "EPSG:4326 WGS 84"}
    found = redacted([with_step({"layer_id": "Weinberg"}, data)], kinds)[0]["steps"][2]["result"]["data"]
    assert ("4711.5" if "values" in kinds else "Ertrag") not in json.dumps(found)
    assert found["crs"] == "EPSG:4326 WGS 84"


def test_a_field_that_only_an_expression_names_is_renamed() -> None:
    made = with_step({"layer_id": "Weinberg", "formula": '"Geheimfeld" * 2'}, {"field": "Geheimfeld"})
    assert "Geheimfeld" not in to_line(redacted([made], ["names"])[0])


def test_the_limits_of_a_style_are_values() -> None:
    made = trace()
    made["final"]["map_state"]["styles"] = {"Weinberg": {"renderer": {"type": "pseudocolor", "max": 368.25, "band": 1}}}
    style = next(iter(redacted([made], ["values"])[0]["final"]["map_state"]["styles"].values()))["renderer"]
    assert style["max"] != 368.25 and (style["type"], style["band"]) == ("pseudocolor", 1)
