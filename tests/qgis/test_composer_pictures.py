"""Pictures that a person pastes: made small, shown as chips, taken out, sent with the message, and refused where no model sees."""

from __future__ import annotations

import base64
import hashlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import Answering, Bench
from qgis.core import QgsSettings
from qgis.PyQt.QtCore import QMimeData, Qt, QUrl
from qgis.PyQt.QtGui import QColor, QImage, QPixmap
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QLabel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gis.pictures import MAX_BYTES, MAX_SIDE, Picture, prepared
from qgis_agent.gis.runs import RunController
from qgis_agent.gui import vision
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.settings import sight
from qgis_agent.gui.settings.store import KeyRing, ModelChoice, RoleChoice, controller_config, load_choice, save_choice

Key = Qt.Key


def flat(width: int = 80, height: int = 60, colour: str = "#2060a0") -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(QColor(colour))
    return image


def noise(width: int, height: int) -> QImage:
    """What compresses worst."""
    pixels = np.random.default_rng(3).integers(0, 256, (height, width, 4), dtype=np.uint8)
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def read(picture: Picture) -> QImage:
    image = QImage()
    assert image.loadFromData(picture.content, picture.media_type.partition("/")[2].upper())
    return image


# made small


@pytest.mark.parametrize(
    ("size", "shown"), [((3136, 784), (1568, 392)), ((100, 4000), (39, 1568)), ((800, 600), (800, 600))]
)
def test_the_longest_side_is_within_what_services_read(size: tuple[int, int], shown: tuple[int, int]) -> None:
    picture = prepared(flat(*size))
    assert picture is not None
    assert (picture.width, picture.height) == shown
    assert (read(picture).width(), read(picture).height()) == shown and max(shown) <= MAX_SIDE


def test_maps_stay_sharp_and_photographs_become_small() -> None:
    sharp, photo = prepared(flat()), prepared(noise(900, 900))
    assert sharp is not None and photo is not None
    assert sharp.media_type == "image/png" and QColor(read(sharp).pixel(5, 5)).name() == "#2060a0"
    assert photo.media_type == "image/jpeg"
    for each in (sharp, photo, prepared(noise(1568, 1568))):
        assert each is not None and len(each.content) <= MAX_BYTES
        assert each.sha256 == hashlib.sha256(each.content).hexdigest()
        assert base64.b64decode(each.message()["data"]) == each.content and "content" not in each.meta()


def test_nothing_but_pixels_is_sent() -> None:
    """What a file says of place and author is not in it; what is transparent is white."""
    image = flat()
    image.setText("Author", "Ada Lovelace")
    image.fill(Qt.GlobalColor.transparent)
    picture = prepared(image)
    assert picture is not None and b"Lovelace" not in picture.content
    assert QColor(read(picture).pixel(5, 5)).name() == "#ffffff"


def test_an_empty_picture_is_none() -> None:
    assert prepared(QImage()) is None


def test_a_large_screenshot_takes_no_second() -> None:
    started = time.monotonic()
    assert prepared(flat(3840, 2160)) is not None
    assert time.monotonic() - started < 1.5


# the composer


@pytest.fixture
def controller() -> FakeController:
    return FakeController()


@pytest.fixture
def dock(qtbot: Any, controller: FakeController) -> Iterator[AgentDock]:
    made = AgentDock(controller, list)
    qtbot.addWidget(made)
    made.resize(380, 600)
    made.show()
    yield made


def paste(dock: AgentDock, image: QImage, text: str = "") -> None:
    mime = QMimeData()
    mime.setImageData(image)
    if text:
        mime.setText(text)
    QApplication.clipboard().setMimeData(mime)
    dock.composer.edit.paste()
    QTest.qWait(5)


def names(dock: AgentDock) -> list[str]:
    return [each.accessibleName() for each in dock.composer.pictures.chips()]


def test_a_pasted_picture_is_a_chip_and_goes_with_the_words(dock: AgentDock, controller: FakeController) -> None:
    paste(dock, flat())
    paste(dock, flat(colour="#a02020"))
    paste(dock, flat())  # the same again
    assert [each.partition(":")[0] for each in names(dock)] == ["Picture 1", "Picture 2"]
    assert "80 × 60" in names(dock)[0]
    dock.composer.set_text("Which colours?")
    dock.composer.submit()
    assert controller.started == ["Which colours?"]
    sent = controller.pictures[-1]
    assert [QColor(read(each).pixel(5, 5)).name() for each in sent] == ["#2060a0", "#a02020"]
    assert names(dock) == [] and not dock.composer.pictures.isVisible()
    bubble = dock.conversation.findChildren(QLabel, options=Qt.FindChildOption.FindChildrenRecursively)
    assert [each.accessibleName() for each in bubble if each.pixmap() and not each.pixmap().isNull()] == [
        "Picture 1",
        "Picture 2",
    ]


def test_a_chip_shows_the_picture_and_is_taken_out_by_key_and_click(dock: AgentDock) -> None:
    paste(dock, flat())
    paste(dock, flat(colour="#a02020"))
    chip = dock.composer.pictures.chips()[1]
    colours = {QColor(chip.grab().toImage().pixel(x, chip.height() // 2)).name() for x in range(chip.width())}
    assert "#a02020" in colours
    QTest.keyClick(chip, Key.Key_Delete)
    assert len(names(dock)) == 1
    dock.composer.pictures.chips()[0].click()
    assert names(dock) == [] and dock.composer.pictures.pictures() == []


def test_words_beside_a_picture_are_what_is_pasted(dock: AgentDock) -> None:
    """A table that is copied brings a picture of itself."""
    paste(dock, flat(), "a\tb")
    assert dock.composer.text() == "a\tb" and names(dock) == []


def test_a_file_is_no_picture(dock: AgentDock, tmp_path: Path) -> None:
    path = tmp_path / "dem.png"
    flat().save(str(path))
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    QApplication.clipboard().setMimeData(mime)
    dock.composer.edit.paste()
    assert names(dock) == []


def test_a_picture_alone_is_no_message(dock: AgentDock, controller: FakeController) -> None:
    paste(dock, flat())
    dock.composer.submit()
    assert controller.started == [] and "picture" in dock.composer.note.text()


def test_four_at_the_most(dock: AgentDock) -> None:
    for number in range(5):
        paste(dock, flat(colour=f"#00{number}000"))
    assert len(names(dock)) == 4 and "4" in dock.composer.note.text()


def test_where_no_model_sees_it_is_said_and_nothing_is_attached(dock: AgentDock, controller: FakeController) -> None:
    dock.composer.pictures.problem = lambda: "“m” sees no pictures."
    paste(dock, flat())
    assert names(dock) == [] and dock.composer.note.text() == "“m” sees no pictures."
    dock.composer.pictures.problem = lambda: ""
    paste(dock, flat())
    dock.composer.set_text("Which?")
    dock.composer.pictures.problem = lambda: "“m” sees no pictures."  # another model was chosen meanwhile
    dock.composer.submit()
    assert controller.started == [] and dock.composer.text() == "Which?" and len(names(dock)) == 1


def test_a_waiting_message_keeps_its_pictures(dock: AgentDock, controller: FakeController) -> None:
    dock.send("first")
    paste(dock, flat())
    dock.composer.set_text("second")
    dock.composer.submit()
    assert names(dock) == [] and "pictures: 1" in dock.queued._label.text()
    dock._take_back()
    assert len(names(dock)) == 1 and dock.composer.text() == "second"
    dock.composer.submit()
    controller.end(answer="x")
    QTest.qWait(20)
    assert controller.started == ["first", "second"] and [len(each) for each in controller.pictures] == [0, 1]


COLOURS = ["#101010", "#202020", "#303030", "#404040", "#505050", "#606060"]


def colours(pictures: Any) -> list[str]:
    return [QColor(read(each).pixel(5, 5)).name() for each in pictures]


def test_pictures_that_a_waiting_message_does_not_take_are_in_the_field_again(
    dock: AgentDock, controller: FakeController
) -> None:
    """Three and three, one of them in both messages: four wait, the fifth is said and stays with the person."""
    dock.send("first")
    for text, attached in (("second", COLOURS[:3]), ("third", COLOURS[2:5])):
        for colour in attached:
            paste(dock, flat(colour=colour))
        dock.composer.set_text(text)
        dock.composer.submit()
    assert colours(dock.queued.pictures) == COLOURS[:4] and "pictures: 4" in dock.queued._label.text()
    assert colours(dock.composer.pictures.pictures()) == [COLOURS[4]]
    assert "4 pictures at the most" in dock.composer.note.text() and dock.composer.note.isVisible()
    controller.end(answer="x")
    QTest.qWait(20)
    assert controller.started[-1] == "second\nthird" and colours(controller.pictures[-1]) == COLOURS[:4]
    assert len(names(dock)) == 1


def test_a_waiting_message_that_is_taken_back_loses_no_picture(dock: AgentDock, controller: FakeController) -> None:
    """More than a message takes are shown, that is said, and nothing is sent until some are taken out."""
    dock.send("first")
    for colour in COLOURS[:3]:
        paste(dock, flat(colour=colour))
    dock.composer.set_text("second")
    dock.composer.submit()
    for colour in COLOURS[3:]:
        paste(dock, flat(colour=colour))
    dock._take_back()
    assert colours(dock.composer.pictures.pictures()) == COLOURS and dock.composer.text() == "second"
    assert "4 pictures at the most" in dock.composer.note.text()
    controller.end(answer="x")
    dock.composer.note.forget()
    dock.composer.submit()
    assert controller.started == ["first"] and "4 pictures at the most" in dock.composer.note.text()
    for _ in range(2):
        dock.composer.pictures.chips()[-1].click()
    dock.composer.submit()
    assert controller.started == ["first", "second"] and colours(controller.pictures[-1]) == COLOURS[:4]


def test_a_message_that_is_changed_and_sent_again_has_its_pictures(dock: AgentDock, controller: FakeController) -> None:
    paste(dock, flat())
    dock.composer.set_text("Which?")
    dock.composer.submit()
    controller.end(answer="Blue.")
    paste(dock, flat(colour="#a02020"))
    dock.resend.begin()
    assert len(names(dock)) == 1 and dock.composer.text() == "Which?"
    dock.composer.end_edit(False)
    assert [QColor(read(each).pixel(5, 5)).name() for each in dock.composer.pictures.pictures()] == ["#a02020"]
    dock.resend.begin()
    dock.composer.set_text("Which one?")
    dock.composer.submit()
    assert controller.started[-1] == "Which one?" and len(controller.pictures[-1]) == 1


def test_retry_shows_them_again(dock: AgentDock, controller: FakeController) -> None:
    paste(dock, flat())
    dock.composer.set_text("Which?")
    dock.composer.submit()
    controller.end(ok=False, termination="failed", error={"code": "UPSTREAM_ERROR", "message": "No answer."})
    dict(dock._retry_actions())["Retry"]()
    assert controller.started == ["Which?", "Which?"] and len(controller.pictures[-1]) == 1


def test_the_map_can_be_shown(dock: AgentDock, controller: FakeController) -> None:
    dock.composer.set_text("/picture")
    dock.composer.submit()
    assert "no map" in dock.composer.note.text()
    pixmap = QPixmap(200, 100)
    pixmap.fill(QColor("#a02020"))
    controller.host = SimpleNamespace(canvas=SimpleNamespace(grab=lambda: pixmap))
    dock.composer.set_text("/picture what is red?")
    dock.composer.submit()
    assert len(names(dock)) == 1 and dock.composer.text() == "what is red?"


# who sees


@pytest.fixture
def settings(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    yield
    QgsSettings().remove("qgis_agent")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-5-mini", True),
        ("anthropic/claude-sonnet-4-6", True),
        ("gemini/gemini-2.5-flash", True),
        ("openrouter/anthropic/claude-haiku-4-5", True),
        ("dashscope/qwen3-vl-plus", True),
        ("ollama_chat/llama3.2-vision", True),
        ("openai/gpt-4o-audio-preview", None),
        ("openai/o3-mini", None),
        ("deepseek/deepseek-chat", None),
        ("ollama_chat/qwen3:8b", None),
        ("openai/my-own", None),
    ],
)
def test_what_a_name_says(settings: None, model: str, expected: Any) -> None:
    assert sight.sees(model, "") is expected


def test_a_test_of_the_model_says_more_than_its_name(settings: None) -> None:
    sight.learn("openai/gpt-5-mini", "https://a", {"check": "pictures", "code": "not_seen"})
    sight.learn("openai/my-own", "https://a", {"check": "pictures", "code": "seen"})
    sight.learn("openai/other", "https://a", {"check": "stream", "code": "in_pieces"})
    assert sight.sees("openai/gpt-5-mini", "https://a") is False
    assert sight.sees("openai/gpt-5-mini", "https://elsewhere") is True
    assert sight.sees("openai/my-own", "https://a") is True and sight.sees("openai/other", "https://a") is None


def test_why_not_is_told_with_what_to_do(settings: None) -> None:
    assert "offline commands" in vision.problem(ModelChoice())
    known = ModelChoice(kind="model", model="openai/gpt-5-mini", api_base="https://a")
    assert vision.problem(known) == ""
    sight.learn(known.model, known.api_base, {"check": "pictures", "code": "not_seen"})
    assert "sees no pictures" in vision.problem(known) and "settings" in vision.problem(known)
    unknown = ModelChoice(kind="model", model="openai/my-own", api_base="https://a")
    assert "Test the model" in vision.problem(unknown)
    unknown.vision = RoleChoice("openai", "openai/gpt-5-mini", "https://b")
    assert vision.problem(unknown) == ""


def test_the_model_for_pictures_is_kept_and_told_to_the_agent(settings: None) -> None:
    ring = KeyRing(storage=False)
    ring.remember("https://b", "key-b")
    choice = ModelChoice(kind="model", model="openai/my-own", api_base="https://a")
    choice.vision = RoleChoice("other", "gpt-5-mini", "https://b")
    save_choice(choice)
    assert load_choice().vision == choice.vision
    config = controller_config(load_choice(), ring)
    assert "vision" not in config and config["roles"]["vision"]["api_key"] == "key-b"
    assert controller_config(ModelChoice(kind="model", model="gpt-5-mini", api_base="x"), ring)["vision"] is True


# the bridge


def test_pictures_go_before_the_run_and_taint_it(bench: Bench) -> None:
    """The bytes in messages of their own, each within a line; the run names them; what is on them is text of others."""
    controller = RunController(bench.host, Answering(), records=bench.folder)
    asked: list[tuple[str, dict[str, Any]]] = []

    def request(method: str, params: dict[str, Any], _done: Any) -> str:
        asked.append((method, params))
        return "1"

    controller._agent = SimpleNamespace(
        request=request, notify=lambda *_: None, cancel=lambda _id: None, close=lambda: None
    )
    controller._ready = True
    picture = prepared(flat())
    assert picture is not None and not bench.host.taint.tainted(controller.session_id)
    assert controller.start("Which?", None, [picture])
    assert [method for method, _ in asked] == ["picture/put", "run/start"]
    assert asked[0][1]["data"] and asked[1][1]["pictures"] == [picture.meta()]
    assert bench.host.taint.tainted(controller.session_id)
    controller.close()
