"""What is sent of an append-only history: cuts, the person's words, skeletons, limits by level. Pure and stable."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_history import turns
from protocol_check import problem_of

from qgis_agent.agent.context.limits import LEVELS, TABLE, ContextLimits, Level, higher, pressure
from qgis_agent.agent.context.projection import CUT_MARK, EARLIER, Projection, boundaries, project, safe_cut
from qgis_agent.agent.context.skeleton import LEFT_OUT, clipped_arguments, clipped_result, skeleton
from qgis_agent.agent.llm.tokens import estimate_tokens

Message = dict[str, Any]
LIMITS = ContextLimits()
HISTORY = [message for added in turns(30) for message in added]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def batch(*idents: str, arguments: str = "{}", **more: Any) -> list[Message]:
    calls = [
        {"id": each, "type": "function", "function": {"name": "count_features", "arguments": arguments}}
        for each in idents
    ]
    results = [{"role": "tool", "tool_call_id": each, "content": f'{{"ok":true,"data":"{each}"}}'} for each in idents]
    return [{"role": "assistant", "content": "", "tool_calls": calls, **more}, *results]


def is_boundary(history: list[Message], cut: int) -> bool:
    """By the definition: no call before the cut has a result behind it."""
    before = {call["id"] for each in history[:cut] for call in each.get("tool_calls") or ()}
    return not any(each.get("tool_call_id") in before for each in history[cut:])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, len(HISTORY)))
def test_no_cut_parts_a_call_from_its_result(seed: int, cut: int) -> None:
    """Also where messages were moved about: a cut goes back to a boundary, and boundaries are exactly what the definition says."""
    chance = random.Random(seed)
    history = list(HISTORY)
    for _ in range(chance.randint(0, 6)):
        history.insert(chance.randrange(len(history)), history.pop(chance.randrange(len(history))))
    history.append(user("end"))
    places = boundaries(history)
    assert places == [each for each in range(len(history) + 1) if is_boundary(history, each)]
    assert safe_cut(history, cut) == max(each for each in places if each <= cut)
    assert safe_cut(history, len(history) + 5) == places[-1]


@pytest.mark.parametrize("cut", range(0, len(HISTORY) + 1, 7))
@pytest.mark.parametrize("level", LEVELS)
def test_a_projection_is_valid_pure_and_its_own_fixed_point(cut: int, level: Level) -> None:
    before = json.dumps(HISTORY)
    idents = [each["tool_call_id"] for each in HISTORY if each["role"] == "tool"]
    view = Projection("old", cut, frozenset(idents[: cut // 2]), level, cut // 2)
    shown = project(HISTORY, view, LIMITS)
    assert json.dumps(HISTORY) == before
    assert problem_of(shown) is None
    assert shown == project(HISTORY, view, LIMITS)
    again = Projection("", 0, view.pruned, level, 0)
    assert project(shown, again, LIMITS) == shown


def test_a_cut_in_the_middle_of_a_batch_moves_back_to_its_beginning() -> None:
    """The call before the cut and its result behind it: both are shown, whatever the projection asks for."""
    call = {"id": "c1", "type": "function", "function": {"name": "zoom_to", "arguments": "{}"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "zoom"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"ok": true}'},
        {"role": "assistant", "content": "Done."},
    ]
    shown = project(history, Projection("What was before.", cut=2), ContextLimits())
    assert [each["role"] for each in shown] == ["user", "assistant", "tool", "assistant"]
    assert problem_of(shown) is None


def test_nothing_is_projected_by_an_empty_projection() -> None:
    """And new messages only come behind: the prefix stays the same."""
    assert project(HISTORY, Projection(), LIMITS) == HISTORY
    view = Projection("s", 20, frozenset({"call_20", "call_21"}), "hot", 30)
    whole = project(HISTORY, view, LIMITS)
    for length in range(40, len(HISTORY), 5):
        part = project(HISTORY[:length], view, LIMITS)
        assert whole[: len(part)] == part


def test_an_open_batch_is_not_cut_off_but_an_interrupted_one_is() -> None:
    """Results of the last batch may still come; those of an earlier one never will."""
    waiting = [user("a"), *batch("x", "y")[:2]]
    assert boundaries(waiting) == [0, 1]
    assert safe_cut(waiting, 3) == 1
    interrupted = [*waiting, user("b")]
    assert boundaries(interrupted) == [0, 1, 3, 4]
    assert safe_cut(interrupted, 3) == 3
    assert safe_cut(interrupted, -1) == 0
    assert boundaries([]) == [0]
    orphan = [user("a"), {"role": "tool", "tool_call_id": "nobody", "content": "{}"}, user("b")]
    assert boundaries(orphan) == [0, 1, 2, 3]


def test_the_persons_words_stay_word_for_word() -> None:
    """Before the cut only these stay; a note stands for the answers where another of their messages follows."""
    history = [user("one"), *batch("a"), {"role": "assistant", "content": "done"}, user("two"), *batch("b")]
    assert project(history, Projection("s", 4), LIMITS) == [
        user("one"), {"role": "assistant", "content": EARLIER}, user("two"), *batch("b"),
    ]  # fmt: skip
    assert project(history, Projection("s", 5), LIMITS) == [user("one"), user("two"), *batch("b")]
    assert project(history, Projection("s", 7), LIMITS) == [user("one"), user("two")]


def test_the_persons_words_have_a_budget_newest_first() -> None:
    """The oldest one that still fits in part is cut with a mark; older ones are the summary's."""
    history = [user(f"{at} " + "word " * 100) for at in range(10)] + batch("a")
    view = Projection("s", 10)
    for budget in (0, 15, 60, 101, 250, 450, 2000):
        shown = project(history, view, ContextLimits(user_tokens=budget))
        words = [each["content"] for each in shown if each["role"] == "user"]
        assert sum(map(estimate_tokens, words)) <= budget
        whole = [each for each in words if not each.endswith(CUT_MARK)]
        assert whole == [each["content"] for each in history[10 - len(whole) : 10]]
        assert [each.endswith(CUT_MARK) for each in words].count(True) <= 1
        assert words[0].endswith(CUT_MARK) if len(words) > len(whole) else True
    assert len(whole) == 10
    partly = project(history, view, ContextLimits(user_tokens=250))
    assert partly[0]["content"].startswith("7 word word")
    assert partly[0]["content"].endswith(CUT_MARK)


def test_words_in_parts_are_kept_without_counting_pictures() -> None:
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}
    assert project([picture, *batch("a")], Projection("s", 1), LIMITS)[0] == picture


def test_pruned_results_are_skeletons_and_others_are_not() -> None:
    content = json.dumps({"ok": True, "data": {"result_ref": "r1", "rows": [1] * 200}, "message": "many"})
    history = [user("a"), *batch("x", "y")]
    history[2] = {**history[2], "content": content}
    shown = project(history, Projection(pruned=frozenset({"x"})), LIMITS)
    assert json.loads(shown[2]["content"]) == {
        "ok": True,
        "data": {"tool": "count_features", "call_id": "x", "result_ref": "r1"},
        "message": LEFT_OUT,
    }
    assert shown[3] is history[3]
    in_parts = [
        user("a"),
        batch("x")[0],
        {"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "t"}]},
    ]
    assert project(in_parts, Projection(pruned=frozenset({"x"})), LIMITS) == in_parts


def test_a_level_holds_what_was_there_to_its_limits() -> None:
    """Results and long texts in arguments before ``seen``; not those behind it, and no message that a provider signed."""
    code = json.dumps({"code": "x = 1\n" * 1000, "name": "short"})
    long = json.dumps({"ok": True, "data": {"rows": [{"text": "y" * 50, "id": at} for at in range(60)]}, "message": ""})
    history = [
        user("a"),
        *batch("c1", arguments=code),
        *batch("c2", arguments=code, echo={"sign": 1}),
        *batch("c3", arguments=code),
    ]
    for at in (2, 4, 6):
        history[at] = {**history[at], "content": long}
    shown = project(history, Projection(level="overflow", seen=5), LIMITS)
    first = json.loads(shown[1]["tool_calls"][0]["function"]["arguments"])
    assert len(first["code"]) <= TABLE["overflow"].code_chars
    assert first["name"] == "short"
    assert [len(shown[at]["content"]) <= 1024 for at in (2, 4, 6)] == [True, True, False]
    assert shown[3] is history[3]
    assert shown[5:] == history[5:]
    assert project(batch("c9"), Projection(level="overflow", seen=2), LIMITS) == batch("c9")


FULL = {
    "result_ref": "ref-1",
    "layer_id": "schools",
    "layer_ids": ["a", "b"],
    "total": 940,
    "feature_count": 12,
    "confirm_token": "tok",
    "nested": {"buffer_id": "b-1", "rows": [{"layer_id": "not looked into"}], "text": "long"},
    "rows": [{"fid": at, "name": "街道"} for at in range(40)],
    "long_id": "x" * 200,
    "odd_id": {"a": 1},
    "empty_ids": [],
    "many_ids": ["y" * 100] * 9,
}


def test_a_skeleton_keeps_what_can_be_read_again() -> None:
    """Tool, call, ok or code, handles, layers, counts; rows, texts and what is too long are gone."""
    made = json.loads(skeleton(json.dumps({"ok": True, "data": FULL, "message": "m"}), "query_features", "c1"))
    assert made["data"] == {
        "tool": "query_features", "call_id": "c1", "result_ref": "ref-1", "layer_id": "schools", "layer_ids": ["a", "b"],
        "total": 940, "feature_count": 12, "confirm_token": "tok", "buffer_id": "b-1",
    }  # fmt: skip
    failed = {
        "ok": False,
        "code": "NOT_FOUND",
        "reason": "layer",
        "retryable": True,
        "message": "m" * 300,
        "hint": "h" * 90,
    }
    made = json.loads(skeleton(json.dumps(failed), "zoom_to", "c2"))
    assert {key: made[key] for key in ("ok", "code", "reason", "retryable")} == {
        "ok": False, "code": "NOT_FOUND", "reason": "layer", "retryable": True,
    }  # fmt: skip
    assert "hint" not in made


def test_a_skeleton_is_small_and_never_longer_than_what_it_stands_for() -> None:
    many = {f"n{at}_id": at for at in range(400)}
    made = skeleton(json.dumps({"ok": True, "data": many, "message": ""}), "t", "c")
    assert len(made) < 800
    for content in ('{"ok":true}', "", "no json", '{"ok":true,"data":[1,2],"message":""}'):
        assert skeleton(content, "tool", "c") == content
    text = "plain " * 100
    assert json.loads(skeleton(text, "t", "c"))["data"] == {"tool": "t", "call_id": "c"}
    for content in (made, skeleton(text, "t", "c")):
        assert skeleton(content, "t", "c") == content


@pytest.mark.parametrize("limit", [1024, 2048, 4096])
def test_a_clipped_result_fits_and_is_json_with_its_handle(limit: int) -> None:
    rows = [{"fid": at, "name": "街道" * 30} for at in range(60)]
    content = json.dumps(
        {"ok": True, "data": {"result_ref": "r" * 40, "total": 60, "rows": rows}, "message": "m" * 900}
    )
    made = clipped_result(content, limit)
    assert len(made) <= limit
    assert json.loads(made)["data"]["result_ref"] == "r" * 40
    assert json.loads(made)["data"]["total"] == 60
    assert clipped_result(made, limit) == made


def test_what_cannot_be_clipped_becomes_a_skeleton_or_a_beginning() -> None:
    wide = json.dumps({"ok": True, "data": {f"key{at}": at for at in range(400)} | {"total": 7}, "message": ""})
    made = json.loads(clipped_result(wide, 1024, "describe_layer", "c9"))
    assert made["data"] == {"tool": "describe_layer", "call_id": "c9", "total": 7}
    assert clipped_result("z" * 5000, 1024).startswith("zzz")
    assert len(clipped_result("z" * 5000, 1024)) == 1024
    for odd in ('{"a": NaN, ' + '"b": "' + "x" * 3000 + '"}', '{"a": 1e999, "b": "' + "x" * 3000 + '"}'):
        assert len(clipped_result(odd, 1024)) == 1024


def test_clipped_arguments_stay_an_object() -> None:
    """Only texts over the limit are cut; anything else is byte for byte."""
    odd = '{ "a" : [1, 2],  "b": "short" }'
    assert clipped_arguments(odd, 10) == odd
    assert clipped_arguments("no json " * 10, 10) == "no json " * 10
    made = json.loads(clipped_arguments(json.dumps({"a": ["x" * 100], "n": 5, "t": "x" * 100}), 50))
    assert made["n"] == 5
    assert len(made["a"][0]) == len(made["t"]) == 50


def test_pressure_has_the_levels_of_the_requirements() -> None:
    """0.55, 0.75 and 0.92 of 100k minus 4,096 (O-151 to O-153)."""
    usable = 100_000 - 4096
    assert LIMITS.usable == usable
    cases = [
        (0, "ok"),
        (0.549, "ok"),
        (0.551, "warm"),
        (0.749, "warm"),
        (0.751, "hot"),
        (0.919, "hot"),
        (0.921, "overflow"),
        (3, "overflow"),
    ]
    assert [pressure(int(share * usable), LIMITS) for share, _ in cases] == [level for _, level in cases]
    assert higher("ok", "hot") == higher("hot", "ok") == "hot"


def test_each_level_allows_no_more_than_the_one_before() -> None:
    """Which is what pressure is for."""
    rows = [TABLE[each] for each in LEVELS]
    for name in ("tool_result_chars", "raw_results", "code_chars"):
        values = [getattr(each, name) for each in rows]
        assert values == sorted(values, reverse=True)
        assert values[-1] > 0
    assert TABLE["hot"].raw_results == 8


def test_limits_follow_the_models_window() -> None:
    """Never more than the budget (M-145: a long window is no memory); in a short one everything shrinks with it."""
    assert ContextLimits.for_window(None) == ContextLimits.for_window(1_000_000) == ContextLimits()
    small = ContextLimits.for_window(16_384)
    assert (small.input_budget, small.output_reserve, small.usable) == (16_384, 4096, 12_288)
    assert small.prune_protect == int(40_000 * 12_288 / 95_904)
    assert small.user_tokens < small.usable / 4
    tiny = ContextLimits.for_window(4096)
    assert (tiny.output_reserve, tiny.usable, tiny.summary_chars) == (1024, 3072, 1200)
    assert ContextLimits.for_window(0) == ContextLimits()
    assert ContextLimits.for_window(200_000, budget=50_000).input_budget == 50_000
    assert ContextLimits(input_budget=10, output_reserve=20).usable == 1
