"""Tells the agent process which layers there are, whenever that changes."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from qgis.PyQt.QtCore import QObject, QTimer

from ..bridge import messages
from .host import Host

DELAY_MS = 100
"""Many layers that come at once are told of once."""

Notify = Callable[[str, Dict[str, Any]], None]


class CatalogueFeed(QObject):
    """Sends ``catalogue/changed`` for a host. ``listener`` gives the function that notifies the agent, None while none listens."""

    def __init__(self, host: Host, listener: Callable[[], Optional[Notify]], parent: QObject) -> None:
        super().__init__(parent)
        self._host = host
        self._listener = listener
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.push)
        project = host.project
        for signal in (
            project.readProject,
            project.layersAdded,
            project.layersRemoved,
            host.scope.changed,
            project.layerTreeRoot().visibilityChanged,
            project.layerTreeRoot().nameChanged,
        ):
            signal.connect(self._changed)

    def close(self) -> None:
        """The conversation ends. The project may outlive it, or be gone before it."""
        self._closed = True
        self._timer.stop()

    def push(self) -> None:
        """Tell now. Layers that do not fit a line of the bridge are told with fewer fields, and in the end not at all."""
        self._timer.stop()
        notify = self._listener()
        if notify is None:
            return
        layers = self._host.layers.catalogue()
        while layers:
            try:
                notify(messages.CATALOGUE_CHANGED, {"layers": layers, "project_id": self._host.project_id()})
                return
            except ValueError:  # over a line: the fields of thousands of layers; say less of each
                layers = [dict(each, fields=each["fields"][:5], abstract="") for each in layers[: len(layers) * 3 // 4]]
        notify(messages.CATALOGUE_CHANGED, {"layers": [], "project_id": self._host.project_id()})

    def _changed(self, *_args: Any) -> None:
        if not self._closed:
            self._timer.start()
