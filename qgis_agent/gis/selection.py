"""Selecting features: computed on a worker thread, applied in pieces, so that a million of them does not hold QGIS."""

from __future__ import annotations

from typing import Any, Callable, Generator, List, NamedTuple, Sequence, Set, Tuple

from qgis.core import QgsFeedback, QgsVectorLayer
from qgis.PyQt.QtCore import QTimer

from .conditions import Where
from .errors import AMBIGUOUS, UPSTREAM_ERROR, ToolError
from .features import FeatureReader
from .i18n import translate
from .layers import clean_text
from .work import Done, Step, Work

MODES = ("replace", "add", "remove", "intersect", "invert")
PIECE = 20_000
"""Features that are selected before QGIS draws and listens again: some milliseconds."""


class Selected(NamedTuple):
    """Numbers of selected features before and after, and of features that match the conditions."""

    before: int
    after: int
    matched: int


class Breath(Step):
    """Lets QGIS handle its events before the next piece."""

    def start(self, feedback: QgsFeedback, done: Done) -> None:
        """See Step."""
        QTimer.singleShot(0, lambda: done(None, None))


def select(layer: QgsVectorLayer, where: Where, mode: str) -> Generator[Step, Any, Selected]:
    """Select what matches ``where``: instead of, besides, out of, or of what is selected; "invert" changes each that matches.

    When it is stopped or fails the selection is as it was.
    """
    reader = FeatureReader(layer, where)

    def matching(feedback: QgsFeedback) -> Set[int]:
        return {feature.id() for feature in reader.read(feedback, fields=())}

    return (yield from select_found(layer, matching, mode))


def select_found(
    layer: QgsVectorLayer, find: Callable[[QgsFeedback], Set[int]], mode: str
) -> Generator[Step, Any, Selected]:
    """The same with the features that ``find`` gives, on a worker thread."""
    before = layer.selectedFeatureCount()
    present = set(layer.selectedFeatureIds()) if before else set()

    def plan(feedback: QgsFeedback) -> Tuple[int, List[List[int]], List[List[int]]]:
        matching = find(feedback)
        more, less = _changes(matching, present, mode)
        return len(matching), _pieces(less), _pieces(more)

    matched, less, more = yield Work(translate("QgisAgent", "Looking for features"), plan)
    wanted = len(present) - sum(map(len, less)) + sum(map(len, more))
    yield from _apply(layer, less, more, present)
    after = layer.selectedFeatureCount()
    if after != wanted:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "{} features should be selected, {} are.").format(wanted, after),
            hint=translate("QgisAgent", "The selection was changed meanwhile; try again."),
            reason="selection_changed",
        )
    return Selected(before, after, matched)


def clear(layer: QgsVectorLayer) -> int:
    """Select nothing; the number of features that were selected. At once, whatever their number: QGIS drops the whole set."""
    number = int(layer.selectedFeatureCount())
    layer.removeSelection()
    return number


def _changes(matching: Set[int], present: Set[int], mode: str) -> Tuple[Set[int], Set[int]]:
    """What comes to the selection and what leaves it."""
    if mode == "add":
        return matching - present, set()
    if mode == "remove":
        return set(), present & matching
    if mode == "intersect":
        return set(), present - matching
    if mode == "invert":
        return matching - present, present & matching
    return matching - present, present - matching


def _pieces(ids: Set[int]) -> List[List[int]]:
    ordered = sorted(ids)
    return [ordered[start : start + PIECE] for start in range(0, len(ordered), PIECE)]


def _apply(
    layer: QgsVectorLayer, less: Sequence[List[int]], more: Sequence[List[int]], present: Set[int]
) -> Generator[Step, Any, None]:
    done = False
    try:
        for piece in less:
            layer.deselect(piece)
            yield Breath()
        for piece in more:
            layer.select(piece)
            yield Breath()
        done = True
    finally:
        if not done:
            layer.selectByIds(list(present))


def selected_ids(layer: QgsVectorLayer) -> List[int]:
    """The selected features. AMBIGUOUS when there are none: whether all are meant, only the person knows."""
    if layer.selectedFeatureCount() == 0:
        raise ToolError(
            AMBIGUOUS,
            translate("QgisAgent", "No features of '{}' are selected.").format(clean_text(layer.name(), 60)),
            hint=translate("QgisAgent", "Ask the person: all features, or select some first."),
            reason="selection",
            options=[
                {"label": translate("QgisAgent", "All features"), "use_selection": False},
                {"label": translate("QgisAgent", "I select some first")},
            ],
        )
    return list(layer.selectedFeatureIds())
