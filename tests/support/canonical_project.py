"""A whole project as plain data that can be compared: what QGIS itself would save, and what it does not save.

The first part is the .qgs file that QGIS writes, without what changes with every saving (dates, user, names of attachments),
with uuids replaced by their place of first use, and in one order where QGIS keeps none. The second part is what no project
file has: the view, selections, edit buffers, the rows of layers, as their provider gives them and as the layer shows them.
Needs a QGIS.
"""

from __future__ import annotations

import json
import re
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from qgis.core import Qgis, QgsApplication, QgsFeature, QgsMapLayer, QgsProject, QgsVectorLayer

MAX_ROWS = 5_000
"""Layers with more features are compared by their number."""
_DROPPED_ATTRIBUTES = {
    "qgis": {"saveDateTime", "saveUser", "saveUserFull", "version", "projectname"},
    "ProjectStyleSettings": {"projectStyleId", "iccProfileId"},
    "layer-tree-layer": {"source", "providerKey"},  # the layer's own, which a node repeats
    "relation": {"dataSource", "providerKey"},
}
_DROPPED_ELEMENTS = {
    "homePath",  # the scratch file's
    "creation",
    "extent",  # of a layer: computed when it is first asked for; the rows say it
    "wgs84extent",
}
_UNORDERED = {
    "projectlayers",
    "individual-layer-settings",
    "visibility-presets",
    "visibility-preset",
    "checked-legend-nodes",
    "checked-legend-items",
    "expanded-legend-nodes",
    "relations",
    "polymorphicRelations",
    "Layouts",
    "Bookmarks",
    "map-layer-style-manager",
    "transformContext",
    "properties",
    "Variables",
}
_UUID = re.compile(r"\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?", re.IGNORECASE)
_ATTACHMENT = re.compile(r"attachment:///[^\s\"']*")
Node = list[Any]
"""[tag, attributes, text, children]"""


def canonical_project(project: QgsProject, view: Any) -> dict[str, Any]:
    """The project and ``view`` (a Viewport) as data of JSON. Two of them are equal when a person sees no difference."""
    return {
        "file": project.fileName(),
        "saved": saved(project),
        "view": _view(view),
        "layers": {ident: _layer(layer) for ident, layer in sorted(project.mapLayers().items())},
        "order": [each.id() for each in project.layerTreeRoot().layerOrder()],
        "profile_bookmarks": sorted(
            [each.name(), each.group(), each.extent().toString(9), each.extent().crs().authid()]
            for each in QgsApplication.bookmarkManager().bookmarks()
        ),
    }


def differences(before: Any, after: Any, at: str = "", most: int = 40) -> list[str]:
    """Where two canonical projects differ, in words for a failed test."""
    found: list[str] = []
    _compare(before, after, at, found)
    return found[:most]


def saved(project: QgsProject) -> Node:
    """What QGIS writes of the project, canonical. Neither the project's file nor its name, state or paths are changed."""
    name, dirty, storage = project.fileName(), project.isDirty(), project.filePathStorage()
    blocked = project.blockSignals(True)
    try:
        with tempfile.TemporaryDirectory(prefix="canonical_") as folder:
            if storage != Qgis.FilePathType.Absolute:  # relative paths would be those from the scratch file
                project.setFilePathStorage(Qgis.FilePathType.Absolute)
            path = Path(folder) / "p.qgs"
            try:
                if not project.write(str(path)):
                    raise AssertionError(f"QGIS did not write the project: {project.error()}")
            finally:
                project.setFileName(name)
                project.setFilePathStorage(storage)
                project.setDirty(dirty)
            root = ET.parse(path).getroot()  # noqa: S314  written by this QGIS just now
    finally:
        project.blockSignals(blocked)
    made = canonical_xml(root)
    made[1]["filePathStorage"] = str(int(storage))
    return made


def canonical_xml(root: ET.Element) -> Node:
    """An element of a project's file without what says nothing."""
    order = root.find("layer-tree-group/custom-order")
    in_order = order is not None and order.get("enabled") != "0"
    return _node(root, _names_of_uuids(root), in_order, "")


def _names_of_uuids(root: ET.Element) -> dict[str, str]:
    """A name for each uuid: where it is used first, layers and layouts before the rest and each in the order of its name."""
    names: dict[str, str] = {}
    layers = sorted(root.iter("maplayer"), key=lambda each: each.findtext("id") or "")
    layouts = sorted(root.iter("Layout"), key=lambda each: each.get("name") or "")
    for number, part in enumerate([*layers, *layouts, root]):
        owner = part.findtext("id") if part.tag == "maplayer" else part.get("name") or part.tag
        count = 0
        for found in _UUID.findall(ET.tostring(_without_what_varies(part), encoding="unicode")):
            key = found.strip("{}").lower()
            if key not in names:
                names[key] = f"uuid:{owner if number < len(layers) + len(layouts) else 'project'}:{count}"
                count += 1
    return names


def _without_what_varies(element: ET.Element) -> ET.Element:
    """A copy with its attributes in one order, for QGIS writes them in any."""
    made = ET.Element(element.tag, dict(sorted(element.attrib.items())))
    made.text = element.text
    made.extend(_without_what_varies(each) for each in element if each.tag not in _DROPPED_ELEMENTS)
    return made


def _node(element: ET.Element, names: dict[str, str], in_order: bool, inside: str) -> Node:
    dropped = _DROPPED_ATTRIBUTES.get(element.tag, set())
    attributes = {key: _text(value, names) for key, value in element.attrib.items() if key not in dropped}
    children = [
        _node(each, names, in_order, element.tag)
        for each in element
        if each.tag not in _DROPPED_ELEMENTS and not _says_nothing(each, element, in_order)
    ]
    if element.tag in _UNORDERED or inside == "properties":
        children.sort(key=lambda each: json.dumps(each, sort_keys=True))
    if element.tag == "Layout":
        children.sort(key=lambda each: (each[0] != "LayoutItem", json.dumps(each, sort_keys=True)))
    return [element.tag, attributes, _text((element.text or "").strip(), names), children]


def _says_nothing(element: ET.Element, parent: ET.Element, in_order: bool) -> bool:
    """An order of drawing that is not in force; dates and the author of the file itself."""
    if element.tag in ("custom-order", "layerorder") and not in_order:
        return True
    return parent.tag == "projectMetadata" and element.tag in ("dates", "author")


def _text(text: str, names: dict[str, str]) -> str:
    plain = _ATTACHMENT.sub("attachment:///*", text)
    return _UUID.sub(lambda found: names.get(found.group().strip("{}").lower(), "uuid:?"), plain)


def _view(view: Any) -> dict[str, Any]:
    extent = view.extent()
    scale = view.scale()
    return {
        "extent": [
            float(f"{each:.9g}")
            for each in (extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum())
        ]
        if not extent.isNull()
        else None,
        "crs": view.crs().authid(),
        "rotation": round(view.rotation(), 6),
        "scale": float(f"{scale:.6g}"),
    }


def _layer(layer: QgsMapLayer) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": layer.name(),
        "provider": layer.providerType(),
        "source": _UUID.sub("uuid", layer.source()),
        "crs": layer.crs().authid() or layer.crs().toWkt(),
        "valid": layer.isValid(),
        "scales": [layer.hasScaleBasedVisibility(), layer.minimumScale(), layer.maximumScale()],
        "opacity": layer.opacity(),
    }
    if isinstance(layer, QgsVectorLayer):
        facts |= _vector(layer)
    return facts


def _vector(layer: QgsVectorLayer) -> dict[str, Any]:
    facts = {
        "filter": layer.subsetString(),
        "encoding": layer.dataProvider().encoding() if layer.dataProvider() is not None else "",
        "fields": [[each.name(), each.typeName(), each.alias()] for each in layer.fields()],
        "joins": sorted(str(each.joinLayerId()) for each in layer.vectorJoins()),
        "selected": _rows(layer.selectedFeatures()) if layer.isValid() else [],
        "editing": layer.isEditable(),
        "modified": layer.isModified(),
        "undo_at": layer.undoStack().index(),
        "rows": None,
        "shown": None,
    }
    if layer.isValid():
        facts["rows"] = _rows(layer.dataProvider().getFeatures())
        facts["shown"] = _rows(layer.getFeatures())
    return facts


def _rows(features: Any) -> list[list[Any]] | int:
    """The rows by value: an order of its own, and no feature ids, which a feature that comes back need not keep."""
    made: list[list[Any]] = []
    for count, each in enumerate(features, 1):
        if count > MAX_ROWS:
            return sum(1 for _ in features) + count
        made.append(_row(each))
    return sorted(made, key=repr)


def _row(feature: QgsFeature) -> list[Any]:
    shape = feature.geometry().asWkt(9) if feature.hasGeometry() else None
    return [shape, *(None if each is None or repr(each) == "NULL" else str(each) for each in feature.attributes())]


def _compare(before: Any, after: Any, at: str, found: list[str]) -> None:
    if type(before) is not type(after):
        found.append(f"{at}: {_short(before)} / {_short(after)}")
    elif isinstance(before, dict):
        for key in sorted({*before, *after}, key=str):
            if key not in before or key not in after:
                found.append(f"{at}/{key}: {_short(before.get(key))} / {_short(after.get(key))}")
            else:
                _compare(before[key], after[key], f"{at}/{key}", found)
    elif _is_node(before) and _is_node(after):
        here = f"{at}/{before[0]}[{before[1].get('name') or before[1].get('id') or ''}]"
        if before[0] != after[0]:
            found.append(f"{at}: <{before[0]}> / <{after[0]}>")
            return
        _compare(before[1], after[1], here, found)
        if before[2] != after[2]:
            found.append(f"{here}: {_short(before[2])} / {_short(after[2])}")
        _compare(before[3], after[3], here, found)
    elif isinstance(before, list):
        if len(before) != len(after):
            gone = [each for each in before if each not in after]
            new = [each for each in after if each not in before]
            found.append(f"{at}: {len(before)} / {len(after)}; gone {_short(gone)}; new {_short(new)}")
            return
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            _compare(one, other, at if _is_node(one) else f"{at}[{index}]", found)
    elif before != after:
        found.append(f"{at}: {_short(before)} / {_short(after)}")


def _is_node(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4 and isinstance(value[0], str) and isinstance(value[1], dict)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) < 300 else text[:300] + "…"
