"""Handlers of the pack "write": the project file."""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Generator, List, Optional, Set

from qgis.core import QgsDataSourceUri, QgsProject, QgsVectorLayer
from qgis.PyQt.QtXml import QDomDocument

from ...call import Call
from ...cards import write_card
from ...confirm import confirmed
from ...drafts import not_written, require_free
from ...errors import FORBIDDEN, INVALID_PARAM, UNSUPPORTED, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...main_thread import BeforeHold
from ...temporary import temporary_layers
from ...undo.project_file import SaveUndo
from ...work import Answer, Step, Work
from ..registry import tool

if TYPE_CHECKING:
    from ...host import Host

Steps = Generator[Step, Any, Answer]
_ENDINGS = (".qgz", ".qgs")
_SECRET = ("password", "passwd", "secret", "token", "apikey", "api_key")


@tool("prepare_save_project", effect="write", runs="task")
def prepare_save_project(call: Call, path: Optional[str] = None) -> Steps:
    """Preview saving the project to its own file or to a new one, and carry it out when the person agrees."""
    project = call.host.project
    target = _new_file(call, path) if path else _own_file(call)
    backup = None if path else _backup_of(target)
    lines = _lines(project, target, backup)
    title = translate("QgisAgent", "Save the project?")
    undo = SaveUndo(project, target, backup)
    card = write_card(call, title, lines, reversible=False, verb="save", undo_words=undo.words())
    return (yield from confirmed(call, card, _Saving(call.host, target, backup, undo), reversible=False))


def _new_file(call: Call, path: str) -> Path:
    ending = Path(path).suffix.lower()
    if ending and ending not in _ENDINGS:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is no ending of a project.").format(clean_text(ending, 20)),
            hint=translate("QgisAgent", "Use .qgz or .qgs."),
            reason="format",
        )
    return call.host.paths.writable(path if ending else path + ".qgz")


def _own_file(call: Call) -> Path:
    name = call.host.project.fileName()
    if not name:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The project has no file yet."),
            hint=translate("QgisAgent", "Give path: a new .qgz file."),
            reason="no_project_file",
        )
    target = Path(os.path.realpath(name))
    if not target.is_file() or target.suffix.lower() not in _ENDINGS:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The project is not kept in a .qgz or .qgs file that is there."),
            hint=translate("QgisAgent", "Give path: a new .qgz file, or ask the person to save it."),
            reason="project_storage",
        )
    if not any(root in target.parents for root in call.host.paths.write_roots()):
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "'{}' is outside the folders that may be written.").format(
                clean_text(target.name, 120)
            ),
            hint=translate("QgisAgent", "Give path: a new file in an allowed folder."),
            reason="path_outside",
        )
    return target


def _backup_of(target: Path) -> Path:
    """A new name beside the project's file: a .qgz leaves no backup of its own."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name, number = "{}_before-{}{}".format(target.stem, stamp, target.suffix), 1
    while os.path.lexists(str(target.with_name(name))):
        number += 1
        name = "{}_before-{}-{}{}".format(target.stem, stamp, number, target.suffix)
    return target.with_name(name)


def _lines(project: QgsProject, target: Path, backup: Optional[Path]) -> List[List[str]]:
    label = translate("QgisAgent", "New file") if backup is None else translate("QgisAgent", "File")
    lines = [
        [translate("QgisAgent", "Project"), clean_text(project.title() or project.baseName() or "-", 200)],
        [label, str(target)],
        [translate("QgisAgent", "Layers"), str(project.count())],
    ]
    if backup is None:
        lines.append([translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")])
        if project.fileName():
            lines.append(
                [translate("QgisAgent", "From then on"), translate("QgisAgent", "the open project is the new file")]
            )
    else:
        lines.append([translate("QgisAgent", "Overwrites"), translate("QgisAgent", "the project as it was saved last")])
        lines.append([translate("QgisAgent", "Kept as a copy"), str(backup)])
    lost = _names(temporary_layers(project))
    if lost:
        text = translate("QgisAgent", "{} (in memory or temporary: export them first)").format(lost)
        lines.append([translate("QgisAgent", "Layers whose data is lost"), text])
    edited = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer) and each.isModified()]
    if edited:
        lines.append([translate("QgisAgent", "Edits that are not saved with it"), _names(edited)])
    return lines + _secret_lines(project)


def _secret_lines(project: QgsProject) -> List[List[str]]:
    """Names only: what they hold is not shown."""
    lines = []
    layers = [each for each in project.mapLayers().values() if QgsDataSourceUri(each.source()).password()]
    if layers:
        lines.append([translate("QgisAgent", "Passwords in plain text in layers"), _names(layers)])
    names = [each for each in project.customVariables() if any(word in each.lower() for word in _SECRET)]
    if names:
        text = ", ".join(clean_text(each, 60) for each in names)
        lines.append([translate("QgisAgent", "Variables in plain text that look secret"), text])
    return lines


def _names(layers: Any) -> str:
    return ", ".join(clean_text(each.name(), 60) for each in layers)


class _Saving:
    """The project to a file."""

    def __init__(self, host: Host, target: Path, backup: Optional[Path], undo: SaveUndo) -> None:
        self._host = host
        self._project = host.project
        self._target = target
        self._backup = backup
        self._undo = undo

    def state(self) -> str:
        """The file as it is on disk, the layers, which of them would be lost, and what the agent has changed since: a save
        that was agreed to must not carry what a call beside it did while the card was read."""
        stamp = os.stat(str(self._target)).st_mtime_ns if os.path.lexists(str(self._target)) else 0
        lost = sorted(each.id() for each in temporary_layers(self._project))
        return repr(
            [self._project.fileName(), stamp, sorted(self._project.mapLayers()), lost, self._host.agent_changes]
        )

    def run(self, call: Call) -> Steps:
        """Copy the old file, write, read what was written, and put everything back when it is not whole."""
        project, target, backup = self._project, self._target, self._backup
        yield BeforeHold()
        require_free([target] if backup is None else [backup])
        name, dirty, done = project.fileName(), project.isDirty(), False
        self._undo.before_change()
        try:
            if backup is not None:
                _copy(target, backup)
            wanted = set(project.mapLayers())
            if not project.write(str(target)):
                raise not_written(clean_text(project.error(), 300) or "-", _hint())
            found = yield Work(translate("QgisAgent", "Checking what was written"), lambda _feedback: layer_ids(target))
            if not wanted <= found:
                raise not_written(
                    translate("QgisAgent", "{} layers are not in it.").format(len(wanted - found)), _hint()
                )
            done = True
        finally:
            if done:
                self._undo.saved(call)
            else:
                self._as_before(name, dirty)
                self._undo.not_saved()
        return self._answer(call)

    def _as_before(self, name: str, dirty: bool) -> None:
        if self._backup is None:
            self._target.unlink(missing_ok=True)
        elif self._backup.exists():
            os.replace(str(self._backup), str(self._target))
        if self._project.fileName() != name:
            self._project.setFileName(name)
        self._project.setDirty(dirty)

    def _answer(self, call: Call) -> Answer:
        lost = [
            call.host.layers.alias(each)
            for each in temporary_layers(self._project)
            if not call.host.layers.is_hidden(each)
        ]
        call.acted("save_project", path=str(self._target))
        call.add_evidence(self._target.name, translate("QgisAgent", "{} layers").format(self._project.count()))
        data: Dict[str, Any] = {
            "written": True,
            "path": str(self._target),
            "layers": self._project.count(),
            "bytes": self._target.stat().st_size,
        }
        if self._backup is not None:
            data["copy_of_the_old_file"] = str(self._backup)
        message = translate("QgisAgent", "Saved, and every layer found in the file.")
        if lost:
            data["lost_when_qgis_closes"] = lost
            message += " " + translate("QgisAgent", "Layers in memory are empty when it is opened again: export them.")
        return Answer(data, message)


def layer_ids(path: Path) -> Set[str]:
    """The ids of the layers in a project's file. UPSTREAM_ERROR when it cannot be read. On a worker thread."""
    try:
        if path.suffix.lower() == ".qgz":
            with zipfile.ZipFile(str(path)) as archive:
                name = next(each for each in archive.namelist() if each.lower().endswith(".qgs"))
                content = archive.read(name)
        else:
            content = path.read_bytes()
    except (OSError, zipfile.BadZipFile, StopIteration) as error:
        raise _unreadable() from error
    document = QDomDocument()
    if not document.setContent(content)[0]:
        raise _unreadable()
    layers = document.elementsByTagName("maplayer")
    return {layers.at(index).firstChildElement("id").text() for index in range(layers.count())}


def _unreadable() -> ToolError:
    return not_written(translate("QgisAgent", "the file cannot be read again."), _hint())


def _copy(source: Path, target: Path) -> None:
    """A whole copy or none: a part of one, put back later, would destroy the project."""
    try:
        with open(str(source), "rb") as read, open(str(target), "xb") as written:
            shutil.copyfileobj(read, written)
            written.flush()
            os.fsync(written.fileno())
        shutil.copystat(str(source), str(target))
    except FileExistsError as error:
        raise not_written(error.strerror or "-", _hint()) from error
    except OSError as error:
        target.unlink(missing_ok=True)
        raise not_written(error.strerror or "-", _hint()) from error


def _hint() -> str:
    return translate("QgisAgent", "The old file is as before; try a new path.")
