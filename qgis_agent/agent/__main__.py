"""Started as a script, by its path: ``python …/qgis_agent/agent/__main__.py``. The parent speaks over stdin and stdout."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

if __name__ == "__main__":
    # The script's own folder must not be searched: its packages are named like common libraries (mcp, records).
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [each for each in sys.path if each and str(Path(each).resolve()) != here]
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    importlib.import_module("qgis_agent.agent.server").main()
