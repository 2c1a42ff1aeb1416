"""Contracts of the pack "default": always shown. One module a subject, named as the one of its handlers in ``gis/tools/default``."""

from __future__ import annotations

from ..base import Contract
from . import label, layers, measure, places, query, references, render, selection, style, talk, view

_MODULES = (layers, references, places, talk, view, query, style, render, selection, label, measure)
CONTRACTS: tuple[Contract, ...] = tuple(each for module in _MODULES for each in module.CONTRACTS)
