"""Handlers of the pack "processing": running an algorithm."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Sequence, Tuple

from ...analysis.generic.admission import call_effect
from ...analysis.generic.batch import expanded
from ...analysis.generic.job import Job
from ...analysis.run.outcome import add_result
from ...analysis.run.plan import PlanStep, describe
from ...analysis.run.record import record
from ...call import Call
from ...errors import CANCELLED, TIMEOUT, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...undo.files import CannotUndo
from ...work import Answer, Step
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("run_algorithm", effect="create", runs="task", effect_of=call_effect)
def run_algorithm(
    call: Call,
    algorithm: str,
    parameters: Any = None,
    as_is: bool = False,
    invalid_geometry: str = "stop",
    name: str = "",
) -> Steps:
    """Run any algorithm of Processing. Several layers ({"each": [...]}) are one run each; all succeed, or nothing is added."""
    calls = expanded(dict(parameters or {}))
    jobs = [Job(call, algorithm, each, as_is, invalid_geometry) for each in calls]
    done: List[Job] = []
    if call.cannot_undo:
        call.host.checkpoints.add(call, CannotUndo("algorithm:{}".format(algorithm), call.cannot_undo))
    for job in jobs:
        try:
            yield from job.run(call)
        except ToolError as error:
            raise _of_batch(error, job, len(jobs)) from error
        done.append(job)
    entries = [_told(call, job, name, number) for number, job in enumerate(done, 1)]
    return _answer(jobs, entries)


def _of_batch(error: ToolError, job: Job, count: int) -> ToolError:
    """Which layer of several it was, and that none was added."""
    if count == 1 or error.envelope["code"] in (CANCELLED, TIMEOUT):
        return error
    told = error.envelope
    return ToolError(
        told["code"],
        translate("QgisAgent", "{}: {} Of the {} runs none was added.").format(
            job.first_name(), told["message"], count
        ),
        hint=told["hint"],
        reason=told["reason"],
    )


def _told(call: Call, job: Job, name: str, number: int) -> Dict[str, Any]:
    """Add the layers of one run to the project; what is told of it."""
    outputs = []
    for key, layer in job.results.layers.items():
        title = _name(job, key, name, number)
        plan = [PlanStep(key, job.algorithm.id(), job.described())]
        alias = add_result(call, layer, title, plan, {}, job.recipe_plan(), key, job.context)
        outputs.append(dict(job.facts(key), output=key, layer_id=alias, name=title))
    for key, layer in job.results.changed.items():
        outputs.append(dict(job.facts(key), output=key, layer_id=call.host.layers.alias(layer), changed=True))
    if not job.results.layers:
        lines = describe([PlanStep("", job.algorithm.id(), job.described())], {})
        call.add_evidence(job.algorithm.id(), "\n".join(lines), record(call, job.recipe_plan(), {}, "", job.context))
    entry: Dict[str, Any] = {"outputs": outputs}
    if job.results.values:
        entry["values"] = job.results.values
    if job.counts:
        entry["inputs"] = job.counts
    return entry


def _name(job: Job, key: str, name: str, number: int) -> str:
    base = clean_text(name, 80) or "{} {}".format(job.first_name(), job.algorithm.name()).strip()
    if name and number > 1:
        base = "{} {}".format(base, number)
    return base if len(job.results.layers) == 1 else "{} {}".format(base, job.results.titles.get(key, key))


def _answer(jobs: Sequence[Job], entries: List[Dict[str, Any]]) -> Answer:
    first = jobs[0]
    warnings = list(dict.fromkeys(each for job in jobs for each in job.warnings))
    data: Dict[str, Any] = {"algorithm": [first.algorithm.id()]}
    outputs = [each for entry in entries for each in entry["outputs"]]
    if len(outputs) == 1:
        data.update(outputs[0])
    if len(jobs) == 1:
        data.update({key: entries[0][key] for key in ("values", "inputs") if key in entries[0]})
        if len(outputs) > 1:
            data["outputs"] = outputs
        rows_key = "outputs" if len(outputs) > 1 else ""
    else:
        data["runs"], rows_key = entries, "runs"
    data["parameters"] = first.shown()
    data["method"] = first.method()
    data["warnings"] = warnings[:8]
    return Answer(data, " ".join(_empty(outputs) + _unjoined(jobs) + warnings[:4]), rows_key=rows_key)


def _unjoined(jobs: Sequence[Job]) -> List[str]:
    """A join without any match is said plainly."""
    return [
        translate("QgisAgent", "No feature of '{}' found a partner: nothing was joined.").format(job.first_name())
        for job in jobs
        if job.results.values.get("JOINED_COUNT") == 0
    ]


def _empty(outputs: Sequence[Dict[str, Any]]) -> List[str]:
    """A result from nothing is said plainly."""
    empty: List[Tuple[str, Any]] = [(each["layer_id"], each.get("feature_count")) for each in outputs]
    return [
        translate("QgisAgent", "The result '{}' has no features.").format(alias) for alias, count in empty if count == 0
    ]
