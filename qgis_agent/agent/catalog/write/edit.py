"""Contracts of the pack "write": features."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from ..base import Arguments, Contract, FieldName, LayerId, Where_


class NewValue(Arguments):
    """A field's new value: one of value, formula and to_null."""

    field: FieldName
    value: Annotated[
        str | int | float | bool | None, WithJsonSchema({"type": ["string", "number", "boolean"], "maxLength": 4000})
    ] = None
    formula: (
        Annotated[str, Field(min_length=1, max_length=2000, description='QGIS expression, for example "pop" * 2.')]
        | None
    ) = None
    to_null: bool = False


class EditedFeature(Arguments):
    """A new feature, or a feature's new shape."""

    wkt: Annotated[str, Field(min_length=5, max_length=20000)] | None = None
    values: Annotated[list[NewValue], Field(max_length=100)] = []  # noqa: RUF012


class EditOptions(Arguments):
    """Which features, and whether the edit is saved."""

    selected_only: bool = False
    all_features: bool = False
    save: Annotated[bool, Field(description="Only when the person asked to save.")] = False


class PrepareEditFeatures(Arguments):
    """Arguments of prepare_edit_features."""

    layer_id: LayerId
    action: Literal["set", "delete", "add", "geometry"]
    where: Where_ = []  # noqa: RUF012
    values: Annotated[list[NewValue], Field(max_length=20, description="For set.")] = []  # noqa: RUF012
    features: Annotated[
        list[EditedFeature], Field(max_length=200, description="For add and geometry (one); WKT in lon/lat.")
    ] = []  # noqa: RUF012
    options: EditOptions = EditOptions()


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "prepare_edit_features", "write", "qgis", "write",
        "Change values, delete, add or reshape features of a layer (at most 10,000). Use it when the person asked to edit data, not "
        "for computed results (calculate_field makes a new layer). Shows old and new values; done after their click, unsaved unless "
        "save. Returns counts.",
        PrepareEditFeatures, "Preparing an edit of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
