"""The same questions answered by geopandas and exactextract, as a person would with a few lines of Python.

Runs in .oracle-env, where neither QGIS nor our code is: ``oracles.py count POINTS POLYGONS`` and ``oracles.py zonal RASTER
POLYGONS``. One line of JSON: seconds from the first read to the answer (imports left out), and the answer by code.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def count(points: str, polygons: str) -> dict[str, Any]:
    """Points inside each polygon; both files are read in whole."""
    import geopandas

    started = time.perf_counter()
    inside, areas = geopandas.read_file(points), geopandas.read_file(polygons)
    pairs = geopandas.sjoin(inside, areas, predicate="within")
    found = pairs.groupby("code").size().reindex(areas["code"], fill_value=0)
    return {"seconds": time.perf_counter() - started, "answer": {code: int(each) for code, each in found.items()}}


def zonal(raster: str, polygons: str) -> dict[str, Any]:
    """Count (cells, weighted by share) and mean of each polygon."""
    import geopandas
    from exactextract import exact_extract

    started = time.perf_counter()
    rows = exact_extract(raster, geopandas.read_file(polygons), ["count", "mean"], include_cols=["code"])
    found = {each["properties"]["code"]: each["properties"]["mean"] for each in rows}
    return {"seconds": time.perf_counter() - started, "answer": found}


if __name__ == "__main__":
    print(json.dumps({"count": count, "zonal": zonal}[sys.argv[1]](*sys.argv[2:])))
