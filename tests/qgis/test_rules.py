"""The person's rules: the strictest counts, whatever the order; what cannot be read asks about everything."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsApplication, QgsSettings

from qgis_agent.gis.rules import (
    AS_LEVEL,
    ASK,
    DENY,
    Rule,
    Rules,
    added_folders,
    choose_level,
    chosen_level,
    is_addable,
    set_added_folders,
)


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent/permissions")
    yield
    QgsSettings().remove("qgis_agent/permissions")


def test_without_rules_the_level_decides() -> None:
    assert Rules().of("buffer_layer") == AS_LEVEL
    assert Rules().listed() == ()


def test_the_strictest_wins_whatever_the_order() -> None:
    rules = [Rule("buffer_layer", AS_LEVEL), Rule("*", ASK), Rule("buffer_*", DENY)]
    for order in itertools.permutations(rules):
        kept = Rules()
        kept.replace(order)
        assert kept.of("buffer_layer") == DENY
        assert kept.of("zoom_to") == ASK


@pytest.mark.parametrize(
    ("pattern", "tool", "algorithm", "meant"),
    [
        ("zoom_to", "zoom_to", "", True),
        ("zoom_to", "zoom_too", "", False),
        ("zoom", "zoom_to", "", False),
        ("prepare_*", "prepare_export_layer", "", True),
        ("prepare_*", "unprepare_x", "", False),
        ("*", "commit_action", "", True),
        ("run_algorithm", "run_algorithm", "native:buffer", True),
        ("run_algorithm:native:*", "run_algorithm", "native:buffer", True),
        ("run_algorithm:native:*", "run_algorithm", "gdal:buffervectors", False),
        ("run_algorithm:native:*", "run_algorithm", "", False),
        ("run_algorithm:native:*", "describe_algorithm", "native:buffer", False),
        ("run_algorithm:native:buffer", "run_algorithm", "NATIVE:Buffer", True),
        ("run_algorithm:gdal:*", "run_algorithm", "native:buffer", False),
    ],
)
def test_a_pattern_names_tools_and_algorithms(pattern: str, tool: str, algorithm: str, meant: bool) -> None:
    rules = Rules()
    rules.add(pattern, DENY)
    assert (rules.of(tool, algorithm) == DENY) is meant


def test_an_algorithm_is_known_by_its_other_id_too() -> None:
    """QGIS resolves "qgis:buffer" to "native:buffer" (QgsProcessingRegistry aliases, since 3.6)."""
    if QgsApplication.processingRegistry().algorithmById("qgis:buffer") is None:
        pytest.skip("this QGIS does not know the old id")
    rules = Rules()
    rules.add("run_algorithm:native:buffer", DENY)
    assert rules.of("run_algorithm", "qgis:buffer") == DENY


@pytest.mark.parametrize(
    ("pattern", "action"),
    [
        ("", ASK),
        ("zoom_to", "allow"),
        ("Zoom To", ASK),
        ("[a-z]*", ASK),
        ("zoom_to:native:buffer", ASK),
        ("x" * 65, DENY),
        ("run_algorithm:", DENY),
        ("a\nb", DENY),
    ],
)
def test_what_is_no_rule_is_refused(pattern: str, action: str) -> None:
    rules = Rules()
    rules.add("zoom_to", DENY)
    with pytest.raises(ValueError, match="rule"):
        rules.add(pattern, action)
    assert rules.listed() == (Rule("zoom_to", DENY),)


def test_a_rule_is_changed_and_removed_and_holds_for_others_at_once() -> None:
    here, there = Rules(), Rules()
    told: list[bool] = []
    here.changed.connect(lambda: told.append(True))
    here.add("zoom_to", ASK)
    here.add("zoom_to", DENY)
    assert there.of("zoom_to") == DENY and here.listed() == (Rule("zoom_to", DENY),)
    here.remove("zoom_to")
    assert there.of("zoom_to") == AS_LEVEL and told == [True] * 3


@pytest.mark.parametrize(
    "raw",
    ["{", "{}", '"x"', '[{"pattern": "*"}]', '[{"pattern": "*", "action": "allow"}]', "[1]", "[" * 5000],
)
def test_rules_that_cannot_be_read_ask_about_everything(raw: str) -> None:
    QgsSettings().setValue("qgis_agent/permissions/rules", raw)
    rules = Rules()
    assert rules.of("zoom_to") == ASK and rules.of("search_layers") == ASK
    assert rules.problem
    rules.replace([])
    assert rules.of("zoom_to") == AS_LEVEL and rules.problem == ""


def test_the_level_of_the_chat_is_kept_and_an_unknown_one_is_safe_write() -> None:
    assert chosen_level() == "safe_write"
    choose_level("read_only")
    assert chosen_level() == "read_only"
    QgsSettings().setValue("qgis_agent/permissions/level", "god_mode")
    assert chosen_level() == "safe_write"
    with pytest.raises(ValueError, match="level"):
        choose_level("god_mode")


def test_folders_are_kept_by_their_real_path(tmp_path: Path) -> None:
    real, link = tmp_path / "data", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    set_added_folders("read", [str(link), str(real)])
    assert added_folders("read") == [os.path.realpath(str(real))]
    assert added_folders("write") == []
    set_added_folders("read", [])
    assert added_folders("read") == []


def test_no_disk_and_no_profile_is_a_folder_for_the_agent(tmp_path: Path) -> None:
    profile = QgsApplication.qgisSettingsDirPath()
    link = tmp_path / "innocent"
    link.symlink_to(profile)
    for path in (os.sep, "", "relative", "a\0b", profile, os.path.join(profile, "qgis_agent"), str(link)):
        assert not is_addable(path), path
    with pytest.raises(ValueError, match="folder"):
        set_added_folders("write", [profile])
    QgsSettings().setValue("qgis_agent/permissions/folders_write", [os.sep, str(tmp_path)])
    assert added_folders("write") == [os.path.realpath(str(tmp_path))]
