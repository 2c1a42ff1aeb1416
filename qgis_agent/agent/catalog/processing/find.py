"""Contracts of the pack "processing": finding and describing algorithms."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
