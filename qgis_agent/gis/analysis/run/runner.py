"""Runs a plan as a series of steps of a call, every output read back and verified.

``RunAlgorithm`` (running.py) is one algorithm; ``analysis_context``, ``find_algorithm`` and ``check_parameters`` are in
catalog.py, ``take_outputs`` and ``chosen_destinations`` for any algorithm in outputs.py. All are to be had from here.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple

from qgis.core import QgsMapLayer, QgsProcessingContext
from qgis.PyQt import sip

from ...errors import (
    NOT_FOUND,
    UPSTREAM_ERROR,
    ToolError,
)
from ...i18n import translate
from ...scratch import (
    Scratch,
    scratch_of,
)
from ...work import Step
from .catalog import (
    WGS84_ELLIPSOID,
    analysis_context,
    check_parameters,
    find_algorithm,
)
from .messages import CollectingFeedback
from .outputs import (
    Output,
    chosen_destinations,
    take_outputs,
)
from .plan import (
    FOLDER,
    INDEXED_FILE,
    MEMORY,
    RASTER_FILE,
    Plan,
    PlanStep,
    Ref,
)
from .running import RunAlgorithm

__all__ = [
    "WGS84_ELLIPSOID",
    "CollectingFeedback",
    "Output",
    "RunAlgorithm",
    "analysis_context",
    "check_parameters",
    "chosen_destinations",
    "close_files",
    "find_algorithm",
    "run_plan",
    "take_outputs",
]

_SUFFIXES = {INDEXED_FILE: ".fgb", RASTER_FILE: ".tif"}


def run_plan(
    plan: Plan,
    inputs: Dict[str, QgsMapLayer],
    context: QgsProcessingContext,
    warnings: List[str],
    facts: Optional[Dict[str, Dict[str, Any]]] = None,
) -> Generator[Step, Any, Dict[str, QgsMapLayer]]:
    """Run the steps in order; gives the output layers by key (further outputs of a step by "key.PARAMETER"). ``warnings``
    gets what the algorithms warned of, ``facts`` each step's whole map of results by key: numbers, texts, names of files.

    Files lie in the context's scratch folder: it goes when a step fails, when the call is stopped, and with the last layer
    that the call adds to the project. ``close_files`` frees what is not needed earlier.
    """
    made: Dict[str, QgsMapLayer] = {}
    done = False
    try:
        for number, step in enumerate(plan):
            yield from _run_step(step, (number, len(plan)), inputs, made, context, warnings, facts)
        done = True
    finally:
        if not done:
            made.clear()
            scratch_of(context).remove()
    return made


def _run_step(
    step: PlanStep,
    share: Tuple[int, int],
    inputs: Dict[str, QgsMapLayer],
    made: Dict[str, QgsMapLayer],
    context: QgsProcessingContext,
    warnings: List[str],
    facts: Optional[Dict[str, Dict[str, Any]]],
) -> Generator[Step, Any, None]:
    parameters = {key: _resolved(value, inputs, made) for key, value in step.parameters.items()}
    names = {step.key: (step.output, step.destination)} if step.output else {}
    names.update({"{}.{}".format(step.key, name): (name, place) for name, place in step.more})
    scratch = scratch_of(context)
    for key, (name, place) in names.items():
        parameters[name] = _destination(key, place, scratch)
    running = RunAlgorithm(step.algorithm, parameters, context, tolerant=step.tolerant)
    running.share = share
    results = yield running
    told = running.feedback.warnings + running.feedback.errors
    warnings.extend(each for each in told if each not in warnings)
    if facts is not None:
        facts[step.key] = results
    taken = take_outputs(find_algorithm(step.algorithm), parameters, results, context)
    for key, (name, place) in names.items():
        layers = taken[name].layers if name in taken else ()
        if layers:
            made[key] = layers[0]
        elif place in (MEMORY, INDEXED_FILE, RASTER_FILE):
            raise _no_layer(step.algorithm)


def close_files(layers: Dict[str, Any], keep: Sequence[str] = ()) -> None:
    """Drop the layers behind which temporary files are, and remove the files; not those whose keys are to be kept."""
    keys = [key for key, layer in layers.items() if layer.providerType() in ("ogr", "gdal") and key not in keep]
    files = [layers.pop(key).source().split("|")[0] for key in keys]
    for each in files:
        if os.path.isfile(each):
            os.remove(each)


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


def _destination(key: str, place: str, scratch: Scratch) -> str:
    if place == MEMORY:
        return MEMORY
    path = scratch.file(key + ("" if place == FOLDER else _SUFFIXES.get(place, place)))
    if place == FOLDER:
        os.mkdir(path)
    return path


def _no_layer(algorithm: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "{} ended, but its result cannot be read.").format(algorithm),
        hint=translate("QgisAgent", "Try it in the Processing toolbox to see its log."),
        reason="no_output",
    )
