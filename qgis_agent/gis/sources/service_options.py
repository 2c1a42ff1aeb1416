"""What may be said of each kind of service: an option that would have no effect is refused, not ignored."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate

_OPTIONS = {
    "xyz": ("min_zoom", "max_zoom"),
    "wms": ("style", "format"),
    "wmts": ("style", "format", "matrix_set"),
    "wfs": (),
}
_WEB_MERCATOR = ("EPSG:3857", "EPSG:900913")


def require_fitting(kind: str, layer: Optional[str], crs: str, options: Mapping[str, Any]) -> None:
    """INVALID_PARAM for what a service of this kind does not know. ``crs`` is an authority id or ""."""
    useless = sorted(set(options) - set(_OPTIONS.get(kind, ())))
    if useless:
        allowed = ", ".join(_OPTIONS.get(kind, ())) or translate("QgisAgent", "none")
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Options without effect on a service of kind {}: {}.").format(
                kind, ", ".join(useless)
            ),
            hint=translate("QgisAgent", "Options for it: {}.").format(allowed),
            reason="options",
        )
    if kind != "xyz":
        return
    if layer:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A tile service has no layers to choose from."),
            hint=translate("QgisAgent", "Leave layer out; its address names what is drawn."),
            reason="service_layer",
        )
    if crs and crs not in _WEB_MERCATOR:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Tiles by z, x and y are in EPSG:3857, not in {}.").format(crs),
            hint=translate(
                "QgisAgent",
                "Leave crs out: the tiles are drawn in the map's CRS all the same. For tiles in another CRS use kind wmts or wms.",
            ),
            reason="crs",
        )
