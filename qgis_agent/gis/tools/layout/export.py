"""Handlers of the pack "layout": exporting layouts, prepared and confirmed as every write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Generator, List

from qgis.core import QgsPrintLayout, QgsReadWriteContext
from qgis.PyQt import sip
from qgis.PyQt.QtXml import QDomDocument

from ...call import Call
from ...cards import write_card
from ...confirm import confirmed
from ...drafts import draft_of, family, move, remove, require_free, with_suffix
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ...features import FeatureReader
from ...i18n import translate
from ...layers import clean_text
from ...layouts.build import layout_of
from ...layouts.export import Wish, check, export, exported_pages, files_of, pixel_size, promise
from ...layouts.items import has_scales_of_its_own, largest_map, page_box
from ...layouts.legend import brought_up_to_date
from ...main_thread import BeforeHold
from ...undo.record import new_file_words, record_files
from ...undo.stamps import stamps_by_ending
from ...work import Answer, Step, Work
from ..registry import tool

if TYPE_CHECKING:
    from ...host import Host

_SUFFIXES = [".pdf", ".png", ".svg", ".jpg", ".jpeg", ".tif", ".tiff"]
MAX_PAGES = 300
"""Pages of an atlas: QGIS does not respond while it is exported, and nothing can stop it."""


@tool("prepare_export_layout", effect="write", runs="task")
def prepare_export_layout(
    call: Call, layout: str, path: str, format: str = "pdf", dpi: int = 300, atlas: bool = False
) -> Generator[Step, Any, Answer]:
    """Preview an export to a new file, and carry it out when the person agrees."""
    sheet = layout_of(call.host.project, layout)
    wish = Wish(format, dpi, atlas)
    _check_atlas(sheet, wish)
    target = call.host.paths.writable(with_suffix(path, "." + format, _SUFFIXES))
    require_free(files_of(sheet, target, wish))
    most = yield from _atlas_pages(sheet, wish)
    sheet = layout_of(call.host.project, layout)
    lines = _effect_lines(sheet, target, wish, most)
    title = translate("QgisAgent", "Write a new file?")
    card = write_card(call, title, lines, reversible=False, undo_words=new_file_words())
    job = _Export(call.host, sheet, target, wish)
    return (yield from confirmed(call, card, job, reversible=False))


class _Export:
    """One export, prepared."""

    def __init__(self, host: Host, layout: QgsPrintLayout, target: Path, wish: Wish) -> None:
        self._host = host
        self._layout = layout
        self._name = layout.name()
        self._target = target
        self._wish = wish

    def state(self) -> str:
        """The layout as it was previewed, and what the agent has changed since on the map that it shows: when it differs, the
        preview is not true any more. "" for one that is gone."""
        if sip.isdeleted(self._layout):
            return ""
        document = QDomDocument()
        element = self._layout.writeXml(document, QgsReadWriteContext())
        document.appendChild(element)
        return "{}/{}".format(hash(document.toString(-1)), self._host.agent_changes)

    def run(self, call: Call) -> Generator[Step, Any, Answer]:
        """Write beside the target, look at what was written, and only then give it its name."""
        require_free(files_of(self._layout, self._target, self._wish))
        draft = draft_of(self._target, dots=self._wish.format != "svg")
        try:
            yield BeforeHold()
            layout = layout_of(call.host.project, self._name)
            brought_up_to_date(layout)
            export(layout, draft, self._wish)
            promised = promise(layout, self._wish)
            item = largest_map(layout)
            of_pages = self._wish.atlas and item is not None and has_scales_of_its_own(item)
            scale = None if item is None or of_pages else round(item.scale())
            found, stamps = yield Work(
                translate("QgisAgent", "Checking what was written"),
                lambda _feedback: (check(draft, promised), stamps_by_ending(draft, family(draft))),
            )
            files = move(draft, self._target)
            record_files(call, self._target, files, stamps)
        finally:
            remove(draft)
        call.acted("export_layout", layout=self._name, path=str(self._target))
        data = dict(found, written=True, path=str(self._target), format=self._wish.format)
        if scale is not None:
            data["scale"] = scale
        if len(files) > 1:
            data["files"] = [str(each) for each in files]
        call.add_evidence(
            self._target.name, translate("QgisAgent", "{} pages, {} bytes").format(found["pages"], found["bytes"])
        )
        return Answer(data, translate("QgisAgent", "Written and checked."), rows_key="files" if len(files) > 1 else "")


def _atlas_pages(layout: QgsPrintLayout, wish: Wish) -> Generator[Step, Any, int]:
    """Pages of an atlas at the most (a person's own filter may leave some out); 0 without one. UNSUPPORTED for very many."""
    if not wish.atlas:
        return 0
    reader = FeatureReader(layout.atlas().coverageLayer(), ())
    filtered, sheets = layout.atlas().filterFeatures(), len(exported_pages(layout))
    features = yield Work(translate("QgisAgent", "Counting"), reader.count)
    pages = int(features) * sheets
    if pages > MAX_PAGES and not filtered:
        raise ToolError(
            UNSUPPORTED,
            translate(
                "QgisAgent", "The atlas has {} pages; at most {} are exported, for QGIS does not respond meanwhile."
            ).format(pages, MAX_PAGES),
            hint=translate("QgisAgent", "Filter the atlas layer (set_layer_filter), or export it in QGIS."),
            reason="too_many_pages",
        )
    return pages


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


def _effect_lines(layout: QgsPrintLayout, target: Path, wish: Wish, atlas_pages: int) -> List[List[str]]:
    page = page_box(layout, 0)
    size = pixel_size(page, wish.dpi)
    files = files_of(layout, target, wish)
    item = largest_map(layout)
    scale = "" if item is None else ", 1:{:,}".format(round(item.scale()))
    lines = [
        [translate("QgisAgent", "Layout"), clean_text(layout.name(), 200)],
        [translate("QgisAgent", "New file"), str(target)],
    ]
    if len(files) > 1:
        lines.append([translate("QgisAgent", "Further pages"), ", ".join(str(each) for each in files[1:])])
    lines += [
        [translate("QgisAgent", "Format"), wish.format.upper()],
        [translate("QgisAgent", "Page"), "{:g} × {:g} mm{}".format(page.width, page.height, scale)],
        [translate("QgisAgent", "Resolution"), "{} dpi, {} × {} px".format(wish.dpi, size.width(), size.height())],
        [translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")],
    ]
    if wish.atlas:
        name = clean_text(layout.atlas().coverageLayer().name(), 120)
        pages = translate("QgisAgent", "{}: {} pages at most").format(name, atlas_pages)
        lines.append([translate("QgisAgent", "Atlas"), pages])
    return lines
