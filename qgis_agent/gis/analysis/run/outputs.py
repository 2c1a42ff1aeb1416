"""What an algorithm gave: every declared output read back, checked, and taken out of its context."""

from __future__ import annotations

import os
from typing import Any, Dict, Generator, Iterable, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingDestinationParameter,
    QgsProcessingOutputDefinition,
    QgsProcessingUtils,
    QgsRasterLayer,
)

from ...errors import (
    UPSTREAM_ERROR,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from ...scratch import (
    scratch_of,
    watch,
)
from ...work import (
    Step,
    Turn,
)
from .messages import (
    CollectingFeedback,
    GdalWatch,
)

LAYER_KINDS = {
    "outputVector": "vector",
    "outputRaster": "raster",
    "outputLayer": "layer",
    "outputPointCloud": "pointcloud",
    "outputVectorTile": "vectortile",
    "outputMultilayer": "layers",
}
PATH_KINDS = {"outputHtml": "html", "outputFile": "file", "outputFolder": "folder"}
VALUE_KINDS = {"outputNumber": "number", "outputString": "text", "outputBoolean": "boolean", "outputVariant": "value"}
PUSHED = "layer"
"""Prefix of the names of layers that an algorithm wants in the project without declaring them."""
_HINTS = {
    "vector": QgsProcessingUtils.LayerHint.Vector,
    "raster": QgsProcessingUtils.LayerHint.Raster,
    "pointcloud": QgsProcessingUtils.LayerHint.PointCloud,
    "vectortile": QgsProcessingUtils.LayerHint.VectorTile,
}


class Output(NamedTuple):
    """One output. ``kind``: vector, raster, layer, layers, pointcloud, vectortile; html, file, folder (``value`` is the
    path, in scratch); number, text, boolean, value. ``layers`` are valid and belong to nobody yet: add or drop them.

    ``value`` of a layer is what the algorithm called it: a path, an id, or the id of an input that it gave back (then there
    is nothing in ``layers``).
    """

    kind: str
    value: Any
    layers: Tuple[QgsMapLayer, ...] = ()


Opened = Dict[str, Optional[QgsMapLayer]]
"""Layers by what the algorithm called them; None for one of the project."""


def chosen_destinations(
    algorithm: QgsProcessingAlgorithm, context: QgsProcessingContext, only: Iterable[str] = ()
) -> Dict[str, str]:
    """{parameter: place} for the outputs that an algorithm makes by default, and for those in ``only``.

    In memory where the algorithm can, else a file of its default format in the call's scratch.
    """
    scratch_of(context)
    wanted = set(only)
    return {
        each.name(): _place(each, context)
        for each in algorithm.destinationParameterDefinitions()
        if each.name() in wanted or each.createByDefault()
    }


def _place(definition: QgsProcessingDestinationParameter, context: QgsProcessingContext) -> str:
    if definition.type() == "sink" and definition.supportsNonFileBasedOutput():
        return "memory:" + definition.name()
    scratch = scratch_of(context)
    if definition.type() == "folderDestination":
        folder = scratch.file(definition.name().lower())
        os.mkdir(folder)
        return folder
    return scratch.file("{}.{}".format(definition.name().lower(), definition.defaultFileExtension() or "file"))


def opened(
    algorithm: QgsProcessingAlgorithm, results: Dict[str, Any], context: QgsProcessingContext
) -> Generator[Step, Any, Opened]:
    """Open the layers of outputs that are many, one a turn of the event loop: twenty files at once would hold QGIS up."""
    found: Opened = {}
    for definition in algorithm.outputDefinitions():
        value, kind = results.get(definition.name()), LAYER_KINDS.get(definition.type())
        if kind != "layers" or not isinstance(value, (list, tuple)):
            continue
        for each in value:
            with GdalWatch(CollectingFeedback()):
                found[str(each)] = _layer(algorithm, kind, each, context)
            yield Turn()
    return found


def take_outputs(
    algorithm: QgsProcessingAlgorithm,
    parameters: Dict[str, Any],
    results: Dict[str, Any],
    context: QgsProcessingContext,
    found: Optional[Opened] = None,
) -> Dict[str, Output]:
    """Every output by name. UPSTREAM_ERROR ``no_output`` when one that was asked for is missing, empty or cannot be read.

    On the main thread, after the algorithm has ended. ``found``: layers that are open already (``opened``).
    """
    taken: Dict[str, Output] = {}
    asked = {each.name() for each in algorithm.destinationParameterDefinitions() if parameters.get(each.name())}
    with GdalWatch(CollectingFeedback()):
        for definition in algorithm.outputDefinitions():
            value = results.get(definition.name())
            if value is None or value == "":
                if definition.name() in asked:
                    raise _missing(algorithm, definition.name())
                continue
            taken[definition.name()] = _taken(algorithm, definition, value, context, found or {})
        taken.update(_pushed(algorithm, taken, context))
    for output in taken.values():
        for layer in output.layers:
            watch(layer)
        if output.kind in ("file", "folder"):
            scratch_of(context).keep()
    return taken


def _taken(
    algorithm: QgsProcessingAlgorithm,
    definition: QgsProcessingOutputDefinition,
    value: Any,
    context: QgsProcessingContext,
    found: Opened,
) -> Output:
    kind = definition.type()
    if kind in LAYER_KINDS:
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        layers = [
            found[str(each)] if str(each) in found else _layer(algorithm, LAYER_KINDS[kind], each, context)
            for each in values
        ]
        return Output(LAYER_KINDS[kind], value, tuple(each for each in layers if each is not None))
    if kind in PATH_KINDS:
        return Output(PATH_KINDS[kind], _existing(algorithm, definition.name(), str(value)))
    return Output(VALUE_KINDS.get(kind, "value"), value)


def _layer(
    algorithm: QgsProcessingAlgorithm, kind: str, value: Any, context: QgsProcessingContext
) -> Optional[QgsMapLayer]:
    """The layer behind what an algorithm called it; None for a layer that is in the project: an input given back."""
    if isinstance(value, QgsMapLayer):
        value = value.id()
    text = str(value)
    if context.project() is not None and context.project().mapLayer(text) is not None:
        return None
    layer = context.takeResultLayer(text)
    if layer is None:
        _existing(algorithm, kind, text)
        found = QgsProcessingUtils.mapLayerFromString(
            text, context, True, _HINTS.get(kind, QgsProcessingUtils.LayerHint.UnknownType)
        )
        layer = context.takeResultLayer(found.id()) if found is not None else None
    if layer is None or not layer.isValid() or not _has_cells(layer):
        raise _missing(algorithm, kind)
    return layer


def _has_cells(layer: QgsMapLayer) -> bool:
    return not isinstance(layer, QgsRasterLayer) or (layer.bandCount() > 0 and layer.width() > 0 and layer.height() > 0)


def _existing(algorithm: QgsProcessingAlgorithm, name: str, value: str) -> str:
    """The path, when there is something at it; texts that are no plain path (a connection, a layer in memory) pass."""
    path = value.split("|")[0]
    if os.path.isdir(path):
        return value
    if os.path.isabs(path) and (not os.path.isfile(path) or os.path.getsize(path) == 0):
        raise _missing(algorithm, name)
    return value


def _pushed(
    algorithm: QgsProcessingAlgorithm, taken: Dict[str, Output], context: QgsProcessingContext
) -> Dict[str, Output]:
    """Layers that the algorithm itself wants in the project, beside its declared outputs."""
    known: List[str] = []
    for output in taken.values():
        known += [str(each) for each in (output.value if isinstance(output.value, list) else [output.value])]
        known += [each.id() for each in output.layers]
    found: Dict[str, Output] = {}
    for value in context.layersToLoadOnCompletion():
        if value in known:
            continue
        layer = _layer(algorithm, "layer", value, context)
        if layer is not None:
            found["{}_{}".format(PUSHED, len(found) + 1)] = Output("layer", value, (layer,))
    return found


def _missing(algorithm: QgsProcessingAlgorithm, name: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "{} ended, but its result ({}) cannot be read.").format(
            algorithm.id(), clean_text(name, 60)
        ),
        hint=translate("QgisAgent", "Try it in the Processing toolbox to see its log."),
        reason="no_output",
    )
