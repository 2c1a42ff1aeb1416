"""What the record of a run keeps of the map, when it begins and when it has ended: the parts of a trace that QGIS knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from qgis.core import Qgis, QgsApplication

from .at_home.projection import wanted as values_kept_at_home
from .map_state import aliases_of, map_state, start_of
from .run_parts import plugin_version
from .secrets import REDACTOR, log_fault

if TYPE_CHECKING:
    from .approvals import Capability
    from .host import Host


def state_at_start(host: Host) -> Dict[str, Any]:
    """``map`` of ``run/start``. A record without it can be read, and not replayed: a fault here stops no run.

    Filters and styles hold attribute values: there is no state while these are kept at home.
    """
    if values_kept_at_home():
        return {}
    try:
        return REDACTOR.strings(
            {
                "state_in": map_state(host),
                "start": start_of(host),
                "aliases": aliases_of(host),
                "versions": {
                    "plugin": plugin_version(),
                    "qgis": Qgis.version(),
                    "locale": QgsApplication.locale() or "en",
                },
            }
        )
    except Exception:  # noqa: BLE001  whatever a style or a provider does, the person's request goes on
        log_fault()
        return {}


def state_at_end(host: Host, capability: Capability) -> Optional[Dict[str, Any]]:
    """Parameters of ``run/state``; None when another project is open by now, and while attribute values are kept at home."""
    if values_kept_at_home() or host.project_id() != capability.project_id:
        return None
    try:
        state = REDACTOR.strings({"map_state": map_state(host), "aliases": aliases_of(host)})
    except Exception:  # noqa: BLE001  as above
        log_fault()
        return None
    return {"session_id": capability.session_id, "run_id": capability.run_id, **state}
