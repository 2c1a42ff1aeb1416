"""Handlers of the pack "data": services."""

from __future__ import annotations

from typing import Any, Dict, Generator, Optional

from qgis.core import QgsVectorLayer

from ...call import Call
from ...i18n import translate
from ...layers import clean_text, layer_kind
from ...sources import adding
from ...sources.coordinates import crs_name, known_crs
from ...sources.gcj02 import draws_in_gcj02, in_china, offset_m
from ...sources.service_options import require_fitting
from ...sources.services import Wanted, open_service
from ...sources.urls import checked_url, host_of, shown_url
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("add_service_layer", effect="network", runs="task")
def add_service_layer(
    call: Call,
    kind: str,
    url: str,
    layer: Optional[str] = None,
    name: Optional[str] = None,
    crs: Optional[str] = None,
    options: Optional[Dict[str, Any]] = None,
) -> Steps:
    """Add a layer of a service, after its capabilities (or a tile) were read. Pictures go to the bottom of the tree."""
    address = checked_url(url)
    view = call.host.view_bbox() or [-180.0, -85.0, 180.0, 85.0]
    given = {key: value for key, value in (options or {}).items() if value is not None}
    asked_crs = known_crs(crs).authid() if crs else ""
    require_fitting(kind, layer, asked_crs, given)
    wanted = Wanted(
        kind=kind,
        url=address,
        layer=layer or "",
        name=name or "",
        crs=asked_crs,
        map_crs=call.host.map_crs().authid(),
        options=given,
        middle=((view[0] + view[2]) / 2, (view[1] + view[3]) / 2),
        view_degrees=abs(view[2] - view[0]),
    )
    opened = yield Work(
        translate("QgisAgent", "Asking {}").format(host_of(address)), lambda feedback: open_service(wanted, feedback)
    )
    made = opened.layer
    color = ""
    if isinstance(made, QgsVectorLayer) and made.isSpatial():
        color = adding.next_color(call.host.project)
        adding.look(made, color)
    origin = translate("QgisAgent", "{} service {}").format(kind.upper(), shown_url(address))
    alias = adding.added(call, made, color, origin, host=host_of(address))
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": opened.title,
        "kind": layer_kind(made),
        "service": kind,
        "host": host_of(address),
        "crs": crs_name(made.crs()),
        "count_kind": "unknown",
    }
    if opened.others:
        data["other_layers"] = opened.others
    if kind == "wms" and len(opened.crs_offered) > 1:
        data["crs_offered"] = [clean_text(each, 40) for each in opened.crs_offered[:12]]
    said = _gcj02_warning(address, wanted.middle)
    if said:
        data["doubts"] = [{"problem": "gcj02_offset"}]
    return Answer(data, said)


def _gcj02_warning(url: str, middle: Any) -> str:
    """What to know of a service that draws China with an offset; "" for the others."""
    if not draws_in_gcj02(url):
        return ""
    text = translate(
        "QgisAgent",
        "This service draws China in GCJ-02: an offset of some hundred metres against WGS 84, not another CRS. No EPSG code "
        "repairs it; data in WGS 84 will look shifted on it, and is not to be moved without saying so.",
    )
    if in_china(*middle):
        text += " " + translate("QgisAgent", "In the middle of the map it is about {:.0f} m.").format(offset_m(*middle))
    return text
