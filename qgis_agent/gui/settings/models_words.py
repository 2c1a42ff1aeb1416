"""What the lines of a test of a model say to a person: what works, what does not, and how to put it right."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from qgis.PyQt.QtCore import QLocale

from ...bridge.model_test import FAIL, NOT_TESTED, NOTE, OK, SKIPPED, WARN
from ...gis.i18n import translate
from ...gis.secrets import without_secrets
from .models_words_address import ADDRESS

Said = Tuple[str, str]
"""A sentence, and a hint how to put it right ("" where nothing is to be done)."""
Facts = Dict[str, Any]
_MAX_NAMES = 5
_MAX_NAME = 80


def said(line: Dict[str, Any]) -> Said:
    """The sentence and the hint of a line; facts that are of no use (from a foreign server) are left out, never trusted."""
    check, code, facts = line["check"], line["code"], line["facts"]
    if code == NOT_TESTED:
        return translate("QgisAgent", "Not tested."), ""
    return _WORDS[check][code](facts)


def check_name(check: str) -> str:
    """What is looked at."""
    return {
        "address": translate("QgisAgent", "Address"),
        "key": translate("QgisAgent", "API key"),
        "model": translate("QgisAgent", "Model"),
        "stream": translate("QgisAgent", "Streaming"),
        "tools": translate("QgisAgent", "Tool calls"),
        "context": translate("QgisAgent", "Context size"),
        "pictures": translate("QgisAgent", "Pictures"),
    }[check]


def state_name(state: str) -> str:
    """What the sign of a line means, for those who do not see it."""
    return {
        OK: translate("QgisAgent", "works"),
        WARN: translate("QgisAgent", "warning"),
        FAIL: translate("QgisAgent", "does not work"),
        NOTE: translate("QgisAgent", "note"),
        SKIPPED: translate("QgisAgent", "not tested"),
    }[state]


def _number(facts: Facts, key: str) -> float:
    value = facts.get(key)
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if good else 0.0


def _whole(facts: Facts, key: str) -> str:
    return QLocale().toString(int(_number(facts, key)))


def _seconds(facts: Facts) -> str:
    value = _number(facts, "seconds")
    return QLocale().toString(value, "f", 1 if value < 10 else 0)


def _names(facts: Facts) -> str:
    given = facts.get("near")
    names = [each for each in given if isinstance(each, str)] if isinstance(given, list) else []
    clean = ["".join(c for c in without_secrets(each) if c.isprintable())[:_MAX_NAME] for each in names[:_MAX_NAMES]]
    return ", ".join(each for each in clean if each)


def _plain(sentence: Callable[[], str], hint: Callable[[], str] = str) -> Callable[[Facts], Said]:
    return lambda _facts: (sentence(), hint())


def _answers(facts: Facts) -> Said:
    return translate("QgisAgent", "The model answers; the first word came after {} s.").format(_seconds(facts)), ""


def _slow(facts: Facts) -> Said:
    return (
        translate("QgisAgent", "The model answers, but slowly: the first word came after {} s.").format(
            _seconds(facts)
        ),
        translate("QgisAgent", "A smaller model, or one on a faster computer, makes the agent quicker."),
    )


def _unknown(facts: Facts) -> Said:
    names = _names(facts)
    hint = translate("QgisAgent", "Check the spelling of the model's name.")
    if names:
        hint = translate("QgisAgent", "Models of this server: {}").format(names)
    return translate("QgisAgent", "The server does not know a model of this name."), hint


def _limited(facts: Facts) -> Said:
    hint = translate("QgisAgent", "Wait a little and test again; a plan with higher limits helps for good.")
    if _number(facts, "seconds") > 0:
        hint = translate("QgisAgent", "Wait {} s and test again.").format(_seconds(facts))
    return translate("QgisAgent", "The server asks for fewer requests (HTTP 429)."), hint


def _failed(facts: Facts) -> Said:
    return (
        translate("QgisAgent", "The server failed (HTTP {}).").format(int(_number(facts, "status"))),
        translate("QgisAgent", "Try again in a few minutes. On your own server, look at its log."),
    )


def _refused(facts: Facts) -> Said:
    return (
        translate("QgisAgent", "The server refused a plain request (HTTP {}).").format(int(_number(facts, "status"))),
        translate("QgisAgent", "Check that the name is that of a chat model, not of one for embeddings or pictures."),
    )


def _silent(facts: Facts) -> Said:
    return (
        translate("QgisAgent", "The model did not answer within {} s.").format(_seconds(facts)),
        translate("QgisAgent", "It may still be loading: test again in a minute, or use a smaller model."),
    )


def _fits(facts: Facts) -> Said:
    if _number(facts, "window") > 0:
        text = translate("QgisAgent", "A request of {} tokens was read in full; the model takes {}.")
        return text.format(_whole(facts, "tokens"), _whole(facts, "window")), ""
    text = translate("QgisAgent", "A request of {} tokens was read in full.")
    return text.format(_whole(facts, "tokens")), ""


def _more_context() -> str:
    return translate(
        "QgisAgent",
        "Give the model a larger context (Ollama: More…, Context; LM Studio, vLLM, llama.cpp: where the model is loaded), "
        "or use another model.",
    )


def _tight(facts: Facts) -> Said:
    text = translate("QgisAgent", "The model takes {} tokens: enough for short conversations only.")
    return text.format(_whole(facts, "window")), _more_context()


def _too_small(facts: Facts) -> Said:
    if _number(facts, "window") > 0:
        text = translate("QgisAgent", "The model takes {} tokens; the agent needs {}.")
        return text.format(_whole(facts, "window"), _whole(facts, "tokens")), _more_context()
    text = translate("QgisAgent", "A request of {} tokens, as the agent sends them, is too long for the model.")
    return text.format(_whole(facts, "tokens")), _more_context()


def _cut(facts: Facts) -> Said:
    text = translate("QgisAgent", "Of {} tokens the server read only {}: the beginning was cut off without a word.")
    return text.format(_whole(facts, "tokens"), _whole(facts, "read")), _more_context()


def _forgotten(facts: Facts) -> Said:
    text = translate("QgisAgent", "The model did not find a word at the beginning of a request of {} tokens.")
    return text.format(_whole(facts, "tokens")), _more_context()


def _long_silence(facts: Facts) -> Said:
    text = translate("QgisAgent", "A request of {} tokens was not answered within {} s.")
    return (
        text.format(_whole(facts, "tokens"), _seconds(facts)),
        translate("QgisAgent", "A smaller model, or one on a faster computer, makes the agent quicker."),
    )


def _other_model() -> str:
    return translate("QgisAgent", "The agent works with tools only: use a model that can call them.")


_WORDS: Dict[str, Dict[str, Callable[[Facts], Said]]] = {
    "address": ADDRESS,
    "key": {
        "accepted": _plain(lambda: translate("QgisAgent", "The server accepts the key.")),
        "not_needed": _plain(lambda: translate("QgisAgent", "The server wants no key.")),
        "missing": _plain(
            lambda: translate("QgisAgent", "No key is known for this address; nothing was sent."),
            lambda: translate("QgisAgent", "Enter the key. A server that takes none accepts any word as key."),
        ),
        "rejected": _plain(
            lambda: translate("QgisAgent", "The server does not accept the key."),
            lambda: translate("QgisAgent", "Enter the key again, whole and without blanks, or make a new one there."),
        ),
        "used_up": _plain(
            lambda: translate("QgisAgent", "The key is right, but its account is used up."),
            lambda: translate("QgisAgent", "Check the balance and the plan at the provider."),
        ),
    },
    "model": {
        "answers": _answers,
        "slow": _slow,
        "unknown": _unknown,
        "rate_limited": _limited,
        "server_failed": _failed,
        "request_refused": _refused,
        "empty": _plain(
            lambda: translate("QgisAgent", "The server accepted the request and sent an empty answer."),
            lambda: translate("QgisAgent", "Test again; if it stays so, use another model of this server."),
        ),
        "broke_off": _plain(
            lambda: translate("QgisAgent", "The answer broke off before its end."),
            lambda: translate("QgisAgent", "Test again. A proxy between here and the server may cut long answers off."),
        ),
        "no_answer": _silent,
    },
    "stream": {
        "in_pieces": _plain(lambda: translate("QgisAgent", "Answers come word by word.")),
        "one_piece": _plain(
            lambda: translate("QgisAgent", "Answers come in one piece, although word by word was asked for."),
            lambda: translate("QgisAgent", "The agent works, but you see an answer only when it is complete."),
        ),
        "refused": _plain(
            lambda: translate("QgisAgent", "The server cannot send answers word by word."),
            lambda: translate("QgisAgent", "The agent works, but you see an answer only when it is complete."),
        ),
    },
    "tools": {
        "called": _plain(lambda: translate("QgisAgent", "The model calls tools.")),
        "as_text": _plain(
            lambda: translate("QgisAgent", "The model writes its tool calls as text; the agent reads them."),
            lambda: translate(
                "QgisAgent",
                "Steps that change something are asked about first. A server can be set up for real tool calls "
                "(vLLM: --enable-auto-tool-choice and --tool-call-parser).",
            ),
        ),
        "refused": _plain(lambda: translate("QgisAgent", "The server takes no tools for this model."), _other_model),
        "not_called": _plain(
            lambda: translate("QgisAgent", "The model did not call a tool when asked to."), _other_model
        ),
        "bad_arguments": _plain(
            lambda: translate("QgisAgent", "The model calls tools with arguments that are wrong."), _other_model
        ),
        "failed": _plain(lambda: translate("QgisAgent", "The server failed on a request with tools."), _other_model),
    },
    "context": {
        "fits": _fits,
        "tight": _tight,
        "too_small": _too_small,
        "cut": _cut,
        "forgotten": _forgotten,
        "no_answer": _long_silence,
        "failed": _plain(
            lambda: translate("QgisAgent", "The server failed on a long request."),
            lambda: translate("QgisAgent", "Test again in a few minutes."),
        ),
    },
    "pictures": {
        "seen": _plain(lambda: translate("QgisAgent", "The model sees pictures.")),
        "not_seen": _plain(
            lambda: translate("QgisAgent", "The model sees no pictures. The agent does not need it to.")
        ),
    },
}
