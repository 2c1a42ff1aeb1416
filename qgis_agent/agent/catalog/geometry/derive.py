"""Contracts of the pack "geometry": new geometries."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_

Kind = Literal[
    "centroid",
    "point_on_surface",
    "convex_hull",
    "concave_hull",
    "bounding_box",
    "oriented_box",
    "minimum_circle",
    "boundary",
    "voronoi",
    "delaunay",
    "lines_to_polygons",
    "polygonize",
    "polygons_to_lines",
    "vertices",
    "simplify",
    "smooth",
    "densify",
    "single_parts",
    "multi_parts",
    "points_along",
    "line_merge",
    "explode",
    "rings_ccw",
    "rings_cw",
    "remove_holes",
    "drop_z",
]


class DeriveOptions(Arguments):
    """What some kinds need."""

    distance_m: (
        Annotated[float, Field(gt=0, le=1_000_000, description="Of points_along and densify, on the ground.")] | None
    ) = None
    tolerance_m: Annotated[float, Field(gt=0, le=1_000_000, description="Of simplify, on the ground.")] | None = None
    per: Annotated[
        Literal["feature", "layer", "field"],
        Field(
            description="One centroid, hull, box, circle or multi_parts for each feature, value of field, or the layer."
        ),
    ] = "feature"
    field: FieldName | None = None
    ratio: Annotated[float, Field(ge=0, le=1, description="Of concave_hull: 1 is the convex hull.")] = 0.3
    all_parts: Annotated[bool, Field(description="A point for each part.")] = False
    margin_percent: Annotated[int, Field(ge=0, le=500, description="Of voronoi, around the points.")] = 10
    iterations: Annotated[int, Field(ge=1, le=6, description="Of smooth.")] = 1


class DeriveGeometry(Arguments):
    """Arguments of derive_geometry."""

    layer_id: LayerId
    kind: Kind
    where: Where_ = []  # noqa: RUF012
    options: DeriveOptions | None = None


CONTRACTS = (
    Contract(
        "derive_geometry", "geometry", "qgis", "create",
        "Make new geometries from a layer's features (centroids, hulls, boxes, Voronoi, vertices, parts, simplified …), attributes "
        "kept; adds a layer. rings_ccw is the ring direction of RFC 7946. Not for zones by distance (buffer_layer). Returns the new "
        "layer_id, counts, areas before and after, method.",
        DeriveGeometry, "Deriving {kind} from {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
