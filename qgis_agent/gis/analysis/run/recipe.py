"""The algorithms of an analysis as Python for QGIS's console, so that a person can repeat and change them.

Layers are named as they are in the project; every result is temporary. Where a parameter cannot be written down so that it
is the same again, there is no recipe at all.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsMapLayer,
    QgsProcessingFeatureSourceDefinition,
    QgsProperty,
    QgsRectangle,
    QgsReferencedRectangle,
)

from .plan import Plan, Ref

TEMPORARY = "TEMPORARY_OUTPUT"
"""QgsProcessing.TEMPORARY_OUTPUT."""
LONGEST = 20_000
"""Characters: a recipe with tables of thousands of values is no use in a console."""
_HEAD = ["import processing", "from qgis.core import *", ""]


class _Unwritable(Exception):
    """A value that has no form in Python source."""


def keep_recipe(call: Any, plan: Plan, inputs: Dict[str, str]) -> None:
    """Keep the steps of a call's analysis as Python. ``inputs`` are the aliases of the plan's inputs."""
    names = {}
    for key, alias in inputs.items():
        layer = call.host.layers.by_alias(alias)
        if layer is not None:
            names[key] = layer.name()
    text = recipe(plan, names)
    if text and text not in call.recipes:
        call.recipes.append(text)


def recipe(plan: Plan, names: Dict[str, str]) -> str:
    """The plan as Python; "" where it cannot be written down. ``names`` are names of layers by the plan's inputs."""
    places = {step.key: 'step_{}["{}"]'.format(number, step.output) for number, step in enumerate(plan, 1)}
    for number, step in enumerate(plan, 1):
        places.update({"{}.{}".format(step.key, name): 'step_{}["{}"]'.format(number, name) for name, _ in step.more})
    places.update({key: _layer(name) for key, name in names.items() if key not in places})
    lines: List[str] = list(_HEAD)
    try:
        for number, step in enumerate(plan, 1):
            last = number == len(plan)
            wanted = {name: TEMPORARY for name in [step.output, *(name for name, _ in step.more)] if name}
            run = "runAndLoadResults" if last and wanted else "run"
            lines.append("step_{} = processing.{}({!r}, {{".format(number, run, step.algorithm))
            for key, value in {**step.parameters, **wanted}.items():
                lines.append("    {!r}: {},".format(key, _literal(value, places)))
            lines.append("})")
    except _Unwritable:
        return ""
    text = "\n".join(lines) + "\n"
    return text if len(text) <= LONGEST else ""


def _layer(name: str) -> str:
    return "QgsProject.instance().mapLayersByName({!r})[0]".format(name)


def _literal(value: Any, places: Dict[str, str]) -> str:
    """Source that gives the value again. Raises _Unwritable."""
    if isinstance(value, Ref):
        if value.key not in places:
            raise _Unwritable(value.key)
        return places[value.key]
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unwritable(repr(value))
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[{}]".format(", ".join(_literal(each, places) for each in value))
    if isinstance(value, dict):
        pairs = ("{!r}: {}".format(str(key), _literal(each, places)) for key, each in value.items())
        return "{{{}}}".format(", ".join(pairs))
    written = _of_qgis(value)
    if written is None:
        raise _Unwritable(type(value).__name__)
    return written


def _of_qgis(value: Any) -> Optional[str]:
    """The same for a value of QGIS's own; None for a kind that is not known here."""
    if isinstance(value, QgsMapLayer):
        return _layer(value.name())
    if isinstance(value, QgsCoordinateReferenceSystem):
        known = value.authid()
        form = "QgsCoordinateReferenceSystem({!r})" if known else "QgsCoordinateReferenceSystem.fromWkt({!r})"
        return form.format(known or value.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED))
    if isinstance(value, QgsRectangle):
        corners = (value.xMinimum(), value.xMaximum(), value.yMinimum(), value.yMaximum())
        text = ",".join(repr(each) for each in corners)
        crs = value.crs().authid() if isinstance(value, QgsReferencedRectangle) else ""
        return repr("{} [{}]".format(text, crs) if crs else text)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        plain = value.source.propertyType() == QgsProperty.Type.StaticProperty and not value.selectedFeaturesOnly
        if plain and not value.filterExpression and value.featureLimit == -1:
            return repr(value.source.staticValue())
    return None
