"""Names in quotes, as the panel sends what a person names with "@"."""

from __future__ import annotations

import pytest

from qgis_agent.agent.offline.parser import parse
from qgis_agent.agent.offline.quoted import unquoted

LAYERS = [
    {
        "layer_id": "schools",
        "name": "schools",
        "kind": "point",
        "group": "",
        "abstract": "",
        "visible": True,
        "crs": "EPSG:4326",
        "fields": [{"name": "full name", "alias": "", "type": "text"}],
    },
    {
        "layer_id": "学校",
        "name": "学校",
        "kind": "point",
        "group": "",
        "abstract": "",
        "visible": True,
        "crs": "EPSG:4326",
        "fields": [],
    },
]


@pytest.mark.parametrize(
    ("said", "bare"),
    [
        ('Buffer "schools" 500 m', "Buffer schools 500 m"),
        ("count “Schools”", "count Schools"),
        ("缩放到「学校」", "缩放到学校"),
        ('缩放到"学校"', "缩放到学校"),
        ('schools where "full name" is "Old School"', 'schools where full name is "Old School"'),
        ("nothing quoted", "nothing quoted"),
        ("the school's name and the bus's", "the school's name and the bus's"),
    ],
)
def test_quotes_around_names_of_the_project_go(said: str, bare: str) -> None:
    assert unquoted(said, LAYERS) == bare  # type: ignore[arg-type]


@pytest.mark.parametrize("said", ["zoom to {}", "show {}", "count {}", "缩放到{}", "显示{}"])
@pytest.mark.parametrize("name", ["schools", "学校"])
def test_a_quoted_name_means_the_same_as_the_bare_one(said: str, name: str) -> None:
    quoted, bare = (parse(said.format(each), LAYERS) for each in (f'"{name}"', name))  # type: ignore[arg-type]
    assert quoted == bare and isinstance(bare, list) and bare
