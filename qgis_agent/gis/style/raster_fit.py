"""Whether a look fits the cells of a raster: limits that the values lie outside of, classes that none of them has.

A look comes from another layer, or with limits that somebody gave. QGIS draws the raster by it all the same, in one colour.
What is found is said, and nothing is refused. Cells are read on a worker thread, of large rasters a sample.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from qgis.core import QgsFeedback, QgsRasterLayer

from ..errors import CANCELLED, ToolError
from ..i18n import translate
from ..raster_cells import CellReader
from .merge import Document
from .raster_document import prepared

MOST_CELLS = 4_000_000
_MUCH_OUTSIDE = 0.5
_LITTLE_CONTRAST = 0.1
"""A part of the limits: less of it than this filled by values can hardly be told apart by colour."""
_LIMITS = frozenset(("type", "band", "bands", "min", "max", "stretch", "interpolation", "classes", "clip"))


class Tally(NamedTuple):
    """Valid cells of a band, their lowest and highest value, and how many lie before, between and after some edges."""

    valid: int
    low: float
    high: float
    counts: Any


class FitReader:
    """Compares a look (the ``renderer`` part of a document) with the cells of a layer. Made on the main thread."""

    def __init__(self, look: Document, layer: QgsRasterLayer, name: str, known: Sequence[str] = ()) -> None:
        self._look = look
        self._known = list(known)
        self._cells = CellReader(layer, name)

    def read(self, feedback: QgsFeedback) -> List[str]:
        """What a person must know of it. On a worker thread."""
        notes = list(self._known)
        try:
            for band, look in _bands(self._look):
                notes.extend(self._band(band, look, feedback))
        except ToolError as error:
            if error.envelope["code"] == CANCELLED:
                raise
            notes.append(str(error))
        return notes

    def _band(self, band: int, look: Document, feedback: QgsFeedback) -> List[str]:
        key = "upper" if look.get("interpolation") == "exact" else "value"
        values = sorted(float(each[key]) for each in look.get("classes", {}).values() if each.get(key) is not None)
        if values:
            edges = [edge for each in values for edge in (each, np.nextafter(each, np.inf))]
            tally = self._tally(band, edges, "right", feedback)
            return _values_note(band, tally, int(tally.counts[1::2].sum()))
        uppers = [each.get("upper") for each in in_class_order(look)]
        if look.get("interpolation") == "discrete":
            return self._classes(band, uppers, feedback)
        limits = [each for each in uppers if each is not None] or [look.get("min"), look.get("max")]
        if limits[0] is None or limits[-1] is None:
            return []
        low, high = float(limits[0]), float(limits[-1])
        return limits_notes(band, low, high, self._tally(band, _inside(low, high), "right", feedback))

    def _classes(self, band: int, uppers: Sequence[Optional[float]], feedback: QgsFeedback) -> List[str]:
        edges = [float(each) for each in uppers if each is not None]
        tally = self._tally(band, edges, "left", feedback)
        if not tally.valid:
            return []
        drawn = tally.counts[: len(uppers)]
        notes = _values_note(band, tally, int(drawn.sum()))
        if not notes and len(uppers) > 1 and int((drawn > 0).sum()) == 1:
            notes.append(
                translate("QgisAgent", "All cells of band {} ({} to {}) fall into one of the {} classes.").format(
                    band, *_texts(tally.low, tally.high), len(uppers)
                )
            )
        return notes

    def _tally(self, band: int, edges: Sequence[float], side: Any, feedback: QgsFeedback) -> Tally:
        return tally(self._cells, band, edges, side, feedback)


def tally(cells: CellReader, band: int, edges: Sequence[float], side: Any, feedback: QgsFeedback) -> Tally:
    """Counts of the cells by ascending ``edges``; ``side`` as numpy has it. On a worker thread."""
    valid, low, high = 0, np.inf, -np.inf
    counts = np.zeros(len(edges) + 1, dtype=np.int64)
    for strip in cells.strips(band, feedback, cells.size(exact=MOST_CELLS)):
        values = strip.values[strip.valid]
        if len(values):
            valid, low, high = valid + len(values), min(low, values.min()), max(high, values.max())
            counts += np.bincount(np.searchsorted(edges, values, side), minlength=len(counts))
    return Tally(valid, float(low), float(high), counts)


def check_limits(cells: CellReader, band: int, low: float, high: float, feedback: QgsFeedback) -> List[str]:
    """What is to be said of limits that somebody gave. On a worker thread."""
    return limits_notes(band, low, high, tally(cells, band, _inside(low, high), "right", feedback))


def limits_notes(band: int, low: float, high: float, found: Tally) -> List[str]:
    """``found`` counts the cells below, within and above the limits."""
    if not found.valid:
        return []
    texts = (*_texts(low, high), *_texts(found.low, found.high))
    outside = 1 - int(found.counts[1]) / found.valid
    if outside == 1:
        return [
            translate(
                "QgisAgent",
                "No cell of band {} lies within the limits {} to {}: the values go from {} to {}, so no difference is seen.",
            ).format(band, *texts)
        ]
    if outside > _MUCH_OUTSIDE:
        return [
            translate(
                "QgisAgent",
                "{:.0f} % of the cells of band {} lie outside of the limits {} to {} (the values go from {} to {}).",
            ).format(100 * outside, band, *texts)
        ]
    if found.high > found.low and found.high - found.low < _LITTLE_CONTRAST * (high - low):
        return [
            translate(
                "QgisAgent",
                "The limits of band {}, {} to {}, are wide for values from {} to {}: there is little contrast.",
            ).format(band, *texts)
        ]
    return []


def fit_of_patch(layer: Any, patch: Mapping[str, Any], name: str) -> Optional[FitReader]:
    """A reader where a patch of the style document gives a raster other limits, classes or bands; None where it does not."""
    part = patch.get("renderer")
    if not isinstance(layer, QgsRasterLayer) or not isinstance(part, dict) or not _LIMITS & part.keys():
        return None
    classes = part.get("classes", {})
    if not isinstance(classes, dict) or not all(each is None or isinstance(each, dict) for each in classes.values()):
        return None  # refused where the patch is applied
    return fit_of(prepared(layer, part), layer, name)


def fit_of(look: Document, layer: QgsRasterLayer, name: str, known: Sequence[str] = ()) -> Optional[FitReader]:
    """A reader that says what is ``known`` as well; None for a look without limits, and for a layer without cells."""
    if layer.providerType() != "gdal" or not (_bands(look) or known):
        return None
    return FitReader(look, layer, name, known)


def bands_note(before: Document, after: Document) -> List[str]:
    """Said where a picture of three bands becomes one of a single band."""
    if before.get("type") != "multiband" or after.get("type") in ("multiband", "none", "other"):
        return []
    shown = ", ".join(str(each) for each in before.get("bands", []))
    return [
        translate("QgisAgent", "It was drawn by the bands {}, and is by band {} now.").format(shown, after.get("band"))
    ]


def in_class_order(look: Document) -> List[Dict[str, Any]]:
    """The classes as they are drawn."""
    return sorted(look.get("classes", {}).values(), key=lambda each: each.get("order", 0))


def _bands(look: Document) -> List[Tuple[int, Document]]:
    """Band and what it is drawn by, for the kinds of renderers that have limits or classes."""
    kind = look.get("type")
    if kind in ("pseudocolor", "paletted"):
        return [(int(look.get("band", 1)), look)]
    stretch = look.get("stretch", {})
    if kind == "gray" and _stretches(stretch):
        return [(int(look.get("band", 1)), stretch)]
    if kind == "multiband":
        pairs = zip(look.get("bands", []), (stretch.get(each, {}) for each in ("red", "green", "blue")))
        return [(int(band), each) for band, each in pairs if band and _stretches(each)]
    return []


def _stretches(stretch: Document) -> bool:
    return stretch.get("algorithm", "stretch") != "none" and "min" in stretch and "max" in stretch


def _inside(low: float, high: float) -> List[float]:
    return [low, float(np.nextafter(high, np.inf))]


def _values_note(band: int, found: Tally, drawn: int) -> List[str]:
    if not found.valid or drawn == found.valid:
        return []
    share = 100 * (1 - drawn / found.valid)
    return [
        translate(
            "QgisAgent", "{:.1f} % of the cells of band {} are drawn by no class (values go from {} to {})."
        ).format(share, band, *_texts(found.low, found.high))
    ]


def _texts(*values: float) -> Tuple[str, ...]:
    return tuple("{:.6g}".format(each) for each in values)
