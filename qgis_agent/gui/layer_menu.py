"""What the agent adds to the menu of a layer in the layer panel."""

from __future__ import annotations

from typing import Any, Callable

from qgis.core import Qgis
from qgis.PyQt.QtGui import QIcon

from ..gis.i18n import translate
from .qt import QAction

_TYPES = (Qgis.LayerType.Vector, Qgis.LayerType.Raster)
"""The kinds of layer that the agent can read."""


class LayerMenu:
    """ "Ask about this layer…": ``ask`` gets the layer."""

    def __init__(self, iface: Any, icon: QIcon, ask: Callable[[Any], None]) -> None:
        self._iface = iface
        self._ask = ask
        self.actions = [self._action(kind, icon) for kind in _TYPES]

    def remove(self) -> None:
        """Take the entries out again."""
        for action in self.actions:
            self._iface.removeCustomActionForLayerType(action)
            action.deleteLater()
        self.actions = []

    def _action(self, kind: Any, icon: QIcon) -> QAction:
        """One action a kind: QGIS takes an action once, and forgets it when it is removed once."""
        action = QAction(icon, translate("QgisAgent", "Ask about this layer…"), self._iface.mainWindow())
        action.setObjectName("QgisAgentAskLayer{}".format(kind.name))
        action.triggered.connect(self._triggered)
        self._iface.addCustomActionForLayerType(action, "", kind, True)
        return action

    def _triggered(self) -> None:
        layer = self._iface.layerTreeView().currentLayer()
        if layer is not None:
            self._ask(layer)
