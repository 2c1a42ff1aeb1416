"""Taking back that the project was saved: its file holds again what it held, or is gone when it was a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, List, Optional

from qgis.core import QgsProject
from qgis.PyQt import sip

from ..drafts import not_written
from ..i18n import translate
from ..layers import clean_text
from . import store
from .files import CannotUndo, ChangedFiles, keep_copies
from .record import record

if TYPE_CHECKING:
    from ..call import Call


class SaveUndo:
    """For one saving. ``backup``: the copy beside the file that the saving itself leaves; None for a new file."""

    def __init__(self, project: QgsProject, target: Path, backup: Optional[Path]) -> None:
        self._project = project
        self._target = target
        self._backup = backup
        self._name = project.fileName()
        self._fits = store.fits(self._files())
        self._item: Optional[ChangedFiles] = None

    def words(self) -> str:
        """What Undo does about it, for the card."""
        if not self._fits:
            return self._cannot()
        if self._backup is not None:
            return translate(
                "QgisAgent",
                "Undo gives the file back what it holds now and removes the copy; it asks if it was saved since.",
            )
        if self._name:
            text = translate(
                "QgisAgent",
                "Undo removes the new file, and the open project is {} again; it asks if it was saved since.",
            )
            return text.format(clean_text(Path(self._name).name, 120))
        return translate("QgisAgent", "Undo removes the new file; it asks if it was saved since.")

    def before_change(self) -> None:
        """Keep copies. UPSTREAM_ERROR when that fails: the card had promised it."""
        if not self._fits:
            return
        try:
            copies = keep_copies(self._files())
        except OSError as error:
            hint = translate("QgisAgent", "Make room in the QGIS profile's folder; nothing was changed.")
            raise not_written(clean_text(error.strerror or "-", 120), hint) from error
        words = translate("QgisAgent", "the saved project {}").format(clean_text(str(self._target), 400))
        self._item = ChangedFiles("file:{}".format(self._target), words, copies, self._settle)

    def saved(self, call: Call) -> None:
        """It is saved and was looked at."""
        if self._item is None:
            record(call, CannotUndo("file:{}".format(self._target), self._cannot()))
            return
        self._item.left()
        record(call, self._item)

    def not_saved(self) -> None:
        """It failed, and the file is as before."""
        if self._item is not None:
            self._item.discard()

    def _files(self) -> List[Path]:
        """The file and what QGIS writes beside it: its own backup, auxiliary data and attachments of a .qgs."""
        target = self._target
        beside = [target.with_name(target.name + "~"), target.with_suffix(".qgd")]
        beside.append(target.with_name(target.stem + "_attachments.zip"))
        own = [] if self._backup is None else [self._backup]
        return [target, *(beside if target.suffix.lower() == ".qgs" else beside[:1]), *own]

    def _cannot(self) -> str:
        text = translate("QgisAgent", "The saving of {} cannot be undone: the file is too large for a copy.")
        return text.format(clean_text(self._target.name, 120))

    def _settle(self) -> None:
        """The file is back: the open project is called as before, and differs from what is saved."""
        if sip.isdeleted(self._project):
            return
        if self._project.fileName() != self._name:
            self._project.setFileName(self._name)
        self._project.setDirty(True)
