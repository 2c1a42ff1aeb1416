"""Translation: ``translate("QgisAgent", "English literal")``, then ``.format()``.

The literal stands in the call, because pylupdate reads the source and cannot follow variables or f-strings.
"""

from __future__ import annotations

from qgis.PyQt.QtCore import QCoreApplication

translate = QCoreApplication.translate
