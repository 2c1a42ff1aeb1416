"""A permission prompt says first what would be done; the call itself stands below."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.PyQt.QtWidgets import QFormLayout, QTextEdit

from qgis_agent.gui.dialogs.approval import ApprovalDialog

NAME = "Schools of the town"


def points(name: str = NAME) -> Any:
    return memory_layer("Point?crs=EPSG:4326&field=name:string(20)", [("POINT(1 2)", ["a"])], name)


def asked(bench: Bench, tool: str, **arguments: Any) -> dict[str, Any]:
    """The card of a call that a person has to allow."""
    bench.issue(level="read_only")
    bench.approver.answer = None
    bench.begin(tool, arguments, [])
    return bench.approver.cards[-1]


@pytest.mark.parametrize(("visible", "verb"), [(True, "Show"), (False, "Hide")])
def test_the_title_is_the_deed_on_the_layer_by_its_name(bench: Bench, visible: bool, verb: str) -> None:
    bench.add(points())
    card = asked(bench, "toggle_layer", layer_id="Schools_of_the_town", visible=visible)
    assert card["title"] == f"{verb} the layer “{NAME}”?"
    assert ["Effect", "changes how the open project looks; nothing is saved"] in card["lines"]


def test_a_name_cannot_move_or_hide_the_words_of_the_title(bench: Bench) -> None:
    bench.add(points("a\n\u202eb" + "x" * 300))
    (alias,) = bench.host.layers.aliases()
    title = asked(bench, "toggle_layer", layer_id=alias, visible=False)["title"]
    assert "\n" not in title and "\u202e" not in title and len(title) < 100
    assert title.startswith("Hide the layer “a b") and title.endswith("”?")


def test_the_window_shows_the_deed_first_and_the_call_last(bench: Bench, qtbot: Any) -> None:
    bench.add(points())
    card = asked(bench, "toggle_layer", layer_id="Schools_of_the_town", visible=False)
    window = ApprovalDialog(card)
    qtbot.addWidget(window)
    form = window.findChild(QFormLayout)
    labels = [form.itemAt(row, QFormLayout.ItemRole.LabelRole).widget().text() for row in range(form.rowCount())]
    assert labels[0] == "Effect" and labels[-1] == "Tool"
    shown = [each.toPlainText() for each in window.findChildren(QTextEdit)]
    assert shown[-2:] == ["toggle_layer", card["arguments"]]
    window.withdraw()
