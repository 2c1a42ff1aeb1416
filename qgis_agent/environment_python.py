"""Finds a Python that can carry the agent's environment, and says what the child processes see of QGIS's environment."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from qgis.PyQt.QtCore import QCoreApplication

from . import environment_process

translate = QCoreApplication.translate

OLDEST = (3, 10)
NEWEST = (3, 14)
"""The Pythons that resources/agent-requirements.lock has wheels for."""

UV_PYTHON = "3.12"
"""What uv is asked for when the machine has no Python of its own that will do."""

SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
    "REPEATED_STREAMING_CHUNK_LIMIT": "100000",
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONNOUSERSITE": "1",
}
"""litellm: no price map from the network at import, no reading of .env files, no chatter, no limit on equal chunks."""

_DROPPED = frozenset(
    [
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONEXECUTABLE",
        "PYTHONPLATLIBDIR",
        "PYTHONSTARTUP",
        "PYTHONUSERBASE",
        "PYTHONINSPECT",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPYCACHEPREFIX",
        "__PYVENV_LAUNCHER__",
        "VIRTUAL_ENV",
        "QT_PLUGIN_PATH",
        "QGIS_AGENT_API_KEY",
        "QGIS_AGENT_API_BASE",
    ]
)
_DROPPED_STARTS = ("GDAL_", "PROJ_", "LITELLM_")
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
_PROBE = "import sys; print('python', *sys.version_info[:3]); import ssl, venv, ensurepip; print('complete')"


class EnvironmentBuildError(Exception):
    """The environment could not be built or removed. ``hint`` says what a person can do about it, and may be empty.

    ``kind`` is the cause in one word (environment_failures.py), ``log`` the last lines of the program that failed.
    """

    def __init__(self, message: str, hint: str = "", *, kind: str = "unknown", log: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.kind = kind
        self.log = log


class NoPythonError(EnvironmentBuildError):
    """No Python that will do was found, or the one that was chosen will not do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint, kind="python")


class Maker(NamedTuple):
    """What makes the environment: a Python, or uv, which brings a Python along."""

    program: str
    is_uv: bool
    version: str


def process_environment(base: Mapping[str, str], folder: Optional[Path] = None) -> Dict[str, str]:
    """What a child process of the agent's environment sees, made from ``base`` (as a rule ``os.environ``).

    QGIS's own Python, GDAL, PROJ and library paths are left out, since the environment has its own; proxies and CA
    variables pass. ``folder`` is the environment: where it cannot be written to, Python is told not to try.
    """
    roots = _qgis_roots(base)
    child: Dict[str, str] = {}
    for name, value in base.items():
        plain = name.upper()
        if plain in _DROPPED or plain.startswith(_DROPPED_STARTS):
            continue
        if plain in _LIBRARY_PATHS:
            value = os.pathsep.join(part for part in value.split(os.pathsep) if part and not _is_qgis(part, roots))
            if not value:
                continue
        child[name] = value
    child.update(SETTINGS)
    if folder is not None and not os.access(str(folder), os.W_OK):
        child["PYTHONDONTWRITEBYTECODE"] = "1"
    return child


def _qgis_roots(base: Mapping[str, str]) -> List[str]:
    given = [base.get("QGIS_PREFIX_PATH", ""), base.get("OSGEO4W_ROOT", ""), base.get("APPDIR", "")]
    roots = [os.path.normcase(os.path.normpath(each)) for each in given if each]
    # "/usr" as a prefix is the system, whose libraries every program may use.
    return [root for root in roots if root not in (os.path.normpath("/usr"), os.path.normpath("/"))]


def _is_qgis(part: str, roots: List[str]) -> bool:
    path = os.path.normcase(os.path.normpath(part))
    return "qgis" in path.lower() or any(path == root or path.startswith(root + os.sep) for root in roots)


class FoundPython(NamedTuple):
    """A Python of this machine. ``version`` is "" where it cannot be used; ``why`` says so for a person then."""

    program: str
    version: str
    why: str


def find_maker(chosen: Optional[str], base: Mapping[str, str]) -> Maker:
    """The Python (or uv) that shall make the environment: ``chosen``, the one beside QGIS, one on PATH, uv.

    Raises NoPythonError, which names what was tried and what is wrong with it. ``chosen`` is never silently replaced by
    another.
    """
    environment = process_environment(base)
    if chosen:
        found = examine(chosen, environment)
        if found.why:
            message = translate("QgisAgent", "{path} cannot be used: {why}").format(path=chosen, why=found.why)
            raise NoPythonError(message, _how_to_get_python())
        return Maker(chosen, False, found.version)
    tried = []
    for candidate in candidates(base):
        found = examine(candidate, environment)
        if not found.why:
            return Maker(candidate, False, found.version)
        tried.append("{} ({})".format(candidate, found.why))
    uv = find_uv(base)
    if uv is not None:
        return Maker(uv, True, UV_PYTHON)
    message = translate(
        "QgisAgent", "No Python {oldest} to {newest} with venv and ensurepip was found. Tried: {tried}."
    )
    raise NoPythonError(message.format(tried=", ".join(tried) or "–", **_range()), _how_to_get_python())


def candidates(base: Mapping[str, str]) -> List[str]:
    """The programs that may be a Python, the best first; none of them was run."""
    found: List[str] = []
    real = set()
    for each in _beside_qgis() + _on_path(base):
        place = os.path.normcase(os.path.realpath(each))
        if place not in real:
            real.add(place)
            found.append(each)
    return found


def examine(python: str, environment: Mapping[str, str]) -> FoundPython:
    """Run a Python once and see whether it can make the environment: its version, and that it has ssl, venv and ensurepip."""
    if "qgis" in Path(python).name.lower():
        return FoundPython(python, "", translate("QgisAgent", "this is QGIS itself, not a Python."))
    outcome = environment_process.run(python, ["-I", "-c", _PROBE], environment, timeout_s=30.0)
    said = "\n".join(outcome.lines)
    found = re.search(r"^python (\d+) (\d+) (\d+)$", said, re.MULTILINE)
    if found is None:
        return FoundPython(python, "", translate("QgisAgent", "it does not run as a Python."))
    version: Tuple[int, ...] = tuple(int(part) for part in found.groups())
    dotted = ".".join(found.groups())
    if not OLDEST <= version[:2] <= NEWEST:
        why = translate("QgisAgent", "it is Python {version}; {oldest} to {newest} are needed.")
        return FoundPython(python, "", why.format(version=dotted, **_range()))
    if outcome.status != 0 or "complete" not in outcome.lines:
        lacking = re.search(r"No module named '?([A-Za-z_.]+)", said)
        why = translate("QgisAgent", "it has no working module {name}.")
        return FoundPython(python, "", why.format(name=lacking.group(1) if lacking else "ssl, venv, ensurepip"))
    return FoundPython(python, dotted, "")


def probe(python: str, environment: Mapping[str, str]) -> Optional[str]:
    """The version ("3.11.2") of a Python that runs, is of a version that will do and can make environments, or None."""
    return examine(python, environment).version or None


def _beside_qgis() -> List[str]:
    # Never sys.executable: inside QGIS that is QGIS itself, and running it opens a second QGIS.
    root = Path(sys.base_prefix)
    exact = "python{}.{}".format(*sys.version_info[:2])
    names = (
        [root / "python.exe", root / "python3.exe"]
        if os.name == "nt"
        else [root / "bin" / exact, root / "bin" / "python3"]
    )
    return [str(path) for path in names if path.is_file()]


def _search_path(base: Mapping[str, str]) -> str:
    places = [base.get("PATH", "")]
    if sys.platform == "darwin":
        # A program that is started from the Dock sees little of the PATH of a terminal.
        places += ["/opt/homebrew/bin", "/usr/local/bin"]
        frameworks = Path("/Library/Frameworks/Python.framework/Versions")
        places += [str(path) for path in sorted(frameworks.glob("3.*/bin"), reverse=True)]
    return os.pathsep.join(place for place in places if place)


def _on_path(base: Mapping[str, str]) -> List[str]:
    names = ["python3.{}".format(minor) for minor in (12, 13, 11, 14, 10)] + ["python3", "python"]
    found = [shutil.which(name, path=_search_path(base)) for name in names]
    return list(dict.fromkeys(path for path in found if path))


def find_uv(base: Mapping[str, str]) -> Optional[str]:
    """The program uv, which brings a Python along, where it is installed."""
    home = Path.home()
    places = [_search_path(base), str(home / ".local" / "bin"), str(home / ".cargo" / "bin")]
    return shutil.which("uv", path=os.pathsep.join(places))


def _range() -> Dict[str, str]:
    return {"oldest": "{}.{}".format(*OLDEST), "newest": "{}.{}".format(*NEWEST)}


def _how_to_get_python() -> str:
    if sys.platform.startswith("linux"):
        return translate(
            "QgisAgent",
            "Install your distribution's packages python3 and python3-venv, or the program uv, then try again.",
        )
    return translate("QgisAgent", "Install Python 3.12 from python.org, or the program uv, then try again.")
