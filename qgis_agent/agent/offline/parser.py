"""From a sentence to commands: cleaning, clauses, and the choice between rules that fit.

The words for layers decide: of all rules that fit a clause the one is taken whose names are layers and fields of the
project, and the first of those in the order of ``rules.RULES``. Without a catalogue order alone decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...bridge.messages import CatalogueLayer
from .conditions import known_fields, parse_where, reads_as_condition, split_phrase, split_where
from .finding import sure_layers
from .grammar import Command, Rule
from .masking import Masked, masked, unmasked
from .modifiers import Modifiers, take_modifiers
from .naming import close_layers, fixed, match_fields, match_layers, same_concept, several_names
from .quoted import unquoted
from .rules import RULES
from .text import clean
from .words import AREA_WORDS

MAX_CLAUSES = 6
MAX_LENGTH = 300
"""Characters of a sentence; what is longer is no short command, and patterns take their time on long texts."""
WITH_CONDITION = frozenset(
    {
        "query",
        "top",
        "count",
        "count_in",
        "stat",
        "buffer",
        "zoom",
        "filter",
        "select",
        "highlight",
        "measure",
        "summarize",
        "near",
        "select_in",
    }
)
"""Intents whose sentence may carry "where …"."""
NEED_CONDITION = frozenset({"filter"})
SHOWING = frozenset({"show", "look"})
"""Intents that mean a filter when there is a condition: "show schools where …", 显示2023年的学校."""
_STRONG = re.compile(
    r"\s*[;。]\s*|\s*,?\s+(?:and\s+)?then\s+|\s*,?\s*(?:然后|接着|(?<![\d年月日号])之后)\s*,?\s*|\s*,\s*(?:再|并且?)\s*",
    re.IGNORECASE,
)
_WEAK = (re.compile(r"\s*,\s*(?:and\s+)?", re.IGNORECASE), re.compile(r"\s+and\s+|并且?", re.IGNORECASE))
_AGAIN = re.compile(r"^(?:再|先|first\s+|then\s+|and\s+|also\s+|同时|并且?)\s*", re.IGNORECASE)
_DENSITY = re.compile(r"density|密度|每平方", re.IGNORECASE)
_JOINT = re.compile(r"^\s*(?:里面|里|中|的|当中)\s*")
_EVERYTHING = re.compile(
    r"^(?:all|everything|every layer|all (?:the )?layers|(?:所有|全部)的?(?:图层)?)$", re.IGNORECASE
)
_UNKNOWN, _NEAR, _VAGUE = 8, 5, 1
"""What a name costs that is no layer, one slip from a layer, or contained in longer names or no known field."""


def is_everything(words: str) -> bool:
    """Whether words mean all layers."""
    return _EVERYTHING.match(words.strip()) is not None


def parse(sentence: str, layers: Sequence[CatalogueLayer] = ()) -> list[Command] | str:
    """The commands of a sentence in order, or the clause that is not understood."""
    if len(sentence) > MAX_LENGTH:
        return sentence
    text = clean(unquoted(sentence, layers))
    layers = fixed(layers)
    readings = [each for each in (masked(text, layers), unmasked(text)) if each is not None]
    best: list[Command] = []
    least, problem = float("inf"), ""
    for reading in readings:
        found = _read(reading, layers)
        if isinstance(found, str):
            problem = found
            continue
        cost = sum(_cost(each, layers) for each in found)
        if cost < least:
            best, least = found, cost
    return best or problem or text


def _read(reading: Masked, layers: Sequence[CatalogueLayer]) -> list[Command] | str:
    commands: list[Command] = []
    for clause in [each for each in _STRONG.split(reading.plain) if each]:
        understood = _parse_clauses(clause, reading, layers)
        if not understood:
            return reading.restore(clause)
        commands.extend(understood)
    return commands if 0 < len(commands) <= MAX_CLAUSES else reading.restore(reading.plain)


def _parse_clauses(clause: str, reading: Masked, layers: Sequence[CatalogueLayer]) -> list[Command]:
    """One clause, or several that commas or "and" keep apart, when each of them can stand for itself."""
    rest, modifiers = take_modifiers(_AGAIN.sub("", clause))
    for separator in _WEAK:
        parts = [each for each in separator.split(rest) if each]
        if 1 < len(parts) <= MAX_CLAUSES:
            commands = [_parse_clause(_AGAIN.sub("", each), modifiers, reading, layers) for each in parts]
            known = [each for each in commands if each is not None]
            if len(known) == len(parts):
                return known
    whole = _parse_clause(rest, modifiers, reading, layers)
    return [whole] if whole is not None else []


def _parse_clause(
    clause: str, modifiers: Modifiers, reading: Masked, layers: Sequence[CatalogueLayer]
) -> Command | None:
    """The command of the rule that fits best; the first in order of those that fit equally well."""
    best: Command | None = None
    least = float("inf")
    for found in candidates(clause, modifiers, reading, layers):
        cost = _cost(found, layers)
        if cost < least:
            best, least = found, cost
        if cost == 0:
            break
    return best


def candidates(
    clause: str, modifiers: Modifiers, reading: Masked, layers: Sequence[CatalogueLayer]
) -> Iterator[Command]:
    """A command of each rule that matches the clause, in order."""
    for text, condition in dict.fromkeys((split_where(clause), (clause, ""))):
        for rule in RULES:
            for found in rule.matches(text):
                words = {name: value.strip() for name, value in found.groupdict().items() if value}
                yield from _command(rule, clause, words, condition, modifiers, reading, layers)


def _command(
    rule: Rule,
    clause: str,
    words: dict[str, str],
    condition: str,
    modifiers: Modifiers,
    reading: Masked,
    layers: Sequence[CatalogueLayer],
) -> Iterator[Command]:
    where = words.pop("where", "") or condition
    several = tuple(reading.restore(each) for each in several_names(words.get("layers", "")))
    intent = rule.intent
    place = next((each for each in ("layer", "layers") if each in words), "place")
    if rule.language == "zh" and not where and intent in WITH_CONDITION | SHOWING and place in words:
        words[place], where = split_phrase(words[place])
    if where and intent in SHOWING and place in words:
        intent, words = "filter", {"layer": words[place], "shown": "yes"}
    if (where and intent not in WITH_CONDITION) or (intent in NEED_CONDITION and not where and "glued" not in words):
        return
    restored = {name: reading.restore(value) for name, value in words.items()}
    command = Command(
        intent, rule.language, reading.restore(clause), restored, reading.restore(where), modifiers, several
    )
    yield unglue(command, layers) if "glued" in words else command


def unglue(command: Command, layers: Sequence[CatalogueLayer]) -> Command:
    """Words without a mark between them, parted where a layer ends: 医院床位数 is 医院 and 床位数."""
    words = dict(command.words)
    glued = words.pop("glued")
    places = [at for at in range(len(glued) - 1, 0, -1) if _may_part(glued, at)]
    known = [at for at in places if match_layers(glued[:at], layers, loose=False)]
    known += [at for at in places if match_layers(glued[:at], layers)]
    at = known[0] if known else max(glued.find("的"), glued.find(" "), 1)
    if not known and not _may_part(glued, at):
        at = len(glued)  # one Latin word is no layer and field in one
    name = glued[:at].strip()
    rest = _JOINT.sub("", glued[at:]).removesuffix("的").strip() or glued[at:].strip()
    if command.intent == "stat":
        return replace(command, words=words | {"by": name, "layer": rest})
    words["layer"] = name
    if command.intent in ("query", "filter"):
        return replace(command, words=words, where=rest)
    words["order" if command.intent == "top" else "field"] = rest
    return replace(command, words=words)


def _may_part(glued: str, at: int) -> bool:
    """Latin words are parted at blanks only."""
    return not (glued[at - 1 : at + 1].isascii() and " " not in glued[at - 1 : at + 1])


def _cost(command: Command, layers: Sequence[CatalogueLayer]) -> float:
    """How badly the words of a command fit the project; 0 is a perfect fit, and without layers all fit."""
    if not layers:
        return 0
    words = command.words
    # "show the streets by population in 5 classes" is a colouring: counts have no classes.
    told = command.intent == "stat" and command.modifiers.classes is not None
    cost: float = _VAGUE * told + sum(_layer_cost(words[name], layers) for name in ("layer", "other") if name in words)
    if "layers" in words and not is_everything(words["layers"]) and not match_layers(words["layers"], layers):
        cost += sum(_layer_cost(each, layers) for each in command.several)
    if "place" in words and command.intent != "zoom_selection":
        cost += 0 if match_layers(words["place"], layers, loose=False) else _VAGUE
    return cost + _field_cost(command, layers)


def _layer_cost(phrase: str, layers: Sequence[CatalogueLayer]) -> float:
    if match_layers(phrase, layers, loose=False):
        return 0
    if match_layers(phrase, layers) or sure_layers(phrase, layers):
        return _VAGUE / 2
    return _NEAR if close_layers(phrase, layers) else _UNKNOWN


def _field_cost(command: Command, layers: Sequence[CatalogueLayer]) -> float:
    if command.intent == "colour_last" and not _DENSITY.search(command.words["field"]):
        return _NEAR
    if command.intent == "chart" and "layer" not in command.words:
        return 0 if any(match_fields(command.words["field"], each) for each in layers) else _UNKNOWN
    found = match_layers(command.words.get("layer", ""), layers)
    if not found:
        return 0
    layer = found[0]
    said = [command.words[name] for name in ("field", "order") if name in command.words]
    cost: float = sum(0 if match_fields(each, layer) or _computed(each, command, layer) else _VAGUE for each in said)
    if command.where:
        where = parse_where(command.where, layer)
        cost += _VAGUE * 2 if where is None else _VAGUE * known_fields(where, layer).count(False)
    elif command.intent == "count_in" and reads_as_condition(command.words["place"], layer):
        cost -= _VAGUE
    return cost


def _computed(words: str, command: Command, layer: CatalogueLayer) -> bool:
    """Whether a colouring can compute what the layer has no field for: the area of polygons, a density."""
    if command.intent != "colour_by" or layer["kind"] != "polygon":
        return False
    return same_concept(words, AREA_WORDS) or _DENSITY.search(words) is not None
