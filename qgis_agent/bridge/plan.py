"""What both sides read alike in a plan and in a call that is held to it: a plan's hash, and a call's layers in order.

Each side makes the hash itself from the steps that it has: neither believes the other's.
"""

from __future__ import annotations

import hashlib
from typing import Any, List, Mapping

from .envelope import encode


def plan_hash(steps: Any) -> str:
    """SHA-256 (hexadecimal) of the canonical steps without their status, the same in every process; "" for what is no plan.

    A step is {title, tool, target, inputs, path, features}; its status may change without a new approval.
    """
    if not isinstance(steps, list) or not all(isinstance(each, Mapping) for each in steps):
        return ""
    said = [
        [
            each.get("title"),
            each.get("tool", ""),
            each.get("target", ""),
            list(dict.fromkeys(each.get("inputs") or [])),
            each.get("path", ""),
            each.get("features"),
        ]
        for each in steps
    ]
    return hashlib.sha256(encode(said).encode("utf-8", "replace")).hexdigest()


def layers_of_call(arguments: Mapping[str, Any]) -> List[str]:
    """The aliases that a call's arguments name, each once: ``layer_id`` first, then every other parameter of layers."""
    named = texts(arguments.get("layer_id"))
    for key, value in arguments.items():
        if key.endswith(("_layer_id", "layer_ids")):
            named += texts(value)
    return list(dict.fromkeys(named))


def texts(value: Any) -> List[str]:
    """The texts of a value or a list, without empty ones."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str) and each]
