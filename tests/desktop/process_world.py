"""A profile with the plugin for ``qgis_process``, as people have it: a folder of plugins, no window, a copy of the sample."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from desktop_harness import REPO, why_not


def why_no_process() -> str:
    """Why these tests cannot run here, "" when they can."""
    return why_not() or ("" if shutil.which("qgis_process") else "qgis_process is not installed (make setup)")


class World:
    """A profile with the plugin enabled, and a copy of the sample."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        plugins = folder / "plugins"
        plugins.mkdir()
        (plugins / "qgis_agent").symlink_to(REPO, target_is_directory=True)
        shutil.copytree(REPO / "resources" / "sample", folder / "city")
        self.profile = folder / "profile"
        self.project = folder / "city" / "city.qgz"
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYTHON", "PYQGIS", "QGIS", "VIRTUAL_ENV", "QT_", "XDG_"))
        }
        self.environment = {
            **kept,
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "LC_ALL": "C.UTF-8",
            "QT_QPA_PLATFORM": "offscreen",
            "QGIS_CUSTOM_CONFIG_PATH": str(self.profile),
            "QGIS_PLUGINPATH": str(plugins),
            "QGIS_AGENT_ENV": str(REPO / ".agent-env"),
        }

    def enable(self) -> None:
        """Make the profile and enable the plugin, as ``qgis_process`` does it."""
        status, out, err = self.command("plugins", "enable", "qgis_agent")
        assert status == 0 and "Traceback" not in out + err, out + err

    def command(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, stdout, stderr of ``qgis_process``."""
        done = subprocess.run(
            ["qgis_process", *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def arguments(self, name: str, parameters: dict[str, Any]) -> list[str]:
        """What runs an algorithm on the sample."""
        given = [f"--{key}={item}" for key, value in parameters.items() for item in _items(value)]
        return ["--json", "run", f"qgisagent:{name}", f"--PROJECT_PATH={self.project}", *given]

    def run(self, name: str, parameters: dict[str, Any]) -> tuple[int, dict[str, Any], str]:
        """Exit status, what was printed as JSON ({} where there was none), and stderr."""
        status, out, err = self.command(*self.arguments(name, parameters))
        return status, json.loads(out) if out.strip() else {}, err


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
