"""Builds the agent's environment, one at a time, and puts the old one back when that fails."""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Dict, Iterator, Mapping, Optional, Sequence

from qgis.PyQt.QtCore import QCoreApplication, QLockFile

from . import environment, environment_process
from .environment_failures import cause_of
from .environment_python import EnvironmentBuildError, Maker, process_environment
from .environment_removal import refuse_foreign, remove_tree

translate = QCoreApplication.translate

INSTALL_TIMEOUT_S = 3600.0
"""A first install over a slow line; it can be stopped at any time."""

NEEDED_BYTES = 900_000_000
"""The environment takes about 540 MB on Linux; the rest is room for what pip downloads."""

LITTLE_BYTES = 20_000_000
"""With less room than this on the disk it is the disk that a step failed for: pip alone takes as much."""

_INSTALL = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
_DROPPED = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_NO_BINARY", "PIP_REQUIRE_VIRTUALENV")


class Builder:
    """One build of one environment. ``base``: the variables that the programs start from."""

    def __init__(
        self, target: Path, wheels: Optional[str], progress: environment.Progress, base: Mapping[str, str]
    ) -> None:
        self.target = target
        self.base = base
        self._wheels = wheels
        self._progress = progress
        self._aside = target.with_name(target.name + ".old")
        self._seen = 0
        self._packages = max(1, _entries(environment.LOCK_PATH))
        self._fraction = 0.0

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process builds this environment, and keep others from it for the length of the block."""
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._cannot_write(error) from error
        lock = QLockFile(str(self.target.with_name(self.target.name + ".lock")))
        lock.setStaleLockTime(0)
        said = False
        while not lock.tryLock(0):
            if lock.error() != QLockFile.LockError.LockFailedError:
                raise self._cannot_write(OSError(str(lock.fileName())))
            text = translate("QgisAgent", "Another program is building the agent environment; waiting for it.")
            self._progress("" if said else text, None)
            said = True
            time.sleep(0.2)
        try:
            yield
        finally:
            lock.unlock()

    def build(self, maker_of: Callable[[], Maker]) -> None:
        """Build it. Raises EnvironmentBuildError; whatever was there before is back then."""
        self._say(translate("QgisAgent", "Looking for a Python."), 0.0)
        maker = maker_of()
        self._say(
            translate("QgisAgent", "Using {path} (Python {version}).").format(
                path=maker.program, version=maker.version
            ),
            0.02,
        )
        self._check_room()
        self._set_aside()
        try:
            self._make(maker)
            self._install(maker)
            self._say(translate("QgisAgent", "Checking the agent environment."), 0.97)
            environment.write_stamp(self.target, maker.version)
        except OSError as error:
            self._put_back()
            raise self._cannot_write(error) from error
        except BaseException:
            self._put_back()
            raise
        shutil.rmtree(str(self._aside), ignore_errors=True)
        self._say(translate("QgisAgent", "The agent environment is ready."), 1.0)

    def _make(self, maker: Maker) -> None:
        self._say(translate("QgisAgent", "Making a Python environment in {folder}.").format(folder=self.target), 0.03)
        if maker.is_uv:
            arguments = ["venv", "--python", maker.version, str(self.target)]
        else:
            arguments = ["-I", "-X", "utf8", "-m", "venv", str(self.target)]
        other = translate("QgisAgent", "Choose another Python, then try again.")
        self._run(maker.program, arguments, translate("QgisAgent", "The Python environment could not be made."), other)

    def _install(self, maker: Maker) -> None:
        self._say(translate("QgisAgent", "Installing the agent's packages."), 0.06)
        if self._wheels and not any(Path(self._wheels).glob("*.whl")):
            message = translate("QgisAgent", "The folder {folder} holds no wheels (files that end in .whl).")
            hint = translate("QgisAgent", "Choose the folder that the wheels are in, or install from the internet.")
            raise EnvironmentBuildError(message.format(folder=self._wheels), hint, kind="wheels")
        source = ["--no-index", "--find-links", str(Path(self._wheels).absolute())] if self._wheels else []
        tail = [*_INSTALL, *source, "-r", str(environment.LOCK_PATH)]
        python = str(environment.python_of(self.target))
        failed = translate("QgisAgent", "The agent's packages could not be installed.")
        if maker.is_uv:
            self._run(maker.program, ["pip", "install", "--python", python, *tail], failed)
        else:
            options = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
            self._run(python, ["-I", "-X", "utf8", "-m", "pip", "install", *options, *tail], failed)

    def _run(self, program: str, arguments: Sequence[str], failed: str, advice: str = "") -> None:
        """``failed`` says what failed; ``advice`` what to do when its cause is not known."""
        folder = str(self.target.parent)
        outcome = environment_process.run(
            program, arguments, self._variables(), folder=folder, timeout_s=INSTALL_TIMEOUT_S, on_line=self._heard
        )
        if outcome.status != 0:
            # venv keeps to itself why its own child failed.
            full = shutil.disk_usage(folder).free < LITTLE_BYTES
            cause = cause_of([*outcome.lines, "No space left"] if full else outcome.lines)
            raise EnvironmentBuildError(
                " ".join(each for each in (failed, cause.text) if each),
                advice if advice and cause.kind == "unknown" else cause.hint,
                kind=cause.kind,
                log=outcome.tail(),
            )

    def _variables(self) -> Dict[str, str]:
        variables = process_environment(self.base)
        for name in _DROPPED:
            variables.pop(name, None)
        authority = variables.get("SSL_CERT_FILE") or variables.get("REQUESTS_CA_BUNDLE")
        if authority:
            # pip looks at its own bundle of CAs, which does not know an organisation's.
            variables.setdefault("PIP_CERT", self._with_own_bundle(authority))
        return variables

    def _with_own_bundle(self, authority: str) -> str:
        """A file of these CAs and of those that came with pip: Windows fetches its own only when they are needed."""
        own = environment.certifi_of(self.target)
        if own is None or not os.path.isfile(authority):
            return authority
        both = self.target / "etc" / "authorities.pem"
        if not both.exists():
            both.parent.mkdir(exist_ok=True)
            both.write_bytes(Path(authority).read_bytes() + b"\n" + own.read_bytes())
        return str(both)

    def _heard(self, line: str) -> None:
        """One line of pip, or "" for no news: each package is named once, as taken or as not for this machine."""
        if re.match(r"\s*(Collecting|Ignoring|Processing|Requirement already satisfied) ?", line):
            self._seen += 1
            self._fraction = max(self._fraction, 0.06 + 0.6 * min(1.0, self._seen / self._packages))
        elif line.startswith("Installing collected packages"):
            self._fraction = 0.7
        self._progress(line.rstrip(), self._fraction if line else None)

    def _say(self, line: str, fraction: float) -> None:
        self._fraction = fraction
        self._progress(line, fraction)

    def _check_room(self) -> None:
        free = shutil.disk_usage(str(self.target.parent)).free
        if free < NEEDED_BYTES:
            message = translate(
                "QgisAgent", "There are {free} MB free in {folder}; the agent environment needs {needed} MB."
            )
            numbers = {"free": free // 1_000_000, "needed": NEEDED_BYTES // 1_000_000, "folder": self.target.parent}
            hint = translate("QgisAgent", "Make room on the disk, then try again.")
            raise EnvironmentBuildError(message.format(**numbers), hint, kind="disk")

    def _set_aside(self) -> None:
        """Move what is there out of the way, the leavings of a build that was cut short included."""
        finished = (self.target / environment.STAMP_NAME).is_file()
        try:
            if finished:
                if self._aside.exists():
                    remove_tree(self._aside)
                os.replace(str(self.target), str(self._aside))
            elif self.target.exists():
                refuse_foreign(self.target)
                # What a killed build set aside, if anything, is the last good one: it stays to be put back.
                remove_tree(self.target)
        except OSError as error:
            hint = translate("QgisAgent", "Close every QGIS that uses the agent, then try again.")
            message = translate("QgisAgent", "The old agent environment could not be moved away: {error}")
            raise EnvironmentBuildError(message.format(error=error), hint, kind="rights") from error

    def _put_back(self) -> None:
        shutil.rmtree(str(self.target), ignore_errors=True)
        if self._aside.exists() and not self.target.exists():
            os.replace(str(self._aside), str(self.target))

    def _cannot_write(self, error: OSError) -> EnvironmentBuildError:
        message = translate("QgisAgent", "The agent environment could not be written to {folder}: {error}")
        message = message.format(folder=self.target, error=error)
        cause = cause_of([str(error)])
        if cause.kind == "disk":
            return EnvironmentBuildError(message, cause.hint, kind=cause.kind)
        hint = translate(
            "QgisAgent", "Check the folder's permissions, or name another one in the variable QGIS_AGENT_ENV."
        )
        return EnvironmentBuildError(message, hint, kind="rights")


def _entries(lock: Path) -> int:
    return len(re.findall(r"^[A-Za-z0-9][^\s]*==", lock.read_text(encoding="utf-8"), re.MULTILINE))
