"""Palettes: published colours, told apart by everybody where they say so, found again from their colours."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from conftest import REPO
from qgis.core import QgsStyle

from qgis_agent.gis.style import palettes

DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
"""Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB."""
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
JUST_SEEN = 2.3
"""The CIE Lab distance that is just noticeable."""


def linear(color: str) -> Any:
    """Linear RGB of "#rrggbb"."""
    parts = np.array([int(color[index : index + 2], 16) for index in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: Any) -> Any:
    """CIE Lab (D65) of linear RGB."""
    scaled = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def nearest(colors: list[str], seen_by: Any = None) -> float:
    """The smallest CIE Lab distance of two of the colours."""
    places = [lab(linear(each) if seen_by is None else seen_by @ linear(each)) for each in colors]
    return min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(places, 2))


@pytest.mark.parametrize("palette", palettes.PALETTES)
def test_colours_are_told_apart(palette: str) -> None:
    """Up to the size of the palette, two just noticeable steps apart; where it is marked as safe, also without red or green."""
    for count in range(2, palettes.size(palette) + 1):
        found = palettes.colors(palette, count)
        assert nearest(found) >= 2 * JUST_SEEN, (palette, count)
        if palettes.colorblind_safe(palette, count):
            assert nearest(found, DEUTERANOPIA) >= 2 * JUST_SEEN, (palette, count)
            assert nearest(found, PROTANOPIA) >= 2 * JUST_SEEN, (palette, count)
    assert not palettes.colorblind_safe(palette, palettes.size(palette) + 1)


def test_the_distance_can_fail() -> None:
    """The red and green of RdYlGn, which is not marked, come too near to each other without green."""
    assert nearest(palettes.colors("RdYlGn", 9), DEUTERANOPIA) < 2 * JUST_SEEN
    assert not palettes.colorblind_safe("RdYlGn", 9)


def test_what_is_marked_is_what_colorbrewer_publishes() -> None:
    """colorbrewer2.org, "colorblind safe": all sequential schemes; of the others these, up to so many classes."""
    published = {"RdBu": 11, "RdYlBu": 11, "BrBG": 11, "PuOr": 11, "PRGn": 11, "Set2": 3, "Dark2": 3, "Paired": 4}
    for palette in palettes.DIVERGING + palettes.QUALITATIVE:
        if palette != "OkabeIto":
            marked = [count for count in range(3, 13) if palettes.colorblind_safe(palette, count)]
            assert marked == list(range(3, published.get(palette, 2) + 1)), palette
    assert palettes.colorblind_safe(palettes.DEFAULT_GRADUATED, 5)
    assert all(palettes.colorblind_safe(palettes.default_categorized(count), count) for count in range(1, 9))


def test_the_published_colours() -> None:
    """ColorBrewer's OrRd and Set2, Okabe and Ito's eight, and the viridis family as QGIS ships it."""
    assert palettes.colors("OrRd", 5) == ["#fef0d9", "#fdcc8a", "#fc8d59", "#e34a33", "#b30000"]
    assert palettes.colors("OrRd", 5, reverse=True)[0] == "#b30000"
    assert palettes.colors("Set2", 3) == ["#66c2a5", "#fc8d62", "#8da0cb"]
    eight = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"}
    assert set(palettes.colors("OkabeIto", 8)) == eight
    for name in ("Viridis", "Cividis", "Magma", "Plasma", "Inferno"):
        ramp = QgsStyle.defaultStyle().colorRamp(name)
        for index, color in enumerate(palettes.colors(name, 10)):
            assert np.abs(255 * (linear(color) - linear(ramp.color(index / 9).name()))).max() <= 2, (name, index)


@pytest.mark.parametrize("palette", palettes.PALETTES)
def test_any_number_of_classes(palette: str) -> None:
    """As many colours as are asked for, no two alike, and the palette is found again from them, in both directions."""
    for count in (1, 2, 3, 5, 9, 12, 20, 64):
        found = palettes.colors(palette, count)
        assert len(set(found)) == count and all(len(each) == 7 and each[0] == "#" for each in found)
        assert palettes.NEUTRAL not in found
    for reverse in (False, True):
        assert palettes.palette_of(palettes.colors(palette, 6, reverse)) == (palette, reverse)
        assert palettes.palette_of([*palettes.colors(palette, 6, reverse), palettes.NEUTRAL]) == (palette, reverse)
    ramp = palettes.color_ramp(palette)
    assert [ramp.color(0).name(), ramp.color(1).name()] == [
        palettes.colors(palette, palettes.size(palette))[end] for end in (0, -1)
    ]


def test_palettes_are_those_of_the_contract() -> None:
    """The fixed list of the contract."""
    schema = json.loads((REPO / "resources" / "tools.schema.json").read_text(encoding="utf-8"))
    rule = next(each for each in schema["tools"] if each["name"] == "set_render_rule")
    assert tuple(rule["parameters"]["properties"]["palette"]["enum"]) == palettes.PALETTES
