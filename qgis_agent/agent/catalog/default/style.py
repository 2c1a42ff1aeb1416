"""Contracts of the pack "default": a layer's look as a document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract, LayerId


class GetStyle(Arguments):
    """Arguments of get_style."""

    layer_id: LayerId
    part: Literal["all", "renderer", "labels", "legend"] = "all"
    cursor: Annotated[
        int,
        Field(
            ge=0,
            description="First class to return; take next from the last page.",
            json_schema_extra=plain("integer", "next of the last page."),
        ),
    ] = 0


CONTRACTS = (
    Contract(
        "get_style", "default", "qgis", "read",
        "Read the look of a layer. Use it before you explain or change one; not for its data. Returns a style document: "
        "renderer, classes with limits and colours, labels, opacity.",
        GetStyle, "Reading the style of {layer_id}", parallel=True,
    ),
)  # fmt: skip
