"""Requests that fit the open project, made from its own layers. Each one also works as an offline command."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ...gis.host import RESULT_GROUP
from ...gis.i18n import translate

MOST = 4
_LONGEST_NAME = 40


def example_requests(catalogue: List[Dict[str, Any]]) -> List[str]:
    """At most four requests; ``catalogue`` is LayerRegistry.catalogue(). Empty for a project without layers."""
    catalogue = [each for each in catalogue if _sayable(each)]
    polygons = [each for each in catalogue if each["kind"] == "polygon"]
    points = [each for each in catalogue if each["kind"] == "point"]
    found: List[str] = []
    if points:
        found.append(translate("QgisAgent", "How many {layer} are there?").format(layer=points[0]["name"]))
    coloured = _with_number(polygons)
    if coloured is not None:
        words = translate("QgisAgent", "Colour {layer} by {field}, 5 classes, quantile")
        found.append(words.format(layer=coloured["name"], field=_number_field(coloured)))
    if points:
        found.append(translate("QgisAgent", "Buffer {layer} 500 m").format(layer=points[0]["name"]))
    hidden = next((each for each in catalogue if not each["visible"]), None)
    if hidden is not None:
        found.append(translate("QgisAgent", "Show {layer}").format(layer=hidden["name"]))
    zoomed = (polygons or catalogue or [None])[0]
    if zoomed is not None:
        found.append(translate("QgisAgent", "Zoom to {layer}").format(layer=zoomed["name"]))
    return found[:MOST]


def _sayable(layer: Dict[str, Any]) -> bool:
    """Whether a layer's name stands well in a sentence: one short word. Layers that the agent made are no examples."""
    name = str(layer["name"])
    return len(name.split()) == 1 and len(name) <= _LONGEST_NAME and layer["group"] != RESULT_GROUP


def _with_number(layers: List[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
    return next((each for each in layers if _number_field(each)), None)


def _number_field(layer: Dict[str, Any]) -> str:
    """The first field that measures something: a number that is not a key or code."""
    numbers = [each["name"] for each in layer["fields"] if each["type"] == "number"]
    if numbers:
        return str(numbers[0])
    keys = ("id", "fid", "code", "objectid")
    whole = [each["name"] for each in layer["fields"] if each["type"] == "integer"]
    return str(next((each for each in whole if not each.casefold().endswith(keys)), ""))
