"""A layer's filter (subset string). The only place that writes one.

The filter that the agent found is the floor: what the agent sets is ANDed with it, and without conditions the found one is
in force again. It is the filter from before the agent's first one, or, when a person has changed it since, the person's.
"""

from __future__ import annotations

import weakref
from array import array
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Tuple

import numpy as np
from qgis.core import Qgis, QgsFeedback, QgsVectorLayer

from .conditions import Where, checked, request_expression
from .dialects import Condition
from .errors import UNSUPPORTED, UPSTREAM_ERROR, ToolError
from .features import FeatureReader, count_matching, feature_source
from .i18n import translate
from .layers import clean_text
from .sql_dialects import dialect_of
from .work import Step, Work


class FilterChange(NamedTuple):
    """What setting a filter did. ``found``: the filter that the agent found and keeps; counts are exact.

    ``deselected``: features that were selected before. QGIS selects nothing after a filter is set.
    """

    subset: str
    found: str
    before: int
    after: int
    deselected: int


class _Set(NamedTuple):
    """What the agent has set on a layer, and on top of what; ``expression`` is its own part, for QGIS."""

    found: str
    subset: str
    expression: str


_SETS: weakref.WeakKeyDictionary[Any, Dict[str, _Set]] = weakref.WeakKeyDictionary()
"""By host and layer id, while QGIS runs. A layer's id is never used again."""


def set_filter(host: Any, layer: QgsVectorLayer, alias: str, where: Where) -> Generator[Step, Any, FilterChange]:
    """Show only the features that match ``where``, of those that the found filter leaves.

    On failure the filter is as it was. UNSUPPORTED in edit mode, for fields that the provider does not have, and where the
    provider's filter would not mean what the conditions do; UPSTREAM_ERROR when the provider refuses.
    """
    _require_not_edited(layer, alias)
    before_text = layer.subsetString()
    found = _found(host, layer)
    subset = _subset(layer, alias, where, found)
    selected = list(layer.selectedFeatureIds()) if layer.selectedFeatureCount() else []
    before = yield Work(translate("QgisAgent", "Counting"), _counter(layer))
    kept = False
    try:
        if before_text != found:
            _write(layer, found, alias)
        expected = yield Work(translate("QgisAgent", "Reading what is to stay"), _id_reader(layer, where))
        if layer.subsetString() != subset:
            _write(layer, subset, alias)
        read = _id_reader(layer, ())
        number, same = yield Work(
            translate("QgisAgent", "Checking the filter"), lambda feedback: _compared(read(feedback), expected)
        )
        if not same:
            raise _differs(alias, len(expected), number)
        kept = True
    finally:
        if not kept and layer.subsetString() != before_text:
            layer.setSubsetString(before_text)
            layer.selectByIds(selected)
    _SETS.setdefault(host, {})[layer.id()] = _Set(found, subset, request_expression(layer, where))
    return FilterChange(subset, found, before, number, len(selected) - layer.selectedFeatureCount())


def agent_filter(host: Any, layer: QgsVectorLayer) -> str:
    """What the agent's filter on a layer asks for, as an expression of QGIS; "" where none of its is in force."""
    ours = _SETS.get(host, {}).get(layer.id())
    return ours.expression if ours is not None and ours.subset == layer.subsetString() else ""


def _found(host: Any, layer: QgsVectorLayer) -> str:
    """The filter to keep: the one below the agent's own, while that is in force; else the one in force."""
    ours = _SETS.get(host, {}).get(layer.id())
    return ours.found if ours is not None and ours.subset == layer.subsetString() else str(layer.subsetString())


def _require_not_edited(layer: QgsVectorLayer, alias: str) -> None:
    if not layer.isEditable():
        return
    changes = layer.editBuffer()
    unsaved = changes is not None and changes.isModified()
    raise ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer '{}' is being edited ({}); QGIS sets no filter meanwhile.").format(
            alias, translate("QgisAgent", "unsaved changes") if unsaved else translate("QgisAgent", "no changes yet")
        ),
        hint=translate("QgisAgent", "Ask the person to save or discard the edits; nothing was saved or discarded."),
        reason="edit_mode",
    )


def _subset(layer: QgsVectorLayer, alias: str, where: Where, found: str) -> str:
    """The new subset string."""
    if not where:
        return found
    groups = checked(layer, where)
    dialect = dialect_of(layer)
    if dialect is None:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "Layers of this kind ({}) cannot be filtered here.").format(layer.providerType()),
            hint=translate("QgisAgent", "Use select_features instead."),
            reason="provider",
        )
    if found.lstrip().upper().startswith("SELECT"):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has a whole query as its filter already.").format(alias),
            hint=translate("QgisAgent", "Use select_features instead; the person can change the filter in QGIS."),
            reason="filter_is_query",
        )
    _require_provider_fields(layer, [item for group in groups for item in group])
    new = dialect.where(groups)
    return "({}) AND ({})".format(found, new) if found else new


def _require_provider_fields(layer: QgsVectorLayer, items: List[Condition]) -> None:
    """A GeoPackage takes an unknown column name for a text and filters nothing, so it is not asked."""
    fields = layer.fields()
    for item in items:
        origin = fields.fieldOrigin(fields.lookupField(item.field.name()))
        if origin != Qgis.FieldOrigin.Provider:
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The field '{}' is virtual or joined; a filter cannot use it.").format(
                    item.field.name()
                ),
                hint=translate("QgisAgent", "Use select_features, which can, or a field of the layer's own data."),
                reason="field_origin",
            )


def _write(layer: QgsVectorLayer, subset: str, alias: str) -> None:
    if layer.setSubsetString(subset) and layer.subsetString() == subset:
        return
    why = layer.dataProvider().error().message() if layer.dataProvider() is not None else ""
    raise ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The data source of '{}' refused the filter. {}")
        .format(alias, clean_text(why, 160))
        .strip(),
        hint=translate("QgisAgent", "The filter is as it was. Use select_features instead."),
        reason="filter_refused",
    )


def _counter(layer: QgsVectorLayer) -> Any:
    source = feature_source(layer)
    return lambda feedback: count_matching(source, "", feedback)


def _id_reader(layer: QgsVectorLayer, where: Where) -> Callable[[QgsFeedback], Any]:
    """Reads the ids that match, sorted, on a worker thread. An array: a set of 1e6 takes 40 ms to go away."""
    reader = FeatureReader(layer, where)

    def read(feedback: QgsFeedback) -> Any:
        ids = array("q", (feature.id() for feature in reader.read(feedback, fields=())))
        return np.sort(np.frombuffer(ids, dtype=np.int64)) if ids else np.empty(0, dtype=np.int64)

    return read


def _compared(actual: Any, expected: Any) -> Tuple[int, bool]:
    """How many features are shown, and whether they are those that should be."""
    return len(actual), bool(np.array_equal(actual, expected))


def _differs(alias: str, expected: int, actual: int) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate(
            "QgisAgent", "The filter of '{}' would show {} features where {} match, so it was taken back."
        ).format(alias, actual, expected),
        hint=translate(
            "QgisAgent", "Use select_features or query_features: they read each feature, whatever its source."
        ),
        reason="filter_differs",
    )
