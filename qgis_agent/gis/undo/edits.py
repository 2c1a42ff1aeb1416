"""Taking back edits that a run saved: by the inverse edit where the data keeps its features apart, else by a stored copy.

``way_of`` says which, before anything is changed, and ``undo_words`` says it on the card.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from qgis.core import QgsFeature, QgsFeatureRequest, QgsFeedback, QgsVariantUtils, QgsVectorLayer
from qgis.PyQt import sip

from ..features import feature_source, read_features
from ..i18n import translate
from ..layers import clean_text
from ..source_files import local_path
from . import store
from .files import family_of

if TYPE_CHECKING:
    from ..edits.plan import EditPlan

INVERSE, COPY, NONE = "inverse", "copy", "none"
MAX_KEPT_BYTES = 200 * 1024 * 1024
"""Of the features that an edit changes, kept in memory as they were before."""
_DATABASES = ("postgres", "spatialite", "mssql", "oracle", "hana")
_NUMBERS = itertools.count(1)
_ROWS = ("GPKG", "SQLite")
"""File formats that keep their feature ids: the others write the whole file anew, or number their features afresh."""


def way_of(layer: QgsVectorLayer) -> str:
    """How a saved edit of this layer is taken back: INVERSE, COPY, or NONE for what can be neither."""
    provider = layer.providerType()
    if provider == "memory" or provider in _DATABASES:
        return INVERSE
    path = Path(local_path(layer)) if provider == "ogr" and local_path(layer) else None
    if path is None or not path.is_file():
        return NONE
    if layer.dataProvider().storageType() in _ROWS:
        return INVERSE
    return COPY if store.fits(family_of(path)) else NONE


def undo_words(layer: QgsVectorLayer, action: str, way: str) -> str:
    """What Undo does about a saved edit, and what not, for the card."""
    if way == NONE:
        return cannot_words(layer)
    if way == COPY:
        return translate(
            "QgisAgent", "Undo puts back a copy of the file as it is now; it asks when it was changed since."
        )
    said = {
        "set": translate("QgisAgent", "Undo sets the old values again; it asks where they were changed since."),
        "geometry": translate("QgisAgent", "Undo sets the old shape again; it asks when it was changed since."),
        "add": translate("QgisAgent", "Undo deletes the new features; it asks when they were changed since."),
        "delete": translate("QgisAgent", "Undo adds the deleted features again."),
    }[action]
    return " ".join([said, *remains(layer, action)])


def remains(layer: QgsVectorLayer, action: str) -> List[str]:
    """What stays different after the inverse edit: said on the card, and in the report of an undo."""
    if action == "delete" and layer.providerType() == "memory":
        return [translate("QgisAgent", "Features that are added again get new feature ids.")]
    if layer.providerType() in _DATABASES:
        return [translate("QgisAgent", "What the database itself does with an edit (triggers, other tables) stays.")]
    return []


def cannot_words(layer: QgsVectorLayer) -> str:
    """The words for an edit that nothing takes back: on the card, and in the report of an undo."""
    return translate(
        "QgisAgent",
        "The saved edit of '{}' cannot be undone: its data is too large to copy, or of a kind that has no copy.",
    ).format(clean_text(layer.name(), 60))


class FeatureKeeper:
    """Reads features as they are, on a worker thread. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, ids: Sequence[int]) -> None:
        self._source = feature_source(layer)
        self._ids = list(ids)

    def read(self, feedback: QgsFeedback) -> Optional[Dict[int, QgsFeature]]:
        """The features by id; None when they take more than MAX_KEPT_BYTES."""
        found: Dict[int, QgsFeature] = {}
        size = 0
        if not self._ids:
            return found
        for each in read_features(self._source, QgsFeatureRequest().setFilterFids(self._ids), feedback):
            size += each.geometry().constGet().wkbSize() if each.hasGeometry() else 0
            if size > MAX_KEPT_BYTES:
                return None
            found[each.id()] = QgsFeature(each)
        return found


class SavedEdit:
    """An edit that was saved: ``before`` has the features that were deleted or got another shape. See UndoItem.

    ``plan`` is what was done, ``added`` the ids that new features have got; ``renumbered(layer id, {old id: new id})`` is told
    of features that come back under other ids.
    """

    reversible = True
    after_layers = False

    def __init__(
        self,
        layer: QgsVectorLayer,
        plan: EditPlan,
        before: Dict[int, QgsFeature],
        added: Sequence[int],
        renumbered: Callable[[str, Dict[int, int]], None],
    ) -> None:
        self._of = layer
        """The object, for a layer that the same run took out of the project later is still there."""
        self._name = clean_text(layer.name(), 60)
        self._plan = plan
        self._before = before
        self._added = list(added)
        self._renumbered = renumbered
        self.key = "edit:{}:{}".format(layer.id(), next(_NUMBERS))

    def words(self) -> str:
        """See UndoItem."""
        text = {
            "set": translate("QgisAgent", "the saved values of {} features in '{}'"),
            "geometry": translate("QgisAgent", "the saved shape of {} feature in '{}'"),
            "add": translate("QgisAgent", "{} new features saved in '{}'"),
            "delete": translate("QgisAgent", "{} features deleted from '{}'"),
        }[self._plan.action]
        return text.format(self._plan.size(), self._name)

    def is_as_left(self) -> bool:
        """Whether each feature that the run changed is as the run left it, and the person has no unsaved edits there."""
        layer = self._layer()
        if layer is None:
            return True  # apply says why nothing can be done
        if layer.isModified():
            return False
        now = self._now(layer)
        if self._plan.action == "delete":
            return (
                not now or layer.providerType() == "memory"
            )  # a memory layer may have given the number to another one
        if len(now) != len(self._ids()):
            return False
        return all(self._is_left(fid, feature) for fid, feature in now.items())

    def apply(self) -> Optional[str]:
        """Make the inverse edit in one command, save it and read it back."""
        layer = self._layer()
        if layer is None:
            return translate("QgisAgent", "The layer '{}' is not in the project any more.").format(self._name)
        if layer.isModified():
            return translate("QgisAgent", "'{}' has unsaved edits: save or discard them first.").format(self._name)
        began = not layer.isEditable()
        if began and not layer.startEditing():
            return translate("QgisAgent", "QGIS cannot start editing '{}'.").format(self._name)
        total = _in_memory(layer)
        layer.beginEditCommand("Agent: undo")
        worked = self._inverse(layer)
        layer.endEditCommand()
        saved: List[QgsFeature] = []

        def came(_layer_id: str, features: Sequence[QgsFeature]) -> None:
            saved.extend(QgsFeature(each) for each in features)

        layer.committedFeaturesAdded.connect(came)
        try:
            worked = worked and layer.commitChanges(began)
        finally:
            layer.committedFeaturesAdded.disconnect(came)
        if not worked:
            why = clean_text("; ".join(layer.commitErrors()), 300) or "-"
            if layer.isEditable():
                layer.undoStack().undo()
                if began:
                    layer.rollBack()
            return translate("QgisAgent", "The data refused it: {}").format(why)
        layer.triggerRepaint()
        if not self._is_back(layer, total):
            return translate("QgisAgent", "'{}' reads back differently; look at it.").format(self._name)
        if self._plan.action == "delete":
            self._tell_new_ids(layer, saved)
        return None

    def renumber(self, layer_id: str, ids: Dict[int, int]) -> None:
        """Features of the layer have come back under other ids: this edit, an earlier one, is about those then."""
        if sip.isdeleted(self._of) or self._of.id() != layer_id:
            return
        plan = self._plan
        changes = {ids.get(fid, fid): changed for fid, changed in plan.changes.items()}
        self._plan = plan._replace(changes=changes, ids=[ids.get(each, each) for each in plan.ids])
        self._before = {ids.get(fid, fid): feature for fid, feature in self._before.items()}
        self._added = [ids.get(each, each) for each in self._added]

    def _tell_new_ids(self, layer: QgsVectorLayer, saved: Sequence[QgsFeature]) -> None:
        """Which feature is which is told by their values: of two that are the same either may be either."""
        own = layer.dataProvider().fields().count()  # joined and virtual fields come after these
        free: Dict[str, List[int]] = {}
        for each in saved:
            free.setdefault(_content(each, own), []).append(each.id())
        moved: Dict[int, int] = {}
        for fid, each in self._before.items():
            same = free.get(_content(each, own))
            if same and fid not in same:
                moved[fid] = same.pop(0)
        if moved:
            self._renumbered(layer.id(), moved)

    def discard(self) -> None:
        """What was kept is let go."""
        self._before = {}

    def _layer(self) -> Optional[QgsVectorLayer]:
        return self._of if not sip.isdeleted(self._of) and self._of.isValid() else None

    def _ids(self) -> List[int]:
        plan = self._plan
        return {"add": self._added, "set": list(plan.changes)}.get(plan.action, list(self._before))

    def _now(self, layer: QgsVectorLayer) -> Dict[int, QgsFeature]:
        ids = self._ids()
        if not ids:
            return {}
        request = QgsFeatureRequest().setFilterFids(ids)
        return {each.id(): QgsFeature(each) for each in layer.getFeatures(request)}

    def _is_left(self, fid: int, feature: QgsFeature) -> bool:
        """Whether the values and shape that the run set are still there."""
        plan = self._plan
        if plan.action == "geometry":
            return bool(feature.geometry().equals(plan.geometry))
        if plan.action == "set":
            return _has(feature, plan, fid, 1)
        addition = plan.additions[self._added.index(fid)]
        shape = addition.geometry is None or feature.geometry().equals(addition.geometry)
        return bool(shape) and all(same_value(feature.attribute(at), value) for at, value in addition.values.items())

    def _inverse(self, layer: QgsVectorLayer) -> bool:
        plan = self._plan
        if plan.action == "add":
            return all(layer.deleteFeature(each) for each in self._now(layer))
        if plan.action == "delete":
            return layer.addFeatures([self._again(layer, each) for each in self._before.values()])
        if plan.action == "geometry":
            return all(layer.changeGeometry(fid, each.geometry()) for fid, each in self._before.items())
        return all(
            layer.changeAttributeValue(fid, index, old)
            for fid, changed in plan.changes.items()
            for index, (old, _) in changed.items()
        )

    def _again(self, layer: QgsVectorLayer, feature: QgsFeature) -> QgsFeature:
        """A deleted feature to be added: with its values by name, its own key among them."""
        made = QgsFeature(layer.fields())
        names = [each.name() for each in feature.fields()]
        for index, field in enumerate(layer.fields()):
            if field.name() in names:
                made.setAttribute(index, feature.attribute(names.index(field.name())))
        made.setGeometry(feature.geometry())
        return made

    def _is_back(self, layer: QgsVectorLayer, total: int) -> bool:
        """Whether the layer has the features as they were before the run."""
        now = self._now(layer)
        if self._plan.action == "add":
            return not now
        if self._plan.action == "set":
            return len(now) == len(self._ids()) and all(_has(each, self._plan, fid, 0) for fid, each in now.items())
        if self._plan.action == "delete" and layer.providerType() == "memory":
            return _in_memory(layer) == total + len(self._before)
        return len(now) == len(self._before) and all(_equal(each, self._before[fid]) for fid, each in now.items())


def _has(feature: QgsFeature, plan: EditPlan, fid: int, which: int) -> bool:
    """Whether a feature has the old values (0) or the new ones (1) of a plan."""
    return all(same_value(feature.attribute(index), pair[which]) for index, pair in plan.changes[fid].items())


def same_value(found: Any, meant: Any) -> bool:
    """Whether a value of a feature is this one; NULL is None."""
    if found is None or QgsVariantUtils.isNull(found):
        return meant is None or QgsVariantUtils.isNull(meant)
    if isinstance(found, float) and isinstance(meant, (int, float)):
        return math.isclose(found, meant, rel_tol=1e-12)
    return bool(found == meant)


def _content(feature: QgsFeature, own: int) -> str:
    """The shape and the first values of a feature."""
    shape = feature.geometry().asWkb().data().hex() if feature.hasGeometry() else ""
    return shape + repr([None if same_value(each, None) else each for each in feature.attributes()[:own]])


def _in_memory(layer: QgsVectorLayer) -> int:
    """Features of a layer in memory, whose provider knows their number without counting; 0 for others."""
    return int(layer.dataProvider().featureCount()) if layer.providerType() == "memory" else 0


def _equal(one: QgsFeature, other: QgsFeature) -> bool:
    pairs: List[Tuple[Any, Any]] = list(zip(one.attributes(), other.attributes()))
    shapes = one.hasGeometry() == other.hasGeometry() and (
        not one.hasGeometry() or one.geometry().equals(other.geometry())
    )
    return bool(shapes) and all(same_value(mine, theirs) for mine, theirs in pairs)
