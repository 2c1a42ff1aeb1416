"""What an edit would change, feature by feature: read on a worker thread, shown, and read again before it is carried out."""

from __future__ import annotations

import hashlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import (
    QgsExpression,
    QgsFeature,
    QgsFeedback,
    QgsField,
    QgsFieldConstraints,
    QgsGeometry,
    QgsVariantUtils,
    QgsVectorLayer,
)

from ..analysis.formulas.formula import formula_context
from ..conditions import Where
from ..errors import INVALID_PARAM, ToolError
from ..features import FeatureReader, count_matching, feature_source, json_value
from ..i18n import translate
from ..layers import clean_text
from ..scope import hidden_fields, seen_fields
from .allowed import MAX_FEATURES, has_constraint, require_own_field, too_many
from .fitting import fitted, storage_of

MAX_SHOWN = 20
Changes = Dict[int, Dict[int, Tuple[Any, Any]]]
"""Feature id -> field -> (old value, new value)."""


class Assignment(NamedTuple):
    """A field's new value: a literal, or a formula that was checked ("" for none)."""

    index: int
    value: Any
    formula: str


class Addition(NamedTuple):
    """A new feature: its shape (None for none) and the values of some fields by position."""

    geometry: Optional[QgsGeometry]
    values: Dict[int, Any]


class EditPlan(NamedTuple):
    """``total``: features of the layer before. ``matched``: features that were chosen; ``rows``: (feature, effect) of the
    first ones, for people. ``digest`` is another one when the data is another one."""

    action: str
    total: int
    matched: int
    changes: Changes
    ids: Sequence[int]
    geometry: Optional[QgsGeometry]
    additions: Sequence[Addition]
    rows: List[List[str]]
    digest: str

    def size(self) -> int:
        """Features that are changed, removed or added."""
        if self.action == "add":
            return len(self.additions)
        return len(self.changes) if self.action == "set" else len(self.ids)


class PlanReader:
    """Makes the plan on a worker thread; itself made on the main thread."""

    def __init__(
        self,
        layer: QgsVectorLayer,
        action: str,
        where: Where,
        ids: Optional[Sequence[int]],
        assignments: Sequence[Assignment] = (),
        additions: Sequence[Addition] = (),
        geometry: Optional[QgsGeometry] = None,
    ) -> None:
        self._action = action
        self._reader = FeatureReader(layer, where, ids)
        self._all = feature_source(layer)
        self._everything = FeatureReader(layer, ())
        self._fields: List[QgsField] = [layer.fields().at(each) for each in range(layer.fields().count())]
        self._names = [each.name() for each in self._fields]
        self._storage = storage_of(layer)
        self._assignments = list(assignments)
        self._additions = list(additions)
        self._geometry = geometry
        self._context = formula_context(layer)
        kinds = QgsFieldConstraints.Constraint
        count = range(len(self._fields))
        self._filled = {each for each in count if has_constraint(layer, each, kinds.ConstraintNotNull)}
        self._unique = {each for each in count if has_constraint(layer, each, kinds.ConstraintUnique)}
        self._keys = set(layer.primaryKeyAttributes())
        self._label = _label_field(layer)
        self._hidden = hidden_fields(layer)

    def read(self, feedback: QgsFeedback) -> EditPlan:
        """INVALID_PARAM when a value does not fit, or more than MAX_FEATURES would change."""
        total = count_matching(self._all, "", feedback)
        if self._action == "set":
            return self._set(feedback, total)
        if self._action == "add":
            return self._add(feedback, total)
        return self._whole_features(feedback, total)

    def _set(self, feedback: QgsFeedback, total: int) -> EditPlan:
        formulas = {each.index: QgsExpression(each.formula) for each in self._assignments if each.formula}
        for each in formulas.values():
            each.prepare(self._context)
        needs = any(each.needsGeometry() for each in formulas.values())
        changes: Changes = {}
        rows: List[List[str]] = []
        matched = 0
        for feature in self._reader.read(feedback, geometry=needs):
            matched += 1
            changed = self._changed(feature, formulas)
            if not changed:
                continue
            changes[feature.id()] = changed
            if len(changes) > MAX_FEATURES:
                raise too_many(len(changes))
            if len(rows) < MAX_SHOWN:
                rows.append([self._named(feature), self._shown(changed)])
        self._check_unique(feedback, changes)
        digest = _digest([total, matched], ((fid, changes[fid]) for fid in sorted(changes)))
        return EditPlan("set", total, matched, changes, list(changes), None, (), rows, digest)

    def _changed(self, feature: QgsFeature, formulas: Dict[int, QgsExpression]) -> Dict[int, Tuple[Any, Any]]:
        found: Dict[int, Tuple[Any, Any]] = {}
        for each in self._assignments:
            value = each.value
            if each.formula:
                self._context.setFeature(feature)
                value = formulas[each.index].evaluate(self._context)
                if formulas[each.index].hasEvalError():
                    why = clean_text(formulas[each.index].evalErrorString(), 160)
                    raise self._misfit(each.index, value, why, feature)
            old = _plain(feature.attribute(each.index))
            new = self._fitting(each.index, value, feature)
            if old != new or type(old) is not type(new):
                found[each.index] = (old, new)
        return found

    def _fitting(self, index: int, value: Any, feature: Optional[QgsFeature]) -> Any:
        new, why = fitted(self._fields[index], value, self._storage)
        if not why and new is None and index in self._filled:
            why = translate("QgisAgent", "the field must not be empty")
        if why:
            raise self._misfit(index, value, why, feature)
        return new

    def _misfit(self, index: int, value: Any, why: str, feature: Optional[QgsFeature]) -> ToolError:
        place = "" if feature is None else translate("QgisAgent", " (feature {})").format(self._named(feature))
        return ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The value {} does not fit the field '{}'{}: {}.").format(
                _words(value), clean_text(self._names[index], 60), place, why
            ),
            hint=translate("QgisAgent", "Give a value that fits, or make a new field with calculate_field."),
            reason="value",
        )

    def _check_unique(self, feedback: QgsFeedback, changes: Changes) -> None:
        for index in self._unique & {each.index for each in self._assignments}:
            seen = set()
            for feature in self._everything.read(feedback, fields=[self._names[index]]):
                pair = changes.get(feature.id(), {}).get(index)
                self._see(index, pair[1] if pair else _plain(feature.attribute(index)), seen)

    def _see(self, index: int, value: Any, seen: Any) -> None:
        if value is None:
            return
        if value in seen:
            raise self._misfit(index, value, translate("QgisAgent", "each value may stand there once only"), None)
        seen.add(value)

    def _add(self, feedback: QgsFeedback, total: int) -> EditPlan:
        rows, additions = [], []
        for number, each in enumerate(self._additions, 1):
            values = {index: self._fitting(index, value, None) for index, value in each.values.items()}
            for index in self._filled - set(values) - self._keys:
                self._fitting(index, None, None)
            additions.append(Addition(each.geometry, values))
            text = "; ".join("{}: {}".format(self._names[index], _words(value)) for index, value in values.items())
            shape = "" if each.geometry is None else clean_text(each.geometry.asWkt(3), 60)
            rows.append([translate("QgisAgent", "New {}").format(number), "; ".join(filter(None, (text, shape)))])
        for index in self._unique - self._keys:
            new = [each.values.get(index) for each in additions]
            if any(each is not None for each in new):
                seen: Any = set()
                for feature in self._everything.read(feedback, fields=[self._names[index]]):
                    seen.add(_plain(feature.attribute(index)))
                for value in new:
                    self._see(index, value, seen)
        return EditPlan("add", total, 0, {}, (), None, additions, rows[:MAX_SHOWN], _digest([total], ()))

    def _whole_features(self, feedback: QgsFeedback, total: int) -> EditPlan:
        ids: List[int] = []
        rows: List[List[str]] = []
        parts = []
        for feature in self._reader.read(feedback, geometry=True):
            ids.append(feature.id())
            if len(ids) > MAX_FEATURES:
                raise too_many(len(ids))
            old = [_words(_plain(each)) for each in feature.attributes()]
            parts.append((feature.id(), [*old, feature.geometry().asWkb().data()]))
            if len(rows) < MAX_SHOWN:
                shown = [pair for pair in zip(self._names, old) if pair[0] not in self._hidden]
                pairs = ("{}: {}".format(name, value) for name, value in shown)
                before = feature.geometry().asWkt(3) if self._action == "geometry" else "; ".join(pairs)
                rows.append([self._named(feature), clean_text(before, 200)])
        if self._action == "geometry" and self._geometry is not None:
            rows = [[each[0], "{} → {}".format(each[1], clean_text(self._geometry.asWkt(3), 200))] for each in rows]
        digest = _digest([total, len(ids)], parts)
        return EditPlan(self._action, total, len(ids), {}, ids, self._geometry, (), rows, digest)

    def _named(self, feature: QgsFeature) -> str:
        label = "" if self._label < 0 else _plain(feature.attribute(self._label))
        return "#{}{}".format(feature.id(), " " + clean_text(str(label), 40) if label else "")

    def _shown(self, changed: Dict[int, Tuple[Any, Any]]) -> str:
        parts = (
            "{}: {} → {}".format(clean_text(self._names[index], 60), _words(old), _words(new))
            for index, (old, new) in changed.items()
        )
        return "; ".join(parts)


def emptied(plan: EditPlan) -> int:
    """Values that were there and become NULL."""
    return sum(new is None and old is not None for each in plan.changes.values() for old, new in each.values())


def assignments_of(layer: QgsVectorLayer, given: Sequence[Dict[str, Any]], checked: Any) -> List[Assignment]:
    """Assignments by name as they are carried out. ``checked(text)`` gives a formula that may be used, or raises."""
    found: List[Assignment] = []
    for each in given:
        index = require_own_field(layer, each["field"])
        ways = [each.get("value") is not None, bool(each.get("formula")), bool(each.get("to_null"))]
        if sum(ways) != 1 or any(index == other.index for other in found):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The field '{}' needs one new value.").format(each["field"]),
                hint=translate("QgisAgent", "Give value, formula or to_null: true, and each field once."),
                reason="values",
            )
        found.append(Assignment(index, each.get("value"), checked(each["formula"]) if ways[1] else ""))
    return found


def _label_field(layer: QgsVectorLayer) -> int:
    """The field whose value names a feature for people: the first text; -1 without one."""
    names = [each.name() for each in seen_fields(layer) if each.typeName().lower() in ("string", "text")]
    return int(layer.fields().indexOf(names[0])) if names else -1


def _plain(value: Any) -> Any:
    return None if value is None or QgsVariantUtils.isNull(value) else value


def _words(value: Any) -> str:
    shown = json_value(value, 60)
    return "NULL" if shown is None else "'{}'".format(shown) if isinstance(value, str) else str(shown)


def _digest(head: Sequence[Any], parts: Any) -> str:
    made = hashlib.sha256(repr(list(head)).encode())
    for each in _texts(parts):
        made.update(each.encode("utf-8", "replace"))
    return made.hexdigest()


def _texts(parts: Any) -> Iterator[str]:
    for each in parts:
        yield repr(each)
