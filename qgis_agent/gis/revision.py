"""Data revisions: a text that stays the same only while what some layers show is the same (``project/revision``).

A counter over QGIS's signals sees what happens inside QGIS; the time and size of a layer's file see what others write to it.
Layers from a network or a database can change without either: they have no revision, and nothing read from them is kept.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence

from qgis.core import QgsDataProvider, QgsMapLayer, QgsProject, QgsProviderRegistry, QgsVectorLayer
from qgis.PyQt.QtCore import QObject

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
_SIDE_FILES = (".dbf", ".shx", ".cpg", ".prj")
"""Of a shapefile, the parts that change what is read; a GeoPackage has its write-ahead log."""


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

    def _changed(self, *_args: Any) -> None:
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
    path = str(QgsProviderRegistry.instance().decodeUri(provider, layer.source()).get("path") or "")
    stem, extension = os.path.splitext(path)
    paths = [path]
    if extension.lower() == ".shp":
        paths += [stem + each for each in _SIDE_FILES]
    elif extension.lower() == ".gpkg":
        paths.append(path + "-wal")
    stamps = []
    for number, each in enumerate(paths):
        try:
            found = os.stat(each)
        except OSError:
            if number == 0:
                return None
            continue  # a part that this dataset does not have
        stamps.append("{}:{}".format(found.st_mtime_ns, found.st_size))
    return ",".join([layer.id(), *stamps])


def _is_live(provider: Optional[QgsDataProvider]) -> bool:
    """Whether a provider reloads by itself: its file changes while it is open."""
    return provider is None or bool(getattr(provider, "autoRefreshInterval", lambda: 0)())
