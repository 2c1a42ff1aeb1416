"""Stands in for QGIS's own package ``qgis`` where the plugin's widgets are shown on PyQt6 without a QGIS."""
