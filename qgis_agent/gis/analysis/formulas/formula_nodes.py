"""The nodes of QGIS's parsed expressions, for those who walk over them."""

from __future__ import annotations

from typing import Any, Iterator

from qgis.core import QgsExpressionNode, QgsExpressionNodeIndexOperator
from qgis.PyQt import sip

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate

_Kind = QgsExpressionNode.NodeType


def children(node: Any, kind: Any) -> Iterator[Any]:
    """The parts of a node that is no function. INVALID_PARAM for a kind of node that is not known."""
    if kind == _Kind.ntUnaryOperator:
        yield node.operand()
    elif kind == _Kind.ntBinaryOperator:
        yield node.opLeft()
        yield node.opRight()
    elif kind == _Kind.ntInOperator:
        yield node.node()
        yield from node.list().list()
    elif kind == _Kind.ntBetweenOperator:
        yield node.node()
        yield node.lowerBound()
        yield node.higherBound()
    elif kind == _Kind.ntIndexOperator:
        indexed = sip.cast(node, QgsExpressionNodeIndexOperator)  # the bindings give the base class
        yield indexed.container()
        yield indexed.index()
    elif kind == _Kind.ntCondition:
        for each in node.conditions():
            yield each.whenExp()
            yield each.thenExp()
        if node.elseExp() is not None:
            yield node.elseExp()
    elif kind != _Kind.ntLiteral:
        raise refused(translate("QgisAgent", "a part of it is not known"), translate("QgisAgent", "Write it simpler."))


def refused(why: str, hint: str) -> ToolError:
    """INVALID_PARAM, reason "formula"."""
    return ToolError(
        INVALID_PARAM, translate("QgisAgent", "The formula is refused: {}.").format(why), hint=hint, reason="formula"
    )
