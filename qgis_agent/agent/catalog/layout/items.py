"""Contracts of the pack "layout": items of layouts."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
