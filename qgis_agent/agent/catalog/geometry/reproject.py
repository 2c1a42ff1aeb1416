"""Contracts of the pack "geometry": reprojection."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, LayerId, Where_


class ReprojectLayer(Arguments):
    """Arguments of reproject_layer."""

    layer_id: LayerId
    crs: Annotated[str, Field(pattern="^[A-Za-z]{2,12}:[0-9]{2,6}$", description="For example EPSG:2154.")]
    where: Where_ = []  # noqa: RUF012


CONTRACTS = (
    Contract(
        "reproject_layer", "geometry", "qgis", "create",
        "Convert a vector layer's coordinates to another CRS; adds a layer with the same attributes and geometry type. Use it when "
        "data must be in a certain CRS; not to say in which CRS a layer is (set_layer_crs). Returns the new layer_id, the "
        "transformation, its accuracy.",
        ReprojectLayer, "Reprojecting {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
