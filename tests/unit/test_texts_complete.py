"""What the agent process says by itself it can say in English and in Chinese, with the same places to fill in."""

from __future__ import annotations

import importlib
import re
import string
from typing import Any

import pytest

from qgis_agent.agent.texts import has_cjk

TABLES = [
    ("texts", "_TEXTS"),
    ("texts", "_REASONS"),
    ("llm.words", "_SENTENCES"),
    ("llm.words", "_NOTICES"),
    ("governance.plan", "_WORDS"),
    ("governance.overrides", "_TEXTS"),
    ("governance.overrides_file", "_TEXTS"),
    ("loop.closing", "_SAID"),
]
LATIN_ONLY = re.compile(r"^[\s\W\d]*$")


def pairs(module: str, table: str) -> list[tuple[str, str]]:
    found: Any = getattr(importlib.import_module(f"qgis_agent.agent.{module}"), table)
    return [tuple(each) for each in (found.values() if isinstance(found, dict) else found)]


def places(text: str) -> list[str]:
    """What is filled in, by name; numbered places count as plain ones, because Chinese puts them in another order."""
    return sorted(name.strip("0123456789") for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize(("module", "table"), TABLES, ids=lambda each: each)
def test_both_languages_are_there(module: str, table: str) -> None:
    found = pairs(module, table)
    assert len(found) >= 2
    for english, chinese in found:
        assert english and not has_cjk(english), english
        assert has_cjk(chinese) or LATIN_ONLY.match(chinese), (english, chinese)
        assert english != chinese or LATIN_ONLY.match(english), english


@pytest.mark.parametrize(("module", "table"), TABLES, ids=lambda each: each)
def test_both_have_the_same_places(module: str, table: str) -> None:
    for english, chinese in pairs(module, table):
        assert places(english) == places(chinese), english
