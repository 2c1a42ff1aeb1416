"""The agent's own environment, as far as it can be looked at without building one (tests/process does that).

Qt is needed (QProcess), a QGIS application is not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("qgis.PyQt.QtCore", reason="PyQt comes with QGIS (make setup)")

from qgis_agent import environment, environment_failures, environment_python
from qgis_agent.environment_python import Maker, NoPythonError, find_maker, process_environment


def test_a_missing_package_index_is_said_with_a_hint() -> None:
    lines = ["ERROR: Could not find a version", "NewConnectionError: Temporary failure in name resolution"]
    found = environment_failures.cause_of(lines)
    assert (found.kind, bool(found.hint)) == ("network", True) and "cannot be reached" in found.text
    assert "Look at the log" in environment_failures.cause_of(["something else"]).hint


def test_check_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    report = environment.check(tmp_path / "none")
    assert (report.ok, report.exists, report.complete) == (False, False, False)
    assert "not set up" in report.message


def test_a_lock_with_other_line_ends_is_the_same(tmp_path: Path) -> None:
    unix, other = tmp_path / "unix.lock", tmp_path / "crlf.lock"
    unix.write_bytes(b"tinything==1.0 \\\n    --hash=sha256:00\n")
    other.write_bytes(unix.read_bytes().replace(b"\n", b"\r\n"))
    assert environment.lock_digest(other) == environment.lock_digest(unix)


def test_the_real_lock_is_whole() -> None:
    """Every entry has an exact version and hashes; the pins that the design names are in it."""
    text = environment.LOCK_PATH.read_text("utf-8")
    entries = [each for each in text.replace("\\\n", " ").splitlines() if each and not each.lstrip().startswith("#")]
    assert len(entries) > 60
    assert all("==" in each and "--hash=sha256:" in each for each in entries)
    names = {each.split("==")[0] for each in entries}
    wanted = {"litellm", "mcp", "pydantic", "jsonschema", "shapely", "pyproj", "rapidfuzz", "pypinyin"}
    assert wanted <= names
    assert "litellm==1.110.2 " in text


def test_locate_takes_the_variable_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QGIS_AGENT_ENV", str(tmp_path / "mine"))
    assert environment.locate() == tmp_path / "mine"


def test_locate_in_a_checkout_and_in_a_profile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("QGIS_AGENT_ENV", raising=False)
    monkeypatch.setattr(environment, "PLUGIN_ROOT", tmp_path)
    (tmp_path / ".agent-env").mkdir()
    installed = environment.locate()  # no Makefile: an installed plugin, whose folder QGIS deletes on update
    assert tmp_path not in installed.parents
    assert installed.parts[-3:] == ("python", "qgis_agent_env", "py{}.{}".format(*sys.version_info[:2]))
    (tmp_path / "Makefile").write_text("", encoding="utf-8")
    assert environment.locate() == tmp_path / ".agent-env"


def test_the_child_sees_nothing_of_qgis() -> None:
    base = {
        "PATH": "/usr/bin",
        "HTTPS_PROXY": "http://proxy:3128",
        "SSL_CERT_FILE": "/ca.pem",
        "LANG": "zh_CN.UTF-8",
        "PYTHONHOME": "/qgis/python",
        "PYTHONPATH": "/qgis/lib",
        "GDAL_DATA": "/x",
        "PROJ_LIB": "/y",
        "VIRTUAL_ENV": "/venv",
        "QGIS_AGENT_API_KEY": "pretended",  # pragma: allowlist secret
        "QGIS_PREFIX_PATH": "/opt/gis",
        "LD_LIBRARY_PATH": "/opt/gis/lib:/home/me/lib:/usr/lib/qgis",
        "LITELLM_LOG": "DEBUG",
    }
    child = process_environment(base)
    assert child == {
        "PATH": "/usr/bin",
        "HTTPS_PROXY": "http://proxy:3128",
        "SSL_CERT_FILE": "/ca.pem",
        "LANG": "zh_CN.UTF-8",
        "QGIS_PREFIX_PATH": "/opt/gis",
        "LD_LIBRARY_PATH": "/home/me/lib",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_LOG": "ERROR",
        "REPEATED_STREAMING_CHUNK_LIMIT": "100000",
        "PYTHONUTF8": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONNOUSERSITE": "1",
    }


def test_a_library_path_of_qgis_alone_is_dropped() -> None:
    assert "LD_LIBRARY_PATH" not in process_environment({"LD_LIBRARY_PATH": "/usr/lib/qgis"})


def test_bytecode_is_not_written_where_it_cannot_be(tmp_path: Path) -> None:
    assert "PYTHONDONTWRITEBYTECODE" not in process_environment({}, tmp_path)
    assert process_environment({}, tmp_path / "not there")["PYTHONDONTWRITEBYTECODE"] == "1"


def test_the_python_beside_qgis_is_taken_and_never_the_running_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/qgis.bin")
    maker = find_maker(None, os.environ)
    assert not maker.is_uv
    assert Path(maker.program).parent == Path(sys.base_prefix) / "bin"
    assert maker.version == "{}.{}.{}".format(*sys.version_info[:3])


def test_a_chosen_python_is_not_replaced_by_another(tmp_path: Path) -> None:
    liar = tmp_path / "python3"
    liar.write_text("#!/bin/sh\necho python 3 9 1\n", encoding="utf-8")
    liar.chmod(0o755)
    for choice in (str(liar), str(tmp_path / "missing")):
        with pytest.raises(NoPythonError, match="cannot be used") as caught:
            find_maker(choice, os.environ)
        assert caught.value.hint


@pytest.mark.parametrize(
    ("words", "version"), [("3 10 0", "3.10.0"), ("3 14 9", "3.14.9"), ("3 15 0", None), ("2 7 18", None)]
)
def test_probe_knows_the_versions_of_the_lock(tmp_path: Path, words: str, version: str | None) -> None:
    python = tmp_path / "python3"
    python.write_text(f"#!/bin/sh\necho a warning\necho python {words}\necho complete\n", encoding="utf-8")
    python.chmod(0o755)
    assert environment_python.probe(str(python), os.environ) == version


def test_uv_is_the_last_resort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        environment_python, "examine", lambda python, _environment: environment_python.FoundPython(python, "", "no")
    )
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(NoPythonError, match=r"No Python 3\.10 to 3\.14") as caught:
        find_maker(None, {"PATH": str(tmp_path)})
    assert caught.value.hint
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\n", encoding="utf-8")
    uv.chmod(0o755)
    assert find_maker(None, {"PATH": str(tmp_path)}) == Maker(str(uv), True, environment_python.UV_PYTHON)
