"""Contracts of the pack "data": adding layers from files."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
