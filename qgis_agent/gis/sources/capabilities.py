"""What a WMS, WMTS or WFS offers, read from its capabilities. Runs on worker threads.

Qt's reader is used because it expands no external entities and limits internal ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import QXmlStreamReader

from ..layers import clean_text

MAX_LAYERS = 20_000
MAX_DEPTH = 64
"""Layers of a WMS within one another that are looked at."""
_LINKS = ("href", "onlineResource")
"""Attributes with the address of an operation; the second one is that of WFS 1.0.0."""


@dataclass
class ServiceLayer:
    """A layer of a service: name to ask with, title, CRSs, styles, formats, and for WMTS its tile matrix sets."""

    name: str = ""
    title: str = ""
    crs: List[str] = field(default_factory=list)
    styles: List[str] = field(default_factory=list)
    formats: List[str] = field(default_factory=list)
    matrix_sets: List[str] = field(default_factory=list)
    above: Optional[ServiceLayer] = field(default=None, repr=False)
    """The layer of a WMS that this one lies in: it has its CRSs and styles too."""

    def all_crs(self) -> List[str]:
        """The CRSs of the layers above and its own."""
        return [each for layer in self._line() for each in layer.crs]

    def all_styles(self) -> List[str]:
        """The styles of the layers above and its own."""
        return [each for layer in self._line() for each in layer.styles]

    def _line(self) -> List[ServiceLayer]:
        line: List[ServiceLayer] = [self]
        while line[0].above is not None and len(line) < MAX_DEPTH:
            line.insert(0, line[0].above)
        return line


@dataclass
class Capabilities:
    """The layers of a service, the formats of its pictures, CRSs of WMTS matrix sets, hosts that data would come from."""

    kind: str = ""
    version: str = ""
    layers: List[ServiceLayer] = field(default_factory=list)
    formats: List[str] = field(default_factory=list)
    matrix_crs: Dict[str, str] = field(default_factory=dict)
    links: List[str] = field(default_factory=list)
    exception: str = ""


_ROOTS = {
    "WMS_Capabilities": "wms",
    "WMT_MS_Capabilities": "wms",
    "WFS_Capabilities": "wfs",
}


def parsed(content: bytes) -> Optional[Capabilities]:
    """Capabilities, with ``exception`` for a service's exception report; None for what is neither."""
    reader = QXmlStreamReader(content)
    found = Capabilities()
    path: List[str] = []
    open_layers: List[ServiceLayer] = []
    while not reader.atEnd():
        token = reader.readNext()
        if token == QXmlStreamReader.TokenType.StartElement:
            name = str(reader.name())
            if not path and not _root(found, name, reader):
                return None
            path.append(name)
            _start(found, path, open_layers, reader)
        elif token == QXmlStreamReader.TokenType.Characters and not reader.isWhitespace():
            _text(found, path, open_layers, str(reader.text()).strip())
        elif token == QXmlStreamReader.TokenType.EndElement:
            _end(found, path, open_layers)
            path.pop()
    return found if found.kind else None


def _root(found: Capabilities, name: str, reader: Any) -> bool:
    if name == "Capabilities":
        found.kind = "wmts" if "wmts" in str(reader.namespaceUri()) else ""
    elif name in ("ServiceExceptionReport", "ExceptionReport"):
        found.kind = "exception"
    else:
        found.kind = _ROOTS.get(name, "")
    found.version = str(reader.attributes().value("version"))
    return bool(found.kind)


def _start(found: Capabilities, path: List[str], open_layers: List[ServiceLayer], reader: Any) -> None:
    name = path[-1]
    if name in ("Layer", "FeatureType"):
        open_layers.append(ServiceLayer(above=open_layers[-1] if open_layers and found.kind == "wms" else None))
    attributes = reader.attributes()
    of_operation = name in ("Get", "Post", "OnlineResource") and ("Operation" in path or "DCPType" in path)
    if of_operation:
        found.links += [str(each.value()) for each in attributes if str(each.name()) in _LINKS and str(each.value())]
    if name == "ResourceURL" and open_layers:
        found.links.append(str(attributes.value("template")))


def _text(found: Capabilities, path: List[str], open_layers: List[ServiceLayer], text: str) -> None:
    name, above = path[-1], path[-2] if len(path) > 1 else ""
    if found.kind == "exception":
        found.exception = clean_text("{} {}".format(found.exception, text), 300)
    elif open_layers:
        _layer_text(open_layers[-1], name, above, text)
    elif name == "Format" and above == "GetMap":
        found.formats.append(text)
    elif above == "TileMatrixSet" and name in ("Identifier", "SupportedCRS"):
        _matrix(found, name, text)


def _layer_text(layer: ServiceLayer, name: str, above: str, text: str) -> None:
    takers: Dict[Tuple[str, str], Callable[[], Any]] = {
        ("Layer", "Name"): lambda: setattr(layer, "name", text),
        ("FeatureType", "Name"): lambda: setattr(layer, "name", text),
        ("Layer", "Identifier"): lambda: setattr(layer, "name", text),
        ("Layer", "Title"): lambda: setattr(layer, "title", text),
        ("FeatureType", "Title"): lambda: setattr(layer, "title", text),
        ("Layer", "CRS"): lambda: layer.crs.extend(text.split()),
        ("Layer", "SRS"): lambda: layer.crs.extend(text.split()),
        ("FeatureType", "DefaultCRS"): lambda: layer.crs.insert(0, text),
        ("FeatureType", "DefaultSRS"): lambda: layer.crs.insert(0, text),
        ("FeatureType", "OtherCRS"): lambda: layer.crs.append(text),
        ("FeatureType", "OtherSRS"): lambda: layer.crs.append(text),
        ("Style", "Name"): lambda: layer.styles.append(text),
        ("Style", "Identifier"): lambda: layer.styles.append(text),
        ("Layer", "Format"): lambda: layer.formats.append(text),
        ("TileMatrixSetLink", "TileMatrixSet"): lambda: layer.matrix_sets.append(text),
    }
    taker = takers.get((above, name))
    if taker is not None:
        taker()


def _matrix(found: Capabilities, name: str, text: str) -> None:
    if name == "Identifier":
        found.matrix_crs.setdefault(text, "")
    elif found.matrix_crs:
        last = list(found.matrix_crs)[-1]
        found.matrix_crs[last] = found.matrix_crs[last] or text


def _end(found: Capabilities, path: List[str], open_layers: List[ServiceLayer]) -> None:
    if path[-1] in ("Layer", "FeatureType") and open_layers:
        layer = open_layers.pop()
        if layer.name and len(found.layers) < MAX_LAYERS:
            found.layers.append(layer)
