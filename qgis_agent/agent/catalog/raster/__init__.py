"""Contracts of the pack "raster". One module a subject, named as the one of its handlers in ``gis/tools/raster``."""

from __future__ import annotations

from ..base import Contract
from . import calculate, clip, convert, reclassify, surface, terrain, zonal

_MODULES = (
    calculate,
    terrain,
    reclassify,
    clip,
    convert,
    surface,
    zonal,
)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
