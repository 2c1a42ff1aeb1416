"""Resources: the layer catalogue, layers and their styles, the map's state, and its picture.

Each read is a tool call or a request in the client's name, so that it is ruled on, limited and recorded like one. Contents are JSON of
at most 4,096 bytes, like the results of tools; the catalogue comes in pages that name the next one.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ...bridge.envelope import Envelope, size_bytes, success
from ...bridge.messages import MAP_PICTURE, MAX_RESULT_BYTES, MCP_ACCESS, CatalogueLayer
from ..context.catalogue import CatalogueStore
from ..context.untrusted import clean
from ..execution.bound import checked_envelope
from .clients import CHARTS, AccessRefused, Client
from .results import text_of_envelope

LAYERS, MAP, PICTURE = "qgis://layers", "qgis://map", "qgis://map.png"
LAYER, STYLE = "qgis://layers/{layer_id}", "qgis://styles/{layer_id}"
PAGE = 50
"""Layers of one page of resources/list."""
PICTURE_WIDTH, PICTURE_HEIGHT = 1024, 768
JSON, PNG = "application/json", "image/png"
_LAYERS_PAGE = re.compile(r"qgis://layers\?cursor=(\d{1,6})\Z")
MAX_CHART_BYTES = 600_000
"""Of a PNG: in base64 it still fits a line of the bridge."""
_ONE = re.compile(r"qgis://(layers|styles)/([^/?#]{1,400})\Z")

_ENGLISH: Mapping[str, str] = {
    "layers": "Layers of the project",
    "layers_said": "Every layer with its layer_id, kind, group, visibility and CRS.",
    "map": "The map now",
    "map_said": "View, scale, CRS, visible layers from the top, selection and filters.",
    "picture": "Picture of the map",
    "picture_said": "The map as it is drawn now.",
    "layer": "A layer",
    "layer_said": "Kind, CRS, extent, exact count, fields, filter and warnings of a layer.",
    "style": "Style of a layer",
    "style_said": "How a layer is drawn: renderer, classes, labels, as a style document.",
}
_CHINESE: Mapping[str, str] = {
    "layers": "工程中的图层",
    "layers_said": "所有图层的 layer_id、类型、分组、可见性和坐标系。",
    "map": "当前地图",
    "map_said": "视图、比例尺、坐标系、自上而下的可见图层、选择集和过滤条件。",
    "picture": "地图图片",
    "picture_said": "当前绘制的地图。",
    "layer": "图层",
    "layer_said": "图层的类型、坐标系、范围、准确数量、字段、过滤条件和警告。",
    "style": "图层样式",
    "style_said": "图层的绘制方式：渲染器、分级、标注（样式文档）。",
}


class Resources:
    """The resources of the open project, described in one language."""

    def __init__(self, catalogue: CatalogueStore, language: str) -> None:
        self._catalogue = catalogue
        self._words = _CHINESE if language == "zh" else _ENGLISH

    def _say(self, key: str) -> str:
        return self._words[key]

    def listed(self, cursor: str | None) -> types.ListResourcesResult:
        """A page: the three fixed ones, then one for each layer in the order of the layer tree."""
        start = _cursor(cursor)
        layers = self._catalogue.layers()
        resources = [] if start else self._fixed()
        resources += [self._of_layer(each) for each in layers[start : start + PAGE]]
        following = start + PAGE
        return types.ListResourcesResult(
            resources=resources, next_cursor=str(following) if following < len(layers) else None
        )

    def _fixed(self) -> list[types.Resource]:
        return [
            types.Resource(
                name=name, uri=uri, title=self._say(name), description=self._say(f"{name}_said"), mime_type=kind
            )
            for name, uri, kind in (("layers", LAYERS, JSON), ("map", MAP, JSON), ("picture", PICTURE, PNG))
        ]

    def _of_layer(self, layer: CatalogueLayer) -> types.Resource:
        return types.Resource(
            name=clean(layer["layer_id"], 80),
            uri=LAYER.format(layer_id=quote(layer["layer_id"], safe="")),
            title=clean(layer["name"], 80),
            description=self._say("layer_said"),
            mime_type=JSON,
        )

    def templates(self) -> types.ListResourceTemplatesResult:
        """One layer, and one layer's style, by its layer_id."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    name=name,
                    uri_template=uri,
                    title=self._say(name),
                    description=self._say(f"{name}_said"),
                    mime_type=JSON,
                )
                for name, uri in (("layer", LAYER), ("style", STYLE))
            ]
        )

    def complete(self, uri: str, argument: str, value: str) -> list[str]:
        """Layers whose layer_id or name has the text in it, for the templates."""
        if uri not in (LAYER, STYLE):
            raise MCPError(types.INVALID_PARAMS, f"Unknown resource template: {uri[:80]}")
        return matching_layers(self._catalogue, value) if argument == "layer_id" else []

    async def read(self, client: Client, uri: str) -> types.ReadResourceResult:
        """The contents of a resource. -32602 for one that there is not, and for one that QGIS does not show."""
        if uri == PICTURE:
            return await self._picture(client)
        if uri.startswith(CHARTS):
            return await _chart(client, uri)
        page = _LAYERS_PAGE.match(uri)
        if uri == LAYERS or page:
            return await self._layers(client, uri, int(page[1]) if page else 0)
        if uri == MAP:
            return _contents(uri, await client.call("get_map_state", {}))
        one = _ONE.match(uri)
        if one is None:
            raise _no_such(uri)
        tool = "describe_layer" if one[1] == "layers" else "get_style"
        return _contents(uri, await client.call(tool, {"layer_id": unquote(one[2])}))

    async def _layers(self, client: Client, uri: str, start: int) -> types.ReadResourceResult:
        """As many layers as fit, from ``start``, with the URI of the next page."""
        try:
            await client.access()
        except AccessRefused as refused:
            return _contents(uri, refused.envelope)
        layers = self._catalogue.layers()
        rows = [_row(each) for each in layers[start : start + PAGE]]
        while True:
            data: dict[str, Any] = {"layers": rows, "total": len(layers)}
            if start + len(rows) < len(layers) and rows:
                data["next"] = f"{LAYERS}?cursor={start + len(rows)}"
            envelope = success(data)
            if len(rows) <= 1 or size_bytes(envelope) <= MAX_RESULT_BYTES - 200:
                return _contents(uri, envelope)
            rows = rows[: max(1, len(rows) * 3 // 4)]

    async def _picture(self, client: Client) -> types.ReadResourceResult:
        answer = await client.request(MAP_PICTURE, {"width": PICTURE_WIDTH, "height": PICTURE_HEIGHT})
        data = answer.get("data")
        if not isinstance(data, str) or answer.get("media_type") != PNG:
            raise _not_shown(checked_envelope(answer.get("envelope")))
        about = {key: answer[key] for key in ("width", "height", "bbox", "crs") if key in answer}
        return types.ReadResourceResult(
            contents=[
                types.BlobResourceContents(uri=PICTURE, mime_type=PNG, blob=data, meta={"qgis-agent/view": about})
            ]
        )


async def _chart(client: Client, uri: str) -> types.ReadResourceResult:
    """A chart that this client asked for; no other file has a name here."""
    chart = client.charts.get(uri.removeprefix(CHARTS))
    if chart is None:
        raise _no_such(uri)
    answer = await client.request(MCP_ACCESS, {"origin": {"chart": chart.capability}})
    if answer.get("allowed") is not True:
        raise _not_shown(checked_envelope(answer.get("envelope")))
    try:
        png = await asyncio.to_thread(chart.path.read_bytes)
    except OSError:
        raise _no_such(uri) from None
    if len(png) > MAX_CHART_BYTES:
        raise MCPError(types.INVALID_REQUEST, "This chart is too large a picture; ask for fewer values.")
    blob = base64.b64encode(png).decode("ascii")
    return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type=PNG, blob=blob)])


def _contents(uri: str, envelope: Envelope) -> types.ReadResourceResult:
    if not envelope.get("ok"):
        raise _no_such(uri) if envelope.get("code") == "NOT_FOUND" else _not_shown(envelope)
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=JSON, text=text_of_envelope(envelope))]
    )


def _no_such(uri: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, "Resource not found", data={"uri": uri[:400]})


def _not_shown(envelope: Envelope) -> MCPError:
    said = " ".join(str(envelope.get(key, "")) for key in ("message", "hint")).strip()
    return MCPError(
        types.INVALID_REQUEST, clean(said, 400) or "QGIS does not show this.", data={"code": envelope.get("code")}
    )


def _row(layer: CatalogueLayer) -> dict[str, Any]:
    return {
        "layer_id": layer["layer_id"],
        "name": clean(layer["name"], 80),
        "kind": layer["kind"],
        "group": clean(layer["group"], 80),
        "visible": layer["visible"],
        "crs": clean(layer["crs"], 40),
    }


def _cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not re.fullmatch(r"\d{1,6}", cursor) or int(cursor) % PAGE or int(cursor) == 0:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
    return int(cursor)


def matching_layers(catalogue: CatalogueStore, value: str) -> list[str]:
    """layer_ids whose id or name has ``value`` in it, those that begin with it first; all for an empty value."""
    wanted = value.casefold()
    found = [
        each["layer_id"]
        for each in catalogue.layers()
        if wanted in each["layer_id"].casefold() or wanted in each["name"].casefold()
    ]
    return sorted(found, key=lambda each: not each.casefold().startswith(wanted))


def matching_fields(catalogue: CatalogueStore, layer_id: str, value: str) -> list[str]:
    """Names of the layer's fields that have ``value`` in them, in the layer's order."""
    wanted = value.casefold()
    return [
        field["name"]
        for layer in catalogue.layers()
        if layer["layer_id"] == layer_id
        for field in layer["fields"]
        if wanted in field["name"].casefold()
    ]
