"""Contracts of the pack "processing": running an algorithm."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from ..base import Arguments, Contract

AlgorithmId = Annotated[str, Field(min_length=1, max_length=120, description="Id, such as native:centroids.")]


class RunAlgorithm(Arguments):
    """Arguments of run_algorithm."""

    algorithm: AlgorithmId
    parameters: Annotated[
        dict[str, Any],
        WithJsonSchema(
            {
                "type": "object",
                "properties": {},
                "description": (
                    "By name, as describe_algorithm tells. A layer: its alias, or {layer_id, selected_only, where}; "
                    '{"each": [aliases]} runs once for each. No destinations: the host chooses them.'
                ),
            }
        ),
    ] = {}  # noqa: RUF012
    as_is: Annotated[
        bool, Field(description="Yes to a warned doubt: layer units (degrees) and planar measures are meant.")
    ] = False
    invalid_geometry: Annotated[Literal["stop", "skip", "ignore"], Field(description="What invalid geometries do.")] = (
        "stop"
    )
    name: Annotated[str, Field(max_length=80, description="Name of the result layer.")] = ""


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "run_algorithm", "processing", "qgis", "create",
        "Run any QGIS Processing algorithm; adds its results as layers. Use it when no named tool fits, after "
        "describe_algorithm; not for buffers, overlays, joins or statistics that have a tool (metres there). Distances are in "
        "the layer's units. Returns the new layer_ids, counts, values, texts and warnings.",
        RunAlgorithm, "Running {algorithm}", timeout_s=600,
    ),
)  # fmt: skip
