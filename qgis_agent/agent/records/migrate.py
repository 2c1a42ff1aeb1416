"""The schema of session files, and how lines of an older one are read.

Each ``meta`` record says the schema of the lines that follow it; what stands before the first one is of schema 0. Nothing
that is written is ever rewritten: older lines are brought up to date as they are read, and a session that goes on says its
new schema in one more ``meta`` record. A file with a newer schema than this plugin's is not read and not touched.

0  no ``meta``; ``run_start`` without a project, ``run_end`` without the request and the reason of its end
1  ``run_start.project``, ``run_end.request``, ``reason``, ``charts``, ``question``
2  ``result.evidence``, ``legend``, ``charts``, ``recipes``: what a run showed, also where it never ended; ``arguments`` as
   they ran, and ``run_start.map``, which is what a replay begins with (absent in older lines: there is no telling)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

SCHEMA_VERSION = 2
META = b'{"t":"meta"'
"""How the line of a ``meta`` record begins: its schema is found without reading the others."""
Record = dict[str, Any]

_NEW_FIELDS: Mapping[int, Mapping[str, Mapping[str, Any]]] = {
    0: {
        "run_start": {"project": {}, "state_in": {}, "profile": "", "model": "", "trace_id": ""},
        "run_end": {"request": "", "reason": "", "final": "", "charts": [], "question": None, "error": None},
    },
    1: {"result": {"evidence": [], "legend": [], "charts": [], "recipes": []}},
}
"""By the schema that did not have them yet: the fields of a kind, and what they are where nothing was written."""


def schemas_of(records: Iterable[Mapping[str, Any]]) -> list[int]:
    """The schemas that ``meta`` records say, in order."""
    return [_number(each.get("schema")) for each in records if each.get("t") == "meta"]


def newest_schema(lines: Iterable[bytes]) -> int:
    """The newest schema that a file says, 0 where it says none. Only the lines of ``meta`` records are parsed."""
    found = []
    for line in lines:
        if line.startswith(META):
            try:
                found.append(json.loads(line.decode("utf-8")))
            except (ValueError, RecursionError):
                continue  # torn: what it would have said holds for no line
    return max(schemas_of(found), default=0)


def migrated(records: Iterable[Record]) -> list[Record]:
    """The records as this schema has them; those that are of it already are the same objects."""
    schema, found = 0, []
    for record in records:
        if record.get("t") == "meta":
            schema = _number(record.get("schema"))
        found.append(_up_to_date(record, schema))
    return found


def _up_to_date(record: Record, schema: int) -> Record:
    for version in range(schema, SCHEMA_VERSION):
        record = _STEPS[version](record)
    return record


def _with_new_fields(version: int) -> Callable[[Record], Record]:
    def step(record: Record) -> Record:
        missing = _NEW_FIELDS[version].get(str(record.get("t")))
        return record if missing is None else {**json.loads(json.dumps(missing)), **record}

    return step


_STEPS: Mapping[int, Callable[[Record], Record]] = {version: _with_new_fields(version) for version in _NEW_FIELDS}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
