"""What is looked at before an analysis. The parts:

- ``survey.py``: ``Surveyor(layer, where).read``, one look at every feature
- ``remarks.py``: ``remarks(layer, survey)``, what a person should know of it; ``unit_remarks`` for planar work
- ``pair.py``: two layers together (CRS, datum, extents)
- ``units.py``: the plane in which metres are metres; ``scale.py``: metres of a unit at a place
- here: what must be so, else an error with a way out
"""

from __future__ import annotations

from typing import List

from qgis.core import QgsVectorLayer

from ...conditions import require_field
from ...errors import (
    INVALID_PARAM,
    NOT_FOUND,
    UNSUPPORTED,
    ToolError,
)
from ...i18n import translate
from ...layers import (
    clean_text,
    field_type,
    layer_kind,
)
from ...scope import seen_fields
from .remarks import (
    flattened,
    plain_remarks,
    remarks,
    unit_remarks,
)
from .survey import (
    Fault,
    Survey,
    Surveyor,
    ground_measure,
)

__all__ = [
    "Fault",
    "Survey",
    "Surveyor",
    "flattened",
    "ground_measure",
    "no_features",
    "plain_remarks",
    "remarks",
    "require_crs",
    "require_features",
    "require_kind",
    "require_number_field",
    "require_places",
    "unit_remarks",
]

_NUMBERS = ("integer", "number")


def require_crs(layer: QgsVectorLayer) -> None:
    """UNSUPPORTED without a CRS: nobody knows where the layer is, and it is not guessed."""
    if not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so metres cannot be measured.").format(
                clean_text(layer.name(), 60)
            ),
            hint=translate("QgisAgent", "Ask the person which CRS the data is in; then set_layer_crs."),
            reason="no_crs",
        )


def require_kind(layer: QgsVectorLayer, kinds: List[str], what: str) -> None:
    """UNSUPPORTED unless the layer's geometry is of one of these kinds (point, line, polygon)."""
    kind = layer_kind(layer)
    if kind not in kinds:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' is a {} layer; {} needs: {}.").format(
                clean_text(layer.name(), 60), kind, what, ", ".join(kinds)
            ),
            hint=translate("QgisAgent", "Use a layer of that kind; search_layers tells the kind of each."),
            reason="layer_kind",
        )


def require_number_field(layer: QgsVectorLayer, name: str) -> str:
    """The field's name. NOT_FOUND for none, INVALID_PARAM naming the number fields for one of another type."""
    field = require_field(layer, name, _NUMBERS)
    if field_type(field) in _NUMBERS:
        return str(field.name())
    usable = [each.name() for each in seen_fields(layer) if field_type(each) in _NUMBERS]
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The field '{}' ({}) is no number field.").format(field.name(), field_type(field)),
        hint=translate("QgisAgent", "Number fields: {}.").format(", ".join(usable[:12]) or "-"),
        reason="field_type",
    )


def require_features(layer: QgsVectorLayer, survey: Survey, filtered: bool) -> None:
    """NOT_FOUND when there is nothing with a geometry to work on."""
    if survey.usable:
        return
    raise no_features(layer, filtered, survey.count)


def require_places(layer: QgsVectorLayer, survey: Survey) -> None:
    """UNSUPPORTED, naming them, when some features of a layer in degrees lie where there are none: nothing can be measured
    there."""
    found = survey.misplaced
    if found is None or not found.count:
        return
    x, y = found.example
    ids = ", ".join(str(each) for each in found.ids) + (", …" if found.count > len(found.ids) else "")
    message = translate(
        "QgisAgent", "{} of {} features of '{}' have coordinates that are no degrees: id {}, at ({:g}, {:g})."
    )
    if abs(x) <= 90 and abs(y) <= 180:
        message += " " + translate("QgisAgent", "Their longitude and latitude look swapped.")
    raise ToolError(
        UNSUPPORTED,
        message.format(found.count, found.count + found.fitting, clean_text(layer.name(), 60), ids, x, y),
        hint=translate(
            "QgisAgent",
            "Leave them out with where (a condition on their fields; query_features shows them), or ask for them to be put right.",
        ),
        reason="some_out_of_range",
    )


def no_features(layer: QgsVectorLayer, filtered: bool, count: int = 0) -> ToolError:
    """NOT_FOUND for a layer of which nothing is to be worked on: ``count`` features without a geometry, or none at all."""
    name = clean_text(layer.name(), 60)
    if count:
        message = translate("QgisAgent", "None of the {} features of '{}' has a geometry.").format(count, name)
    elif filtered:
        message = translate("QgisAgent", "No feature of '{}' matches.").format(name)
    else:
        message = translate("QgisAgent", "The layer '{}' has no features.").format(name)
    return ToolError(
        NOT_FOUND,
        message,
        hint=translate("QgisAgent", "Check the condition with count_features, and the layer's filter."),
        reason="no_features",
    )
