"""Contracts of the pack "layout". One module a subject, named as the one of its handlers in ``gis/tools/layout``."""

from __future__ import annotations

from ..base import Contract
from . import create, export, items

_MODULES = (create, items, export)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
