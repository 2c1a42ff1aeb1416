"""Pictures that a person shows to a model: made small enough to be sent, encoded anew, so that nothing but pixels is in them."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Dict, NamedTuple, Optional, Tuple

from qgis.PyQt.QtCore import QBuffer, QIODevice, Qt
from qgis.PyQt.QtGui import QImage, QPainter

MAX_SIDE = 1568
"""Pixels of the longest side; services make larger ones smaller themselves (Anthropic's page on vision, November 2026)."""
MAX_BYTES = 720_000
"""In base64 it fits one line of the bridge, of which it takes nine tenths."""
PNG_BYTES = 400_000
"""A larger PNG is a photograph, which is better a JPEG: maps and tables keep their sharp lines."""
QUALITIES = (88, 75, 60)
_SMALLER = 0.75


class Picture(NamedTuple):
    """A picture as it is sent. ``sha256`` names it; the bytes stand in no log and in no record."""

    sha256: str
    media_type: str
    width: int
    height: int
    content: bytes

    def meta(self) -> Dict[str, Any]:
        """What a run says of it."""
        return {"sha256": self.sha256, "media_type": self.media_type, "width": self.width, "height": self.height}

    def message(self) -> Dict[str, Any]:
        """The parameters of ``picture/put``."""
        return dict(self.meta(), data=base64.b64encode(self.content).decode("ascii"))


def prepared(image: QImage) -> Optional[Picture]:
    """The picture to send, None for an empty image. Slow: some 100 ms for a large one."""
    if image.isNull() or image.width() < 1 or image.height() < 1:
        return None
    shown = QImage(image)
    shown.setDevicePixelRatio(1.0)
    if max(shown.width(), shown.height()) > MAX_SIDE:
        shown = _scaled(shown, MAX_SIDE)
    while True:
        media_type, content = _encoded(shown)
        if len(content) <= MAX_BYTES:
            break
        shown = _scaled(shown, round(max(shown.width(), shown.height()) * _SMALLER))
    digest = hashlib.sha256(content).hexdigest()
    return Picture(digest, media_type, shown.width(), shown.height(), content)


def _scaled(image: QImage, side: int) -> QImage:
    return image.scaled(
        side, side, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    ).convertToFormat(QImage.Format.Format_ARGB32)


def _encoded(image: QImage) -> Tuple[str, bytes]:
    """As PNG where that is small, else as JPEG on white; the last one may still be too large."""
    plain = QImage(image.size(), QImage.Format.Format_RGB32)
    plain.fill(Qt.GlobalColor.white)
    painter = QPainter(plain)
    painter.drawImage(0, 0, image)
    painter.end()
    content = _saved(plain, "PNG", -1)
    if content and len(content) <= PNG_BYTES:
        return "image/png", content
    for quality in QUALITIES:
        content = _saved(plain, "JPEG", quality)
        if len(content) <= MAX_BYTES:
            break
    return "image/jpeg", content


def _saved(image: QImage, kind: str, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, kind, quality):
        raise OSError("QGIS could not encode a picture as {}".format(kind))
    return bytes(buffer.data())
