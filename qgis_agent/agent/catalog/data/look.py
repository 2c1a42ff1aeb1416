"""Contracts of the pack "data": looking at files before they are loaded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, Limit
from .files import Path_, Sublayer


class ListDataFiles(Arguments):
    """Arguments of list_data_files."""

    folder: Annotated[str, Field(max_length=400, description="Empty: the project folder.")] = ""
    kind: Literal["any", "vector", "raster", "table", "archive"] = "any"
    limit: Limit = 50


class InspectDataFile(Arguments):
    """Arguments of inspect_data_file."""

    path: Path_
    sublayer: Sublayer | None = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "list_data_files", "data", "qgis", "read",
        "List data files in the folders that may be read. Use it when a file is named vaguely; not to look into one "
        "(inspect_data_file). Returns paths with kind, bytes and time.",
        ListDataFiles, "Listing files", parallel=True,
    ),
    Contract(
        "inspect_data_file", "data", "qgis", "read",
        "Look into a data file before it is added: layers, fields with guessed type and a raw value, CRS, extent, count, encoding, "
        "separator, raster bands. Use it first for tables and unknown files; it does not add or write anything. Returns these.",
        InspectDataFile, "Looking into {path}", timeout_s=120, parallel=True,
    ),
)  # fmt: skip
