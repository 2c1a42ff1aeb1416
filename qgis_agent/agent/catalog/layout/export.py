"""Contracts of the pack "layout": exporting layouts."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
