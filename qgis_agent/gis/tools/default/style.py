"""Handlers of the pack "default": a layer's look as a document."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional

from qgis.core import QgsMapLayer

from ...call import Call
from ...i18n import translate
from ...style.cover import Cover, CoverReader, cover_notes
from ...style.document import full_document
from ...style.document_pages import legend_items, style_document
from ...style.patch import Patched, apply_patch, patched_renderer
from ...style.raster_fit import fit_of_patch
from ...style.scales import map_scale
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("get_style", effect="read")
def get_style(call: Call, layer_id: str, part: str = "all", cursor: int = 0) -> Answer:
    """The style document of a layer, in pages where it has many classes."""
    layer = call.layer(layer_id)
    return Answer(style_document(call.host, layer, part, cursor))


@tool("patch_style", effect="view", runs="task")
def patch_style(call: Call, layer_id: str, patch: Mapping[str, Any]) -> Steps:
    """Change parts of a layer's look; all of the patch is accepted, or nothing changes.

    Where other features are drawn than before, it is counted which are not, and which classes draw none.
    """
    layer = call.layer(layer_id)
    made = patched_renderer(call.host, layer, dict(patch))
    cover: Optional[Cover] = None
    fits: List[str] = []
    if made is not None:
        reader = CoverReader(made, layer, by_class=True)
        cover = yield Work(translate("QgisAgent", "Reading values"), reader.read)
        layer = call.layer(layer_id)
    alias = call.host.layers.alias(layer)
    fit = fit_of_patch(layer, patch, alias)
    if fit is not None:
        fits = yield Work(translate("QgisAgent", "Reading cells"), fit.read)
        layer = call.layer(layer_id)
    done = apply_patch(call.host, layer, dict(patch))
    known = "renderer" in done.document
    items = legend_items(layer, done.document if known else full_document(call.host, layer))
    data: Dict[str, Any] = {
        "layer_id": alias,
        "rule_id": done.rule_id or None,
        "total_changed": len(done.changed),
        "changed": done.changed,
        "legend": items[:20],
    }
    if not done.changed:
        return Answer(data, translate("QgisAgent", "The layer already looks like this; nothing was changed."))
    if cover is not None:
        data.update(features=cover.features, not_drawn=cover.not_drawn)
    _report(call, alias, done, items)
    notes = [*_notes(done), *cover_notes(cover), *fits, *_hidden(call, layer, done)]
    return Answer(data, " ".join(notes), rows_key="changed")


def _report(call: Call, alias: str, done: Patched, items: Any) -> None:
    paths = [each["path"] for each in done.changed]
    call.acted("render", layer_id=alias, rule_id=done.rule_id, rule={"method": "patch", "changed": paths[:20]})
    call.add_legend(alias, items)
    said = ", ".join("{} = {}".format(each["path"], each["after"]) for each in done.changed[:4])
    call.add_evidence(done.rule_id, translate("QgisAgent", "{}: {}").format(alias, said))


def _notes(done: Patched) -> List[str]:
    moved = [each for each in done.changed if each["path"] == "renderer.classification" and each["after"] == "manual"]
    said = [translate("QgisAgent", "The classes have limits of their own now (manual).")] if moved else []
    return [*said, *done.notes]


def _hidden(call: Call, layer: QgsMapLayer, done: Patched) -> List[str]:
    """What of the patch keeps the whole layer from being seen."""
    now = {each["path"]: each["after"] for each in done.changed}
    notes: List[str] = []
    if now.get("opacity") == 0:
        notes.append(translate("QgisAgent", "With opacity 0 nothing of the layer is seen."))
    if now.get("renderer.type") == "none":
        notes.append(translate("QgisAgent", "The layer draws nothing now."))
    if any(path.startswith("scale_range") for path in now):
        scale = map_scale(call.host)
        if scale and not layer.isInScaleRange(scale):
            notes.append(
                translate(
                    "QgisAgent", "At the present scale, 1:{:.0f}, the layer is hidden by its range of scales."
                ).format(scale)
            )
    return notes
