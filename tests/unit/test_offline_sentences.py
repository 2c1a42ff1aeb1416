"""229 sentences as people type them, the first 150 written before the grammar: which tool calls each must give, or that it is refused.

``offline_sentences.jsonl``: ``calls`` are the calls in order (without those for packs), ``ask`` the names that the buttons
must offer, ``refuse`` "any" for not understood or a clear no, "cannot" for a clear no. "*" stands for any value. What the
grammar may choose freely (the title of a legend, the columns of a list, how many rows where no number was said) is compared
only where the list names it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from offline_world import run

from qgis_agent.agent.offline.coming import COMING

HERE = Path(__file__).resolve().parent
SENTENCES = [json.loads(line) for line in (HERE / "offline_sentences.jsonl").read_text("utf-8").splitlines()]
GOAL = 0.95


def same(wanted: Any, got: Any) -> bool:
    """Whether ``got`` is what is wanted, "*" being anything."""
    if wanted == "*":
        return True
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(same(value, got[name]) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(same(*pair) for pair in zip(wanted, got, strict=True))
    return (type(wanted) is type(got) and wanted == got) or (wanted == got and not isinstance(wanted, bool))


def without_free_choices(arguments: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """The arguments without what the grammar may choose and the list does not name."""
    kept = {name: value for name, value in arguments.items() if name in wanted or name not in ("fields", "limit")}
    if "options" in kept:
        options = {name: value for name, value in kept["options"].items() if name != "legend_title"}
        kept.pop("options")
        kept.update({"options": options} if options else {})
    return kept


def problem_of(case: dict[str, Any]) -> str:
    """What is wrong with the answer to a sentence; "" when it is right."""
    calls, turn = run(case["say"])
    if "refuse" in case:
        wanted = ("tool_failed",) if case["refuse"] == "cannot" else ("not_understood", "tool_failed")
        good = not calls and turn.finish_reason in wanted and turn.text
        return "" if good else f"not refused: {calls} {turn}"
    if "ask" in case:
        options = calls[-1][1].get("options", []) if calls and calls[-1][0] == "ask_user" else []
        missing = [each for each in case["ask"] if not any(each in option for option in options)]
        return f"buttons {options} lack {missing}: {calls} {turn}" if missing else ""
    if len(calls) != len(case["calls"]):
        return f"calls {calls} {turn}"
    for (name, arguments), (wanted_name, wanted) in zip(calls, case["calls"], strict=True):
        if name != wanted_name or not same(wanted, without_free_choices(arguments, wanted)):
            return f"{name} {arguments} in place of {wanted_name} {wanted}"
    return "" if turn.finish_reason == "stop" else f"ends with {turn}"


def test_at_least_95_of_100_sentences_are_planned_right() -> None:
    problems = {case["say"]: problem_of(case) for case in SENTENCES}
    wrong = {sentence: problem for sentence, problem in problems.items() if problem}
    assert len(wrong) <= (1 - GOAL) * len(SENTENCES), json.dumps(wrong, ensure_ascii=False, indent=1)


def test_nothing_that_must_be_refused_is_carried_out() -> None:
    refused = [case for case in SENTENCES if "refuse" in case]
    assert {case["say"]: problem_of(case) for case in refused} == {case["say"]: "" for case in refused}


def test_the_list_is_what_was_asked_for() -> None:
    assert len(SENTENCES) == len({case["say"] for case in SENTENCES}) == 229
    assert sum("refuse" in case for case in SENTENCES) == 35
    assert 100 <= sum(case["lang"] == "zh" for case in SENTENCES) <= 129
    assert all(sum(key in case for key in ("calls", "ask", "refuse")) == 1 for case in SENTENCES)


def test_every_coming_tool_is_planned_by_some_sentence() -> None:
    planned = {call[0] for case in SENTENCES for call in case.get("calls", [])}
    assert set(COMING) <= planned


def test_a_bookmark_is_planned_with_the_arguments_of_its_contract() -> None:
    assert ("prepare_bookmark", {"name": "Centre"}) in run("bookmark this view as Centre")[0]
