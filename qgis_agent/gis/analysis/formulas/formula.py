"""Formulas that a model writes: parsed, and accepted only where every part of them is known to be harmless.

QGIS's expressions can read files, the environment, other layers and the network. A formula here is made of numbers, texts,
operators, fields of its own layer and functions from a list (``formula_words``); anything else is INVALID_PARAM.
"""

from __future__ import annotations

import re
from typing import Any, List, Optional, Sequence

from qgis.core import (
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextScope,
    QgsExpressionNode,
    QgsFields,
    QgsMapLayer,
    QgsVariantUtils,
    QgsVectorLayer,
)

from ...errors import (
    ToolError,
    hint_for_name,
)
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from .formula_nodes import (
    children,
    refused,
)
from .formula_size import (
    LIMIT,
    most_made,
)
from .formula_words import (
    AGGREGATES,
    FUNCTIONS,
    VARIABLES,
)

MAX_LENGTH = 2_000
MAX_DEPTH = 40
"""Of brackets."""
MAX_LEVELS = 250
"""Of the parsed tree: a sum of many terms is as deep as it has terms."""
MAX_NUMBERS = 10_000
"""Most repetitions that a literal may ask for: of characters, vertices, members of a series."""
_FEWER = {"smooth": 10, "format_number": 30, "geom_to_wkt": 30, "to_dms": 30, "to_dm": 30, "buffer": 500, "buffer_by_m": 500,
          "tapered_buffer": 500, "single_sided_buffer": 500, "offset_curve": 500}  # fmt: skip
"""Where far fewer are too many: each pass of smooth doubles the vertices, each vertex of a buffer may get all its segments."""
_Kind = QgsExpressionNode.NodeType
_SIZED = {
    "generate_series": (0, 1),
    "lpad": (1,),
    "rpad": (1,),
    "densify_by_count": (1,),
    "buffer": (2,),
    "buffer_by_m": (1,),
    "tapered_buffer": (3,),
    "single_sided_buffer": (2,),
    "offset_curve": (2,),
    "make_circle": (2,),
    "make_ellipse": (4,),
    "make_regular_polygon": (2,),
    "smooth": (1,),
    "format_number": (1,),
    "geom_to_wkt": (1,),
    "to_dms": (2,),
    "to_dm": (2,),
}
"""Arguments (by position) that say how much is made: plain numbers of at most MAX_NUMBERS, or ``_FEWER``."""
_STEP = {"generate_series": (2, 1.0), "hausdorff_distance": (2, 0.01)}
"""Position of a step, and the least that it may be."""
_CRS = {"transform": (1, 2)}
"""Arguments that are CRSs: ids only, for a PROJ text may name files of its own."""
_CRS_ID = re.compile(r"^[A-Za-z]{2,12}:\w{1,20}$")


def check_formula(text: str, layer: Optional[QgsMapLayer], *, aggregates: bool = False) -> str:
    """``text`` itself, when it is a formula over the fields of ``layer`` that reads nothing else.

    ``aggregates`` admits sum("x"), mean("x") … over the layer's own features. Without a layer, or with one that has no
    fields, no field may be named. INVALID_PARAM with reason "formula" and what to change otherwise.
    """
    return check_formula_of(
        text, seen_fields(layer) if isinstance(layer, QgsVectorLayer) else None, aggregates=aggregates
    )


def check_formula_of(text: str, fields: Optional[QgsFields], *, aggregates: bool = False) -> str:
    """``check_formula`` over these fields."""
    if not isinstance(text, str) or not text.strip():
        raise refused(translate("QgisAgent", "it is empty"), translate("QgisAgent", 'For example "population" / 2.'))
    if len(text) > MAX_LENGTH or "\0" in text:
        raise refused(
            translate("QgisAgent", "it has {} characters").format(len(text)),
            translate("QgisAgent", "At most {}.").format(MAX_LENGTH),
        )
    if _deepest(text) > MAX_DEPTH:
        raise _too_deep()
    expression = QgsExpression(text)
    root = expression.rootNode()
    if expression.hasParserError() or root is None:
        raise refused(clean_text(expression.parserErrorString() or text, 200), _syntax_hint(expression))
    _Checker(fields, aggregates).check(root, 0)
    if most_made(root) > LIMIT:
        raise refused(
            translate("QgisAgent", "it could make too much (a replacement, a list or vertices multiplied again)"),
            translate("QgisAgent", "Compute it in several steps, or with smaller numbers."),
        )
    return text


def formula_context(layer: Optional[QgsMapLayer]) -> QgsExpressionContext:
    """A context that knows the fields of ``layer`` and nothing of QGIS, the project or the environment.

    The caller sets the feature. ``row_number`` is the caller's to set too, where it counts.
    """
    context = QgsExpressionContext()
    context.appendScope(QgsExpressionContextScope("formula"))
    if isinstance(layer, QgsVectorLayer):
        context.setFields(layer.fields())
    return context


class _Checker:
    """Walks the tree of a parsed formula."""

    def __init__(self, fields: Optional[QgsFields], aggregates: bool) -> None:
        self._names: List[str] = [each.name() for each in fields] if fields is not None else []
        self._known = set(self._names) | {each.lower() for each in self._names}  # QGIS does not mind the case either
        self._functions = FUNCTIONS | AGGREGATES if aggregates else FUNCTIONS
        self._aggregates = aggregates

    def check(self, node: Any, depth: int) -> None:
        """ToolError for the first part that is not known."""
        if depth > MAX_LEVELS:
            raise _too_deep()
        kind = node.nodeType()
        if kind == _Kind.ntFunction:
            self._function(node, depth)
            return
        if kind == _Kind.ntColumnRef:
            self._column(node.name())
            return
        for each in children(node, kind):
            self.check(each, depth + 1)

    def _column(self, name: str) -> None:
        if name not in self._known and name.lower() not in self._known:
            raise refused(
                translate("QgisAgent", "there is no field '{}'").format(clean_text(name, 60)),
                hint_for_name(name, self._names, "field"),
            )

    def _function(self, node: Any, depth: int) -> None:
        name = QgsExpression.Functions()[node.fnIndex()].name()
        arguments = node.args().list() if node.args() is not None else []
        if name == "var":
            self._variable(arguments)
            return
        if name not in self._functions:
            raise self._unknown(name)
        _check_sizes(name, arguments)
        _check_crs(name, arguments)
        for each in arguments:
            self.check(each, depth + 1)

    def _variable(self, arguments: Sequence[Any]) -> None:
        plain = len(arguments) == 1 and arguments[0].nodeType() == _Kind.ntLiteral
        name = str(arguments[0].value()) if plain else ""
        if name not in VARIABLES:
            raise refused(
                translate("QgisAgent", "the variable '@{}' may not be used").format(clean_text(name or "…", 60)),
                translate("QgisAgent", "Variables: {}.").format(", ".join("@" + each for each in sorted(VARIABLES))),
            )

    def _unknown(self, name: str) -> ToolError:
        if name in AGGREGATES:
            hint = translate("QgisAgent", "Use aggregate_layer or dissolve_layer for sums over features.")
        else:
            hint = translate(
                "QgisAgent", "Only functions of values, geometry and the feature's own fields may be used."
            )
        return refused(translate("QgisAgent", "the function '{}' may not be used").format(clean_text(name, 60)), hint)


def _check_sizes(name: str, arguments: Sequence[Any]) -> None:
    """What says how much is made is a plain number within bounds: else one formula fills the memory."""
    sized = [arguments[at] for at in _SIZED.get(name, ()) if at < len(arguments)]
    values = [_number(each) for each in sized]
    most = _FEWER.get(name, MAX_NUMBERS)
    if any(each is None or abs(each) > most for each in values):
        raise refused(
            translate("QgisAgent", "the number of repetitions in {}() is computed or too large").format(name),
            translate("QgisAgent", "Give a plain number up to {}.").format(most),
        )
    at, least = _STEP.get(name, (len(arguments), 0.0))
    if at < len(arguments) and abs(_number(arguments[at]) or 0.0) < least and not _is_null(arguments[at]):
        raise refused(
            translate("QgisAgent", "the step of {}() is computed or too small").format(name),
            translate("QgisAgent", "Give a plain number of at least {:.15g}.").format(least),
        )


def _check_crs(name: str, arguments: Sequence[Any]) -> None:
    for at in _CRS.get(name, ()):
        node = arguments[at] if at < len(arguments) else None
        literal = node is not None and node.nodeType() == _Kind.ntLiteral
        if not literal or _CRS_ID.match(str(node.value())) is None:  # type: ignore[union-attr]
            raise refused(
                translate("QgisAgent", "the CRSs of {}() are given by their ids").format(name),
                translate("QgisAgent", "For example 'EPSG:4326'."),
            )


def _is_null(node: Any) -> bool:
    """Whether a node is an optional argument that was left out."""
    return node.nodeType() == _Kind.ntLiteral and (node.value() is None or QgsVariantUtils.isNull(node.value()))


def _number(node: Any) -> Optional[float]:
    """The value of a literal number, also with a minus; None for anything else."""
    kind = node.nodeType()
    if kind == _Kind.ntUnaryOperator:
        inner = _number(node.operand())
        return None if inner is None else -inner
    value = node.value() if kind == _Kind.ntLiteral else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _syntax_hint(expression: QgsExpression) -> str:
    unknown = QgsExpression.ParserError.ParserErrorType.FunctionUnknown
    if any(each.errorType == unknown for each in expression.parserErrors()):
        called = re.findall(r"([$\w]+)\s*\(", expression.expression())
        strange = [each for each in called if not QgsExpression.isFunctionName(each)]
        if strange:
            return hint_for_name(strange[0], sorted(FUNCTIONS), "function")
    return translate("QgisAgent", "Fields in double quotes (\"name\"), texts in single quotes ('text').")


def _deepest(text: str) -> int:
    """How deep brackets nest, counted before QGIS's own parser, which recurses, sees the text."""
    depth = deepest = 0
    for character in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        deepest = max(deepest, depth)
    return deepest


def _too_deep() -> ToolError:
    return refused(
        translate("QgisAgent", "it is nested more than {} deep").format(MAX_DEPTH),
        translate("QgisAgent", "Compute it in several steps."),
    )
