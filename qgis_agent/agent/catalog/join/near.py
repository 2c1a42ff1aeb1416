"""Contracts of the pack "join": what lies near or inside."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_
from .joins import OtherLayer, Prefix


class SelectOptions(Arguments):
    """What is rarely needed."""

    where: Where_ = []  # noqa: RUF012
    by_where: Where_ = []  # noqa: RUF012


class SelectByLocation(Arguments):
    """Arguments of select_by_location."""

    layer_id: LayerId
    by_layer_id: OtherLayer
    predicate: Literal[
        "intersects",
        "within",
        "contains",
        "touches",
        "overlaps",
        "equals",
        "crosses",
        "disjoint",
        "within_distance",
    ] = "intersects"
    distance_m: Annotated[float, Field(gt=0, le=1_000_000, description="For within_distance.")] | None = None
    mode: Literal["replace", "add", "remove", "intersect"] = "replace"
    options: SelectOptions = SelectOptions()


class NearestOptions(Arguments):
    """What is rarely needed."""

    output: Annotated[
        Literal["attributes", "lines"], Field(description="lines: to the neighbours, instead of layer_id's shapes.")
    ] = "attributes"
    prefix: Prefix = "near_"
    keep_unmatched: bool = True
    where: Where_ = []  # noqa: RUF012
    to_where: Where_ = []  # noqa: RUF012


class NearestFeatures(Arguments):
    """Arguments of nearest_features."""

    layer_id: LayerId
    to_layer_id: Annotated[str, Field(min_length=1, max_length=80, description="May be layer_id.")]
    k: Annotated[int, Field(ge=1, le=100, description="Neighbours each.")] = 1
    max_distance_m: Annotated[float, Field(gt=0, le=21_000_000)] | None = None
    fields: Annotated[list[FieldName], Field(max_length=40, description="Of the neighbour; none: its name.")] = []  # noqa: RUF012
    options: NearestOptions = NearestOptions()


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "select_by_location", "join", "qgis", "view",
        "Select features by their place relative to another layer (inside, touching, within metres), in any CRS. Not by "
        "attributes (select_features). Returns counts.",
        SelectByLocation, "Selecting in {layer_id}", timeout_s=300,
    ),
    Contract(
        "nearest_features", "join", "qgis", "create",
        "Find for each feature the k nearest of another layer, metres on the ground; adds a layer with distance_m and near_rank. "
        "For which is nearest and how far; not one distance (measure). Returns layer_id, min, mean, max, how many have none.",
        NearestFeatures, "Looking for what is nearest to {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
