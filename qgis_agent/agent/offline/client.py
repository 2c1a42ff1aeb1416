"""The offline commands as a model: no network, no language model, the same loop and tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...bridge.messages import CatalogueLayer
from ..llm.ids import IdSource, ids_in
from ..llm.types import LLMResponse, OnText, ProviderRequest, ToolCall
from . import answers
from .examples import not_understood
from .filters import hidden_place, joined
from .grammar import Command
from .parser import parse
from .plans_arrange import ARRANGE_PLANS
from .plans_data import DATA_PLANS
from .plans_files import FILE_PLANS
from .plans_layout import LAYOUT_PLANS
from .plans_look import LOOK_PLANS
from .plans_make import MAKE_PLANS
from .plans_map import MAP_PLANS
from .plans_more import MORE_PLANS
from .plans_near import NEAR_PLANS
from .plans_pick import PICK_PLANS
from .plans_style import STYLE_PLANS
from .prose import in_lines
from .refusals import refusal
from .steps import Ask, Plan, Planned, Run, Stop, ToolFailed, Turn, begin, next_turn
from .talk import chosen_option, last_layer, points_back, pronoun, small_talk, with_layer, with_own_layer
from .text import clean, sentence_language

PLANS = (
    MAP_PLANS
    | LOOK_PLANS
    | PICK_PLANS
    | ARRANGE_PLANS
    | MORE_PLANS
    | DATA_PLANS
    | MAKE_PLANS
    | NEAR_PLANS
    | FILE_PLANS
    | LAYOUT_PLANS
    | STYLE_PLANS
)


class OfflineClient:
    """Understands short sentences by a table of patterns.

    ``finish_reason`` of a closing text is "stop" when everything asked for was done, "not_understood" when the words could
    not be made out, and "tool_failed" when a tool said no.
    """

    kind = "offline"

    def __init__(self, catalogue: Callable[[], list[CatalogueLayer]], label: str = "offline commands") -> None:
        self.label = label
        self._catalogue = catalogue

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """The next turn of the run: calls, or the closing text."""
        turn = plan_turn(request, self._catalogue())
        if not turn.calls:
            on_text(turn.text)
            return LLMResponse(turn.text, (), turn.finish_reason)
        ids = IdSource(ids_in(request.messages) | {each.call.id for each in request.settled})
        calls = tuple(
            ToolCall(ids.fresh(), each.name, json.dumps(each.arguments, ensure_ascii=False)) for each in turn.calls
        )
        return LLMResponse("", calls, "tool_calls")


def plan_turn(request: ProviderRequest, layers: Sequence[CatalogueLayer]) -> Turn:
    """What comes next for ``request.user_text``, given what is settled. Pure."""
    request = replace(request, user_text=chosen_option(request) or request.user_text)
    language = sentence_language(request.user_text, names_of(layers))
    run = begin(request, clean(request.user_text), language, layers)
    reply = small_talk(" ".join(request.user_text.split()), language)
    if reply:
        return Turn(text=reply)
    commands = parse(request.user_text, run.layers)
    try:
        if points_back(run.sentence, commands):
            commands = _with_last_layer(request, run, commands)
    except Ask as question:
        return _ask(run, question)
    if isinstance(commands, str):
        return _refused(run, commands)
    run.language = commands[0].language
    try:
        turn = next_turn(run, _all(commands, run))
    except Stop as stop:
        return Turn(text=_after(run, stop.text), finish_reason=stop.finish_reason, reason=stop.reason)
    except ToolFailed as failure:
        text = joined(answers.failed(run.language, failure.envelope), hidden_place(run, failure.envelope))
        return Turn(text=_after(run, text), finish_reason="tool_failed")
    except Ask as question:
        return _ask(run, question)
    if turn.calls and not run.tools:
        return Turn(text=_after(run, _cut_short(run)), finish_reason="tool_failed")
    return turn


def names_of(layers: Sequence[CatalogueLayer]) -> set[str]:
    """What the project's layers and fields are called: no sign of the language of a sentence."""
    names = {name for each in layers for name in (each["layer_id"], each["name"])}
    return names | {name for each in layers for field in each["fields"] for name in (field["name"], field["alias"])}


def _with_last_layer(request: ProviderRequest, run: Run, commands: list[Command] | str) -> list[Command] | str:
    """The commands with the layer of the last request for "it". Raises Ask where there was none.

    The sentence of the run becomes the one that is meant, so that buttons replace words that stand in it.
    """
    layer = last_layer(request.messages, request.settled, run.layers)
    if layer is None and not isinstance(commands, str) and commands[0].intent == "colour_last":
        return commands
    if layer is None:
        said = pronoun(run.sentence)
        question = answers.say(
            run.language, "Which layer do you mean by “{said}”?", "“{said}”指的是哪个图层？", said=said
        )
        raise Ask(question, [with_layer(run.sentence, each, run.layers) for each in run.layers])
    run.sentence = with_layer(run.sentence, layer, run.layers)
    understood = parse(run.sentence, run.layers)
    # What was not understood is quoted in the person's own words.
    return commands if isinstance(understood, str) and isinstance(commands, str) else understood


def _refused(run: Run, clause: str) -> Turn:
    """A clause that no rule fits: why not, where there is a reason, else what can be said instead."""
    why = refusal(run.language, clause)
    return Turn(text=why or not_understood(run.language, clause, run.layers), finish_reason="not_understood")


def _all(commands: Sequence[Command], run: Run) -> Plan[str]:
    """The plans of all clauses, one after the other."""
    for command in commands:
        run.language = command.language
        layer = run.layer_of_last_call()
        meant = command if layer is None else with_own_layer(command, layer, run.layers)
        sentence = yield from PLANS[meant.intent](meant, run)
        run.said.append(sentence)
    return in_lines(run.said)


def _after(run: Run, text: str) -> str:
    """A last sentence after those of the clauses that were done."""
    return in_lines([*run.said, text])


def _ask(run: Run, question: Ask) -> Turn:
    """The question as a call of ask_user, or as text where that is not offered."""
    asked = any(each.call.name == "ask_user" for each in run.settled[run.position :])
    if "ask_user" in run.tools and not asked:
        return Turn((Planned("ask_user", {"question": question.question[:400], "options": question.options}),))
    text = " ".join([question.question, *question.options])
    return Turn(text=_after(run, text), finish_reason="not_understood")


def _cut_short(run: Run) -> str:
    return answers.say(
        run.language,
        "The rest was not done: this run has reached its limit. Send it again as smaller requests.",
        "其余部分没有完成：本次运行已达到上限。请分成几条较短的命令再发送。",
    )
