"""Boxes in degrees, as tools take and return them."""

from __future__ import annotations

from typing import List, Optional

from qgis.core import QgsCoordinateReferenceSystem, QgsCsException, QgsProject, QgsRectangle

from .host import WGS84, transformed


def bbox_degrees(box: QgsRectangle, crs: QgsCoordinateReferenceSystem, project: QgsProject) -> Optional[List[float]]:
    """[west, south, east, north] in degrees (EPSG:4326) around ``box`` in ``crs``; None when it has no place on earth."""
    if box.isNull() or not box.isFinite() or not crs.isValid():
        return None
    try:
        degrees = transformed(box, crs, QgsCoordinateReferenceSystem(WGS84), project)
    except QgsCsException:
        return None
    values = [degrees.xMinimum(), degrees.yMinimum(), degrees.xMaximum(), degrees.yMaximum()]
    return [round(each, 6) for each in values] if degrees.isFinite() else None
