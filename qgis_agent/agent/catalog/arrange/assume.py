"""Contracts of the pack "arrange": assumed encoding and CRS."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
