"""The ``renderer`` part of a raster layer's style document: read, checked, patched.

A patch is a merge patch (``merge.py``) of that part: {"type", …} with ``classes`` by id ("c1", "c2" … in the order of
``read_raster``). Opacity, blend mode, scale range and legend are parts of their own, the same for all kinds of layers: a new
renderer keeps the opacity that the layer has. Class limits of ``pseudocolor`` are ``upper``: the upper limit of a class with
interpolation ``discrete`` (the last one may have none), else the value that has exactly this colour.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from qgis.core import QgsRasterLayer, QgsRasterRenderer

from ..errors import UNSUPPORTED, ToolError
from ..i18n import translate
from .merge import Document, merged, only
from .raster_pipe import COMMON, check_common, read_common, set_common, set_pipe
from .raster_renderers import Entries, make_renderer, read_renderer, recolored

PATH = "renderer"


def read_raster(layer: QgsRasterLayer) -> Tuple[Document, Entries]:
    """The renderer without its classes, and the classes in order. ``unsupported`` names what the document cannot hold."""
    renderer = layer.renderer()
    if renderer is None:
        return {"type": "none"}, []
    head, entries = read_renderer(renderer)
    return {**head, **read_common(layer, renderer)}, entries


def raster_part(layer: QgsRasterLayer) -> Document:
    """The whole part, with its classes by id."""
    head, entries = read_raster(layer)
    if not entries:
        return head
    return dict(
        head, classes={"c{}".format(number): dict(each, order=number - 1) for number, each in enumerate(entries, 1)}
    )


def check_raster(layer: QgsRasterLayer, patch: Any) -> None:
    """INVALID_PARAM, with the place and a hint, when the patch cannot be applied; nothing is changed."""
    _prepared(layer, patch)


def prepared(layer: QgsRasterLayer, patch: Any) -> Document:
    """The whole part as a patch would leave it. Errors as of ``check_raster``."""
    return _prepared(layer, patch)[0]


def patch_raster(layer: QgsRasterLayer, patch: Any) -> None:
    """Apply a patch. It is checked whole before anything changes; the layer is not drawn again here."""
    _put(layer, *_prepared(layer, patch))


def put_raster(layer: QgsRasterLayer, part: Document) -> None:
    """A whole part in place of the present renderer; colour adjustments, resampling and transparency stay."""
    _put(layer, *_prepared(layer, part, whole=True))


def _put(layer: QgsRasterLayer, document: Document, renderer: QgsRasterRenderer) -> None:
    renderer.setOpacity(layer.renderer().opacity())
    layer.setRenderer(renderer)
    set_pipe(layer, document, PATH)


def _prepared(layer: QgsRasterLayer, patch: Any, whole: bool = False) -> Tuple[Document, QgsRasterRenderer]:
    """The patched document, and the renderer made of it; a copy of the present one where its kind is unknown here."""
    if not isinstance(patch, dict):
        only(patch, (), PATH)
    if layer.renderer() is None:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' draws nothing, so its style cannot be changed.").format(
                layer.name()
            ),
            hint=translate("QgisAgent", "Repair its data source in QGIS (the file may have been moved)."),
            reason="no_renderer",
        )
    present = _without_defaults(raster_part(layer))
    document = merged({} if whole else present, {key: value for key, value in patch.items() if key != "unsupported"})
    if whole or document.get("type") != present["type"]:  # how the layer is drawn goes with every renderer
        for key in ("adjust", "resampling", "nodata_color", "alpha_band", "transparent"):
            if key not in patch and key in present:
                document[key] = present[key]
    document.pop("unsupported", None)
    if _recolors(patch):
        document = recolored(document, PATH)
    check_common(document, layer.bandCount(), PATH)
    if document.get("type") == "other":
        only(document, ("type", "name", *COMMON), PATH)
        renderer = layer.renderer().clone()
    else:
        renderer = make_renderer(layer, document, PATH)
    set_common(renderer, document, PATH)
    return document, renderer


def _without_defaults(part: Document) -> Document:
    """The part without nulls, and without the stretch "none", so that limits alone turn a stretch on."""
    present: Document = merged({}, part)
    stretch = present.get("stretch", {})
    for each in [stretch, *(each for each in stretch.values() if isinstance(each, dict))]:
        if each.get("algorithm") == "none":
            del each["algorithm"]
    return present


def _recolors(patch: Dict[str, Any]) -> bool:
    """Whether the patch gives a palette, and no colours of its own for the classes."""
    classes = patch.get("classes")
    entries: List[Any] = list(classes.values()) if isinstance(classes, dict) else []
    own = any(isinstance(each, dict) and "color" in each for each in entries)
    return not own and (patch.get("palette") is not None or patch.get("reverse") is not None)
