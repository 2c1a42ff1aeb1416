"""Contracts of the pack "write". One module a subject, named as the one of its handlers in ``gis/tools/write``."""

from __future__ import annotations

from ..base import Contract
from . import bookmark, commit, edit, export, project, remove, table

_MODULES = (
    export,
    table,
    edit,
    remove,
    project,
    bookmark,
    commit,
)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
