"""Words of the style document for what labels can be set to, and their QGIS values."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from qgis.core import Qgis, QgsTextBackgroundSettings

UNITS = {
    "pt": Qgis.RenderUnit.Points,
    "mm": Qgis.RenderUnit.Millimeters,
    "px": Qgis.RenderUnit.Pixels,
    "in": Qgis.RenderUnit.Inches,
    "map_units": Qgis.RenderUnit.MapUnits,
    "m": Qgis.RenderUnit.MetersInMapUnits,
    "percent": Qgis.RenderUnit.Percentage,
}
PLACEMENTS = {
    "around": Qgis.LabelPlacement.AroundPoint,
    "over": Qgis.LabelPlacement.OverPoint,
    "beside": Qgis.LabelPlacement.OrderedPositionsAroundPoint,
    "line": Qgis.LabelPlacement.Line,
    "curved": Qgis.LabelPlacement.Curved,
    "horizontal": Qgis.LabelPlacement.Horizontal,
    "free": Qgis.LabelPlacement.Free,
    "outside": Qgis.LabelPlacement.OutsidePolygons,
    "perimeter": Qgis.LabelPlacement.PerimeterCurved,
}
PLACEMENTS_OF: Dict[str, Tuple[str, ...]] = {
    "point": ("beside", "around", "over"),
    "line": ("curved", "line", "horizontal"),
    "polygon": ("horizontal", "over", "around", "free", "line", "perimeter", "outside"),
}
"""By kind of geometry what QGIS offers; the first is what new labels get."""
POSITIONS = {
    "above_left": Qgis.LabelQuadrantPosition.AboveLeft,
    "above": Qgis.LabelQuadrantPosition.Above,
    "above_right": Qgis.LabelQuadrantPosition.AboveRight,
    "left": Qgis.LabelQuadrantPosition.Left,
    "over": Qgis.LabelQuadrantPosition.Over,
    "right": Qgis.LabelQuadrantPosition.Right,
    "below_left": Qgis.LabelQuadrantPosition.BelowLeft,
    "below": Qgis.LabelQuadrantPosition.Below,
    "below_right": Qgis.LabelQuadrantPosition.BelowRight,
}
OVERLAPS = {
    "prevent": Qgis.LabelOverlapHandling.PreventOverlap,
    "if_needed": Qgis.LabelOverlapHandling.AllowOverlapIfRequired,
    "allow": Qgis.LabelOverlapHandling.AllowOverlapAtNoCost,
}
ALIGNMENTS = {
    "left": Qgis.LabelMultiLineAlignment.Left,
    "center": Qgis.LabelMultiLineAlignment.Center,
    "right": Qgis.LabelMultiLineAlignment.Right,
    "follow": Qgis.LabelMultiLineAlignment.FollowPlacement,
    "justify": Qgis.LabelMultiLineAlignment.Justify,
}
DISTANCE_FROM = {"point": Qgis.LabelOffsetType.FromPoint, "symbol": Qgis.LabelOffsetType.FromSymbolBounds}
SHAPES = {
    "rectangle": QgsTextBackgroundSettings.ShapeType.ShapeRectangle,
    "square": QgsTextBackgroundSettings.ShapeType.ShapeSquare,
    "ellipse": QgsTextBackgroundSettings.ShapeType.ShapeEllipse,
    "circle": QgsTextBackgroundSettings.ShapeType.ShapeCircle,
}
LINE_SIDES = {
    "above": Qgis.LabelLinePlacementFlag.AboveLine,
    "on": Qgis.LabelLinePlacementFlag.OnLine,
    "below": Qgis.LabelLinePlacementFlag.BelowLine,
    "by_map": Qgis.LabelLinePlacementFlag.MapOrientation,
}
"""``by_map``: above is up on the map; without it above is the left of the line's direction."""


def word_of(words: Mapping[str, Any], value: Any) -> str:
    """The word for a QGIS value; "" for one that has none."""
    return next((word for word, each in words.items() if each == value), "")
