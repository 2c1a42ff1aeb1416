"""The arguments of set_render_rule, read and checked."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from .classification import check_breaks

DEFAULT_CLASSES = 5
USES = {
    "single": ("palette", "reverse", "color", "size"),
    "categorized": ("field", "classes", "palette", "reverse", "size"),
    "graduated": ("field", "classes", "palette", "reverse", "classification", "breaks", "size"),
    "heatmap": ("field", "palette", "reverse", "size"),
    "cluster": ("color", "size"),
    "displacement": ("color", "size"),
}
"""What each method takes; ``legend_title`` goes with all of them."""


class Rule(NamedTuple):
    """The arguments of a call, beside the layer."""

    method: str
    field: Optional[str]
    classes: Optional[int]
    palette: Optional[str]
    more: Dict[str, Any]

    @property
    def reverse(self) -> bool:
        """Whether the palette is turned round."""
        return bool(self.more.get("reverse"))

    @property
    def color(self) -> str:
        """The colour as "#rrggbb", "" without one."""
        return str(self.more.get("color") or "").lower()[:7]

    @property
    def opacity(self) -> Optional[float]:
        """The alpha of "#rrggbbaa" from 0 to 1."""
        color = str(self.more.get("color") or "")
        return int(color[7:], 16) / 255 if len(color) == 9 else None

    def unused(self) -> List[str]:
        """Names of arguments that were given and that the method has no use for."""
        given = {"field": self.field, "classes": self.classes, "palette": self.palette, **self.more}
        return [
            name
            for name, value in given.items()
            if value not in (None, False, []) and name != "legend_title" and name not in USES[self.method]
        ]


def classification(more: Mapping[str, Any]) -> Tuple[str, List[float]]:
    """The way of classifying and the breaks of manual. INVALID_PARAM for breaks that do not fit."""
    breaks = [float(each) for each in more.get("breaks") or []]
    method = str(more.get("classification") or ("manual" if breaks else "quantile"))
    if method == "manual":
        check_breaks(breaks)
    elif breaks:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "breaks go with the classification manual only; {} computes its own.").format(
                method
            ),
            hint=translate("QgisAgent", "Leave breaks out, or use classification manual."),
            reason="breaks",
        )
    return method, breaks
