"""The command ``audit``: prints or writes what the audit log says. It opens no project and starts no agent process."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from .gis.audit_read import Query, as_csv, export_audit, read, sentence
from .gis.headless import default_profile

if TYPE_CHECKING:
    from .__main__ import Output

PROFILE_PARTS = ("profiles", "default")
"""Where QGIS keeps the profile that it opens when none is named, below its folder for profiles."""


def audit(arguments: argparse.Namespace, output: Output) -> int:
    """``audit``: exit status 1 where the file cannot be written, 2 for what is no time."""
    query = Query(arguments.since, arguments.until, arguments.tool, arguments.layer, arguments.caller)
    folder = _folder(arguments.profile_folder)
    try:
        query.times()
    except ValueError as error:
        words = "qgis_agent: --since and --until take a date or a time as in 2026-11-30 or 2026-11-30T08:00 (UTC): {}\n"
        sys.stderr.write(words.format(error))
        return 2
    if arguments.out:
        return _to_file(arguments.out, query, folder, output)
    records = list(read(query, folder))
    if arguments.json:
        output.json({"folder": str(folder), "lines": records})
    elif arguments.csv:
        output.line(as_csv(records).rstrip("\r\n"))
    else:
        for each in records:
            output.line(sentence(each))
        if not records:
            sys.stderr.write("no such lines in {}\n".format(folder))
    return 0


def _to_file(path: str, query: Query, folder: Path, output: Output) -> int:
    if os.path.lexists(path):
        sys.stderr.write("qgis_agent: {} is there already and is not replaced\n".format(path))
        return 1
    try:
        count = export_audit(path, query, folder)
    except OSError as error:
        sys.stderr.write("qgis_agent: {}: {}\n".format(path, error.strerror or error))
        return 1
    output.line("{}: {} lines".format(path, count))
    return 0


def _folder(named: Optional[str]) -> Path:
    """The log of a profile's folder, also where that of all profiles is named."""
    base = Path(named) if named else default_profile()
    inner = base.joinpath(*PROFILE_PARTS)
    return (inner if inner.is_dir() else base) / "qgis_agent" / "audit"
