"""Contracts of the pack "write": carrying out what was prepared."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract


class CommitAction(Arguments):
    """Arguments of commit_action."""

    confirm_token: Annotated[str, Field(min_length=8, max_length=100)]


CONTRACTS = (
    Contract(
        "commit_action", "write", "qgis", "write",
        "Carry out a prepared write by its confirm_token. Use it after a person armed the token, not before. Returns what was "
        "written.",
        CommitAction, "Carrying out the prepared write", timeout_s=300, callers=("cli", "mcp"),
    ),
)  # fmt: skip
