"""Contracts of the pack "processing": finding and describing algorithms."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract
from .run import AlgorithmId


class SearchAlgorithms(Arguments):
    """Arguments of search_algorithms."""

    query: Annotated[
        str, Field(min_length=1, max_length=200, description="The task in a few words, English or Chinese.")
    ]
    limit: Annotated[int, Field(ge=1)] = 8


class DescribeAlgorithm(Arguments):
    """Arguments of describe_algorithm."""

    algorithm: AlgorithmId


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "search_algorithms", "processing", "qgis", "read",
        "Find the Processing algorithm for a task. Use it when no tool at hand fits; not for layers. Returns ids, best first, "
        "with what each does, its effect, and in rather the tool of ours that does it better.",
        SearchAlgorithms, "Looking for an algorithm: {query}", parallel=True,
    ),
    Contract(
        "describe_algorithm", "processing", "qgis", "read",
        "Describe an algorithm. Use it before run_algorithm; not to find one. Returns its parameters (values, choices, "
        "defaults), the outputs that QGIS makes, its effect and flags.",
        DescribeAlgorithm, "Looking at {algorithm}", parallel=True,
    ),
)  # fmt: skip
