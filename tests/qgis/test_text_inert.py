"""Text of others and of a model is inert in the chat (AT12): no links but after a question, no pictures, no HTML, no standstill."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hostile_calls import Sink
from injected_world import PAYLOADS
from qgis.PyQt.QtCore import QUrl
from qgis.PyQt.QtGui import QDesktopServices
from qgis.PyQt.QtWidgets import QApplication, QMessageBox

from qgis_agent.gui.markdown import safe_link, shown_address
from qgis_agent.gui.text_view import MAX_CHARS, TextView


@pytest.fixture
def view(qtbot: Any) -> TextView:
    made = TextView()
    qtbot.addWidget(made)
    made.resize(360, 100)
    made.show()
    return made


def links_of(view: TextView) -> list[str]:
    """Addresses of everything that can be clicked."""
    found = []
    block = view.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            look = pieces.fragment().charFormat()
            if look.isAnchor() or look.anchorHref():
                found.append(look.anchorHref())
            pieces += 1
        block = block.next()
    return found


def has_picture(view: TextView) -> bool:
    return "\ufffc" in view.document().toRawText()


def boxes() -> list[QMessageBox]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, QMessageBox) and each.isVisible()]


@pytest.mark.parametrize(
    "text",
    [
        "[a](javascript:alert(1))", "[a](file:///etc/passwd)", "[a](qgis://x)", "[a](data:text/html,x)", "[a](//evil.invalid/x)",
        "[a](mailto:a@b.invalid)", "<file:///etc/passwd>", "[a][r]\n\n[r]: file:///etc/passwd", "[a](/etc/passwd)", "[a](#x)",
        "[a](http://bank.invalid@evil.invalid/)", "[a](JaVaScRiPt:alert(1))", "[a](&#106;avascript:alert(1))", "[a](vbscript:x)",
        "[a](\\\\evil\\share)", "[a](smb://evil/x)", "[a]( file:///x )", "[![p](file:///p.png)](file:///etc/passwd)",
    ],
)  # fmt: skip
def test_only_web_addresses_can_be_clicked(view: TextView, text: str) -> None:
    view.set_markdown(text)
    assert links_of(view) == []
    assert view.toPlainText().strip()


def test_a_web_address_is_a_link_that_says_where_it_leads(view: TextView) -> None:
    view.set_markdown("[the report](https://xn--e1awd7f.invalid/x?d=1) and <https://a.invalid/>")
    assert links_of(view) == ["https://xn--e1awd7f.invalid/x?d=1", "https://a.invalid/"]


@pytest.mark.parametrize(
    "text",
    [
        "![p](http://127.0.0.1:{port}/p.png)", "![p][r]\n\n[r]: http://127.0.0.1:{port}/p.png", "<img src='http://127.0.0.1:{port}/'>",
        "&lt;img src='http://127.0.0.1:{port}/'&gt;", "![p](file:///etc/hostname)", "<iframe src=http://127.0.0.1:{port}/></iframe>",
        "![a ![b](http://127.0.0.1:{port}/b)](http://127.0.0.1:{port}/a)", "<style>@import url(http://127.0.0.1:{port}/)</style>",
    ],
)  # fmt: skip
def test_nothing_is_fetched_for_a_text(view: TextView, text: str) -> None:
    sink = Sink()
    try:
        view.set_markdown(text.replace("{port}", str(sink.port)))
        view.grab()
        QApplication.processEvents()
        time.sleep(0.05)
        assert sink.connections == 0
        assert not has_picture(view)
        if "<" in text or "&lt;" in text:
            assert "src=" in view.toPlainText() or "style" in view.toPlainText()
    finally:
        sink.close()


def test_the_question_shows_the_address_as_it_is_sent(view: TextView, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Cyrillic о in a host looks Latin; the question has it as punycode."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    view.anchorClicked.emit(QUrl("https://gооgle.invalid/?owner=王"))
    (box,) = boxes()
    assert "https://xn--ggle-55da.invalid/?owner=%E7%8E%8B" in box.informativeText()
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert opened == []
    for address in ("http://bank.invalid@evil.invalid/", "https:///x", "http://[::1", "file://host/x"):
        view.anchorClicked.emit(QUrl(address))
        assert boxes() == []
    assert not safe_link("https://a.invalid/ x").isValid()
    assert shown_address(QUrl("https://a.invalid/\u202egpj.exe")) == "https://a.invalid/%E2%80%AEgpj.exe"


def test_payloads_are_shown_as_text(view: TextView) -> None:
    for payload in PAYLOADS:
        text = payload["text"].replace("{sink}", "http://127.0.0.1:1").replace("{outside}", "/tmp")
        view.set_plain(text)
        assert links_of(view) == [] and not has_picture(view)
        view.set_markdown(text)
        assert not has_picture(view)
        assert all(each.startswith("http://127.0.0.1:1") for each in links_of(view))


@pytest.mark.parametrize(
    "piece",
    ["a", "字", "word ", "[", "> ", "*a_ ", "[a](http://x.invalid/?q=1) ", "![a](http://x.invalid/q.png) ", "`", "~a", "- a\n", "[a",
     "<", "\ufffc", "|a|b|\n|-|-|\n", "&#106;", "\n"],
)  # fmt: skip
def test_a_megabyte_does_not_stop_the_panel(view: TextView, piece: str) -> None:
    """Without the limit one line of a megabyte, or a thousand links, took minutes."""
    text = piece * (1_000_000 // len(piece))
    began = time.monotonic()
    view.set_markdown(text)
    view.set_plain(text)
    assert time.monotonic() - began < 10
    assert len(view.toPlainText()) <= MAX_CHARS * 1.01 + 200
