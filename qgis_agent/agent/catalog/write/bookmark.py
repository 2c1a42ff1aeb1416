"""Contracts of the pack "write": bookmarks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Bbox, Contract


class PrepareBookmark(Arguments):
    """Arguments of prepare_bookmark."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    action: Literal["add", "remove"] = "add"
    bbox: Bbox | None = None
    store: Annotated[Literal["project", "user"], Field(description="user: the person's own, in all projects.")] = (
        "project"
    )


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "prepare_bookmark", "write", "qgis", "write",
        "Store the present view (or bbox) as a bookmark, or remove one by name. Use it when the person asked for a bookmark, not to "
        "move the map (zoom_to). Done after their click. Returns its box.",
        PrepareBookmark, "Preparing the bookmark {name}",
    ),
)  # fmt: skip
