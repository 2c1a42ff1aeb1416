"""Contracts of the pack "inspect": raster information, samples and look."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
