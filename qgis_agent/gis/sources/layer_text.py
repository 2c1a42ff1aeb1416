"""The raw text behind a layer, and changing the encoding that QGIS reads it in, without touching the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Optional

from qgis.core import QgsDataProvider, QgsFeedback, QgsProviderRegistry, QgsVectorLayer
from qgis.PyQt.QtCore import QUrl

from ..errors import UNSUPPORTED, ToolError
from ..i18n import translate
from .encodings import UTF8, Guess, guess, guess_stream
from .formats import DataFile, opened
from .shapefile_text import archive_part, has_table, stated_page, table_text

_ZIP = "/vsizip/"


@dataclass(frozen=True)
class LayerText:
    """Raw pieces of text of a layer, what they say of the encoding, and what a .cpg beside it states."""

    pieces: List[bytes]
    guess: Guess
    stated: str

    def telling(self, count: int) -> List[bytes]:
        """The first pieces that are not plain ASCII, each once."""
        return list(dict.fromkeys(each for each in self.pieces if not each.isascii()))[:count]


def encoding_of(layer: QgsVectorLayer) -> str:
    """The encoding that a layer's text is read in; of delimited text it stands in the source."""
    if layer.providerType() != "delimitedtext":
        return layer.dataProvider().encoding() or UTF8
    query = layer.source().partition("?")[2]
    found = [each.partition("=")[2] for each in query.split("&") if each.startswith("encoding=")]
    return found[-1] if found else UTF8


def text_of(layer: QgsVectorLayer) -> Callable[[QgsFeedback], LayerText]:
    """A function for a worker thread that reads the layer's raw text. UNSUPPORTED for sources that state their encoding."""
    read = reader_of(layer)
    if read is not None:
        return read
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    if layer.providerType() == "ogr" and parts.get("vsiPrefix"):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The raw text of a file in this kind of archive cannot be looked at."),
            hint=translate("QgisAgent", "Unpack the archive and add the file, or add it from a .zip."),
            reason="archive",
        )
    raise ToolError(
        UNSUPPORTED,
        translate(
            "QgisAgent",
            "Only shapefiles, .dbf and delimited text can have a wrong encoding; this format states its own.",
        ),
        hint=translate("QgisAgent", "If the text is garbled all the same, it was saved so: ask for the original file."),
        reason="format",
    )


def reader_of(layer: QgsVectorLayer) -> Optional[Callable[[QgsFeedback], LayerText]]:
    """See ``text_of``; None for sources whose text cannot be in another encoding, or not be looked at."""
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    path = Path(str(parts.get("path") or ""))
    if layer.providerType() == "delimitedtext":
        text = DataFile(Path(QUrl(layer.source()).toLocalFile() or str(path)))
        return lambda feedback: _of_lines(text, feedback)
    prefix = str(parts.get("vsiPrefix") or "")
    if layer.providerType() != "ogr" or prefix not in ("", _ZIP):
        return None
    file = DataFile(path, str(parts.get("vsiSuffix") or "").lstrip("/") if prefix else "")
    if not has_table(file) and (not prefix or file.member):
        return None
    return lambda feedback: _of_table(file, feedback)


def _of_lines(file: DataFile, feedback: QgsFeedback) -> LayerText:
    with opened(file) as stream:
        found, telling = guess_stream(stream, feedback.isCanceled)
    return LayerText(telling, found, "")


def _of_table(file: DataFile, feedback: QgsFeedback) -> LayerText:
    part = archive_part(file)
    text = table_text(part, feedback)
    pieces = text.pieces() if text is not None else []
    return LayerText(pieces, guess(pieces), stated_page(part) if text is not None else "")


def set_encoding(layer: QgsVectorLayer, encoding: str) -> None:
    """Read the layer's text in another encoding from now on. Style, filter and selection of the layer stay."""
    if layer.providerType() != "delimitedtext":
        layer.setProviderEncoding(encoding)
        layer.updateFields()
        return
    source = layer.source()
    head, _, query = source.partition("?")
    items = [each for each in query.split("&") if each and not each.startswith("encoding=")]
    options = QgsDataProvider.ProviderOptions()
    changed = "{}?{}".format(head, "&".join(items + ["encoding=" + encoding]))
    layer.setDataSource(changed, layer.name(), "delimitedtext", options, False)
    if not layer.isValid():
        layer.setDataSource(source, layer.name(), "delimitedtext", options, False)
