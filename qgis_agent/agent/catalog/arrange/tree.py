"""Contracts of the pack "arrange": the layer tree."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
