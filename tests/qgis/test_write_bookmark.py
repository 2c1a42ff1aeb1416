"""Bookmarks: of the present view or a box, in the project or the profile; found by QGIS's own manager."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsApplication, QgsBookmark, QgsCoordinateReferenceSystem, QgsRectangle


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A person who agrees, looking at 10..20° E, 30..40° N; bookmarks of the profile are put back in the end."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(15 35)", [1])], "p"))
    bench.host.set_extent(QgsRectangle(10, 30, 20, 40), QgsCoordinateReferenceSystem("EPSG:4326"))
    for each in bench.host.project.bookmarkManager().bookmarks():
        bench.host.project.bookmarkManager().removeBookmark(each.id())
    return bench


def found(bench: Bench) -> dict[str, Any]:
    """The project's bookmarks by name."""
    return {each.name(): each.extent() for each in bench.host.project.bookmarkManager().bookmarks()}


def test_the_present_view_is_stored_and_removed(chat: Bench) -> None:
    """As the map shows it; removed by its name."""
    view = chat.host.extent()
    data = chat.ok("prepare_bookmark", name="中心 Centre")
    assert found(chat) == {"中心 Centre": view}
    assert data["bbox"] == pytest.approx(chat.host.view_bbox(), abs=1e-9)
    assert dict(chat.approver.cards[-1]["lines"])["Bookmark"] == "中心 Centre"
    assert chat.host.project.isDirty()
    chat.ok("prepare_bookmark", name="中心 Centre", action="remove")
    assert found(chat) == {}


def test_a_box_in_the_profile(chat: Bench) -> None:
    """In the person's own list, not in the project's."""
    manager = QgsApplication.bookmarkManager()
    chat.ok("prepare_bookmark", name="W5 box", bbox=[114, 30, 115, 31], store="user")
    mine = [each for each in manager.bookmarks() if each.name() == "W5 box"]
    box = mine[0].extent()
    assert (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()) == (114, 30, 115, 31)
    assert box.crs().authid() == "EPSG:4326"
    assert found(chat) == {}
    chat.ok("prepare_bookmark", name="W5 box", action="remove", store="user")
    assert not [each for each in manager.bookmarks() if each.name() == "W5 box"]


def test_refused(chat: Bench) -> None:
    """A name that is taken, or that QGIS would evaluate; no box; no such bookmark; two of a name; a no."""
    chat.ok("prepare_bookmark", name="one")
    assert chat.call("prepare_bookmark", name="one")["reason"] == "exists"
    assert chat.call("prepare_bookmark", name="[% 1 %]")["reason"] == "name"
    assert chat.call("prepare_bookmark", name="two", bbox=[20, 30, 10, 40])["reason"] == "bbox"
    envelope = chat.call("prepare_bookmark", name="onne", action="remove")
    assert envelope["code"] == "NOT_FOUND" and "one" in envelope["hint"]
    twin = QgsBookmark()
    twin.setName("one")
    chat.host.project.bookmarkManager().addBookmark(twin)
    assert chat.code("prepare_bookmark", name="one", action="remove") == "AMBIGUOUS"
    chat.approver.answer = "deny"
    assert chat.code("prepare_bookmark", name="three") == "PERMISSION_DENIED"
    assert set(found(chat)) == {"one"}
