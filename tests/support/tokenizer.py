"""Token counts by o200k, from the tests' own Python: the agent's environment has the tokenizer."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AGENT_PYTHON = Path(os.environ.get("QGIS_AGENT_TEST_AGENT_PYTHON", ROOT / ".agent-env" / "bin" / "python"))


def o200k(texts: Sequence[str]) -> list[int]:
    """Tokens of each text. FileNotFoundError where the agent's environment has not been made (make setup)."""
    script = str(Path(__file__).with_name("count_tokens.py"))
    done = subprocess.run(
        [str(AGENT_PYTHON), "-X", "utf8", script],
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
        check=True,
    )
    counts: list[int] = json.loads(done.stdout)
    return counts
