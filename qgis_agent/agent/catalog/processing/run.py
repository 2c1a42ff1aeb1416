"""Contracts of the pack "processing": running an algorithm."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
