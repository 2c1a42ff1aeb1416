"""Whether a layer of the project reads its text in an encoding that its bytes contradict."""

from __future__ import annotations

from typing import Any, Generator

from qgis.core import QgsFeedback, QgsMapLayer, QgsVectorLayer

from ..errors import ToolError
from ..i18n import translate
from ..work import Step, Work
from .encodings import looks_like
from .layer_text import encoding_of, reader_of


def garbled_text(layer: QgsMapLayer) -> Generator[Step, Any, str]:
    """A sentence where a shapefile, .dbf or delimited text is read in a wrong encoding; "" where it is not, or not known.

    The raw text is read to its end, on a worker thread.
    """
    read = reader_of(layer) if isinstance(layer, QgsVectorLayer) and layer.isValid() else None
    if read is None:
        return ""
    declared = encoding_of(layer)

    def found(feedback: QgsFeedback) -> str:
        try:
            return looks_like(declared, read(feedback).guess)
        except ToolError as error:
            if error.envelope["reason"] != "unreadable":
                raise
            return ""  # its file is gone or locked: that is no doubt about the encoding

    other = yield Work(translate("QgisAgent", "Reading raw text"), found)
    if not other:
        return ""
    text = translate("QgisAgent", "its text is read as {} but looks like {}: ask, then use set_layer_encoding")
    return text.format(declared, other)
