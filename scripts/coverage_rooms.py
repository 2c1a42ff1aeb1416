"""Coverage of each room of the harness, from coverage's JSON report: ``coverage_rooms.py REPORT``.

A room's figure counts statements and branches together, as coverage's own totals do; the branches alone are shown beside
it, and both have to reach the goal.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOMS = ("loop", "governance", "context", "execution")
GOAL = 90.0


def share(done: int, of: int) -> float:
    """In percent; nothing to do is all done."""
    return 100.0 * done / of if of else 100.0


def figures(files: dict[str, dict[str, Any]], room: str) -> tuple[float, float]:
    """(statements and branches, branches alone) of a room in percent."""
    inside = [each["summary"] for path, each in files.items() if f"agent/{room}/" in path.replace("\\", "/")]
    total = {key: sum(each[key] for each in inside) for key in _KEYS}
    both = share(
        total["covered_lines"] + total["covered_branches"],
        total["num_statements"] + total["num_branches"],
    )
    return (both if inside else 0.0), share(total["covered_branches"], total["num_branches"])


_KEYS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def main() -> int:
    """Print the rooms and the ten files that lack most; the status is 1 when a room is under the goal."""
    files: dict[str, dict[str, Any]] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"]
    status = 0
    for room in ROOMS:
        both, branches = figures(files, room)
        good = min(both, branches) >= GOAL
        status |= not good
        mark = "ok  " if good else "MISS"
        print(f"{mark} agent/{room}: {both:.1f} % of statements and branches, {branches:.1f} % of branches alone")
    missing = sorted(files, key=lambda path: -files[path]["summary"]["missing_branches"])[:10]
    for path in missing:
        summary = files[path]["summary"]
        if summary["missing_branches"]:
            lines = sorted({start for start, _ in files[path].get("missing_branches", [])})
            print(f"     {path}: {summary['missing_branches']} branches not taken, from lines {lines[:12]}")
    return status


if __name__ == "__main__":
    sys.exit(main())
