"""Adds up pytest's JUnit reports: ``summary.py REPORT.xml …`` prints one closing line; status 1 when anything failed."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path


def count(report: Path) -> Counter[str]:
    """Passed, failed and skipped tests of one report; a report that was never written counts as one failure."""
    if not report.exists():
        return Counter(failed=1)
    total: Counter[str] = Counter()
    for suite in ET.parse(report).getroot().iter("testsuite"):
        numbers = {name: int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
        bad = numbers["failures"] + numbers["errors"]
        total.update(failed=bad, skipped=numbers["skipped"], passed=numbers["tests"] - bad - numbers["skipped"])
    return total


def main() -> int:
    """Print the line and return the exit status."""
    total: Counter[str] = Counter()
    for name in sys.argv[1:]:
        total.update(count(Path(name)))
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
