"""Keeps excluded fields out of what algorithms make: they are given a copy of the layer without those fields.

Most algorithms hand every attribute on to their outputs, under names of their own, so that nothing can be taken out
afterwards. A layer without excluded fields is given as it is, and nothing is copied.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from qgis.core import (
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsVectorLayer,
)

from ...scope import hidden_fields

DROP = "native:deletecolumn"
Given = Tuple[Any, QgsVectorLayer, List[str]]
"""A value of a parameter, its layer, and the excluded fields of that."""


def to_reduce(algorithm: QgsProcessingAlgorithm, parameters: Dict[str, Any], project: QgsProject) -> List[Given]:
    """The values that hold a layer with excluded fields. None of an algorithm that makes no output: it may have to change
    the layer itself, and its field parameters name only what may be seen."""
    if not algorithm.destinationParameterDefinitions():
        return []
    found: List[Given] = []
    seen: List[Any] = []
    for value in _leaves(parameters):
        layer = _layer_of(value, project)
        if layer is None or any(each is value for each in seen):
            continue
        seen.append(value)
        hidden = sorted(hidden_fields(layer))
        if hidden:
            found.append((value, layer, hidden))
    return found


def drop_parameters(given: Given) -> Dict[str, Any]:
    """Parameters of ``DROP`` for a value."""
    return {"INPUT": given[0], "COLUMN": given[2], "OUTPUT": "memory:"}


def taken(results: Dict[str, Any], given: Given, context: QgsProcessingContext) -> QgsVectorLayer:
    """The copy that ``DROP`` made, under the layer's name; it lives as long as the context."""
    layer = context.getMapLayer(str(results["OUTPUT"]))
    layer.setName(given[1].name())
    return layer


def replaced(value: Any, copies: Dict[int, Any]) -> Any:
    """Parameters with the copies in the place of the values, whose id() they are kept by."""
    if id(value) in copies:
        return copies[id(value)]
    if isinstance(value, dict):
        return {key: replaced(each, copies) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [replaced(each, copies) for each in value]
    return value


def reduce_all(
    waiting: List[Given],
    context: QgsProcessingContext,
    run: Callable[[Dict[str, Any], Callable[[Any, Any], None]], None],
    done: Callable[[Dict[int, Any], Any], None],
) -> None:
    """Make the copies one after the other; ``run(parameters, told)`` runs ``DROP`` once, ``done(copies, error)`` is called once."""
    copies: Dict[int, Any] = {}

    def next_one(number: int) -> None:
        if number == len(waiting):
            done(copies, None)
            return
        given = waiting[number]

        def told(results: Any, error: Any) -> None:
            if error is not None:
                done({}, error)
                return
            copies[id(given[0])] = taken(results, given, context)
            next_one(number + 1)

        run(drop_parameters(given), told)

    next_one(0)


def _leaves(value: Any) -> List[Any]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]


def _layer_of(value: Any, project: QgsProject) -> Any:
    """The vector layer that a value is or chooses features of; None for any other value."""
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        value = project.mapLayer(str(value.source.staticValue()))
    return value if isinstance(value, QgsVectorLayer) else None
