"""Contracts of the pack "inspect". One module a subject, named as the one of its handlers in ``gis/tools/inspect``."""

from __future__ import annotations

from ..base import Contract
from . import chart, query, rasters

_MODULES = (rasters, query, chart)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
