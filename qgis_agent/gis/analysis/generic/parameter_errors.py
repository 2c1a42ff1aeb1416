"""The error for a parameter of an algorithm that does not fit, with what to write instead."""

from __future__ import annotations

from typing import Any

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text

REASON = "algorithm_parameters"


def bad(name: str, why: str, hint: str) -> ToolError:
    """INVALID_PARAM of one parameter."""
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "Parameter {}: {}").format(clean_text(name, 80), why),
        hint=hint,
        reason=REASON,
    )


def shown(value: Any) -> str:
    """A value of the call in an error message."""
    return clean_text(str(value), 80)
