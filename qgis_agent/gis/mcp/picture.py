"""``map/picture``: the map as it is shown, drawn beside the main thread, as a PNG that fits one line of the bridge."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from qgis.core import QgsFeedback, QgsMapRendererParallelJob, QgsRectangle
from qgis.PyQt.QtCore import QBuffer, QByteArray, QIODevice, QObject, QTimer
from qgis.PyQt.QtGui import QImage

from ...bridge.envelope import Envelope
from ..errors import RATE_LIMITED, TIMEOUT, ToolError
from ..extents import bbox_degrees
from ..i18n import translate
from ..map_picture import picture_settings
from ..scope_looks import hides_look
from ..work import Work

if TYPE_CHECKING:
    from ..host import Host

DEFAULT_SIZE = (1024, 768)
LEAST_SIDE, MOST_SIDE = 64, 2048
MAX_BYTES = 450_000
"""Of the PNG: 600 kB in base64. A larger one is drawn again, smaller."""
SMALLER = 0.7
MAX_WAITING = 3
TIMEOUT_S = 30.0

Done = Callable[[Dict[str, Any]], None]


class Pictures(QObject):
    """Draws one picture after the other. Lives on the main thread and holds it only to begin and to end."""

    def __init__(self, host: Host, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._host = host
        self._waiting: List[_Order] = []
        self._order: Optional[_Order] = None
        self._job: Optional[QgsMapRendererParallelJob] = None
        self._ending: List[QgsMapRendererParallelJob] = []
        """Held until they have ended: a job that is dropped before that holds the main thread."""
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(self._too_slow)

    def draw(self, width: Any, height: Any, done: Done) -> Callable[[], None]:
        """``done`` gets {media_type, data, width, height, bbox, crs}, or {envelope}. Returns a function that gives it up.

        ``bbox`` is [west, south, east, north] in degrees, None where the map has no place on earth. RATE_LIMITED.
        """
        if len(self._waiting) >= MAX_WAITING:
            raise ToolError(
                RATE_LIMITED,
                translate("QgisAgent", "Several pictures of the map are being drawn already."),
                hint=translate("QgisAgent", "Ask again when they have come."),
                reason="pictures",
            )
        order = _Order(_side(width, DEFAULT_SIZE[0]), _side(height, DEFAULT_SIZE[1]), done)
        self._waiting.append(order)
        self._next()
        return lambda: self._give_up(order)

    def _next(self) -> None:
        if self._order is None and self._waiting:
            self._order = self._waiting.pop(0)
            self._deadline.start(int(TIMEOUT_S * 1000))
            self._begin()

    def _begin(self) -> None:
        order = self._order
        if order is None:
            return
        settings = picture_settings(self._host, order.width, order.height)
        # Labels and classes of a field that the person excluded are its values.
        settings.setLayers([each for each in settings.layers() if not hides_look(each, "all")])
        shown = QgsRectangle(settings.visibleExtent())
        order.bbox = bbox_degrees(shown, settings.destinationCrs(), self._host.project)
        order.crs = settings.destinationCrs().authid()
        job = QgsMapRendererParallelJob(settings)
        self._job = job
        # From the event loop: a job is not dropped in its own slot.
        job.finished.connect(lambda: QTimer.singleShot(0, lambda: self._drawn(job, order)))
        job.start()

    def _drawn(self, job: QgsMapRendererParallelJob, order: _Order) -> None:
        if job in self._ending:
            self._ending.remove(job)
        if order is not self._order or job is not self._job:
            return
        image, self._job = job.renderedImage(), None
        work = Work(translate("QgisAgent", "Picture of the map"), lambda _feedback: _png(image))

        def encoded(content: Any, error: Optional[BaseException]) -> None:
            # Not from here: what begins next must not begin while QGIS finishes this task.
            QTimer.singleShot(0, lambda: self._encoded(order, image, content or b"", error))

        work.start(QgsFeedback(), encoded)

    def _encoded(self, order: _Order, image: QImage, content: bytes, error: Optional[BaseException]) -> None:
        if order is not self._order:
            return
        if error is not None or not content:
            self._end({"envelope": _too_slow()})
            return
        if len(content) > MAX_BYTES and min(order.width, order.height) * SMALLER >= LEAST_SIDE:
            order.width, order.height = round(order.width * SMALLER), round(order.height * SMALLER)
            self._begin()
            return
        self._end(
            {
                "media_type": "image/png",
                "data": base64.b64encode(content).decode("ascii"),
                "width": image.width(),
                "height": image.height(),
                "bbox": order.bbox,
                "crs": order.crs,
            }
        )

    def _too_slow(self) -> None:
        self._cancel()
        self._end({"envelope": _too_slow()})

    def _cancel(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            self._ending.append(job)
            job.cancelWithoutBlocking()

    def _give_up(self, order: _Order) -> None:
        """Nobody waits for it any more."""
        if order in self._waiting:
            self._waiting.remove(order)
        elif order is self._order:
            self._cancel()
            self._end(None)

    def _end(self, answer: Optional[Dict[str, Any]]) -> None:
        order, self._order = self._order, None
        self._deadline.stop()
        if order is not None and answer is not None:
            order.done(answer)
        self._next()


class _Order:
    """A picture that is wanted."""

    def __init__(self, width: int, height: int, done: Done) -> None:
        self.width = width
        self.height = height
        self.done = done
        self.bbox: Optional[List[float]] = None
        self.crs = ""


def _side(value: Any, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return default
    return int(min(max(value, LEAST_SIDE), MOST_SIDE))


def _png(image: QImage) -> bytes:
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    buffer.close()
    return bytes(held.data())


def _too_slow() -> Envelope:
    return ToolError(
        TIMEOUT,
        translate("QgisAgent", "The map was not drawn within {} s.").format(round(TIMEOUT_S)),
        hint=translate("QgisAgent", "Show a smaller area or fewer layers, then ask again."),
        reason="picture",
    ).envelope
