"""The project's state as a flat table of small things, each of which can be compared and set back by itself.

A key is "<aspect>/<name within it>". Aspects are read before and after a call; what differs is what the call changed. That
things are small is what keeps the person's own changes: they renamed one layer, the run hid another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, FrozenSet, Iterable, NamedTuple, Optional, Tuple

from qgis.core import QgsMapLayer

from ..i18n import translate
from ..layers import clean_text

if TYPE_CHECKING:
    from ..host import Host

NAME_LENGTH = 60
WHOLE = "whole"
"""In a look's memo: read also what takes long, because it may have to be set back."""


class _Gone:
    """There is no such thing."""

    def __repr__(self) -> str:
        return "GONE"


GONE = _Gone()
"""The value of a key that is not there."""


class Look(NamedTuple):
    """What to read: ``layer_ids`` are the layers (QGIS's ids) whose look, selection and so on count; None for all.

    ``memo`` keeps what several aspects look at, so that it is read once.
    """

    host: Host
    layer_ids: Optional[FrozenSet[str]]
    memo: Dict[str, Any]

    def layers(self) -> Dict[str, QgsMapLayer]:
        """The layers that count and are in the project, by id."""
        layers: Dict[str, QgsMapLayer] = self.host.project.mapLayers()
        return {key: each for key, each in layers.items() if self.layer_ids is None or key in self.layer_ids}


class Aspect:
    """One kind of thing in the project. All is done on the main thread."""

    name = ""
    rank = 50
    """Things of a lower rank are set back first."""

    def read(self, look: Look) -> Dict[str, Any]:
        """Name within the aspect -> value."""
        return {}

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """Set ``before`` (or GONE) back; why not, for people, or None. Whether it worked is read by the caller.

        ``agreed``: the person agreed to lose what they did to it since.
        """
        return translate("QgisAgent", "it cannot be set")

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """What was changed, for people."""
        return self.name

    def changed(self, before: Any, after: Any) -> bool:
        """Whether the two are a change that can be taken back."""
        return bool(before != after)

    def settled(self, host: Host, rest: str, before: Any, after: Any) -> Tuple[Any, Any]:
        """After a call: the pair with all that is needed to set it back."""
        return before, after

    def is_as_left(self, host: Host, rest: str, after: Any, present: Any) -> bool:
        """Whether nobody has changed it since."""
        return not self.changed(after, present)

    def is_back(self, before: Any, present: Any) -> bool:
        """Whether it is as it was before."""
        return not self.changed(before, present)

    def lost(self, host: Host, rest: str, before: Any) -> str:
        """What of it can no longer be taken back, because of what the person did since, for people; "" for all else."""
        return ""

    def order(self, rest: str, before: Any) -> Tuple[int, int]:
        """Where it comes when several are set back: rank, and a number within it."""
        return self.rank, 0


def read_state(
    host: Host, aspects: Iterable[Aspect], layer_ids: Optional[FrozenSet[str]] = None, whole: bool = True
) -> Dict[str, Dict[str, Any]]:
    """The state now: by aspect, name within it -> value."""
    look = Look(host, layer_ids, {WHOLE: whole})
    return {aspect.name: aspect.read(look) for aspect in aspects}


def layer_title(host: Host, layer_id: str) -> str:
    """The name of a layer for people; also of one that is gone."""
    layer = host.project.mapLayer(layer_id)
    if layer is None:
        layer = next((each.layer for each in host.removed if each.layer.id() == layer_id), None)
    return clean_text(layer.name(), NAME_LENGTH) if layer is not None else "-"
