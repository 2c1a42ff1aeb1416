"""What one run shows: its steps, the text as it streams, and at the end the answer with everything that belongs to it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import QElapsedTimer, QTimer, pyqtSignal
from qgis.PyQt.QtGui import QGuiApplication, QPixmap
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.export_run.steps import has_algorithms
from ...gis.i18n import translate
from ...gis.secrets import without_secrets
from ..answer_view import AnswerView
from ..cards.error_card import Action, ErrorCard, NoticeLine
from ..cards.plan_card import PlanCard
from ..cards.question_card import QuestionCard
from ..cards.undo_line import UndoLine
from ..cards.view_offer import ViewOffer, offered_view
from ..glyphs import Glyph
from ..surfaces import ElidedLabel, GlyphButton, ThemedLabel
from ..theme import GAP
from .footer import AnswerFooter, unsourced_numbers
from .map_thumbnail import MapThumbnail
from .number_sources import NumberSources, number_sources
from .run_menu import RunMenu
from .said import adds_nothing, for_person, has_options, is_said, without
from .steps import StepList
from .tool_line import ToolLine, duration_text

TICK_MS = 80


class RunView(QWidget):
    """One run. It takes run events and the report; ``send`` carries the message of a clicked answer, ``plan_applied`` the
    plan that a person applied, ``view_asked`` the map operation of an offered view, ``cancel_asked`` the id of a call."""

    send = pyqtSignal(str)
    plan_applied = pyqtSignal(dict)
    view_asked = pyqtSignal(dict)
    cancel_asked = pyqtSignal(str)
    menu_asked = pyqtSignal(str, QWidget)
    """What a person chose to do with this run (run_menu.py), and the run itself."""
    reveal = pyqtSignal(QWidget)
    """A part of this run that a person wants to see."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._clock = QElapsedTimer()
        self._clock.start()
        self._streamed = ""
        self._meta_at = 0
        self._step_tools: Dict[int, str] = {}
        self.running = True
        self.run_id = ""
        """What QGIS calls the run: known from its first event on."""
        self.trace_id = ""
        self.evidence: List[Dict[str, Any]] = []
        self.menu: Optional[RunMenu] = None
        self.undo: Optional[UndoLine] = None
        self.text_view: Optional[AnswerView] = None
        self.footer: Optional[AnswerFooter] = None
        self.sources: Optional[NumberSources] = None
        self.thumbnail: Optional[MapThumbnail] = None
        self.plan: Optional[PlanCard] = None
        self.question: Optional[QuestionCard] = None
        self.error: Optional[ErrorCard] = None
        self.offer: Optional[ViewOffer] = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GAP)
        self.steps = StepList()
        self.steps.cancel_asked.connect(self.cancel_asked)
        self._column.addWidget(self.steps)
        self._waiting = _WaitingLine()
        self._column.addWidget(self._waiting)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def lines(self) -> List[ToolLine]:
        """The lines of the tool calls, in order."""
        return self.steps.lines()

    def took_ms(self) -> int:
        """Milliseconds since the run began."""
        return int(self._clock.elapsed())

    def streamed_text(self) -> str:
        """The text of the answer so far."""
        return self._streamed

    def handle(self, event: Dict[str, Any]) -> None:
        """Take one run event (see EVENT_TYPES in bridge/messages.py, and RunController); unknown types are not for the dock."""
        self.run_id = self.run_id or str(event.get("run_id") or "")
        taken = {
            "turn_started": self._turn_started,
            "text_delta": self._text_delta,
            "text_reset": self._text_reset,
            "tool_started": self._tool_started,
            "tool_progress": self.steps.progress,
            "step_began": self.steps.qgis_told,
            "step_progress": self.steps.qgis_told,
            "step_holds": self.steps.qgis_told,
            "step_outcome": self.steps.qgis_told,
            "tool_finished": self._tool_finished,
            "notice": self.steps.notice,
        }.get(str(event.get("type")))
        if taken is not None:
            taken(event)

    def finish(self, report: Dict[str, Any], actions: List[Action]) -> None:
        """The run has ended. ``actions`` are the buttons of an error card."""
        self._end()
        question = report.get("question") if isinstance(report.get("question"), dict) else None
        answer = str(report.get("answer") or "")
        asked = str((question or {}).get("text") or "")
        if answer and answer.strip() != asked.strip():
            self._show_answer(answer, report)
        elif self._streamed and not answer and question is None:
            self._show_answer(self._streamed, report)
        else:
            self._drop_text()
        self._show_offer(report)
        self._show_footer(report)
        self._show_plan(report.get("plan"))
        shown = self._streamed if self.text_view is not None else ""
        offers = bool((question or {}).get("options"))
        self._show_error(report, actions, shown, asked, offers)
        if question is not None:
            self._show_question(question, report, shown)
        self.steps.hush(shown, asked, self.error.message if self.error is not None else "")
        self._show_meta(report, answer)

    def fail(self, title: str, message: str, actions: List[Action]) -> None:
        """Show an error card now, while the report is still to come or will never come."""
        if self.error is None:
            self.error = ErrorCard(title, message, actions=actions)
            self._column.addWidget(self.error)

    def show_undo(self, changed: List[str], lost: List[str]) -> UndoLine:
        """Offer to take the run back: what it changed, and what of it cannot be taken back, in words."""
        self.undo = UndoLine(changed, lost)
        self._column.addWidget(self.undo)
        return self.undo

    def show_map(self, picture: QPixmap) -> None:
        """The map as it was drawn after this run, above the line that says how it went."""
        self.thumbnail = MapThumbnail(picture)
        self._column.insertWidget(self._meta_at, self.thumbnail)

    def show_step(self, number: int) -> None:
        """Open the step of the report with this number and bring it into view."""
        line = self.steps.line_of_step(number, self._step_tools.get(number, ""))
        if line is not None:
            self.steps.unfold(line)
            line.open()
            self.reveal.emit(line)

    def disarm(self) -> None:
        """The conversation went on: buttons of this run no longer act."""
        for card in (self.plan, self.question, self.error):
            if card is not None:
                card.disarm()

    # events

    def _turn_started(self, _event: Dict[str, Any]) -> None:
        self.steps.forget_remark()
        self._waiting.setVisible(self.running)

    def _text_delta(self, event: Dict[str, Any]) -> None:
        text = str(event.get("text") or "")
        if not text:
            return
        self._waiting.hide()
        self.steps.forget_remark()
        self._streamed += text
        self._text().append(text)

    def _text_reset(self, _event: Dict[str, Any]) -> None:
        """What was streamed is not the answer: a remark when calls follow, else an attempt that is taken back."""
        self.steps.remark(self._streamed)
        self._streamed = ""
        self._drop_text()

    def _tool_started(self, event: Dict[str, Any]) -> None:
        self._waiting.hide()
        self.steps.start(event)

    def _tool_finished(self, event: Dict[str, Any]) -> None:
        if self.steps.finish(event) and self.running and not self.steps.is_busy():
            self._waiting.show()

    # the end

    def _end(self) -> None:
        self.running = False
        self._timer.stop()
        self._waiting.hide()
        self.steps.stop()

    def _show_answer(self, answer: str, report: Dict[str, Any]) -> None:
        self._streamed = answer
        view = self._text()
        view.finish(answer)
        view.mark(unsourced_numbers(report), translate("QgisAgent", "This number is not from a tool result."))
        sources = number_sources(report, self._step_name)
        for each in sources:
            if each.step:
                view.mark([each.text], each.words, "step:{}".format(each.step))
        if sources:
            self._step_tools = {each.step: each.tool for each in sources}
            self.sources = NumberSources(sources)
            self.sources.asked.connect(self.show_step)
            self._column.addWidget(self.sources)

    def _step_name(self, number: int, tool: str) -> str:
        line = self.steps.line_of_step(number, tool)
        return line.label() if line is not None else ""

    def _show_offer(self, report: Dict[str, Any]) -> None:
        action = offered_view(report)
        if action is not None:
            self.offer = ViewOffer(action)
            self.offer.asked.connect(self.view_asked)
            self._column.addWidget(self.offer)

    def _show_footer(self, report: Dict[str, Any]) -> None:
        footer = AnswerFooter(report)
        if footer.is_empty:
            footer.deleteLater()
            return
        self.footer = footer
        self._column.addWidget(footer)

    def _show_plan(self, plan: Any) -> None:
        if not isinstance(plan, dict) or not plan.get("steps"):
            return
        self.plan = PlanCard(plan)
        self.plan.applied.connect(self.plan_applied)
        self._column.addWidget(self.plan)

    def _show_question(self, question: Dict[str, Any], report: Dict[str, Any], answer: str) -> None:
        """The buttons; of the question's text only what the answer does not say."""
        text = str(question.get("text") or "")
        if is_said(_message(report), answer):
            text = without(text, _message(report))
        self.question = QuestionCard(dict(question, text=text), show_text=not is_said(text, answer))
        self.question.chosen.connect(self.send)
        self._column.addWidget(self.question)

    def _show_error(self, report: Dict[str, Any], actions: List[Action], answer: str, asked: str, offers: bool) -> None:
        """A card, unless the answer or the question says the same; then only the hint, if nothing says that either.

        Where a question offers what to choose from (``offers``), no hint is needed beside it.
        """
        error = report.get("error")
        if self.error is not None or not isinstance(error, dict) or report.get("termination") == "interrupted":
            return
        if offers and has_options(error):  # the question is about this very error
            return
        hint = for_person(str(error.get("hint") or ""))
        if not is_said(_message(report), answer, asked):
            title = translate("QgisAgent", "This request did not succeed")
            message = "" if adds_nothing(error, answer) else _message(report)
            if any(is_said(message, each) and is_said(hint, each) for each in self.steps.notices()):
                message = hint = ""  # the notice that the offline commands answer instead has both
            self.error = ErrorCard(title, message, hint, actions)
            self._column.addWidget(self.error)
        elif hint and not offers and not is_said(hint, answer, asked):
            self._column.addWidget(NoticeLine(hint))

    def _show_meta(self, report: Dict[str, Any], answer: str) -> None:
        words = []
        ended = {
            "interrupted": translate("QgisAgent", "Stopped"),
            "budget_exceeded": translate("QgisAgent", "Stopped at the budget"),
            "halted": translate("QgisAgent", "Halted"),
            "forced_final": translate("QgisAgent", "Ended early"),
            "awaiting_user": translate("QgisAgent", "Waiting for your answer"),
        }.get(str(report.get("termination")))
        if ended:
            words.append(ended)
        steps = report.get("steps")
        if isinstance(steps, list) and steps:
            words.append(translate("QgisAgent", "Steps: {count}").format(count=len(steps)))
        words.append(duration_text(self.took_ms()))
        self._meta_at = self._column.count()
        row = QHBoxLayout()
        row.setSpacing(4)
        meta = ElidedLabel(" · ".join(words), muted=True)
        row.addWidget(meta, 1)
        self.trace_id = str(report.get("trace_id") or "")
        if self.trace_id and steps:
            self.evidence = [each for each in report.get("evidence") or [] if isinstance(each, dict)]
            self.menu = RunMenu(has_algorithms(report))
            self.menu.chosen.connect(lambda what: self.menu_asked.emit(what, self))
            row.addWidget(self.menu)
        if answer:
            copy = GlyphButton("copy", translate("QgisAgent", "Copy the answer"))
            copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(without_secrets(answer)))
            row.addWidget(copy)
        self._column.addLayout(row)

    # helpers

    def _text(self) -> AnswerView:
        if self.text_view is None:
            self.text_view = AnswerView()
            self.text_view.step_asked.connect(self.show_step)
            # After the steps and before the line that says it is waiting.
            self._column.insertWidget(1, self.text_view)
        return self.text_view

    def _drop_text(self) -> None:
        if self.text_view is not None:
            self.text_view.hide()
            self.text_view.deleteLater()
            self.text_view = None

    def _tick(self) -> None:
        self._waiting.tick(self._clock.elapsed())
        self.steps.tick()


def _message(report: Dict[str, Any]) -> str:
    """What went wrong; empty when nothing did."""
    error = report.get("error")
    return str(error.get("message") or "") if isinstance(error, dict) else ""


class _WaitingLine(QWidget):
    """Says that the run is going on although nothing new has come."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 1, 0, 1)
        row.setSpacing(GAP)
        self._glyph = Glyph("running", strong=True)
        self._label = ThemedLabel(translate("QgisAgent", "Working…"), muted=True)
        row.addWidget(self._glyph)
        row.addWidget(self._label, 1)

    def tick(self, elapsed_ms: int) -> None:
        """Turn the spinner; say the time from the third second on."""
        self._glyph.turn_to(elapsed_ms / 1000.0)
        if elapsed_ms >= 3000:
            text = translate("QgisAgent", "Working… {duration}").format(
                duration=duration_text(elapsed_ms // 1000 * 1000)
            )
            if self._label.text() != text:
                self._label.setText(text)
