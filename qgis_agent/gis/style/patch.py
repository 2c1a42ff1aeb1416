"""Changes a layer's look by a merge patch of its style document: checked whole, applied, read back, or nothing at all."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import QgsFeatureRenderer, QgsMapLayer, QgsRasterLayer, QgsVectorLayer

from ..errors import UNSUPPORTED, UPSTREAM_ERROR, ToolError
from ..i18n import translate
from ..layers import clean_text
from ..scope_looks import hides_look
from . import titles
from .cover import is_classed, selects
from .document import BLEND, full_document
from .history import history_of, restore, set_legend_title, snapshot
from .labels import check_labels, patch_labels
from .merge import Document, at, differences, in_order, invalid, leaves, merged, number, one_of, only, same, text
from .raster_document import check_raster, patch_raster
from .renderer_patch import renderer_from
from .rule_patch import scale_range
from .symbol_patch import GLANCE

KEYS = ("renderer", "labels", "opacity", "blend", "feature_blend", "scale_range", "legend")
Step = Callable[[], None]
_DERIVED = ("order", "palette", "reverse", "others", "classification", "unsupported", "font", "font_found")
"""Keys that are read back in another form than they were given in."""


class Patched(NamedTuple):
    """What came of a patch: how to take it back ("" when nothing changed), what changed, what is to be said of it, and the
    document as it is now (with the renderer where the patch was about it)."""

    rule_id: str
    changed: List[Dict[str, Any]]
    notes: List[str]
    document: Document


def patched_renderer(host: Any, layer: QgsMapLayer, patch: Any) -> Optional[QgsFeatureRenderer]:
    """The renderer that the patch gives to a vector layer; None where it gives none, or the features are drawn as before
    in other colours. Errors are those of ``apply_patch``; nothing is changed."""
    _require_parts(patch)
    _require_seen(layer, patch)
    if not isinstance(layer, QgsVectorLayer) or not isinstance(patch.get("renderer"), dict):
        return None
    before = full_document(host, layer)
    wanted = merged({"renderer": before["renderer"]}, {"renderer": patch["renderer"]})
    made = renderer_from(layer, layer.renderer(), before["renderer"], wanted["renderer"], "renderer")
    return made if is_classed(made) and selects(made) != selects(layer.renderer()) else None


def apply_patch(host: Any, layer: QgsMapLayer, patch: Any) -> Patched:
    """Apply a merge patch to the look of a layer. Everything is as before when anything of it is not accepted.

    INVALID_PARAM or NOT_FOUND names the place; UPSTREAM_ERROR when QGIS does not have it after all.
    """
    _require_parts(patch)
    _require_seen(layer, patch)
    with_renderer = "renderer" in patch
    before = full_document(host, layer, with_renderer)
    wanted = merged({key: before[key] for key in KEYS if key in before}, patch)
    steps = _steps(host, layer, before, wanted, patch)
    record = snapshot(host, layer)
    notes: List[str] = []
    try:
        shown = titles.subject(layer.renderer()) if with_renderer else ()
        for step in steps:
            step()
        if with_renderer and "title" not in (patch.get("legend") or {}):
            notes.extend(_settle_title(host, layer, shown))
        now = full_document(host, layer, with_renderer)
        _verify(patch, before, wanted, now, isinstance(layer, QgsRasterLayer))
    except Exception:  # whatever it was: the look is as it was, then the error goes on
        restore(host, record)
        raise
    changed = [
        {"path": path, "before": _told(old), "after": _told(new)}
        for path, old, new in differences(before, now)
        if not path.startswith("unsupported")
    ]
    if not changed:
        return Patched("", [], [], now)
    host.repaint(layer)
    return Patched(history_of(host).remember(record), changed, notes, now)


def _require_parts(patch: Any) -> None:
    only(patch, KEYS, "patch")
    if not patch:
        raise invalid(
            "patch", translate("QgisAgent", "is empty"), translate("QgisAgent", 'For example {"opacity": 0.5}.')
        )


def _require_seen(layer: QgsMapLayer, patch: Any) -> None:
    """INVALID_PARAM for a change to a part of a renderer that reads an excluded field: only a whole new one may follow it."""
    wanted = patch.get("renderer")
    if not isinstance(wanted, dict) or not hides_look(layer, "renderer"):
        return
    kind = wanted.get("type")
    if not kind or (kind in ("categorized", "graduated") and not wanted.get("field")):
        raise invalid(
            "renderer",
            translate(
                "QgisAgent", "the layer is drawn by a field outside the agent's scope, so no part of it is known"
            ),
            translate("QgisAgent", "Give a whole renderer with its type and a field that describe_layer names."),
        )


def _settle_title(host: Any, layer: QgsMapLayer, shown: titles.Subject) -> List[str]:
    """A legend title of what the layer ``shown`` before goes, where a tool has set it."""
    now = titles.subject(layer.renderer())
    title = titles.title_after(host, layer, now, was=shown)
    titles.put_title(host, layer, title)
    return [title.note] if title.note else []


def _steps(host: Any, layer: QgsMapLayer, before: Document, wanted: Document, patch: Document) -> List[Step]:
    """The checks of all parts; what they return changes the layer. Nothing is changed here."""
    steps: List[Step] = []
    if "renderer" in patch:
        steps.append(_renderer_step(layer, before, wanted, patch["renderer"]))
    if "labels" in patch:
        steps.append(_labels_step(layer, patch["labels"]))
    if "opacity" in patch:
        opacity = number(wanted.get("opacity", 1.0), "opacity", 0, 1)
        steps.append(lambda: layer.setOpacity(opacity))
    if "blend" in patch:
        mode = BLEND[one_of(wanted.get("blend", "normal"), tuple(BLEND), "blend")]
        steps.append(lambda: layer.setBlendMode(mode))
    if "feature_blend" in patch:
        _require_vector(layer, "feature_blend")
        inner = BLEND[one_of(wanted.get("feature_blend", "normal"), tuple(BLEND), "feature_blend")]
        steps.append(lambda: layer.setFeatureBlendMode(inner))
    if "scale_range" in patch:
        low, high = scale_range(wanted.get("scale_range"), "scale_range")
        steps.append(lambda: _set_scales(layer, low, high))
    if "legend" in patch:
        steps.append(_legend_step(host, layer, before, wanted.get("legend", {})))
    return steps


def _renderer_step(layer: QgsMapLayer, before: Document, wanted: Document, patch: Any) -> Step:
    if patch is None or not isinstance(patch, dict):
        raise invalid(
            "renderer",
            translate("QgisAgent", "must be an object"),
            translate("QgisAgent", 'To draw nothing give {"type": "none"}.'),
        )
    if isinstance(layer, QgsRasterLayer):
        return _raster_step(layer, patch)
    _require_vector(layer, "renderer")
    made = renderer_from(layer, layer.renderer(), before["renderer"], wanted["renderer"], "renderer")
    return lambda: layer.setRenderer(made)


def _raster_step(layer: QgsRasterLayer, patch: Document) -> Step:
    classes = patch.get("classes")
    for path, each in [("", classes), *(classes.items() if isinstance(classes, dict) else ())]:
        if each is not None and not isinstance(each, dict):
            raise invalid(("renderer.classes." + path).rstrip("."), translate("QgisAgent", "must be an object"))
    check_raster(layer, patch)
    return lambda: patch_raster(layer, patch)


def _labels_step(layer: QgsMapLayer, patch: Any) -> Step:
    _require_vector(layer, "labels")
    check_labels(layer, patch)
    return lambda: patch_labels(layer, patch)


def _legend_step(host: Any, layer: QgsMapLayer, before: Document, wanted: Any) -> Step:
    if isinstance(wanted, dict) and "items" in wanted:
        raise invalid(
            "legend.items",
            translate("QgisAgent", "follows the classes"),
            translate("QgisAgent", "Change renderer.classes.<id>.label."),
        )
    only(wanted, ("title",), "legend")
    title: Optional[str] = wanted.get("title")
    if title is not None and title != before["legend"]["title"]:
        title = clean_text(text(title, "legend.title", 80), 80)
    return lambda: set_legend_title(host, layer, title)


def _set_scales(layer: QgsMapLayer, low: float, high: float) -> None:
    layer.setScaleBasedVisibility(bool(low or high))
    layer.setMinimumScale(low)
    layer.setMaximumScale(high)


def _require_vector(layer: QgsMapLayer, part: str) -> None:
    if not isinstance(layer, QgsVectorLayer):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "{} belongs to vector layers.").format(part),
            hint=translate("QgisAgent", "Of this layer, opacity, blend, scale_range and legend can be patched."),
            reason="layer_kind",
        )


def _verify(patch: Document, before: Document, wanted: Document, now: Document, by_position: bool) -> None:
    """Each value that the patch changes is in the document that is read back.

    The classes of a raster have their ids by position, which a patch may move: they are compared in their order.
    """
    skipped = ("renderer", "classes") if by_position else ()
    if by_position and "renderer" in patch:
        _verify_positions(wanted["renderer"].get("classes"), now["renderer"].get("classes"))
    for path, value in leaves(patch):
        if value is None or same(at(before, path), value) or any(key in _DERIVED for key in path):
            continue
        if path[:2] == skipped or _glance_of_layers(patch, path):
            continue
        found = at(now, path)
        if not _taken(value, found):
            raise _not_taken(".".join(path), found)


def _verify_positions(wanted: Any, now: Any) -> None:
    if not isinstance(wanted, dict):
        return
    given = [wanted[ident].get("color") for ident in in_order(wanted)]
    found = [each.get("color") for each in (now or {}).values()]
    if len(given) != len(found) or not all(one is None or _taken(one, other) for one, other in zip(given, found)):
        raise _not_taken("renderer.classes", found)


def _not_taken(path: str, found: Any) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "QGIS did not take {} over; the earlier style is kept.").format(path),
        hint=translate("QgisAgent", "Leave it out; read back: {}.").format(clean_text(repr(found), 120)),
        reason="not_verified",
    )


def _glance_of_layers(patch: Document, path: Tuple[str, ...]) -> bool:
    """Whether this is a colour or size of a symbol whose layers the patch gives too: where they differ, layers are right."""
    beside = at(patch, path[:-1])
    return path[-1] in GLANCE and ("layers" in beside or "layers" in (beside.get("symbol") or {}))


def _taken(value: Any, found: Any) -> bool:
    """Whether a value was taken over, in whatever form the document says it."""
    if isinstance(value, bool) and not isinstance(found, bool):
        return bool(found == int(value)) or (found is None)  # a default is not told
    if isinstance(value, str) and isinstance(found, dict):
        return "type" in found or found.get("field") == value  # a palette as a ramp, a field as a data-defined value
    if isinstance(value, str) and isinstance(found, str):
        return clean_text(value, 500).casefold() == clean_text(found, 500).casefold()
    if isinstance(value, (int, float)) and isinstance(found, (int, float)):
        return abs(value - found) <= 1e-3 * max(1.0, abs(value))
    return found is None or same(value, found)


def _told(value: Any) -> Any:
    """A value of the list of changes: objects that are long are named, not shown."""
    if isinstance(value, (dict, list)) and len(repr(value)) > 160:
        return "…"
    return value
