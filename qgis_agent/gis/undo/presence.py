"""Layers that a run added to the project or took out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, FrozenSet, Optional, Tuple

from qgis.core import QgsLayoutItemMap, QgsMapLayer, QgsPrintLayout, QgsProject, QgsVectorLayer
from qgis.PyQt import sip

from ..i18n import translate
from ..layers import clean_text
from ..removal import Taken, take_out
from ..temporary import put_back, style_digest
from .edit_buffer import Buffer
from .state import GONE, NAME_LENGTH, Aspect, Look

if TYPE_CHECKING:
    from ..host import Host


class Stamp:
    """A layer as the run left it: what a person changes of it makes it theirs. ``saves``: how often edits were saved."""

    def __init__(self, host: Host, layer: QgsMapLayer, saves: int) -> None:
        self.made = host.made.why_not_agents(layer)
        self.facts = _facts(layer)
        self.style = style_digest(layer)
        self.users = users_of(host.project, layer)
        self.buffer = _buffer(layer)
        self.saves = saves

    def why_not(self, host: Host, layer: QgsMapLayer, saves: int) -> str:
        """How the layer was changed or used since, for people; "" when it was not."""
        made = host.made.why_not_agents(layer)
        if made == "edited" != self.made or self.buffer != _buffer(layer) or self.saves != saves:
            return translate("QgisAgent", "edited since")
        if self.facts != _facts(layer):
            return translate("QgisAgent", "renamed, filtered or saved elsewhere since")
        if self.style != style_digest(layer):
            return translate("QgisAgent", "styled since")
        if made == "kept" != self.made:
            return translate("QgisAgent", "kept by you")
        return translate("QgisAgent", "used elsewhere since") if users_of(host.project, layer) - self.users else ""


def _buffer(layer: QgsMapLayer) -> Any:
    return Buffer(layer) if isinstance(layer, QgsVectorLayer) else None


def _facts(layer: QgsMapLayer) -> Tuple[str, ...]:
    subset = layer.subsetString() if isinstance(layer, QgsVectorLayer) else ""
    return layer.name(), layer.source(), subset, layer.crs().toWkt()


def users_of(project: QgsProject, layer: QgsMapLayer) -> FrozenSet[Tuple[str, str]]:
    """(kind, id or name) of the joins, relations, themes and layouts that refer to a layer."""
    ident = layer.id()
    others = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer)]
    found = {("join", each.id()) for each in others if any(join.joinLayerId() == ident for join in each.vectorJoins())}
    for relation in project.relationManager().relations().values():
        if ident in (relation.referencedLayerId(), relation.referencingLayerId()):
            found.add(("relation", relation.id()))
    themes = project.mapThemeCollection()
    found |= {("theme", name) for name in themes.mapThemes() if ident in themes.mapThemeVisibleLayerIds(name)}
    layouts = [each for each in project.layoutManager().layouts() if isinstance(each, QgsPrintLayout)]
    found |= {("layout", each.name()) for each in layouts if _shows(each, ident)}
    return frozenset(found)


def _shows(layout: QgsPrintLayout, ident: str) -> bool:
    coverage = layout.atlas().coverageLayer()
    maps = [each for each in layout.items() if isinstance(each, QgsLayoutItemMap)]
    return (coverage is not None and coverage.id() == ident) or any(
        each.id() == ident for item in maps for each in item.layers()
    )


class Here:
    """A layer that is in the project. ``stamp`` when the run added it, ``taken`` when the run took it out."""

    def __init__(self, name: str, stamp: Optional[Stamp] = None, taken: Any = None) -> None:
        self.name = name
        self.stamp = stamp
        self.taken = taken

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Here)

    __hash__ = None  # type: ignore[assignment]


class Presence(Aspect):
    """Whether a layer is in the project."""

    name = "layer"

    def __init__(self) -> None:
        self._saves: Dict[str, int] = {}

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect. All layers: which come and go is not known before."""
        return {ident: Here(layer.name()) for ident, layer in look.host.project.mapLayers().items()}

    def order(self, rest: str, before: Any) -> Tuple[int, int]:
        """What was taken out comes back first, the last one before the others; what was added goes when all else is set."""
        if before is GONE:
            return 43, 0
        return 6, -before.taken[1] if before.taken is not None else 0

    def settled(self, host: Host, rest: str, before: Any, after: Any) -> Tuple[Any, Any]:
        """See Aspect."""
        if after is GONE:
            known = [(each, number) for number, each in enumerate(host.removed) if each.layer.id() == rest]
            return Here(before.name, taken=known[-1] if known else None), GONE
        layer = host.project.mapLayer(rest)
        return GONE, Here(after.name, self._stamp(host, layer) if layer is not None else None)

    def _stamp(self, host: Host, layer: QgsMapLayer) -> Stamp:
        ident = layer.id()
        if ident not in self._saves and isinstance(layer, QgsVectorLayer):
            layer.afterCommitChanges.connect(lambda: self._saved(ident))
        return Stamp(host, layer, self._saves.setdefault(ident, 0))

    def _saved(self, ident: str) -> None:
        self._saves[ident] = self._saves.get(ident, 0) + 1

    def why_changed(self, host: Host, rest: str, after: Any) -> str:
        """How the person or a later run changed a layer that the run added."""
        layer = host.project.mapLayer(rest)
        if after is GONE or layer is None or after.stamp is None:
            return ""
        return str(after.stamp.why_not(host, layer, self._saves.get(rest, 0)))

    def is_as_left(self, host: Host, rest: str, after: Any, present: Any) -> bool:
        """See Aspect."""
        if after is GONE or present is GONE:
            return after is present
        return not self.why_changed(host, rest, after)

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        if before is GONE:
            return self._out(host, rest)
        if before.taken is None or sip.isdeleted(before.taken[0].layer):
            return translate("QgisAgent", "its data is no longer kept")
        taken = before.taken[0]
        if isinstance(taken, Taken):
            missing = taken.put_back(host)
        else:
            put_back(host, taken)
            missing = []
        if host.made.why_not_agents(taken.layer) != "not_made" and rest not in host.created_layers:
            host.created_layers.append(rest)
        return translate("QgisAgent", "not set again: {}").format(", ".join(missing)) if missing else None

    def _out(self, host: Host, rest: str) -> Optional[str]:
        layer = host.project.mapLayer(rest)
        if layer is not None:
            take_out(host, [layer])
            host.created_layers = [each for each in host.created_layers if each != rest]
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        if before is GONE:
            return translate("QgisAgent", "Layer added: {}").format(clean_text(after.name, NAME_LENGTH))
        return translate("QgisAgent", "Layer removed: {}").format(clean_text(before.name, NAME_LENGTH))
