"""The sheets that layouts are made from: where things stand on a page. All lengths are millimetres.

A sheet has a title block at the top left, the map with a frame, a side column (landscape) or a strip below the map
(portrait) for legend, scale bar and north arrow, and a line at the bottom for the sources.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Tuple

MARGIN = 10.0
GAP = 4.0
SIDE = 58.0
"""Width of the side column of an A4 sheet."""
STRIP = 52.0
"""Height of the strip of an A4 sheet."""
FOOT = 6.0
SCALE_BAR = 14.0
ARROW = 14.0
TEMPLATES: Dict[str, Tuple[str, bool]] = {
    "a4_landscape": ("A4", True),
    "a4_portrait": ("A4", False),
    "a3_landscape": ("A3", True),
    "a3_portrait": ("A3", False),
}
SIZES = {"A4": (210.0, 297.0), "A3": (297.0, 420.0)}
"""ISO 216: short and long side."""


class Box(NamedTuple):
    """A rectangle on the page: left, top, width and height."""

    x: float
    y: float
    width: float
    height: float

    def inside(self, other: Box) -> bool:
        """Whether it lies within another, to a tenth of a millimetre."""
        return (
            self.x >= other.x - 0.1
            and self.y >= other.y - 0.1
            and self.x + self.width <= other.x + other.width + 0.1
            and self.y + self.height <= other.y + other.height + 0.1
        )

    def overlap(self, other: Box) -> float:
        """The common area in mm²; 0 when they only touch."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return across * down if across > 0.1 and down > 0.1 else 0.0


class Sheet(NamedTuple):
    """Boxes of one page. ``table`` and ``overview`` are None where they are not asked for."""

    page: Box
    landscape: bool
    size: str
    enlarged: float
    """How much larger than on A4 texts and the side column are."""
    title: Box
    subtitle: Optional[Box]
    map: Box
    legend: Box
    scale_bar: Box
    north_arrow: Box
    attribution: Box
    overview: Optional[Box]
    table: Optional[Box]


def sheet_of(template: str, *, title: bool, subtitle: bool, overview: bool, table: float) -> Sheet:
    """The boxes of a template. ``table`` is the height that a table needs, 0 for none. KeyError for an unknown template."""
    size, landscape = TEMPLATES[template]
    short, long = SIZES[size]
    page = Box(0.0, 0.0, long if landscape else short, short if landscape else long)
    enlarged = 1.0 if size == "A4" else 1.3
    top, title_box, subtitle_box = _title_block(page, enlarged, title, subtitle)
    bottom = page.height - MARGIN - FOOT
    foot = Box(MARGIN, bottom + 1.0, page.width - 2 * MARGIN, FOOT - 1.0)
    room = 0.0 if table <= 0 else table + GAP
    frame = Box(MARGIN, top, page.width - 2 * MARGIN, bottom - top)
    if landscape:  # the side column goes down beside the table
        map_box, *parts = _side(frame, enlarged, overview)
        map_box = map_box._replace(height=map_box.height - room)
        table_box = Box(map_box.x, bottom - table, map_box.width, table)
    else:
        map_box, *parts = _strip(frame._replace(height=frame.height - room), enlarged, overview)
        table_box = Box(MARGIN, bottom - table, frame.width, table)
    legend, bar, arrow, small = parts
    boxes = (title_box, subtitle_box, map_box, legend, bar, arrow, foot, small, table_box if table > 0 else None)
    return Sheet(page, landscape, size, enlarged, *boxes)


def _title_block(page: Box, enlarged: float, title: bool, subtitle: bool) -> Tuple[float, Box, Optional[Box]]:
    width = page.width - 2 * MARGIN
    title_box = Box(MARGIN, MARGIN, width, 9.0 * enlarged)
    top = MARGIN + (title_box.height + 1.0 if title else 0.0)
    subtitle_box = None
    if subtitle:
        subtitle_box = Box(MARGIN, top, width, 6.0 * enlarged)
        top += subtitle_box.height
    return top + (2.0 if title or subtitle else 0.0), title_box, subtitle_box


def _side(frame: Box, enlarged: float, overview: bool) -> Tuple[Box, Box, Box, Box, Optional[Box]]:
    """The map at the left; at its right from the top legend, overview, north arrow, scale bar."""
    side = SIDE * enlarged
    left = frame.x + frame.width - side
    map_box = Box(frame.x, frame.y, frame.width - side - GAP, frame.height)
    bar = Box(left, frame.y + frame.height - SCALE_BAR, side, SCALE_BAR)
    arrow = Box(left, bar.y - ARROW - 1.0, ARROW, ARROW)
    bottom = arrow.y - GAP
    small = None
    if overview:
        height = side * 0.62
        small = Box(left, bottom - height, side, height)
        bottom = small.y - GAP
    legend = Box(left, frame.y, side, bottom - frame.y)
    return map_box, legend, bar, arrow, small


def _strip(frame: Box, enlarged: float, overview: bool) -> Tuple[Box, Box, Box, Box, Optional[Box]]:
    """The map above; below it from the left legend, overview, and a column with north arrow and scale bar."""
    height = STRIP * enlarged
    top = frame.y + frame.height - height
    map_box = Box(frame.x, frame.y, frame.width, frame.height - height - GAP)
    width = 56.0 * enlarged
    left = frame.x + frame.width - width
    bar = Box(left, top + height - SCALE_BAR, width, SCALE_BAR)
    arrow = Box(left, bar.y - ARROW - 1.0, ARROW, ARROW)
    right = left - GAP
    small = None
    if overview:
        wide = min(48.0 * enlarged, height * 1.1)
        small = Box(right - wide, top, wide, height)
        right = small.x - GAP
    return map_box, Box(frame.x, top, right - frame.x, height), bar, arrow, small
