"""What the map shows, and the rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from qgis.core import QgsRectangle

from ..i18n import translate
from ..viewport import same_view
from .state import Aspect, Look

if TYPE_CHECKING:
    from ..host import Host


class Shown:
    """The frame (None where nothing has been shown yet), the rotation in degrees, and the view that was asked for last."""

    def __init__(self, extent: Optional[QgsRectangle], rotation: float, asked: Any) -> None:
        self.extent = extent
        self.rotation = rotation
        self.asked = asked

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shown) or self.asked != other.asked:
            return False
        if self.extent is None or other.extent is None:
            return True  # nobody has moved a map that has only been computed
        return same_view(self.extent, self.rotation, other.extent, other.rotation)

    __hash__ = None  # type: ignore[assignment]


class View(Aspect):
    """See the module."""

    name = "view"
    rank = 70

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        return {"map": Shown(*look.host.view.kept(), look.host.asked_view)}

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        host.view.put_back(before.extent, before.rotation)
        host.asked_view = before.asked
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return translate("QgisAgent", "Map view")
