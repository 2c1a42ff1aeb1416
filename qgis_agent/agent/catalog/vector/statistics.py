"""Contracts of the pack "vector": statistics by polygon."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, Where_


class Aggregate(Arguments):
    """One aggregate of a number field."""

    field: FieldName
    function: Literal["sum", "mean", "min", "max"]


class StatByPolygon(Arguments):
    """Arguments of stat_by_polygon."""

    polygon_layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Polygons.")]
    layer_id: Annotated[str, Field(min_length=1, max_length=80, description="The points.")]
    polygon_where: Where_ = []  # noqa: RUF012
    where: Where_ = []  # noqa: RUF012
    aggregates: Annotated[list[Aggregate], Field(max_length=4, description="Of number fields.")] = []  # noqa: RUF012


CONTRACTS = (
    Contract(
        "stat_by_polygon", "vector", "qgis", "create",
        "Count points inside each polygon; adds a polygon layer with count, area_km2 (ellipsoidal), density_per_km2 and the "
        "aggregates. Use it for densities and numbers per district; not for one number of a whole layer (count_features). "
        "Returns layer_id, rows, totals. Style the new layer by density_per_km2.",
        StatByPolygon, "Counting {layer_id} by {polygon_layer_id}", timeout_s=300,
    ),
)  # fmt: skip
