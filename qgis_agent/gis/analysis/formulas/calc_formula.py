"""Formulas of the raster calculators of QGIS and GDAL: only what is on a list passes.

QGIS's own has a small grammar that cannot reach anything but the bands of its layers. GDAL's (``gdal_calc``) is Python that
is evaluated: what passes here are letters for the rasters, numbers, operators and functions of numpy that only compute.
"""

from __future__ import annotations

import ast
import re
from typing import FrozenSet, List

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text

MAX_LENGTH = 1000
MAX_NODES = 200
MAX_EXPONENT = 64.0
"""Of a power whose exponent is a plain number."""
_QGIS_FUNCTIONS = frozenset("sqrt sin cos tan asin acos atan ln log10 abs min max if and or".split())
_QGIS_TOKEN = re.compile(
    r"""\s*(?:(?P<band>"[^"]{1,200}@\d{1,5}"|[\w.\-]{1,200}@\d{1,5})|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<sign><=|>=|!=|[-+*/^=<>(),]))"""
)
_NUMPY: FrozenSet[str] = frozenset(
    """abs absolute arccos arcsin arctan arctan2 ceil clip cos deg2rad equal exp fabs floor fmax fmin greater greater_equal
    hypot isfinite isnan less less_equal log log10 log2 logical_and logical_not logical_or logical_xor maximum minimum mod
    nan_to_num not_equal power rad2deg radians rint round sign sin sqrt square tan tanh where""".split()
)
_NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.Load,
)


def check_band_formula(text: str) -> str:
    """``text`` itself, when it is a formula of QGIS's raster calculator. INVALID_PARAM, reason "formula", otherwise."""
    _check_length(text)
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _QGIS_TOKEN.match(text, position)
        word = found.group("word") if found else None
        if found is None or (word is not None and word.lower() not in _QGIS_FUNCTIONS):
            raise _refused(
                text[position:].strip(),
                translate("QgisAgent", 'Bands as "layer name@1", numbers, + - * / ^, comparisons, AND, OR, {}.').format(
                    ", ".join(sorted(_QGIS_FUNCTIONS - {"and", "or"}))
                ),
            )
        position = found.end()
    return text


def band_names(text: str) -> List[str]:
    """The names of the layers whose bands a formula of QGIS's raster calculator reads."""
    names = [each.group("band") for each in _QGIS_TOKEN.finditer(text) if each.group("band")]
    return [each.strip('"').rsplit("@", 1)[0] for each in names]


def check_numpy_formula(text: str) -> str:
    """``text`` itself, when GDAL's calculator can only compute with it. INVALID_PARAM, reason "formula", otherwise."""
    _check_length(text)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refused(text, _numpy_hint()) from error
    nodes = list(ast.walk(tree))
    # A newline ends the command's argument elsewhere.
    if len(nodes) > MAX_NODES or "\n" in text.strip() or "\r" in text.strip():
        raise _refused(text, _numpy_hint())
    functions = {id(each.func) for each in nodes if isinstance(each, ast.Call)}
    owners = {id(each.value) for each in nodes if isinstance(each, ast.Attribute) and id(each) in functions}
    for each in nodes:
        if not _computes(each, functions, owners):
            raise _refused(ast.unparse(each) if isinstance(each, ast.expr) else text, _numpy_hint())
    return text


def _computes(node: ast.AST, functions: set, owners: set) -> bool:  # type: ignore[type-arg]
    if isinstance(node, ast.Call):
        return not node.keywords and len(node.args) <= 3
    if isinstance(node, ast.Attribute):
        return id(node) in functions and isinstance(node.value, ast.Name) and node.attr in _NUMPY
    if isinstance(node, ast.Name):
        if id(node) in owners:
            return node.id in ("numpy", "np")
        return node.id in _NUMPY if id(node) in functions else re.match(r"^[A-Z]$", node.id) is not None
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and abs(node.value) < 1e12
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _ends(node)
    return isinstance(node, _NODES) and not isinstance(
        node, (ast.MatMult, ast.LShift, ast.RShift, ast.In, ast.NotIn, ast.Is)
    )


def _ends(power: ast.BinOp) -> bool:
    """Whether a power is one of cells, or of two small plain numbers: Python's whole numbers have no limit, and 9**9**9**9
    would never end."""
    left, right = _letters(power.left), _letters(power.right)
    if not right and not (_plain(power.right) <= MAX_EXPONENT):
        return False
    return bool(left or right or _plain(power.left) < float("inf"))


def _letters(node: ast.AST) -> bool:
    """Whether cells are in a part of the formula, so that it has the limits of numpy's numbers."""
    return any(isinstance(each, ast.Name) and re.match(r"^[A-Z]$", each.id) for each in ast.walk(node))


def _plain(node: ast.AST) -> float:
    """The size of a plain number, with or without a sign; infinite for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return _plain(node.operand)
    value = node.value if isinstance(node, ast.Constant) else None
    return abs(float(value)) if isinstance(value, (int, float)) else float("inf")


def _numpy_hint() -> str:
    return translate("QgisAgent", "Letters A to F for the rasters, numbers, + - * / **, comparisons, {}.").format(
        ", ".join(sorted(_NUMPY))
    )


def _check_length(text: str) -> None:
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_LENGTH:
        raise _refused(str(text), translate("QgisAgent", "1 to {} characters.").format(MAX_LENGTH))


def _refused(part: str, hint: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The formula is refused at '{}'.").format(clean_text(part, 60)),
        hint=hint,
        reason="formula",
    )
