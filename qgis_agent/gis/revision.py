"""Data revisions: a text that stays the same only while what some layers show is the same (``project/revision``).

A counter over QGIS's signals sees what happens inside QGIS; the time and size of a layer's file see what others write to it.
Layers from a network or a database can change without either: they have no revision, and nothing read from them is kept.
"""

from __future__ import annotations

import os
from typing import Dict, List, Optional, Sequence, Tuple

from qgis.core import QgsDataProvider, QgsMapLayer, QgsProject, QgsProviderRegistry, QgsVectorLayer
from qgis.PyQt.QtCore import QObject, pyqtSlot

from .layers import LayerRegistry

_FILE_PROVIDERS = ("ogr", "gdal", "delimitedtext")
_LAYER_SIGNALS = (
    "dataChanged",
    "dataSourceChanged",
    "styleChanged",
    "rendererChanged",
    "nameChanged",
    "crsChanged",
    "metadataChanged",
    "configChanged",
)
_VECTOR_SIGNALS = (
    "featureAdded",
    "featuresDeleted",
    "attributeValueChanged",
    "geometryChanged",
    "updatedFields",
    "subsetStringChanged",
    "selectionChanged",
    "afterRollBack",
    "afterCommitChanges",
    "labelsChanged",
)
_TABLE = ("{path}t", "{stem}.csvt", "{stem}.prj")
_GEOTIFF = ("{path}.ovr", "{path}.aux.xml", "{path}.msk", "{stem}.aux.xml", "{stem}.tfw", "{stem}.tifw", "{stem}.wld")
_VECTOR_FILES: Dict[str, Tuple[str, ...]] = {
    ".shp": tuple("{stem}" + each for each in (".dbf", ".shx", ".cpg", ".prj", ".qpj", ".cst")),
    ".gpkg": ("{path}-wal",),
    ".geojson": (),
    ".json": (),
    ".csv": _TABLE,
    ".tsv": _TABLE,
    ".txt": _TABLE,
    ".fgb": (),
    ".kml": (),
    ".gpx": (),
}
"""Formats of which all files are known that change what is read: the extension, and what can lie beside the file (of a
shapefile its parts, of a GeoPackage the write-ahead log, of a table the types of its columns). No other has a revision."""
_RASTER_FILES: Dict[str, Tuple[str, ...]] = {
    ".tif": _GEOTIFF,
    ".tiff": _GEOTIFF,
    ".gpkg": ("{path}-wal", "{path}.aux.xml"),
}


class DataRevision(QObject):
    """Counts changes of one project. ``of`` gives the revision of some layers."""

    def __init__(self, project: QgsProject, layers: LayerRegistry, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._project = project
        self._layers = layers
        self._count = 0
        for signal in (project.cleared, project.readProject, project.crsChanged, project.ellipsoidChanged):
            signal.connect(self._changed)
        project.transformContextChanged.connect(self._changed)
        project.layersRemoved.connect(self._changed)
        layers.scope.changed.connect(self._changed)
        project.layersAdded.connect(self._added)
        self._added(list(project.mapLayers().values()))

    def of(self, aliases: Sequence[str]) -> Optional[str]:
        """The revision of what these layers show; of the whole project when none is named. None: it cannot be known."""
        named = [self._layers.by_alias(each) for each in aliases]
        chosen = [each for each in named if each is not None] if aliases else list(self._project.mapLayers().values())
        if len(chosen) < len(aliases):
            return None
        parts = [str(self._count)]
        for layer in sorted(chosen, key=lambda each: each.id()):
            stamp = _stamp(layer)
            if stamp is None:
                return None
            parts.append(stamp)
        return "|".join(parts)

    @pyqtSlot()
    def _changed(self) -> None:
        """Without arguments: those of selectionChanged are lists of a million numbers, and PyQt would make Python's of them."""
        self._count += 1

    def _added(self, layers: List[QgsMapLayer]) -> None:
        self._count += 1
        for layer in layers:
            names = _LAYER_SIGNALS + (_VECTOR_SIGNALS if isinstance(layer, QgsVectorLayer) else ())
            for name in names:
                signal = getattr(layer, name, None)
                if signal is not None:
                    signal.connect(self._changed)


def _stamp(layer: QgsMapLayer) -> Optional[str]:
    """A layer's id with time and size of its file; None where changes cannot be seen."""
    provider = layer.providerType()
    if provider == "memory":
        return layer.id()
    if provider not in _FILE_PROVIDERS or not layer.isValid():
        return None
    if isinstance(layer, QgsVectorLayer) and (layer.vectorJoins() or _is_live(layer.dataProvider())):
        return None
    source = QgsProviderRegistry.instance().decodeUri(provider, layer.source())
    if source.get("vsiPrefix"):
        return None  # inside an archive, or of a server
    path = str(source.get("path") or "")
    stamps = [_file_stamp(each) for each in _files_of(path, _RASTER_FILES if provider == "gdal" else _VECTOR_FILES)]
    if not stamps or not stamps[0]:
        return None
    return ",".join([layer.id(), *stamps])


def _files_of(path: str, formats: Dict[str, Tuple[str, ...]]) -> List[str]:
    """The file of a layer and those beside it; empty for a format whose files are not all known."""
    stem, extension = os.path.splitext(path)
    beside = formats.get(extension.lower())
    if beside is None:
        return []
    files = [path]
    for pattern in beside:
        start, end = pattern.split("}")
        base = path if start == "{path" else stem
        files += [base + end, base + end.upper()]  # A.SHP has its table in A.DBF
    return files


def _file_stamp(path: str) -> str:
    """Time and size of a file; "" when it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return "{}:{}".format(found.st_mtime_ns, found.st_size)


def _is_live(provider: Optional[QgsDataProvider]) -> bool:
    """Whether a provider reloads by itself: its file changes while it is open."""
    return provider is None or bool(getattr(provider, "autoRefreshInterval", lambda: 0)())
