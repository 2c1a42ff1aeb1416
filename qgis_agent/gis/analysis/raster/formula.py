"""Formulas over rasters: parsed here, never evaluated as code, and only with what is listed below.

Letters A, B, … are the inputs in their order. Comparisons and and/or give 1 and 0. Where an input has no value, or the formula
has none (division by zero, the root of a negative number), the result has none.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Set, Tuple

import numpy as np

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text

MAX_LENGTH = 1000
MAX_DEPTH = 60
"""Of brackets."""
MAX_LEVELS = 200
"""Of the parsed tree: a sum of many terms is as deep as it has terms, and Python's own stack has 1000 frames."""
Node = Tuple[Any, ...]

_ONE: Dict[str, Callable[[Any], Any]] = {
    "abs": np.abs, "sqrt": np.sqrt, "ln": np.log, "log10": np.log10, "exp": np.exp, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "floor": np.floor, "ceil": np.ceil,
    "round": np.rint,
}  # fmt: skip
_COMPARED: Dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal, "=": np.equal, "!=": np.not_equal,
}  # fmt: skip
FUNCTIONS = (*_ONE, "min", "max", "atan2", "if")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?P<word>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign><=|>=|==|!=|<>|\*\*|[-+*/%^<>=(),]))"
)


class Formula(NamedTuple):
    """A parsed formula: its text in one spelling, and the letters in it."""

    text: str
    letters: Tuple[str, ...]
    node: Node

    def evaluate(self, inputs: Dict[str, Any]) -> Any:
        """Values as float64 (NaN where there is none) from arrays of one shape, NaN where an input has no value."""
        with np.errstate(all="ignore"):
            found = np.asarray(_value(self.node, inputs), dtype=np.float64)
        return np.where(np.isfinite(found), found, np.nan)


def parse(text: str, inputs: int) -> Formula:
    """The formula over ``inputs`` letters. INVALID_PARAM with a hint for anything that is not on the lists."""
    if len(text) > MAX_LENGTH:
        raise refused(translate("QgisAgent", "it has more than {} characters").format(MAX_LENGTH))
    parser = _Parser(_tokens(text), ["ABCDEFGH"[number] for number in range(min(inputs, 8))])
    node = parser.whole()
    if _levels(node) > MAX_LEVELS:
        raise refused(translate("QgisAgent", "it has too many terms"))
    if not parser.letters:
        raise refused(translate("QgisAgent", "it uses no input"))
    return Formula(written(node), tuple(sorted(parser.letters)), node)


def refused(why: str) -> ToolError:
    """The formula cannot be taken."""
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The formula is not accepted: {}.").format(why),
        hint=translate(
            "QgisAgent",
            "Letters A, B, … for the inputs in order; numbers; + - * / % ^, < <= > >= = !=, and, or, not; {}.",
        ).format(", ".join(FUNCTIONS)),
        reason="formula",
    )


def _tokens(text: str) -> List[Tuple[str, str]]:
    found: List[Tuple[str, str]] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise refused(translate("QgisAgent", "'{}' is unknown").format(clean_text(text[position:].strip(), 20)))
        kind = str(match.lastgroup)
        found.append((kind, match.group(kind)))
        position = match.end()
    return found


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, tokens: Sequence[Tuple[str, str]], letters: Sequence[str]) -> None:
        self._tokens = list(tokens)
        self._at = 0
        self._depth = 0
        self._allowed = list(letters)
        self.letters: Set[str] = set()

    def whole(self) -> Node:
        """All tokens as one expression."""
        node = self._either()
        if self._at < len(self._tokens):
            raise refused(translate("QgisAgent", "'{}' is out of place").format(self._peek()))
        return node

    def _peek(self) -> str:
        return self._tokens[self._at][1].lower() if self._at < len(self._tokens) else ""

    def _take(self, *wanted: str) -> str:
        """The next token when it is one of these, else ""."""
        found = self._peek()
        if found and found in wanted:
            self._at += 1
            return found
        return ""

    def _need(self, wanted: str) -> None:
        if not self._take(wanted):
            raise refused(translate("QgisAgent", "'{}' is missing before '{}'").format(wanted, self._peek() or "…"))

    def _either(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise refused(translate("QgisAgent", "it is nested too deeply"))
        node = self._both()
        while self._take("or"):
            node = ("or", node, self._both())
        self._depth -= 1
        return node

    def _both(self) -> Node:
        node = self._negated()
        while self._take("and"):
            node = ("and", node, self._negated())
        return node

    def _negated(self) -> Node:
        turned = False
        while self._take("not"):
            turned = not turned
        node = self._compared()
        return ("not", node) if turned else node

    def _compared(self) -> Node:
        node = self._sum()
        sign = self._take("<=", ">=", "==", "!=", "<>", "<", ">", "=")
        if not sign:
            return node
        node = ({"==": "=", "<>": "!="}.get(sign, sign), node, self._sum())
        if self._peek() in ("<=", ">=", "==", "!=", "<>", "<", ">", "="):
            raise refused(translate("QgisAgent", "two comparisons in a row are joined with and"))
        return node

    def _sum(self) -> Node:
        node = self._product()
        while sign := self._take("+", "-"):
            node = (sign, node, self._product())
        return node

    def _product(self) -> Node:
        node = self._signed()
        while sign := self._take("*", "/", "%"):
            node = (sign, node, self._signed())
        return node

    def _signed(self) -> Node:
        turned = False
        while sign := self._take("-", "+"):
            turned ^= sign == "-"
        node = self._power()
        return ("neg", node) if turned else node

    def _power(self) -> Node:
        """-A^2 is -(A^2), and 2^3^2 is 2^9, as in mathematics."""
        node = self._atom()
        if not self._take("^", "**"):
            return node
        turned = bool(self._take("-"))
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise refused(translate("QgisAgent", "it is nested too deeply"))
        exponent = self._power()
        self._depth -= 1
        return ("^", node, ("neg", exponent) if turned else exponent)

    def _atom(self) -> Node:
        if self._at >= len(self._tokens):
            raise refused(translate("QgisAgent", "it ends too early"))
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return ("number", float(text))
        if text == "(":
            node = self._either()
            self._need(")")
            return node
        if kind != "word":
            raise refused(translate("QgisAgent", "'{}' is out of place").format(text))
        if self._peek() == "(":
            return self._function(text.lower())
        if text.lower() == "pi":
            return ("number", float(np.pi))
        if text.upper() not in self._allowed:
            raise refused(
                translate("QgisAgent", "'{}' is no input; there are {}").format(
                    clean_text(text, 20), ", ".join(self._allowed)
                )
            )
        self.letters.add(text.upper())
        return ("letter", text.upper())

    def _function(self, name: str) -> Node:
        if name not in FUNCTIONS:
            raise refused(translate("QgisAgent", "the function '{}' is not allowed").format(clean_text(name, 20)))
        self._need("(")
        parts = [self._either()]
        while self._take(","):
            parts.append(self._either())
        self._need(")")
        counts = {"if": (3, 3), "atan2": (2, 2), "min": (2, 8), "max": (2, 8)}.get(name, (1, 1))
        if not counts[0] <= len(parts) <= counts[1]:
            raise refused(translate("QgisAgent", "{} takes {} values").format(name, counts[0]))
        return (name, *parts)


def _levels(root: Node) -> int:
    """How deep the tree is, found without recursion."""
    deepest, waiting = 0, [(root, 1)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((each, level + 1) for each in node[1:] if isinstance(each, tuple))
    return deepest


def written(node: Node) -> str:
    """The formula in one spelling, with all parentheses."""
    kind, parts = node[0], node[1:]
    if kind == "number":
        return "{:.15g}".format(parts[0])
    if kind == "letter":
        return str(parts[0])
    if kind == "neg":
        return "(-{})".format(written(parts[0]))
    if kind == "not":
        return "(not {})".format(written(parts[0]))
    if kind in FUNCTIONS:
        return "{}({})".format(kind, ", ".join(written(each) for each in parts))
    return "({} {} {})".format(written(parts[0]), kind, written(parts[1]))


def _value(node: Node, inputs: Dict[str, Any]) -> Any:
    kind = node[0]
    if kind == "number":
        return np.float64(node[1])
    if kind == "letter":
        return inputs[node[1]]
    parts = [_value(each, inputs) for each in node[1:]]
    if kind in _ONE:
        return _ONE[kind](parts[0])
    if kind == "neg":
        return -parts[0]
    if kind in ("min", "max"):
        return _outermost(kind, parts)
    if kind == "if":
        return np.where(np.isnan(parts[0]), np.nan, np.where(parts[0] != 0, parts[1], parts[2]))
    missing = np.isnan(parts[0]) if len(parts) == 1 else np.isnan(parts[0]) | np.isnan(parts[1])
    if kind in _COMPARED:
        return np.where(missing, np.nan, _COMPARED[kind](parts[0], parts[1]))
    if kind == "not":
        return np.where(missing, np.nan, parts[0] == 0)
    if kind == "and":
        return np.where(missing, np.nan, (parts[0] != 0) & (parts[1] != 0))
    if kind == "or":
        return np.where(missing, np.nan, (parts[0] != 0) | (parts[1] != 0))
    return _calculated(kind, parts[0], parts[1])


def _outermost(kind: str, parts: Sequence[Any]) -> Any:
    found = parts[0]
    for each in parts[1:]:
        found = np.minimum(found, each) if kind == "min" else np.maximum(found, each)
    return found


def _calculated(kind: str, one: Any, two: Any) -> Any:
    if kind == "+":
        return one + two
    if kind == "-":
        return one - two
    if kind == "*":
        return one * two
    if kind == "/":
        return _divided(one, two)
    if kind == "%":
        return np.where(np.asarray(two) == 0, np.nan, np.fmod(one, two))
    if kind == "atan2":
        return np.arctan2(one, two)
    return _finite(np.power(np.asarray(one, dtype=np.float64), two))


def _divided(one: Any, two: Any) -> Any:
    """No value for a division by zero, so that 1 / (1 / 0) is no 0."""
    return _finite(np.divide(one, two))


def _finite(values: Any) -> Any:
    return np.where(np.isfinite(values), values, np.nan)
