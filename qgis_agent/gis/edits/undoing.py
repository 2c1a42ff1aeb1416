"""How a saved edit is going to be taken back: found out before the card, made ready before the edit, recorded after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Generator, Optional, Sequence

from qgis.core import QgsFeature, QgsProject, QgsVectorLayer
from qgis.PyQt import sip

from ..call import Call
from ..errors import UPSTREAM_ERROR, ToolError
from ..i18n import translate
from ..layers import clean_text
from ..source_files import local_path
from ..undo import store
from ..undo.edits import COPY, INVERSE, NONE, FeatureKeeper, SavedEdit, cannot_words, remains, undo_words, way_of
from ..undo.files import CannotUndo, ChangedFiles, family_of, keep_copies
from ..undo.record import record
from ..work import Step, Work
from .plan import EditPlan

Steps = Generator[Step, Any, None]


class EditUndo:
    """For an edit that is saved at once. (One that stays in the edit buffer goes back by the layer's own undo stack.)"""

    def __init__(self, layer: QgsVectorLayer) -> None:
        self._layer = layer
        self._way = way_of(layer)
        self._before: Dict[int, QgsFeature] = {}
        self._files: Optional[ChangedFiles] = None

    def look(self, action: str, ids: Sequence[int]) -> Steps:
        """Keep the features that are deleted or get another shape: before the card, for it says whether they fit."""
        if self._way == INVERSE and action in ("delete", "geometry"):
            kept = yield Work(translate("QgisAgent", "Keeping what is changed"), FeatureKeeper(self._layer, ids).read)
            if kept is None:
                self._way = NONE
            else:
                self._before = kept

    @property
    def reversible(self) -> bool:
        """Whether Undo takes it back."""
        return self._way != NONE

    def words(self, action: str) -> str:
        """What Undo does about it, for the card."""
        return undo_words(self._layer, action, self._way)

    def before_change(self) -> Steps:
        """Keep a copy of the file where that is the way. UPSTREAM_ERROR when it cannot be kept: the card had promised it."""
        if self._way != COPY:
            return
        store.session_folder()  # made on the main thread
        path = Path(local_path(self._layer))
        try:
            copies = yield Work(
                translate("QgisAgent", "Keeping a copy of the file"), lambda _feedback: keep_copies(family_of(path))
            )
        except OSError as error:
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "No copy of the file could be kept: {}").format(
                    clean_text(error.strerror or "-", 120)
                ),
                hint=translate("QgisAgent", "Make room in the QGIS profile's folder; nothing was changed."),
                reason="no_copy",
            ) from error
        words = translate("QgisAgent", "the saved edit in {}").format(clean_text(str(path), 400))
        project = QgsProject.instance() if self._layer.project() is None else self._layer.project()
        self._files = ChangedFiles("file:{}".format(path), words, copies, lambda: reload_from(project, path))

    def saved(self, call: Call, plan: EditPlan, added: Sequence[int]) -> None:
        """It is saved; ``added``: the ids that new features have got."""
        if self._files is not None:
            self._files.left()
            record(call, self._files)
        elif self._way == INVERSE:
            record(call, SavedEdit(self._layer, plan, self._before, added, call.host.checkpoints.renumber))
            for text in remains(self._layer, plan.action):
                record(call, CannotUndo("edit:{}:remains".format(self._layer.id()), text))
        else:
            record(call, CannotUndo("edit:{}".format(self._layer.id()), cannot_words(self._layer)))

    def partly_saved(self, call: Call) -> None:
        """The data took a part of the edit and refused the rest."""
        if self._files is not None:
            self._files.left()
            record(call, self._files)
            return
        words = translate("QgisAgent", "A part of the edit of '{}' was saved although the edit failed.")
        record(
            call, CannotUndo("edit:{}:part".format(self._layer.id()), words.format(clean_text(self._layer.name(), 60)))
        )

    def not_saved(self) -> None:
        """Nothing was changed: the copy goes."""
        if self._files is not None:
            self._files.discard()


def reload_from(project: QgsProject, path: Path) -> None:
    """A file was put back: layers that read it open it again."""
    for layer in project.mapLayers().values():
        if not sip.isdeleted(layer) and local_path(layer) == str(path):
            layer.dataProvider().reloadData()
            if isinstance(layer, QgsVectorLayer):
                layer.updateExtents()
            layer.triggerRepaint()
