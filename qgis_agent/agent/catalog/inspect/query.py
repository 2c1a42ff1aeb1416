"""Contracts of the pack "inspect": features in a box."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Bbox, Contract, FieldName, LayerId, Limit, Where_


class QueryInBbox(Arguments):
    """Arguments of query_in_bbox."""

    layer_id: LayerId
    bbox: Bbox
    where: Where_ = []  # noqa: RUF012
    fields: Annotated[list[FieldName], Field(max_length=60, description="Empty: all fields.")] = []  # noqa: RUF012
    limit: Limit = 20


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "query_in_bbox", "inspect", "qgis", "read",
        "Read rows of the features whose geometry touches a box (east over 180 crosses the 180th meridian) and that match "
        "where. Use it for what lies in a view or region; not for polygons. Returns rows without geometry, and the true total.",
        QueryInBbox, "Looking in {layer_id}", timeout_s=60, parallel=True, cacheable=True,
    ),
)  # fmt: skip
