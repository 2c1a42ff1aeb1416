"""Contracts of the pack "geometry". One module a subject, named as the one of its handlers in ``gis/tools/geometry``."""

from __future__ import annotations

from ..base import Contract
from . import calculate, derive, merge, refactor, repair, reproject

_MODULES = (
    derive,
    reproject,
    repair,
    calculate,
    refactor,
    merge,
)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
