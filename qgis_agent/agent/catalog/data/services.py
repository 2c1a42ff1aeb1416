"""Contracts of the pack "data": adding layers from services."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
