"""All contracts, in one order, and the schema file that is made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import default, vector, write
from .base import Contract, json_schema

CONTRACTS: tuple[Contract, ...] = tuple(
    sorted(default.CONTRACTS + vector.CONTRACTS + write.CONTRACTS, key=lambda c: c.name)
)
PACKS = {
    "default": "layers, places, queries, map and style",
    "vector": "buffer, statistics by polygon",
    "write": "export to files; a person enables it",
}
SCHEMA_VERSION = 1
SCHEMA_PATH = Path(__file__).resolve().parents[3] / "resources" / "tools.schema.json"


def schema_document() -> dict[str, Any]:
    """What ``resources/tools.schema.json`` holds."""
    return {
        "schema_version": SCHEMA_VERSION,
        "packs": PACKS,
        "tools": [
            {
                "name": each.name,
                "pack": each.pack,
                "where": each.where,
                "effect": each.effect,
                "description": each.description,
                "progress": each.progress,
                "timeout_s": each.timeout_s,
                "callers": list(each.callers),
                "parameters": json_schema(each.arguments),
            }
            for each in CONTRACTS
        ],
    }


def schema_text() -> str:
    """The schema file's text: stable, one trailing newline."""
    return json.dumps(schema_document(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
