"""A layer's look for another layer: whether it fits, how many features it leaves out, and the copying."""

from __future__ import annotations

from typing import Optional, Union

from qgis.core import (
    QgsMapLayer,
    QgsRasterLayer,
    QgsVectorLayer,
)

from ..errors import INVALID_PARAM, UNSUPPORTED, UPSTREAM_ERROR, ToolError
from ..i18n import translate
from ..layers import clean_text, layer_kind
from ..scope import hidden_fields
from ..scope_looks import hides_look, used_fields
from .cover import CoverReader, is_classed
from .history import CATEGORIES, canonical, parts_of, set_labeling, set_renderer, set_style_xml, style_xml
from .raster_document import raster_part
from .raster_fit import FitReader, bands_note, fit_of

_LABELING = QgsMapLayer.StyleCategory.Labeling
_WITHOUT_LABELS = (
    QgsMapLayer.StyleCategory.Symbology
    | QgsMapLayer.StyleCategory.Rendering
    | QgsMapLayer.StyleCategory.Diagrams
    | QgsMapLayer.StyleCategory.Legend
)
_BY_PART = {
    "all": _WITHOUT_LABELS,
    "renderer": QgsMapLayer.StyleCategory.Symbology,
    "labels": _LABELING,
}


def check_fits(layer: QgsMapLayer, target: QgsMapLayer, part: str) -> None:
    """Whether the look can be copied. INVALID_PARAM naming the fields or bands that lack, UNSUPPORTED for other kinds."""
    if isinstance(layer, QgsVectorLayer) and isinstance(target, QgsVectorLayer):
        _require_same_kind(layer, target)
        _require_fields(layer, target, part)
    elif isinstance(layer, QgsRasterLayer) and isinstance(target, QgsRasterLayer) and part != "labels":
        _require_bands(layer, target)
    elif layer_kind(layer) != layer_kind(target):
        raise _other_kind(layer, target)
    else:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The look of '{}' cannot be copied.").format(layer.name()),
            hint=translate("QgisAgent", "Use vector layers, or raster layers without part labels."),
            reason="layer_kind",
        )
    if part == "labels" and layer.labeling() is None:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layer '{}' has no labels to copy.").format(layer.name()),
            hint=translate("QgisAgent", "Label it first with set_layer_label, or use part renderer."),
            reason="no_labels",
        )


def copy_look(layer: QgsMapLayer, target: QgsMapLayer, part: str) -> None:
    """Copy the look and read it back. UPSTREAM_ERROR when QGIS did not take it over."""
    categories = _BY_PART[part]
    xml = style_xml(layer, categories)
    set_style_xml(target, xml, categories)
    if part != "labels":
        set_renderer(target, parts_of(layer))
    if part != "renderer" and isinstance(layer, QgsVectorLayer):
        set_labeling(target, parts_of(layer))
        target.setLabelsEnabled(layer.labelsEnabled())
    taken = CATEGORIES if part == "all" else categories
    if canonical(style_xml(layer, taken)) != canonical(style_xml(target, taken)):
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take the style over for '{}'; it is as before.").format(target.name()),
            hint=translate("QgisAgent", "Copy the renderer or the labels alone."),
            reason="not_verified",
        )


def cover_reader(layer: QgsMapLayer, target: QgsMapLayer, part: str) -> Optional[Union[CoverReader, FitReader]]:
    """A reader for looks with classes, or with limits of a raster; None where everything is drawn alike."""
    if isinstance(layer, QgsRasterLayer) and isinstance(target, QgsRasterLayer):
        look = raster_part(layer)
        return fit_of(look, target, clean_text(target.name(), 60), bands_note(raster_part(target), look))
    if part == "labels" or not isinstance(layer, QgsVectorLayer) or not is_classed(layer.renderer()):
        return None
    return CoverReader(layer.renderer(), target)


def _require_same_kind(layer: QgsVectorLayer, target: QgsVectorLayer) -> None:
    if layer.geometryType() != target.geometryType():
        raise _other_kind(layer, target)


def _other_kind(layer: QgsMapLayer, target: QgsMapLayer) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "'{}' is a {} layer and '{}' a {} layer; the look does not fit.").format(
            clean_text(layer.name(), 60), layer_kind(layer), clean_text(target.name(), 60), layer_kind(target)
        ),
        hint=translate("QgisAgent", "Choose layers of the same kind of geometry."),
        reason="layer_kind",
    )


def _require_fields(layer: QgsVectorLayer, target: QgsVectorLayer, part: str) -> None:
    if hides_look(layer, part) or hidden_fields(target) & used_fields(layer, part):
        raise ToolError(
            INVALID_PARAM,
            translate(
                "QgisAgent", "The look of '{}' cannot be copied: it reads what is outside the agent's scope."
            ).format(clean_text(layer.name(), 60)),
            hint=translate("QgisAgent", "Style the layer with set_render_rule by a field that describe_layer names."),
            reason="scope",
        )
    missing = sorted(each for each in used_fields(layer, part) if target.fields().lookupField(each) < 0)
    if missing:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layer '{}' lacks fields that the look reads: {}.").format(
                clean_text(target.name(), 60), ", ".join(clean_text(each, 60) for each in missing[:12])
            ),
            hint=translate(
                "QgisAgent", "Copy another part, leave this layer out, or use set_render_rule with its fields."
            ),
            reason="field",
        )


def _require_bands(layer: QgsRasterLayer, target: QgsRasterLayer) -> None:
    used = [each for each in layer.renderer().usesBands() if each > 0] if layer.renderer() is not None else []
    if used and max(used) > target.bandCount():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The look reads band {}, and '{}' has {} bands.").format(
                max(used), clean_text(target.name(), 60), target.bandCount()
            ),
            hint=translate("QgisAgent", "Use set_raster_style with a band of that layer."),
            reason="band",
        )
