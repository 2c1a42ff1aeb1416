"""Contracts of the pack "vector": joins by place and by value."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
