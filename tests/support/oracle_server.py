"""The oracle: answers questions about vectors and rasters with geopandas, shapely, pyproj, numpy, exactextract and rasterio.

Runs in .oracle-env, where neither QGIS nor our code is. One JSON object a line on standard input: ``{"ask": name, "given":
{…}}``; one a line on standard output: ``{"answer": …}`` or ``{"error": …}``. Ends with its input."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

import oracle_rasters
import oracle_vectors

QUESTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (*oracle_vectors.QUESTIONS, *oracle_rasters.QUESTIONS)
}


def plain(value: Any) -> Any:
    """numpy's numbers and arrays as JSON has them; JSON's NaN is read again as one by Python."""
    return value.tolist()


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            told = {"answer": QUESTIONS[asked["ask"]](**asked["given"])}
            text = json.dumps(told, default=plain)
        except Exception:  # noqa: BLE001  whatever it is, the test that asked is told
            text = json.dumps({"error": traceback.format_exc()})
        print(text, flush=True)


if __name__ == "__main__":
    main()
