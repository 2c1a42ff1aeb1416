"""Seeded faults: one small change each that a careless hand could make, and the tests that must notice it.

``before`` has to stand exactly once in ``file`` (text, not line numbers, so that the table survives changes elsewhere).
"""

from __future__ import annotations

from dataclasses import dataclass

from harness_faults import HARNESS_FAULTS


@dataclass(frozen=True)
class Fault:
    """In ``file`` (from the root of the repository) ``before`` becomes ``after``; one of ``tests`` must fail then."""

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]


FAULTS: tuple[Fault, ...] = (
    Fault(
        "an id of an earlier turn is given again",
        "qgis_agent/agent/llm/ids.py",
        "        if not wanted or wanted in self._taken:",
        "        if not wanted:",
        ("tests/unit/test_llm_assembler.py::test_ids_are_stable_and_not_those_of_earlier_turns",),
    ),
    Fault(
        "the rest of a line over the limit is read as lines of its own",
        "qgis_agent/bridge/framing.py",
        "self._parts, self._size, self._skipping = [], 0, True",
        "self._parts, self._size, self._skipping = [], 0, False",
        ("tests/unit/test_bridge_framing.py::test_a_line_over_the_limit_is_dropped_once_and_the_next_is_read",),
    ),
    Fault(
        "two open requests may have one id",
        "qgis_agent/bridge/peer.py",
        "        if ident in self._open:",
        "        if ident in self._waiting:",
        ("tests/unit/test_bridge_peer.py::test_an_id_in_use_is_refused",),
    ),
    Fault(
        "a later part of a version counts as a number",
        "qgis_agent/agent/records/numbers.py",
        'if before == "." and start > 1 and text[start - 2].isalnum():',
        'if before == "." and start > 1 and text[start - 2].isalpha():',
        ("tests/unit/test_agent_provenance.py::test_numbers_of_a_text",),
    ),
    Fault(
        "the model is shown schemas that are not closed",
        "qgis_agent/agent/catalog/advertise.py",
        'if key in _LENGTHS or (key in _COUNTS and not fixed_length) or (key == "default" and not value):',
        "if key in _LENGTHS or (key in _COUNTS and not fixed_length) or not value:",
        ("tests/unit/test_catalog.py::test_the_schema_file_is_fresh",),
    ),
    Fault(
        "the small checker takes true for a number",
        "qgis_agent/bridge/schema.py",
        "return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)",
        "return isinstance(value, (int, float)) and math.isfinite(value)",
        ("tests/unit/test_catalog.py::test_true_and_text_are_no_numbers",),
    ),
    *(Fault(*each) for each in HARNESS_FAULTS),
)
