"""Contracts of the pack "geometry": calculations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId

FieldType = Literal["integer", "number", "text", "date", "datetime", "boolean"]


class CalculateField(Arguments):
    """Arguments of calculate_field."""

    layer_id: LayerId
    field: Annotated[
        str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\"\\]+$", description="New, or replaced.")
    ]
    formula: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2000,
            description='QGIS expression over fields ("a" / "b"), e.g. $area (m²), regexp_substr("t", \'(\\d+)\'), to_int("t").',
        ),
    ]
    type: FieldType = "number"


CONTRACTS = (
    Contract(
        "calculate_field", "geometry", "qgis", "create",
        "Calculate a field for every feature by a formula; adds a copy of the layer, the source stays. Use it for ratios, texts, "
        "areas; not for one number of a whole layer (summarize_field). Returns the new layer_id, counts of NULL, least, greatest, sum.",
        CalculateField, "Calculating {field} of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
