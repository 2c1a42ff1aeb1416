"""agents.json of a project (X-13): it lowers without a question, raises only after a person's yes, and never breaks silently."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgis_agent.agent.governance.overrides import Overrides, load_overrides, lowered, raised, replaced
from qgis_agent.agent.governance.overrides_file import MAX_BYTES
from qgis_agent.agent.governance.profile import CEILING, PROFILES, AgentProfile, Budget

BUILD = PROFILES["gis-build"]
SMALL_TOOLS = PROFILES["gis-small"].tools or ()
LEVELS = ("read_only", "safe_write", "full_access")
STRICTNESS = ("allow", "ask", "deny")


def write(folder: Path, content: Any) -> str:
    """agents.json of a project; returns its hash."""
    raw = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    (folder / ".qgis_agent").mkdir(exist_ok=True)
    (folder / ".qgis_agent" / "agents.json").write_bytes(raw)
    return hashlib.sha256(raw).hexdigest()


def load(folder: Path, content: Any, trusted: tuple[str, ...] = (), language: str = "en") -> Overrides:
    write(folder, content)
    return load_overrides(folder, trusted, language=language)


def test_without_a_folder_or_a_file_the_profiles_are_the_built_in_ones(tmp_path: Path) -> None:
    for folder in (None, tmp_path, tmp_path / "gone"):
        assert load_overrides(folder, ()) == Overrides(PROFILES)


def test_it_lowers_without_a_question(tmp_path: Path) -> None:
    """Level, packs, budget, rules and tools; the others stay; one notice names what changed."""
    made = load(
        tmp_path,
        {
            "profiles": {
                "gis-build": {
                    "level": "read_only",
                    "packs": ["default"],
                    "budget": {"model_calls": 6, "tokens": 50_000},
                    "metadata": {"permissions": {"zoom_*": "deny"}, "tools": ["search_layers"]},
                },
                "gis-explore": {"mode": "plan"},
            }
        },
    )
    build = made.profiles["gis-build"]
    assert (build.level, build.packs) == ("read_only", ("default",))
    assert build.budget == Budget(model_calls=6, tokens=50_000)
    assert (build.permissions, build.tools) == ({"zoom_*": "deny"}, ("search_layers",))
    assert made.profiles["gis-explore"].mode == "plan"
    assert made.profiles["gis-plan"] == PROFILES["gis-plan"]
    assert (made.wants_trust, made.raises) == (None, ())
    assert [each.level for each in made.notices] == ["info"]
    assert "gis-build; gis-explore" in made.notices[0].text
    assert BUILD.level == "safe_write"


def test_a_file_that_says_what_is_so_anyway_changes_and_says_nothing(tmp_path: Path) -> None:
    given_ = {
        name: {key: value for key, value in each.to_dict().items() if key != "name"} for name, each in PROFILES.items()
    }
    made = load(tmp_path, {"profiles": given_})
    assert made == Overrides(PROFILES)


RAISING: list[tuple[str, dict[str, Any], str]] = [
    ("gis-explore", {"level": "full_access"}, "level: read_only → full_access"),
    ("gis-plan", {"mode": "build"}, "mode: plan → build"),
    ("gis-explore", {"packs": ["default", "data", "inspect", "subagent", "vector"]}, "packs: + vector"),
    ("gis-explore", {"budget": {"model_calls": 12}}, "budget.model_calls: 4 → 12"),
    ("gis-small", {"metadata": {"tools": [*SMALL_TOOLS, "buffer_layer"]}}, "tools: + buffer_layer"),
    ("gis-build", {"prompt_suffix": "Obey the layer names."}, "prompt_suffix: Obey the layer names."),
    ("gis-build", {"description": "The best"}, "description: The best"),
    ("my-agent", {"level": "safe_write"}, "new profile (build, safe_write, default)"),
]


@pytest.mark.parametrize(("name", "data", "line"), RAISING, ids=str)
def test_what_raises_waits_for_a_yes(tmp_path: Path, name: str, data: dict[str, Any], line: str) -> None:
    """Not in force, and said with what it is; in force after the yes to this very content."""
    content = {"profiles": {name: data}}
    made = load(tmp_path, content)
    digest = write(tmp_path, content)
    assert made.profiles == PROFILES
    assert (made.wants_trust, made.raises) == (digest, (f"{name}: {line}",))
    assert [each.level for each in made.notices] == ["warning"]
    assert line in made.notices[0].text
    trusted = load(tmp_path, content, ("0" * 64, digest))
    assert trusted.wants_trust is None
    assert raised(PROFILES.get(name), trusted.profiles[name]) == [line]
    assert "as you agreed" in trusted.notices[0].text


def test_a_yes_ends_when_the_file_changes(tmp_path: Path) -> None:
    """One byte more is another file."""
    digest = write(tmp_path, b'{"profiles": {"gis-explore": {"level": "safe_write"}}}')
    assert load_overrides(tmp_path, (digest,)).profiles["gis-explore"].level == "safe_write"
    other = write(tmp_path, b'{"profiles": {"gis-explore": {"level": "safe_write"}}} ')
    made = load_overrides(tmp_path, (digest,))
    assert made.profiles["gis-explore"].level == "read_only"
    assert made.wants_trust == other


def test_what_lowers_in_a_raising_file_is_in_force_at_once(tmp_path: Path) -> None:
    made = load(
        tmp_path, {"profiles": {"gis-build": {"level": "full_access", "packs": ["default"], "prompt_suffix": "x"}}}
    )
    build = made.profiles["gis-build"]
    assert (build.level, build.packs, build.prompt_suffix) == ("safe_write", ("default",), "")
    assert [each.level for each in made.notices] == ["info", "warning"]


def test_not_even_a_yes_goes_over_the_ceiling(tmp_path: Path) -> None:
    """X-1; and a ceiling that a person set lower binds every profile, also without a file."""
    content = {"profiles": {"gis-explore": {"budget": {"model_calls": 900}, "level": "safe_write"}}}
    digest = write(tmp_path, content)
    assert load_overrides(tmp_path, (digest,)).profiles["gis-explore"].budget.model_calls == 12
    low = replace(CEILING, model_calls=2)
    made = load_overrides(tmp_path, (digest,), ceiling=low)
    assert {each.budget.model_calls for each in made.profiles.values()} == {2}
    assert {each.budget.model_calls for each in load_overrides(None, (), ceiling=low).profiles.values()} == {2}


def test_trusted_texts_are_cleaned() -> None:
    """A yes admits the words, not control or bidi characters."""
    made = replaced(BUILD, "gis-build", {"prompt_suffix": "a\n\u202eb\x00c", "description": "d\te"})
    assert (made.prompt_suffix, made.description) == ("a bc", "d e")
    new = replaced(None, "mine", {"prompt_suffix": "a\u2066b"})
    assert new.prompt_suffix == "ab"
    assert raised(None, new) == ["new profile (build, read_only, default)", "prompt_suffix: ab"]
    assert raised(None, new, "zh")[0] == "新配置（build，read_only，default）"
    assert replaced(BUILD, "gis-build", {}) == BUILD


def test_looser_rules_and_a_dropped_list_are_raises() -> None:
    ruled = replace(BUILD, metadata={"permissions": {"zoom_to": "deny", "set_*": "ask"}, "tools": ["zoom_to"]})
    wanted = replace(BUILD, metadata={"permissions": {"zoom_to": "ask", "set_*": "deny"}})
    assert raised(ruled, wanted) == ["permissions.zoom_to: deny → ask", "tools: *"]
    assert raised(wanted, wanted) == []


BROKEN: list[tuple[bytes, str]] = [
    (b"", "line 1, column 1"),
    (b'{"profiles": {\n  "gis-build": {"level": "read_only",}\n}}', "line 2, column 38"),
    (b'{"profiles": {}} x', "line 1, column 18"),
    (b"\xff\xfe{}", "it is not UTF-8 text (byte 0)"),
    (b'{"profiles": {"gis-build": {"budget": {"tool_s": NaN}}}}', "NaN is not a number"),
    (b'{"profiles": {"gis-build": {"level": "read_only", "level": "full_access"}}}', "the key level is there twice"),
    (b"[" * 60_000, "nested too deeply"),
    (b" " * (MAX_BYTES + 1), f"more than {MAX_BYTES} bytes"),
    (b"[]", "agents.json: must be an object"),
    (b'{"profile": {}}', "profile: is not known here; known are profiles"),
    (b'{"profiles": []}', "profiles: must be an object"),
    (b'{"profiles": {"gis-build": 1}}', "profiles.gis-build: must be an object"),
    (b'{"profiles": {"Gis Build": {}}}', "profiles.Gis?Build: must be a name"),
    (b'{"profiles": {"gis-build": {"name": "other"}}}', "profiles.gis-build.name: is not known here"),
    (b'{"profiles": {"gis-build": {"levle": "read_only"}}}', "profiles.gis-build.levle: is not known here"),
    (b'{"profiles": {"gis-build": {"budget": {"model_calls": 0}}}}', "profiles.gis-build.budget.model_calls: must be a whole"),
    (b'{"profiles": {"gis-build": {"budget": {"model_calls": ' + b"9" * 5000 + b"}}}}", "this is not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "said"), BROKEN, ids=lambda each: str(each)[:40])
def test_a_broken_file_is_reported_and_not_used(tmp_path: Path, raw: bytes, said: str) -> None:
    """Where and why, in both languages; the built-in profiles are in force; nothing of it is trusted."""
    digest = write(tmp_path, raw)
    for language, start in (("en", ".qgis_agent/agents.json of this project was not used"), ("zh", "未使用此工程的")):
        made = load_overrides(tmp_path, (digest,), language=language)
        assert made.profiles == PROFILES
        assert (made.wants_trust, made.raises) == (None, ())
        assert [each.level for each in made.notices] == ["warning"]
        assert made.notices[0].text.startswith(start)
        assert made.notices[0].text.isprintable()
        if language == "en":
            assert said in made.notices[0].text


def test_many_problems_are_named_up_to_a_dozen(tmp_path: Path) -> None:
    made = load(tmp_path, {"profiles": {"gis-build": {f"key{at}": 1 for at in range(20)}}})
    assert made.notices[0].text.count("is not known here") == 12
    assert made.notices[0].text.endswith("and 8 more")


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    made = load(tmp_path, b'\xef\xbb\xbf{"profiles": {"gis-build": {"level": "read_only"}}}')
    assert made.profiles["gis-build"].level == "read_only"


LOWERING = b'{"profiles": {"gis-build": {"level": "read_only"}}}'


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link of the file or the folder, absolute or relative, inside or out; the project's own folder may be one."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "agents.json").write_bytes(LOWERING)
    for name, target in (("a", outside), ("b", Path("..") / "outside")):
        project = tmp_path / name
        project.mkdir()
        (project / ".qgis_agent").symlink_to(target)
        assert "it is a link" in load_overrides(project, ()).notices[0].text
    for name, target in (("c", outside / "agents.json"), ("d", Path("agents2.json"))):
        project = tmp_path / name
        (project / ".qgis_agent").mkdir(parents=True)
        (project / ".qgis_agent" / "agents2.json").write_bytes(LOWERING)
        (project / ".qgis_agent" / "agents.json").symlink_to(target)
        made = load_overrides(project, ())
        assert "it is a link" in made.notices[0].text
        assert made.profiles == PROFILES
    real = tmp_path / "real"
    real.mkdir()
    write(real, LOWERING)
    (tmp_path / "linked").symlink_to(real)
    assert load_overrides(tmp_path / "linked", ()).profiles["gis-build"].level == "read_only"


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe would block for ever, a folder cannot be read."""
    (tmp_path / ".qgis_agent").mkdir()
    os.mkfifo(tmp_path / ".qgis_agent" / "agents.json")
    assert "it is not a regular file" in load_overrides(tmp_path, ()).notices[0].text
    os.unlink(tmp_path / ".qgis_agent" / "agents.json")
    (tmp_path / ".qgis_agent" / "agents.json").mkdir()
    assert "it is not a regular file" in load_overrides(tmp_path, ()).notices[0].text


def test_a_place_that_only_looks_inside_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A junction is no link for Python before 3.12; the real path gives it away."""
    write(tmp_path, LOWERING)
    real = os.path.realpath

    def junction(path: Any, **more: Any) -> str:
        return "/elsewhere/agents.json" if str(path).endswith("agents.json") else real(path, **more)

    monkeypatch.setattr(os.path, "realpath", junction)
    assert "outside the project's folder" in load_overrides(tmp_path, ()).notices[0].text


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, LOWERING)

    def refuse(*_args: Any, **_more: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    made = load_overrides(tmp_path, ())
    assert "it cannot be read (Permission denied)" in made.notices[0].text
    assert made.profiles == PROFILES


# lowered: never more, whatever the file says

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 2000) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NUMBERS = st.integers(-5, 2000) | st.integers(900, 300_000) | st.floats() | st.booleans() | st.text(max_size=3)
PATTERNS = st.sampled_from(("*", "set_*", "zoom_to", "toggle_layer", "rm -rf"))
OVERRIDE = st.fixed_dictionaries(
    {},
    optional={
        "name": JUNK,
        "level": st.sampled_from(LEVELS) | JUNK,
        "mode": st.sampled_from(("build", "plan", "explore", "workflow", "subagent")) | JUNK,
        "packs": st.lists(st.sampled_from(("default", "vector", "write", "code")) | JUNK, max_size=4) | JUNK,
        "budget": st.dictionaries(st.sampled_from([each.name for each in fields(Budget)]) | st.text(max_size=4), NUMBERS) | JUNK,
        "prompt_suffix": st.text(max_size=10) | JUNK,
        "description": st.text(max_size=10) | JUNK,
        "metadata": st.fixed_dictionaries(
            {},
            optional={
                "permissions": st.dictionaries(PATTERNS | st.integers(), st.sampled_from(STRICTNESS) | JUNK) | JUNK,
                "tools": st.lists(st.sampled_from(("zoom_to", "toggle_layer", "buffer_layer", "a b")) | JUNK) | JUNK,
                "other": JUNK,
            },
        )
        | JUNK,
        "secret": JUNK,
    },
)  # fmt: skip
RULED = replace(
    BUILD, metadata={"permissions": {"zoom_to": "ask", "set_*": "deny"}, "tools": ["zoom_to", "toggle_layer"]}
)


def assert_never_more(made: AgentProfile, base: AgentProfile) -> None:
    """Every respect of a profile, compared here and not by the code under test."""
    assert (made.name, made.description, made.prompt_suffix) == (base.name, base.description, base.prompt_suffix)
    assert made.mode in (base.mode, "plan")
    assert LEVELS.index(made.level) <= LEVELS.index(base.level)
    assert set(made.packs) <= set(base.packs)
    for each in fields(Budget):
        value = getattr(made.budget, each.name)
        assert type(value) in (int, float)
        assert 0 <= value <= getattr(base.budget, each.name)
    for pattern, action in base.permissions.items():
        assert STRICTNESS.index(made.permissions[pattern]) >= STRICTNESS.index(action)
    assert set(made.permissions.values()) <= set(STRICTNESS)
    if base.tools is not None:
        assert made.tools is not None and set(made.tools) <= set(base.tools)


@given(OVERRIDE, st.sampled_from([*PROFILES.values(), RULED]))
def test_lowered_is_never_more(override: Mapping[str, Any], base: AgentProfile) -> None:
    """Property: any data, any profile; it is pure, and lowering again changes nothing."""
    before = base.to_dict()
    made = lowered(base, override)
    assert_never_more(made, base)
    assert base.to_dict() == before
    assert lowered(made, override) == made
    assert raised(base, made) == []


@given(OVERRIDE)
def test_a_file_is_never_more_without_a_yes(
    tmp_path_factory: pytest.TempPathFactory, override: Mapping[str, Any]
) -> None:
    """The same through the whole loader, with whatever JSON can carry."""
    folder = tmp_path_factory.mktemp("project")
    write(folder, json.dumps({"profiles": {"gis-build": override}}).encode("utf-8", "surrogatepass"))
    made = load_overrides(folder, ())
    assert set(made.profiles) == set(PROFILES)
    assert_never_more(made.profiles["gis-build"], BUILD)


def test_lowered_does_lower() -> None:
    """The other half of the property: a valid smaller value is taken."""
    made = lowered(RULED, {"level": "read_only", "packs": ["vector"], "budget": {"tokens": 1000, "tool_s": 0.5},
                           "metadata": {"permissions": {"zoom_to": "deny", "set_*": "allow"}, "tools": ["zoom_to"]}})  # fmt: skip
    assert (made.level, made.packs, made.budget) == ("read_only", ("vector",), Budget(tokens=1000, tool_s=0.5))
    assert made.permissions == {"zoom_to": "deny", "set_*": "deny"}
    assert made.tools == ("zoom_to",)
