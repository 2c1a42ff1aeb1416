"""Contracts of the pack "write": the project file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract


class PrepareSaveProject(Arguments):
    """Arguments of prepare_save_project."""

    path: (
        Annotated[
            str, Field(min_length=1, max_length=400, description="New .qgz or .qgs; absent: the project's own file.")
        ]
        | None
    ) = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "prepare_save_project", "write", "qgis", "write",
        "Save the project to its own file (a copy of the old one is kept) or a new file. Use it when the person asked to save, not on "
        "your own. Shows layers in memory that would be lost; done after their click. Returns the path.",
        PrepareSaveProject, "Preparing to save the project", timeout_s=300,
    ),
)  # fmt: skip
