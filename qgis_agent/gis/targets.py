"""What a call works on, for grants: one layer, one folder or one host. As narrow as the call itself."""

from __future__ import annotations

import os

from .call import Call
from .driver import named_layers
from .grants import FOLDER, LAYER, NOTHING_IN_PARTICULAR, Target, folder_target, host_target, layer_target

MANY = Target(LAYER)
"""Several layers, or one that is not there: no grant can be made for it, so an answer is for this call only."""


def target_of(call: Call, effect: str) -> Target:
    """The host of a network call; else the layer; else the folder of a path; nothing in particular where there is none."""
    if effect == "network":
        return host_target(str(call.arguments.get("url") or ""))
    named = str(call.arguments.get("layer_id") or call.arguments.get("polygon_layer_id") or "")
    if named:
        layer = call.host.layers.by_alias(named)
        return layer_target(layer) if layer is not None else MANY
    if named_layers(call.arguments) or call.arguments.get("parameters"):
        return MANY
    path = call.arguments.get("path") or call.arguments.get("folder")
    if path:
        return _folder(call, path)
    return NOTHING_IN_PARTICULAR


def _folder(call: Call, path: object) -> Target:
    base = call.host.paths.project_folder()
    text = path if isinstance(path, str) and "\0" not in path else ""
    if not text or not (os.path.isabs(text) or base):
        return Target(FOLDER)
    return folder_target(os.path.dirname(os.path.join(base, text)))
