"""What an algorithm may do: from the reviewed file ``algorithm_effects.json``, and for all others the worst.

The file is written by ``scripts/algorithm_effects.py``. An algorithm that is not in it comes from a plugin, a model or a
script: nobody here knows what it does, so it counts as code, and a person is asked each time. Algorithms of our own
provider make layers; those about the agent itself never run from the agent.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any, Dict, Mapping, NamedTuple

from qgis.core import Qgis, QgsProcessingAlgorithm

from ...i18n import translate

FILE = Path(__file__).with_name("algorithm_effects.json")
OWN_PROVIDER = "qgisagent"
OF_THE_AGENT = MappingProxyType(
    {
        "ask": "agent",
        "replaytrace": "agent",
        "runevaluation": "agent",
        "exportmodel": "file_names",
        "auditreport": "other_files",
    }
)
"""Algorithms of our provider about the agent itself, which never runs them, and why."""
NEVER = "forbidden"
ASKED_EACH_TIME = ("write", "execute")


class Known(NamedTuple):
    """What is known of an algorithm: ``effect`` (read, create, write, execute or forbidden), ``why`` in one word where it is not
    plain, ``instead`` (a tool or an algorithm), and the rule of each parameter that needs one (``text_rules``)."""

    effect: str
    why: str = ""
    instead: str = ""
    rules: Mapping[str, str] = MappingProxyType({})
    shipped: bool = True


_CACHE: Dict[str, Any] = {}


def known(algorithm: QgsProcessingAlgorithm) -> Known:
    """What ``algorithm`` may do. Never fails: what is not known counts as code."""
    provider = algorithm.provider().id() if algorithm.provider() is not None else ""
    if provider == OWN_PROVIDER:
        return _own(algorithm)
    entry = _entries().get(algorithm.id())
    if entry is None:
        return Known("execute", "not_shipped", shipped=False)
    effect, why = str(entry["effect"]), str(entry.get("why", ""))
    if algorithm.flags() & Qgis.ProcessingAlgorithmFlag.SecurityRisk and effect in ("read", "create"):
        effect, why = "execute", "code"
    return Known(effect, why, str(entry.get("instead", "")), rules_of(entry))


def rules_of(entry: Mapping[str, Any]) -> Dict[str, str]:
    """{parameter: rule} of one entry of the file, which has them as "PARAMETER rule"."""
    return dict(each.split(" ", 1) for each in entry.get("rules", []))


def reason_text(found: Known) -> str:
    """Why an algorithm is refused or asked about, for people and for the model."""
    return {
        "own_tool": translate("QgisAgent", "a tool of its own does this, and it can be undone"),
        "in_place": translate("QgisAgent", "it writes columns into the source of its input"),
        "file_names": translate("QgisAgent", "the data or the caller would name the files it writes"),
        "network": translate("QgisAgent", "it connects to the network"),
        "programs": translate("QgisAgent", "it starts another program or a device"),
        "other_files": translate("QgisAgent", "it opens files that are no layers of the project"),
        "credentials": translate("QgisAgent", "a password would be part of the call"),
        "modeler": translate("QgisAgent", "it only makes sense inside a model"),
        "project": translate("QgisAgent", "it changes the project itself"),
        "agent": translate("QgisAgent", "it starts the agent"),
        "source": translate("QgisAgent", "it changes the data source of its input"),
        "beside_source": translate("QgisAgent", "it writes a file beside the data source"),
        "database": translate("QgisAgent", "it writes into a database"),
        "sql": translate("QgisAgent", "it runs SQL"),
        "code": translate("QgisAgent", "it runs code"),
        "not_shipped": translate("QgisAgent", "it is not part of QGIS, so what it does is not known"),
    }.get(found.why, translate("QgisAgent", "what it does is not known"))


def _own(algorithm: QgsProcessingAlgorithm) -> Known:
    if algorithm.name() in OF_THE_AGENT:
        return Known(NEVER, OF_THE_AGENT[algorithm.name()])
    if not algorithm.destinationParameterDefinitions():
        return Known("write")
    return Known("create")


def _entries() -> Dict[str, Any]:
    if not _CACHE:
        _CACHE.update(json.loads(FILE.read_text(encoding="utf-8"))["algorithms"])
    return _CACHE
