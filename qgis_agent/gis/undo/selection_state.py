"""Selected features. A million of them is not read after a call: that would hold QGIS for a quarter of a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from qgis.core import QgsMapLayer, QgsVectorLayer
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, pyqtSlot

from ..i18n import translate
from .layer_state import OfLayer
from .state import WHOLE, Look

if TYPE_CHECKING:
    from ..host import Host

MANY = 20_000
"""Of more features, only the number and how often the selection was changed are known after a call."""


class _Watch(QObject):
    """Counts the changes of a layer's selection. The slot takes no arguments: PyQt would make lists of a million numbers."""

    def __init__(self, layer: QgsVectorLayer) -> None:
        super().__init__(layer)
        self.changes = 0
        layer.selectionChanged.connect(self._changed)

    @pyqtSlot()
    def _changed(self) -> None:
        self.changes += 1


class Chosen:
    """A selection: number, changes until then, and the ids where they were read."""

    def __init__(self, count: int, changes: int, ids: Optional[List[int]]) -> None:
        self.count = count
        self.changes = changes
        self.ids = ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chosen) or self.count != other.count:
            return False
        if self.count == 0 or self.changes == other.changes:
            return True
        return self.ids is not None and other.ids is not None and set(self.ids) == set(other.ids)

    __hash__ = None  # type: ignore[assignment]

    def renumbered(self, ids: Dict[int, int]) -> Chosen:
        """The same features, of which some have come back under other ids: {old: new}."""
        known = None if self.ids is None else [ids.get(each, each) for each in self.ids]
        return Chosen(self.count, self.changes, known)


class Selection(OfLayer):
    """The ids of selected features."""

    name = "selection"
    rank = 60

    def __init__(self) -> None:
        self._watches: Dict[str, _Watch] = {}

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "Selection")

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        layers = look.layers().items()
        return {
            ident: self._chosen(layer, bool(look.memo.get(WHOLE)))
            for ident, layer in layers
            if isinstance(layer, QgsVectorLayer)
        }

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """See OfLayer."""
        layer.selectByIds(value.ids)
        return None

    def _chosen(self, layer: QgsVectorLayer, whole: bool) -> Chosen:
        watch = self._watches.get(layer.id())
        if watch is None or sip.isdeleted(watch):
            watch = self._watches[layer.id()] = _Watch(layer)
        count = layer.selectedFeatureCount()
        if count and (whole or count <= MANY):
            return Chosen(count, watch.changes, layer.selectedFeatureIds())
        return Chosen(count, watch.changes, None if count else [])
