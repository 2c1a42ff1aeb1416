"""Handlers of the pack "data": looking at files before they are loaded. Nothing is added and nothing is written."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from qgis.core import QgsCoordinateReferenceSystem, QgsRectangle

from ...call import Call
from ...errors import ToolError
from ...extents import bbox_degrees
from ...features import clamp_limit
from ...i18n import translate
from ...layers import clean_text
from ...sources import delimited, raster, vector
from ...sources.coordinates import crs_doubts, crs_name, fitting_box
from ...sources.encodings import ASCII, DbfText, Guess, guess, samples
from ...sources.formats import TABLE_SUFFIXES, DataFile
from ...sources.listing import data_files, kind_of_file, local_time
from ...sources.locate import located
from ...sources.shapefile_text import stated_page, table_text
from ...sources.table_words import doubts_about
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
MAX_RAW_ROWS = 5


@tool("list_data_files", effect="read", runs="task")
def list_data_files(call: Call, folder: str = "", kind: str = "any", limit: int = 50) -> Steps:
    """The data files below a folder that may be read."""
    size, lowered = clamp_limit(limit)
    real = call.host.paths.readable_folder(folder)
    roots = call.host.paths.readable_roots()
    base = call.host.paths.shortener()
    found = yield Work(
        translate("QgisAgent", "Listing files"), lambda feedback: data_files(real, kind, roots, base, feedback)
    )
    data: Dict[str, Any] = {"folder": str(real), "total": len(found), "files": found[:size]}
    if len(found) > size:
        data["returned"] = size
    others = [each for each in roots.names() if each != str(real)]
    if others:
        data["other_folders"] = others[:5]
    said = lowered or ("" if found else translate("QgisAgent", "There are no data files here."))
    return Answer(data, said, rows_key="files", rows=found)


@tool("inspect_data_file", effect="read", runs="task")
def inspect_data_file(call: Call, path: str, sublayer: Optional[str] = None) -> Steps:
    """What is in a file."""
    file, sublayer = yield from located(call, path, sublayer, "any")
    roots = call.host.paths.readable_roots()
    state = file.path.stat()
    data: Dict[str, Any] = {
        "path": str(file.path) + ("/" + file.member if file.member else ""),
        "bytes": state.st_size,
        "modified": local_time(state.st_mtime),
    }
    title = translate("QgisAgent", "Looking into {}").format(file.name)
    if file.suffix in TABLE_SUFFIXES:
        table = yield Work(title, lambda feedback: delimited.examine(file, "", "", "", feedback))
        return _table_answer(data, table)
    found = yield Work(title, lambda feedback: _look(file, roots, sublayer, feedback))
    return _answer(call, data, found)


def _look(file: DataFile, roots: Any, sublayer: Optional[str], feedback: Any) -> Dict[str, Any]:
    """On a worker thread: as vector, as raster, or as both (a GeoPackage)."""
    if kind_of_file(file.member or str(file.path)) == "raster":
        return raster.described(file, roots, sublayer)
    text = table_text(file, feedback)
    judged = guess(text.pieces()) if text is not None else None
    stated = clean_text(stated_page(file), 40) if text is not None else ""
    known = (judged.encoding if judged is not None and judged.encoding != ASCII else "") or stated
    try:
        found = vector.described(file, roots, sublayer, known, feedback)
    except ToolError as error:
        if error.envelope["reason"] != "format":
            raise
        return raster.described(file, roots, sublayer)
    if text is not None and judged is not None:
        found["encoding"] = _dbf_encoding(text, judged, stated)
    return found


def _dbf_encoding(text: DbfText, found: Guess, stated: str) -> Dict[str, Any]:
    data: Dict[str, Any] = {"stated": stated or None, "looks_like": found.encoding or None, "certain": found.certain}
    if found.encoding != ASCII:
        read = samples(text.pieces(), found.candidates or (found.encoding or "UTF-8",), 2)
        data["samples"] = {key: [clean_text(each, 40) for each in value] for key, value in read.items()}
    return data


def _answer(call: Call, data: Dict[str, Any], found: Dict[str, Any]) -> Answer:
    said: List[str] = list(found.get("warnings", []))
    data["driver"] = found["driver"]
    data["sublayers"] = found["sublayers"]
    if "encoding" in found:
        data["encoding"] = found["encoding"]
    facts = found.get("layer") or found.get("raster")
    rows_key = "sublayers"
    if facts is not None:
        crs = QgsCoordinateReferenceSystem.fromWkt(facts["wkt"]) if facts["wkt"] else QgsCoordinateReferenceSystem()
        box: QgsRectangle = facts["box"]
        spatial = not box.isNull()
        data["crs"] = crs_name(crs) if spatial else None
        misplaced = facts.get("misplaced")
        doubts = crs_doubts(box, crs, call.host.project, misplaced)
        place = fitting_box(box, crs, misplaced)
        data["bbox"] = bbox_degrees(place, crs, call.host.project) if spatial and place is not None else None
        said += [each["text"] for each in doubts]
        if "layer" in found:
            data.update({"feature_count": facts["count"], "count_kind": "exact", "fields": facts["fields"]})
            rows_key = "fields"
            proposed = {} if spatial else delimited.proposed_coordinates([each["name"] for each in facts["fields"]])
            if proposed:
                data["coordinates_proposed"] = proposed
        else:
            data.update(
                {key: facts[key] for key in ("columns", "rows", "band_count", "bands", "cell_size") if key in facts}
            )
    elif len(found["sublayers"]) > 1:
        said.append(translate("QgisAgent", "It has several layers; give one as sublayer for its fields."))
    return Answer(data, " ".join(said), rows_key=rows_key)


def _table_answer(data: Dict[str, Any], table: delimited.Table) -> Answer:
    found = table.encoding
    data.update(
        {
            "driver": "delimited text",
            "rows": table.rows,
            "count_kind": "exact",
            "separator": next(key for key, mark in delimited.SEPARATORS.items() if mark == table.separator),
            "decimal": "comma" if table.decimal_comma else "point",
            "header": table.header,
            "encoding": {"looks_like": found.encoding or None, "certain": found.certain},
            "first_rows": [[clean_text(cell, 40) for cell in row[:12]] for row in table.first_rows[:MAX_RAW_ROWS]],
            "fields": delimited.column_rows(table),
        }
    )
    proposed = delimited.proposed_coordinates(table.names())
    if proposed:
        data["coordinates_proposed"] = proposed
    if table.skipped:
        data["skipped_lines"] = table.skipped
    said = doubts_about(table)
    if not found.certain and found.encoding:
        said.append(translate("QgisAgent", "The encoding {} is an assumption.").format(found.encoding))
    return Answer(data, " ".join(said), rows_key="fields")
