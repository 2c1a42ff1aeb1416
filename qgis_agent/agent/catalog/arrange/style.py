"""Contracts of the pack "arrange": styles and legends as a whole."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
