"""Whether the file of a layer can be read now. QGIS takes one that is gone or locked for one without features."""

from __future__ import annotations

import os
from typing import List

from osgeo import gdal
from qgis.core import QgsMapLayer, QgsProviderRegistry

from .errors import UPSTREAM_ERROR, ToolError
from .gdal_calls import open_dataset
from .i18n import translate
from .layers import clean_text

_SQLITE = (".gpkg", ".sqlite", ".db")
_FILE_PROVIDERS = ("ogr", "gdal", "spatialite", "delimitedtext")


def local_path(layer: QgsMapLayer) -> str:
    """The file or folder that a layer reads, absolute; "" for memory, services, databases and what is in an archive."""
    provider = layer.providerType()
    if provider not in _FILE_PROVIDERS:
        return ""
    parts = QgsProviderRegistry.instance().decodeUri(provider, layer.source())
    path = str(parts.get("path") or "")
    return path if os.path.isabs(path) and not parts.get("vsiPrefix") else ""


def require_readable(path: str) -> None:
    """UPSTREAM_ERROR for a file that is gone (``source_missing``) or that another program has locked (``locked``). On a worker.

    A GeoPackage is opened once, before QGIS does: QGIS keeps the connection that it gets while a file is locked, and reads no
    features from it for a minute, without a word.
    """
    if not path:
        return
    if not os.path.exists(path):
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The file of the layer is not there any more: {}").format(
                clean_text(os.path.basename(path), 80)
            ),
            hint=translate("QgisAgent", "Check that the layer's file is still there."),
            reason="source_missing",
        )
    if path.lower().endswith(_SQLITE) and "locked" in _problem(path):
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "Another program has locked the file {}.").format(
                clean_text(os.path.basename(path), 80)
            ),
            hint=translate("QgisAgent", "End the other program's edit of the file, wait a minute, and try again."),
            reason="locked",
        )


def _problem(path: str) -> str:
    """What GDAL says when it cannot open a file; "" where it can."""
    said: List[str] = []
    gdal.PushErrorHandler(lambda *told: said.append(str(told[-1])))
    try:
        opened, reason = open_dataset(path, gdal.OF_VECTOR)
        return "" if opened is not None else " ".join([*said, reason])
    finally:
        gdal.PopErrorHandler()
