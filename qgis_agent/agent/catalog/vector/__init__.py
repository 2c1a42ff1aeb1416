"""Contracts of the pack "vector". One module a subject, named as the one of its handlers in ``gis/tools/vector``."""

from __future__ import annotations

from ..base import Contract
from . import buffer, statistics

_MODULES = (buffer, statistics)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
