"""Contracts of the pack "default": selection, highlight and filter."""

from __future__ import annotations

from typing import Literal

from ..base import Arguments, Contract, LayerId, Where_


class SelectFeatures(Arguments):
    """Arguments of select_features."""

    layer_id: LayerId
    where: Where_ = []  # noqa: RUF012
    mode: Literal["replace", "add", "remove", "intersect", "invert"] = "replace"


class HighlightFeatures(Arguments):
    """Arguments of highlight_features."""

    layer_id: LayerId
    where: Where_ = []  # noqa: RUF012


class SetLayerFilter(Arguments):
    """Arguments of set_layer_filter."""

    layer_id: LayerId
    where: Where_


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "select_features", "default", "qgis", "view",
        "Select the features that match where (none: all), as by hand; not for hiding (set_layer_filter). Returns counts.",
        SelectFeatures, "Selecting in {layer_id}", timeout_s=120,
    ),
    Contract(
        "highlight_features", "default", "qgis", "view",
        "Flash at most 50 matching features on the map, for pointing at them; not to keep (select_features). Returns count, "
        "bbox.",
        HighlightFeatures, "Highlighting in {layer_id}", timeout_s=60,
    ),
    Contract(
        "set_layer_filter", "default", "qgis", "view",
        "Show and count only the features that match where; [] clears it. Never shows more than the person's own filter. Not "
        "for one answer (use where there). Returns counts before and after.",
        SetLayerFilter, "Filtering {layer_id}", timeout_s=120,
    ),
)  # fmt: skip
