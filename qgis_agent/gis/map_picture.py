"""What a picture of the map is drawn by: the layers, place and look of the map as it is shown, at any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qgis.core import QgsExpressionContext, QgsExpressionContextUtils, QgsMapSettings
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

if TYPE_CHECKING:
    from .host import Host


def picture_settings(host: Host, width: int, height: int) -> QgsMapSettings:
    """Settings to draw the map of a host, ``width`` by ``height`` pixels; layers that the person excluded are not on it."""
    settings = QgsMapSettings()
    settings.setLayers(host.layers.visible_layers())
    settings.setDestinationCrs(host.map_crs())
    settings.setExtent(host.extent())
    settings.setRotation(host.view.rotation())
    settings.setOutputSize(QSize(width, height))
    settings.setBackgroundColor(QColor(host.project.backgroundColor()))
    settings.setTransformContext(host.project.transformContext())
    settings.setEllipsoid(host.project.ellipsoid())
    settings.setFlag(QgsMapSettings.Flag.Antialiasing, True)
    context = QgsExpressionContext()  # expressions of a style measure by the project's ellipsoid and units
    context.appendScopes(
        [
            QgsExpressionContextUtils.globalScope(),
            QgsExpressionContextUtils.projectScope(host.project),
            QgsExpressionContextUtils.mapSettingsScope(settings),
        ]
    )
    settings.setExpressionContext(context)
    return settings
