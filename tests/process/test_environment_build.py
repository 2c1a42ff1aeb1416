"""Building and checking the agent's environment, with a lock of one tiny wheel in place of the real one.

Qt is needed (QProcess), a QGIS application is not.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from tiny_lock import Wheels, tiny_lock, write_lock

pytest.importorskip("qgis.PyQt.QtCore", reason="PyQt comes with QGIS (make setup)")

from qgis.PyQt.QtCore import QCoreApplication, QLockFile

from qgis_agent import environment, environment_build, environment_process
from qgis_agent.environment_python import EnvironmentBuildError

SYSTEM_PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    return tiny_lock(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, wheels: Wheels) -> tuple[Path, list[tuple[str, float | None]]]:
    """An environment that ``build`` made, and the progress that it reported."""
    seen: list[tuple[str, float | None]] = []
    target = tmp_path_factory.mktemp("env") / "with spaces 空间" / "py"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environment, "LOCK_PATH", wheels.lock)
        environment.build(target, SYSTEM_PYTHON, str(wheels.folder), lambda *args: seen.append(args))
    return target, seen


@pytest.fixture
def env(built: tuple[Path, object], wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the built environment, to be damaged."""
    monkeypatch.setattr(environment, "LOCK_PATH", wheels.lock)
    copy = tmp_path / "env"
    shutil.copytree(built[0], copy, symlinks=True)
    assert environment.check(copy).ok
    return copy


def site_packages(folder: Path) -> Path:
    return next(folder.glob("lib/python3.*/site-packages"))


def test_build_installs_what_the_lock_names(built: tuple[Path, list[tuple[str, float | None]]], wheels: Wheels) -> None:
    target, seen = built
    python = environment.python_of(target)
    outcome = environment_process.run(str(python), ["-c", "import tinything; print(tinything.ANSWER)"], {})
    assert outcome.lines == ["42"]
    stamp = json.loads((target / environment.STAMP_NAME).read_text("utf-8"))
    assert stamp["lock_sha256"] == hashlib.sha256(wheels.lock.read_bytes()).hexdigest()
    assert stamp["packages"]["tinything"] == ["1.0"]
    assert not target.with_name("py.old").exists()
    assert not target.with_name("py.lock").exists()
    fractions = [fraction for _, fraction in seen if fraction is not None]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0.0
    assert fractions[-1] == 1.0
    assert any("tinything" in line for line, _ in seen)


def test_building_again_does_nothing(env: Path) -> None:
    before = (env / environment.STAMP_NAME).stat().st_mtime_ns
    began = time.monotonic()
    report = environment.build(env, wheels="/nowhere", progress=lambda *_: pytest.fail("nothing is to be done"))
    assert time.monotonic() - began < 3.0
    assert report.ok
    assert (env / environment.STAMP_NAME).stat().st_mtime_ns == before


def test_a_wrong_hash_is_refused_and_the_old_environment_comes_back(
    env: Path, wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "other.lock"
    write_lock(lock, "f" * 64)
    monkeypatch.setattr(environment, "LOCK_PATH", lock)
    with pytest.raises(EnvironmentBuildError, match="could not be installed") as caught:
        environment.build(env, SYSTEM_PYTHON, str(wheels.folder))
    assert "not the one that was tested" in str(caught.value)
    assert "another network" in caught.value.hint
    assert (site_packages(env) / "tinything.py").exists()
    monkeypatch.setattr(environment, "LOCK_PATH", wheels.lock)
    assert environment.check(env).ok


def test_progress_that_raises_stops_the_build(wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "LOCK_PATH", wheels.lock)
    target = tmp_path / "env"

    def stop(_line: str, fraction: float | None) -> None:
        if fraction is not None and fraction >= 0.03:
            raise EnvironmentBuildError("stopped")

    with pytest.raises(EnvironmentBuildError, match="stopped"):
        environment.build(target, SYSTEM_PYTHON, str(wheels.folder), stop)
    assert not target.exists()
    assert not environment.check(target).ok


def test_what_a_killed_build_set_aside_comes_back(env: Path, wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build was killed after it moved the good environment away: the next one fails, too."""
    aside = env.with_name("env.old")
    os.replace(env, aside)
    env.mkdir()
    (env / "pyvenv.cfg").write_text("half", encoding="utf-8")
    with pytest.raises(EnvironmentBuildError):
        environment.build(env, SYSTEM_PYTHON, str(wheels.folder / "empty"))
    assert environment.check(env).ok
    assert (env / "pyvenv.cfg").read_text("utf-8") != "half"
    assert not aside.exists()


def test_a_full_disk_is_said_before_anything_is_moved(
    env: Path, wheels: Wheels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment_build, "NEEDED_BYTES", 10**18)
    with pytest.raises(EnvironmentBuildError, match="MB free"):
        environment.build(env, SYSTEM_PYTHON, str(wheels.folder))
    assert environment.check(env).ok


def test_two_builds_wait_for_each_other(wheels: Wheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "LOCK_PATH", wheels.lock)
    held = QLockFile(str(tmp_path / "env.lock"))
    assert held.tryLock(0)
    lines: list[str] = []

    def impatient(line: str, _fraction: float | None) -> None:
        lines.append(line)
        if len(lines) == 3:
            raise EnvironmentBuildError("no patience")

    with pytest.raises(EnvironmentBuildError, match="no patience"):
        environment.build(tmp_path / "env", SYSTEM_PYTHON, str(wheels.folder), impatient)
    held.unlock()
    assert "Another program" in lines[0]
    assert lines[1:] == ["", ""]


def test_check_of_a_build_that_was_cut_short(env: Path) -> None:
    (env / environment.STAMP_NAME).unlink()
    report = environment.check(env)
    assert (report.ok, report.exists, report.complete) == (False, True, False)
    assert "not built to its end" in report.message


def test_check_of_another_lock(env: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "new.lock"
    write_lock(lock, "a" * 64)
    monkeypatch.setattr(environment, "LOCK_PATH", lock)
    assert "another version of the plugin" in environment.check(env).message


def test_check_finds_a_start_up_file(env: Path) -> None:
    (site_packages(env) / "litellm_init.pth").write_text("import os\n", encoding="utf-8")
    report = environment.check(env)
    assert not report.ok
    assert "litellm_init.pth" in report.message


@pytest.mark.parametrize("version", ["1.82.7", "1.82.8"])
def test_check_refuses_the_bad_releases(env: Path, version: str) -> None:
    (site_packages(env) / f"litellm-{version}.dist-info").mkdir()
    assert f"litellm {version}" in environment.check(env).message


def test_check_sees_a_package_that_is_gone(env: Path) -> None:
    shutil.rmtree(site_packages(env) / "tinything-1.0.dist-info")
    assert "changed after it was built" in environment.check(env).message


def test_check_sees_a_python_that_does_not_run(env: Path) -> None:
    python = environment.python_of(env)
    python.unlink()
    python.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    python.chmod(0o755)
    os.utime(env / environment.STAMP_NAME)
    environment._runs.clear()
    assert "does not run" in environment.check(env).message


def test_no_application_is_left_behind() -> None:
    """A QgsApplication can be made afterwards only when ours is gone."""
    assert QCoreApplication.instance() is None
    assert environment_process.run(SYSTEM_PYTHON, ["-c", "print('a\\nb')"], {}).lines == ["a", "b"]
    assert QCoreApplication.instance() is None


def test_a_program_that_is_not_there_and_one_that_fails() -> None:
    assert environment_process.run("/nowhere/python", [], {}).status == environment_process.STOPPED
    failed = environment_process.run(SYSTEM_PYTHON, ["-c", "import sys; sys.stderr.write('why'); sys.exit(7)"], {})
    assert (failed.status, failed.tail()) == (7, "why")


def test_a_program_that_takes_too_long_is_ended() -> None:
    began = time.monotonic()
    outcome = environment_process.run(SYSTEM_PYTHON, ["-c", "import time; time.sleep(60)"], {}, timeout_s=0.5)
    assert time.monotonic() - began < 10
    assert (outcome.status, outcome.timed_out) == (environment_process.STOPPED, True)


def test_the_lines_arrive_while_the_program_runs() -> None:
    code = "import time; print('first', flush=True); time.sleep(30)"
    began = time.monotonic()

    def stop(line: str) -> None:
        if line == "first":
            raise KeyError(line)

    with pytest.raises(KeyError):
        environment_process.run(SYSTEM_PYTHON, ["-c", code], {}, on_line=stop)
    assert time.monotonic() - began < 10
