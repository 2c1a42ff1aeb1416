"""The pictures of the message that is being written: a chip with a small picture each, which a press takes out again."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtGui import QImage, QPixmap
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from ...gis.pictures import Picture, prepared
from .chips import THUMBNAIL, ChipRow, ChipText

MOST = 4
"""Pictures of one message."""


class PictureRow(ChipRow):
    """``problem`` says why pictures cannot be shown to the model, "" when they can. ``changed``: others are there now."""

    changed = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(translate("QgisAgent", "Pictures in this message"))
        self.problem: Callable[[], str] = lambda: ""
        self._pictures: List[Picture] = []
        self.removed.connect(self._remove)

    def pictures(self) -> List[Picture]:
        """What is attached, in order."""
        return list(self._pictures)

    def add(self, image: QImage) -> str:
        """Attach a picture. "" or why it was not."""
        problem = self.problem()
        if problem:
            return problem
        if len(self._pictures) >= MOST:
            return too_many()
        try:
            picture = prepared(image)
        except OSError as error:
            return translate("QgisAgent", "The picture could not be read: {}").format(error)
        if picture is None:
            return translate("QgisAgent", "The picture is empty.")
        if picture.sha256 not in [each.sha256 for each in self._pictures]:
            self.put([*self._pictures, picture])
        return ""

    def why_not(self) -> str:
        """Why what is attached cannot be sent; "" when it can, and when there is nothing."""
        if len(self._pictures) > MOST:  # a waiting message was taken back into one that had pictures
            return too_many()
        return self.problem() if self._pictures else ""

    def put(self, pictures: Sequence[Picture]) -> None:
        """Have these pictures and no others."""
        self._pictures = list(pictures)
        self.show_chips([(each.sha256, chip_text(each, at)) for at, each in enumerate(self._pictures, 1)])
        self.changed.emit()

    def take(self) -> List[Picture]:
        """The pictures; none is there any more."""
        taken = self._pictures
        self.put([])
        return taken

    def _remove(self, key: str) -> None:
        self.put([each for each in self._pictures if each.sha256 != key])
        parent = self.parentWidget()
        if parent is not None:
            parent.setFocus(Qt.FocusReason.OtherFocusReason)


def too_many() -> str:
    """What is said of more pictures than a message takes."""
    return translate("QgisAgent", "A message takes {} pictures at the most.").format(MOST)


def joined(first: Sequence[Picture], more: Sequence[Picture]) -> List[Picture]:
    """The pictures of two messages that become one: none is there twice."""
    return list({each.sha256: each for each in [*first, *more]}.values())


def chip_text(picture: Picture, number: int) -> ChipText:
    """The chip of a picture."""
    size = translate("QgisAgent", "{width} × {height} pixels, {size} kB").format(
        width=picture.width, height=picture.height, size=max(1, round(len(picture.content) / 1000))
    )
    name = translate("QgisAgent", "Picture {}").format(number)
    told = translate("QgisAgent", "It is sent to the model with this message.")
    out = translate("QgisAgent", "Press to take it out of the message.")
    return ChipText(name, "{}: {}".format(name, size), "{}\n{}\n{}".format(size, told, out), False, thumbnail(picture))


def thumbnail(picture: Picture, side: int = THUMBNAIL) -> QPixmap:
    """A small picture, twice as fine as it is shown."""
    whole = QPixmap()
    whole.loadFromData(picture.content, picture.media_type.partition("/")[2].upper())
    small = whole.scaled(
        2 * side, 2 * side, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    small.setDevicePixelRatio(2.0)
    return small
