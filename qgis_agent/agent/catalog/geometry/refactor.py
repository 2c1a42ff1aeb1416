"""Contracts of the pack "geometry": fields renamed, converted and dropped."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId
from .calculate import FieldType

NewName = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\"\\]+$")]


class FieldChange(Arguments):
    """What becomes of one field."""

    field: FieldName
    name: Annotated[NewName, Field(description="New name.")] | None = None
    type: FieldType | None = None
    drop: bool = False


class RefactorFields(Arguments):
    """Arguments of refactor_fields."""

    layer_id: LayerId
    changes: Annotated[list[FieldChange], Field(max_length=60)] = []  # noqa: RUF012
    keep: Annotated[list[FieldName], Field(max_length=60, description="Only these fields, in this order.")] = []  # noqa: RUF012


CONTRACTS = (
    Contract(
        "refactor_fields", "geometry", "qgis", "create",
        "Rename, convert (text to number, date …), drop or order fields; adds a copy of the layer. Use it when names or types are "
        "wrong; not for new values (calculate_field). Returns the new layer_id, fields, how many values could not be read.",
        RefactorFields, "Changing fields of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
