"""Palettes by id: a fixed list, so that a model chooses a name and never a colour table.

The colours are ColorBrewer's own for each number of classes, as QGIS ships them, and matplotlib's viridis.
"""

from __future__ import annotations

import colorsys
from typing import List, Sequence, Tuple

from qgis.core import QgsColorBrewerPalette, QgsColorRamp, QgsGradientColorRamp, QgsGradientStop
from qgis.PyQt.QtGui import QColor

SEQUENTIAL = ("OrRd", "Blues", "Greens", "Reds", "Purples", "YlOrRd", "YlGnBu", "Viridis")
DIVERGING = ("Spectral", "RdYlGn")
QUALITATIVE = ("Set2", "Paired")
PALETTES = SEQUENTIAL + DIVERGING + QUALITATIVE
DEFAULT_GRADUATED = "OrRd"
RESULT_COLORS = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#4c78a8")
"""Colours of layers that tools add, in turn (ColorBrewer Dark2 and a blue in place of its grey)."""

_VIRIDIS = (
    "#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725",
)  # fmt: skip
_SHADES = (0.0, -0.16, 0.14, -0.28, 0.22, -0.38, 0.07, -0.08)
"""Changes of lightness for one turn after another through a qualitative palette that is too short."""


def default_categorized(count: int) -> str:
    """The palette of categories when none is asked for: Set2 has 8 colours, Paired 12."""
    return "Set2" if count <= 8 else "Paired"


def colors(palette: str, count: int, reverse: bool = False) -> List[str]:
    """``count`` colours of a palette as "#rrggbb", all different up to 64. KeyError for an unknown palette."""
    if palette not in PALETTES:
        raise KeyError(palette)
    if palette in QUALITATIVE:
        found = _qualitative(palette, count)
    else:
        found = _ordered(palette, count)
    return found[::-1] if reverse else found


def color_ramp(palette: str, reverse: bool = False) -> QgsColorRamp:
    """The palette as a ramp, which QGIS's own style panel shows and uses when the person classifies again."""
    anchors = colors(palette, _longest(palette), reverse)
    last = len(anchors) - 1
    stops = [QgsGradientStop(index / last, QColor(each)) for index, each in enumerate(anchors[1:-1], 1)]
    return QgsGradientColorRamp(QColor(anchors[0]), QColor(anchors[-1]), False, stops)


def palette_of(found: Sequence[str]) -> Tuple[str, bool]:
    """The palette and its direction that give exactly these colours; ("", False) when none does."""
    if len(found) >= 2:
        for palette in PALETTES:
            for reverse in (False, True):
                if colors(palette, len(found), reverse) == list(found):
                    return palette, reverse
    return "", False


def _ordered(palette: str, count: int) -> List[str]:
    if palette == "Viridis":
        return _sampled(_VIRIDIS, count)
    if count < 3:
        three = _brewer(palette, 3)
        return [three[1]] if count == 1 else [three[0], three[2]]
    longest = _longest(palette)
    return _brewer(palette, count) if count <= longest else _sampled(_brewer(palette, longest), count)


def _qualitative(palette: str, count: int) -> List[str]:
    longest = _longest(palette)
    anchors = _brewer(palette, max(3, min(count, longest)))
    return [
        _shade(anchors[index % len(anchors)], _SHADES[index // len(anchors) % len(_SHADES)]) for index in range(count)
    ]


def _longest(palette: str) -> int:
    if palette == "Viridis":
        return len(_VIRIDIS)
    return int(max(QgsColorBrewerPalette.listSchemeVariants(palette)))


def _brewer(palette: str, count: int) -> List[str]:
    return [each.name() for each in QgsColorBrewerPalette.listSchemeColors(palette, count)]


def _sampled(anchors: Sequence[str], count: int) -> List[str]:
    if count == 1:
        return [anchors[len(anchors) // 2]]
    return [_between(anchors, index / (count - 1)) for index in range(count)]


def _between(anchors: Sequence[str], position: float) -> str:
    place = position * (len(anchors) - 1)
    left = min(int(place), len(anchors) - 2)
    part = place - left
    mixed = [low + (high - low) * part for low, high in zip(_rgb(anchors[left]), _rgb(anchors[left + 1]))]
    return _hex(mixed)


def _shade(color: str, change: float) -> str:
    if not change:
        return color
    hue, light, saturation = colorsys.rgb_to_hls(*(each / 255 for each in _rgb(color)))
    return _hex([each * 255 for each in colorsys.hls_to_rgb(hue, min(0.95, max(0.08, light + change)), saturation)])


def _rgb(color: str) -> Tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _hex(parts: Sequence[float]) -> str:
    return "#" + "".join("{:02x}".format(round(min(255.0, max(0.0, each)))) for each in parts)
