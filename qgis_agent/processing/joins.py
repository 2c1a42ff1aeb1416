"""The provider's joins, in one list."""

from __future__ import annotations

from .join_location import JoinByLocationAlgorithm
from .join_value import JoinByValueAlgorithm
from .nearest import NearestFeaturesAlgorithm

JOINS = (JoinByLocationAlgorithm, JoinByValueAlgorithm, NearestFeaturesAlgorithm)
