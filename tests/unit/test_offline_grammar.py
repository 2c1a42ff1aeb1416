"""What the offline commands make of sentences: a table of what people say, in both languages."""

from __future__ import annotations

import time
from typing import Any

import pytest

from qgis_agent.agent.offline.grammar import Command, Rule
from qgis_agent.agent.offline.modifiers import Modifiers, take_modifiers
from qgis_agent.agent.offline.parser import MAX_LENGTH, parse
from qgis_agent.agent.offline.rules import EXAMPLES, RULES

QUANTILE_5 = Modifiers(classes=5, classification="quantile")

SENTENCES: list[tuple[str, str, dict[str, Any]]] = [
    ("zoom to France", "zoom", {"place": "France"}),
    ("Please zoom to France.", "zoom", {"place": "France"}),
    ("where is 城关区?", "zoom", {"place": "城关区"}),
    ("放大到街道A", "zoom", {"place": "街道A"}),
    ("缩放到学校图层", "zoom", {"place": "学校图层"}),
    ("城关区在哪里？", "zoom", {"place": "城关区"}),
    ("放大到 城关区 (330103)", "zoom", {"place": "城关区 (330103)"}),
    ("定位到城关区（330103）", "zoom", {"place": "城关区(330103)"}),
    ("show me France", "look", {"place": "France"}),
    ("看看街道A", "look", {"place": "街道A"}),
    ("how many schools are in 街道B", "count_in", {"layer": "schools", "place": "街道B"}),
    ("How many schools in 街道B?", "count_in", {"layer": "schools", "place": "街道B"}),
    ("how many schools are in 城关区 (330103)", "count_in", {"layer": "schools", "place": "城关区 (330103)"}),
    ("街道B有多少学校", "count_in", {"layer": "学校", "place": "街道B"}),
    ("街道B里有几所学校？", "count_in", {"layer": "学校", "place": "街道B"}),
    ("在街道B有多少个学校", "count_in", {"layer": "学校", "place": "街道B"}),
    ("有多少学校在街道B里", "count_in", {"layer": "学校", "place": "街道B"}),
    ("这三个街道有多少学校", "count_in", {"layer": "学校", "place": "这三个街道"}),
    ("how many schools are there", "count", {"layer": "schools"}),
    ("count the schools", "count", {"layer": "schools"}),
    ("有多少学校", "count", {"layer": "学校"}),
    ("学校有多少个？", "count", {"layer": "学校"}),
    ("一共有多少所学校", "count", {"layer": "学校"}),
    ("请问有多少医院？", "count", {"layer": "医院"}),
    ("学校的数量是多少", "count", {"layer": "学校"}),
    ("how many schools where pupils > 500", "count", {"layer": "schools", "where": "pupils > 500"}),
    ("count schools per street", "stat", {"layer": "schools", "by": "street"}),
    ("schools per street", "stat", {"layer": "schools", "by": "street"}),
    ("count schools by kind", "stat", {"layer": "schools", "by": "kind"}),
    ("统计每个街道的学校数量", "stat", {"layer": "学校", "by": "街道"}),
    ("每个街道有多少学校", "stat", {"layer": "学校", "by": "街道"}),
    ("按街道统计学校", "stat", {"layer": "学校", "by": "街道"}),
    (
        "colour the streets by area, 5 classes, quantile",
        "colour_by",
        {"layer": "the streets", "field": "area", "modifiers": QUANTILE_5},
    ),
    (
        "color streets by area with 5 classes using equal interval",
        "colour_by",
        {"layer": "streets", "field": "area", "modifiers": Modifiers(5, "equal_interval")},
    ),
    ("按面积给街道分色，5级，分位数", "colour_by", {"layer": "街道", "field": "面积", "modifiers": QUANTILE_5}),
    (
        "按人口把街道分成四级设色，用蓝色系",
        "colour_by",
        {"layer": "街道", "field": "人口", "modifiers": Modifiers(classes=4, palette="Blues")},
    ),
    (
        "给街道按面积自然断点分色",
        "colour_by",
        {"layer": "街道", "field": "面积", "modifiers": Modifiers(classification="natural_breaks")},
    ),
    ("街道按学校密度分色", "colour_by", {"layer": "街道", "field": "学校密度"}),
    ("colour the streets by school density", "colour_by", {"layer": "the streets", "field": "school density"}),
    ("categorize schools by kind", "colour_by", {"layer": "schools", "field": "kind", "categories": "categorize"}),
    ("按类型分类显示学校", "colour_by", {"layer": "学校", "field": "类型", "categories": "分类显示"}),
    ("make schools red", "single", {"layer": "schools", "colour": "red"}),
    ("set the colour of schools to #00ff00", "single", {"layer": "schools", "colour": "#00ff00"}),
    ("把学校改成红色", "single", {"layer": "学校", "colour": "红色"}),
    ("用绿色显示学校", "single", {"layer": "学校", "colour": "绿色"}),
    ("buffer schools 500 m", "buffer", {"layer": "schools", "n": "500", "unit": "m"}),
    ("create a 1.5 km buffer around hospitals", "buffer", {"layer": "hospitals", "n": "1.5", "unit": "km"}),
    ("buffer hospitals 1,000 feet", "buffer", {"layer": "hospitals", "n": "1,000", "unit": "feet"}),
    ("buffer schools 500", "buffer", {"layer": "schools", "n": "500"}),
    ("给学校做500米缓冲区", "buffer", {"layer": "学校", "n": "500", "unit": "米"}),
    ("对医院建立1公里的缓冲区", "buffer", {"layer": "医院", "n": "1", "unit": "公里"}),
    ("学校缓冲500米", "buffer", {"layer": "学校", "n": "500", "unit": "米"}),
    ("hide schools", "hide", {"layers": "schools"}),
    ("turn the hospitals off", "hide", {"layers": "the hospitals"}),
    ("把学校关掉", "hide", {"layers": "学校"}),
    ("请帮我把学校关掉，谢谢", "hide", {"layers": "学校"}),
    ("不显示学校", "hide", {"layers": "学校"}),
    ("show hospitals", "show", {"layers": "hospitals"}),
    ("再叠加医院", "show", {"layers": "医院"}),
    ("把医院图层显示出来", "show", {"layers": "医院图层"}),
    ("show all layers", "show", {"layers": "all layers"}),
    ("what layers are there?", "list_layers", {}),
    ("列出所有图层", "list_layers", {}),
    ("what fields does schools have", "fields", {"layer": "schools"}),
    ("学校有哪些字段", "fields", {"layer": "学校"}),
    ("list the first 10 schools where kind = 小学", "query", {"layer": "schools", "n": "10", "where": "kind = 小学"}),
    ("show schools where kind = 小学", "filter", {"layer": "schools", "shown": "yes", "where": "kind = 小学"}),
    ("top 3 streets by population", "query", {"layer": "streets", "n": "3", "order": "population", "top": "top"}),
    ("列出前10个类型为小学的学校", "query", {"layer": "学校", "n": "10", "where": "类型为小学"}),
    ("查询学校 学生数>500", "query", {"layer": "学校", "where": "学生数>500"}),
    ("前5所学校", "query", {"layer": "学校", "n": "5"}),
    ("export schools to schools.geojson", "export", {"layer": "schools", "path": "schools.geojson"}),
    ("save schools as out/my schools.gpkg", "export", {"layer": "schools", "path": "out/my schools.gpkg"}),
    ("把学校导出为schools.geojson", "export", {"layer": "学校", "path": "schools.geojson"}),
    ("导出学校", "export", {"layer": "学校"}),
    ("how are the schools styled?", "get_style", {"layer": "the schools"}),
    ("学校的图例是什么", "get_style", {"layer": "学校"}),
    ("?", "help", {}),
    ("你能做什么", "help", {}),
]


def only(sentence: str) -> Command:
    commands = parse(sentence)
    assert isinstance(commands, list) and len(commands) == 1, commands
    return commands[0]


@pytest.mark.parametrize(("sentence", "intent", "expected"), SENTENCES, ids=[each[0] for each in SENTENCES])
def test_sentences(sentence: str, intent: str, expected: dict[str, Any]) -> None:
    command = only(sentence)
    words = dict(expected)
    assert command.intent == intent
    assert command.where == words.pop("where", "")
    assert command.modifiers == words.pop("modifiers", Modifiers())
    assert command.words == words


@pytest.mark.parametrize("rule", RULES, ids=[f"{each.intent}-{each.language}-{each.example}" for each in RULES])
def test_each_example_is_understood_as_its_own_rule(rule: Rule) -> None:
    command = only(rule.example)
    assert (command.intent, command.language) == (rule.intent, rule.language)


def test_there_are_at_least_fifteen_commands_in_each_language() -> None:
    for language in ("en", "zh"):
        assert len({rule.intent for rule in RULES if rule.language == language}) >= 15
        assert set(EXAMPLES[language]) <= {rule.example for rule in RULES if rule.language == language}


@pytest.mark.parametrize(
    ("sentence", "intents"),
    [
        ("hide schools, then show hospitals", ["hide", "show"]),
        ("hide schools and show hospitals", ["hide", "show"]),
        ("关掉学校，打开医院", ["hide", "show"]),
        ("zoom to 街道A; count the schools", ["zoom", "count"]),
        ("查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院", ["count_in", "colour_last", "show"]),
        ("hide schools and hospitals", ["hide"]),
        ("隐藏学校、医院", ["hide"]),
    ],
)
def test_several_clauses(sentence: str, intents: list[str]) -> None:
    commands = parse(sentence)
    assert isinstance(commands, list)
    assert [each.intent for each in commands] == intents


@pytest.mark.parametrize(
    "sentence", ["draw me a sheep", "今天天气怎么样", "移除学校", "delete the schools", "确认", "yes", "500", "", "   "]
)
def test_other_sentences_are_not_understood(sentence: str) -> None:
    assert isinstance(parse(sentence), str)


def test_one_unknown_clause_makes_the_whole_unknown_and_is_named() -> None:
    assert parse("hide schools, then draw me a sheep") == "draw me a sheep"


def test_hostile_length_costs_no_time() -> None:
    started = time.perf_counter()
    for text in (
        "how many " * 2000,
        "把" * 5000,
        "的" * MAX_LENGTH,
        ("街道的" * 100)[:MAX_LENGTH],
        ("a by " * 60)[:MAX_LENGTH],
    ):
        parse(text)
    assert time.perf_counter() - started < 2.0


@pytest.mark.parametrize(
    ("sentence", "rest", "modifiers"),
    [
        ("colour streets by pop in 4 classes, natural breaks", "colour streets by pop", Modifiers(4, "natural_breaks")),
        (
            "colour streets by pop, palette Viridis, reversed",
            "colour streets by pop",
            Modifiers(palette="Viridis", reverse=True),
        ),
        ("街道按人口分为七级", "街道按人口分级", Modifiers(classes=7)),
        ("zoom to 5 classes", "zoom to 5 classes", Modifiers()),
    ],
)
def test_modifiers_leave_a_plain_sentence(sentence: str, rest: str, modifiers: Modifiers) -> None:
    assert take_modifiers(sentence) == (rest, modifiers)
