"""The raw text behind a layer, and changing the encoding that QGIS reads it in, without touching the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List

from qgis.core import QgsDataProvider, QgsFeedback, QgsProviderRegistry, QgsVectorLayer
from qgis.PyQt.QtCore import QUrl

from ..errors import UNSUPPORTED, ToolError
from ..i18n import translate
from .encodings import UTF8, Guess, beside, guess, python_codec, read_dbf, stated_page
from .formats import DataFile, head_of

_BYTES = 4_000_000


@dataclass(frozen=True)
class LayerText:
    """Raw pieces of text of a layer, what they say of the encoding, and what a .cpg beside it states."""

    pieces: List[bytes]
    guess: Guess
    stated: str

    def telling(self, count: int) -> List[bytes]:
        """The first pieces that are not plain ASCII, each once."""
        return list(dict.fromkeys(each for each in self.pieces if not each.isascii()))[:count]


def same_encoding(one: str, other: str) -> bool:
    """Whether two names mean one encoding; GBK and GB18030 read each other's everyday text."""
    codecs = [python_codec(each) for each in (one, other)]
    return bool(one) and (codecs[0] == codecs[1] or set(codecs) == {"gbk", "gb18030"})


def encoding_of(layer: QgsVectorLayer) -> str:
    """The encoding that a layer's text is read in; of delimited text it stands in the source."""
    if layer.providerType() != "delimitedtext":
        return layer.dataProvider().encoding() or UTF8
    query = layer.source().partition("?")[2]
    found = [each.partition("=")[2] for each in query.split("&") if each.startswith("encoding=")]
    return found[-1] if found else UTF8


def text_of(layer: QgsVectorLayer) -> Callable[[QgsFeedback], LayerText]:
    """A function for a worker thread that reads the layer's raw text. UNSUPPORTED for sources that state their encoding."""
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    path = Path(str(parts.get("path") or ""))
    if layer.providerType() == "delimitedtext":
        file = DataFile(Path(QUrl(layer.source()).toLocalFile() or str(path)))
        return lambda _feedback: _of_lines(file)
    if layer.providerType() == "ogr" and path.suffix.lower() in (".shp", ".dbf") and not parts.get("vsiPrefix"):
        return lambda _feedback: _of_dbf(path)
    raise ToolError(
        UNSUPPORTED,
        translate(
            "QgisAgent",
            "Only shapefiles, .dbf and delimited text can have a wrong encoding; this format states its own.",
        ),
        hint=translate("QgisAgent", "If the text is garbled all the same, it was saved so: ask for the original file."),
        reason="format",
    )


def _of_lines(file: DataFile) -> LayerText:
    pieces = head_of(file, _BYTES).splitlines()
    return LayerText(pieces, guess(pieces), "")


def _of_dbf(path: Path) -> LayerText:
    table = path if path.suffix.lower() == ".dbf" else beside(path, ".dbf")
    pieces = read_dbf(head_of(DataFile(table), _BYTES)).pieces() if table is not None else []
    return LayerText(pieces, guess(pieces), stated_page(path))


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
