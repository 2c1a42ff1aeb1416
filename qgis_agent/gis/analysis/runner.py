"""Runs algorithms: one as a step of a call, a plan as a series of steps, every output verified."""

from __future__ import annotations

import os
from typing import Any, Dict, Generator, List, Optional, Sequence

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingAlgRunnerTask,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingUtils,
    QgsProject,
    QgsRasterLayer,
    QgsVectorLayer,
)
from qgis.PyQt import sip

from ..errors import CANCELLED, INVALID_PARAM, NOT_FOUND, UNSUPPORTED, UPSTREAM_ERROR, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text
from ..work import Done, Step, hold, release
from .plan import INDEXED_FILE, MEMORY, RASTER_FILE, Plan, PlanStep, Ref

WGS84_ELLIPSOID = "EPSG:7030"
_SUFFIXES = {INDEXED_FILE: ".fgb", RASTER_FILE: ".tif"}


class CollectingFeedback(QgsProcessingFeedback):
    """Keeps what an algorithm reports: an error that nobody reads is a wrong result that nobody notices."""

    def __init__(self) -> None:
        super().__init__(False)
        self.errors: List[str] = []
        self.warnings: List[str] = []

    def reportError(self, error: str, fatalError: bool = False) -> None:  # noqa: N802, N803  QGIS's names
        """On whatever thread the algorithm runs."""
        self.errors.append(clean_text(error, 300))

    def pushWarning(self, warning: str) -> None:  # noqa: N802
        """As above."""
        self.warnings.append(clean_text(warning, 300))


class RunAlgorithm:
    """A step that runs one algorithm: in a task, or on the main thread where the algorithm demands it.

    Its result is the map of results. Parameters are layers and plain values; they are checked first. Fails with
    UPSTREAM_ERROR when the algorithm fails or reports an error, with INVALID_PARAM for parameters that do not fit.
    """

    def __init__(self, algorithm: str, parameters: Dict[str, Any], context: QgsProcessingContext) -> None:
        self._algorithm = find_algorithm(algorithm)
        self._parameters = parameters
        self._context = context
        self.feedback = CollectingFeedback()
        self._task: Optional[QgsProcessingAlgRunnerTask] = None
        check_parameters(self._algorithm, parameters, context)

    def start(self, feedback: Any, done: Done) -> None:
        """See Step."""
        feedback.canceled.connect(self.feedback.cancel)
        if feedback.isCanceled():
            self.feedback.cancel()
        if self._algorithm.flags() & Qgis.ProcessingAlgorithmFlag.NoThreading:
            results, good = self._algorithm.run(self._parameters, self._context, self.feedback)
            self._finish(results if good else None, done)
            return
        task = QgsProcessingAlgRunnerTask(self._algorithm, self._parameters, self._context, self.feedback)
        if task.isCanceled():  # it could not be prepared; such a task never reports an end
            self._finish(None, done)
            return

        def executed(good: bool, results: Dict[str, Any]) -> None:
            release(self)
            self._finish(results if good else None, done)

        task.executed.connect(executed)  # on the main thread, also when the task was cancelled before it ran
        self._task = task
        hold(self)
        QgsApplication.taskManager().addTask(task)

    def _finish(self, results: Optional[Dict[str, Any]], done: Done) -> None:
        self._task = None
        self._parameters = {}
        if self.feedback.isCanceled():
            done(None, ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped"))
        elif results is None or self.feedback.errors:
            done(None, self._failed())
        else:
            done(results, None)

    def _failed(self) -> ToolError:
        why = " ".join(self.feedback.errors[:3]) or translate("QgisAgent", "QGIS gave no reason.")
        return ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "{} failed: {}").format(self._algorithm.id(), clean_text(why, 600)),
            hint=translate("QgisAgent", "Check the layer's geometries and coordinates, or use fewer features (where)."),
            reason="algorithm",
        )


def run_plan(
    plan: Plan,
    inputs: Dict[str, QgsMapLayer],
    context: QgsProcessingContext,
    warnings: List[str],
    facts: Optional[Dict[str, Dict[str, Any]]] = None,
) -> Generator[Step, Any, Dict[str, Any]]:
    """Run the steps in order; gives the output layers (vector or raster) by key. ``warnings`` gets what the algorithms warned
    of, ``facts`` each step's whole map of results by key: numbers, texts, names of files.

    The caller ends with ``close_files``. When a step fails or the call is stopped, temporary files are removed here.
    """
    made: Dict[str, QgsMapLayer] = {}
    files: List[str] = []
    done = False
    try:
        for step in plan:
            parameters = {key: _resolved(value, inputs, made) for key, value in step.parameters.items()}
            parameters[step.output] = _destination(step, context)
            if step.destination in _SUFFIXES:
                files.append(parameters[step.output])
            running = RunAlgorithm(step.algorithm, parameters, context)
            results = yield running
            warnings.extend(each for each in running.feedback.warnings if each not in warnings)
            if facts is not None:
                facts[step.key] = results
            made[step.key] = _taken(step, results, context)
        done = True
    finally:
        if not done:
            made.clear()
            _remove(files)
    return made


def close_files(layers: Dict[str, Any], keep: Sequence[str] = ()) -> None:
    """Drop the layers behind which temporary files are, and remove the files; not those whose keys are to be kept."""
    keys = [key for key, layer in layers.items() if layer.providerType() in ("ogr", "gdal") and key not in keep]
    files = [layers.pop(key).source().split("|")[0] for key in keys]
    _remove(files)


def _remove(files: List[str]) -> None:
    for each in files:
        if os.path.isfile(each):
            os.remove(each)


def analysis_context(project: QgsProject) -> QgsProcessingContext:
    """A context whose $area is in m² and $length in metres on the ellipsoid: the project's, or WGS 84 where it has none."""
    context = QgsProcessingContext()
    context.setProject(project)
    ellipsoid = project.ellipsoid()
    context.setEllipsoid(ellipsoid if ellipsoid not in ("", "NONE") else WGS84_ELLIPSOID)
    context.setAreaUnit(Qgis.AreaUnit.SquareMeters)
    context.setDistanceUnit(Qgis.DistanceUnit.Meters)
    return context


def find_algorithm(ident: str) -> QgsProcessingAlgorithm:
    """A new instance of an algorithm. UNSUPPORTED where its provider is switched off: plans name what QGIS and we ship."""
    algorithm = QgsApplication.processingRegistry().createAlgorithmById(ident)
    if algorithm is None:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The algorithm {} is not available in this QGIS.").format(ident),
            hint=translate("QgisAgent", "Switch its provider on in the Processing settings."),
            reason="no_algorithm",
        )
    return algorithm


def check_parameters(
    algorithm: QgsProcessingAlgorithm, parameters: Dict[str, Any], context: QgsProcessingContext
) -> None:
    """INVALID_PARAM for an unknown key, and for what the algorithm itself refuses."""
    known = [each.name() for each in algorithm.parameterDefinitions()]
    for key in parameters:
        if key not in known:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "{} has no parameter '{}'.").format(algorithm.id(), key),
                hint=hint_for_name(key, known, "parameters"),
                reason="algorithm_parameters",
            )
    good, problem = algorithm.checkParameterValues(parameters, context)
    if not good:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} refuses its parameters: {}").format(algorithm.id(), clean_text(problem, 300)),
            hint=translate("QgisAgent", "Check the layers and values of the call."),
            reason="algorithm_parameters",
        )


def _resolved(value: Any, inputs: Dict[str, QgsMapLayer], made: Dict[str, QgsMapLayer]) -> Any:
    if isinstance(value, list):
        return [_resolved(each, inputs, made) for each in value]
    if not isinstance(value, Ref):
        return value
    layer = made[value.key] if value.key in made else inputs[value.key]
    if sip.isdeleted(layer):
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "A layer of the analysis has been removed meanwhile."),
            hint=translate("QgisAgent", "Start again with a layer that is in the project."),
            reason="layer",
        )
    return layer


def _destination(step: PlanStep, context: QgsProcessingContext) -> str:
    suffix = _SUFFIXES.get(step.destination)
    return MEMORY if suffix is None else str(QgsProcessingUtils.generateTempFilename(step.key + suffix, context))


def _taken(step: PlanStep, results: Dict[str, Any], context: QgsProcessingContext) -> QgsMapLayer:
    destination = results.get(step.output)
    layer = context.takeResultLayer(destination) if isinstance(destination, str) else None
    if layer is None and isinstance(destination, str):
        if step.destination == INDEXED_FILE:
            layer = QgsVectorLayer(destination, step.key, "ogr")
        elif step.destination == RASTER_FILE:
            layer = QgsRasterLayer(destination, step.key, "gdal")
    if layer is None or not layer.isValid():
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "{} ended, but its result cannot be read.").format(step.algorithm),
            hint=translate("QgisAgent", "Try it in the Processing toolbox to see its log."),
            reason="no_output",
        )
    return layer
