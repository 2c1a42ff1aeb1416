"""Handlers of the pack "default": the layers of the project."""

from __future__ import annotations

from typing import Any, Dict, Generator, List

from qgis.core import QgsFeedback, QgsMapLayer, QgsRasterLayer, QgsVectorLayer

from ...call import Call
from ...description import BrokenSource, facts, surveyed
from ...doubts import warnings_of
from ...errors import UNSUPPORTED, ToolError
from ...extents import bbox_degrees
from ...i18n import translate
from ...layers import file_of, show_node
from ...raster_file import source_path
from ...sources.formats import quiet_gdal
from ...sources.raster import damage
from ...sources.text_doubts import garbled_text
from ...survey import Surveyor
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
MAX_OTHERS = 10


@tool("describe_layer", effect="read", runs="task")
def describe_layer(call: Call, layer_id: str) -> Steps:
    """What a layer is, of any kind, also a broken one. Counts and the extent are of the features in force, read one by one.

    ``bbox`` is in degrees (EPSG:4326), ``extent`` in the layer's CRS.
    """
    layer = call.layer(layer_id)
    data = facts(call.host, layer)
    if not layer.isValid():
        source = BrokenSource(layer)
        problem = yield Work(translate("QgisAgent", "Looking for the data"), source.problem)
        return Answer(dict(data, status="broken", warnings=[problem]))
    survey = None
    if isinstance(layer, QgsVectorLayer):
        survey = yield Work(translate("QgisAgent", "Reading the features"), Surveyor(layer).read)
        layer = call.layer(layer_id)
        data.update(surveyed(layer, survey))
    elif layer.isSpatial():
        data["bbox"] = bbox_degrees(layer.extent(), layer.crs(), call.host.project)
    found = yield from _in_the_file(layer)
    data["warnings"] = warnings_of(call.host, layer, survey) + found
    return Answer(data, "", rows_key="fields")


def _in_the_file(layer: QgsMapLayer) -> Generator[Step, Any, List[str]]:
    """What is wrong with a layer's file: text in another encoding, cells that cannot be read."""
    if isinstance(layer, QgsRasterLayer) and layer.providerType() == "gdal":
        source, name = source_path(layer), file_of(layer)
        if not name:
            return []  # of a server: nothing is fetched to describe it

        def cells(_feedback: QgsFeedback) -> List[str]:
            with quiet_gdal():
                return [each.rstrip(".。") for each in damage(source, name)]

        return (yield Work(translate("QgisAgent", "Looking for the data"), cells))
    garbled = yield from garbled_text(layer)
    return [garbled] if garbled else []


@tool("toggle_layer", effect="view")
def toggle_layer(call: Call, layer_id: str, visible: bool) -> Answer:
    """Show or hide a layer; the groups above one that is shown are switched on too. Read back before it counts as done."""
    layer = call.layer(layer_id)
    before, drawn = call.host.layers.is_visible(layer), _drawn(call)
    groups = show_node(call.host.project, layer, visible)
    now = call.host.layers.is_visible(layer)
    if now != visible:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' is not in the layer tree.").format(layer_id),
            hint=translate("QgisAgent", "Add it to the layer tree in QGIS."),
            reason="not_in_tree",
        )
    call.host.project.setDirty(True)
    alias = call.host.layers.alias(layer)
    call.acted("layer", layer_id=alias, visible=visible)
    call.host.recent.note(layer, "shown" if visible else "hidden")
    said = ["" if before != now else translate("QgisAgent", "It was so already.")]
    data: Dict[str, Any] = {"layer_id": alias, "visible": now, "changed": before != now}
    if groups:
        data["groups"] = groups
        said.append(translate("QgisAgent", "Groups switched on with it: {}.").format(", ".join(groups)))
    after = _drawn(call)
    others = {
        "also_shown": [each for each in after if each not in drawn and each != alias],
        "also_hidden": [each for each in drawn if each not in after and each != alias],
    }
    data.update({key: aliases[:MAX_OTHERS] for key, aliases in others.items() if aliases})
    if others["also_shown"]:
        said.append(translate("QgisAgent", "{} other layers are shown with it.").format(len(others["also_shown"])))
    if others["also_hidden"]:
        said.append(
            translate("QgisAgent", "{} other layers are hidden: its group shows one at a time.").format(
                len(others["also_hidden"])
            )
        )
    if now and not _in_scale(call, layer):
        said.append(translate("QgisAgent", "It is not drawn at the present scale."))
    return Answer(data, " ".join(filter(None, said)))


def _drawn(call: Call) -> List[str]:
    return [call.host.layers.alias(each) for each in call.host.layers.visible_layers()]


def _in_scale(call: Call, layer: QgsMapLayer) -> bool:
    scale = call.host.view.scale()
    return not layer.hasScaleBasedVisibility() or not scale or layer.isInScaleRange(scale)
