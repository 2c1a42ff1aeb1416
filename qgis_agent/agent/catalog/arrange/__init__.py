"""Contracts of the pack "arrange". One module a subject, named as the one of its handlers in ``gis/tools/arrange``."""

from __future__ import annotations

from ..base import Contract
from . import assume, selection, style, tree, view

_MODULES = (tree, view, style, assume, selection)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
