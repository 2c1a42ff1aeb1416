"""Handlers of the pack "write": bookmarks, of the project or of the person."""

from __future__ import annotations

import math
from typing import Any, Dict, Generator, List, Optional, Sequence

from qgis.core import (
    QgsApplication,
    QgsBookmark,
    QgsBookmarkManager,
    QgsCoordinateReferenceSystem,
    QgsRectangle,
    QgsReferencedRectangle,
)

from ...call import Call
from ...cards import write_card
from ...confirm import confirmed
from ...errors import AMBIGUOUS, INVALID_PARAM, NOT_FOUND, UPSTREAM_ERROR, ToolError, hint_for_name
from ...extents import bbox_degrees
from ...i18n import translate
from ...layers import clean_text
from ...tree import Settled
from ...work import Answer, Step
from ..registry import tool

Steps = Generator[Step, Any, Answer]
NAME_LENGTH = 80


@tool("prepare_bookmark", effect="write", runs="task")
def prepare_bookmark(
    call: Call, name: str, action: str = "add", bbox: Optional[Sequence[float]] = None, store: str = "project"
) -> Steps:
    """Preview a bookmark that is added or removed, and carry it out when the person agrees."""
    manager = _manager(call, store)
    job = _adding(call, manager, name, bbox, store) if action == "add" else _removing(manager, name, bbox, store)
    adds = action == "add"
    title = translate("QgisAgent", "Store a bookmark?") if adds else translate("QgisAgent", "Remove a bookmark?")
    card = write_card(call, title, job.lines(call), reversible=True, verb="save" if adds else "remove")
    return (yield from confirmed(call, card, job, reversible=True))


def _manager(call: Call, store: str) -> QgsBookmarkManager:
    return call.host.project.bookmarkManager() if store == "project" else QgsApplication.bookmarkManager()


def _called(manager: QgsBookmarkManager, name: str) -> List[QgsBookmark]:
    return [each for each in manager.bookmarks() if each.name() == name]


class _Bookmarking:
    """A bookmark to add (without an id), or to remove."""

    def __init__(self, manager: QgsBookmarkManager, bookmark: QgsBookmark, store: str, adds: bool) -> None:
        self._manager = manager
        self._bookmark = bookmark
        self._store = store
        self._adds = adds

    def lines(self, call: Call) -> List[List[str]]:
        """The effect in words."""
        mine = self._store == "project"
        where = (
            translate("QgisAgent", "the project (kept when it is saved)")
            if mine
            else translate("QgisAgent", "your QGIS profile")
        )
        box = self._box(call)
        text = "-" if box is None else ", ".join("{:g}".format(each) for each in box)
        return [
            [translate("QgisAgent", "Bookmark"), clean_text(self._bookmark.name(), 200)],
            [translate("QgisAgent", "Kept in"), where],
            [translate("QgisAgent", "West, south, east, north"), text],
        ]

    def _box(self, call: Call) -> Optional[List[float]]:
        extent = self._bookmark.extent()
        return bbox_degrees(QgsRectangle(extent), extent.crs(), call.host.project)

    def state(self) -> str:
        """The bookmarks of that name."""
        return repr([(each.id(), each.extent().toString()) for each in _called(self._manager, self._bookmark.name())])

    def run(self, call: Call) -> Steps:
        """Add or remove it and look whether it is there."""
        name = self._bookmark.name()
        if self._adds:
            ident, worked = self._manager.addBookmark(self._bookmark)
            found = self._manager.bookmarkById(ident)
            worked = worked and found.name() == name and found.extent() == self._bookmark.extent()
        else:
            worked = self._manager.removeBookmark(self._bookmark.id()) and not _called(self._manager, name)
        if not worked:
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "QGIS did not take the bookmark."),
                hint=translate("QgisAgent", "Try another name, or the other store."),
                reason="bookmark",
            )
        if self._store == "project":
            call.host.project.setDirty(True)
        call.acted("add_bookmark" if self._adds else "remove_bookmark", name=name, store=self._store)
        data: Dict[str, Any] = {
            "written": True,
            "name": clean_text(name, NAME_LENGTH),
            "action": "add" if self._adds else "remove",
            "store": self._store,
            "bbox": self._box(call),
            "bookmarks": len(self._manager.bookmarks()),
        }
        message = ""
        if self._store == "project":
            message = translate("QgisAgent", "It is kept for good when the project is saved.")
        yield Settled()
        return Answer(data, message)


def _adding(
    call: Call, manager: QgsBookmarkManager, name: str, bbox: Optional[Sequence[float]], store: str
) -> _Bookmarking:
    wanted = clean_text(name, NAME_LENGTH)
    if not wanted or "[%" in wanted:
        raise _refused(
            translate("QgisAgent", "The name is empty or has '[%', which QGIS would evaluate."),
            translate("QgisAgent", "Give a plain name of at most {} characters.").format(NAME_LENGTH),
            "name",
        )
    if _called(manager, wanted):
        raise _refused(
            translate("QgisAgent", "There is a bookmark '{}' already.").format(wanted),
            translate("QgisAgent", "Give another name, or remove that one first."),
            "exists",
        )
    bookmark = QgsBookmark()
    bookmark.setName(wanted)
    bookmark.setExtent(call.host.extent() if bbox is None else _rectangle(bbox))
    return _Bookmarking(manager, bookmark, store, adds=True)


def _rectangle(bbox: Sequence[float]) -> QgsReferencedRectangle:
    west, south, east, north = (float(each) for each in bbox)
    fits = all(math.isfinite(each) for each in bbox) and -180 <= west < east <= 180 and -90 <= south < north <= 90
    if not fits:
        raise _refused(
            translate("QgisAgent", "This is no box in degrees."),
            translate("QgisAgent", "Give [west, south, east, north], west < east and south < north."),
            "bbox",
        )
    return QgsReferencedRectangle(QgsRectangle(west, south, east, north), QgsCoordinateReferenceSystem("EPSG:4326"))


def _removing(manager: QgsBookmarkManager, name: str, bbox: Optional[Sequence[float]], store: str) -> _Bookmarking:
    if bbox is not None:
        raise _refused(
            translate("QgisAgent", "A bookmark is removed by its name."),
            translate("QgisAgent", "Leave bbox out."),
            "bbox",
        )
    found = _called(manager, name)
    if not found:
        names = [clean_text(each.name(), NAME_LENGTH) for each in manager.bookmarks()]
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "There is no bookmark '{}'.").format(clean_text(name, NAME_LENGTH)),
            hint=hint_for_name(name, names, "bookmark"),
            reason="bookmark",
        )
    if len(found) > 1:
        raise ToolError(
            AMBIGUOUS,
            translate("QgisAgent", "{} bookmarks are called '{}'.").format(len(found), clean_text(name, NAME_LENGTH)),
            hint=translate("QgisAgent", "Ask the person to remove the right one in QGIS's bookmark panel."),
            reason="bookmark",
        )
    return _Bookmarking(manager, found[0], store, adds=False)


def _refused(message: str, hint: str, reason: str) -> ToolError:
    return ToolError(INVALID_PARAM, message, hint=hint, reason=reason)
