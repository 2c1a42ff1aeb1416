"""What lies beside the project for the agent (``.qgis_agent`` in its folder), and what the person decided about it.

The files may be anyone's: only small regular files inside the project's folder are read, no links. What they mean is decided
in the agent process, where they can only lower what a profile may do, until the person says yes to a file; the yes is kept in
the QGIS profile by the file's SHA-256, never beside the project. Written is the file of notes only, after a person's click
(``tools/notes.py``).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

from qgis.core import Qgis, QgsMessageLog, QgsProject, QgsSettings

from .i18n import translate
from .layers import clean_text

FOLDER = ".qgis_agent"
AGENTS_FILE = "agents.json"
NOTES_FILE = "notes.md"
MAX_BYTES = 64 * 1024
NOTES_MAX_CHARS = 2000
"""What the agent reads of the project's notes and of the preferences, each (agent/context/notes.py)."""
MAX_TRUSTED = 200
_TRUSTED_KEY = "qgis_agent/trusted_files"
_PREFERENCES_KEY = "qgis_agent/preferences"


class ProjectFileProblem(Exception):
    """A file that is there and is not used; the text says why, for a person."""


@dataclass(frozen=True)
class AgentSettings:
    """The project's agents.json as it was read. ``lines`` are all its settings, one each, for the person to see."""

    sha256: str
    lines: List[str]


def run_fields(project: QgsProject) -> Dict[str, Any]:
    """The fields of ``run/start`` about the project's files and the person's preferences. Never raises for a bad file."""
    folder = project.absolutePath()
    return {
        "project_folder": folder,
        "preferences": preferences(),
        "project_notes": _notes(folder),
        "trusted_files": trusted_files(),
    }


def preferences() -> str:
    """The person's own standing wishes, "" when there are none."""
    return str(QgsSettings().value(_PREFERENCES_KEY, "") or "")


def set_preferences(text: str) -> None:
    """Keep the person's standing wishes in the QGIS profile."""
    settings = QgsSettings()
    settings.setValue(_PREFERENCES_KEY, text)
    settings.sync()


def trusted_files() -> List[str]:
    """SHA-256 of the files that the person said yes to, oldest first."""
    kept = QgsSettings().value(_TRUSTED_KEY, []) or []
    return [str(each) for each in ([kept] if isinstance(kept, str) else kept)]


def trust_file(sha256: str) -> None:
    """The person said yes to a file with this content."""
    others = [each for each in trusted_files() if each != sha256]
    QgsSettings().setValue(_TRUSTED_KEY, [*others, sha256][-MAX_TRUSTED:])


def forget_file(sha256: str) -> None:
    """The person takes the yes back."""
    QgsSettings().setValue(_TRUSTED_KEY, [each for each in trusted_files() if each != sha256])


def agent_settings(project: QgsProject) -> Optional[AgentSettings]:
    """The project's agents.json, None when it has none. ProjectFileProblem when it cannot be used."""
    raw = read_bounded(project.absolutePath(), AGENTS_FILE)
    if raw is None:
        return None
    try:
        document = json.loads(raw.decode("utf-8-sig"))
        return AgentSettings(hashlib.sha256(raw).hexdigest(), _flat("", document))
    except (ValueError, RecursionError) as error:
        raise ProjectFileProblem(translate("QgisAgent", "It is not JSON: {}").format(error)) from error


def read_bounded(folder: str, name: str) -> Optional[bytes]:
    """A small file of ``.qgis_agent`` in a project's folder; None without a folder or file. ProjectFileProblem."""
    if not folder:
        return None
    path = Path(os.path.realpath(folder)) / FOLDER / name
    try:
        if path.parent.is_symlink() or path.is_symlink():
            raise ProjectFileProblem(translate("QgisAgent", "It is a link, and links are not followed."))
        if not path.exists():
            return None
        if os.path.normcase(os.path.realpath(str(path))) != os.path.normcase(str(path)):  # a junction of Windows
            raise ProjectFileProblem(translate("QgisAgent", "It lies outside the project's folder."))
        if not stat.S_ISREG(os.lstat(str(path)).st_mode):
            raise ProjectFileProblem(translate("QgisAgent", "It is not a regular file."))
        with path.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise ProjectFileProblem(translate("QgisAgent", "It cannot be read: {}").format(error.strerror)) from error
    if len(raw) > MAX_BYTES:
        raise ProjectFileProblem(translate("QgisAgent", "It is larger than {} KB.").format(MAX_BYTES // 1024))
    return raw


def notes_path(folder: str) -> Path:
    """Where the notes of a project with this folder lie, whether there are any or not."""
    return Path(os.path.realpath(folder)) / FOLDER / NOTES_FILE


def write_notes(folder: str, raw: bytes) -> None:
    """Give the project's notes new content in one step: whoever reads meanwhile finds the old file or the new one, and a
    failure leaves the old one. ProjectFileProblem."""
    path = notes_path(folder)
    draft = path.with_name(".{}-{}".format(NOTES_FILE, uuid.uuid4().hex[:8]))
    try:
        path.parent.mkdir(exist_ok=True)
        if os.path.normcase(os.path.realpath(str(path))) != os.path.normcase(str(path)):
            raise ProjectFileProblem(translate("QgisAgent", "It is a link, and links are not followed."))
        with draft.open("xb") as opened:
            opened.write(raw)
            opened.flush()
            os.fsync(opened.fileno())
        if path.exists():
            os.chmod(str(draft), stat.S_IMODE(os.stat(str(path)).st_mode))  # who may read it stays as it was
        os.replace(str(draft), str(path))
    except OSError as error:
        raise ProjectFileProblem(translate("QgisAgent", "It cannot be written: {}").format(error.strerror)) from error
    finally:
        if os.path.lexists(str(draft)):
            draft.unlink()


def _notes(folder: str) -> str:
    try:
        raw = read_bounded(folder, NOTES_FILE)
    except ProjectFileProblem as problem:
        text = translate("QgisAgent", "The notes of this project ({}) were not read. {}")
        QgsMessageLog.logMessage(
            text.format(FOLDER + "/" + NOTES_FILE, problem), "QGIS Agent", Qgis.MessageLevel.Warning
        )
        return ""
    return (raw or b"").decode("utf-8-sig", "replace")


def _flat(path: str, node: Any) -> List[str]:
    """``a.b: value`` for every value of a JSON document."""
    if isinstance(node, dict) and node:
        return [line for key, value in node.items() for line in _flat(path + "." + key if path else key, value)]
    return [clean_text("{}: {}".format(path or "-", json.dumps(node, ensure_ascii=False)), MAX_BYTES)]
