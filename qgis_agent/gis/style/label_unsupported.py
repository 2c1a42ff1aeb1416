"""What label settings hold that the document cannot express: the settings against those that the document gives.

Both are written as QGIS writes them into a project, so that nothing is overlooked, also not what later versions add.
"""

from __future__ import annotations

import re
from typing import Dict, List

from qgis.core import QgsPalLayerSettings, QgsReadWriteContext
from qgis.PyQt.QtXml import QDomDocument, QDomElement

from .label_fonts import is_plain_face

MAX_TOLD = 12
_SWITCHES = {
    "text-buffer": "bufferDraw",
    "background": "shapeDraw",
    "shadow": "shadowDraw",
    "text-mask": "maskEnabled",
}
"""Parts that are drawn only when they are switched on."""
_FACE = ("fontWeight", "forcedBold", "forcedItalic", "fontItalic", "namedStyle")
_IGNORED = (
    "fieldName", "isExpression", "legendString", "previewBkgrdColor", "layerType", "maskSize2", "bufferNoFill",
    "tabStopDistance", "tabStopDistanceUnit", "tabStopDistanceMapUnitScale",
)  # fmt: skip
"""Told apart, or without effect on the picture: bufferNoFill is of QGIS 2, tab stops move nothing in a label without tabs,
and QGIS itself begins with two different ones."""
_COLOR_TAIL = re.compile(r",(?:rgb|hsv|hsl|cmyk):.*$")


def differences(settings: QgsPalLayerSettings, rebuilt: QgsPalLayerSettings) -> List[str]:
    """Names of what differs, in QGIS's own words ("shadow", "text-style fontLetterSpacing"), at most twelve."""
    document = QDomDocument()
    context = QgsReadWriteContext()
    found: List[str] = []
    _compare(settings.writeXml(document, context), rebuilt.writeXml(document, context), found)
    unique = list(dict.fromkeys(found))
    rest = len(unique) - MAX_TOLD
    return unique if rest <= 0 else unique[:MAX_TOLD] + ["{} more".format(rest)]


def _compare(left: QDomElement, right: QDomElement, found: List[str]) -> None:
    name = left.tagName()
    switch = _SWITCHES.get(name)
    if switch is not None and left.attribute(switch) != "1":
        return
    if switch is not None and right.attribute(switch) != "1":
        found.append(name)
        return
    if name == "callout":
        if _callout_on(left):
            found.append(name)
        return
    if name in ("dd_properties", "data_defined_properties"):
        mine, theirs = _properties(left), _properties(right)
        found.extend("data-defined {}".format(key) for key in mine if mine[key] != theirs.get(key))
        return
    _compare_attributes(name, left, right, found)
    _compare_children(left, right, found)


def _compare_attributes(name: str, left: QDomElement, right: QDomElement, found: List[str]) -> None:
    mine, theirs = _attributes(left), _attributes(right)
    plain = is_plain_face(mine.get("namedStyle", ""))
    for key in sorted(set(mine) | set(theirs)):
        if mine.get(key) != theirs.get(key) and not (plain and key in _FACE):
            found.append("{} {}".format(name, key))


def _compare_children(left: QDomElement, right: QDomElement, found: List[str]) -> None:
    mine, theirs = _children(left), _children(right)
    if len(mine) != len(theirs) or any(one.tagName() != other.tagName() for one, other in zip(mine, theirs)):
        found.append(left.tagName())
        return
    for one, other in zip(mine, theirs):
        if one.tagName() == "symbol":  # of a background: drawn from the shape's own colours, or a symbol of its own
            if _text(one) != _text(other):
                found.append("{} symbol".format(left.tagName()))
        else:
            _compare(one, other, found)


def _children(element: QDomElement) -> List[QDomElement]:
    """Child elements without the fall-back families, which stand in where the family is not installed."""
    nodes = element.childNodes()
    elements = [nodes.at(index).toElement() for index in range(nodes.count())]
    return [each for each in elements if not each.isNull() and each.tagName() != "families"]


def _attributes(element: QDomElement) -> Dict[str, str]:
    nodes = element.attributes()
    every = [nodes.item(index).toAttr() for index in range(nodes.count())]
    return {each.name(): _COLOR_TAIL.sub("", each.value()) for each in every if each.name() not in _IGNORED}


def _callout_on(element: QDomElement) -> bool:
    return any(
        each.attribute("name") == "enabled" and each.attribute("value") in ("1", "true") for each in _options(element)
    )


def _options(element: QDomElement) -> List[QDomElement]:
    return [inner for outer in _children(element) for inner in _children(outer)]


def _properties(element: QDomElement) -> Dict[str, str]:
    """Active data-defined properties by name, each as text."""
    named = next((each for each in _options(element) if each.attribute("name") == "properties"), None)
    every = _children(named) if named is not None else []
    texts = {each.attribute("name"): _text(each) for each in every}
    return {name: text for name, text in texts.items() if "active=true" in text}


def _text(element: QDomElement) -> str:
    """An element with all below it as text that is the same for the same content: no ids, attributes in order."""
    attributes = {key: value for key, value in _attributes(element).items() if key != "id"}
    own = "{}={}".format(attributes.pop("name", element.tagName()), attributes.pop("value", ""))
    rest = "".join(" {}={}".format(key, attributes[key]) for key in sorted(attributes))
    return "<{}{}{}>".format(own, rest, "".join(_text(each) for each in _children(element)))
