"""A plan: algorithms with their parameters, in the order in which they run.

Every analysis tool is such a list, so that a person can repeat it by hand, or take it over as a model. No features are
made in any other way.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from qgis.core import QgsCoordinateReferenceSystem, QgsMapLayer

from ...layers import clean_text

MEMORY = "memory:"
INDEXED_FILE = "indexed file"
"""A temporary file with a spatial index (FlatGeobuf): memory layers have none, and without one QGIS is 150 times slower.

Also for what is large and only passed on: to drop 200,000 buffers from memory holds the main thread for 0.2 s."""


RASTER_FILE = "raster file"
"""A temporary GeoTIFF."""
FOLDER = "folder"
"""A temporary folder. A destination that begins with a dot is the suffix of a temporary file (".csv", ".html")."""


class Ref(NamedTuple):
    """As a parameter: the output of an earlier step, or an input of the plan."""

    key: str


class PlanStep(NamedTuple):
    """One algorithm. ``key`` names its output for later steps; ``destination`` is MEMORY, INDEXED_FILE, RASTER_FILE, FOLDER or
    a suffix, and ``output`` the parameter that takes it. ``more`` are further outputs, (parameter, destination) each: later
    steps name them "key.PARAMETER". An ``output`` of "" is for algorithms that only give numbers.
    ``tolerant``: errors with which the algorithm goes on are warnings; features that it could not write never are."""

    key: str
    algorithm: str
    parameters: Dict[str, Any]
    destination: str = MEMORY
    output: str = "OUTPUT"
    more: Tuple[Tuple[str, str], ...] = ()
    tolerant: bool = False


Plan = Sequence[PlanStep]


def algorithms(plan: Plan) -> List[str]:
    """The algorithm ids in order, each once."""
    return list(dict.fromkeys(each.algorithm for each in plan))


def describe(plan: Plan, names: Dict[str, str]) -> List[str]:
    """One line a step: number, algorithm and parameters. ``names`` gives the inputs' names."""
    places = {step.key: "[{}]".format(number) for number, step in enumerate(plan, 1)}
    for number, step in enumerate(plan, 1):
        places.update({"{}.{}".format(step.key, name): "[{}:{}]".format(number, name) for name, _ in step.more})
    lines = []
    for number, step in enumerate(plan, 1):
        shown = ", ".join("{}={}".format(key, _text(value, places, names)) for key, value in step.parameters.items())
        lines.append("{}. {} ({})".format(number, step.algorithm, shown))
    return lines


def _text(value: Any, places: Dict[str, str], names: Dict[str, str]) -> str:
    if isinstance(value, Ref):
        return places.get(value.key) or names.get(value.key, value.key)
    if isinstance(value, list) and any(isinstance(each, Ref) for each in value):
        return "[{}]".format(", ".join(_text(each, places, names) for each in value))
    if isinstance(value, QgsCoordinateReferenceSystem):
        return value.authid() or value.toProj()
    if isinstance(value, QgsMapLayer):
        return clean_text(value.name(), 60)
    return clean_text(str(value), 200)
