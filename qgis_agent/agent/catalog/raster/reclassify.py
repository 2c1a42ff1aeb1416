"""Contracts of the pack "raster": reclassification."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
