"""From the expression of a rule back to conditions, where it says what conditions can say."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List, Optional, Tuple

from qgis.core import QgsExpression, QgsExpressionNodeBinaryOperator, QgsVariantUtils, QgsVectorLayer

from ..conditions import where_expression
from ..errors import ToolError
from ..features import json_value

Conditions = List[Dict[str, Any]]
_SINGLE_OPS = ("eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with")
_MAX_LENGTH = 20_000
_AND = QgsExpressionNodeBinaryOperator.BinaryOperator.boAnd
_OR = QgsExpressionNodeBinaryOperator.BinaryOperator.boOr


def where_of(layer: QgsVectorLayer, text: str) -> Optional[Conditions]:
    """The conditions that mean the same as ``text``; None where conditions cannot say it (a person's own expression).

    Nothing is guessed: each part is taken only when its conditions, written as an expression again, are parsed to the
    same tree.
    """
    expression = QgsExpression(text)
    if not text or len(text) > _MAX_LENGTH or expression.hasParserError():
        return None
    found: Conditions = []
    for node in _parts(layer, expression.rootNode(), _AND):
        condition = _condition(layer, node) or _any_of(layer, node)
        if condition is None:
            return None
        found.append(condition)
    return found


def _parts(layer: QgsVectorLayer, node: Any, joined_by: Any) -> Iterator[Any]:
    """The operands of a chain of AND, or of OR. A part that is one condition as a whole (between) is not taken apart."""
    if _is(node, joined_by) and _condition(layer, node) is None:
        for side in (node.opLeft(), node.opRight()):
            yield from _parts(layer, side, joined_by)
    else:
        yield node


def _is(node: Any, operator: Any) -> bool:
    return isinstance(node, QgsExpressionNodeBinaryOperator) and node.op() == operator


def _any_of(layer: QgsVectorLayer, node: Any) -> Optional[Dict[str, Any]]:
    if not _is(node, _OR):
        return None
    branches = [_condition(layer, each) for each in _parts(layer, node, _OR)]
    return None if any(each is None for each in branches) else {"any_of": branches}


def _condition(layer: QgsVectorLayer, node: Any) -> Optional[Dict[str, Any]]:
    """One condition that is parsed to this node."""
    wanted = node.dump()
    names = sorted(node.referencedColumns())
    if len(names) != 1:
        return None
    values = list(itertools.islice(_literals(node), 201))
    for op, value in _candidates(values):
        condition = {"field": names[0], "op": op} if value is None else {"field": names[0], "op": op, "value": value}
        if _dump(layer, condition) == wanted:
            return condition
    return None


def _candidates(values: List[Any]) -> Iterator[Tuple[str, Any]]:
    if not values:
        yield from (("is_null", None), ("not_null", None))
        return
    # strpos(…) > 0 and left(…, n) = … hold a number beside the text.
    texts = [each for each in values if isinstance(each, str)]
    for first in dict.fromkeys([values[0]] + texts[:1]):
        yield from ((op, first) for op in _SINGLE_OPS)
    if len(values) == 2:
        yield "between", values
    yield from (("in", values), ("not_in", values))
    once = list(dict.fromkeys(values))
    if len(once) < len(values):  # numbers are compared from both sides, so that each stands there twice
        yield from (("in", once), ("not_in", once))


def _dump(layer: QgsVectorLayer, condition: Dict[str, Any]) -> str:
    try:
        expression = QgsExpression(where_expression(layer, [condition]))
    except ToolError:  # the value does not go with the field's type
        return ""
    root = None if expression.hasParserError() else expression.rootNode()
    return str(root.dump()) if root is not None else ""


def _literals(node: Any) -> Iterator[Any]:
    """The literal values below a node, from left to right; a minus before a number belongs to it."""
    if node is None:
        return
    if hasattr(node, "opLeft"):
        yield from _literals(node.opLeft())
        yield from _literals(node.opRight())
    elif hasattr(node, "isNotIn"):
        for each in node.list().list():
            yield from _literals(each)
    elif hasattr(node, "operand"):
        for value in _literals(node.operand()):
            yield -value if isinstance(value, (int, float)) and node.text() == "-" else value
    elif hasattr(node, "args") and node.args() is not None:
        for each in node.args().list():
            yield from _literals(each)
    elif hasattr(node, "value") and not QgsVariantUtils.isNull(node.value()):
        yield json_value(node.value(), _MAX_LENGTH)
