"""The functions and variables that a formula may have.

None of them reads a file, the environment, the network, another layer or another feature; none writes (QGIS has one that
does: sqlite_fetch_and_increment); none evaluates a text (order_parts does). What can only be used to fill the memory is left
out (densify_by_distance with a tiny distance) or bounded in ``formula.py`` and ``formula_size.py``. Functions of other plugins,
and those that a person wrote, are not known here, so they are refused.
"""

from __future__ import annotations

_MATH = """abs acos asin atan atan2 azimuth bearing ceil clamp cos degrees exp floor ln log log10 max min pi radians rand randf
round scale_exponential scale_linear scale_polynomial sin sqrt tan"""
_TEXT = """ascii char concat format format_date format_number hamming_distance left length levenshtein longest_common_substring
lower lpad ltrim regexp_match regexp_matches regexp_replace regexp_substr replace right rpad rtrim soundex strpos substr
title trim upper wordwrap"""
_TIME = """age datetime_from_epoch day day_of_week epoch hour make_date make_datetime make_interval make_time minute month now
second week year"""
_CONDITIONS = "coalesce if nullif try"
_CONVERSIONS = """from_base64 hash md5 sha256 to_base64 to_date to_datetime to_decimal to_dm to_dms to_int to_interval to_real
to_string to_time"""
_LISTS = """array array_all array_append array_cat array_contains array_count array_distinct array_filter array_find array_first
array_foreach array_get array_insert array_intersect array_last array_length array_majority array_max array_mean
array_median array_min array_minority array_prepend array_prioritize array_remove_all array_remove_at array_replace
array_reverse array_slice array_sort array_sum array_to_string generate_series geometries_to_array string_to_array
from_json hstore_to_map map map_akeys map_avals map_concat map_delete map_exist map_get map_insert map_prefix_keys
map_to_hstore to_json url_encode"""
_GEOMETRY = """$area $geometry $length $perimeter $x $x_at $y $y_at $z affine_transform angle_at_vertex area boundary bounds
bounds_height bounds_width buffer buffer_by_m centroid close_line closest_point collect_geometries combine concave_hull
contains convex_hull crosses densify_by_count difference disjoint distance distance_to_vertex
end_point extend exterior_ring extrude flip_coordinates force_polygon_ccw force_polygon_cw force_rhr geom_from_wkb
geom_from_wkt geom_to_wkb geom_to_wkt geometry_n geometry_type hausdorff_distance inclination interior_ring_n
intersection intersects intersects_bbox is_closed is_empty is_empty_or_null is_multipart is_valid length3D
line_interpolate_angle line_interpolate_point line_interpolate_point_by_m line_locate_m line_locate_point line_merge
line_substring m m_at m_max m_min main_angle make_circle make_ellipse make_line make_point make_point_m make_polygon
make_rectangle_3points make_regular_polygon make_square make_triangle make_valid minimal_circle nodes_to_points
num_geometries num_interior_rings num_points num_rings offset_curve oriented_bbox overlaps perimeter point_n
point_on_surface pole_of_inaccessibility project relate reverse rotate roundness scale segments_to_lines shared_paths
shortest_line simplify simplify_vw single_sided_buffer sinuosity smooth start_point straight_distance_2d sym_difference
tapered_buffer touches transform translate union wedge_buffer within x x_at x_max x_min y y_at y_max y_min z z_at z_max
z_min"""
_FEATURE = "$id feature_id uuid"

FUNCTIONS = frozenset(
    "{} {} {} {} {} {} {} {}".format(
        _MATH, _TEXT, _TIME, _CONDITIONS, _CONVERSIONS, _LISTS, _GEOMETRY, _FEATURE
    ).split()
)
"""Functions of values and of the feature in hand."""

AGGREGATES = frozenset(
    """array_agg collect concatenate concatenate_unique count count_distinct count_missing iqr majority max_length maximum
    mean median min_length minimum minority q1 q3 range stdev sum""".split()
)
"""Functions over the features of the same layer. Not aggregate() and relation_aggregate(): these name another one."""

VARIABLES = frozenset(["row_number", "id", "geometry", "element", "index", "counter"])
"""Variables of the feature and of array functions. Those of QGIS and of the project tell paths, names and the environment."""
