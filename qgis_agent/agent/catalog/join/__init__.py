"""Contracts of the pack "join". One module a subject, named as the one of its handlers in ``gis/tools/join``."""

from __future__ import annotations

from ..base import Contract
from . import joins, near

_MODULES = (joins, near)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
