"""A raster file whose grid is turned: what is said of it is the file's, however QGIS draws it."""

from __future__ import annotations

import numpy as np
from conftest import Bench
from test_raster_info import write


def test_size_of_a_turned_file_when_it_is_added(bench: Bench) -> None:
    """12 columns, 7 rows, one band, as GDAL was given them; QGIS's copy has more cells and an alpha band."""
    path = bench.folder / "turned.tif"
    write(path, np.arange(84, dtype=np.float32).reshape(1, 7, 12), place=(500000, 8, 6, 4000000, 6, -8))
    data = bench.ok("add_raster_layer", path=str(path))
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert (layer.width(), layer.height(), layer.bandCount()) != (12, 7, 1)
    assert (data["columns"], data["rows"], data["bands"]) == (12, 7, 1)
