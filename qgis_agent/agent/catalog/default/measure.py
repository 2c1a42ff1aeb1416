"""Contracts of the pack "default": measuring on the ellipsoid."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import ADVERTISED, plain
from ..base import AnyOf, Arguments, Condition, Contract, LayerId, Where_


class Measure(Arguments):
    """Arguments of measure."""

    method: Literal["length", "area", "perimeter", "distance"]
    layer_id: LayerId | None = None
    where: Where_ = []  # noqa: RUF012
    other_layer_id: LayerId | None = None
    other_where: Annotated[
        list[Condition | AnyOf],
        Field(max_length=20, json_schema_extra={ADVERTISED: {"type": "array", "items": {"type": "object"}}}),
    ] = []  # noqa: RUF012
    use_selection: Annotated[bool, Field(json_schema_extra=plain("boolean"))] = False


CONTRACTS = (
    Contract(
        "measure", "default", "qgis", "read",
        "Measure length, area, perimeter (sums) or smallest distance (to other_layer_id, or among 2-10 features), for how long, "
        "big, far; not per polygon. Returns m, m² on the ellipsoid.",
        Measure, "Measuring {method}", timeout_s=60, parallel=True,
    ),
)  # fmt: skip
