"""The edit buffer of a layer: edits that are not saved, and whether the person has saved those of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

from qgis.core import QgsVectorLayer

from ..i18n import translate
from .layer_state import OfLayer
from .state import GONE, layer_title

if TYPE_CHECKING:
    from ..host import Host


def steps_of(layer: QgsVectorLayer) -> Tuple[str, ...]:
    """The names of the unsaved edits that are in force, oldest first."""
    stack = layer.undoStack()
    return tuple(stack.text(number) for number in range(stack.index()))


class Buffer:
    """An edit buffer: whether the layer is being edited, and the names of the edits that are in force."""

    def __init__(self, layer: QgsVectorLayer) -> None:
        self.editing = bool(layer.isEditable())
        self.steps = steps_of(layer) if self.editing else ()
        self.watch: Optional[SaveWatch] = None
        """Of the buffer before a run: whether what the run put on top of it has been saved since."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Buffer) and (self.editing, self.steps) == (other.editing, other.steps)

    __hash__ = None  # type: ignore[assignment]


class SaveWatch:
    """Notes that a layer's edits are saved while an edit of the run is among them. An empty buffer does not tell: edits that
    were discarded leave the same one. ``told`` is called then. It ends with its last reference."""

    def __init__(self, layer: QgsVectorLayer, place: int, name: str, told: Callable[[], None]) -> None:
        """``place`` and ``name``: of the run's first edit in the undo stack."""
        self.saved = False
        self._layer, self._place, self._name, self._told = layer, place, name, told
        self._is_in_force = False
        layer.beforeCommitChanges.connect(self._begins)
        layer.afterCommitChanges.connect(self._ended)

    def _begins(self, *_stops: Any) -> None:
        self._is_in_force = steps_of(self._layer)[self._place : self._place + 1] == (self._name,)

    def _ended(self) -> None:
        if self._is_in_force and not self.saved:
            self.saved = True
            self._told()


class Edits(OfLayer):
    """Edits that are not saved. Those of the run go back in the layer's own undo stack; the person's stay."""

    name = "buffer"
    rank = 15

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "Unsaved edits")

    def of(self, host: Host, layer: Any) -> Any:
        """See OfLayer."""
        return Buffer(layer) if isinstance(layer, QgsVectorLayer) else GONE

    def changed(self, before: Any, after: Any) -> bool:
        """Edits that were saved are no longer in a buffer: that is another item, of the saved data."""
        return super().changed(before, after) and (after.editing or before.steps == ())

    def settled(self, host: Host, rest: str, before: Any, after: Any) -> Tuple[Any, Any]:
        """From now on it is noted when the person saves what the run has put into the buffer."""
        layer, place = host.project.mapLayer(rest), len(before.steps)
        if isinstance(layer, QgsVectorLayer) and len(after.steps) > place:
            before.watch = SaveWatch(layer, place, after.steps[place], host.checkpoints.changed.emit)
        return before, after

    def lost(self, host: Host, rest: str, before: Any) -> str:
        """See Aspect."""
        if before is GONE or before.watch is None or not before.watch.saved:
            return ""
        return translate("QgisAgent", "the edits of {}, because they were saved after the run").format(
            layer_title(host, rest)
        )

    def give(self, host: Host, layer: Any, value: Any) -> Optional[str]:
        """See OfLayer."""
        if not layer.isEditable():
            return translate("QgisAgent", "the edits have been saved or discarded")
        now = steps_of(layer)
        if now[: len(value.steps)] != value.steps:
            return translate("QgisAgent", "the edits before it have changed")
        layer.undoStack().setIndex(len(value.steps))
        if not value.editing and not layer.rollBack():
            return translate("QgisAgent", "QGIS did not end editing the layer")
        layer.triggerRepaint()
        return None
