"""The agent's own Python environment: where it lies, whether it is sound, and how it is built.

Everything in it comes from ``resources/agent-requirements.lock``, with hashes, and nothing of it is ever loaded into QGIS.
A stamp file, written last, tells a finished environment from one whose building was cut short.

Also a program: ``python3 -m qgis_agent.environment build|check [--target DIR] [--python PATH] [--wheels DIR]``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from qgis.PyQt.QtCore import QCoreApplication, QStandardPaths

from . import environment_process
from .environment_python import (
    EnvironmentBuildError,
    NoPythonError,
    find_maker,
    process_environment,
)
from .environment_removal import remove

__all__ = [
    "EnvironmentBuildError",
    "EnvironmentReport",
    "NoPythonError",
    "build",
    "certifi_of",
    "check",
    "locate",
    "process_environment",
    "python_of",
    "remove",
]

translate = QCoreApplication.translate

PLUGIN_ROOT = Path(__file__).resolve().parents[1]
LOCK_PATH = PLUGIN_ROOT / "resources" / "agent-requirements.lock"
STAMP_NAME = "qgis-agent-env.json"

REFUSED = {"litellm": ("1.82.7", "1.82.8")}
"""Releases with malicious code in them."""

ALLOWED_PTH = frozenset(["distutils-precedence.pth", "pywin32.pth"])
"""Python runs what .pth files say at every start, which is how the bad litellm releases worked. setuptools, which comes
with a new environment, brings the first; pywin32, which mcp needs on Windows, the second; nothing else in the lock has one."""

Progress = Callable[[str, Optional[float]], None]
"""Called with a line of text and how much is done (0 to 1), or None where that is not known."""

_runs: Dict[Tuple[str, int], str] = {}
"""The version of each environment's Python that was run, by path and time of its stamp, so that checking is quick."""


class EnvironmentReport(NamedTuple):
    """What ``check`` found. ``problems`` are sentences for a person; the environment may be used when there are none."""

    folder: Path
    exists: bool
    complete: bool
    python: str
    problems: Tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the agent can be started with it."""
        return not self.problems

    @property
    def message(self) -> str:
        """The problems in one line, empty when there are none."""
        return " ".join(self.problems)


def locate() -> Path:
    """The folder of the environment, whether or not it is there.

    The variable QGIS_AGENT_ENV, else ``.agent-env`` in a development checkout, else a folder in the QGIS profile, one for
    each Python of QGIS, so that two versions of QGIS that share a profile do not rebuild each other's.
    """
    named = os.environ.get("QGIS_AGENT_ENV")
    if named:
        return Path(named).expanduser().absolute()
    beside = PLUGIN_ROOT / ".agent-env"
    if beside.is_dir() and (PLUGIN_ROOT / "Makefile").is_file():
        return beside
    from qgis.core import QgsApplication

    # Without a QgsApplication there is no path yet. The command line has a profile of its own, and none of its own environment:
    # it takes the one that the person built from the panel.
    folder = Path("python") / "qgis_agent_env" / "py{}.{}".format(*sys.version_info[:2])
    own = Path(QgsApplication.qgisSettingsDirPath() or _default_profile()) / folder
    persons = Path(_default_profile()) / folder
    return persons if persons.is_dir() and not own.is_dir() else own


def _default_profile() -> str:
    data = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    return os.path.join(data, "QGIS", "QGIS3", "profiles", "default")


def python_of(folder: Path) -> Path:
    """The environment's Python."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def certifi_of(folder: Path) -> Optional[Path]:
    """The file of certificate authorities that came with the environment's packages, None where there is none."""
    for place in _site_packages(folder):
        for bundle in (place / "certifi" / "cacert.pem", place / "pip" / "_vendor" / "certifi" / "cacert.pem"):
            if bundle.is_file():
                return bundle
    return None


def lock_digest(lock: Optional[Path] = None) -> str:
    """SHA-256 of the lock file, in hex, the same whatever its line ends."""
    return hashlib.sha256((lock or LOCK_PATH).read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def check(folder: Path) -> EnvironmentReport:
    """Look whether the environment is there, finished, of the present lock, able to run, and free of what must not be in it.

    Quick enough for the GUI thread: its Python is run once for each stamp, in about 50 ms.
    """
    folder = Path(folder)
    if not python_of(folder).exists():
        return EnvironmentReport(
            folder, folder.exists(), False, "", (translate("QgisAgent", "The agent environment is not set up yet."),)
        )
    stamp = _read_stamp(folder)
    if stamp is None:
        problem = translate("QgisAgent", "The agent environment was not built to its end. Build it again.")
        return EnvironmentReport(folder, True, False, "", (problem,))
    if stamp.get("lock_sha256") != lock_digest():
        problem = translate(
            "QgisAgent", "The agent environment belongs to another version of the plugin. Build it again."
        )
        return EnvironmentReport(folder, True, False, str(stamp.get("python", "")), (problem,))
    problems = _content_problems(folder, stamp)
    version = _version_that_runs(folder)
    if not version:
        problems.append(translate("QgisAgent", "The Python of the agent environment does not run. Build it again."))
    return EnvironmentReport(folder, True, True, version, tuple(problems))


def _read_stamp(folder: Path) -> Optional[Dict[str, Any]]:
    try:
        stamp = json.loads((folder / STAMP_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) else None


def _content_problems(folder: Path, stamp: Mapping[str, Any]) -> List[str]:
    problems = []
    there = _distributions(folder)
    for name, versions in REFUSED.items():
        bad = [version for version in there.get(name, []) if version in versions]
        if bad:
            words = translate(
                "QgisAgent",
                "The agent environment holds {name} {version}, a release with malicious code. Build it again.",
            )
            problems.append(words.format(name=name, version=bad[0]))
    strange = sorted({path.name for place in _site_packages(folder) for path in place.glob("*.pth")} - ALLOWED_PTH)
    if strange:
        words = translate(
            "QgisAgent", "The agent environment holds start-up files that do not belong there: {names}. Build it again."
        )
        problems.append(words.format(names=", ".join(strange)))
    if there != stamp.get("packages"):
        problems.append(
            translate("QgisAgent", "Packages of the agent environment were changed after it was built. Build it again.")
        )
    return problems


def _version_that_runs(folder: Path) -> str:
    python = python_of(folder)
    key = (str(python), (folder / STAMP_NAME).stat().st_mtime_ns)
    if not _runs.get(key):
        code = "import sys; print(*sys.version_info[:3], sep='.')"
        outcome = environment_process.run(
            str(python), ["-I", "-S", "-c", code], process_environment(os.environ, folder)
        )
        version = outcome.lines[-1].strip() if outcome.status == 0 and outcome.lines else ""
        _runs[key] = version if re.match(r"^\d+\.\d+\.\d+$", version) else ""
    return _runs[key]


def _site_packages(folder: Path) -> List[Path]:
    places = [folder / "Lib" / "site-packages"] + sorted(folder.glob("lib/python3.*/site-packages"))
    real = [place.resolve() for place in places if place.is_dir()]
    return list(dict.fromkeys(real))


def _distributions(folder: Path) -> Dict[str, List[str]]:
    there: Dict[str, List[str]] = {}
    for place in _site_packages(folder):
        for info in sorted(place.glob("*.dist-info")):
            name, _, version = info.name[: -len(".dist-info")].rpartition("-")
            there.setdefault(re.sub(r"[-_.]+", "-", name).lower(), []).append(version)
    return there


def write_stamp(folder: Path, python: str) -> None:
    """Mark the environment as finished."""
    stamp = {"lock_sha256": lock_digest(), "python": python, "packages": _distributions(folder)}
    part = folder / (STAMP_NAME + ".part")
    part.write_text(json.dumps(stamp, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(part, folder / STAMP_NAME)


def build(
    target: Path,
    python: Optional[str] = None,
    wheels: Optional[str] = None,
    progress: Optional[Progress] = None,
    base: Optional[Mapping[str, str]] = None,
) -> EnvironmentReport:
    """Build the environment in ``target``, or return at once when it is there and sound.

    ``python``: the Python to make it with, else one is looked for. ``wheels``: a folder of wheels to install from, without
    the network. ``base``: the variables to start from, with proxies and CA; ``os.environ`` when None. Runs for about a
    minute: call it in a thread where there is a window. ``progress`` is called at least about five times a second while a
    program runs (with "" for no news), and stops the build by raising. An environment that was there is put back when the
    new one cannot be built. Raises EnvironmentBuildError with a hint.
    """
    from .environment_build import Builder

    target = Path(target).expanduser().absolute()
    report = check(target)
    if report.ok and python is None:
        return report
    builder = Builder(target, wheels, progress or _silent, os.environ if base is None else base)
    with builder.alone():
        # Another QGIS may have built it while this one waited.
        if not (python is None and check(target).ok):
            builder.build(lambda: find_maker(python, builder.base))
        report = check(target)
    if not report.ok:
        raise EnvironmentBuildError(
            report.message, translate("QgisAgent", "Look at the log of the build, then try again.")
        )
    return report


def _silent(_line: str, _fraction: Optional[float]) -> None:
    return None


def show(line: str, fraction: Optional[float]) -> None:
    """Progress on stderr, for programs."""
    if line:
        sys.stderr.write(line + "\n" if fraction is None else "{:3.0f}% {}\n".format(100 * fraction, line))


def main(argv: Optional[List[str]] = None) -> int:
    """The program; returns the exit status: 0 sound, 1 not."""
    parser = argparse.ArgumentParser(prog="python3 -m qgis_agent.environment", description="The agent's environment.")
    parser.add_argument("action", choices=("build", "check"))
    parser.add_argument("--target", type=Path)
    parser.add_argument("--python")
    parser.add_argument("--wheels")
    arguments = parser.parse_args(argv)
    target = arguments.target or locate()
    if arguments.action == "build":
        try:
            build(target, arguments.python, arguments.wheels, show)
        except EnvironmentBuildError as error:
            sys.stderr.write("{}\n{}\n".format(error, error.hint))
            return 1
    report = check(target)
    sys.stdout.write("{}: {}\n".format(report.folder, report.message or "ok, Python " + report.python))
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
