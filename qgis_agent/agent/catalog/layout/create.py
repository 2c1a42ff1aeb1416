"""Contracts of the pack "layout": making and describing layouts."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
