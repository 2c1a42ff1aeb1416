"""AT8: compaction makes progress or says that it cannot; nothing that is pinned is lost; no cut parts a call from its result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from long_history import CONSTRAINTS, turns
from protocol_check import problem_of

from qgis_agent.agent.context.budget import compaction_text
from qgis_agent.agent.context.compaction import Compaction, Compactor
from qgis_agent.agent.context.limits import ContextLimits
from qgis_agent.agent.context.projection import Projection, boundaries, project
from qgis_agent.agent.context.sanitize import sanitize
from qgis_agent.agent.context.summary import HEADINGS, LADDER, Pinned, pinned_of
from qgis_agent.agent.llm.tokens import messages_tokens
from qgis_agent.agent.llm.types import ModelError

Message = dict[str, Any]
Summarise = Callable[[list[Message]], Awaitable[str]]
FORGETFUL = f"{HEADINGS[2]}\n- Several districts were looked at."


class Summariser:
    """A model that summarises: it plays answers (the last one again and again) and keeps what it was asked."""

    def __init__(self, *answers: str | ModelError) -> None:
        self.answers = answers or (FORGETFUL,)
        self.requests: list[list[Message]] = []

    async def __call__(self, request: list[Message]) -> str:
        self.requests.append(request)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if isinstance(answer, ModelError):
            raise answer
        return answer


def room(compactor: Compactor, history: list[Message], projection: Projection, fixed: int, **more: Any) -> Compaction:
    more = {"summarise": Summariser(), "keep": Pinned(), **more}
    return asyncio.run(compactor.make_room(history, projection, fixed, **more))


def history_of(count: int, **more: Any) -> list[Message]:
    return [message for added in turns(count, **more) for message in added]


def text_of(messages: list[Message], projection: Projection) -> str:
    """Everything that a model would read, without the program's help."""
    return projection.summary + "\n".join(
        str(each.get("content")) + json.dumps(each.get("tool_calls") or [], ensure_ascii=False) for each in messages
    )


class Gone(Summariser):
    """A model that cannot be reached."""

    def __init__(self) -> None:
        super().__init__(ModelError("timeout", "no answer"))


@pytest.mark.parametrize(("window", "summariser"), [(12_000, Summariser), (32_000, Gone), (100_000, Summariser)])
def test_at08_200_turns_keep_every_pin_in_every_request(window: int, summariser: type[Summariser]) -> None:
    """A model whose summary forgets everything, and one that is down: within the window, valid, and nothing pinned is lost."""
    limits = ContextLimits.for_window(window)
    compactor = Compactor(limits, messages_tokens)
    model = summariser()
    history: list[Message] = []
    projection = Projection()
    fixed = limits.usable // 4
    kinds: list[str] = []
    constraints: set[str] = set()
    sent: list[Message] = []
    for added in turns(200):
        history += added
        constraints |= {each for each in CONSTRAINTS for message in added if each in str(message["content"])}
        keep = pinned_of(history, most=8)
        assert set(keep.constraints) == constraints
        outcome = room(compactor, history, projection, fixed, summarise=model, keep=keep)
        kinds.append(outcome.kind)
        assert (outcome.projection != projection) <= (outcome.kind != "none")
        projection = outcome.projection
        messages = project(history, projection, limits)
        assert problem_of(messages) is None
        assert sanitize(messages)[0] == messages
        if outcome.kind == "none":
            assert messages[: len(sent)] == sent  # between compactions a request begins with the one before
        sent = messages
        shown = text_of(messages, projection)
        for _, text in keep.items():
            assert text in shown, (text, len(history), outcome)
        assert outcome.after <= limits.usable
        assert outcome.after == compactor.size(history, projection, fixed)
        assert outcome.kind != "stuck", outcome
    assert history == history_of(200)  # nothing was rewritten
    assert constraints == set(CONSTRAINTS)
    wanted = "fallback" if summariser is Gone else "summarised"
    assert kinds.count(wanted) >= (1 if window < 100_000 else 0)
    assert kinds.count("none") > (90 if window < 16_000 else 140)
    assert "pruned" in kinds


def test_at08_a_window_smaller_than_prompt_and_tools_ends_in_a_clear_report() -> None:
    """No summary is paid for, and no second try is made, however often it is asked."""
    limits = ContextLimits.for_window(8000)
    compactor = Compactor(limits, messages_tokens)
    model = Summariser()
    history = history_of(10)
    first = room(compactor, history, Projection(), 9000, summarise=model)
    assert (first.kind, first.reason, first.fits, first.floor) == ("stuck", "floor", False, 9000)
    for force in (False, True, True):
        again = room(compactor, history, Projection(), 9000, summarise=model, force=force)
        assert (again.kind, again.reason, again.fits) == ("stuck", "paused", False)
        history += history_of(3)
    assert model.requests == []
    assert "9000" in compaction_text(first, limits.usable, "en")
    assert "9000" in compaction_text(first, limits.usable, "zh")
    smaller = room(compactor, history, Projection(), 1000, summarise=model)  # another profile with fewer tools
    assert smaller.kind in ("pruned", "summarised")


def test_at08_no_need_is_no_compaction() -> None:
    compactor = Compactor(ContextLimits(), messages_tokens)
    outcome = room(compactor, history_of(5), Projection(), 4000)
    assert (outcome.kind, outcome.reason, outcome.projection) == ("none", "", Projection())
    assert outcome.before == outcome.after
    assert compaction_text(outcome, 1, "en") == ""


def big_result(ident: str, rows: int = 60) -> list[Message]:
    """A batch of one call with a long result."""
    call = {"id": ident, "type": "function", "function": {"name": "query_features", "arguments": "{}"}}
    data = {"result_ref": f"ref-{ident}", "total": rows, "rows": [{"fid": each, "x": each / 7} for each in range(rows)]}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": ident, "content": json.dumps({"ok": True, "data": data, "message": ""})},
    ]


def batches(count: int, rows: int = 60) -> list[Message]:
    return [{"role": "user", "content": "go"}, *(each for at in range(count) for each in big_result(f"c{at}", rows))]


def test_at08_tool_results_over_60_percent_are_pruned_without_a_summary() -> None:
    """Trigger B: far under the budget, but results are nearly all of the live context; the newest stay raw."""
    limits = ContextLimits(prune_protect=8000, prune_minimum=4000)
    history = batches(30)
    compactor = Compactor(limits, messages_tokens)
    outcome = room(compactor, history, Projection(), 3000, summarise=Gone())
    assert (outcome.kind, outcome.reason, outcome.projection.cut) == ("pruned", "tool_share", 0)
    assert outcome.before < limits.at(0.5)
    assert outcome.before - outcome.after >= limits.prune_minimum
    raw = [each for each in history if each["role"] == "tool" and each["tool_call_id"] not in outcome.projection.pruned]
    assert [each["tool_call_id"] for each in raw] == [f"c{at}" for at in range(30 - len(raw), 30)]
    assert messages_tokens(raw) <= 8000 < messages_tokens(raw) + messages_tokens([history[2]])
    again = room(compactor, history, outcome.projection, 3000)
    assert again.kind == "none"


def test_at08_talk_over_40_percent_does_not_trigger_b() -> None:
    """The share is of the live context, so that the same results beside much talk are no reason."""
    limits = ContextLimits(prune_protect=8000, prune_minimum=4000)
    results = messages_tokens([each for each in batches(30) if each["role"] == "tool"])
    words = "word " * int(results * 0.7)
    history = [{"role": "user", "content": words}, *batches(30)[1:]]
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 3000)
    assert (outcome.kind, outcome.reason) == ("none", "")


def test_at08_pruning_that_frees_too_little_is_not_done() -> None:
    """A broken prefix costs more than it gives."""
    limits = ContextLimits(prune_protect=8000, prune_minimum=30_000)
    outcome = room(Compactor(limits, messages_tokens), batches(30), Projection(), 3000)
    assert (outcome.kind, outcome.projection) == ("none", Projection())


def test_at08_hot_prunes_before_the_budget_asks() -> None:
    """At 0.75 of the budget old results go; there is no summary."""
    limits = ContextLimits()
    history = batches(70)
    fixed = limits.at(0.78) - messages_tokens(history)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), fixed, summarise=Gone())
    assert (outcome.kind, outcome.reason) == ("pruned", "pressure")
    raw = [each for each in history if each["role"] == "tool" and each["tool_call_id"] not in outcome.projection.pruned]
    assert len(raw) == 8  # "hot" in the table


def test_at08_over_the_budget_pruning_comes_first_and_may_be_enough() -> None:
    limits = ContextLimits()
    history = batches(80)
    fixed = limits.at(0.85) - messages_tokens(history)
    model = Summariser()
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), fixed, summarise=model)
    assert (outcome.kind, outcome.reason, model.requests) == ("pruned", "budget", [])
    assert outcome.after <= limits.at(limits.target_most)


def talk(count: int, start: int = 0, words: int = 300) -> list[Message]:
    """Requests with a small result and a long answer each: pruning does not help here."""
    messages: list[Message] = []
    for at in range(start, start + count):
        messages.append({"role": "user", "content": f"Request {at}."})
        messages += big_result(f"t{at}", 8)
        messages.append({"role": "assistant", "content": f"Answer {at}: " + "word " * words})
    return messages


def small_setup() -> tuple[ContextLimits, list[Message]]:
    """A conversation that has to be summarised."""
    return ContextLimits.for_window(16_000), talk(25)


def test_at08_the_summary_is_anchored_and_tool_free() -> None:
    """The previous summary goes in, marked; the fixed headings are asked for; the conversation is quoted data."""
    limits, history = small_setup()
    compactor = Compactor(limits, messages_tokens)
    model = Summariser("## Done\n- first", "## Done\n- first and second")
    keep = Pinned(constraints=("Never change the source data.",))
    first = room(compactor, history, Projection(), 2000, summarise=model, keep=keep)
    history = history + talk(25, 25)
    second = room(compactor, history, first.projection, 2000, summarise=model, keep=keep)
    assert (first.kind, second.kind, len(model.requests)) == ("summarised", "summarised", 2)
    assert second.projection.cut > first.projection.cut
    system, words = model.requests[1]
    assert all(each in system["content"] for each in HEADINGS)
    assert "<previous-summary>\n## Done\n- first\n</previous-summary>" in words["content"]
    assert "previous-summary" not in model.requests[0][1]["content"]
    assert [set(each) for each in model.requests[1]] == [{"role", "content"}] * 2
    assert second.projection.summary.startswith("## Done\n- first and second")
    assert second.summary_calls == 1


@pytest.mark.parametrize("answer", [ModelError("timeout", "x"), ModelError("auth", "x"), "", "  \n"])
def test_at08_a_failed_summary_call_never_loses_the_previous_summary(answer: str | ModelError) -> None:
    """The lost-history fault: the fallback appends what was summarised before."""
    limits, history = small_setup()
    old = "## Goal and constraints of the person\n- The old goal, word for word."
    model = Summariser(answer)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(old, 3), 2000, summarise=model)
    assert (outcome.kind, outcome.summary_calls) == ("fallback", 1)
    assert outcome.projection.summary.startswith(old)
    assert "query_features: ok" in outcome.projection.summary
    assert outcome.after < outcome.before


def test_at08_an_overflowing_summary_call_is_shortened_along_the_ladder() -> None:
    """0, 10, 20, 50, 100 % of the results left out; then the program writes it itself."""
    limits, history = small_setup()
    too_long = ModelError("context_overflow", "too long")
    model = Summariser(too_long)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 2000, summarise=model)
    lengths = [len(each[1]["content"]) for each in model.requests]
    assert outcome.kind == "fallback"
    assert 2 <= len(lengths) <= len(LADDER) == 5
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == len(lengths)
    third = Summariser(too_long, "## Done\n- ok")
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 2000, summarise=third)
    assert (outcome.kind, outcome.summary_calls) == ("summarised", 2)


def test_at08_a_summary_call_that_cannot_fit_is_not_sent() -> None:
    """Rungs whose estimate is over the window are skipped, whatever they leave out."""
    limits = ContextLimits.for_window(6000)
    words = [{"role": role, "content": "word " * 100} for _ in range(60) for role in ("user", "assistant")]
    model = Summariser()
    outcome = room(Compactor(limits, messages_tokens), words, Projection(), 500, summarise=model)
    assert (model.requests, outcome.summary_calls, outcome.kind) == ([], 0, "fallback")
    assert outcome.projection.summary


def test_at08_long_texts_are_shortened_for_the_summary_call() -> None:
    """A pasted text over the window is no reason to do without a model's summary."""
    limits = ContextLimits.for_window(6000)
    words = [{"role": role, "content": "word " * 2500} for _ in range(4) for role in ("user", "assistant")]
    model = Summariser()
    outcome = room(Compactor(limits, messages_tokens), words, Projection(), 500, summarise=model, keep=Pinned(turns=1))
    assert len(model.requests) == 1
    assert messages_tokens(model.requests[0]) <= limits.usable
    assert outcome.summary_calls == 1


def test_at08_a_rung_that_changes_nothing_is_not_tried() -> None:
    """Short talk without results: the same call is not sent five times."""
    limits = ContextLimits.for_window(16_000)
    words = [{"role": role, "content": "word " * 70} for _ in range(80) for role in ("user", "assistant")]
    model = Summariser(ModelError("context_overflow", "too long"))
    room(Compactor(limits, messages_tokens), words, Projection(), 2000, summarise=model)
    assert len(model.requests) == 1


def test_at08_no_progress_stops_until_something_changes() -> None:
    """What is left cannot be summarised: stuck, with the floor; a summary is not paid for each turn."""
    limits = ContextLimits.for_window(16_000)
    compactor = Compactor(limits, messages_tokens)
    history: list[Message] = [{"role": "user", "content": "word " * 9000}, {"role": "assistant", "content": "yes"}]
    fixed = limits.usable * 10 // 11 - messages_tokens(history) - 50
    model = Summariser()
    first = room(compactor, history, Projection(), fixed, summarise=model)
    assert (first.kind, first.reason, first.fits, first.projection) == ("stuck", "no_progress", True, Projection())
    assert room(compactor, history, Projection(), fixed + 3, summarise=model).reason == "paused"
    assert room(compactor, history, Projection(), fixed - 3, summarise=model).reason == "paused"
    assert model.requests == []
    compactor.limits = ContextLimits.for_window(15_999)
    assert room(compactor, history, Projection(), fixed, summarise=model).reason == "no_progress"


def test_at08_new_history_after_stuck_is_a_change() -> None:
    """As much as a compaction has to free at least; then it is tried again and helps."""
    limits = ContextLimits.for_window(16_000)
    compactor = Compactor(limits, messages_tokens)
    history = batches(3, rows=15)
    fixed = limits.at(0.82) - messages_tokens(history)
    keep = Pinned(turns=3)
    assert room(compactor, history, Projection(), fixed, keep=keep).kind == "stuck"
    history += big_result("next", 5)
    assert room(compactor, history, Projection(), fixed, keep=keep).reason == "paused"
    history += [each for at in range(8) for each in big_result(f"n{at}")]
    outcome = room(compactor, history, Projection(), fixed, keep=keep)
    assert outcome.reason != "paused"
    assert outcome.after < outcome.before


def test_at08_still_over_is_said_and_taken() -> None:
    """It freed much and is still over the threshold: what was freed is kept, and the person is told."""
    limits = ContextLimits.for_window(16_000)
    history = history_of(25)
    fixed = limits.at(0.78)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), fixed)
    assert (outcome.kind, outcome.reason) == ("stuck", "still_over")
    assert outcome.projection.cut > 0
    assert outcome.after < outcome.before // 2


def test_at08_one_compaction_for_one_overflow() -> None:
    """The provider counts more than we do: pruned, then summarised, one step for each refusal; then stuck."""
    limits = ContextLimits()
    history = batches(30)
    compactor = Compactor(limits, messages_tokens)
    model = Summariser()
    projection = Projection()
    kinds = []
    for _ in range(6):
        outcome = room(compactor, history, projection, 3000, summarise=model, force=True)
        kinds.append((outcome.kind, outcome.reason))
        assert outcome.after < outcome.before or outcome.kind == "stuck"
        projection = outcome.projection
    assert kinds[0] == ("pruned", "overflow")
    assert ("summarised", "overflow") in kinds
    assert [kind for kind, _ in kinds[-2:]] == ["stuck"] * 2
    assert kinds[-1][1] == "paused"
    assert len(model.requests) <= 3
    assert projection.level == "overflow"


def test_at08_the_last_turns_and_messages_are_verbatim() -> None:
    """keep_recent messages and the last N turns stay as they are, whatever is summarised."""
    limits, history = small_setup()
    for turns_kept in (1, 2, 5):
        outcome = room(Compactor(limits, messages_tokens), history, Projection(), 2000, keep=Pinned(turns=turns_kept))
        shown = project(history, outcome.projection, limits)
        starts = [at for at, each in enumerate(history) if each["role"] == "assistant"]
        recent = min(len(history) - limits.keep_recent, starts[-turns_kept])
        assert shown[recent - len(history) :] == history[recent:]
        assert outcome.projection.cut in boundaries(history)


def test_at08_without_pinned_turns_a_window_too_small_for_them_is_emptied() -> None:
    """Only the person's words and the summary are left."""
    limits = ContextLimits.for_window(9000)
    history = [*talk(3, words=400), *talk(1, 3, words=9000)]
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 1000, keep=Pinned(turns=0))
    assert outcome.projection.cut == len(history)
    assert {each["role"] for each in project(history, outcome.projection, limits)} == {"user"}


def test_at08_recent_results_become_smaller_only_where_nothing_else_fits() -> None:
    """Eight messages that alone are over the window: skeletons but for the last turn, whose result is clipped."""
    limits = ContextLimits.for_window(9000)
    history = batches(12, rows=120)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 1500, keep=Pinned(turns=1))
    assert outcome.kind == "pruned"
    assert outcome.projection.pruned == {f"c{at}" for at in range(11)}
    last = json.loads(project(history, outcome.projection, limits)[-1]["content"])
    assert 0 < len(last["data"]["rows"]) < 120
    assert (last["data"]["result_ref"], last["data"]["total"]) == ("ref-c11", 120)


def test_at08_recent_messages_are_summarised_only_where_nothing_else_fits() -> None:
    """The cut moves into the last eight messages, but not into the last turns."""
    limits = ContextLimits.for_window(9000)
    history = talk(6, words=2500)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 1000, keep=Pinned(turns=1))
    assert len(history) - limits.keep_recent < outcome.projection.cut <= len(history) - 1
    assert outcome.kind == "summarised"
    nothing = room(Compactor(limits, messages_tokens), history, Projection(), 1000, keep=Pinned(turns=99))
    assert (nothing.kind, nothing.fits) == ("stuck", False)


def test_at08_a_protected_result_is_never_pruned() -> None:
    """What the person answered is no output of a tool."""
    limits = ContextLimits(prune_protect=2000, prune_minimum=1000)
    history = batches(30)
    history[1]["tool_calls"][0]["function"]["name"] = "ask_user"
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 3000)
    assert outcome.kind == "pruned"
    assert "c0" not in outcome.projection.pruned
    assert "c1" in outcome.projection.pruned


def test_at08_other_failures_pass_through() -> None:
    """Stop is no reason for a fallback."""
    limits, history = small_setup()

    async def stopped(_request: list[Message]) -> str:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        room(Compactor(limits, messages_tokens), history, Projection(), 2000, summarise=stopped)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at08_every_kind_has_its_sentence(language: str) -> None:
    for kind in ("pruned", "summarised", "fallback", "stuck"):
        outcome = Compaction(Projection(), 9001, 4002, kind, "budget", 777)  # type: ignore[arg-type]
        text = compaction_text(outcome, 5003, language)
        assert "4002" in text
        assert ("9001" in text) != (kind == "stuck")


@pytest.mark.parametrize(("over", "fits"), [(0, True), (1, False)])
def test_at08_a_request_fits_only_with_the_margin_of_the_estimate(over: int, fits: bool) -> None:
    """T17: 10 %. What a window cannot hold is not sent in the hope that the estimate is too high."""
    limits = ContextLimits.for_window(16_000)  # 12,000 usable; 10,909 and its tenth are 11,999.9
    history: list[Message] = [{"role": "user", "content": "word " * 3000}, {"role": "assistant", "content": "yes"}]
    fixed = limits.usable * 10 // 11 + over - messages_tokens(history)
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), fixed)
    assert (outcome.before, outcome.kind, outcome.fits) == (10_909 + over, "stuck", fits)
    floor = room(Compactor(limits, messages_tokens), history, Projection(), 10_910, force=True)
    assert (floor.reason, floor.fits) == ("floor", False)


def test_at08_constraints_without_room_are_told_to_the_person() -> None:
    """In the words of the compaction, with their number; one that is still to be read in the request is not counted."""
    limits, history = small_setup()
    gone = ("Never use blue.", "Always use metres.")
    keep = Pinned(constraints=("Never change the source data.",), dropped=(*gone, "Answer 24:"))
    outcome = room(Compactor(limits, messages_tokens), history, Projection(), 2000, keep=keep)
    assert (outcome.kind, outcome.dropped) == ("summarised", 2)
    assert " 2 of your oldest instructions" in compaction_text(outcome, limits.usable, "en")
    assert " 2 条要求" in compaction_text(outcome, limits.usable, "zh")
    none = room(Compactor(limits, messages_tokens), history, Projection(), 2000, keep=Pinned())
    assert none.dropped == 0
    assert "instructions (" not in compaction_text(none, limits.usable, "en")
