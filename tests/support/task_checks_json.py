"""Checks of the two tasks whose answer is a JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from task_data import Unreadable, read_json

_EDGES = (("xmin", "minx", "west", "left"), ("ymin", "miny", "south", "bottom"))
_EDGES += (("xmax", "maxx", "east", "right"), ("ymax", "maxy", "north", "top"))


def box_of(raw: Any) -> list[float] | None:
    """Four numbers of a list, or of an object whose keys name the edges."""
    if isinstance(raw, dict):
        low = {str(key).lower(): value for key, value in raw.items()}
        raw = [next((low[each] for each in names if each in low), None) for names in _EDGES]
    if not isinstance(raw, list) or len(raw) != 4 or not all(_number(each) for each in raw):
        return None
    return [float(each) for each in raw]


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def parks(task: dict[str, Any], root: Path, output: Path) -> dict[str, bool]:
    """dd-l1-london-parks-count."""
    found = read_json(output)
    if not isinstance(found, dict) or not {"count", "total_area_ha", "bbox_wgs84"} <= set(found):
        raise Unreadable(f"{output.name}: no object with count, total_area_ha, bbox_wgs84")
    right = read_json(root / "expected" / output.name)
    near = task["tolerances"]
    box, area = box_of(found["bbox_wgs84"]), found["total_area_ha"]
    passed = {
        "count_correct": found["count"] == right["count"],
        "total_area_ha_correct": _number(area)
        and abs(area - right["total_area_ha"]) <= near["area_pct"] * right["total_area_ha"],
        "bbox_in_wgs84_range": box is not None
        and all(-180 <= each <= 180 for each in box[::2])
        and all(-90 <= each <= 90 for each in box[1::2]),
    }
    for at, (name, *_) in enumerate(_EDGES):
        wanted = right["bbox_wgs84"][at]
        passed[f"bbox_{name}_correct"] = box is not None and abs(box[at] - wanted) <= near["bbox_eps_deg"]
    return passed


def manifest(task: dict[str, Any], root: Path, output: Path) -> dict[str, bool]:
    """dd-l1-vienna-gpkg-manifest."""
    found = read_json(output)
    keys = {"layer_name", "crs", "geometry_type", "feature_count", "bbox"}
    if (
        not isinstance(found, list)
        or not found
        or not all(isinstance(each, dict) and keys <= set(each) for each in found)
    ):
        raise Unreadable(f"{output.name}: no list of objects with {sorted(keys)}")
    by_name = {each["layer_name"]: each for each in found}
    right = {each["layer_name"]: each for each in read_json(root / "expected" / output.name)}
    passed = {"layers_complete": set(by_name) == set(right)}
    for name, wanted in right.items():
        record = by_name.get(name, {})
        box = box_of(record.get("bbox"))
        passed[f"{name}_crs_correct"] = _same_text(record.get("crs"), wanted["crs"])
        passed[f"{name}_geom_type_correct"] = _same_text(record.get("geometry_type"), wanted["geometry_type"])
        passed[f"{name}_count_correct"] = record.get("feature_count") == wanted["feature_count"]
        passed[f"{name}_bbox_correct"] = box is not None and all(
            abs(one - other) <= task["tolerances"]["bbox_eps_m"] for one, other in zip(box, wanted["bbox"])
        )
    return passed


def _same_text(one: Any, other: str) -> bool:
    return isinstance(one, str) and one.lower() == other.lower()


CHECKS = {"dd-l1-london-parks-count": parks, "dd-l1-vienna-gpkg-manifest": manifest}
"""Task id: function of task.json, the task's folder and the written file, that gives {check: passed}."""
