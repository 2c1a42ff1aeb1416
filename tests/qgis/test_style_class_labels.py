"""Labels of classes: a person who reads them puts every value into the class that QGIS draws it in."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Bench, memory_layer

from qgis_agent.gis.style.classification import METHODS, classify


def by_label(value: float, texts: list[str]) -> int:
    """The class in which the labels put a value, read as (lower, upper] and the first one as [lower, upper].

    What the last bits of a number are is no matter: 0.1 + 0.2 is 0.3.
    """
    close = 1e-12 * abs(value)
    pairs = [[float(part) for part in text.split(" – ")] for text in texts]
    for index, pair in enumerate(pairs):
        if value <= pair[-1] + close and (len(pair) == 1 or index or pair[0] - close <= value):
            return index
    return -1


@pytest.mark.parametrize("method", [each for each in METHODS if each != "manual"])
@pytest.mark.parametrize("scale", [1.0, 1e-4, 37.3, 1e5])
def test_every_value_is_where_the_labels_put_it(method: str, scale: float) -> None:
    """Skewed data of many digits, and of one and two decimals."""
    for digits in (1, 2, 12):
        values = np.sort(np.round(np.random.default_rng(7).lognormal(1.0, 0.8, 60), digits) * scale)
        found = classify(values, method, 5)
        drawn = np.searchsorted(np.asarray(found.limits[1:]), values, side="left")
        assert [by_label(float(each), found.labels()) for each in values] == [int(each) for each in drawn]


@pytest.mark.parametrize(
    ("values", "breaks", "expected"),
    [
        ([0.0, 12.0, 120.5, 130.25, 640.0, 900.0], [120.5, 640.0], ["0.0 – 120.5", "120.5 – 640.0", "640.0 – 900.0"]),
        ([0.0, 120.0, 300.0], [120.5], ["0.0 – 120.5", "120.5 – 300.0"]),
        ([0.0, 120.5, 640.0], [120.5], ["0.0 – 120.5", "120.5 – 640.0"]),
        ([0.1234567891, 9.87654321098], [2.00001], ["0.12345 – 2.00001", "2.00001 – 9.87655"]),
        ([1.0, 2.0, 3.0], [2.0], ["1 – 2", "2 – 3"]),
    ],
)
def test_breaks_of_a_person_are_told_exactly(values: list[float], breaks: list[float], expected: list[str]) -> None:
    """Also between whole numbers; the ends of the data are rounded outwards where they have more digits."""
    assert classify(np.array(values), "manual", 0, breaks).labels() == expected


def test_labels_of_the_tool(bench: Bench) -> None:
    """As legends, layer and answer have them."""
    points = [(f"POINT({number} 0)", [value]) for number, value in enumerate([0.0, 88.0, 120.5, 640.0])]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=v:double", points, "works"))
    data = bench.ok(
        "set_render_rule", layer_id="works", method="graduated", field="v",
        options={"classification": "manual", "breaks": [120.5]},
    )  # fmt: skip
    assert [each["label"] for each in data["classes"]] == ["0.0 – 120.5", "120.5 – 640.0"]
    assert [each["count"] for each in data["classes"]] == [3, 1]
    assert [each.label() for each in layer.renderer().ranges()] == ["0.0 – 120.5", "120.5 – 640.0"]
