"""Contracts of the pack "raster": contours, raster to vector and back."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
