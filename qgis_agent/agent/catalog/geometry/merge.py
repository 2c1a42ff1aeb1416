"""Contracts of the pack "geometry": merging layers."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
