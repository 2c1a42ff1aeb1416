"""Translation: ``translate("QgisAgent", "English literal")``, then ``.format()``.

The literal stands in the call, because pylupdate reads the source and cannot follow variables or f-strings.
"""

from __future__ import annotations

from typing import Any, Set, Tuple

from qgis.PyQt.QtCore import QCoreApplication

_SAID: Set[str] = set()
_qt = QCoreApplication.translate


def translate(context: str, text: str, *more: Any) -> str:
    """The text in QGIS's language. A sentence of this program is remembered, with its placeholders, for ``own_sentences``."""
    said = str(_qt(context, text, *more))
    if not more:
        _SAID.add(said)
    return said


def own_sentences() -> Tuple[str, ...]:
    """Every sentence that this program has said so far, before values were put in: what tells its words from data's."""
    return tuple(_SAID)
