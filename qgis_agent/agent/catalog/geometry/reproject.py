"""Contracts of the pack "geometry": reprojection."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
