"""What a preview of a write was made of. When it differs, the preview is not true any more."""

from __future__ import annotations

import os

from qgis.core import QgsMapLayer, QgsVectorLayer
from qgis.PyQt import sip


def layer_state(layer: QgsMapLayer) -> str:
    """Source, filter, edits and file time of a layer; "" for one that is gone."""
    if sip.isdeleted(layer):
        return ""
    source = layer.source().split("|")[0]
    try:
        stamp = str(os.stat(source).st_mtime_ns)
    except OSError:
        stamp = ""
    if not isinstance(layer, QgsVectorLayer):
        return "{}|{}".format(layer.source(), stamp)
    buffer = layer.editBuffer()
    edits = "" if buffer is None else "{}/{}".format(layer.undoStack().index(), layer.featureCount())
    memory = str(layer.featureCount()) if layer.providerType() == "memory" else ""
    parts = [layer.source(), layer.subsetString(), stamp, edits, memory]
    return "|".join(parts)
