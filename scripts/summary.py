"""Adds up pytest's JUnit reports: ``summary.py REPORT.xml=STATUS …`` prints one closing line; exit status 1 when anything
failed. STATUS is that of the suite's process: one that is not 0 counts as a failure where the report knows of none."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path


def count(report: Path, status: int) -> Counter[str]:
    """Passed, failed and skipped tests of one suite; a report that was never written, or not to its end, is one failure."""
    total: Counter[str] = Counter()
    try:
        suites = list(ET.parse(report).getroot().iter("testsuite"))
    except (OSError, ET.ParseError):
        return Counter(failed=1)
    for suite in suites:
        numbers = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
        bad = numbers["failures"] + numbers["errors"]
        total.update(failed=bad, skipped=numbers["skipped"], passed=numbers["tests"] - bad - numbers["skipped"])
    if status and not total["failed"]:
        total["failed"] = 1
    return total


def main() -> int:
    """Print the line and return the exit status."""
    total: Counter[str] = Counter()
    for each in sys.argv[1:]:
        report, _, status = each.rpartition("=")
        total.update(count(Path(report), int(status)))
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
