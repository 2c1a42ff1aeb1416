"""What a layer is in the project: its name, filter, assumed CRS and encoding, and look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from qgis.core import QgsMapLayer, QgsVectorLayer

from ..errors import ToolError
from ..i18n import translate
from ..layers import clean_text
from ..sources.layer_text import encoding_of, set_encoding
from ..style.history import (
    CATEGORIES,
    StyleRecord,
    canonical,
    history_of,
    parts_of,
    set_labeling,
    set_renderer,
    set_style_xml,
    style_xml,
)
from .state import GONE, NAME_LENGTH, Aspect, Look, layer_title

if TYPE_CHECKING:
    from ..host import Host


class OfLayer(Aspect):
    """A value of a layer that is in the project before and after."""

    rank = 40
    said = ""

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        found = {ident: self.of(look.host, layer) for ident, layer in look.layers().items()}
        return {ident: value for ident, value in found.items() if value is not GONE}

    def of(self, host: Host, layer: QgsMapLayer) -> Any:
        """The value, GONE when such a layer has none."""
        raise KeyError(self.name)

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """Set the value; why not, or None."""
        raise KeyError(self.name)

    def changed(self, before: Any, after: Any) -> bool:
        """A layer that has come or gone is the aspect "layer", with all that it has."""
        return before is not GONE and after is not GONE and bool(before != after)

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        layer = host.project.mapLayer(rest)
        if layer is None:
            return translate("QgisAgent", "the layer is no longer in the project")
        return self.give(host, layer, before)

    def is_as_left(self, host: Host, rest: str, after: Any, present: Any) -> bool:
        """A layer that the person has removed since is not as it was left."""
        return present is not GONE and not self.changed(after, present)

    def is_back(self, before: Any, present: Any) -> bool:
        """See Aspect."""
        return present is not GONE and not self.changed(before, present)

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return "{}: {}".format(self.label(), layer_title(host, rest))

    def label(self) -> str:
        """The kind of thing, for people."""
        return self.name


class Name(OfLayer):
    """The layer's name."""

    name = "name"

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "Name of layer")

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """Both names: the present one may be neither."""
        names = [clean_text(each, NAME_LENGTH) for each in (before, after)]
        return "{}: {} → {}".format(self.label(), *names)

    def of(self, host: Host, layer: QgsMapLayer) -> Any:
        """See OfLayer."""
        return layer.name()

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """See OfLayer."""
        layer.setName(value)
        return None


class Filter(OfLayer):
    """The subset string. What the person has selected meanwhile stays selected: QGIS drops it with the filter."""

    name = "filter"
    rank = 39

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "Filter")

    def of(self, host: Host, layer: QgsMapLayer) -> Any:
        """See OfLayer."""
        return layer.subsetString() if isinstance(layer, QgsVectorLayer) else GONE

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """See OfLayer."""
        if layer.isEditable():
            return translate("QgisAgent", "the layer is being edited, and QGIS sets no filter meanwhile")
        chosen = layer.selectedFeatureIds() if layer.selectedFeatureCount() else []
        worked = layer.setSubsetString(value)
        if chosen:
            layer.selectByIds(chosen)
        host.repaint(layer)
        return None if worked else translate("QgisAgent", "the data source refused the filter")


class Crs(OfLayer):
    """The CRS that QGIS assumes for the layer."""

    name = "crs"
    rank = 38

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "CRS of layer")

    def of(self, host: Host, layer: QgsMapLayer) -> Any:
        """See OfLayer."""
        return layer.crs()

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """See OfLayer."""
        layer.setCrs(value)
        host.repaint(layer)
        return None


class Encoding(OfLayer):
    """The encoding that QGIS assumes for the layer's text."""

    name = "encoding"
    rank = 37

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "Encoding")

    def of(self, host: Host, layer: QgsMapLayer) -> Any:
        """See OfLayer."""
        readable = isinstance(layer, QgsVectorLayer) and layer.isValid()
        return encoding_of(layer) if readable else GONE

    def changed(self, before: Any, after: Any) -> bool:
        """Spellings of one encoding are one."""
        return super().changed(before, after) and before.lower() != after.lower()

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """See OfLayer."""
        set_encoding(layer, value)
        host.repaint(layer)
        return None


class StyleValue:
    """A look, with the ids of the agent's own changes that led to it."""

    def __init__(self, record: StyleRecord, rules: Tuple[str, ...]) -> None:
        self.record = record
        self.rules = rules

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StyleValue):
            return False
        one, two = self.record.before, other.record.before
        return one == two or canonical(one) == canonical(two)

    __hash__ = None  # type: ignore[assignment]


class Style(OfLayer):
    """The look: renderer, labels, diagrams, opacity, scale range. The legend's title and counts belong to the tree."""

    name = "style"
    rank = 41

    def label(self) -> str:
        """See OfLayer."""
        return translate("QgisAgent", "Style")

    def of(self, host: Host, layer: QgsMapLayer) -> Any:
        """See OfLayer."""
        try:
            xml = style_xml(layer, CATEGORIES)
        except ToolError:
            return GONE  # then no tool changes it either
        rules = tuple(each.rule_id for each in history_of(host).changes(layer.id()))
        return StyleValue(StyleRecord(layer.id(), xml, None, False, parts_of(layer)), rules)

    def settled(self, host: Host, rest: str, before: Any, after: Any) -> Tuple[Any, Any]:
        """The rules of this change only: they are forgotten with it."""
        new = tuple(each for each in after.rules if each not in before.rules)
        return before, StyleValue(after.record, new)

    def give(self, host: Host, layer: QgsMapLayer, value: Any) -> Optional[str]:
        """See OfLayer."""
        record = value.record
        try:
            set_style_xml(layer, record.before, CATEGORIES)
        except ToolError as error:
            return str(error.envelope["message"])
        if record.parts is not None:
            set_renderer(layer, record.parts)
            set_labeling(layer, record.parts)
        host.repaint(layer)
        return None
