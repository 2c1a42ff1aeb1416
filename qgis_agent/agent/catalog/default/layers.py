"""Contracts of the pack "default": the layers of the project: describe, show or hide."""

from __future__ import annotations

from ..base import Arguments, Contract, LayerId


class DescribeLayer(Arguments):
    """Arguments of describe_layer."""

    layer_id: LayerId


class ToggleLayer(Arguments):
    """Arguments of toggle_layer."""

    layer_id: LayerId
    visible: bool


CONTRACTS = (
    Contract(
        "describe_layer", "default", "qgis", "read",
        "What a layer is. Use it before you query, style or analyse one that you do not know; not for values. Returns "
        "kind, CRS, unit, extent, exact count, fields, style, filter, joins, edits, warnings.",
        DescribeLayer, "Reading about {layer_id}", timeout_s=60, parallel=True,
    ),
    Contract(
        "toggle_layer", "default", "qgis", "view",
        "Show or hide a layer, the groups above it too. Use it for 叠加, 打开, 关掉; not to move or style. Returns whether "
        "it is visible.",
        ToggleLayer, "Switching {layer_id}",
    ),
)  # fmt: skip
