"""Carrying out an edit: in the layer's edit buffer under one name, in pieces, read back; saved only when it was asked for.

The person's own unsaved edits are never saved or discarded: the edit joins them as one command that Ctrl+Z takes back.
"""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional, Sequence, Tuple

from qgis.core import (
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsVariantUtils,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)
from qgis.PyQt import sip

from ..call import Call
from ..errors import CONFIRM_REQUIRED, UPSTREAM_ERROR, ToolError
from ..features import count_matching, feature_source, read_features
from ..i18n import translate
from ..layers import clean_text
from ..main_thread import BeforeHold
from ..selection import Breath
from ..work import Answer, Step, Work
from ..writing.state import layer_state
from .plan import Addition, EditPlan, PlanReader, emptied
from .undoing import EditUndo

PIECE_S = 0.02
"""So long the main thread is held at once."""
Steps = Generator[Step, Any, Answer]
Expected = Dict[int, Dict[int, Any]]


class EditJob:
    """An edit as it was shown. ``reader`` makes the plan anew, on a layer as it is then."""

    def __init__(
        self,
        layer: QgsVectorLayer,
        alias: str,
        reader: Callable[[], PlanReader],
        plan: EditPlan,
        undo: Optional[EditUndo],
    ) -> None:
        """``undo``: how the edit is taken back that is saved at once; None for one that stays in the edit buffer."""
        self._layer = layer
        self._alias = alias
        self._reader = reader
        self._plan = plan
        self._undo = undo
        self._save = undo is not None
        self._added: List[int] = []

    def state(self) -> str:
        """See ``layer_state``."""
        return layer_state(self._layer)

    def run(self, call: Call) -> Steps:
        """Look again, change, read back, and save where it was asked for. On failure everything is as before."""
        plan = yield Work(translate("QgisAgent", "Looking whether it is still as shown"), self._reader().read)
        if plan.digest != self._plan.digest:
            raise ToolError(
                CONFIRM_REQUIRED,
                translate("QgisAgent", "What was shown has changed since."),
                hint=translate("QgisAgent", "Prepare the edit again; the person then sees the present values."),
                reason="state_changed",
            )
        if self._undo is None:
            yield from self._change(plan, self._start())
        else:
            yield from self._undo.before_change()
            try:
                began = self._start()
                yield from self._change(plan, began)
                yield from self._about_to_save(began)
            except BaseException:
                self._undo.not_saved()
                raise
            yield from self._commit(call, self._undo, plan, began)
        return self._answer(call, plan)

    def _about_to_save(self, began: bool) -> Generator[Step, Any, None]:
        """The last moment to stop: the buffer is then as it was."""
        try:
            yield BeforeHold()
        except BaseException:
            self._empty_buffer(began)
            raise

    def _empty_buffer(self, began: bool) -> None:
        layer = self._layer
        if not sip.isdeleted(layer) and layer.isEditable():
            layer.undoStack().undo()
            if began:
                layer.rollBack()

    def _start(self) -> bool:
        """Begin to edit; whether the layer was not edited before."""
        began = not self._layer.isEditable()
        if began and not self._layer.startEditing():
            raise _not_done(translate("QgisAgent", "QGIS cannot start editing the layer."))
        return began

    def _change(self, plan: EditPlan, began: bool) -> Generator[Step, Any, None]:
        layer, done = self._layer, False
        layer.beginEditCommand("Agent: {}".format(plan.action))
        try:
            until = time.monotonic() + PIECE_S
            for worked in self._operations(plan):
                if not worked:
                    raise _not_done(translate("QgisAgent", "QGIS did not take a change."))
                if time.monotonic() > until:
                    yield Breath()
                    until = time.monotonic() + PIECE_S
            check = _Check(layer, plan, self._expected(plan))
            yield Work(translate("QgisAgent", "Reading back"), check.read)
            done = True
        finally:
            if not sip.isdeleted(layer) and layer.isEditable():
                if done:
                    layer.endEditCommand()
                else:
                    layer.destroyEditCommand()
                    if began:
                        layer.rollBack()

    def _operations(self, plan: EditPlan) -> Iterator[bool]:
        layer = self._layer
        for fid, changed in plan.changes.items():
            for index, (old, new) in changed.items():
                yield layer.changeAttributeValue(fid, index, new, old)
        if plan.action == "geometry":
            for fid in plan.ids:
                yield layer.changeGeometry(fid, plan.geometry)
        if plan.action == "delete":
            for fid in plan.ids:
                yield layer.deleteFeature(fid)
        self._added = []
        for each in plan.additions:
            feature = self._feature(each)
            yield layer.addFeature(feature)
            self._added.append(feature.id())
        layer.triggerRepaint()

    def _feature(self, addition: Addition) -> QgsFeature:
        layer = self._layer
        feature = QgsFeature(layer.fields())
        for index in layer.primaryKeyAttributes():
            clause = layer.dataProvider().defaultValueClause(index)
            if clause:
                feature.setAttribute(index, clause)  # the provider gives the key when it is saved
        for index, value in addition.values.items():
            feature.setAttribute(index, value)
        if addition.geometry is not None:
            feature.setGeometry(addition.geometry)
        return feature

    def _expected(self, plan: EditPlan) -> Expected:
        if plan.action == "add":
            return {fid: dict(each.values) for fid, each in zip(self._added, plan.additions)}
        return {fid: {index: new for index, (_, new) in each.items()} for fid, each in plan.changes.items()}

    def _commit(self, call: Call, undo: EditUndo, plan: EditPlan, began: bool) -> Generator[Step, Any, None]:
        layer = self._layer
        saved: List[int] = []

        def added(_layer_id: str, features: Sequence[QgsFeature]) -> None:
            saved.extend(each.id() for each in features)

        layer.committedFeaturesAdded.connect(added)
        try:
            worked = layer.commitChanges(began)
        finally:
            layer.committedFeaturesAdded.disconnect(added)
        if not worked:
            yield from self._take_back(call, undo, plan, began, clean_text("; ".join(layer.commitErrors()), 300))
        if plan.action == "add":
            self._added = saved
        undo.saved(call, plan, self._added)
        check = _Check(layer, plan, self._expected(plan))
        yield Work(translate("QgisAgent", "Reading back"), check.read)

    def _take_back(
        self, call: Call, undo: EditUndo, plan: EditPlan, began: bool, why: str
    ) -> Generator[Step, Any, None]:
        """The data refused the edit: the buffer is emptied of it, and the data looked at."""
        self._empty_buffer(began)
        now = yield Work(translate("QgisAgent", "Reading back"), self._reader().read)
        if now.digest == plan.digest:
            undo.not_saved()
            raise _not_done(translate("QgisAgent", "the data refused it and is as before: {}").format(why or "-"))
        undo.partly_saved(call)
        raise _not_done(
            translate("QgisAgent", "the data refused a part of it; the rest is saved: {}").format(why or "-")
        )

    def _answer(self, call: Call, plan: EditPlan) -> Answer:
        call.acted("edit", layer_id=self._alias, action=plan.action, features=plan.size(), saved=self._save)
        words = translate("QgisAgent", "{} features, {}").format(plan.size(), plan.action)
        call.add_evidence(self._alias, words)
        data: Dict[str, Any] = {
            "written": True,
            "layer_id": self._alias,
            "action": plan.action,
            "feature_count": plan.size(),
            "matched": plan.matched,
            "unchanged": plan.matched - plan.size() if plan.action == "set" else 0,
            "layer_feature_count": plan.total + _growth(plan),
            "saved": self._save,
            "reversible": not self._save,
        }
        if emptied(plan):
            data["became_null"] = emptied(plan)
        if self._save:
            return Answer(data, translate("QgisAgent", "Changed, saved and read back."))
        return Answer(
            data,
            translate(
                "QgisAgent", "Changed and read back, not saved: the layer is in edit mode; Ctrl+Z takes it back."
            ),
        )


class _Check:
    """Compares the layer with what was meant, on a worker thread. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, plan: EditPlan, expected: Expected) -> None:
        self._source = feature_source(layer)
        self._plan = plan
        self._expected = expected

    def read(self, feedback: QgsFeedback) -> None:
        """UPSTREAM_ERROR when the layer does not hold what was meant."""
        plan = self._plan
        total = count_matching(self._source, "", feedback)
        if total != plan.total + _growth(plan):
            text = translate("QgisAgent", "the layer has {} features, not {}")
            raise _not_done(text.format(total, plan.total + _growth(plan)))
        wanted = plan.ids if plan.action == "geometry" else list(self._expected)
        if plan.action == "delete" or not wanted:
            return
        found = 0
        for feature in _by_id(self._source, wanted, feedback):
            found += 1
            for index, new in self._expected.get(feature.id(), {}).items():
                if not _same(feature.attribute(index), new):
                    raise _not_done(translate("QgisAgent", "feature {} has another value").format(feature.id()))
            if plan.geometry is not None and not feature.geometry().equals(plan.geometry):
                raise _not_done(translate("QgisAgent", "feature {} has another geometry").format(feature.id()))
        if found != len(wanted):
            raise _not_done(translate("QgisAgent", "{} of {} features are there").format(found, len(wanted)))


def _by_id(source: QgsVectorLayerFeatureSource, ids: Sequence[int], feedback: QgsFeedback) -> Any:
    return read_features(source, QgsFeatureRequest().setFilterFids(list(ids)), feedback)


def _same(found: Any, meant: Any) -> bool:
    if found is None or QgsVariantUtils.isNull(found):
        return meant is None
    if isinstance(found, float) and isinstance(meant, (int, float)):
        return math.isclose(found, meant, rel_tol=1e-12)
    return bool(found == meant)


def _growth(plan: EditPlan) -> int:
    return {"add": len(plan.additions), "delete": -len(plan.ids)}.get(plan.action, 0)


def _not_done(why: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The edit was not made: {}").format(why),
        hint=translate("QgisAgent", "Look at the layer (describe_layer) and try it with fewer features."),
        reason="edit_failed",
    )


def shown_lines(plan: EditPlan) -> List[Tuple[str, str]]:
    """The preview's lines: how many features, and the first of them with old and new values."""
    head = {
        "set": translate("QgisAgent", "Features that change"),
        "delete": translate("QgisAgent", "Features that are deleted"),
        "add": translate("QgisAgent", "New features"),
        "geometry": translate("QgisAgent", "Features that get a new shape"),
    }[plan.action]
    size = str(plan.size())
    if plan.size() > len(plan.rows):
        size += " " + translate("QgisAgent", "(the first {} are shown)").format(len(plan.rows))
    lines = [(head, size)]
    if plan.action == "set" and plan.matched > plan.size():
        lines.append((translate("QgisAgent", "Have these values already"), str(plan.matched - plan.size())))
    if emptied(plan):
        lines.append((translate("QgisAgent", "Values that become NULL"), str(emptied(plan))))
    return lines + [(label, text) for label, text in plan.rows]
