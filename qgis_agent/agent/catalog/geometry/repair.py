"""Contracts of the pack "geometry": checks and repairs."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
