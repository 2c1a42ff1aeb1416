"""What is dragged into the composer: layers of the layer panel, files of the file manager or of QGIS's browser."""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional

from qgis.core import QgsMimeDataUtils
from qgis.PyQt.QtGui import QImage, QPixmap
from qgis.PyQt.QtXml import QDomDocument

LAYER_TREE = "application/qgis.layertreemodeldata"
MOST = 10
"""Layers and files of one drop."""
_BESIDE = (".shx", ".dbf", ".prj", ".cpg", ".qix", ".qpj", ".sbn", ".sbx", ".tfw", ".jgw", ".aux.xml", ".ovr", ".qmd")
"""Files that belong to another one of the same name."""


class Dropped(NamedTuple):
    """QGIS's ids of layers, paths of files, and whether there was anything else."""

    layer_ids: List[str]
    paths: List[str]
    other: bool


def picture_of(mime: Any) -> Optional[QImage]:
    """The picture in what is pasted, None where there is none, or words: a table copies a picture of itself beside its text."""
    if not mime.hasImage() or mime.hasText():
        return None
    found = mime.imageData()
    image = found.toImage() if isinstance(found, QPixmap) else found
    return image if isinstance(image, QImage) and not image.isNull() else None


def can_read(mime: Any) -> bool:
    """Whether ``read`` knows what to do with it."""
    local = mime.hasUrls() and any(each.isLocalFile() for each in mime.urls())
    return bool(mime.hasFormat(LAYER_TREE) or QgsMimeDataUtils.isUriList(mime) or local)


def read(mime: Any) -> Dropped:
    """The layers and files of a drop, each once, at most ten of them."""
    if mime.hasFormat(LAYER_TREE):
        layer_ids = _tree_ids(bytes(mime.data(LAYER_TREE)))
        return Dropped(layer_ids[:MOST], [], not layer_ids)
    paths = [each.toLocalFile() for each in mime.urls() if each.isLocalFile()] if mime.hasUrls() else []
    layer_ids, other = [], False
    if not paths and QgsMimeDataUtils.isUriList(mime):
        for each in QgsMimeDataUtils.decodeUriList(mime):
            path = each.uri.partition("|")[0]
            if getattr(each, "layerId", ""):
                layer_ids.append(each.layerId)
            elif os.path.isabs(path) and os.path.exists(path):
                paths.append(path)
            else:
                other = True
    return Dropped(list(dict.fromkeys(layer_ids))[:MOST], _main_files(paths)[:MOST], other)


def _tree_ids(data: bytes) -> List[str]:
    """The ids of the layers in what QGIS's layer panel gives, also of those inside groups."""
    document = QDomDocument()
    document.setContent(data)
    found = document.elementsByTagName("layer-tree-layer")
    ids = [found.at(number).toElement().attribute("id") for number in range(found.length())]
    return [each for each in dict.fromkeys(ids) if each]


def _main_files(paths: List[str]) -> List[str]:
    """Without the files that belong to another one of the drop: a shapefile is dragged with all its parts."""
    unique = list(dict.fromkeys(paths))
    stems = {_stem(each) for each in unique if not each.lower().endswith(_BESIDE)}
    return [each for each in unique if not (each.lower().endswith(_BESIDE) and _stem(each) in stems)]


def _stem(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, name.partition(".")[0])
