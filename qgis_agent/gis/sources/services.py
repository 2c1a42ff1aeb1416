"""Layers from services: the capabilities are read first, then QGIS opens the layer, both on a worker thread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsDataSourceUri,
    QgsFeedback,
    QgsMapLayer,
    QgsRasterLayer,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QCoreApplication

from ..errors import AMBIGUOUS, FORBIDDEN, INVALID_PARAM, NOT_FOUND, UPSTREAM_ERROR, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text
from .capabilities import Capabilities, ServiceLayer, parsed
from .fetch import fetched, wrong_answer
from .urls import host_of, with_query, without_query, without_secrets

_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
_USUAL_CRS = ("EPSG:3857", "EPSG:900913", "EPSG:4326", "CRS:84")
MAX_OPTIONS = 20
MAX_ZOOM = 22


@dataclass
class Wanted:
    """What was asked for, and the middle of the view in degrees, where a first tile is tried."""

    kind: str
    url: str
    layer: str
    name: str
    crs: str
    map_crs: str
    options: Dict[str, Any]
    middle: Tuple[float, float]
    view_degrees: float


@dataclass
class ServedLayer:
    """An open layer of a service, owned by the main thread."""

    layer: QgsMapLayer
    title: str
    others: int
    crs_offered: List[str]


def open_service(wanted: Wanted, feedback: QgsFeedback) -> ServedLayer:
    """Open a layer of a service on a worker thread."""
    if wanted.kind == "xyz":
        return _open_xyz(wanted, feedback)
    capabilities = _capabilities(wanted, feedback)
    chosen = _chosen(wanted, capabilities)
    crs_offered = _crs_ids(chosen, capabilities)
    if wanted.kind != "wms":
        _require_same_host(wanted.url, capabilities.links)
    if wanted.kind == "wfs":
        source = _wfs_source(wanted, chosen, crs_offered)
        return _made(wanted, source, "WFS", chosen, len(capabilities.layers) - 1, crs_offered)
    source = (
        _wms_source(wanted, chosen, capabilities, crs_offered)
        if wanted.kind == "wms"
        else _wmts_source(wanted, chosen, capabilities)
    )
    return _made(wanted, source, "wms", chosen, len(capabilities.layers) - 1, crs_offered)


def _made(
    wanted: Wanted, source: str, provider: str, chosen: ServiceLayer, others: int, crs_offered: List[str]
) -> ServedLayer:
    title = clean_text(wanted.name or chosen.title or chosen.name or host_of(wanted.url), 120)
    layer: Any
    if provider == "WFS":
        vector_options = QgsVectorLayer.LayerOptions()
        vector_options.loadDefaultStyle = False
        vector_options.skipCrsValidation = True
        layer = QgsVectorLayer(source, title, provider, vector_options)
    else:
        raster_options = QgsRasterLayer.LayerOptions()
        raster_options.loadDefaultStyle = False
        raster_options.skipCrsValidation = True
        layer = QgsRasterLayer(source, title, provider, raster_options)
    if not layer.isValid():
        why = layer.error().summary() or translate("QgisAgent", "no reason given")
        why = without_secrets(wanted.url, why)
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS cannot open the layer: {}").format(clean_text(why, 200)),
            hint=translate("QgisAgent", "Try another layer or CRS of the service."),
            reason="provider",
        )
    layer.moveToThread(QCoreApplication.instance().thread())
    return ServedLayer(layer, title, others, crs_offered)


def _open_xyz(wanted: Wanted, feedback: QgsFeedback) -> ServedLayer:
    if not all(
        any(each in wanted.url for each in names) for names in (("{x}", "{q}"), ("{y}", "{-y}", "{q}"), ("{z}", "{q}"))
    ):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The address of a tile service has {x}, {y} and {z} in it."),
            hint=translate("QgisAgent", "For example https://host/{z}/{x}/{y}.png."),
            reason="url",
        )
    low, high = int(wanted.options.get("min_zoom", 0)), int(wanted.options.get("max_zoom", 19))
    if low > high:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "min_zoom is above max_zoom."),
            hint=translate("QgisAgent", "Swap them."),
            reason="zoom",
        )
    url = tile_url(wanted.url, wanted.middle, tile_zoom(wanted.view_degrees, low, high))
    content, kind = fetched(url, feedback)
    if not content.startswith(_PICTURES):
        raise wrong_answer(wanted.url, 200, content if "text" in kind or "json" in kind or "xml" in kind else b"", kind)
    source = QgsDataSourceUri()
    for key, value in (("type", "xyz"), ("url", wanted.url), ("zmin", str(low)), ("zmax", str(high))):
        source.setParam(key, value)
    encoded = bytes(source.encodedUri()).decode("ascii")
    return _made(wanted, encoded, "wms", ServiceLayer(), 0, ["EPSG:3857"])


def tile_zoom(view_degrees: float, low: int, high: int) -> int:
    """The zoom at which a tile is about as wide as the view."""
    level = math.floor(math.log2(360 / min(360.0, max(view_degrees, 1e-4))))
    return int(min(max(level, low), high, MAX_ZOOM))


def tile_url(template: str, middle: Tuple[float, float], zoom: int) -> str:
    """The address of the tile at (longitude, latitude), in the usual scheme of Web Mercator tiles."""
    count = 2**zoom
    latitude = math.radians(max(-85.0, min(85.0, middle[1])))
    column = int((middle[0] + 180.0) / 360.0 * count) % count
    row = int((1 - math.asinh(math.tan(latitude)) / math.pi) / 2 * count)
    row = min(max(row, 0), count - 1)
    quad = "".join(str((column >> bit & 1) + 2 * (row >> bit & 1)) for bit in range(zoom - 1, -1, -1))
    filled = template.replace("{x}", str(column)).replace("{-y}", str(count - 1 - row)).replace("{y}", str(row))
    return filled.replace("{z}", str(zoom)).replace("{q}", quad)


def _capabilities(wanted: Wanted, feedback: QgsFeedback) -> Capabilities:
    url = with_query(
        _base(wanted.url), SERVICE="WMS" if wanted.kind == "wms" else wanted.kind.upper(), REQUEST="GetCapabilities"
    )
    if wanted.kind == "wmts" and wanted.url.lower().split("?")[0].endswith(".xml"):
        url = wanted.url
    content, _ = fetched(url, feedback)
    found = parsed(content)
    if found is None or found.exception or found.kind != wanted.kind:
        said = found.exception.encode("utf-8") if found is not None and found.exception else content
        if found is not None and not found.exception:
            said = translate("QgisAgent", "It is a {} service.").format(found.kind.upper()).encode("utf-8")
        raise wrong_answer(wanted.url, 200, said)
    if not found.layers:
        raise wrong_answer(wanted.url, 200, b"", translate("QgisAgent", "it offers no layers"))
    return found


def _base(url: str) -> str:
    return without_query(
        url, "service", "request", "version", "layers", "styles", "bbox", "width", "height", "typename"
    )


def _chosen(wanted: Wanted, found: Capabilities) -> ServiceLayer:
    """The wanted layer by name, or by title where that is one; the only one where none is named."""
    fitting = [each for each in found.layers if each.name == wanted.layer]
    fitting = fitting or [
        each for each in found.layers if wanted.layer and each.title.casefold() == wanted.layer.casefold()
    ]
    if wanted.layer and not fitting:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The service has no layer '{}'.").format(clean_text(wanted.layer, 80)),
            hint=hint_for_name(wanted.layer, [clean_text(each.name, 80) for each in found.layers], "layer"),
            reason="service_layer",
        )
    candidates = fitting or found.layers
    if len(candidates) == 1:
        return candidates[0]
    raise ToolError(
        AMBIGUOUS,
        translate("QgisAgent", "The service has {} layers.").format(len(candidates)),
        hint=translate("QgisAgent", "Ask which one is meant, and give its name as layer."),
        reason="service_layer",
        options=[
            {"layer": clean_text(each.name, 80), "label": clean_text(each.title or each.name, 80)}
            for each in candidates[:MAX_OPTIONS]
        ],
    )


def _crs_ids(layer: ServiceLayer, found: Capabilities) -> List[str]:
    """Ids of the CRSs in which a layer is offered, as QGIS spells them."""
    texts = layer.all_crs() or [found.matrix_crs.get(each, "") for each in layer.matrix_sets]
    return list(dict.fromkeys(filter(None, (_crs_id(each) for each in texts))))


def _crs_id(text: str) -> str:
    """ "urn:ogc:def:crs:EPSG::4326" and the like as EPSG:4326."""
    parts = [each for each in text.replace("/", ":").replace("#", ":").split(":") if each]
    if len(parts) >= 2 and "EPSG" in [each.upper() for each in parts] and parts[-1].isdigit():
        return "EPSG:" + parts[-1]
    return "CRS:84" if parts and parts[-1] in ("84", "CRS84") else text.strip()


def _crs(wanted: Wanted, offered: List[str]) -> str:
    """The wanted CRS where it is offered; else the map's, a usual one, or the first. INVALID_PARAM with what is offered."""
    known = {each.upper(): each for each in offered}
    if wanted.crs and wanted.crs.upper() not in known:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The service does not offer {}.").format(wanted.crs),
            hint=translate("QgisAgent", "It offers: {}.").format(
                ", ".join(clean_text(each, 20) for each in offered[:12])
            ),
            reason="crs",
        )
    for each in (wanted.crs, wanted.map_crs, *_USUAL_CRS):
        if each.upper() in known:
            return known[each.upper()]
    return offered[0] if offered else "EPSG:4326"


def _format(wanted: Wanted, offered: List[str]) -> str:
    """The wanted format of pictures, where it is offered; else a usual one. INVALID_PARAM with what is offered."""
    asked = str(wanted.options.get("format") or "")
    if asked and offered and asked not in offered:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The service does not offer {}.").format(clean_text(asked, 60)),
            hint=translate("QgisAgent", "It offers: {}.").format(
                ", ".join(clean_text(each, 40) for each in offered[:12])
            ),
            reason="format",
        )
    usual = ("image/png", "image/png8", "image/jpeg", "image/jpg", "image/webp")
    return asked or next((each for each in usual if each in offered), offered[0] if offered else "image/png")


def _style(wanted: Wanted, layer: ServiceLayer) -> str:
    """The wanted style; "" is the service's default."""
    asked = str(wanted.options.get("style") or "")
    if asked and asked not in layer.all_styles():
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The layer has no style '{}'.").format(clean_text(asked, 60)),
            hint=hint_for_name(asked, [clean_text(each, 60) for each in layer.all_styles()], "style"),
            reason="style",
        )
    return asked


def _wms_source(wanted: Wanted, layer: ServiceLayer, found: Capabilities, offered: List[str]) -> str:
    """The layer's source. Addresses in the capabilities are ignored, so that data comes from the host that was allowed."""
    return _encoded(
        [
            ("IgnoreGetMapUrl", "1"),
            ("IgnoreGetFeatureInfoUrl", "1"),
            ("crs", _crs(wanted, offered)),
            ("format", _format(wanted, found.formats)),
            ("layers", layer.name),
            ("styles", _style(wanted, layer)),
            ("url", _base(wanted.url)),
        ]
    )


def _wmts_source(wanted: Wanted, layer: ServiceLayer, found: Capabilities) -> str:
    sets = {each: _crs_id(found.matrix_crs.get(each, "")) for each in layer.matrix_sets}
    crs = _crs(wanted, [each for each in sets.values() if each])
    matrix_set = str(wanted.options.get("matrix_set") or next((each for each in sets if sets[each] == crs), ""))
    if matrix_set not in sets:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The layer has no tile matrix set '{}'.").format(clean_text(matrix_set, 60)),
            hint=hint_for_name(matrix_set, [clean_text(each, 60) for each in sets], "matrix_set"),
            reason="matrix_set",
        )
    crs_of_set = QgsCoordinateReferenceSystem.fromOgcWmsCrs(sets[matrix_set]).authid() or sets[matrix_set]
    url = wanted.url
    if not url.lower().split("?")[0].endswith(".xml"):
        url = with_query(_base(wanted.url), SERVICE="WMTS", REQUEST="GetCapabilities")
    style = _style(wanted, layer) or (layer.styles[0] if layer.styles else "")
    return _encoded(
        [
            ("crs", crs_of_set),
            ("format", _format(wanted, layer.formats)),
            ("layers", layer.name),
            ("styles", style),
            ("tileMatrixSet", matrix_set),
            ("url", url),
        ]
    )


def _encoded(items: List[Tuple[str, str]]) -> str:
    source = QgsDataSourceUri()
    for key, value in items:
        source.setParam(key, value)
    return bytes(source.encodedUri()).decode("ascii")


def _wfs_source(wanted: Wanted, layer: ServiceLayer, offered: List[str]) -> str:
    source = QgsDataSourceUri()
    for key, value in (
        ("url", _base(wanted.url)),
        ("typename", layer.name),
        ("srsname", _crs(wanted, offered) if wanted.crs else (offered[0] if offered else "EPSG:4326")),
        ("version", "auto"),
        ("restrictToRequestBBOX", "1"),
    ):
        source.setParam(key, value)
    return source.uri(False)


def _require_same_host(url: str, links: List[str]) -> None:
    """Data must come from the host that the person allowed."""
    hosts = {_host_of_link(each) for each in links if each.strip()}
    others = sorted(hosts - {"", host_of(url)})
    if others:
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "Data of {} would come from other hosts: {}.").format(
                host_of(url), ", ".join(clean_text(each, 60) for each in others[:5])
            ),
            hint=translate("QgisAgent", "Ask whether that host may be used, and give its own address."),
            reason="other_host",
        )


def _host_of_link(link: str) -> str:
    """The host that a link of a service leads to; "" for a relative one, all of it for what has none that can be told."""
    plain = link.strip().replace("\\", "/")
    if not plain.startswith("//") and "://" not in plain.partition("?")[0]:
        return ""
    scheme = plain.partition("://")[0].lower() if not plain.startswith("//") else "https"
    return (host_of(plain) if scheme in ("http", "https") else "") or plain
