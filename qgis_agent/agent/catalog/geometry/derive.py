"""Contracts of the pack "geometry": new geometries."""

from __future__ import annotations

from ..base import Contract

CONTRACTS: tuple[Contract, ...] = ()
