"""The style document: a layer's look as one JSON document (design section 6). ``patch.py`` writes what this reads."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import QgsMapLayer, QgsRasterLayer, QgsVectorLayer
from qgis.PyQt.QtGui import QPainter

from ..layers import clean_text
from ..scope_looks import hides_look, outside
from .history import LEGEND_TITLE
from .labels import read_labels
from .merge import Document
from .raster_document import raster_part
from .renderer_document import VECTOR_TYPES, read_renderer

_MODE = QPainter.CompositionMode
BLEND = {
    "normal": _MODE.CompositionMode_SourceOver,
    "multiply": _MODE.CompositionMode_Multiply,
    "screen": _MODE.CompositionMode_Screen,
    "overlay": _MODE.CompositionMode_Overlay,
    "darken": _MODE.CompositionMode_Darken,
    "lighten": _MODE.CompositionMode_Lighten,
    "addition": _MODE.CompositionMode_Plus,
    "dodge": _MODE.CompositionMode_ColorDodge,
    "burn": _MODE.CompositionMode_ColorBurn,
    "hard_light": _MODE.CompositionMode_HardLight,
    "soft_light": _MODE.CompositionMode_SoftLight,
    "difference": _MODE.CompositionMode_Difference,
    "subtract": _MODE.CompositionMode_Exclusion,
}
TEXT_LENGTH = 160


def full_document(host: Any, layer: QgsMapLayer, renderer: bool = True) -> Document:
    """The whole document, of any size, or all of it but the renderer, which takes the longest.

    ``unsupported`` lists what it does not express: a patch leaves that as it is.
    Given to ``patch_style`` without ``unsupported``, it gives the same look to a layer with the same data.
    """
    unsupported: List[str] = []

    def note(path: str, what: str) -> None:
        unsupported.append("{}: {}".format(path, clean_text(what, TEXT_LENGTH)))

    document: Document = {"renderer": _renderer(layer, note)} if renderer else {}
    if isinstance(layer, QgsVectorLayer):
        document["labels"] = _lifted(read_labels(layer), "labels", note)
        if layer.diagramRenderer() is not None:
            note("diagrams", "diagrams of {}".format(layer.diagramRenderer().rendererName()))
    document.update(_rendering(layer, note))
    document["legend"] = {"title": legend_title(host, layer)}
    document["unsupported"] = unsupported
    return document


def _renderer(layer: QgsMapLayer, note: Any) -> Document:
    if hides_look(layer, "renderer"):
        note("renderer", outside())
        return {"type": VECTOR_TYPES.get(layer.renderer().type(), "other")}
    if isinstance(layer, QgsVectorLayer):
        return read_renderer(layer, layer.renderer(), "renderer", note)
    if not isinstance(layer, QgsRasterLayer):
        note("renderer", "no vector or raster layer")
        return {"type": "none"}
    return _lifted(raster_part(layer), "renderer", note)


def _lifted(said: Any, path: str, note: Any) -> Any:
    """A part without the lists ``unsupported`` in it, which go to the document's own."""
    if not isinstance(said, dict):
        return said
    for what in said.get("unsupported") or []:
        note(path, str(what))
    return {key: _lifted(each, "{}.{}".format(path, key), note) for key, each in said.items() if key != "unsupported"}


def _rendering(layer: QgsMapLayer, note: Any) -> Dict[str, Any]:
    scales: Optional[Dict[str, float]] = None
    if layer.hasScaleBasedVisibility():
        scales = {"min": layer.minimumScale(), "max": layer.maximumScale()}
    said: Dict[str, Any] = {"opacity": round(layer.opacity(), 4), "blend": blend_name(layer.blendMode())}
    if said["blend"] == "other":
        note("blend", "blend mode {}".format(int(layer.blendMode())))
    if isinstance(layer, QgsVectorLayer) and blend_name(layer.featureBlendMode()) != "normal":
        said["feature_blend"] = blend_name(layer.featureBlendMode())
    said["scale_range"] = scales
    return said


def blend_name(mode: Any) -> str:
    """The name of a blend mode, "other" for one that maps do not use."""
    return next((name for name, each in BLEND.items() if each == mode), "other")


def legend_title(host: Any, layer: QgsMapLayer) -> Optional[str]:
    """The title that legends show above the layer's entries; None for none."""
    node = host.project.layerTreeRoot().findLayer(layer.id())
    title = node.customProperty(LEGEND_TITLE) if node is not None else None
    return clean_text(title, 80) if isinstance(title, str) and title else None
