"""Contracts of the pack "write": small tables."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from ..base import Arguments, Contract, ResultRef


class TableOptions(Arguments):
    """Which columns, and the form of a JSON file."""

    columns: Annotated[list[Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=60)] = []  # noqa: RUF012
    single_object: Annotated[bool, Field(description="JSON: one object, not a list.")] = False


class PrepareExportTable(Arguments):
    """Arguments of prepare_export_table."""

    path: Annotated[
        str,
        Field(min_length=1, max_length=400, description="New file; relative paths are inside the project folder."),
    ]
    format: Literal["csv", "json"] = "csv"
    rows: Annotated[
        list[Annotated[dict[str, Any], WithJsonSchema({"type": "object", "properties": {}})]],
        Field(max_length=200, description="Flat objects with numbers that tools returned."),
    ] = []  # noqa: RUF012
    result_ref: ResultRef | None = None
    options: TableOptions = TableOptions()


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "prepare_export_table", "write", "qgis", "write",
        "Write rows (a result_ref, or a summary of tool results) to a new CSV or JSON file. Use it when the person asked for such a "
        "file, not for layers (prepare_export_layer). Nothing is written without their click. Returns the path.",
        PrepareExportTable, "Preparing the table {path}", timeout_s=120,
    ),
)  # fmt: skip
