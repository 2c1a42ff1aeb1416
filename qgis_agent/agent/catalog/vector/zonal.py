"""Contracts of the pack "vector": zonal statistics."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
