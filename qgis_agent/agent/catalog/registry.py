"""All contracts, in one order, and the schema file that is made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import (
    agent,
    arrange,
    data,
    default,
    geometry,
    inspect,
    join,
    layout,
    overlay,
    processing,
    raster,
    state,
    vector,
    write,
)
from .base import Contract, advertised_schema, json_schema

_MODULES = (
    default,
    arrange,
    data,
    inspect,
    vector,
    overlay,
    join,
    geometry,
    raster,
    processing,
    layout,
    write,
    agent,
    state,
)
CONTRACTS: tuple[Contract, ...] = tuple(
    sorted((contract for pack in _MODULES for contract in pack.CONTRACTS), key=lambda c: c.name)
)
PACKS = {
    "default": "layers, places, queries, map and style",
    "arrange": "layer order, groups, names, legends, map view, earlier styles, encoding, CRS",
    "data": "add layers from files and services",
    "inspect": "charts, rasters, features in a box",
    "vector": "buffers, points counted by polygon",
    "overlay": "clip, intersect, union, difference; dissolve, aggregate",
    "join": "joins by place or key, nearest, select by location",
    "geometry": "derive, reproject, repair, merge; fields, formulas",
    "raster": "raster calculator, terrain, contours, interpolation, zonal statistics",
    "processing": "any other QGIS algorithm",
    "layout": "print layouts, exported as PDF or PNG",
    "subagent": "a reading sub-agent",
    "write": "export files, edit features, remove layers, save the project",
}
SCHEMA_VERSION = 1
SCHEMA_PATH = Path(__file__).resolve().parents[3] / "resources" / "tools.schema.json"


def schema_document() -> dict[str, Any]:
    """What ``resources/tools.schema.json`` holds."""
    return {"schema_version": SCHEMA_VERSION, "packs": PACKS, "tools": [_entry(each) for each in CONTRACTS]}


def _entry(contract: Contract) -> dict[str, Any]:
    """One tool. ``parameters`` is checked; ``advertised`` is what the model is shown, where that is another."""
    parameters = json_schema(contract.arguments)
    shown = advertised_schema(contract.arguments)
    entry = {
        "name": contract.name,
        "pack": contract.pack,
        "where": contract.where,
        "effect": contract.effect,
        "description": contract.description,
        "progress": contract.progress,
        "timeout_s": contract.timeout_s,
        "callers": list(contract.callers),
        "parallel": contract.parallel,
        "cacheable": contract.cacheable,
        "polling": contract.polling,
        "parameters": parameters,
    }
    if contract.internal:
        entry["internal"] = True
    return entry if shown == parameters else {**entry, "advertised": shown}


def schema_text() -> str:
    """The schema file's text: stable, one trailing newline."""
    return json.dumps(schema_document(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
