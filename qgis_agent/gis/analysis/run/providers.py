"""The Processing providers that there are, and an algorithm by the name that somebody gives it."""

from __future__ import annotations

import importlib
import os
import re
import sys
from typing import Dict, List, Optional

from qgis.core import Qgis, QgsApplication, QgsProcessingAlgorithm

from ...errors import (
    AMBIGUOUS,
    NOT_FOUND,
    ToolError,
    nearest,
)
from ...i18n import translate
from ...layers import clean_text
from ...secrets import log

MAX_NEAREST = 5
_FIRST = ("native", "qgis", "qgisagent", "gdal")
"""Where a name without a provider is looked for first."""


def load_providers() -> None:
    """Without a window nobody has loaded QGIS's plugin Processing, which brings the providers qgis and gdal: load it (0.3 s,
    once). In QGIS itself a person decides which providers there are."""
    registry = QgsApplication.processingRegistry()
    if QgsApplication.platform() == "desktop" or registry.providerById("script") is not None:
        return
    folder = os.path.join(QgsApplication.pkgDataPath(), "python", "plugins")
    if os.path.isdir(os.path.join(folder, "processing")) and folder not in sys.path:
        sys.path.append(folder)
    try:
        plugin = importlib.import_module("processing.core.Processing")
    except ImportError as error:
        log("Processing: {}".format(error), Qgis.MessageLevel.Warning, True)
        return
    plugin.Processing.initialize()


def resolved(name: str) -> QgsProcessingAlgorithm:
    """A new instance of the algorithm that ``name`` means: an id, an old id (qgis:buffer), or the part after the colon.

    NOT_FOUND with the nearest ids; AMBIGUOUS where a name without a provider means several.
    """
    load_providers()
    wanted = name.strip()
    registry = QgsApplication.processingRegistry()
    found = registry.createAlgorithmById(wanted) or registry.createAlgorithmById(wanted.lower())
    if found is None and ":" not in wanted:
        found = _without_provider(wanted)
    if found is None:
        raise _unknown(wanted)
    return found


def _without_provider(wanted: str) -> Optional[QgsProcessingAlgorithm]:
    registry = QgsApplication.processingRegistry()
    plain = _plain(wanted)
    fits = [
        each.id()
        for each in registry.algorithms()
        if plain and plain in (_plain(_local(each.id())), _plain(each.displayName()))
    ]
    ranked = sorted(fits, key=_rank)
    if len(ranked) > 1 and _rank(ranked[0]) == _rank(ranked[1]):
        raise ToolError(
            AMBIGUOUS,
            translate("QgisAgent", "Several algorithms are called '{}'.").format(clean_text(wanted, 80)),
            hint=translate("QgisAgent", "Give the whole id: {}.").format(", ".join(ranked[:MAX_NEAREST])),
            reason="algorithm",
            options=[{"algorithm": each, "label": each} for each in ranked[:MAX_NEAREST]],
        )
    return registry.createAlgorithmById(ranked[0]) if ranked else None


def _rank(ident: str) -> int:
    provider = ident.split(":")[0]
    return _FIRST.index(provider) if provider in _FIRST else len(_FIRST)


def _unknown(wanted: str) -> ToolError:
    close = near_ids(wanted)
    said = translate("QgisAgent", "Did you mean {}?").format(", ".join(close)) + " " if close else ""
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "There is no algorithm '{}'.").format(clean_text(wanted, 80)),
        hint=said + translate("QgisAgent", "search_algorithms finds one by what it does."),
        reason="algorithm",
    )


def near_ids(wanted: str) -> List[str]:
    """The ids that look most like a wrong one, best first: by the part after the colon, then by the whole."""
    algorithms = QgsApplication.processingRegistry().algorithms()
    by_name: Dict[str, List[str]] = {}
    for each in algorithms:
        by_name.setdefault(_plain(_local(each.id())), []).append(each.id())
    names = nearest(_plain(_local(wanted)), by_name, MAX_NEAREST)
    close = [ident for each in names for ident in sorted(by_name[each], key=_rank)]
    return close[:MAX_NEAREST]


def _local(ident: str) -> str:
    return ident.split(":")[-1]


def _plain(text: str) -> str:
    """Letters and digits only, small: "Fix geometries" is fixgeometries."""
    return re.sub(r"[\W_]+", "", text).casefold()
