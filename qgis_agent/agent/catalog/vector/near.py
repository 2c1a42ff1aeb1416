"""Contracts of the pack "vector": what lies near or inside."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
