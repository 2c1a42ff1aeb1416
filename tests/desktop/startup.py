"""Run by QGIS before any plugin is loaded: an error that QGIS would show in a window goes to the test instead.

A window that nobody closes would only let the test run into its time limit.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import qgis.utils


def _report(type_: Any, value: Any, tb: Any, msg: str, messagebar: bool = False, level: Any = None) -> None:
    text = "{}\n{}".format(msg, "".join(traceback.format_exception(type_, value, tb)))
    sys.stderr.write(text)
    sys.stderr.flush()
    with open(os.environ["QGIS_AGENT_TEST_ERRORS"], "a", encoding="utf-8") as sink:
        sink.write(text + "\n")


qgis.utils.showException = _report
