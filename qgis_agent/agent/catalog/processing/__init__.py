"""Contracts of the pack "processing". One module a subject, named as the one of its handlers in ``gis/tools/processing``."""

from __future__ import annotations

from ..base import Contract
from . import find, run

_MODULES = (
    find,
    run,
)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
