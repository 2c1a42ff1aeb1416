"""Contracts of the pack "data": looking at files before they are loaded."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
