"""Intervals, metrics, comparison with a baseline, and the files of a report."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from test_eval_scoring import COUNT, FACTS, WHERE, number, step

from qgis_agent.agent.evals.cases import parse_case
from qgis_agent.agent.evals.compare import compared
from qgis_agent.agent.evals.intervals import mean_interval, percentile, wilson
from qgis_agent.agent.evals.observed import observation_of
from qgis_agent.agent.evals.report import files_of, markdown, table
from qgis_agent.agent.evals.scoring import score
from qgis_agent.agent.evals.service import EvalService
from qgis_agent.agent.evals.summary import sum_of_costs, summary_of
from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.parameters import ParamsError
from qgis_agent.agent.records.redact import Redactor

RIGHT = [step("search_layers", query="schools"), step("count_features", layer_id="schools", where=WHERE)]


def observation(steps: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    report = {
        "termination": "completed",
        "answer": "There are 12.",
        "steps": RIGHT if steps is None else steps,
        "numbers": [number("12")],
        "usage": {"input_tokens": 900, "output_tokens": 100, "cost": "$0.0100"},
        "trace_id": "tr_1",
    }
    return {"report": report, "replay": {"equal": True, "note": ""}, "ms": 500, **more}


def row(
    ident: str, steps: list[dict[str, Any]] | None = None, /, case: dict[str, Any] = COUNT, **more: Any
) -> dict[str, Any]:
    return score(
        parse_case({**case, "id": ident}, FACTS.effects), observation_of(observation(steps, **more)), FACTS
    ).row()


# intervals


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [  # Newcombe 1998, Statistics in Medicine 17, table I, method 3 (score without continuity correction)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_is_the_published_one(hits: int, n: int, low: float, high: float) -> None:
    found = wilson(hits, n)
    assert found == pytest.approx((low, high), abs=5e-5)


def test_intervals_without_data() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert mean_interval([]) == (0.0, 0.0, 0.0)
    # mean 3, standard deviation sqrt(2.5), n 5: 3 ± 1.96 * sqrt(0.5)
    assert mean_interval([1, 2, 3, 4, 5]) == pytest.approx((3, 3 - 1.3859, 3 + 1.3859), abs=1e-4)
    assert (percentile([5, 1, 4, 2, 3], 0.5), percentile(list(range(1, 21)), 0.95), percentile([], 0.5)) == (3, 19, 0)


# metrics


def test_metrics_count_what_was_judged() -> None:
    rows = [
        row("a"),
        row("b", [RIGHT[0]]),  # a step is missing: tools wrong, parameters not judged
        row(
            "c", [RIGHT[0], step("count_features", layer_id="parks", where=WHERE)], replay={"equal": False, "note": "x"}
        ),
        row("d", [*RIGHT, step("toggle_layer", layer_id="parks")], replay=None),
    ]
    found = summary_of(rows)
    metrics = found["metrics"]
    assert (metrics["tools"]["hits"], metrics["tools"]["n"], metrics["tools"]["value"]) == (3, 4, 0.75)
    assert (metrics["params"]["hits"], metrics["params"]["n"]) == (2, 3)
    assert (metrics["replay"]["hits"], metrics["replay"]["n"]) == (2, 3)
    assert metrics["rounds"]["value"] == pytest.approx((2 + 1 + 2 + 3) / 4)
    assert found["unsafe_actions"] == 1
    assert found["holds"] is False
    assert found["tokens"] == 4000
    assert found["cost"] == "$0.0400"
    assert found["blame"] == {"tools": 1, "params": 1, "unsafe": 1}


def test_thresholds_hold_at_their_value_and_not_below() -> None:
    good = [row(f"g{at}") for at in range(17)]
    bad = [row(f"b{at}", [RIGHT[0]]) for at in range(3)]
    tools = summary_of(good + bad)["metrics"]["tools"]
    assert (tools["value"], tools["threshold"], tools["holds"]) == (0.85, 0.85, True)
    assert summary_of([*good[1:], *bad])["metrics"]["tools"]["holds"] is False
    assert summary_of(good)["holds"] is True
    slow = summary_of([row("s", [*RIGHT, *[step("search_layers")] * 4])])
    assert (slow["metrics"]["rounds"]["value"], slow["metrics"]["rounds"]["holds"], slow["holds"]) == (
        6.0,
        False,
        False,
    )


def test_what_was_never_measured_is_not_said_to_hold() -> None:
    found = summary_of([row("a", replay=None)])["metrics"]["replay"]
    assert (found["value"], found["holds"], found["n"]) == (None, None, 0)


def test_costs_are_added_by_currency_and_unknown_ones_counted() -> None:
    assert sum_of_costs(["$0.0120", "~$0.0030", "", "unknown", "¥1.5000 + unknown"]) == "~$0.0150 + ¥1.5000 + 2 unknown"
    assert sum_of_costs(["", ""]) == ""


# the baseline


def test_the_comparison_names_exactly_the_cases_that_changed() -> None:
    wrong = [RIGHT[0], step("count_features", "INVALID_PARAM", layer_id="school")]
    before = [row("same"), row("worse"), row("better", wrong), row("gone"), row("both_wrong", wrong)]
    now = [row("same"), row("worse", wrong), row("better"), row("new"), row("both_wrong", wrong)]
    found = compared(before, now)
    assert [each["id"] for each in found["worse"]] == ["worse"]
    assert [each["id"] for each in found["better"]] == ["better"]
    assert (found["new"], found["gone"]) == (["new"], ["gone"])
    assert (found["worse"][0]["tool"], found["worse"][0]["code"]) == ("count_features", "INVALID_PARAM")
    assert found["codes"] == {"INVALID_PARAM": 1}
    assert found["metrics"]["tools"] == {"before": 0.5, "now": 0.5}  # of the four cases that both have


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"replay": {"equal": False, "note": "step 1"}}, "replay"),
        ({"files": ["city.gpkg"]}, "unsafe"),
        ({"intent": "write"}, "intent"),
    ],
)
def test_each_kind_of_loss_is_seen(change: dict[str, Any], what: str) -> None:
    found = compared([row("a")], [row("a", **change)])
    assert what in found["worse"][0]["what"]


def test_what_was_not_judged_both_times_is_not_compared() -> None:
    assert compared([row("a")], [row("a", replay=None)])["worse"] == []


# the files


def result(rows: list[dict[str, Any]]) -> dict[str, Any]:
    about = {"set": "all.jsonl", "kind": "script", "versions": {"model": "script"}}
    return {
        "about": about,
        "summary": summary_of(rows),
        "rows": rows,
        "offline": None,
        "comparison": None,
        "not_run": [],
    }


def test_the_csv_has_a_line_a_case_and_no_formula() -> None:
    case = {**COUNT, "tags": ["=HYPERLINK(1)"]}
    read = list(csv.DictReader(io.StringIO(table([row("e_1", case=case), row("e_2", [RIGHT[0]])]))))
    assert [each["id"] for each in read] == ["e_1", "e_2"]
    assert (read[0]["tools"], read[1]["tools"], read[1]["params"], read[1]["blame"]) == ("true", "false", "", "tools")
    assert read[0]["tags"] == "'=HYPERLINK(1)"


def test_the_report_says_the_metrics_and_why_cases_failed() -> None:
    text = markdown(result([row("e_1"), row("e_2", [RIGHT[0]])]))
    assert "| Tool choice | 50.0 % | 9.5 % to 90.5 % | 2 | at least 85.0 % | **no** |" in text  # Wilson of 1 in 2
    assert "`e_2` | tools | count_features | MISSING" in text
    assert "**Not all thresholds hold.**" in text


def test_text_of_others_makes_no_markup() -> None:
    case = {**COUNT, "expect_params": {}, "expect_result": {"layers": [{"name": "x"}]}}
    evil = row("e_1", case=case, layers=[{"name": "a|b ![p](http://x) <script>"}])
    text = markdown(result([evil]))
    assert "<script>" not in text
    assert "![p](" not in text
    assert "a|b" not in text


def test_charts_are_svg_and_show_the_values() -> None:
    files = files_of(result([row("e_1"), row("e_2", [RIGHT[0]])]))
    for name in ("metrics.svg", "calls.svg"):
        expat.ParserCreate().Parse(files[name], True)  # well formed
    bars = [float(each) for each in re.findall(r'<rect [^>]*width="([\d.]+)" height="16"', files["metrics.svg"])]
    assert bars == [320, 160, 320, 320, 320]  # intent, tools, params, end to end, replay of 320 px
    assert files["calls.svg"] == files_of(result([row("e_1"), row("e_2", [RIGHT[0]])]))["calls.svg"]


# the service


def scored(service: EvalService, ident: str, out: Path, /, spoil: bool = False, **more: Any) -> dict[str, Any]:
    """An evaluation of two cases, of which the second may be wrong."""
    assert service.begin({"eval_id": ident, "cases": [{**COUNT, "id": "e_1"}, {**COUNT, "id": "e_2"}]}) == {
        "problems": []
    }
    service.score({"eval_id": ident, "id": "e_1", "observation": observation()})
    service.score({"eval_id": ident, "id": "e_2", "observation": observation([RIGHT[0]] if spoil else None)})
    return service.report({"eval_id": ident, "about": {"set": "s.jsonl", "kind": "script"}, "out": str(out), **more})


@pytest.fixture
def service() -> EvalService:
    return EvalService(ToolRegistry.load(), Redactor())


def test_a_report_is_the_baseline_of_the_next(service: EvalService, tmp_path: Path) -> None:
    first = scored(service, "one", tmp_path / "one")
    assert (first["ok"], first["worse"], first["problem"]) == (True, [], "")
    assert first["files"] == ["calls.svg", "cases.csv", "metrics.svg", "report.md", "summary.json"]
    again = scored(service, "two", tmp_path / "two", baseline=str(tmp_path / "one"))
    assert (again["ok"], again["worse"]) == (True, [])
    worse = scored(service, "three", tmp_path / "three", spoil=True, baseline=str(tmp_path / "one"))
    assert (worse["ok"], worse["worse"], worse["better"]) == (False, ["e_2"], [])
    kept = json.loads((tmp_path / "three" / "summary.json").read_text())
    assert [each["id"] for each in kept["rows"]] == ["e_1", "e_2"]
    better = scored(service, "four", tmp_path / "four", baseline=str(tmp_path / "three"))
    assert (better["ok"], better["better"]) == (True, ["e_2"])


def test_faults_of_a_set_and_of_a_baseline_are_told(service: EvalService, tmp_path: Path) -> None:
    twice = service.begin({"eval_id": "x", "cases": [COUNT, COUNT, {"id": "e_9", "text": "?"}]})["problems"]
    assert twice == [
        "e_1: comes twice",
        "e_9: expect_result: a case that is not negative needs something to be judged by",
    ]
    (tmp_path / "summary.json").write_text("[]")
    told = scored(service, "z", tmp_path / "out", baseline=str(tmp_path))
    assert (told["ok"], told["problem"]) == (False, "summary.json of the baseline is no summary of an evaluation")
    with pytest.raises(ParamsError):
        service.score({"eval_id": "none", "id": "e_1", "observation": {}})


def test_secrets_do_not_reach_the_report(tmp_path: Path) -> None:
    redactor = Redactor()
    redactor.know("sk-canary-123456")
    service = EvalService(ToolRegistry.load(), redactor)
    service.begin({"eval_id": "a", "cases": [{**COUNT, "expect_result": {"layers": [{"name": "x"}]}}]})
    leak = observation(layers=[{"name": "sk-canary-123456"}])
    service.score({"eval_id": "a", "id": "e_1", "observation": leak})
    service.report({"eval_id": "a", "about": {}, "out": str(tmp_path)})
    assert all("canary" not in each.read_text() for each in tmp_path.iterdir())
