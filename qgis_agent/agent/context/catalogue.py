"""The project's layers as QGIS pushed them, and the search over them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any, cast

from ...bridge.messages import CatalogueLayer
from .layer_index import LayerIndex
from .layer_search import rank_layers, search

__all__ = ["CatalogueStore", "rank_layers"]

_KINDS = ("point", "line", "polygon", "raster", "table", "other")


class CatalogueStore:
    """The layers of the open project. QGIS replaces the whole list when anything changes."""

    def __init__(self) -> None:
        self._layers: tuple[CatalogueLayer, ...] = ()
        self._index: LayerIndex | None = None
        self._building = threading.Lock()
        self.project_id = ""
        self.revision = 0

    def replace(self, layers: Any, project_id: str) -> int:
        """Take a pushed list. Entries that are no layers are left out; returns how many were."""
        entries = layers if isinstance(layers, list) else []
        kept = [_as_layer(each) for each in entries if isinstance(each, dict) and isinstance(each.get("layer_id"), str)]
        self._layers = tuple(kept)
        self._index = None
        self.project_id = project_id
        self.revision += 1
        return len(entries) - len(kept) if isinstance(layers, list) else 1

    def layers(self) -> list[CatalogueLayer]:
        """The layers in the order of the layer tree."""
        return list(self._layers)

    async def ready(self) -> None:
        """Make the index on a thread where it is not made yet: with 10,000 layers that takes a second."""
        if self._index is None:
            await asyncio.to_thread(self._made)

    def search(self, query: str, kind: str = "any") -> list[CatalogueLayer]:
        """The layers that a query means, best first; an empty query lists all. Quick once it is ``ready``."""
        return cast("list[CatalogueLayer]", search(self._made(), query, kind))

    def _made(self) -> LayerIndex:
        with self._building:
            index, layers = self._index, self._layers
            if index is None or index.layers is not layers:
                index = LayerIndex(layers)
                index.prepare()
                self._index = index if layers is self._layers else None
            return index


def _as_layer(raw: Mapping[str, Any]) -> CatalogueLayer:
    fields = raw.get("fields")
    layer: dict[str, Any] = {
        "layer_id": raw["layer_id"],
        "name": str(raw.get("name", raw["layer_id"])),
        "kind": raw["kind"] if raw.get("kind") in _KINDS else "other",
        "group": str(raw.get("group", "")),
        "abstract": str(raw.get("abstract", "")),
        "visible": bool(raw.get("visible")),
        "crs": str(raw.get("crs", "")),
        "fields": [
            {
                "name": str(each.get("name", "")),
                "alias": str(each.get("alias", "")),
                "type": str(each.get("type", "other")),
            }
            for each in (fields if isinstance(fields, list) else [])
            if isinstance(each, dict)
        ],
    }
    if isinstance(raw.get("file"), str):
        layer["file"] = raw["file"]  # the base name of the source, which is searched too
    return cast(CatalogueLayer, layer)
