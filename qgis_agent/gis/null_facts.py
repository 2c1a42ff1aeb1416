"""Fields that are known to have no NULL, for as long as a layer shows the same: then none needs to be counted again."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Tuple

from qgis.core import QgsVectorLayer

from .features import FeatureReader

_FULL: weakref.WeakKeyDictionary[Any, Dict[Tuple[str, str], str]] = weakref.WeakKeyDictionary()
"""By host: the revision at which a field of a layer (by its id) had no NULL."""


def tell(host: Any, layer: QgsVectorLayer, reader: FeatureReader) -> None:
    """Tell a reader, before it counts, which fields have no NULL."""
    revision = host.revision.of([host.layers.alias(layer)])
    known = _FULL.get(host, {})
    full = {name for (layer_id, name), at in known.items() if layer_id == layer.id() and at == revision}
    reader.full = frozenset(full)
    reader.revision = revision


def learn(host: Any, layer: QgsVectorLayer, reader: FeatureReader) -> None:
    """Keep what a reader has found out, when the layer shows the same as before it counted."""
    revision = host.revision.of([host.layers.alias(layer)])
    if reader.found_full and revision is not None and revision == reader.revision:
        _FULL.setdefault(host, {})[(layer.id(), reader.found_full)] = revision
