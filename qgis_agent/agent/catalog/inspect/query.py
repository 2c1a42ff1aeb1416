"""Contracts of the pack "inspect": reading features in a box."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
