"""Which keys of a trace hold what: for ``redact_trace.py``.

A key says what its value is only where the program chose the key. Below ``RECORDS`` and ``FREE`` the data, the model or a
Processing algorithm did: a column may be called "type", "unit" or "count", and none of the exemptions holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

SENTENCES = frozenset("user_text answer text message hint warnings notes note label title".split())
WORDS = frozenset(
    """tool op code reason kind type crs crs_used method algorithm operation predicate palette schema termination decision by
    effect origin caller intent profile recorded_at blend status format count_kind geometry action outcome model prompts tools
    plugin qgis locale unit answered_by statistics pack packs mode area_unit distance_unit ellipsoid digest units template
    source_kind provider driver name_kind redacted color outline_color count_by invalid position relation
    """.split()
)
"""Keys whose texts are the program's own words, not the data's."""
COUNTS = frozenset(
    """count counts total returned features feature_count input_count features_before features_after cursor next step ms run
    classes limit steps page_size rows_total columns width height size dpi input_tokens output_tokens model_calls tool_calls
    cached_tokens k band bands year_of_schema
    """.split()
)
RECORDS = frozenset("rows values features table samples".split())
"""Below these are records of the data: keys are fields, and every value is the data's."""
FREE = frozenset(["parameters"])
"""Below these are the keys of a Processing algorithm."""
MEASURED = frozenset(
    """where bbox center view_bbox extent points filters categories classes breaks rules legend evidence numbers selection
    options limits stretch boundaries data
    """.split()
)
"""Below these every number is a value, and every text that is none of the program's words."""
CONTENT = frozenset("expression formula filter subset where condition contains query prefix wkt".split())
"""A text of these is one of the data, or names some of them."""
FIGURES = frozenset("min max mean median sum stdev value lower upper min_value max_value".split())
"""A number of these is one of the data wherever it stands."""
IDS = frozenset(
    """layer_id_qgis source_digest session_id trace_id call_id key result_ref rule_id confirm_token ref ids feature_ids
    selected_ids fid id
    """.split()
)
BY_NAME = frozenset("layers filters selection styles aliases".split())
"""Objects whose keys are the aliases of layers."""
_FIELD_KEYS = frozenset(
    """field fields group_by order_by x y x_field y_field join_field source_field weight_field wkt_field text_fields
    overlay_fields atlas_name_field added_fields label_field
    """.split()
)
_FILE_KEYS = frozenset("path file folder sublayer source target".split())
_NAME_KEYS = frozenset("name layout group layer_name atlas_name".split())
_PROGRAM = (
    WORDS
    | COUNTS
    | RECORDS
    | FREE
    | MEASURED
    | CONTENT
    | SENTENCES
    | FIGURES
    | IDS
    | _FIELD_KEYS
    | _FILE_KEYS
    | _NAME_KEYS
)
_SKELETON = frozenset(
    """steps args options patch result final decision actions map_actions start state_in map_state view versions usage error
    question""".split()
)
_QUOTED = re.compile(r'"((?:[^"]|"")+)"')


def is_program_key(key: str, of: str) -> bool:
    """Whether a key of the object under ``of`` is the program's, though a field or layer may be called so too."""
    return key in _PROGRAM or of in _SKELETON


def is_record(key: str) -> bool:
    """Whether records of the data are under a key."""
    return key.lower() in RECORDS


def names_of(value: Any, key: str = "", inside: bool = False) -> Iterator[tuple[str, Any]]:
    """(kind, name) of what a part of a trace names: fields, layers, files and names that were given.

    ``inside`` records only their fields are looked for: a column "name" or "path" holds the data's texts.
    """
    lower = key.lower()
    if isinstance(value, Mapping):
        if lower == "rows" and inside:
            yield from (("field", each) for each in value)
        for name, each in value.items():
            yield from names_of(each, str(name), inside or is_record(str(name)))
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, Mapping) and lower.endswith("fields"):
                yield "field", each.get("name")
            yield from names_of(each, key, inside)
    elif isinstance(value, str):
        kind = _kind_of(lower, inside)
        if kind:
            yield kind, value
        elif lower in CONTENT:
            yield from (("field", each.replace('""', '"')) for each in _QUOTED.findall(value))


def _kind_of(key: str, inside: bool) -> str:
    if key in _FIELD_KEYS or key.endswith(("_field", "_fields")):
        return "field"
    if key.endswith(("layer_id", "layer_ids")):
        return "layer"
    if inside:
        return ""
    if key in _FILE_KEYS:
        return "file"
    return "name" if key in _NAME_KEYS else ""
