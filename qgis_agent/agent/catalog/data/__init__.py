"""Contracts of the pack "data". One module a subject, named as the one of its handlers in ``gis/tools/data``."""

from __future__ import annotations

from ..base import Contract
from . import files, look, services, temporary

_MODULES = (files, services, temporary, look)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
