"""AgentLoop: after each turn, continue or stop. Every way to end a run is here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...bridge.envelope import (
    CANCELLED,
    PERMISSION_DENIED,
    RATE_LIMITED,
    TIMEOUT,
    UNSUPPORTED,
    UPSTREAM_ERROR,
    Envelope,
    failure,
)
from ..context.context_manager import Message
from ..events import Events
from ..llm.types import ModelClient, ModelError, OverBudget
from ..llm.words import in_language
from ..records.trace import RunRecorder
from ..texts import reason_text, say, translated
from .claims import claims_a_change
from .look import Looker
from .loop_kernel import LoopKernel, Turn
from .policy import FINAL_TURN_S, MAX_CONTINUATIONS, MAX_CUT_CALL_TURNS, LoopPolicy
from .provider_turn import ModelTimeUp
from .router import route
from .runtime_control import RuntimeControl
from .state import RUNNING, RunnerState

_WITH_CHOICES = ("failed", "forced_final", "halted", "budget_exceeded")
_ERROR_CODES = {"rate_limit": RATE_LIMITED, "timeout": TIMEOUT}
_OFFLINE_FAILURES = ("not_understood", "tool_failed")
"""Finish reasons of the offline commands: they have a text and are no success."""
_FINAL = (
    "Tools are switched off: this run ends now ({why}). Answer from the results that are there, in the person's language: what "
    "is done, what is not done, and how to continue. Do not begin anything new and do not call a tool."
)
_UNREADABLE = (
    "Your last answer held the text of a tool call that could not be read; it was neither run nor shown. Call the tool through "
    "the function-calling interface, or answer in plain words."
)
_CONTINUE = (
    "Your answer was cut off by its length limit. Continue exactly where it stopped, without repeating anything."
)


class AgentLoop:
    """The outer loop of one run. ``offline`` makes the client that stands in when the model cannot be reached."""

    def __init__(
        self,
        kernel: LoopKernel,
        policy: LoopPolicy,
        control: RuntimeControl,
        recorder: RunRecorder,
        events: Events,
        offline: Callable[[], ModelClient] | None = None,
        router: ModelClient | None = None,
        looker: Looker | None = None,
    ) -> None:
        self._kernel = kernel
        self._policy = policy
        self._control = control
        self._recorder = recorder
        self._events = events
        self._offline = offline
        self._router = router
        self._looker = looker

    async def run(self, state: RunnerState) -> RunnerState:
        """Run to an end. Cancelling the task is Stop: it is taken here, and the state says interrupted."""
        message = self._kernel.context.add_user()
        self._recorder.user(message)
        state.answered_by = self._kernel.caller.client.label
        state.offline = self._kernel.caller.client.kind == "offline"
        try:
            await self._look(message, state)
            await self._route(state)
            while state.termination == RUNNING:
                await self._step(state)
        except asyncio.CancelledError:
            language = state.language
            stopped = failure(CANCELLED, say("stopped", language), hint=say("stopped_hint", language), reason="stopped")
            state.end("interrupted", "stopped", error=stopped)
        except Exception:
            error = internal_failure(state.language)
            state.end("failed", "internal", answer=self._what_was_done(state), error=error)
            raise  # the service logs it, without secrets
        finally:
            self._close(state)
        return state

    def _close(self, state: RunnerState) -> None:
        """Whatever the end: the history is valid for the next request, and the last event says how the run ended."""
        self._kernel.context.close_open_calls(self._recorder.begun)
        self._offer_choices(state)
        self._events.emit("termination", kind=state.termination, reason=state.reason)

    async def _look(self, message: Message, state: RunnerState) -> None:
        """Have another model describe the person's pictures, where the one that answers sees none."""
        if self._looker is not None and message.get("pictures"):
            seen = await self._looker.look(message, state, self._kernel.count_router)
            if seen:
                self._recorder.seen(seen)

    async def _route(self, state: RunnerState) -> None:
        """Ask the router, where there is one, which packs the request needs, before the first request is put together."""
        if self._router is None:
            return
        shelf = self._kernel.materializer
        found = await route(self._router, state.text, shelf.offered_packs())
        shelf.grow(found.packs)
        self._control.take_intent(found.intent)
        state.model_ms += found.seconds * 1000
        self._recorder.route(found.by, found.intent, found.packs)
        if found.usage is not None and found.usage.source != "none":
            self._kernel.count_router(found.usage, self._router, state)

    def _offer_choices(self, state: RunnerState) -> None:
        """A run that could not do it ends with buttons where the tools named what can be chosen; nothing is invented."""
        if state.question is not None or state.termination not in _WITH_CHOICES:
            return
        state.question = self._control.degrade(state.text)
        if state.question is not None:
            self._events.emit("options", text=state.question["text"], options=state.question["options"])

    async def _step(self, state: RunnerState) -> None:
        ceiling = self._policy.before_turn(state)
        if ceiling is not None:
            await self._final(state, "budget_exceeded", ceiling)
            return
        try:
            turn = await self._kernel.run_turn(state)
        except ModelTimeUp:
            state.exceeded = "model_time"
            self._events.reset_text()
            return
        except OverBudget as error:
            state.exceeded = error.what
            self._events.reset_text()
            return
        except ModelError as error:
            if error.kind == "context_overflow" and await self._made_room(state):
                return
            await self._model_failed(state, error)
            return
        await self._after(turn, state)

    async def _made_room(self, state: RunnerState) -> bool:
        """One compaction for an overflow of the model's window; a second overflow is the person's to know."""
        if state.compacted_for_overflow:
            return False
        state.compacted_for_overflow = True
        self._events.reset_text()
        return await self._kernel.make_room(state)

    async def _after(self, turn: Turn, state: RunnerState) -> None:
        if turn.kind in ("calls", "cut_calls", "question"):
            state.partial, state.continuations = "", 0  # what was cut off before calls is no part of the answer
        if turn.kind == "question" and turn.question is not None:
            self._ask_the_person(turn.question, state)
        elif turn.decision.halt:
            self._halt(state, turn.decision.halt, turn.decision.tool)
        elif turn.decision.force_final:
            await self._final(state, "forced_final", turn.decision.force_final)
        elif turn.kind == "cut_calls":
            state.cut_call_turns += 1
            if state.cut_call_turns >= MAX_CUT_CALL_TURNS:
                await self._final(state, "forced_final", "truncated_calls")
        elif turn.kind == "unreadable":
            await self._unreadable(state)
        elif turn.decision.auto_final and self._kernel.caller.client.kind != "offline":  # they have words of their own
            self._auto_final(turn.decision.auto_final, state)
        elif turn.kind == "text":
            await self._text(turn, state)

    def _auto_final(self, answer: str, state: RunnerState) -> None:
        """A single step that was a confirmed success on the map: the program says so itself (X-5)."""
        self._events.text(answer)
        self._add_text(answer)
        state.end("completed", "auto_final", answer=answer)

    async def _unreadable(self, state: RunnerState) -> None:
        """The markup of a tool call that nobody can read: asked for once more, never shown as an answer, never kept."""
        self._events.reset_text()
        state.unreadable_turns += 1
        if state.unreadable_turns > 1:
            await self._final(state, "forced_final", "unreadable_calls")
            return
        self._control.correct(_UNREADABLE)

    # answers

    async def _text(self, turn: Turn, state: RunnerState) -> None:
        if not turn.content.strip():
            await self._empty(turn, state)
            return
        if turn.finish_reason in _OFFLINE_FAILURES:
            self._offline_failed(turn, state)
        elif turn.finish_reason == "length":
            self._cut_off(turn, state)
        elif turn.finish_reason == "content_filter":
            self._withheld(turn, state)
        elif self._says_that_a_tool_is_missing(turn):
            self._events.reset_text()
            self._add_text(turn.content)
        elif await self._only_announced(turn, state):
            return
        elif self._claims_what_was_not_done(turn, state):
            self._unconfirmed(turn, state)
        else:
            self._add_text(turn.content)
            state.end("completed", "answered", answer=(state.partial + turn.content).strip())

    def _claims_what_was_not_done(self, turn: Turn, state: RunnerState) -> bool:
        """Whether the answer says that something was changed although no step of the run changed anything."""
        model = self._kernel.caller.client.kind != "offline"  # those say only what their steps did
        return model and self._kernel.can_change and not state.changes and claims_a_change(state.partial + turn.content)

    def _unconfirmed(self, turn: Turn, state: RunnerState) -> None:
        """The words stay, with the truth behind them, so that the next turn does not build on them either."""
        note = say("nothing_changed", state.language)
        self._events.text("\n\n" + note)
        text = f"{(state.partial + turn.content).strip()}\n\n{note}"
        self._add_text(text)
        hint = say("nothing_changed_hint", state.language)
        error = failure(UPSTREAM_ERROR, note, hint=hint, reason="unconfirmed_claim")
        state.end("failed", "unconfirmed_claim", answer=text, error=error)

    async def _only_announced(self, turn: Turn, state: RunnerState) -> bool:
        """A text that only says what comes next is no answer: go on, or, the third time, end."""
        if self._kernel.caller.client.kind == "offline":
            return False  # their sentences are answers
        decision = self._control.no_tool_turn(turn.content)
        if not (decision.go_on or decision.force_final):
            return False
        self._events.reset_text()
        self._add_text(turn.content)
        if decision.force_final:
            await self._final(state, "forced_final", decision.force_final)
        return True

    def _offline_failed(self, turn: Turn, state: RunnerState) -> None:
        """The offline commands did not understand, or a tool said no: their text says so, and the run has failed."""
        self._add_text(turn.content)
        language = state.language
        error = self._recorder.last_failure() if turn.finish_reason == "tool_failed" else None
        if error is None:
            key = turn.finish_reason
            error = failure(UNSUPPORTED, say(key, language), hint=say("not_understood_hint", language), reason=key)
        error = error.copy()  # the record keeps the words that a model reads
        error["message"] = translated(error["message"], language)
        if error.get("hint"):
            error["hint"] = translated(error["hint"], language)
        state.end("failed", turn.finish_reason, answer=turn.content, error=error)

    def _cut_off(self, turn: Turn, state: RunnerState) -> None:
        self._add_text(turn.content)
        state.partial += turn.content
        if state.continuations < MAX_CONTINUATIONS:
            state.continuations += 1
            self._control.correct(_CONTINUE)
            return
        note = say("cut_off", state.language)
        self._events.text("\n\n" + note)
        state.end("forced_final", "length", answer=f"{state.partial.strip()}\n\n{note}")

    def _withheld(self, turn: Turn, state: RunnerState) -> None:
        """The provider's filter cut the answer: what there is of it is shown, and the run has failed."""
        self._add_text(turn.content)
        text = (state.partial + turn.content).strip()
        note = say("filtered", state.language)
        error = failure(UPSTREAM_ERROR, note, hint=say("empty_hint", state.language), reason="filtered_answer")
        state.end("failed", "filtered_answer", answer=f"{text}\n\n({note})", error=error)

    async def _empty(self, turn: Turn, state: RunnerState) -> None:
        """One more try, of which nothing is kept in the history; then one request without tools; then the run has failed."""
        withheld = turn.finish_reason == "content_filter"
        if not withheld and (self._control.empty_answer() or await self._answered_without_tools(state)):
            return
        key = "filtered" if withheld else "empty"
        language = state.language
        error = failure(UPSTREAM_ERROR, say(key, language), hint=say("empty_hint", language), reason=f"{key}_answer")
        state.end("failed", f"{key}_answer", answer=state.partial.strip(), error=error)

    async def _answered_without_tools(self, state: RunnerState) -> bool:
        """A model that says nothing while it has tools may still say what is done and what not."""
        why = reason_text("empty_answer", "en")
        try:
            text = await self._kernel.run_final_turn(state, _FINAL.format(why=why), FINAL_TURN_S)
        except (ModelError, ModelTimeUp):
            self._events.reset_text()
            return False
        if not text:
            return False
        self._add_text(text)
        note, hint = say("empty", state.language), say("empty_hint", state.language)
        error = failure(UPSTREAM_ERROR, note, hint=hint, reason="empty_answer")
        state.end("forced_final", "empty_answer", answer=(state.partial + text).strip(), error=error)
        return True

    def _says_that_a_tool_is_missing(self, turn: Turn) -> bool:
        hidden = self._kernel.materializer.hidden_packs()
        if not hidden or not self._control.visibility_miss(turn.content):
            return False
        self._kernel.materializer.grow(hidden)
        return True

    def _add_text(self, content: str) -> None:
        self._recorder.assistant(self._kernel.context.add_assistant(content))

    # ends that are no answer

    def _ask_the_person(self, question: dict[str, object], state: RunnerState) -> None:
        text = str(question.get("text") or say("which_one", state.language))
        self._add_text(text)
        state.question = dict(question)
        self._events.emit("options", text=text, options=question.get("options", []))
        state.end("awaiting_user", "question", answer=text)

    def _halt(self, state: RunnerState, why: str, tool: str) -> None:
        language = state.language
        first = say("halted_denials", language) if why == "denials" else say("halted_loop", language, tool=tool)
        answer = self._local_summary(first, language)
        self._add_text(answer)
        code = PERMISSION_DENIED if why == "denials" else UPSTREAM_ERROR
        state.end("halted", why, answer=answer, error=failure(code, first, hint=say("continue", language), reason=why))

    async def _final(self, state: RunnerState, termination: str, why: str) -> None:
        """The tool-free turn; where the model has nothing to say the program says what was done."""
        language = state.language
        words = reason_text(why, language)
        first = say("budget" if termination == "budget_exceeded" else "forced", language, reason=words)
        answer = ""
        try:
            answer = await self._kernel.run_final_turn(state, _FINAL.format(why=reason_text(why, "en")), FINAL_TURN_S)
        except (ModelError, ModelTimeUp):
            self._events.reset_text()
        if not answer:
            answer = self._local_summary(first, language)
        self._add_text(answer)
        code = TIMEOUT if termination == "budget_exceeded" else UPSTREAM_ERROR
        error = failure(code, first, hint=say("continue", language), reason=why)
        state.end(termination, why, answer=(state.partial + answer).strip(), error=error)

    def _local_summary(self, first: str, language: str) -> str:
        done, failed = self._recorder.summary()
        separator = "；" if language == "zh" else "; "
        parts = [first, say("done", language, steps=separator.join(done)) if done else say("nothing_done", language)]
        if failed:
            parts.append(say("failed_steps", language, steps=separator.join(failed)))
        parts.append(say("continue", language))
        return ("" if language == "zh" else " ").join(parts)

    async def _model_failed(self, state: RunnerState, error: ModelError) -> None:
        """Offline commands stand in for a model that failed before anything was done; else the run has failed."""
        self._events.reset_text()
        client = self._kernel.caller.client
        if client.kind == "model" and self._offline is not None and state.tool_calls == 0 and not state.partial:
            stand_in = self._offline()
            why, hint = in_language(error.message, state.language), in_language(error.hint, state.language)
            self._events.emit(
                "notice", level="warning", text=say("offline_instead", state.language, why=why, hint=hint).strip()
            )
            self._kernel.caller.client = stand_in
            state.answered_by = stand_in.label
            state.offline = stand_in.kind == "offline"
            try:
                turn = await self._kernel.run_turn(state)
            except (ModelError, ModelTimeUp):
                self._fail(state, error)
                return
            if turn.finish_reason == "not_understood":
                self._events.reset_text()
                self._fail(state, error)
                return
            await self._after(turn, state)
            return
        self._fail(state, error)

    def _fail(self, state: RunnerState, error: ModelError) -> None:
        """The model failed. What was done before it did is said: the map has changed all the same."""
        envelope = model_envelope(error, state.language)
        answer = state.partial.strip() or self._what_was_done(state, str(envelope["message"]))
        if answer and not state.partial:
            self._add_text(answer)
        state.end("failed", error.kind, answer=answer, error=envelope)

    def _what_was_done(self, state: RunnerState, first: str = "") -> str:
        """The program's own summary where calls were made, else nothing."""
        if not state.tool_calls:
            return ""
        return self._local_summary(first or say("internal", state.language), state.language)


def internal_failure(language: str) -> Envelope:
    """A fault of the program itself, in the person's language."""
    return failure(UPSTREAM_ERROR, say("internal", language), hint=say("internal_hint", language), reason="internal")


def model_envelope(error: ModelError, language: str = "en") -> Envelope:
    """A model's failure as an envelope in the person's language; ``reason`` is its kind."""
    code = _ERROR_CODES.get(error.kind, UPSTREAM_ERROR)
    message, hint = in_language(error.message, language), in_language(error.hint, language)
    return failure(code, message, hint=hint, reason=error.kind)
