"""Handlers of the pack "data": files."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Set

from qgis.core import QgsVectorLayer

from ...call import Call
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...sources import adding, delimited, raster, sheet_points, vector
from ...sources.coordinates import known_crs
from ...sources.delimited import proposed_coordinates
from ...sources.encodings import ASCII, looks_like
from ...sources.formats import SHEET_SUFFIXES, TABLE_SUFFIXES, DataFile
from ...sources.locate import located
from ...sources.table_place import KEYS, named_column, named_place, require_numbers
from ...sources.table_words import remarks
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("add_vector_layer", effect="create", runs="task")
def add_vector_layer(
    call: Call,
    path: str,
    sublayer: Optional[str] = None,
    name: Optional[str] = None,
    encoding: Optional[str] = None,
    crs: Optional[str] = None,
) -> Steps:
    """Open a vector file, count it, and add it with a plain symbol. ``crs`` is an assumption, only where the file has none."""
    file, sublayer = yield from located(call, path, sublayer, "vector")
    if file.suffix in TABLE_SUFFIXES:
        raise _wrong_tool(file, "add_table_layer")
    assumed = known_crs(crs) if crs else None
    roots = call.host.paths.readable_roots()
    opened = yield Work(
        translate("QgisAgent", "Opening {}").format(file.name),
        lambda feedback: vector.open_vector(file, sublayer, encoding or "", roots, feedback),
    )
    return _vector_answer(call, opened, file, name, encoding or "", assumed)


def _vector_answer(
    call: Call,
    opened: vector.Opened,
    file: DataFile,
    name: Optional[str],
    encoding: str,
    assumed: Any,
    proposed: Optional[Dict[str, str]] = None,
) -> Answer:
    layer = opened.layer
    said: List[str] = []
    if assumed is not None:
        if layer.crs().isValid():
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The file states its CRS: {}.").format(
                    layer.crs().authid() or layer.crs().description()
                ),
                hint=translate(
                    "QgisAgent", "Leave crs out; set_layer_crs replaces a wrong CRS of a layer that is added."
                ),
                reason="crs",
            )
        layer.setCrs(assumed)
        said.append(translate("QgisAgent", "The CRS {} is an assumption.").format(assumed.authid()))
    if name:
        layer.setName(clean_text(name, 120))
    color = adding.next_color(call.host.project)
    adding.look(layer, color)
    declared = layer.dataProvider().encoding()
    alias = adding.added(call, layer, color if layer.isSpatial() else "", _origin(file), features=opened.count)
    data = adding.facts(call, layer, alias, opened.extent, layer.crs(), opened.misplaced)
    doubts = data.pop("doubts")
    data.update({"feature_count": opened.count, "count_kind": "exact", "fields": adding.field_rows(layer)})
    if declared:
        data["encoding"] = declared
    if encoding:
        said.append(translate("QgisAgent", "The encoding {} is an assumption.").format(encoding))
    elif looks_like(declared, opened.encoding):
        found = looks_like(declared, opened.encoding)
        data["encoding_proposed"] = found
        said.append(
            translate(
                "QgisAgent", "Its text is read as {} but looks like {}: ask, then use set_layer_encoding."
            ).format(declared or "UTF-8", found)
        )
    if opened.style_left_out:
        said.append(translate("QgisAgent", "A style stored with the data was left out (it can carry code)."))
    if proposed:
        data["coordinates_proposed"] = proposed
        said.append(translate("QgisAgent", "It was added without points: the columns for them were not named."))
    if opened.count == 0:
        said.append(translate("QgisAgent", "It has no features."))
    if file.suffix in SHEET_SUFFIXES and all(each.name().startswith("Field") for each in layer.fields()):
        said.append(translate("QgisAgent", "No row of column names was found: the first row is counted as data."))
    return Answer(
        _with_doubts(data, doubts), adding.sentence(said + [each["text"] for each in doubts]), rows_key="fields"
    )


def _with_doubts(data: Dict[str, Any], doubts: List[Dict[str, Any]]) -> Dict[str, Any]:
    kept = [{key: each[key] for key in ("problem", "suggest") if key in each} for each in doubts]
    return dict(data, doubts=kept) if kept else data


def _origin(file: DataFile) -> str:
    return translate("QgisAgent", "File {}").format(str(file.path) + ("/" + file.member if file.member else ""))


def _wrong_tool(file: DataFile, right: str) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "'{}' is of another kind.").format(file.name),
        hint=translate("QgisAgent", "Use {}.").format(right),
        reason="file_kind",
    )


@tool("add_raster_layer", effect="create", runs="task")
def add_raster_layer(call: Call, path: str, sublayer: Optional[str] = None, name: Optional[str] = None) -> Steps:
    """Open a raster file and add it below the vectors."""
    file, sublayer = yield from located(call, path, sublayer, "raster")
    roots = call.host.paths.readable_roots()
    title = clean_text(name or file.name.rsplit(".", 1)[0], 120)
    opened = yield Work(
        translate("QgisAgent", "Opening {}").format(file.name),
        lambda _feedback: raster.open_raster(file, sublayer, title, roots),
    )
    layer = opened.layer
    alias = adding.added(call, layer, "", _origin(file))
    data = adding.facts(call, layer, alias, layer.extent(), layer.crs())
    doubts = data.pop("doubts")
    data.update({"columns": opened.cells[0], "rows": opened.cells[1], "bands": opened.bands})
    said = list(opened.warnings)
    if opened.style_left_out:
        said.append(translate("QgisAgent", "A style stored with the data was left out (it can carry code)."))
    return Answer(_with_doubts(data, doubts), adding.sentence(said + [each["text"] for each in doubts]))


@tool("add_table_layer", effect="create", runs="task")
def add_table_layer(
    call: Call,
    path: str,
    name: Optional[str] = None,
    sublayer: Optional[str] = None,
    options: Optional[Dict[str, Any]] = None,
) -> Steps:
    """Add a table: delimited text by QGIS's own provider, sheets by GDAL. Coordinates only from the columns that are named."""
    wanted = {key: value for key, value in (options or {}).items() if value is not None}
    file, sublayer = yield from located(call, path, sublayer, "table")
    if file.suffix in SHEET_SUFFIXES or file.suffix == ".dbf":
        return (yield from _sheet(call, file, sublayer, name, wanted))
    if file.suffix not in TABLE_SUFFIXES or file.member:
        raise _wrong_tool(file, "inspect_data_file, add_vector_layer")
    table = yield Work(
        translate("QgisAgent", "Reading {}").format(file.name),
        lambda feedback: delimited.examine(
            file,
            str(wanted.get("encoding", "")),
            str(wanted.get("separator", "")),
            str(wanted.get("decimal", "")),
            feedback,
            [str(wanted[key]) for key in ("x_field", "y_field") if key in wanted],
        ),
    )
    types = _types(table, wanted)
    place = named_place(table.names(), wanted)
    require_numbers(table.columns, place)
    source = delimited.source_of(file, table, types, place)
    title = clean_text(name or file.name.rsplit(".", 1)[0], 120)
    opened = yield Work(
        translate("QgisAgent", "Opening {}").format(file.name),
        lambda feedback: vector.open_delimited(source, title, feedback),
    )
    return _table_answer(call, opened, file, table, types, place)


def _sheet(call: Call, file: DataFile, sublayer: Optional[str], name: Optional[str], wanted: Dict[str, Any]) -> Steps:
    """A sheet or .dbf: the table itself, or with coordinates a temporary copy of its rows as points."""
    if set(wanted) - {"encoding", "decimal", "crs", *KEYS}:
        raise _only_for_text(file, sorted(set(wanted) - {"encoding", "decimal", "crs", *KEYS}))
    roots = call.host.paths.readable_roots()
    encoding = str(wanted.get("encoding", ""))
    opened = yield Work(
        translate("QgisAgent", "Opening {}").format(file.name),
        lambda feedback: vector.open_vector(file, sublayer, encoding, roots, feedback),
    )
    table: QgsVectorLayer = opened.layer
    names = table.fields().names()
    place = named_place(names, wanted)
    if not place:
        return _vector_answer(call, opened, file, name, encoding, None, proposed_coordinates(names))
    title = clean_text(name or table.name(), 120)
    reader, fields, comma = feature_source(table), table.fields(), wanted.get("decimal") == "comma"
    points = yield Work(
        translate("QgisAgent", "Making points"),
        lambda feedback: sheet_points.made(reader, fields, place, comma, title, feedback),
    )
    return _points_answer(call, points, file, title)


def _points_answer(call: Call, points: sheet_points.SheetPoints, file: DataFile, title: str) -> Answer:
    layer = points.layer
    color = adding.next_color(call.host.project)
    adding.look(layer, color)
    alias = call.host.add_result_layer(layer, title)
    call.acted("add_layer", layer_id=alias, name=title, features=points.count)
    call.add_legend(alias, [{"label": title, "color": color}])
    call.add_evidence(alias, _origin(file))
    data = adding.facts(call, layer, alias, points.extent, layer.crs(), points.misplaced)
    doubts = data.pop("doubts")
    data.update({"feature_count": points.count, "count_kind": "exact", "fields": adding.field_rows(layer)})
    data["temporary"] = True
    said = [
        translate("QgisAgent", "It is a temporary copy of the table with points: it ends with the session unless kept.")
    ]
    if points.without:
        data["without_geometry"] = points.without
        said.append(
            translate("QgisAgent", "{} of {} rows have no usable coordinates, so no place on the map{}.").format(
                points.without, points.count, _for_example(points.odd)
            )
        )
    return Answer(
        _with_doubts(data, doubts), adding.sentence(said + [each["text"] for each in doubts]), rows_key="fields"
    )


def _for_example(odd: Optional[str]) -> str:
    return translate("QgisAgent", " (for example '{}')").format(odd) if odd else ""


def _only_for_text(file: DataFile, wrong: List[str]) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "These options are for delimited text, which '{}' is not: {}.").format(
            file.name, ", ".join(wrong)
        ),
        hint=translate("QgisAgent", "Leave them out: this file states the types of its columns."),
        reason="options",
    )


def _types(table: delimited.Table, wanted: Dict[str, Any]) -> Dict[str, str]:
    # The provider's list of types cannot name a field with a colon: it is read as text, and said so.
    types = {each.name: "text" if ":" in each.name else each.kind for each in table.columns}
    for field in wanted.get("text_fields", []):
        types[named_column(table.names(), field)] = "text"
    return types


def _shown_names(layer: QgsVectorLayer) -> Set[str]:
    """The fields of a layer by the names that answers use: QGIS makes none of a column of WKT."""
    return {clean_text(each, 60) for each in layer.fields().names()}


def _table_answer(
    call: Call,
    opened: vector.Opened,
    file: DataFile,
    table: delimited.Table,
    types: Dict[str, str],
    place: Dict[str, Any],
) -> Answer:
    layer = opened.layer
    color = adding.next_color(call.host.project)
    adding.look(layer, color)
    crs = layer.crs()
    alias = adding.added(call, layer, color if layer.isSpatial() else "", _origin(file), features=opened.count)
    data = adding.facts(call, layer, alias, opened.extent, crs, opened.misplaced)
    doubts = data.pop("doubts")
    encoding = table.encoding
    data.update(
        {
            "feature_count": opened.count,
            "count_kind": "exact",
            "separator": next(key for key, mark in delimited.SEPARATORS.items() if mark == table.separator),
            "decimal": "comma" if table.decimal_comma else "point",
            "encoding": encoding.encoding or "UTF-8",
            "fields": [each for each in delimited.column_rows(table, types) if each["name"] in _shown_names(layer)],
        }
    )
    said = remarks(opened, table, place)
    if opened.without:
        data["without_geometry"] = opened.without
    if table.rows > opened.count:
        data["rows_left_out"] = table.rows - opened.count
    if table.skipped:
        data["skipped_lines"] = table.skipped
    if not encoding.certain and encoding.encoding != ASCII:
        said.append(translate("QgisAgent", "The encoding {} is an assumption.").format(encoding.encoding or "UTF-8"))
    if not place:
        proposed = proposed_coordinates(table.names())
        if proposed:
            data["coordinates_proposed"] = proposed
            said.append(translate("QgisAgent", "It was added without points: the columns for them were not named."))
    return Answer(
        _with_doubts(data, doubts), adding.sentence(said + [each["text"] for each in doubts]), rows_key="fields"
    )
