"""One run of any algorithm, from the parameters of a call to verified outputs.

Resolve the id, read the parameters, admit them, look for doubts of units and CRSs, run in a task, read the outputs back.
Nothing is added to the project here.
"""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from qgis.core import (
    Qgis,
    QgsFeatureRequest,
    QgsMapLayer,
    QgsProcessingContext,
    QgsRasterLayer,
    QgsReferencedRectangle,
    QgsVectorLayer,
)

from ...features import (
    FeatureReader,
    box_of_features,
    feature_source,
    json_value,
)
from ...i18n import translate
from ...layers import clean_text
from ...scratch import scratch_of
from ...source_files import (
    local_path,
    require_readable,
)
from ...work import (
    Step,
    Work,
)
from ..checks.verify import broken
from ..raster.checks import needs_plain_copy
from ..run.catalog import measuring
from ..run.harmless import (
    is_harmless,
    not_whole,
)
from ..run.messages import (
    CollectingFeedback,
    tells_skipped,
)
from ..run.outputs import (
    opened,
    take_outputs,
)
from ..run.plan import MEMORY, PlanStep
from ..run.providers import resolved
from ..run.runner import (
    RunAlgorithm,
    analysis_context,
)
from . import (
    looks as generic_looks,
)
from . import (
    results as generic_outputs,
)
from .looks import Look
from .parameters import (
    Reader,
    Source,
)
from .results import Results
from .sizes import (
    knows_extent,
    require_size,
)
from .unit_doubts import unit_doubts

MAX_COUNTED = 100_000
_CHECK = QgsFeatureRequest.InvalidGeometryCheck
_CHECKS = {
    "stop": _CHECK.GeometryAbortOnInvalid,
    "skip": _CHECK.GeometrySkipInvalid,
    "ignore": _CHECK.GeometryNoCheck,
}
_SEES_FILES = ("gdal",)
"""Providers that read a layer's file, not the layer."""


class Job:
    """One run. Made on the main thread: everything that can be wrong with a call is found before anything runs."""

    def __init__(self, call: Any, algorithm: str, parameters: Dict[str, Any], as_is: bool, invalid: str) -> None:
        self.algorithm = resolved(algorithm)
        self.as_is = as_is
        self.skips = invalid == "skip"
        self.given = Reader(call, self.algorithm, as_is).read(parameters)
        self.context = _context(call, as_is, invalid)
        if self.given.sources:
            crs = self.given.sources[0].layer.crs()
            self.context.setExpressionContext(measuring(self.context.ellipsoid(), crs))
        self.warnings: List[str] = list(self.given.warnings)
        self._outputs: List[str] = []
        self.results = Results({}, {}, {}, {})
        self.counts: List[Dict[str, Any]] = []
        self._facts: Dict[str, Dict[str, Any]] = {}
        self._alias = call.host.layers.alias
        self._check_units()
        call.uses.extend(each.alias for each in self.given.sources)
        for each in self.given.sources:
            self._remark(each)

    def _check_units(self) -> None:
        doubts = unit_doubts(self.algorithm, self.given.values, self.context, self._alias)
        if doubts and doubts[0].refused and not self.as_is:
            raise doubts[0].error()
        self.warnings += [str(each) for each in doubts]
        if not self.algorithm.validateInputCrs(self.given.values, self.context):
            self.warnings.append(translate("QgisAgent", "The input layers have different CRSs."))

    def _remark(self, source: Source) -> None:
        layer = source.layer
        if isinstance(layer, QgsRasterLayer) and needs_plain_copy(self.algorithm.id(), layer):
            text = translate(
                "QgisAgent",
                "'{}' declares no usable nodata value: {} takes heights of 0 for missing; raster_terrain does not.",
            )
            self._warn(text.format(source.alias, self.algorithm.id()))
        if not isinstance(layer, QgsVectorLayer):
            return
        if layer.subsetString():
            self._warn(translate("QgisAgent", "The filter of '{}' is in force.").format(source.alias))
        if layer.isEditable() and layer.isModified():
            if self.algorithm.provider().id() in _SEES_FILES and not source.selected_only and not source.where:
                text = translate("QgisAgent", "'{}' has edits that are not saved: this algorithm does NOT see them.")
            else:
                text = translate("QgisAgent", "'{}' has edits that are not saved; they are included.")
            self._warn(text.format(source.alias))

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def _alert(self, text: str) -> None:
        """Of a result that may be nothing: before all others, of which only the first are in the message."""
        if text not in self.warnings:
            self.warnings.insert(0, text)

    def run(self, call: Any) -> Generator[Step, Any, None]:
        """Run it; afterwards ``results`` holds the verified outputs."""
        scratch = scratch_of(self.context)
        done = False
        try:
            paths = sorted({local_path(each.layer) for each in self.given.sources})
            yield Work(  # before anything asks QGIS on the main thread, which would wait for a lock
                translate("QgisAgent", "Looking at the layers"),
                lambda _feedback: [require_readable(each) for each in paths],
            )
            yield from self._boxes()
            yield from self._run(call)
            done = True
        finally:
            if done:
                scratch.settle()
            else:
                scratch.remove()

    def _boxes(self) -> Generator[Step, Any, None]:
        """Extents that are a layer's: of a filtered, edited or distant one QGIS would read every feature to know it, on the
        main thread; here a worker does."""
        for definition in self.algorithm.parameterDefinitions():
            layer = self.given.values.get(definition.name())
            if definition.type() != "extent" or not isinstance(layer, QgsVectorLayer) or knows_extent(layer):
                continue
            source, crs = feature_source(layer), layer.crs()
            box = yield Work(
                translate("QgisAgent", "Looking at the features"),
                lambda feedback, source=source: box_of_features(source, feedback),
            )
            self.given.values[definition.name()] = QgsReferencedRectangle(box, crs)

    def _run(self, call: Any) -> Generator[Step, Any, None]:
        places = generic_outputs.destinations(
            self.algorithm, self.given.wanted, self.context, call.host.choose_destination
        )
        self._outputs = list(places)
        readers = [_counter(each) for each in self.given.sources if _is_counted(each)]
        require_size(self.algorithm, self.given.values, [each.layer for each in self.given.sources], self.context)
        running = RunAlgorithm(self.algorithm.id(), {**self.given.values, **places}, self.context, tolerant=True)
        results = yield running
        self._read_messages(running.feedback)
        found = yield from opened(self.algorithm, results, self.context)
        outputs = take_outputs(self.algorithm, {**self.given.values, **places}, results, self.context, found)
        self.results = generic_outputs.sorted_results(self.algorithm, outputs, results, call.host.project)
        made = {**self.results.layers, **self.results.changed}
        inputs = [each.layer for each in self.given.sources]
        known = generic_looks.known_fields(self.algorithm, self.given.values, inputs)
        lookers = {
            key: generic_looks.looker(layer, known) for key, layer in made.items() if isinstance(layer, QgsVectorLayer)
        }
        counted = yield Work(
            translate("QgisAgent", "Counting the features"),
            lambda feedback: (
                [(alias, reader.count(feedback)) for alias, reader in readers],
                {key: looker.read(feedback) for key, looker in lookers.items()},
            ),
        )
        self.counts = [{"layer_id": alias, "feature_count": count} for alias, count in counted[0]]
        self._facts = {key: _facts(layer, counted[1].get(key)) for key, layer in made.items()}
        yield from self._require_places(made, counted[1])
        for key, look in counted[1].items():
            for each in generic_looks.said(self.results.titles.get(key, key), made[key], look):
                self._alert(each)

    def _require_places(self, made: Dict[str, QgsMapLayer], looks: Dict[str, Look]) -> Generator[Step, Any, None]:
        """Outputs that lie nowhere are no success, unless the inputs lay there already. UPSTREAM_ERROR ``not_verified``."""
        tests = {key: (generic_looks.absurd(each, looks.get(key)), generic_looks.off_the_map(each, looks.get(key)))
                 for key, each in made.items()}  # fmt: skip
        if not any(any(each) for each in tests.values()):
            return
        inputs = [each.layer for each in self.given.sources]
        lookers = [generic_looks.looker(each, set()) for each in inputs if isinstance(each, QgsVectorLayer)]
        looks_before = yield Work(
            translate("QgisAgent", "Looking at the features"),
            lambda feedback: [each.read_places(feedback) for each in lookers],
        )
        vectors = [each for each in inputs if isinstance(each, QgsVectorLayer)]
        before = list(zip(vectors, looks_before)) + [(each, None) for each in inputs if each not in vectors]
        absurd = any(generic_looks.absurd(*each) for each in before)
        beyond = absurd or any(generic_looks.off_the_map(*each) for each in before)
        for key, (nowhere, outside) in tests.items():
            title = self.results.titles.get(key, key)
            if nowhere and not absurd:
                text = translate("QgisAgent", "{} has coordinates that no place has (no numbers, or beyond {:.0e}).")
                if not self.as_is:
                    raise broken(text.format(title, generic_looks.FARTHEST))
                self._alert(text.format(title, generic_looks.FARTHEST))
            elif outside and not beyond:
                text = translate(
                    "QgisAgent", "{} reaches beyond ±360/±90 degrees, where there is no place: check distances and CRS."
                )
                self._alert(text.format(title))

    def _read_messages(self, feedback: CollectingFeedback) -> None:
        """Errors with which an algorithm went on: the result is not whole, so it needs a yes."""
        skipped = [each for each in feedback.errors if self.skips and tells_skipped(each)]
        errors = [each for each in feedback.errors if each not in skipped]
        grave = [each for each in errors if not is_harmless(self.algorithm.id(), each)]
        if grave and not self.as_is:
            raise not_whole(self.algorithm.id(), grave)
        if skipped:
            self._warn(
                translate("QgisAgent", "Features with invalid geometry were left out, as asked: {}.").format(
                    len(feedback.skipped)
                )
            )
        for each in errors + feedback.warnings:
            self._warn(each)

    # what is told

    def facts(self, key: str) -> Dict[str, Any]:
        """Of an output layer: counts or size, CRS."""
        return dict(self._facts.get(key, {}))

    def first_name(self) -> str:
        """The name of the first layer that it read."""
        return clean_text(self.given.sources[0].layer.name(), 60) if self.given.sources else ""

    def shown(self) -> Dict[str, Any]:
        """The parameters as they were given."""
        return {key: _short(value) for key, value in self.given.shown.items()}

    def described(self) -> Dict[str, Any]:
        """The parameters for the evidence."""
        return self.shown()

    def recipe_plan(self) -> List[PlanStep]:
        """The algorithm with its parameters as it got them, its outputs by their parameters."""
        outputs = self._outputs
        inputs = {key: value for key, value in self.given.values.items() if key not in outputs}
        more = tuple((each, MEMORY) for each in outputs[1:])
        return [PlanStep("", self.algorithm.id(), inputs, output=outputs[0] if outputs else "", more=more)]

    def method(self) -> str:
        """How areas and lengths are measured, in words."""
        ellipsoid = self.context.ellipsoid()
        if not ellipsoid or ellipsoid == "NONE":
            return translate("QgisAgent", "planar, in the units of the layers' CRS")
        return translate(
            "QgisAgent", "distances as given are in the layers' units; $area and $length on ellipsoid {}"
        ).format(ellipsoid)


def _context(call: Any, as_is: bool, invalid: str) -> QgsProcessingContext:
    if as_is:  # as the toolbox does it: with the project's own units and ellipsoid
        context = QgsProcessingContext()
        context.setProject(call.host.project)
        # What a person set counts also where the project has no CRS: QGIS itself says "NONE" then.
        ellipsoid = call.host.project.readEntry("Measure", "/Ellipsoid", "")[0]
        if ellipsoid:
            context.setEllipsoid(ellipsoid)
        context.setExpressionContext(measuring(context.ellipsoid()))
    else:
        context = analysis_context(call.host.project)
    context.setInvalidGeometryCheck(_CHECKS[invalid])
    scratch_of(context)
    return context


def _is_counted(source: Source) -> bool:
    """To count the features of a big input again costs as much as some algorithms; its size is in describe_layer."""
    return isinstance(source.layer, QgsVectorLayer) and source.layer.featureCount() <= MAX_COUNTED


def _counter(source: Source) -> Any:
    ids = source.layer.selectedFeatureIds() if source.selected_only else None
    return source.alias, FeatureReader(source.layer, source.where or (), ids)


def _facts(layer: QgsMapLayer, look: Optional[Look]) -> Dict[str, Any]:
    facts: Dict[str, Any] = {"crs": layer.crs().authid() or layer.crs().toProj()}
    if isinstance(layer, QgsVectorLayer):
        facts["feature_count"] = look.count if look is not None else None
        facts["geometry"] = Qgis.GeometryType(layer.geometryType()).name.lower()
    elif isinstance(layer, QgsRasterLayer):
        facts.update(width=layer.width(), height=layer.height(), bands=layer.bandCount())
    return facts


def _short(value: Any) -> Any:
    """A value of a parameter, clipped."""
    if isinstance(value, list):
        return [_short(each) for each in value[:10]]
    if isinstance(value, dict):
        return {clean_text(str(key), 60): _short(each) for key, each in list(value.items())[:10]}
    return clean_text(value, 120) if isinstance(value, str) else json_value(value)
