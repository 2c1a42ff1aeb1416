"""A deed that an answer claims has to be one of the run's steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.loop.claims import claims_a_change
from qgis_agent.bridge.envelope import failure, success

CLAIMS = (
    "Done. I have deleted the hospitals layer.",
    "I've exported schools.csv to your desktop.",
    "The layer has been renamed to “parks”.",
    "The hospitals are now hidden.",
    "The streets have now been coloured by density.",
    "已导出学校图层。",
    "已将学校隐藏。",
    "三个街道已按密度分三档着色。",
    "我已经为您把医院图层显示出来。",
)
NO_CLAIMS = (
    "There are 25 schools.",
    "The layer has 3 fields: name, code, created.",
    "I have not exported anything.",
    "Nothing has been deleted.",
    "The layer could not be hidden: it has been removed.",  # the sentence denies
    "Shall I hide the hospitals?",
    "You can export it with a click.",
    "The school was created in 1950.",
    "没有导出任何文件。",
    "未能隐藏该图层。",
    "共有 25 所学校。",
    "可以导出为 GeoPackage。",
)


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_is_found(text: str) -> None:
    assert claims_a_change(text)


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_other_sentences_are_none(text: str) -> None:
    assert not claims_a_change(text)


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


HIDE = ("toggle_layer", {"layer_id": "hospitals", "visible": False})
LIE = "The hospitals are now hidden. I have also exported them."


@pytest.mark.parametrize(
    "turns",
    [(), (calls(HIDE),), (calls(("count_features", {"layer_id": "a"})),)],
    ids=["no call at all", "the call was refused", "only a read"],
)
def test_a_claim_without_a_deed_is_no_success(bench: Bench, turns: tuple[Any, ...]) -> None:
    """The person reads that nothing was changed, and the run has failed."""
    bridge = FakeBridge(toggle_layer=failure("PERMISSION_DENIED", "No."), count_features=success({"count": 1}))
    report = bench.run("hide the hospitals and tell me", FakeClient(*turns, answer(LIE)), bridge)
    assert (report["termination"], report["state"].reason, report["ok"]) == ("failed", "unconfirmed_claim", False)
    assert report["answer"].startswith(LIE)
    assert "No step of this run changed anything" in report["answer"]
    assert bench.session.messages[-1]["content"] == report["answer"]


def test_a_claim_after_a_deed_is_an_answer(bench: Bench) -> None:
    report = bench.run(
        "hide the hospitals and tell me", FakeClient(calls(HIDE), answer("The hospitals are now hidden."))
    )
    assert (report["termination"], report["answer"]) == ("completed", "The hospitals are now hidden.")


def test_a_plan_that_was_made_is_no_claim(bench: Bench) -> None:
    step = {"title": "x", "tool": "zoom_to", "target": "a"}
    client = FakeClient(calls(("update_plan", {"steps": [step]})), answer("I have created a plan."))
    assert bench.run("plan it", client, profile=PROFILES["gis-plan"])["ok"]


def test_chinese_words_for_it(bench: Bench) -> None:
    report = bench.run("把医院隐藏，然后说一下", FakeClient(answer("已将医院隐藏。")))
    assert "本次运行没有任何步骤" in report["answer"]
