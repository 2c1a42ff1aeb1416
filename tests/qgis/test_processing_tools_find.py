"""search_algorithms and describe_algorithm, and the names by which algorithms are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Bench
from qgis.core import QgsApplication

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.analysis.generic.index import (
    index,
    task_words,
)
from qgis_agent.gis.analysis.generic.schema import described
from qgis_agent.gis.analysis.run.providers import (
    load_providers,
    resolved,
)
from qgis_agent.processing.provider import QgisAgentProvider

QUERIES = Path(__file__).parents[1] / "support" / "algorithm_queries.json"


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's plugin Processing, as the tools load it, and our own provider, as the plugin does."""
    load_providers()
    registry = QgsApplication.processingRegistry()
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


# finding


def test_sixty_tasks_in_english_and_chinese_find_their_algorithm() -> None:
    """The 60 queries of the file: at least 57 among the first three, at least 50 first."""
    queries = json.loads(QUERIES.read_text(encoding="utf-8"))["tasks"]
    assert len(queries) == 60
    found = {query: [each.algorithm for each in index().search(query, 3)] for query, _ in queries}
    among = [query for query, wanted in queries if wanted in found[query]]
    first = [query for query, wanted in queries if found[query][:1] == [wanted]]
    assert len(among) >= 57, [(q, w, found[q]) for q, w in queries if q not in among]
    assert len(first) >= 50, [(q, w, found[q]) for q, w in queries if q not in first]


def test_tasks_that_the_words_were_not_written_for() -> None:
    """Fifty more, in other words."""
    queries = json.loads(QUERIES.read_text(encoding="utf-8"))["in_other_words"]
    right = [query for query, wanted in queries if wanted in [each.algorithm for each in index().search(query, 3)]]
    assert len(queries) == 50
    assert len(right) >= 45, [query for query, _ in queries if query not in right]


def test_every_word_is_of_an_algorithm_and_every_tool_is_one(bench: Bench) -> None:
    """The file of task words names nothing that is not there."""
    ids = {each.id() for each in QgsApplication.processingRegistry().algorithms()}
    assert set(task_words()["words"]) <= ids
    assert set(task_words()["tools"].values()) <= set(bench.calls.contracts.names())


def test_a_search_tells_the_effect_and_the_better_tool(bench: Bench) -> None:
    """Within the budget of a result; deprecated ones are not first."""
    data = bench.ok("search_algorithms", query="buffer 500 m")
    assert data["algorithms"][0]["algorithm"] == "native:buffer"
    assert data["algorithms"][0]["rather"] == "buffer_layer"
    assert data["algorithms"][0]["effect"] == "create"
    assert not bench.ok("search_algorithms", query="raster calculator")["algorithms"][0].get("deprecated")
    assert bench.ok("search_algorithms", query="qqqq zzzz")["count"] == 0


def test_every_description_fits_a_result() -> None:
    """All algorithms of this QGIS: 4,096 bytes, and no parameter is left unnamed."""
    for each in QgsApplication.processingRegistry().algorithms():
        data = described(each)
        assert size_bytes({"ok": True, "data": data, "message": ""}) <= 3900, each.id()
        named = {entry["name"] for entry in data.get("parameters", [])} | set(data.get("also", []))
        visible = {
            d.name() for d in each.parameterDefinitions() if not d.isDestination() and not d.flags() & d.FlagHidden
        }
        assert visible <= named, each.id()


def test_a_description_says_what_to_give(bench: Bench) -> None:
    """Kinds of layers, choices, ranges, fields, and what QGIS makes."""
    data = bench.ok("describe_algorithm", algorithm="qgis:joinattributesbylocation")
    given = {each["name"]: each for each in data["parameters"]}
    assert data["algorithm"] == "native:joinattributesbylocation"
    assert given["PREDICATE"]["choices"][0].startswith("0: ")
    assert given["JOIN_FIELDS"]["value"] == "list of fields of JOIN"
    assert given["INPUT"] == {
        "name": "INPUT",
        "what": "Join to features in",
        "value": given["INPUT"]["value"],
        "required": True,
    }
    assert {"output": "OUTPUT", "is": "vector layer", "made": True} in data["made_by_qgis"]
    assert ">= 1" in {e["name"]: e for e in described(resolved("native:buffer"))["parameters"]}["SEGMENTS"]["value"]


# names of algorithms


@pytest.mark.parametrize(
    ("name", "ident"),
    [
        ("qgis:buffer", "native:buffer"),
        ("qgis:aggregate", "native:aggregate"),
        ("centroids", "native:centroids"),
        ("Fix geometries", "native:fixgeometries"),
        ("gdal:slope", "gdal:slope"),
        ("slope", "native:slope"),
    ],
)
def test_old_and_short_names(name: str, ident: str) -> None:
    """Scripts and people call them so."""
    assert resolved(name).id() == ident


def test_a_wrong_name_gets_the_nearest_ids(bench: Bench) -> None:
    """NOT_FOUND."""
    envelope = bench.call("run_algorithm", algorithm="native:centroid", parameters={})
    assert envelope["code"] == "NOT_FOUND"
    assert "native:centroids" in envelope["hint"]
