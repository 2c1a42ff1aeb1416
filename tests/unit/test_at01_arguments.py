"""AT1: malformed argument texts. What can be read in one way only is read; cut off or doubled texts never become a call."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge, FakeClient, answer, calls
from hypothesis import given, settings
from hypothesis import strategies as st

from qgis_agent.agent.execution.arguments import LENIENT_EFFECTS, ArgumentError, arguments_of
from qgis_agent.agent.execution.repair import ReadArguments, read_arguments
from qgis_agent.agent.execution.tool_runtime import ToolExecution
from qgis_agent.agent.governance.factory import build_single_call_runtime
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import ToolCall

QUERY = REGISTRY.get("query_features").parameters  # type: ignore[union-attr]
OPEN: dict[str, Any] = {"type": "object"}
LAYER = {"layer_id": "schools"}
ROWS = {"layer_id": "schools", "limit": 5}
SORTED = {"layer_id": "schools", "descending": True}
FIELDS = {"layer_id": "schools", "fields": ["name", "level"]}
LEVEL_A = {"layer_id": "schools", "where": [{"field": "level", "op": "eq", "value": "A"}]}

# Slips of the five kinds of AT1, with what they say, written by hand. None: refused (it could mean two things).
SYNTACTIC: list[tuple[str, dict[str, Any] | None]] = [
    # a comma too many
    ('{"layer_id": "schools",}', LAYER),
    ('{"layer_id": "schools", "limit": 5,}', ROWS),
    ('{"layer_id": "schools" , }', LAYER),
    ('{"layer_id": "schools",\n}', LAYER),
    ('{"layer_id": "schools", "fields": ["name", "level",]}', FIELDS),
    ('{"layer_id": "schools", "fields": ["name", "level" , ], }', FIELDS),
    ('{"layer_id": "schools", "where": [{"field": "level", "op": "eq", "value": "A",},],}', LEVEL_A),
    ('{"layer_id": "schools", "descending": true,}', SORTED),
    ('{"layer_id": "schools",, "limit": 5}', None),
    # single quotes
    ("{'layer_id': 'schools'}", LAYER),
    ("{'layer_id': 'schools', 'limit': 5}", ROWS),
    ("{'layer_id': \"schools\"}", LAYER),
    ("{\"layer_id\": 'schools'}", LAYER),
    ("{'layer_id': 'schools', 'fields': ['name', 'level']}", FIELDS),
    ("{'layer_id': 'schools', 'where': [{'field': 'level', 'op': 'eq', 'value': 'A'}]}", LEVEL_A),
    ("{'layer_id': 'St John\\'s'}", {"layer_id": "St John's"}),
    ("{'layer_id': \"St John's\"}", {"layer_id": "St John's"}),
    ("{'layer_id': '街道'}", {"layer_id": "街道"}),
    ("{'layer_id': 'say \"x\"'}", {"layer_id": 'say "x"'}),
    ("{layer_id: 'schools'}", LAYER),
    # raw control characters
    ('{"layer_id": "two\nlines"}', {"layer_id": "two\nlines"}),
    ('{"layer_id": "a\ttab"}', {"layer_id": "a\ttab"}),
    ('{"layer_id": "a\r\nb"}', {"layer_id": "a\r\nb"}),
    ('{"layer_id": "bell\x07"}', {"layer_id": "bell\x07"}),
    ('{"layer_id": "a\n\n\tb", "limit": 5}', {"layer_id": "a\n\n\tb", "limit": 5}),
    ('{"layer_id": "schools", "order_by": "a\x1fb"}', {"layer_id": "schools", "order_by": "a\x1fb"}),
    ('{"layer_id": "街\n道"}', {"layer_id": "街\n道"}),
    # a code fence around it, and white space that JSON does not know
    ('```json\n{"layer_id": "schools"}\n```', LAYER),
    ('```\n{"layer_id": "schools"}\n```', LAYER),
    ('```JSON\n{"layer_id": "schools", "limit": 5}\n```\n', ROWS),
    ('\n```json\n{\n  "layer_id": "schools",\n}\n```', LAYER),
    ('```json{"layer_id": "schools"}```', LAYER),
    ("```python\n{'layer_id': 'schools', 'descending': True}\n```", SORTED),
    ('\ufeff{"layer_id": "schools"}', LAYER),
    ('{"layer_id":\u00a0"schools"}', LAYER),
    ('\u3000{"layer_id": "schools"}\u3000', LAYER),
    ('```json\n{"layer_id": "schools"}\n``` ```', None),
    # literals of Python
    ('{"layer_id": "schools", "descending": True}', SORTED),
    ('{"layer_id": "schools", "descending": True, "order_by": None}', SORTED),
    ("{'layer_id': 'schools', 'descending': False}", {"layer_id": "schools", "descending": False}),
    (
        "{'layer_id': 'schools', 'where': [{'field': 'open', 'op': 'eq', 'value': True}]}",
        {"layer_id": "schools", "where": [{"field": "open", "op": "eq", "value": True}]},
    ),
    ("{'layer_id': 'schools', 'where': None, 'limit': 5}", ROWS),
    ('{"layer_id": "schools", "descending": TRUE}', None),
]

# Texts that were cut off, hold more than one object, or cannot be read in one way only.
NEVER = [
    '{"layer_id": "sch',
    '{"layer_id": "schools"',
    '{"layer_id": "schools", "limit": 10',
    '{"layer_id": "schools", "limit": 1',
    '{"layer_id": "schools", "limit"',
    '{"layer_id": "schools", "limit":',
    '{"layer_id": "schools",',
    '{"layer_id": "schools", "fields": ["name"',
    '{"layer_id": "schools", "fields": ["name"]',
    '{"layer_id": "schools", "where": [{"field": "level", "op": "eq", "value": "A"}]',
    '{"layer_id": "schools", "where": [{"field": "level", "op": "eq", "value": "A"',
    '{"layer_id": "schools\\',
    '{"layer_id": "schools\\"}',
    '{"layer_id": "\\u8857\\u90',
    "{'layer_id': 'schools'",
    "{'layer_id': 'schools",
    "{layer_id: 'sch",
    '```json\n{"layer_id": "schools"}\n',
    '```json\n{"layer_id": "schools"\n```',
    '```json\n{"layer_id": "sch\n```',
    '```json\n{"layer_id": "schools"} and',
    "{",
    "{'",
    '{"layer_id": "POLYGON((0 0, 1 0, 1 1',
    # two of them
    '{"layer_id": "schools"}{"layer_id": "hospitals"}',
    '{"layer_id": "schools"} {"layer_id": "hospitals"}',
    '{"layer_id": "schools"}\n{"layer_id": "schools"}',
    '{"layer_id": "schools"},{"layer_id": "hospitals"}',
    '{}{"layer_id": "schools"}',
    '{"layer_id": "schools"}{}',
    "{'layer_id': 'schools'}{'layer_id': 'hospitals'}",
    '```json\n{"layer_id": "schools"}\n{"layer_id": "hospitals"}\n```',
    '[{"layer_id": "schools"}, {"layer_id": "hospitals"}]',
    '"{\\"layer_id\\": \\"schools\\"}{\\"layer_id\\": \\"hospitals\\"}"',
    '{"layer_id": "schools"} and then {"layer_id": "hospitals"}',
    # anything more
    '{"layer_id": "schools"}}',
    '{"layer_id": "schools"};',
    'Here it is: {"layer_id": "schools"}',
    '{"layer_id": "schools"} Done.',
    # escapes and quotes that may mean two things
    '{"layer_id": "C:\\data\\new"}',
    '{"layer_id": "C:\\new\\table.gpkg"}',
    '{"layer_id": "C:\\\\data\\new"}',
    '{"layer_id": "data\\new.shp"}',
    '{"layer_id": "\\\\server\\team"}',
    '{"layer_id": "C:\\bin"}',
    '{"layer_id": "C:\\users"}',
    '{"layer_id": "\\x41"}',
    "{'layer_id': 'C:\\data'}",
    "{'layer_id': 'St John's'}",
    '{"layer_id": "the "big" one"}',
    '{"layer_id": "\\ud83d"}',
    # numbers that are none
    '{"layer_id": "schools", "limit": 0x10}',
    '{"layer_id": "schools", "limit": 1_000}',
    '{"layer_id": "schools", "limit": 1,000}',
    '{"layer_id": "schools", "limit": 010}',
    '{"layer_id": "schools", "limit": NaN}',
    '{"layer_id": "schools", "limit": Infinity}',
    '{"layer_id": "schools", "limit": -Infinity}',
    '{"layer_id": "schools", "limit": 1e999}',
    '{"layer_id": "schools", "limit": 1' + "0" * 400 + "}",
    '{"layer_id": "schools", "limit": 5 rows}',
]

# Invalid JSON of the kinds that tests of JSON readers have: none may become a call of a tool that writes.
INVALID_JSON = [
    '{"a":"b"}/**/',
    '{"a":"b"}//',
    '{"a":"b"}#',
    '{"a":"b",}',
    '{"a":"b",,"c":"d"}',
    '{,"a":"b"}',
    '{"a" "b"}',
    '{"a"}',
    '{"a":}',
    '{:"b"}',
    '{"a"::"b"}',
    '{a:"b"}',
    "{'a':'b'}",
    "{'a':0}",
    '{"a":b}',
    '{"a":"b" "c":"d"}',
    '{"a":"b"',
    '{"a":["b"}',
    '{"a":["b",]}',
    '{"a":[,"b"]}',
    '{"a":[1 2]}',
    '{"a":[}',
    '{"a":]}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":5.}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":01}',
    '{"a":-}',
    '{"a":- 1}',
    '{"a":0x1}',
    '{"a":NaN}',
    '{"a":-Infinity}',
    '{"a":nul}',
    '{"a":True}',
    '{"a":None}',
    '{"a":"\t"}',
    '{"a":"\n"}',
    '{"a":"\x00"}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":"\\uqqqq"}',
    '{"a":"\\"}',
    '{"a":"\\\U0001f600"}',
    '{"a":"b}',
    "\ufeff{}",
    "{\u00a0}",
    "{\x0c}",
    "{}}",
    "{}{}",
    "{} x",
    "{1:1}",
    "{null:null}",
    "[",
    "{",
    "}",
    '"',
    "<null>",
    "```json\n{}\n```",
    "\u2060{}",
]


def call(bench: Bench, name: str, raw: str, bridge: FakeBridge) -> ToolExecution:
    runtime = build_single_call_runtime(REGISTRY, bench.context(bridge, caller="cli"), PROFILES["gis-build"])
    return asyncio.run(runtime.execute(ToolCall("c1", name, raw), "c1"))


def read(raw: str, schema: Any = OPEN, lenient: bool = True) -> ReadArguments | None:
    try:
        return read_arguments(raw, schema, lenient=lenient)
    except ArgumentError:
        return None


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_at01_slips_of_syntax_are_read(bench: Bench) -> None:
    """At least 90 % of them run with the arguments that the table has; the rest is refused, none runs otherwise."""
    right = 0
    for raw, expected in SYNTACTIC:
        bridge = FakeBridge()
        execution = call(bench, "query_features", raw, bridge)
        got = [each["arguments"] for each in bridge.requests]
        assert got == ([] if expected is None else [expected]), (raw, execution.envelope)
        assert bool(execution.repairs) is (expected is not None), raw
        right += expected is not None
    assert right >= 0.9 * len(SYNTACTIC)
    assert len(SYNTACTIC) + len(NEVER) >= 60


@pytest.mark.parametrize("raw", NEVER)
def test_at01_cut_off_doubled_and_unclear_texts_never_run(bench: Bench, raw: str) -> None:
    """0 executed calls, of a tool that reads and of one that writes; the answer says what is wrong and how to write it."""
    bridge = FakeBridge()
    for name in ("query_features", "prepare_export_layer"):
        envelope = call(bench, name, raw, bridge).envelope
        assert (envelope["ok"], envelope["code"], envelope["reason"]) == (False, "INVALID_PARAM", "tool_arguments")
        assert "cannot be read as JSON" in envelope["message"]
        assert envelope["hint"]
    assert bridge.requests == []


@pytest.mark.parametrize("raw", INVALID_JSON)
def test_at01_writing_takes_strict_json_only(raw: str) -> None:
    """The texts are none for Python's reader either (NaN and the like apart, which it takes)."""
    if "NaN" not in raw and "Infinity" not in raw:
        with pytest.raises(ValueError):
            json.loads(raw)
    assert read(raw, lenient=False) is None


def test_at01_a_writing_tool_gets_nothing_repaired(bench: Bench) -> None:
    """Neither syntax nor names nor values; the same slips in a tool that reads do run."""
    slips = ["{'layer_id': 'schools', 'path': 'a.gpkg'}", '{"layer": "schools", "path": "a.gpkg"}']
    bridge = FakeBridge()
    for raw in [*slips, '{"layer_id": "schools", "path": "a.gpkg", "path": "b.gpkg"}']:
        assert call(bench, "prepare_export_layer", raw, bridge).envelope["code"] == "INVALID_PARAM"
    assert bridge.requests == []
    assert call(bench, "prepare_export_layer", ' {"layer_id": "schools", "path": "a.gpkg"}\n', bridge).envelope["ok"]
    for effect in ("read", "view", "create"):
        assert arguments_of("{'a': 1}", OPEN, effect=effect, origin="native").arguments == {"a": 1}
    for effect in ("write", "execute", "network", "something new"):
        with pytest.raises(ArgumentError):
            arguments_of("{'a': 1}", OPEN, effect=effect, origin="native")
    assert not LENIENT_EFFECTS & {"write", "execute", "network"}


def test_at01_calls_out_of_a_text_are_strict_json_with_values_of_strings() -> None:
    """Their markup knows strings only, so the schema says what a value is; a slip of JSON is none of the markup's."""
    raw = '{"layerId": "schools", "limit": "5", "descending": "True", "fields": "[\\"name\\", \\"level\\"]", "where": null}'
    expected = {**FIELDS, "limit": 5, "descending": True}
    assert arguments_of(raw, QUERY, effect="read", origin="text").arguments == expected
    written = json.loads(raw)
    kept = arguments_of(raw, QUERY, effect="write", origin="text").arguments
    assert kept == {key: written[key] for key in ("layerId", "limit", "descending", "fields")}
    for slip in (
        "{'layer_id': 'schools'}",
        '{"layer_id": "schools",}',
        '{"layer_id": "a", "layer_id": "b"}',
        NEVER[23],
    ):
        with pytest.raises(ArgumentError):
            arguments_of(slip, QUERY, effect="read", origin="text")
    inner = '{"layer_id": "schools", "fields": "[\'name\']"}'
    assert arguments_of(inner, QUERY, effect="read", origin="native").arguments["fields"] == ["name"]
    assert arguments_of(inner, QUERY, effect="read", origin="text").arguments["fields"] == "['name']"


def test_at01_the_raw_text_is_in_the_trace(bench: Bench) -> None:
    """Byte for byte, of calls that were repaired and of calls that were refused."""
    raws = ["{'layer_id': 'schools',}", '{"layer_id": "sch', '{"layer_id":\t"schools"}{"layer_id": "schools"}']
    bridge = FakeBridge()
    bench.run("count the schools", FakeClient(calls(*(("count_features", raw) for raw in raws)), answer("Ok.")), bridge)
    records = [json.loads(line) for line in bench.path.read_text(encoding="utf-8").splitlines()]
    assert [each["raw"] for each in records if each["t"] == "call"] == raws
    assert [each["arguments"] for each in bridge.requests] == [LAYER]


@pytest.mark.parametrize(
    ("raw", "words", "hint"),
    [
        ('{"layer_id": "sch', "not closed at character 14, near '\"sch'", "cut off"),
        ('{"layer_id": "schools", "limit": 10', "at character 36, where the text ends", "cut off"),
        ('{"a": 1}{"a": 2}', "more text follows the value at character 9", "exactly one"),
        ('{"a": "C:\\data"}', "the escape \\d in a string is not clear at character 10", "two (\\\\)"),
        ('{"a": "C:\\bin"}', "the escape \\b in a string is not clear at character 10", "two (\\\\)"),
        ('{"a": schools}', "'schools' is text without quotes at character 7", "double quotes"),
        ('{"a": 1 "b": 2}', "a comma or } after the value that begins at character 2 is wanted at character 9", ""),
        ("{'a' 1}", "a colon is wanted at character 6", ""),
        ('{"a": 5 m}', "at character 9", ""),
        ('{"a": 5m}', "5 is followed by 'm' at character 8", ""),
        ("{'a': 1e999}", "the number 1e999 is out of range at character 7", ""),
        ("{'a': " + "[" * 30 + "]" * 30 + "}", "nested more than 20 deep at character 26", ""),
        ("{'a': \"\\ud83d\"}", "half a character", ""),
        ("5", "one JSON object is wanted, not a number", ""),
        ('"{\\"a\\": \\"b"', "in the string that is the arguments: this string is not closed", "cut off"),
    ],
)
def test_at01_refusals_quote_the_position(raw: str, words: str, hint: str) -> None:
    """Counted by hand, from 1, in the raw text."""
    with pytest.raises(ArgumentError) as caught:
        read_arguments(raw, OPEN, lenient=True)
    assert words in caught.value.envelope["message"]
    assert hint in caught.value.envelope["hint"]


def test_at01_what_is_forgiven_is_noted() -> None:
    """A note each; none for what is right. A key that is there twice: the last one counts."""
    assert read('{"layer_id": "schools"}', QUERY) == ReadArguments(LAYER)
    assert read(" \r\n\t") == ReadArguments({})
    twice = '{"a": 1, "a": 2}'
    assert read(twice) == ReadArguments({"a": 2}, ("a: given twice, the last one counts",))
    assert read(twice.replace('"', "'")) == ReadArguments(
        {"a": 2}, ("single quotes", "a: given twice, the last one counts")
    )
    assert read(twice, lenient=False) is None
    raw = "```json\n{a: 'x\ny', 'b': [True, None,],\u00a0}\n```"
    assert read(raw) == ReadArguments(
        {"a": "x\ny", "b": [True, None]},
        (
            "code fence",
            "key without quotes",
            "control character in a string",
            "single quotes",
            "True of Python",
            "None of Python",
            "trailing comma",
            "white space that is not of JSON",
        ),
    )
    assert read("{'a': '\\ud83d\\ude00\\n\\/'}") == ReadArguments({"a": "😀\n/"}, ("single quotes",))
    assert read("{'a': {}, 'b': [ ], 'c': [-1.5e1, 0]}").arguments == {"a": {}, "b": [], "c": [-15.0, 0]}  # type: ignore[union-attr]


# Characters that Python's repr writes as they are: its other escapes (\x, \U) are none of JSON.
TEXTS = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


@settings(max_examples=100, deadline=None)
@given(OBJECTS, st.booleans())
def test_at01_valid_json_is_read_as_it_is(value: dict[str, Any], ascii_only: bool) -> None:
    """The same dict in both modes, nothing noted; and Python's repr of it says the same to the lenient reader."""
    raw = json.dumps(value, ensure_ascii=ascii_only)
    assert read(raw) == read(raw, lenient=False) == ReadArguments(value)
    found = read(repr(value))
    assert found is not None
    assert found.arguments == value


@settings(max_examples=100, deadline=None)
@given(OBJECTS, st.sampled_from([json.dumps, repr]), st.data())
def test_at01_a_text_cut_anywhere_is_refused(value: dict[str, Any], write: Any, data: st.DataObject) -> None:
    """Cut at any byte, in both modes, whether the whole was strict JSON or Python's way of writing."""
    whole = write(value).encode()
    at = data.draw(st.integers(1, len(whole) - 1))
    part = whole[:at].decode("utf-8", "replace")
    assert read(part) is None
    assert read(part, lenient=False) is None


@settings(max_examples=100, deadline=None)
@given(
    OBJECTS, OBJECTS, st.sampled_from(["", " ", "\n", ",", ";", "\n\n", " and "]), st.sampled_from([json.dumps, repr])
)
def test_at01_two_objects_are_refused(first: Any, second: Any, between: str, write: Any) -> None:
    """Whatever stands between them; also in a code fence, in a string, and for a parameter that wants an object."""
    both = write(first) + between + write(second)
    assert read(both) is None
    assert read(both, lenient=False) is None
    assert read(f"```json\n{both}\n```") is None
    assert read(json.dumps(both)) is None
    kept = read(json.dumps({"options": both}), {"type": "object", "properties": {"options": {"type": "object"}}})
    assert kept is not None
    assert kept.arguments == {"options": both}
