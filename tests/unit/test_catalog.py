"""The schema file and the contracts are one."""

from __future__ import annotations

import json

from qgis_agent.agent.catalog.registry import CONTRACTS, PACKS, SCHEMA_PATH, schema_text
from qgis_agent.bridge.envelope import CODES, failure, hint_for_name, size_bytes


def test_the_schema_file_is_fresh() -> None:
    """``make schema`` writes it; a change of a contract without it fails here."""
    assert SCHEMA_PATH.read_text(encoding="utf-8") == schema_text()


def test_names_packs_and_sizes() -> None:
    """Unique names, known packs, and a tool list that stays small: at most 20 KB for all, 4.5 KB for one."""
    names = [each.name for each in CONTRACTS]
    assert len(set(names)) == len(names)
    assert {each.pack for each in CONTRACTS} <= set(PACKS)
    tools = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))["tools"]
    sizes = {each["name"]: size_bytes([each["description"], each["parameters"]]) for each in tools}
    assert max(sizes.values()) <= 4500, sizes
    assert sum(sizes.values()) <= 20_000


def test_write_effects_are_prepared() -> None:
    """Nothing writes at once: a write tool is prepare_… or the commit."""
    assert all(
        each.name.startswith("prepare_") or each.name == "commit_action" for each in CONTRACTS if each.effect == "write"
    )


def test_every_code_makes_an_envelope() -> None:
    """The closed list of codes, each with its retryable."""
    assert {failure(code, "m")["retryable"] for code in CODES} == {True, False}


def test_hints_name_the_nearest() -> None:
    """The nearest valid names first; without any, the list."""
    assert "'schools'" in hint_for_name("shcools", ["streets", "schools", "dem"], "layers")
    assert "'公共设施'" in hint_for_name("设施", ["公共设施", "dem"], "layers")
    assert "Valid" in hint_for_name("zzz", ["streets", "dem"], "layers")
