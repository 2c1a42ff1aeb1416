"""How much a formula can make, at most: so that one line of text does not fill the memory.

Counted roughly, in characters, list members and vertices; a field's value counts as ``FIELD`` of them. What is bounded is
how often a value can be multiplied (a replacement of a replacement, a list in a list), not the value itself.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence

from qgis.core import QgsExpression, QgsExpressionNode

from .formula_nodes import children

FIELD = 100.0
"""Of a field's value or the geometry: what the limit is measured by."""
LIMIT = 1e7
"""Most that may come of it: a hundred thousand times a field."""
_Kind = QgsExpressionNode.NodeType
_SMALL = frozenset(
    """abs acos asin atan atan2 azimuth bearing ceil cos degrees exp floor ln log log10 pi radians rand randf round sin sqrt
    tan ascii char length levenshtein hamming_distance strpos age day day_of_week epoch hour minute month second week year now
    datetime_from_epoch make_date make_datetime make_interval make_time to_date to_datetime to_decimal to_int to_interval
    to_real to_time hash md5 sha256 array_contains array_count array_find array_length array_max array_mean array_median
    array_min array_sum map_exist $area $length $perimeter $x $y $z $x_at $y_at area perimeter angle_at_vertex bounds_height
    bounds_width distance distance_to_vertex hausdorff_distance inclination is_closed is_empty is_empty_or_null is_multipart
    is_valid length3D line_interpolate_angle line_interpolate_point line_locate_m line_locate_point main_angle m m_at m_max
    m_min num_geometries num_interior_rings num_points num_rings point_n point_on_surface centroid bounds start_point
    end_point make_point make_point_m make_rectangle_3points make_square make_triangle pole_of_inaccessibility project
    roundness sinuosity straight_distance_2d x x_at x_max x_min y y_at y_max y_min z z_at z_max z_min $id feature_id uuid
    contains crosses disjoint intersects intersects_bbox overlaps relate touches within geometry_type count count_distinct
    count_missing iqr max_length maximum mean median min_length minimum q1 q3 range stdev sum""".split()
)
"""What gives a number, a date, a short text or a point or box, whatever it is given."""
_TIMES = {
    "to_json": 6.0, "url_encode": 9.0, "map_to_hstore": 3.0, "to_base64": 2.0, "geom_to_wkt": 60.0, "geom_to_wkb": 20.0,
    "segments_to_lines": 2.0, "extrude": 4.0, "minimal_circle": 1.0, "array_agg": 100.0, "collect": 100.0, "concatenate": 100.0,
    "concatenate_unique": 100.0, "to_dm": 2.0, "to_dms": 2.0, "format_date": 4.0,
}  # fmt: skip
"""How many times the sum of its arguments a function gives; all others give the sum."""
_ROUND = {
    "buffer": (2, 8.0), "buffer_by_m": (1, 8.0), "tapered_buffer": (3, 8.0), "single_sided_buffer": (2, 8.0),
    "offset_curve": (2, 8.0),
}  # fmt: skip
"""Position and default of the segments of a quarter circle that each vertex may get."""
_MADE = {"make_circle": 2, "make_ellipse": 4, "make_regular_polygon": 2, "minimal_circle": 1, "wedge_buffer": -1}
"""Position of the number of vertices."""


def most_made(node: Any) -> float:
    """The most that a parsed formula gives for one feature."""
    return _most(node, 1.0)


def _most(node: Any, element: float) -> float:
    """``element``: what @element stands for here."""
    kind = node.nodeType()
    if kind == _Kind.ntLiteral:
        value = node.value()
        return float(max(1, len(value))) if isinstance(value, str) else 1.0
    if kind == _Kind.ntColumnRef:
        return FIELD
    if kind == _Kind.ntFunction:
        return _function(node, element)
    return 1.0 + sum(_most(each, element) for each in children(node, kind))


def _function(node: Any, element: float) -> float:
    name = QgsExpression.Functions()[node.fnIndex()].name()
    arguments: List[Any] = node.args().list() if node.args() is not None else []
    if name == "var":
        return element if arguments and _text(arguments[0]) == "element" else FIELD
    if name in ("array_foreach", "array_filter", "array_all") and len(arguments) > 1:
        members = _most(arguments[0], element)
        each = _most(arguments[1], 1.0 if _called(arguments[0]) == "generate_series" else members)
        return members * each if name == "array_foreach" or each > LIMIT else members
    sizes = [_most(each, element) for each in arguments]
    # What is in the arguments has been made too, even where little comes of it.
    result = 1.0 if name in _SMALL else _grown(name, arguments, sizes)
    return result if name not in _SMALL or max(sizes, default=0.0) <= LIMIT else max(sizes)


def _grown(name: str, arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    total = 1.0 + sum(sizes)
    if name in _SPECIAL and len(arguments) > 1:
        return max(1.0, _SPECIAL[name](arguments, sizes))
    if name in _ROUND:
        at, usual = _ROUND[name]
        segments = _number(arguments[at]) if at < len(arguments) else usual
        return total * 4.0 * max(1.0, segments)
    if name in _MADE:
        at = _MADE[name]
        return total + (max(1.0, _number(arguments[at])) if 0 <= at < len(arguments) else FIELD)
    if name == "$geometry":
        return FIELD
    return total * _TIMES.get(name, 1.0)


def _replaced(arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    if len(arguments) == 2:  # a map of texts and what they become
        return sizes[0] * max(1.0, sizes[1])
    before, after = _text(arguments[1]), arguments[2]
    found = float(len(before)) if before else 0.0
    new = float(len(_text(after))) if _is_text(after) else sizes[2]
    return sizes[0] * max(1.0, new / found if found else new + 1.0)


def _replaced_by_pattern(arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    if len(arguments) < 3:
        return sum(sizes)
    return sizes[0] * (1.0 + (float(len(_text(arguments[2]))) if _is_text(arguments[2]) else sizes[2]))


def _formatted(arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    places = float(_text(arguments[0]).count("%")) if _is_text(arguments[0]) else sizes[0]
    return sizes[0] + max(1.0, places) * sum(sizes[1:])


def _padded(arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    return sizes[0] + _number(arguments[1]) * (sizes[2] if len(sizes) > 2 else 1.0)


def _joined(_arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    return sizes[0] * (1.0 + sizes[-1])


def _wrapped(_arguments: Sequence[Any], sizes: Sequence[float]) -> float:
    return sizes[0] * (1.0 + (sizes[2] if len(sizes) > 2 else 1.0))


def _series(arguments: Sequence[Any], _sizes: Sequence[float]) -> float:
    step = _number(arguments[2]) if len(arguments) > 2 else 1.0
    return abs(_signed(arguments[1]) - _signed(arguments[0])) / max(abs(step), 1.0) + 1.0


_SPECIAL: Dict[str, Callable[[Sequence[Any], Sequence[float]], float]] = {
    "replace": _replaced,
    "regexp_replace": _replaced_by_pattern,
    "format": _formatted,
    "lpad": _padded,
    "rpad": _padded,
    "wordwrap": _wrapped,
    "array_to_string": _joined,
    "array_replace": _joined,
    "generate_series": _series,
    "densify_by_count": lambda arguments, sizes: sizes[0] * (1.0 + _number(arguments[1])),
    "smooth": lambda arguments, sizes: sizes[0] * 2.0 ** min(_number(arguments[1]), 100.0),
}


def _called(node: Any) -> str:
    """The name of the function that a node is; "" for another kind."""
    return str(QgsExpression.Functions()[node.fnIndex()].name()) if node.nodeType() == _Kind.ntFunction else ""


def _is_text(node: Any) -> bool:
    return bool(node.nodeType() == _Kind.ntLiteral)


def _text(node: Any) -> str:
    value = node.value() if _is_text(node) else ""
    return value if isinstance(value, str) else ""


def _signed(node: Any) -> float:
    """A number as it is written; FIELD for a computed one (``formula.py`` has looked at those that must be plain)."""
    if node.nodeType() == _Kind.ntUnaryOperator:
        return -_signed(node.operand())
    value = node.value() if node.nodeType() == _Kind.ntLiteral else None
    return float(value) if isinstance(value, (int, float)) else FIELD


def _number(node: Any) -> float:
    return abs(_signed(node))
