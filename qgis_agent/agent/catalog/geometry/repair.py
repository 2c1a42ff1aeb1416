"""Contracts of the pack "geometry": checks and repairs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId, Where_

Check = Literal["validity", "duplicates", "slivers", "overlaps", "gaps", "ring_direction", "multipart"]


class FixGeometries(Arguments):
    """Arguments of fix_geometries."""

    layer_id: LayerId
    where: Where_ = []  # noqa: RUF012
    method: Annotated[
        Literal["structure", "linework"],
        Field(description="structure keeps areas and holes, linework keeps every line."),
    ] = "structure"


class CheckGeometries(Arguments):
    """Arguments of check_geometries."""

    layer_id: LayerId
    checks: Annotated[list[Check], Field(min_length=1, max_length=7)] = ["validity", "duplicates"]  # noqa: RUF012
    where: Where_ = []  # noqa: RUF012
    sliver_width_m: Annotated[
        float, Field(gt=0, le=10_000, description="Mean width below which a polygon is a sliver.")
    ] = 1.0
    add_layer: Annotated[bool, Field(description="Also add a point layer of the problems.")] = False


CONTRACTS = (
    Contract(
        "fix_geometries", "geometry", "qgis", "create",
        "Repair invalid geometries into a new layer; the source stays. Use it when features are invalid; not to look only "
        "(check_geometries). Returns the new layer_id, invalid features, areas and parts before and after.",
        FixGeometries, "Repairing {layer_id}", timeout_s=300,
    ),
    Contract(
        "check_geometries", "geometry", "qgis", "create",
        "Check geometries: validity (and missing ones), duplicates, slivers, overlaps and gaps between polygons, ring_direction "
        "(RFC 7946), multipart. Use it when data looks wrong; not to repair (fix_geometries). Returns counts and rows with feature "
        "id, reason, place.",
        CheckGeometries, "Checking {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
