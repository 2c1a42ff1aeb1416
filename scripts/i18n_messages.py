"""Collects the texts that the sources translate: ``i18n_messages.py OUT.py``, one plain call a line.

pylupdate loses calls that the formatter has broken over several lines, so it is given this file in place of the sources.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CALLS = ("translate", "QCoreApplication.translate")


def texts(path: Path) -> Iterator[tuple[str, ...]]:
    """The literal arguments of each call of translate: context, text, and what tells equal texts apart."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in CALLS:
            words = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if len(words) >= 2:
                yield tuple(words)


def main() -> int:
    """Write the file."""
    # The agent side shows nothing to a person by itself: its texts are translated where QGIS shows them.
    sources = [
        path for path in sorted((ROOT / "qgis_agent").rglob("*.py")) if "agent" not in path.relative_to(ROOT).parts[1:2]
    ]
    found = dict.fromkeys(words for path in sources for words in texts(path))
    lines = [f"translate({', '.join(json.dumps(word, ensure_ascii=False) for word in words)})" for words in found]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
