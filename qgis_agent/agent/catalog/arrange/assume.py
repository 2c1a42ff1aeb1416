"""Contracts of the pack "arrange": assumed encoding and CRS."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, LayerId
from ..data.files import CRS_PATTERN, Encoding


class SetLayerEncoding(Arguments):
    """Arguments of set_layer_encoding."""

    layer_id: LayerId
    encoding: Encoding | None = None


class SetLayerCrs(Arguments):
    """Arguments of set_layer_crs."""

    layer_id: LayerId
    crs: Annotated[str, Field(pattern=CRS_PATTERN, description="EPSG:n.")]


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "set_layer_encoding", "arrange", "qgis", "view",
        "Say in which encoding a shapefile's or CSV's text is (garbled names, 乱码). Use it without encoding first: then nothing "
        "changes, and it returns proposals with samples; with one it is set as an assumption and read back. Never writes the file.",
        SetLayerEncoding, "Reading the encoding of {layer_id}", timeout_s=120,
    ),
    Contract(
        "set_layer_crs", "arrange", "qgis", "view",
        "State the CRS of a layer that has none or a wrong one: an assumption, when the person says which. It does not convert: "
        "coordinates stay, the layer's place moves. Returns old and new CRS and how far it moved.",
        SetLayerCrs, "Setting the CRS of {layer_id}",
    ),
)  # fmt: skip
