"""Contracts of the pack "default": selection, highlight and filter."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
