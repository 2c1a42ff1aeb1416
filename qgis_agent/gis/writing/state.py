"""What a preview of a write was made of. When it differs, the preview is not true any more."""

from __future__ import annotations

import os

from qgis.core import QgsMapLayer, QgsVectorLayer
from qgis.PyQt import sip

MOST_SELECTED = 200_000


def layer_state(layer: QgsMapLayer) -> str:
    """Source, CRS, encoding, filter, edits and file time of a layer; "" for one that is gone."""
    if sip.isdeleted(layer):
        return ""
    source = layer.source().split("|")[0]
    try:
        stamp = str(os.stat(source).st_mtime_ns)
    except OSError:
        stamp = ""
    crs = layer.crs().authid() or layer.crs().toProj()  # assumed ones are set without a question
    if not isinstance(layer, QgsVectorLayer):
        return "{}|{}|{}".format(layer.source(), stamp, crs)
    buffer = layer.editBuffer()
    edits = "" if buffer is None else "{}/{}".format(layer.undoStack().index(), layer.featureCount())
    memory = str(layer.featureCount()) if layer.providerType() == "memory" else ""
    parts = [layer.source(), layer.subsetString(), stamp, edits, memory, crs, layer.dataProvider().encoding()]
    return "|".join(parts)


def selection_state(layer: QgsVectorLayer) -> str:
    """Which features are selected; of very many only how many, for to look at each would hold QGIS."""
    count = layer.selectedFeatureCount()
    if count > MOST_SELECTED:
        return str(count)
    return "{}/{}".format(count, hash(frozenset(layer.selectedFeatureIds())))
