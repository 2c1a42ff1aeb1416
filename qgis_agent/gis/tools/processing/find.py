"""Handlers of the pack "processing": finding and describing algorithms."""

from __future__ import annotations

from typing import Any, Dict, List

from qgis.core import Qgis, QgsApplication

from ...analysis.generic.effects import known
from ...analysis.generic.index import (
    index,
    task_words,
)
from ...analysis.generic.schema import (
    described,
    summary,
)
from ...analysis.run.providers import resolved
from ...call import Call
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer
from ..registry import tool

MAX_FOUND = 20


@tool("search_algorithms", effect="read")
def search_algorithms(call: Call, query: str, limit: int = 8) -> Answer:
    """Algorithms for a task in words, best first. Quick: an index in memory."""
    if call.feedback.isCanceled():
        return Answer({"algorithms": []})
    registry = QgsApplication.processingRegistry()
    found = index().search(query, min(limit, MAX_FOUND))
    algorithms = [_entry(registry.algorithmById(each.algorithm)) for each in found]
    message = (
        "" if algorithms else translate("QgisAgent", "No algorithm fits these words; say the task in other words.")
    )
    if limit > MAX_FOUND:
        message = translate("QgisAgent", "limit {} was lowered to {}.").format(limit, MAX_FOUND) + " " + message
    return Answer({"algorithms": algorithms, "count": len(algorithms)}, message.strip(), rows_key="algorithms")


def _entry(algorithm: Any) -> Dict[str, Any]:
    about = known(algorithm)
    entry: Dict[str, Any] = {
        "algorithm": algorithm.id(),
        "name": clean_text(algorithm.displayName(), 60),
        "does": summary(algorithm, 90),
        "effect": about.effect,
    }
    if algorithm.flags() & Qgis.ProcessingAlgorithmFlag.Deprecated:
        entry["deprecated"] = True
    better = about.instead or task_words()["tools"].get(algorithm.id(), "")
    if better:
        entry["rather"] = better
    return entry


@tool("describe_algorithm", effect="read")
def describe_algorithm(call: Call, algorithm: str) -> Answer:
    """The parameters and results of an algorithm. NOT_FOUND with the nearest ids."""
    found = resolved(algorithm)
    data = described(found)
    notes: List[str] = []
    if found.id() != algorithm.strip():
        notes.append(translate("QgisAgent", "{} is {} here.").format(clean_text(algorithm, 60), found.id()))
    if data.get("rather"):
        notes.append(translate("QgisAgent", "Rather use {}.").format(data["rather"]))
    if call.feedback.isCanceled():
        notes = []
    return Answer(data, " ".join(notes), rows_key="parameters")
