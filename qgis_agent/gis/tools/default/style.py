"""Handlers of the pack "default": a layer's look as a document."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from ...call import Call
from ...i18n import translate
from ...style.document import full_document
from ...style.document_pages import legend_items, style_document
from ...style.patch import Patched, apply_patch
from ...work import Answer
from ..registry import tool


@tool("get_style", effect="read")
def get_style(call: Call, layer_id: str, part: str = "all", cursor: int = 0) -> Answer:
    """The style document of a layer, in pages where it has many classes."""
    layer = call.layer(layer_id)
    return Answer(style_document(call.host, layer, part, cursor))


@tool("patch_style", effect="view")
def patch_style(call: Call, layer_id: str, patch: Mapping[str, Any]) -> Answer:
    """Change parts of a layer's look; all of the patch is accepted, or nothing changes."""
    layer = call.layer(layer_id)
    alias = call.host.layers.alias(layer)
    done = apply_patch(call.host, layer, dict(patch))
    items = legend_items(layer, full_document(call.host, layer))
    data: Dict[str, Any] = {
        "layer_id": alias,
        "rule_id": done.rule_id or None,
        "total_changed": len(done.changed),
        "changed": done.changed,
        "legend": items[:20],
    }
    if not done.changed:
        return Answer(data, translate("QgisAgent", "The layer already looks like this; nothing was changed."))
    _report(call, alias, done, items)
    return Answer(data, _note(done), rows_key="changed")


def _report(call: Call, alias: str, done: Patched, items: Any) -> None:
    paths = [each["path"] for each in done.changed]
    call.acted("render", layer_id=alias, rule_id=done.rule_id, rule={"method": "patch", "changed": paths[:20]})
    call.add_legend(alias, items)
    said = ", ".join("{} = {}".format(each["path"], each["after"]) for each in done.changed[:4])
    call.add_evidence(done.rule_id, translate("QgisAgent", "{}: {}").format(alias, said))


def _note(done: Patched) -> str:
    moved = [each for each in done.changed if each["path"] == "renderer.classification" and each["after"] == "manual"]
    return translate("QgisAgent", "The classes have limits of their own now (manual).") if moved else ""
