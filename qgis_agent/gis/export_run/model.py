"""A run as a Processing model: its algorithms as children that are linked, the project's layers as inputs, its layers as outputs."""

from __future__ import annotations

import html
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from qgis.core import (
    QgsProcessing,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildDependency,
    QgsProcessingModelChildParameterSource,
    QgsProcessingModelOutput,
    QgsProcessingModelParameter,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterVectorLayer,
    QgsProperty,
)
from qgis.PyQt.QtCore import QPointF

from ..analysis.run.catalog import find_algorithm
from ..analysis.run.providers import load_providers
from ..errors import UPSTREAM_ERROR, ToolError
from ..i18n import translate
from ..layers import clean_text
from .sizes import KINDS, known_size, measuring_steps, quoted, scaled, sizes_in
from .steps import Algorithm, Result, RunSteps, Settings, Source, keys_in, steps_of
from .words import heading, needs, others, others_title, risks

GROUP = "QGIS Agent"
_VECTOR = ("point", "line", "polygon", "table")
_SOURCE = QgsProcessingModelChildParameterSource
Sources = List[QgsProcessingModelChildParameterSource]
_ACROSS, _DOWN = 260.0, 110.0
_TYPES = {
    "point": QgsProcessing.SourceType.VectorPoint,
    "line": QgsProcessing.SourceType.VectorLine,
    "polygon": QgsProcessing.SourceType.VectorPolygon,
    "table": QgsProcessing.SourceType.Vector,
}


def export_model(trace: Mapping[str, Any], path: str, before: Sequence[Mapping[str, Any]] = ()) -> Dict[str, Any]:
    """Write the algorithms of a run as a model (.model3). Returns {path, steps, inputs, outputs, notes, risks, needs_plugin}.

    ``before``: see ``steps_of``. ToolError: UNSUPPORTED where no algorithm ran or one is not in this QGIS;
    UPSTREAM_ERROR where it cannot be written.
    """
    run = steps_of(trace, before)
    model = model_of(run)
    if not model.toFile(path):
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The file {} cannot be written.").format(clean_text(path, 300)),
            hint=translate("QgisAgent", "Choose another folder."),
            reason="not_written",
        )
    return {"path": path, **told_of(run)}


def told_of(run: RunSteps) -> Dict[str, Any]:
    """What was exported."""
    return {
        "steps": len(run.algorithms),
        "inputs": [each.name for each in run.sources],
        "outputs": [each.name for each in run.results],
        "notes": others(run),
        "risks": risks(run),
        "needs_plugin": run.needs_plugin(),
    }


def model_of(run: RunSteps) -> QgsProcessingModelAlgorithm:
    """The model of a run; checked by QGIS."""
    load_providers()
    model = _Builder(run).build()
    good, problems = model.validate()
    if not good:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS does not accept the model: {}").format(clean_text("; ".join(problems), 300)),
            hint=translate("QgisAgent", "Export the run as a script instead."),
            reason="model",
        )
    return model


class _Builder:
    """Puts one model together."""

    def __init__(self, run: RunSteps) -> None:
        self._run = run
        self._model = QgsProcessingModelAlgorithm(run.title[:80] or GROUP, GROUP)
        self._known = {each.key: find_algorithm(each.ident) for each in run.algorithms}
        self._children: Dict[str, str] = {}
        self._sizes: Dict[str, str] = {}
        """Variables that hold what QGIS measures there, by size."""
        self._sources = {each.key: each for each in run.sources}

    def build(self) -> QgsProcessingModelAlgorithm:
        """The model."""
        for number, source in enumerate(self._run.sources):
            self._add_input(source, number)
        for step in self._run.algorithms:
            self._add_step(step)
        self._model.setHelpContent({"ALG_DESC": _help(self._run), "ALG_CREATOR": GROUP})
        self._model.updateDestinationParameters()
        return self._model

    def _add_input(self, source: Source, number: int) -> None:
        parameter = QgsProcessingModelParameter(source.name)
        parameter.setPosition(QPointF(number * _ACROSS, 0.0))
        self._model.addModelParameter(self._definition(source), parameter)

    def _definition(self, source: Source) -> QgsProcessingParameterDefinition:
        """The model's input: features where all that read it take features, so that a selection can be chosen."""
        default = source.file or source.layer_id or None
        if source.kind == "raster":
            return QgsProcessingParameterRasterLayer(source.name, source.title, default)
        if source.kind not in _VECTOR:
            return QgsProcessingParameterMapLayer(source.name, source.title, default)
        readers = {each.type() for each in self._readers(source.key)}
        made = QgsProcessingParameterFeatureSource if readers == {"source"} else QgsProcessingParameterVectorLayer
        return made(source.name, source.title, [_TYPES[source.kind]], default)

    def _readers(self, key: str) -> List[QgsProcessingParameterDefinition]:
        """The parameters that are given a layer."""
        found = []
        for step in self._run.algorithms:
            for name, value in step.parameters.items():
                definition = self._known[step.key].parameterDefinition(name)
                if definition is not None and key in keys_in(value):
                    found.append(definition)
        return found

    def _add_step(self, step: Algorithm) -> None:
        """An algorithm of the run, and what has to be around it in a model."""
        algorithm = self._known[step.key]
        parameters = {}
        for name, value in step.parameters.items():
            definition = algorithm.parameterDefinition(name)
            if definition is None:
                raise _no_parameter(step.ident, name)
            parameters[name] = self._values(value)
            sizes = sizes_in(value) if definition.type() in KINDS else []
            if sizes:
                factors = {each: self._factor(each, step.settings) for each in sizes}
                parameters[name] = [_SOURCE.fromExpression(scaled(value, factors))]
        child = self._add_child(step.ident, parameters)
        self._children[step.key] = child
        for result in self._run.results:
            if result.key == step.key:
                self._add_output(result)

    def _add_output(self, result: Result) -> None:
        """A layer of the run as an output; ids that may be there twice are renamed, or a GeoPackage would lose features."""
        child, output = self._children[result.key], result.parameter
        if result.fid:
            given = {
                "INPUT": [_SOURCE.fromChildOutput(child, output)],
                "FIELD": [_SOURCE.fromStaticValue(result.fid[0])],
                "NEW_NAME": [_SOURCE.fromStaticValue(result.fid[1])],
            }
            child, output = self._add_child("native:renametablefield", given), "OUTPUT"
        made = QgsProcessingModelOutput(result.name, result.title)
        made.setChildId(child)
        made.setChildOutputName(output)
        known = self._model.childAlgorithm(child)
        made.setPosition(QPointF(known.position().x() + _ACROSS / 2, known.position().y() + _DOWN / 2))
        known.setModelOutputs({**known.modelOutputs(), result.name: made})
        self._model.setChildAlgorithm(known)

    def _add_child(self, ident: str, parameters: Mapping[str, Sources]) -> str:
        """One algorithm in the model; returns its id there. What its expressions wait for QGIS does not see by itself."""
        number = len(self._model.childAlgorithms()) + 1
        child = QgsProcessingModelChildAlgorithm(ident)
        child.setChildId("step_{}".format(number))
        child.setDescription("{}. {}".format(number, clean_text(find_algorithm(ident).displayName(), 80)))
        child.setPosition(QPointF((number - 1) % 4 * _ACROSS, _DOWN * (1.5 + (number - 1) // 4)))
        for name, sources in parameters.items():
            child.addParameterSources(name, list(sources))
            if any(each.source() == _SOURCE.fromExpression("").source() for each in sources):
                child.setDependencies(
                    [QgsProcessingModelChildDependency(each) for each in self._model.childAlgorithms()]
                )
        return str(self._model.addChildAlgorithm(child))

    def _factor(self, what: str, settings: Settings) -> str:
        """An expression for what a size of QGIS has to be multiplied with to be that of the run."""
        if what not in self._sizes:
            child = ""
            for ident, given, more in measuring_steps(what):
                parameters = {name: [_SOURCE.fromStaticValue(value)] for name, value in more.items()}
                if child:
                    parameters[given] = [_SOURCE.fromChildOutput(child, "OUTPUT")]
                child = self._add_child(ident, parameters)
            self._sizes[what] = self._variable(child, "MAX")
        return "to_string({!r} / var({}))".format(known_size(what, settings), quoted(self._sizes[what]))

    def _values(self, value: Any) -> Sources:
        """Where a parameter comes from; a list with outputs in it is several sources."""
        if isinstance(value, list) and any(True for _ in keys_in(value)):
            return [source for each in value for source in self._values(each)]
        if isinstance(value, dict) and "$ref" in value:
            return [self._reference(str(value["$ref"]))]
        if isinstance(value, dict) and "$property" in value:
            return [_SOURCE.fromStaticValue(QgsProperty.fromField(str(value["$property"])))]
        if isinstance(value, dict) and "$text" in value:
            return [_SOURCE.fromExpression(self._text(value["$text"]))]
        return [_SOURCE.fromStaticValue(value)]

    def _reference(self, key: str) -> QgsProcessingModelChildParameterSource:
        if key in self._sources:
            return _SOURCE.fromModelParameter(self._sources[key].name)
        return _SOURCE.fromChildOutput(*self._output_of(key))

    def _output_of(self, key: str) -> Tuple[str, str]:
        """(child, output) of a key; "key.PARAMETER" is a further output."""
        step = next((each for each in self._run.algorithms if each.key == key), None)
        if step is not None:
            return self._children[key], step.output
        first, _, parameter = key.rpartition(".")
        return self._children[first], parameter

    def _text(self, parts: Any) -> str:
        """An expression that joins texts and the ids of layers: QGIS knows layers of a running model by id."""
        pieces = []
        for each in parts:
            if isinstance(each, dict) and "$ref" in each:
                place = self._variable(*self._output_of(str(each["$ref"])))
                pieces.append("layer_property(var({}), 'id')".format(quoted(place)))
            else:
                pieces.append(quoted(str(each)))
        return " || ".join(pieces)

    def _variable(self, child: str, output: str) -> str:
        """What expressions of later children call the output of a child."""
        for name, known in self._model.variablesForChildAlgorithm("").items():
            is_it = known.source.outputChildId() == child and known.source.outputName() == output
            if is_it and not name.endswith(("_minx", "_miny", "_maxx", "_maxy")):
                return str(name)
        raise _no_parameter(child, output)


def _help(run: RunSteps) -> str:
    """The model's description. QGIS shows it as HTML: all of it is text."""
    lines = [*heading(run), "", *risks(run), *needs(run, True)]
    apart = others(run)
    if apart:
        lines += ["", others_title(), *apart]
    return "<br>".join(html.escape(each, quote=False) for each in lines)


def _no_parameter(ident: str, name: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "{} has no parameter '{}'.").format(clean_text(ident, 80), clean_text(name, 60)),
        hint=translate("QgisAgent", "The run was made with another version of QGIS."),
        reason="algorithm_parameters",
    )
