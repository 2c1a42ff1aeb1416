"""Whether a layer, a field or a number of features may be edited: refused with the reason before anything is shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Sequence

from qgis.core import Qgis, QgsFieldConstraints, QgsVectorDataProvider, QgsVectorLayer

from ..conditions import require_field
from ..errors import FORBIDDEN, INVALID_PARAM, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text
from ..scope_looks import filter_text
from ..source_files import local_path
from ..sources.encodings import looks_like
from ..sources.layer_text import LayerText, encoding_of

MAX_FEATURES = 10_000
_Able = QgsVectorDataProvider.Capability
_NEEDED = {
    "set": _Able.ChangeAttributeValues,
    "delete": _Able.DeleteFeatures,
    "add": _Able.AddFeatures,
    "geometry": _Able.ChangeGeometries,
}


def require_editable(layer: QgsVectorLayer, action: str, save: bool) -> None:
    """UNSUPPORTED for a layer that cannot be edited in this way, or whose edits are not ours to save (case A53)."""
    name = clean_text(layer.name(), 60)
    path = local_path(layer)
    locked = bool(path) and not os.access(path, os.W_OK)
    if layer.readOnly() or locked or not layer.dataProvider().capabilities() & _NEEDED[action]:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' cannot be edited: it or its format is read-only.").format(name),
            hint=translate(
                "QgisAgent", "Export it to a GeoPackage (prepare_export_layer), add that, and edit the copy."
            ),
            reason="read_only",
        )
    if save and layer.isModified():
        raise ToolError(
            UNSUPPORTED,
            translate(
                "QgisAgent", "The layer '{}' has unsaved edits of a person, which are not saved for them."
            ).format(name),
            hint=translate("QgisAgent", "Ask the person to save or discard their edits, or leave save out."),
            reason="unsaved_edits",
        )


def require_place(layer: QgsVectorLayer, roots: Sequence[Path], alone: bool) -> None:
    """FORBIDDEN for a save to data outside the folders that may be written, where no person is asked (``alone``).

    A person sees which file is meant and clicks; the yes of the command line, of a replay and of an evaluation is for their
    folders only.
    """
    path = local_path(layer)
    real = Path(os.path.realpath(path)) if path else None
    inside = real is not None and any(root == real or root in real.parents for root in roots)
    if not alone or layer.providerType() == "memory" or inside:
        return
    raise ToolError(
        FORBIDDEN,
        translate("QgisAgent", "The data of '{}' is outside the folders that may be written.").format(
            clean_text(layer.name(), 60)
        ),
        hint=translate("QgisAgent", "Run again with --allow-write for its folder, or leave save out."),
        reason="path_outside",
    )


def require_encoding(layer: QgsVectorLayer, text: LayerText) -> None:
    """UNSUPPORTED where text is read, and so would be written, in another encoding than that of the file's own bytes: one
    file would then hold two encodings, and no program could read it whole."""
    meant = looks_like(encoding_of(layer), text.guess)
    if meant:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The text of '{}' is read as {}, but its bytes look like {}.").format(
                clean_text(layer.name(), 60), encoding_of(layer), meant
            ),
            hint=translate("QgisAgent", "Use set_layer_encoding with {} first; then edit.").format(meant),
            reason="encoding",
        )


def require_own_field(layer: QgsVectorLayer, name: str) -> int:
    """The position of a field that the layer's own data has, and that is no key (case A56)."""
    require_field(layer, name)
    index = int(layer.fields().indexOf(name))
    origin = Qgis.FieldOrigin(layer.fields().fieldOrigin(index))
    if origin in (Qgis.FieldOrigin.Expression, Qgis.FieldOrigin.Join):
        virtual = origin == Qgis.FieldOrigin.Expression
        what = translate("QgisAgent", "a virtual field") if virtual else translate("QgisAgent", "a joined field")
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is {}: it has no values of its own to change.").format(name, what),
            hint=translate("QgisAgent", "Edit the fields that it is made of, or make a new one with calculate_field."),
            reason="field_origin",
        )
    if index in layer.primaryKeyAttributes():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is the key of the layer, which names its features.").format(name),
            hint=translate("QgisAgent", "Leave it out; new features get a key by themselves."),
            reason="key_field",
        )
    return index


def require_stays_in_filter(layer: QgsVectorLayer, names: Sequence[str], action: str) -> None:
    """INVALID_PARAM when features could vanish behind the layer's filter by the edit."""
    text = layer.subsetString().casefold()
    named = [each for each in names if each.casefold() in text]
    if text and (action == "add" or named):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layer is filtered ({}): edited features could vanish from it.").format(
                filter_text(layer, 120)
            ),
            hint=translate("QgisAgent", "Ask the person to lift the filter first; choose features by where instead."),
            reason="filter",
        )


def has_constraint(layer: QgsVectorLayer, index: int, kind: QgsFieldConstraints.Constraint) -> bool:
    """Whether a field must be filled (ConstraintNotNull), or each of its values stand once (ConstraintUnique)."""
    return bool(layer.fieldConstraints(index) & kind)


def too_many(count: int) -> ToolError:
    """More features than one edit changes."""
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "This would change {} features or more; at most {} are changed at once.").format(
            count, MAX_FEATURES
        ),
        hint=translate("QgisAgent", "Narrow it with where, or make a new layer with calculate_field."),
        reason="too_many_features",
    )
