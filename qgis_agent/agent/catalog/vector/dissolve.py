"""Contracts of the pack "vector": dissolve and aggregate."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
