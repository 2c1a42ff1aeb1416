"""Boxes in degrees, as tools take and return them, and boxes in other CRSs."""

from __future__ import annotations

from typing import List, Optional

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsProject,
    QgsRectangle,
)

WGS84 = "EPSG:4326"


def transformed(
    rectangle: QgsRectangle,
    source: QgsCoordinateReferenceSystem,
    target: QgsCoordinateReferenceSystem,
    project: QgsProject,
) -> QgsRectangle:
    """The box around ``rectangle`` in another CRS. QgsCsException when it has no place there."""
    if source == target or not source.isValid() or not target.isValid():
        return QgsRectangle(rectangle)
    transform = QgsCoordinateTransform(source, target, project.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    return transform.transformBoundingBox(rectangle)


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
