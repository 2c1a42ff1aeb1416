"""Contracts of the pack "layout": exporting layouts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract
from .create import LayoutName


class PrepareExportLayout(Arguments):
    """Arguments of prepare_export_layout."""

    layout: LayoutName
    path: Annotated[
        str,
        Field(min_length=1, max_length=400, description="New file; relative paths are inside the project folder."),
    ]
    format: Literal["pdf", "png", "svg"] = "pdf"
    dpi: Annotated[int, Field(ge=36, le=600)] = 300
    atlas: Annotated[bool, Field(description="All pages of the atlas, in one PDF.")] = False


CONTRACTS = (
    Contract(
        "prepare_export_layout", "layout", "qgis", "write",
        "Export a print layout to a new PDF, PNG or SVG file. Use it only when the person asked for a file, not to look at one. "
        "Shows them what would be written; nothing is written without their click. Returns after the decision, with the outcome.",
        PrepareExportLayout, "Preparing the export of {layout}", timeout_s=300,
    ),
)  # fmt: skip
