"""A plan: algorithms with their parameters, in the order in which they run.

Every analysis tool is such a list, so that a person can repeat it by hand, or take it over as a model. No features are
made in any other way.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence

from qgis.core import QgsCoordinateReferenceSystem, QgsMapLayer

from ..layers import clean_text

MEMORY = "memory:"
INDEXED_FILE = "indexed file"
"""A temporary file with a spatial index (FlatGeobuf): memory layers have none, and without one QGIS is 150 times slower.

Also for what is large and only passed on: to drop 200,000 buffers from memory holds the main thread for 0.2 s."""


RASTER_FILE = "raster file"
"""A temporary GeoTIFF."""


class Ref(NamedTuple):
    """As a parameter: the output of an earlier step, or an input of the plan."""

    key: str


class PlanStep(NamedTuple):
    """One algorithm. ``key`` names its output for later steps; ``destination`` is MEMORY, INDEXED_FILE or RASTER_FILE, and
    ``output`` the parameter that takes it."""

    key: str
    algorithm: str
    parameters: Dict[str, Any]
    destination: str = MEMORY
    output: str = "OUTPUT"


Plan = Sequence[PlanStep]


def algorithms(plan: Plan) -> List[str]:
    """The algorithm ids in order, each once."""
    return list(dict.fromkeys(each.algorithm for each in plan))


def describe(plan: Plan, names: Dict[str, str]) -> List[str]:
    """One line a step: number, algorithm and parameters. ``names`` gives the inputs' names."""
    places = {step.key: "[{}]".format(number) for number, step in enumerate(plan, 1)}
    lines = []
    for number, step in enumerate(plan, 1):
        shown = ", ".join("{}={}".format(key, _text(value, places, names)) for key, value in step.parameters.items())
        lines.append("{}. {} ({})".format(number, step.algorithm, shown))
    return lines


def _text(value: Any, places: Dict[str, str], names: Dict[str, str]) -> str:
    if isinstance(value, Ref):
        return places.get(value.key) or names.get(value.key, value.key)
    if isinstance(value, QgsCoordinateReferenceSystem):
        return value.authid() or value.toProj()
    if isinstance(value, QgsMapLayer):
        return clean_text(value.name(), 60)
    return clean_text(str(value), 200)
