"""The style document in pages that fit the budget of a result, with as much detail as there is room for."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from qgis.core import QgsMapLayer

from ...bridge.envelope import size_bytes, success
from ...bridge.messages import MAX_RESULT_BYTES
from ..layers import clean_text
from .document import full_document
from .merge import Document
from .renderer_document import entries_key

PAGE = 20
MAX_UNSUPPORTED = 8
_DETAILS = ("layers", "glance", "colors", "bare")
"""What a page says of symbols: their layers, what they look like at a glance, the colours of classes only; at last no labels."""


def style_document(host: Any, layer: QgsMapLayer, part: str, cursor: int) -> Dict[str, Any]:
    """The document, or one part of it, with at most 20 classes from ``cursor`` on; ``next`` is where the rest begins.

    Symbols are told in less detail, and pages made smaller, until the whole fits; part ``symbols`` keeps the symbol layers.
    """
    whole = full_document(host, layer)
    alias = host.layers.alias(layer)
    page: Document = {}
    for size in _sizes(whole):
        for detail in _DETAILS[:1] if part == "symbols" and size > 1 else _DETAILS:
            page = {"layer_id": alias, **_page(whole, layer, part, cursor, size, detail)}
            if size_bytes(success(page)) <= MAX_RESULT_BYTES:
                return page
    return page


def legend_items(layer: QgsMapLayer, document: Document) -> List[Dict[str, Any]]:
    """{label, color} of what is drawn: the one symbol, or the classes that are switched on. Colours are "#rrggbb"."""
    renderer = document["renderer"]
    if renderer["type"] == "single" and renderer.get("symbol"):
        return [{"label": clean_text(layer.name(), 80), "color": renderer["symbol"]["color"][:7]}]
    entries = renderer.get(entries_key(renderer), {}).values()
    return [
        {"label": each.get("label", ""), "color": each["color"][:7]}
        for each in entries
        if each.get("visible", True) and each.get("color")
    ]


def _sizes(whole: Document) -> List[int]:
    """Sizes of a page to be tried: from all classes, or 20, down to one."""
    renderer = whole["renderer"]
    size = min(PAGE, max(1, len(renderer.get(entries_key(renderer), {}))))
    found = [size]
    while size > 1:
        size = max(1, size * 2 // 3)
        found.append(size)
    return found


def _page(whole: Document, layer: QgsMapLayer, part: str, cursor: int, size: int, detail: str) -> Document:
    renderer = whole["renderer"]
    key = entries_key(renderer)
    entries = list(renderer.get(key, {}).items())
    shown = dict(entries[cursor : cursor + size])
    page: Document = {}
    if part in ("all", "renderer", "symbols"):
        page["renderer"] = _shortened({**renderer, key: shown} if key else renderer, detail)
    if part in ("all", "labels") and "labels" in whole:
        page["labels"] = whole["labels"] if detail != "bare" or part == "labels" else _labels_glance(whole["labels"])
    if part == "all":
        page.update(
            {each: whole[each] for each in ("opacity", "blend", "feature_blend", "scale_range") if each in whole}
        )
    if part in ("all", "legend"):
        items = legend_items(layer, {"renderer": {**renderer, key: shown} if key else renderer})
        page["legend"] = {**whole["legend"], "items": items}
    page.update(_unsupported(whole["unsupported"], part))
    end = cursor + len(shown)
    page["total_classes"] = len(entries)
    page["next"] = end if end < len(entries) and part != "labels" else None
    return page


def _unsupported(found: List[str], part: str) -> Document:
    if part == "labels":
        found = [each for each in found if each.startswith("labels")]
    if not found:
        return {}
    said: Document = {"unsupported": found[:MAX_UNSUPPORTED]}
    return said if len(found) <= MAX_UNSUPPORTED else dict(said, unsupported_total=len(found))


def _shortened(said: Any, detail: str) -> Any:
    """A renderer with symbols in this detail."""
    if detail == "layers" or not isinstance(said, dict):
        return said
    result: Document = {}
    for key, value in said.items():
        if key == "layers":
            result[key] = len(value)
        elif key in ("classes", "rules") and detail != "glance":
            result[key] = {ident: _without_symbol(each) for ident, each in value.items()}
        else:
            result[key] = _shortened(value, detail)
    return result


def _without_symbol(entry: Document) -> Document:
    return {key: value for key, value in entry.items() if key != "symbol"}


def _labels_glance(labels: Document) -> Document:
    kept: Tuple[str, ...] = ("enabled", "type", "field", "size", "color")
    return {key: labels[key] for key in kept if key in labels}
