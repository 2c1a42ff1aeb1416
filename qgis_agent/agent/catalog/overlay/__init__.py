"""Contracts of the pack "overlay". One module a subject, named as the one of its handlers in ``gis/tools/overlay``."""

from __future__ import annotations

from ..base import Contract
from . import dissolve, overlay

_MODULES = (dissolve, overlay)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
