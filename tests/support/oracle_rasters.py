"""What the oracle knows about rasters: rasterio reads the files, exactextract and numpy calculate. Cells without a value are
NaN. Zones and points come as ``oracle_client.given`` tells them."""

from __future__ import annotations

from typing import Any

import numpy as np
import rasterio
import shapely
from exactextract import exact_extract
from exactextract.raster import NumPyRasterSource
from oracle_vectors import Layer, frame


def read(path: str, band: int = 1) -> tuple[np.ndarray, Any]:
    """A band as float64 with NaN for nodata, and the open file's description."""
    with rasterio.open(path) as source:
        cells = source.read(band).astype(np.float64)
        nodata = source.nodatavals[band - 1]
        if nodata is not None:
            cells[cells == nodata] = np.nan
        return cells, source


def cells(path: str, band: int = 1) -> dict[str, Any]:
    """A band, and where it lies: left, top, width and height of a cell."""
    values, source = read(path, band)
    place = source.transform
    return {"cells": values, "left": place.c, "top": place.f, "cell": [place.a, -place.e]}


def centres(source: Any) -> tuple[np.ndarray, np.ndarray]:
    """x and y of the cells' middles."""
    place = source.transform
    columns = place.c + (np.arange(source.width) + 0.5) * place.a
    rows = place.f + (np.arange(source.height) + 0.5) * place.e
    return np.meshgrid(columns, rows)


def zonal(path: str, zones: Layer, band: int, rule: str) -> list[dict[str, Any]]:
    """exactextract's statistics of each zone: by ``share`` of the cells' area inside, or of the cells whose ``centre`` is."""
    values, source = read(path, band)
    with rasterio.open(path) as opened:
        left, bottom, right, top = opened.bounds
        crs = opened.crs
    raster = NumPyRasterSource(values, left, bottom, right, top, nodata=np.nan)
    table = frame(zones).to_crs(crs.to_wkt())
    operations = ["count", "sum", "mean", "min", "max", "median", "stdev", "variety", "cell_id", "values"]
    found = exact_extract(raster, table[["geometry"]], operations)
    x, y = centres(source)
    answer = []
    for shape, each in zip(table.geometry, found):
        told = each["properties"]
        if rule == "share":
            answer.append({name: told[name] for name in ("count", "sum", "mean", "min", "max")})
            continue
        ids = np.asarray(told["cell_id"], dtype=int)
        inside = shapely.contains_xy(shape, x.ravel()[ids], y.ravel()[ids]) if len(ids) else np.zeros(0, dtype=bool)
        chosen = np.asarray(told["values"], dtype=float)[inside]
        chosen = chosen[np.isfinite(chosen)]
        row: dict[str, Any] = {"count": len(chosen)}
        if len(chosen):
            row |= {
                "sum": chosen.sum(),
                "mean": chosen.mean(),
                "min": chosen.min(),
                "max": chosen.max(),
                "median": np.median(chosen),
                "std": chosen.std(),
                "variety": len(np.unique(chosen)),
            }
        answer.append({name: float(value) for name, value in row.items()})
    return answer


def normalised(path: str, one: int, two: int) -> np.ndarray:
    """(one - two) / (one + two) of two bands; no value where the sum is 0."""
    first, second = read(path, one)[0], read(path, two)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        index = (first - second) / (first + second)
    index[~np.isfinite(index)] = np.nan
    return index


def slope(path: str, z_factor: float = 1.0) -> np.ndarray:
    """Horn's slope in degrees of a raster in metres; the rim, which has no eight neighbours, is NaN."""
    z, source = read(path)
    z = z * z_factor
    width, height = source.transform.a, -source.transform.e
    n, m, s = z[:-2], z[1:-1], z[2:]
    east = (n[:, 2:] + 2 * m[:, 2:] + s[:, 2:]) - (n[:, :-2] + 2 * m[:, :-2] + s[:, :-2])
    south = (s[:, :-2] + 2 * s[:, 1:-1] + s[:, 2:]) - (n[:, :-2] + 2 * n[:, 1:-1] + n[:, 2:])
    answer = np.full(z.shape, np.nan)
    answer[1:-1, 1:-1] = np.degrees(np.arctan(np.hypot(east / (8 * width), south / (8 * height))))
    return answer


def classes(path: str, table: list[list[Any]], band: int = 1) -> dict[str, Any]:
    """Cells by [min, max) and their number."""
    values, _ = read(path, band)
    answer = np.full(values.shape, np.nan)
    for low, high, value in table:
        at_least = True if low is None else values >= low
        below = True if high is None else values < high
        answer[np.isfinite(values) & at_least & below] = value
    found, numbers = np.unique(answer[np.isfinite(answer)], return_counts=True)
    return {"cells": answer, "counts": dict(zip(map(str, map(int, found)), map(int, numbers)))}


def clipped(path: str, mask: Layer, band: int = 1) -> np.ndarray:
    """The band with NaN in all cells whose centre is outside the mask."""
    values, source = read(path, band)
    shape = shapely.union_all(frame(mask).to_crs(source.crs.to_wkt()).geometry)
    values[~shapely.contains_xy(shape, *centres(source))] = np.nan
    return values


def quartic(path: str, points: Layer, radius: float, field: str) -> np.ndarray:
    """The sum of (1 - d²/r²)² times a field's value, at the cells of a file."""
    _, source = read(path)
    x, y = centres(source)
    heat = np.zeros(x.shape)
    table = frame(points).to_crs(source.crs.to_wkt())
    for shape, weight in zip(table.geometry, table[field]):
        share = np.hypot(x - shape.x, y - shape.y) / radius
        heat += np.where(share < 1, weight * (1 - share**2) ** 2, 0)
    return heat


def inverse_distance(path: str, points: Layer, field: str, power: float) -> np.ndarray:
    """The mean of a field's values weighted by 1 / d^power, at the cells of a file."""
    _, source = read(path)
    x, y = centres(source)
    table = frame(points).to_crs(source.crs.to_wkt()).dropna(subset=[field])
    weights = [1 / np.hypot(x - each.x, y - each.y) ** power for each in table.geometry]
    return sum(w * v for w, v in zip(weights, table[field])) / sum(weights)


QUESTIONS = (cells, zonal, normalised, slope, classes, clipped, quartic, inverse_distance)
