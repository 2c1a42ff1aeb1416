"""What run_algorithm may run: the classes of the algorithms, what is asked, what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench, memory_layer
from qgis.core import QgsApplication

from qgis_agent.gis.analysis.formulas import (
    calc_formula,
    text_rules,
)
from qgis_agent.gis.analysis.generic import effects
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.approvals import CallFacts
from qgis_agent.gis.errors import ToolError
from qgis_agent.gui.dialogs.approval import ApprovalDialog

ENTRIES: dict[str, Any] = json.loads(effects.FILE.read_text(encoding="utf-8"))["algorithms"]


@pytest.fixture
def places(bench: Bench) -> Bench:
    """A layer of three points, called "places"."""
    rows = [(f"POINT({x} 0)", [x, f"p{x}"]) for x in range(3)]
    bench.add(memory_layer("Point?crs=EPSG:3857&field=n:integer&field=name:string", rows, "places"))
    return bench


def run(bench: Bench, algorithm: str, **parameters: Any) -> dict[str, Any]:
    """The outcome of run_algorithm."""
    return bench.outcome("run_algorithm", algorithm=algorithm, parameters=parameters)


# the file


def test_every_shipped_algorithm_is_classified() -> None:
    load_providers()
    shipped = ("native", "qgis", "gdal", "3d", "pdal")
    there = {
        each.id()
        for each in QgsApplication.processingRegistry().algorithms()
        if each.provider().id() in shipped or each.provider().id().startswith("grass")
    }
    assert len(there) >= 378
    assert there <= set(ENTRIES), sorted(there - set(ENTRIES))


def test_the_file_is_what_the_generator_writes() -> None:
    # In a process of its own: it reads a registry to which no test has added anything.
    script = REPO / "scripts" / "algorithm_effects.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_makes_nothing_is_never_taken_for_a_reading_by_default() -> None:
    decided = {"native:calculateexpression", "native:rasterlayerproperties", "native:shpencodinginfo"}
    decided |= {"native:stringconcatenation", "native:virtualrastercalc", "native:modelervirtualrastercalc"}
    for ident, entry in ENTRIES.items():
        if not entry.get("makes") and ident not in decided:
            assert entry["effect"] in ("write", "execute", "forbidden"), ident


def test_every_text_file_and_statement_has_a_rule() -> None:
    load_providers()
    risky = {"string", "file", "authcfg", "execute_sql", "raster_calc_expression", "providerconnection"}
    words = {
        "text",
        "value",
        "like_value",
        "identifier",
        "argument",
        "empty",
        "refused",
        "connection",
        "creation_options",
    }
    words |= {"command_line", "sql", "code", "formula", "raster_formula", "numpy_formula", "file", "folder"}
    for algorithm in QgsApplication.processingRegistry().algorithms():
        rules = effects.rules_of(ENTRIES.get(algorithm.id(), {}))
        for each in algorithm.parameterDefinitions():
            if algorithm.id() in ENTRIES and each.type() in risky:
                assert rules.get(each.name(), "").split(":")[0] in words, (algorithm.id(), each.name())


def test_security_risk_and_sql_are_code() -> None:
    assert ENTRIES["qgis:advancedpythonfieldcalculator"]["effect"] == "execute"
    assert [key for key, each in ENTRIES.items() if "SecurityRisk" in each.get("flags", [])] == [
        "qgis:advancedpythonfieldcalculator"
    ]
    assert all(ENTRIES[each]["effect"] == "execute" for each in ENTRIES if "sql" in each and "importinto" not in each)


# what runs, what is asked, what never runs


def test_a_plain_algorithm_runs_unasked(places: Bench) -> None:
    outcome = run(places, "native:centroids", INPUT="places")
    assert outcome["envelope"]["ok"], outcome
    assert outcome["decision"]["effect"] == "create"
    assert places.approver.cards == []


def test_a36_zonal_statistics_in_place_is_refused_with_the_other_one(places: Bench) -> None:
    outcome = run(places, "native:zonalstatistics", INPUT_VECTOR="places", INPUT_RASTER="places")
    envelope = outcome["envelope"]
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "algorithm_in_place")
    assert "native:zonalstatisticsfb" in envelope["hint"]


@pytest.mark.parametrize(
    ("algorithm", "instead"),
    [
        ("qgis:selectbyexpression", "select_features"),
        ("native:filedownloader", "add_service_layer"),
        ("native:loadlayer", "add_vector_layer"),
        ("native:printlayouttopdf", "prepare_export_layout"),
    ],
)
def test_what_never_runs_names_what_does_it(places: Bench, algorithm: str, instead: str) -> None:
    places.issue(caller="chat", level="full_access")
    places.approver.answer = "once"
    envelope = run(places, algorithm)["envelope"]
    assert envelope["code"] == "FORBIDDEN"
    assert instead in envelope["hint"]
    assert places.approver.cards == []


def test_the_agent_does_not_start_itself(places: Bench) -> None:
    from qgis_agent.processing.provider import QgisAgentProvider

    registry = QgsApplication.processingRegistry()
    there = registry.providerById("qgisagent")  # another file's tests may have added it: a second one would be deleted
    provider = there if there is not None else QgisAgentProvider()
    if there is None:
        registry.addProvider(provider)
    try:
        envelope = run(places, "qgisagent:ask", PROMPT="x")["envelope"]
        assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "algorithm_agent")
        # Every algorithm of ours that is not forbidden must not reach the agent's process.
        for each in provider.algorithms():
            source = Path(sys.modules[type(each).__module__].__file__ or "").read_text(encoding="utf-8")
            assert effects.known(each).effect == "forbidden" or "agent_process" not in source, each.id()
    finally:
        if there is None:
            registry.removeProvider(provider)


WRITING = ("native:truncatetable", {"INPUT": "places"})
CODE = ("qgis:executesql", {"INPUT_DATASOURCES": ["places"], "INPUT_QUERY": "select * from input1"})


@pytest.mark.parametrize(("algorithm", "parameters"), [WRITING, CODE])
@pytest.mark.parametrize("caller", ["cli", "mcp", "subagent"])
def test_writes_and_code_are_forbidden_where_no_person_looks(
    places: Bench, algorithm: str, parameters: dict[str, Any], caller: str
) -> None:
    places.issue(caller=caller, level="full_access")
    places.approver.answer = "once"
    envelope = run(places, algorithm, **parameters)["envelope"]
    assert envelope["code"] == "FORBIDDEN"
    assert places.approver.cards == []
    assert next(iter(places.host.project.mapLayers().values())).featureCount() == 3


@pytest.mark.parametrize(("algorithm", "parameters"), [WRITING, CODE])
def test_writes_and_code_are_denied_in_read_only(places: Bench, algorithm: str, parameters: dict[str, Any]) -> None:
    places.issue(caller="chat", level="read_only")
    places.approver.answer = "once"
    assert run(places, algorithm, **parameters)["envelope"]["code"] == "FORBIDDEN"
    assert places.approver.cards == []


def test_a_write_needs_the_pack_that_a_person_enables(places: Bench) -> None:
    places.issue(caller="chat", level="full_access", write=False)
    places.approver.answer = "once"
    envelope = run(places, WRITING[0], **WRITING[1])["envelope"]
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "pack_not_enabled")


def test_code_is_asked_each_time_with_all_its_arguments(places: Bench) -> None:
    places.issue(caller="chat", level="full_access")
    places.approver.answer = "session"
    query = "select * from input1 where n > 0 /* " + "x" * 3000 + " */"
    for turn in (1, 2):
        outcome = run(places, CODE[0], INPUT_DATASOURCES=["places"], INPUT_QUERY=query)
        assert outcome["decision"]["effect"] == "execute"
        assert len(places.approver.cards) == turn  # "for this session" covers nothing here
    card = places.approver.cards[0]
    assert ["Why you are asked", "it runs SQL"] in card["lines"]
    assert ApprovalDialog(card).session_button.isHidden()
    assert query in card["arguments"] and card["each_time"] and not card["reversible"]
    assert places.host.ledger.grants.listed() == ()


def test_no_is_no(places: Bench) -> None:
    places.issue(caller="chat")
    places.approver.answer = "deny"
    assert run(places, WRITING[0], **WRITING[1])["envelope"]["code"] == "PERMISSION_DENIED"
    assert next(iter(places.host.project.mapLayers().values())).featureCount() == 3


def test_an_earlier_grant_does_not_cover_code(places: Bench) -> None:
    capability = places.issue(caller="chat")
    assert places.host.ledger.grant(capability, CallFacts("run_algorithm", "execute", "processing")) is None
    assert places.host.ledger.grant(capability, CallFacts("run_algorithm", "create", "processing")) is not None
    places.approver.answer = "deny"
    assert run(places, CODE[0], **CODE[1])["envelope"]["code"] == "PERMISSION_DENIED"


def test_options_of_a_command_line_count_as_code(places: Bench) -> None:
    places.issue(caller="chat")
    places.approver.answer = "deny"
    outcome = run(places, "gdal:buffervectors", INPUT="places", DISTANCE=1, OPTIONS="-sql x")
    assert outcome["decision"]["effect"] == "execute"
    assert outcome["envelope"]["code"] == "PERMISSION_DENIED"


def test_a_script_of_somebody_is_asked_about(places: Bench) -> None:
    from qgis.core import QgsProcessingAlgorithm, QgsProcessingProvider

    class Strange(QgsProcessingAlgorithm):
        def name(self) -> str:
            return "strange"

        def displayName(self) -> str:  # noqa: N802
            return "Strange"

        def createInstance(self) -> Any:  # noqa: N802
            return Strange()

        def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802
            pass

        def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> Any:  # noqa: N802
            return {}

    class Provider(QgsProcessingProvider):
        def id(self) -> str:
            return "strangers"

        def name(self) -> str:
            return "Strangers"

        def loadAlgorithms(self) -> None:  # noqa: N802
            self.addAlgorithm(Strange())

    provider = Provider()
    QgsApplication.processingRegistry().addProvider(provider)
    try:
        assert run(places, "strangers:strange")["envelope"]["code"] == "FORBIDDEN"  # the command line
        places.issue(caller="chat")
        places.approver.answer = "deny"
        outcome = run(places, "strangers:strange")
        assert (outcome["decision"]["effect"], outcome["envelope"]["code"]) == ("execute", "PERMISSION_DENIED")
    finally:
        QgsApplication.processingRegistry().removeProvider(provider)


def test_a_check_that_breaks_refuses(places: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr(places.calls._tools["run_algorithm"], "effect_of", broken)
    envelope = run(places, "native:centroids", INPUT="places")["envelope"]
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "check_failed")


def test_nothing_waives_but_a_test(places: Bench) -> None:
    assert places.host.waived_algorithms == {}
    assert run(places, CODE[0], **CODE[1])["envelope"]["code"] == "FORBIDDEN"
    places.host.waived_algorithms = {"sql": frozenset([CODE[0]])}
    outcome = run(places, CODE[0], **CODE[1])
    assert outcome["decision"]["effect"] == "create"
    package = REPO / "qgis_agent"
    setters = [each for each in package.rglob("*.py") if "waived_algorithms" in each.read_text(encoding="utf-8")]
    assert [each.name for each in setters] == ["host.py"]


# what a parameter may be


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("native:centroids", {"INPUT": "places", "OUTPUT": "/tmp/x.gpkg"}),
        ("native:centroids", {"INPUT": "/etc/passwd"}),
        ("native:mergevectorlayers", {"LAYERS": ["places", "/vsicurl/http://127.0.0.1/x.json"]}),
        ("native:mergevectorlayers", {"LAYERS": [{"layer_id": "<VRTDataset/>"}]}),
        ("native:reprojectlayer", {"INPUT": "places", "OPERATION": "+proj=pipeline +step +grids=/x"}),
        ("native:reprojectlayer", {"INPUT": "places", "TARGET_CRS": "+proj=longlat +nadgrids=@/x"}),
        ("native:addautoincrementalfield", {"INPUT": "places", "FIELD_NAME": "[% env('HOME') %]"}),
        ("native:extractbyexpression", {"INPUT": "places", "EXPRESSION": "env('HOME') <> ''"}),
        ("native:extractbyexpression", {"INPUT": "places", "EXPRESSION": "\"nam\" = 'a'"}),
        (
            "native:fieldcalculator",
            {"INPUT": "places", "FIELD_NAME": "x", "FORMULA": "layer_property('places', 'source')"},
        ),
        (
            "native:refactorfields",
            {"INPUT": "places", "FIELDS_MAPPING": [{"name": "x", "type": 10, "expression": "env('HOME')"}]},
        ),
        (
            "native:aggregate",
            {
                "INPUT": "places",
                "AGGREGATES": [{"name": "x", "type": 10, "input": "n", "aggregate": "env('HOME') || sum"}],
            },
        ),
        ("native:rastercalc", {"LAYERS": ["places"], "EXPRESSION": "system('x')"}),
        ("gdal:rastercalculator", {"INPUT_A": "places", "FORMULA": "__import__('os').system('x')"}),
        ("gdal:translate", {"INPUT": "places", "OPTIONS": "COMPRESS=/etc/passwd"}),
        ("gdal:buffervectors", {"INPUT": "places", "GEOMETRY": "geometry) from x --"}),
        ("gdal:proximity", {"INPUT": "places", "VALUES": "1 --config X Y"}),
    ],
)
def test_what_may_not_be_given(places: Bench, algorithm: str, parameters: dict[str, Any]) -> None:
    envelope = run(places, algorithm, **parameters)["envelope"]
    assert not envelope["ok"]
    assert envelope["code"] in ("INVALID_PARAM", "FORBIDDEN", "NOT_FOUND")
    assert envelope["hint"]


def test_a_value_cannot_end_the_text_that_qgis_puts_it_in(places: Bench) -> None:
    # 3.40 builds LIKE '%value%' without quoting: with this value it evaluated env() (seen: all features match).
    value = "x' or env('HOME') <> '' or 'a'='"
    envelope = run(places, "native:extractbyattribute", INPUT="places", FIELD="name", OPERATOR=7, VALUE=value)[
        "envelope"
    ]
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "admission")
    outcome = run(places, "native:extractbyattribute", INPUT="places", FIELD="name", OPERATOR=0, VALUE="O'Brien")
    assert outcome["envelope"]["ok"] and outcome["envelope"]["data"]["feature_count"] == 0


def test_no_output_is_named_by_the_data(places: Bench) -> None:
    # 3.40 writes "<folder>/<group>.txt": a group "../../x" leaves the folder (seen).
    envelope = run(places, "native:pointstopath", INPUT="places", GROUP_EXPRESSION="'../../x'", OUTPUT_TEXT_DIR=True)[
        "envelope"
    ]
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "admission")


def test_files_only_of_the_right_kind_below_the_allowed_folders(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "colors.txt").write_text("0 0 0 0\n")
    (tmp_path / "notes.md").write_text("x")
    rule = effects.rules_of(ENTRIES["gdal:colorrelief"])["COLOR_TABLE"]
    assert text_rules.apply(rule, "COLOR_TABLE", str(tmp_path / "colors.txt"), bench.host.paths) == ""
    for bad in (str(tmp_path / "notes.md"), "/etc/passwd", "../x.txt", "http://127.0.0.1/x.txt"):
        with pytest.raises(ToolError):
            text_rules.apply(rule, "COLOR_TABLE", bad, bench.host.paths)


@pytest.mark.parametrize("text", ["A*2", "numpy.where(A>0, A, -1)", "(A+B)/2.0", "log10(A)", "logical_and(A>1,B<2)"])
def test_formulas_of_gdal_that_compute(text: str) -> None:
    assert calc_formula.check_numpy_formula(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "A.tofile('x')", "numpy.load('x')", "open('x')", "A if B else C", "[A for A in B]", "A[0]",
        "lambda: A", "'x'", "A\n", "A\n*2", "numpy.where.__globals__", "where(A, B, out=C)", "os", "(lambda: A)()",
        "numpy.lib.format.open_memmap(A)", "A:=1", "f'{A}'", "A" + "+A" * 300, "1e999",
    ],
)  # fmt: skip
def test_formulas_of_gdal_that_could_do_more(text: str) -> None:
    if text == "A\n":
        assert calc_formula.check_numpy_formula(text.strip()) == "A"
        return
    with pytest.raises(ToolError):
        calc_formula.check_numpy_formula(text)


@pytest.mark.parametrize("text", ['"dem.tif@1" * 2', "dem@1 > 3 AND dem@2 < 1", 'if("a b@1" > 0, 1, 0)', "sqrt(A@1)^2"])
def test_formulas_of_bands(text: str) -> None:
    assert calc_formula.check_band_formula(text) == text


@pytest.mark.parametrize("text", ['"dem.tif"', "env('HOME')", "dem", "a@1; b@1", "", "x" * 1001])
def test_formulas_that_are_none_of_bands(text: str) -> None:
    with pytest.raises(ToolError):
        calc_formula.check_band_formula(text)


@pytest.mark.parametrize(
    "text",
    ["/etc/passwd", "../x", "C:\\x", "\\\\host\\x", "http://x", "PG:dbname=x", "GPKG:/x", "/vsizip/x", "<VRT", "~/x",
     "memory:x", "dbname=x host=y", "a.gpkg|layername=b", "[% 1 %]", "{\"type\":1}"],
)  # fmt: skip
def test_sources_are_seen(text: str) -> None:
    assert text_rules.looks_like_source(text)


@pytest.mark.parametrize(
    "text", ["name", "a/b", "12:30", "Note: yes", "1,2,3", "人口 密度", "O'Brien", "a < b", "50 %", ""]
)
def test_plain_texts_are_none(text: str) -> None:
    assert not text_rules.looks_like_source(text)
