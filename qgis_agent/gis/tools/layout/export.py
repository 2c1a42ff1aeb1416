"""Handlers of the pack "layout": exporting layouts, prepared and confirmed as every write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Generator, List

from qgis.core import QgsPrintLayout, QgsReadWriteContext
from qgis.PyQt.QtXml import QDomDocument

from ...call import Call
from ...cards import write_card
from ...confirm import ConfirmWrite, committed
from ...drafts import draft_of, move, remove
from ...errors import INVALID_PARAM, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...layouts.build import layout_of
from ...layouts.export import Wish, check, export, pixel_size
from ...layouts.items import main_map
from ...work import Answer, Step, Work
from ..registry import tool


@tool("prepare_export_layout", effect="write", runs="task")
def prepare_export_layout(
    call: Call, layout: str, path: str, format: str = "pdf", dpi: int = 300, atlas: bool = False
) -> Generator[Step, Any, Answer]:
    """Preview an export to a new file, and carry it out when the person agrees."""
    sheet = layout_of(call.host.project, layout)
    wish = Wish(format, dpi, atlas)
    _check_atlas(sheet, wish)
    target = call.host.paths.writable(_with_suffix(path, format))
    card = write_card(
        call, translate("QgisAgent", "Write a new file?"), _effect_lines(sheet, target, wish), reversible=False
    )
    job = _Export(sheet, target, wish)
    token = call.host.ledger.prepare(
        call.capability, call.tool, call.arguments, state=job.state(), card=card, reversible=False, commit=job.run
    )
    agreed = yield ConfirmWrite(token)
    if not agreed:
        return Answer(
            {"confirm_token": token, "armed": False, "written": False, "effect": dict(card["lines"])},
            translate("QgisAgent", "Nothing is written yet: a person must agree, then commit_action writes it."),
        )
    pending = call.host.ledger.redeem(token, call.capability, lambda _pending: job.state())
    return (yield from committed(call, pending))


class _Export:
    """One export, prepared."""

    def __init__(self, layout: QgsPrintLayout, target: Path, wish: Wish) -> None:
        self._layout = layout
        self._name = layout.name()
        self._target = target
        self._wish = wish

    def state(self) -> str:
        """The layout as it was previewed: when it differs, the preview is not true any more."""
        document = QDomDocument()
        element = self._layout.writeXml(document, QgsReadWriteContext())
        document.appendChild(element)
        return str(hash(document.toString(-1)))

    def run(self, call: Call) -> Generator[Step, Any, Answer]:
        """Write beside the target, look at what was written, and only then give it its name."""
        layout = layout_of(call.host.project, self._name)
        if os.path.lexists(str(self._target)):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The file '{}' exists now and is not overwritten.").format(self._target.name),
                hint=translate("QgisAgent", "Prepare the export again with another name."),
                reason="file_exists",
            )
        draft = draft_of(self._target)
        try:
            # QGIS is busy from here on: the words of this step are on the screen before it begins.
            yield Work(
                translate("QgisAgent", "Exporting; QGIS does not respond until it is done"), lambda _feedback: None
            )
            export(layout, draft, self._wish)
            found = yield Work(
                translate("QgisAgent", "Checking what was written"),
                lambda _feedback: check(layout, draft, self._wish),
            )
            move(draft, self._target)
        finally:
            remove(draft)
        call.acted("export_layout", layout=self._name, path=str(self._target))
        scale = round(main_map(layout).scale())
        data = dict(found, written=True, path=str(self._target), format=self._wish.format, scale=scale)
        call.add_evidence(
            self._target.name, translate("QgisAgent", "{} pages, {} bytes").format(found["pages"], found["bytes"])
        )
        return Answer(data, translate("QgisAgent", "Written and checked."))


def _check_atlas(layout: QgsPrintLayout, wish: Wish) -> None:
    if not wish.atlas:
        return
    if wish.format != "pdf" or not layout.atlas().enabled() or layout.atlas().coverageLayer() is None:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "An atlas is exported as one PDF, from a layout that has an atlas layer."),
            hint=translate("QgisAgent", "Use the format pdf; make the layout with atlas_layer_id."),
            reason="atlas",
        )


def _with_suffix(path: str, format_name: str) -> str:
    given = Path(path).suffix.lower()
    if given == "." + format_name:
        return path
    if given in (".pdf", ".png", ".svg", ".jpg", ".jpeg", ".tif", ".tiff"):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' does not go with the format {}.").format(given, format_name),
            hint=translate("QgisAgent", "Use the ending {} or another format.").format("." + format_name),
            reason="format",
        )
    return "{}.{}".format(path, format_name)


def _effect_lines(layout: QgsPrintLayout, target: Path, wish: Wish) -> List[List[str]]:
    page = layout.pageCollection().page(0).rect()
    size = pixel_size(layout, wish.dpi)
    lines = [
        [translate("QgisAgent", "Layout"), clean_text(layout.name(), 200)],
        [translate("QgisAgent", "New file"), str(target)],
        [translate("QgisAgent", "Format"), wish.format],
        [translate("QgisAgent", "Page"), "{:g} × {:g} mm, 1:{:,}".format(page.width(), page.height(), _scale(layout))],
        [translate("QgisAgent", "Resolution"), "{} dpi, {} × {} px".format(wish.dpi, size.width(), size.height())],
        [translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")],
    ]
    if wish.atlas:
        lines.append([translate("QgisAgent", "Atlas"), clean_text(layout.atlas().coverageLayer().name(), 120)])
    return lines


def _scale(layout: QgsPrintLayout) -> int:
    return round(main_map(layout).scale())
