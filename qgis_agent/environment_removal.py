"""Takes the agent's environment away again, and nothing that is not one."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from qgis.PyQt.QtCore import QCoreApplication

from .environment_python import EnvironmentBuildError

translate = QCoreApplication.translate

PATIENCE_S = 3.0
"""How long a folder is tried that a program which is just ending still writes to."""

_OWN = frozenset(
    ["bin", "include", "lib", "lib64", "share", "scripts", "pyvenv.cfg", "qgis-agent-env.json", ".gitignore", ".lock"]
    + ["qgis-agent-env.json.part", "cachedir.tag", "etc"]
)
"""What venv, uv, pip and we put into the folder of an environment, in small letters."""


def refuse_foreign(folder: Path) -> None:
    """Raise EnvironmentBuildError where a folder holds what no environment holds: it is somebody's, and stays."""
    strange = sorted(each.name for each in folder.iterdir() if each.name.lower() not in _OWN)
    if strange:
        message = translate(
            "QgisAgent", "The folder {folder} holds other things ({names}) and was left as it is."
        ).format(folder=folder, names=", ".join(strange[:3]))
        hint = translate("QgisAgent", "Name a folder of its own in the variable QGIS_AGENT_ENV.")
        raise EnvironmentBuildError(message, hint, kind="foreign")


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it; raises OSError when something of it stays for three seconds."""
    deadline = time.monotonic() + PATIENCE_S
    while folder.exists():
        try:
            shutil.rmtree(str(folder))
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def remove(target: Path) -> None:
    """Remove the environment with what a build that was cut short left of it. Takes seconds: call it in a thread.

    The stamp goes first, so that what is left after a failure counts as no environment. Raises EnvironmentBuildError, with
    a hint, when it is no environment or something of it cannot be removed. Nothing there is no error.
    """
    target = Path(target).expanduser().absolute()
    aside = target.with_name(target.name + ".old")
    try:
        for folder in (target, aside):
            if folder.is_dir():
                refuse_foreign(folder)
        for folder in (target, aside):
            if folder.is_dir():
                stamp = folder / "qgis-agent-env.json"
                if stamp.exists():
                    os.unlink(str(stamp))
                remove_tree(folder)
    except OSError as error:
        message = translate("QgisAgent", "The agent environment could not be removed from {folder}: {error}")
        hint = translate("QgisAgent", "Close every QGIS that uses the agent, then try again.")
        raise EnvironmentBuildError(message.format(folder=target, error=error), hint, kind="rights") from error
