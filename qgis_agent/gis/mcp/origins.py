"""Where the rows of a handle came from, and whether a client may see that now.

Pages of results are kept outside QGIS (``agent/mcp/store.py``), perhaps for several replicas that have the same project open. What
is kept with them says which layers they were made of; QGIS looks again at each fetch, by its own project and scope.
"""

from __future__ import annotations

import hashlib
import uuid
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Optional, Tuple

from qgis.core import QgsMapLayer, QgsVectorLayer

from ...bridge.envelope import size_bytes
from ..at_home import projection as at_home
from ..errors import FORBIDDEN, NOT_FOUND, ToolError
from ..i18n import translate
from ..results import finite
from ..secrets import REDACTOR
from ..sessions import project_fields

if TYPE_CHECKING:
    from ..approvals import Capability
    from ..host import Host

MAX_LAYERS = 100
MAX_EXCLUDED = 5000
MAX_ROWS = 20_000
"""A longer result stays in its QGIS."""
MAX_PAGE_BYTES = 100_000
"""Of rows in one message: to redact them takes some 30 ms of the main thread (measured; 300 kB took 90)."""


class Origins:
    """Origins of one host's results. ``project`` names the open project; one without a file has a name that no other QGIS knows."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._here = uuid.uuid4().hex

    def project(self) -> Dict[str, str]:
        """{key, name} of the open project."""
        fields = project_fields(self._host.project)
        return fields if fields["key"] else dict(fields, key="{}/{}".format(self._here, self._host.project_id()))

    def origin(self, capability: Capability, ref: str) -> Dict[str, Any]:
        """What the rows of ``ref`` came from. NOT_FOUND and FORBIDDEN as for a fetch."""
        host = self._host
        stored = host.results.stored(
            ref, project_id=host.project_id(), caller=capability.caller, session_id=capability.session_id
        )
        seal = stored.seal
        named = seal.layer_ids if seal is not None else frozenset()
        layers = [layer for layer in map(host.project.mapLayer, sorted(named)) if layer is not None]
        return {
            "project": self.project()["key"],
            "layers": [_layer(each) for each in layers][:MAX_LAYERS],
            "any": not named or len(layers) < len(named) or len(layers) > MAX_LAYERS,
            "excluded": _digests(seal.excluded if seal is not None else frozenset()),
            "values": not at_home.wanted(),
        }

    def rows(self, capability: Capability, ref: str, cursor: Any) -> Dict[str, Any]:
        """{origin, rows, total, next}: rows of ``ref`` from ``cursor`` on, as many as fit a message of the bridge; ``next`` is the
        cursor after them, None at the end. ``rows`` is None for what stays in this QGIS: too many, or values stay at home."""
        host = self._host
        origin = self.origin(capability, ref)
        kept = host.results.rows(
            ref, project_id=host.project_id(), caller=capability.caller, session_id=capability.session_id
        )
        if at_home.wanted() or len(kept) > MAX_ROWS:
            return {"origin": origin, "rows": None, "total": len(kept), "next": None}
        at = cursor if isinstance(cursor, int) and not isinstance(cursor, bool) and cursor >= 0 else 0
        rows: List[Any] = []
        size = 0
        while at < len(kept):
            row = REDACTOR.strings(finite(kept[at]))
            size += size_bytes(row)
            if size > MAX_PAGE_BYTES and rows:
                break
            rows.append(row)
            at += 1
        return {"origin": origin, "rows": rows, "total": len(kept), "next": at if at < len(kept) else None}

    def require(self, origin: Any) -> None:
        """Pass where what came from ``origin`` may be seen now. NOT_FOUND and FORBIDDEN where not, or where it is no origin."""
        host = self._host
        layers = origin.get("layers") if isinstance(origin, dict) else None
        if not isinstance(layers, list) or origin.get("project") != self.project()["key"]:
            raise _not_kept("project")
        known = {_digest(each): each for each in host.project.mapLayers()}
        found = [_same(host, known, each) for each in layers]
        if any(each is None for each in found):
            raise _not_kept("layer_changed")
        if at_home.wanted() and origin.get("values") is not False:
            raise _outside("values_at_home")
        rules = host.scope.rules()
        before = origin.get("excluded")
        new = set(_digests(rules.parts())) - set(before if isinstance(before, list) else [])
        if not new:
            return
        if rules.damaged or origin.get("any") is not False or any(map(self._hidden, found)):
            raise _outside("scope")

    def _hidden(self, layer: Optional[QgsMapLayer]) -> bool:
        if layer is None or self._host.scope.hides_layer(layer):
            return True
        return isinstance(layer, QgsVectorLayer) and bool(self._host.scope.hidden_fields(layer))


def _layer(layer: QgsMapLayer) -> Dict[str, str]:
    """By digests: an id has the name in it that the layer was added with, a source may have a password."""
    return {"id": _digest(layer.id()), "source": _digest(layer.source())}


def _same(host: Host, known: Dict[str, str], entry: Any) -> Optional[QgsMapLayer]:
    """The layer of this project that an entry names, with the data that it had; None where there is none."""
    layer = host.project.mapLayer(known.get(str(entry.get("id")), "")) if isinstance(entry, dict) else None
    return layer if layer is not None and _digest(layer.source()) == entry.get("source") else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _digests(parts: FrozenSet[Tuple[str, ...]]) -> List[str]:
    """Exclusions by digest: names of what a person hides leave QGIS in no form that can be read."""
    return sorted(_digest("\0".join(each))[:16] for each in parts)[:MAX_EXCLUDED]


def _not_kept(reason: str) -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "This result is no longer kept."),
        hint=translate("QgisAgent", "Ask the question again: the tool gives a new result_ref."),
        reason=reason,
    )


def _outside(reason: str) -> ToolError:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "This result holds what is outside the agent's scope now."),
        hint=translate("QgisAgent", "Ask the question again: the answer leaves out what is excluded."),
        reason=reason,
    )
