"""Whether the person can show pictures to what answers, and what to do where not."""

from __future__ import annotations

from ..gis.i18n import translate
from .settings.sight import sees
from .settings.store import MODEL, ModelChoice, shown_name


def problem(choice: ModelChoice) -> str:
    """Why a picture cannot be shown to what answers, in a sentence with what to do; "" where it can."""
    if choice.kind != MODEL:
        return translate("QgisAgent", "The offline commands see no pictures. Choose a model that does in the settings.")
    if choice.vision.model:
        return ""
    seen = sees(choice.model, choice.api_base)
    if seen:
        return ""
    words = (
        translate(
            "QgisAgent",
            "“{model}” sees no pictures. Choose another model in the settings, or one for pictures there, under More….",
        )
        if seen is False
        else translate(
            "QgisAgent",
            "It is not known whether “{model}” sees pictures. Press “Test the model” in the settings, or choose a model for "
            "pictures there, under More….",
        )
    )
    return words.format(model=shown_name(choice))
