"""Contracts of the pack "default": a layer's look as a document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from ..advertise import plain
from ..base import Arguments, Contract, LayerId

BLENDS = (
    "normal",
    "multiply",
    "screen",
    "overlay",
    "darken",
    "lighten",
    "addition",
    "dodge",
    "burn",
    "hard_light",
    "soft_light",
    "difference",
    "subtract",
)


class GetStyle(Arguments):
    """Arguments of get_style."""

    layer_id: LayerId
    part: Literal["all", "renderer", "symbols", "labels", "legend"] = "all"
    cursor: Annotated[
        int,
        Field(
            ge=0,
            description="First class to return; take next from the last page.",
            json_schema_extra=plain("integer"),
        ),
    ] = 0


def _part(kind: str, **more: Any) -> WithJsonSchema:
    """A part of the document; null takes it back to its default."""
    free: dict[str, Any] = {"properties": {}} if kind == "object" else {}
    return WithJsonSchema({"type": [kind, "null"], **free, **more})


class StylePatch(Arguments):
    """A merge patch of the style document. Its parts are checked by the handler, against the layer."""

    renderer: Annotated[Any, WithJsonSchema({"type": "object", "properties": {}})] = None
    labels: Annotated[Any, _part("object")] = None
    opacity: Annotated[Any, _part("number", minimum=0, maximum=1)] = None
    blend: Annotated[Any, _part("string", enum=[*BLENDS, None])] = None
    feature_blend: Annotated[Any, _part("string", enum=[*BLENDS, None])] = None
    scale_range: Annotated[Any, _part("object")] = None
    legend: Annotated[Any, _part("object")] = None


class PatchStyle(Arguments):
    """Arguments of patch_style."""

    layer_id: LayerId
    patch: Annotated[StylePatch, Field(json_schema_extra=plain("object"))]


CONTRACTS = (
    Contract(
        "get_style", "default", "qgis", "read",
        "Read a layer's look. Use it before you explain or change it; not for data. Returns a style document: "
        "renderer, classes, labels …; next is the next cursor.",
        GetStyle, "Reading the style of {layer_id}", parallel=True,
    ),
    Contract(
        "patch_style", "default", "qgis", "view",
        "Change parts of a layer's look when no other style tool does: a merge patch of its style document (get_style; renderer, "
        'labels, opacity, blend, scale_range, legend), such as {"renderer": {"classes": {"c1": {"color": "#ff0000"}}}}; null '
        "removes. It does not make classes from data; expressions and files are refused. Returns what changed, rule_id.",
        PatchStyle, "Changing the style of {layer_id}", timeout_s=60,
    ),
)  # fmt: skip
