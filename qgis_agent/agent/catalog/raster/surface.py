"""Contracts of the pack "raster": surfaces from points."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
