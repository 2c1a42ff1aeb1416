"""Palettes by id: a fixed list, so that a model chooses a name and never a colour table.

The colours are ColorBrewer's own for each number of classes, as QGIS ships them, matplotlib's viridis family, and the
eight of Okabe and Ito. Which of them people with a colour vision deficiency tell apart is what their makers publish.
"""

from __future__ import annotations

import colorsys
from functools import lru_cache
from typing import Dict, List, Sequence, Tuple

from qgis.core import QgsColorBrewerPalette, QgsColorRamp, QgsGradientColorRamp, QgsGradientStop
from qgis.PyQt.QtGui import QColor

from ..i18n import translate

SEQUENTIAL = (
    "OrRd", "Blues", "Greens", "Reds", "Purples", "Oranges", "Greys", "YlOrRd", "YlOrBr", "YlGnBu", "Viridis", "Cividis",
    "Magma", "Plasma", "Inferno",
)  # fmt: skip
DIVERGING = ("RdBu", "RdYlBu", "BrBG", "PuOr", "PRGn", "Spectral", "RdYlGn")
QUALITATIVE = ("OkabeIto", "Set2", "Dark2", "Paired", "Set1", "Set3")
PALETTES = SEQUENTIAL + DIVERGING + QUALITATIVE
DEFAULT_GRADUATED = "OrRd"
DEFAULT_HEATMAP = "YlOrRd"
RESULT_COLORS = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#4c78a8")
"""Colours of layers that tools add, in turn (ColorBrewer Dark2 and a blue in place of its grey)."""
NEUTRAL = "#9c9ea0"
"""Features without a value, and all other values: no colour of a palette, so that it is not read as a class of its own."""

_FIXED: Dict[str, Tuple[str, ...]] = {
    "Viridis": (
        "#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725",
    ),
    "Cividis": (
        "#00204d", "#00336f", "#39486b", "#575c6d", "#717174", "#8a8779", "#a79e75", "#c5b56c", "#e5d05a", "#ffea46",
    ),
    "Magma": (
        "#000004", "#180f3e", "#450f76", "#721f81", "#9e2f7f", "#cd3f71", "#f1605d", "#fd9567", "#fec98d", "#fcfdbf",
    ),
    "Plasma": (
        "#0d0887", "#46039f", "#7300a8", "#9c179e", "#bd3785", "#d7576c", "#ed7953", "#fa9f3b", "#fdc926", "#f0f921",
    ),
    "Inferno": (
        "#000004", "#1b0c41", "#4c0c6b", "#781c6d", "#a52d60", "#ce4446", "#ed6925", "#fb9a07", "#f7d03c", "#fcffa4",
    ),
    "OkabeIto": ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"),
}  # fmt: skip
_SAFE_UP_TO = {"OkabeIto": 8, "Set2": 3, "Dark2": 3, "Paired": 4}
"""Most classes of a qualitative palette that its makers call safe (ColorBrewer: "blind" 1)."""
_SAFE_DIVERGING = ("RdBu", "RdYlBu", "BrBG", "PuOr", "PRGn")
_SHADES = (0.0, -0.16, 0.14, -0.28, 0.22, -0.38, 0.07, -0.08)
"""Changes of lightness for one turn after another through a qualitative palette that is too short."""


def default_categorized(count: int) -> str:
    """The palette of categories when none is asked for: eight that all people tell apart, else the twelve of Paired."""
    return "OkabeIto" if count <= size("OkabeIto") else "Paired"


def colorblind_safe(palette: str, count: int) -> bool:
    """Whether ``count`` classes in this palette are told apart with a red-green deficiency, by what its makers publish."""
    if count > size(palette):
        return False
    if palette in QUALITATIVE:
        return count <= _SAFE_UP_TO.get(palette, 0)
    return palette in SEQUENTIAL or palette in _SAFE_DIVERGING


def order_notes(palette: str, count: int) -> List[str]:
    """What a person must know of a palette for numbers: that its colours have no order."""
    if palette not in QUALITATIVE or count < 2:
        return []
    return [
        translate(
            "QgisAgent",
            "The colours of {} tell kinds apart and have no order from low to high; {} or {} show an order.",
        ).format(palette, SEQUENTIAL[0], "Viridis")
    ]


def size(palette: str) -> int:
    """The number of colours that a palette has of its own; more are shades of them, or lie between them."""
    if palette in _FIXED:
        return len(_FIXED[palette])
    return int(max(QgsColorBrewerPalette.listSchemeVariants(palette)))


def colors(palette: str, count: int, reverse: bool = False) -> List[str]:
    """``count`` colours of a palette as "#rrggbb", all different up to 64. KeyError for an unknown palette."""
    found = list(_colors(palette, count))
    return found[::-1] if reverse else found


@lru_cache(maxsize=512)
def _colors(palette: str, count: int) -> Tuple[str, ...]:
    """Documents of many classes ask for the same colours again and again, to find the palette that they are of."""
    if palette not in PALETTES:
        raise KeyError(palette)
    return tuple(_qualitative(palette, count) if palette in QUALITATIVE else _ordered(palette, count))


def color_ramp(palette: str, reverse: bool = False) -> QgsColorRamp:
    """The palette as a ramp, which QGIS's own style panel shows and uses when the person classifies again."""
    anchors = colors(palette, size(palette), reverse)
    last = len(anchors) - 1
    stops = [QgsGradientStop(index / last, QColor(each)) for index, each in enumerate(anchors[1:-1], 1)]
    return QgsGradientColorRamp(QColor(anchors[0]), QColor(anchors[-1]), False, stops)


def palette_of(found: Sequence[str]) -> Tuple[str, bool]:
    """The palette and its direction that give exactly these colours; ("", False) when none does.

    The neutral colour of a last class without a value is left out of account.
    """
    wanted = list(found[:-1]) if len(found) > 2 and found[-1] == NEUTRAL else list(found)
    if len(wanted) >= 2:
        for palette in PALETTES:
            for reverse in (False, True):
                if colors(palette, len(wanted), reverse) == wanted:
                    return palette, reverse
    return "", False


def _ordered(palette: str, count: int) -> List[str]:
    if palette in _FIXED:
        return _sampled(_FIXED[palette], count)
    if count < 3:
        three = _brewer(palette, 3)
        return [three[1]] if count == 1 else [three[0], three[2]]
    longest = size(palette)
    return _brewer(palette, count) if count <= longest else _sampled(_brewer(palette, longest), count)


def _qualitative(palette: str, count: int) -> List[str]:
    longest = size(palette)
    anchors = _FIXED[palette] if palette in _FIXED else _brewer(palette, max(3, min(count, longest)))
    return [
        _shade(anchors[index % len(anchors)], _SHADES[index // len(anchors) % len(_SHADES)]) for index in range(count)
    ]


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
    if not 0.05 <= light + change <= 0.95:
        change = -change  # nearly black has lighter shades only, nearly white darker ones
    return _hex([each * 255 for each in colorsys.hls_to_rgb(hue, light + change, saturation)])


def _rgb(color: str) -> Tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _hex(parts: Sequence[float]) -> str:
    return "#" + "".join("{:02x}".format(round(min(255.0, max(0.0, each)))) for each in parts)
