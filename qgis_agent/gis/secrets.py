"""The redactor of the QGIS side, and the ways of this process to write: its message log, and texts of QGIS and GDAL.

It knows the keys of the settings and the passwords of the layers that were seen.
"""

from __future__ import annotations

import traceback
from typing import Any, Iterable

from qgis.core import Qgis, QgsDataSourceUri, QgsMapLayer, QgsMessageLog

from ..bridge.redaction import HIDDEN, REDACTOR
from ..bridge.secret_forms import KEY_NAMES

__all__ = ["HIDDEN", "LOG_TAG", "REDACTOR", "know", "know_all", "know_layers", "log", "log_fault", "without_secrets"]

LOG_TAG = "QGIS Agent"


def know(secret: Any) -> None:
    """Hide this value from now on wherever this process writes."""
    REDACTOR.know(secret)


def know_all(config: Any, named: bool = False) -> None:
    """The keys in a configuration, however deep, are hidden from now on; addresses may hold some too."""
    if isinstance(config, dict):
        for key, value in config.items():
            know_all(value, bool(KEY_NAMES.match(str(key))))
    elif isinstance(config, (list, tuple)):
        for each in config:
            know_all(each, named)
    elif isinstance(config, str):
        if named:
            know(config)
        else:
            REDACTOR.know_all_in(config)


def know_layers(layers: Iterable[QgsMapLayer]) -> None:
    """The passwords and keys in the sources of layers are hidden from now on."""
    for layer in layers:
        source = layer.source()
        REDACTOR.know_all_in(source)
        uri = QgsDataSourceUri(source)
        know(uri.password())
        know(uri.param("password"))


def without_secrets(text: str) -> str:
    """``text`` without passwords, keys and tokens."""
    return REDACTOR.text(text)


def log(text: str, level: Qgis.MessageLevel = Qgis.MessageLevel.Info, notify: bool = False) -> None:
    """A line in QGIS's message log (tab QGIS Agent), without secrets."""
    QgsMessageLog.logMessage(REDACTOR.text(text), LOG_TAG, level, notify)


def log_fault() -> None:
    """The error that is being handled, with its traceback, in QGIS's message log."""
    log(traceback.format_exc(), Qgis.MessageLevel.Critical, True)
