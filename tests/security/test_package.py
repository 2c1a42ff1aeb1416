"""The zip as it is uploaded: what is in it, and what the plugin site's scanners say to it."""

from __future__ import annotations

import configparser
import hashlib
import importlib.util
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

REPO = Path(__file__).resolve().parents[2]


def load(name: str) -> ModuleType:
    """A script of scripts/ as a module."""
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", REPO / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


package = load("package")
scan_package = load("scan_package")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target: Path = tmp_path_factory.mktemp("zip") / "qgis_agent.zip"
    package.build(target)
    return target


@pytest.fixture
def names(built: Path) -> Iterator[set[str]]:
    with zipfile.ZipFile(built) as archive:
        yield set(archive.namelist())


def test_the_site_has_nothing_to_object_to(built: Path) -> None:
    assert scan_package.scan(built) == []


def test_the_scan_finds_what_it_should(tmp_path: Path) -> None:
    """Each line is one that the site holds a plugin back for; the file with the plain code passes."""
    bad = tmp_path / "bad.zip"
    key = f"sk-{'abcdefghij0123456789'}T3BlbkFJ{'klmnopqrst0123456789'}"  # in pieces, so that this file is no finding itself
    code = f"exec('1')\nassert True\nimport pickle\ndef f(token=''):\n    return '{key}'\ntry:\n    f()\nexcept Exception:\n    pass\n"
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("qgis_agent/bad.py", code)
        archive.writestr("qgis_agent/good.py", "def double(n):\n    return 2 * n\n")
        archive.writestr("qgis_agent/tool.sh", "true\n")
    found = scan_package.scan(bad)
    for part in ("B101", "B102", "B110", "B403", "OpenAI", "tool.sh: suspicious"):
        assert any(part in line for line in found), (part, found)
    assert not any("good.py" in line for line in found)


def test_the_zip_holds_the_plugin_and_nothing_of_the_workshop(names: set[str]) -> None:
    wanted = [
        "metadata.txt",
        "LICENSE",
        "README.md",
        "__init__.py",
        "qgis_agent/plugin.py",
        "qgis_agent/agent/__main__.py",
    ]
    wanted += ["docs/mcp.md"]  # the settings show it
    wanted += ["resources/agent-requirements.lock", "resources/tools.schema.json", "resources/icons/qgis_agent.svg"]
    assert {f"qgis_agent/{name}" for name in wanted} <= names
    kinds = {name.split("/")[1] for name in names}
    assert kinds <= {"metadata.txt", "LICENSE", "README.md", "__init__.py", "docs", "qgis_agent", "resources", "i18n"}
    assert not [name for name in names if re.search(r"\.(pyc|ts|in|toml|sh)$|__pycache__|/\.|tests/|Makefile", name)]
    assert {name for name in names if "/i18n/" in name} == {
        f"qgis_agent/i18n/{path.name}" for path in (REPO / "i18n").glob("*.qm")
    }


def test_every_source_of_the_plugin_is_in_the_zip(names: set[str]) -> None:
    sources = {f"qgis_agent/{path.relative_to(REPO).as_posix()}" for path in (REPO / "qgis_agent").rglob("*.py")}
    assert sources == {name for name in names if name.startswith("qgis_agent/qgis_agent/") and name.endswith(".py")}


def test_the_same_sources_give_the_same_zip(built: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    size = package.build(again)
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(built.read_bytes()).digest()
    assert size == built.stat().st_size < 25_000_000


def test_metadata_has_what_the_site_asks_for() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(REPO / "metadata.txt", encoding="utf-8")
    general = parser["general"]
    asked = [
        "name",
        "description",
        "version",
        "qgisMinimumVersion",
        "author",
        "email",
        "about",
        "tracker",
        "repository",
        "homepage",
    ]
    assert not [name for name in asked if not general.get(name, "").strip()]
    assert re.fullmatch(r"\d+\.\d+\.\d+", general["version"])
    assert (general["qgisMinimumVersion"], general["qgisMaximumVersion"]) == ("3.40", "4.99")
    assert general["hasProcessingProvider"] == "yes"
    assert "plugin" not in general["name"].lower()
    assert "supportsQt6" not in general
    assert (REPO / general["icon"]).is_file()
    assert all(general[name].startswith("https://") for name in ("tracker", "repository", "homepage"))
    for dependency in ("litellm", "mcp", "pydantic", "jsonschema", "shapely", "pyproj"):
        assert dependency in general["about"]


def test_the_licence_is_the_gpl() -> None:
    text = (REPO / "LICENSE").read_text("utf-8")
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert "Version 2, June 1991" in text
