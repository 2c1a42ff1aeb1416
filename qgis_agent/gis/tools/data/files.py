"""Handlers of the pack "data": files."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from ...call import Call
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError, hint_for_name
from ...i18n import translate
from ...layers import clean_text
from ...sources import adding, delimited, raster, vector
from ...sources.coordinates import known_crs
from ...sources.encodings import ASCII
from ...sources.formats import SHEET_SUFFIXES, TABLE_SUFFIXES, DataFile
from ...sources.locate import located
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
    call: Call, opened: vector.Opened, file: DataFile, name: Optional[str], encoding: str, assumed: Any
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
    data = adding.facts(call, layer, alias, opened.extent, layer.crs())
    doubts = data.pop("doubts")
    data.update({"feature_count": opened.count, "count_kind": "exact", "fields": adding.field_rows(layer)})
    if declared:
        data["encoding"] = declared
    if encoding:
        said.append(translate("QgisAgent", "The encoding {} is an assumption.").format(encoding))
    elif vector.encoding_differs(declared, opened.encoding):
        found = opened.encoding.encoding if opened.encoding is not None else ""
        data["encoding_proposed"] = found
        said.append(
            translate(
                "QgisAgent", "Its text is read as {} but looks like {}: ask, then use set_layer_encoding."
            ).format(declared or "UTF-8", found)
        )
    if opened.style_left_out:
        said.append(translate("QgisAgent", "A style stored with the data was left out (it can carry code)."))
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
    data.update({"columns": layer.width(), "rows": layer.height(), "bands": layer.bandCount()})
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
    roots = call.host.paths.readable_roots()
    if file.suffix in SHEET_SUFFIXES or file.suffix == ".dbf":
        if set(wanted) - {"encoding"}:
            raise _only_for_text(file)
        opened = yield Work(
            translate("QgisAgent", "Opening {}").format(file.name),
            lambda feedback: vector.open_vector(file, sublayer, str(wanted.get("encoding", "")), roots, feedback),
        )
        return _vector_answer(call, opened, file, name, str(wanted.get("encoding", "")), None)
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
        ),
    )
    types = _types(table, wanted)
    place = _place(table, wanted)
    source = delimited.source_of(file, table, types, place)
    title = clean_text(name or file.name.rsplit(".", 1)[0], 120)
    opened = yield Work(
        translate("QgisAgent", "Opening {}").format(file.name),
        lambda feedback: vector.open_delimited(source, title, feedback),
    )
    return _table_answer(call, opened, file, table, types, place)


def _only_for_text(file: DataFile) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "These options are for delimited text; '{}' is a sheet.").format(file.name),
        hint=translate("QgisAgent", "Leave options out (encoding is allowed)."),
        reason="options",
    )


def _types(table: delimited.Table, wanted: Dict[str, Any]) -> Dict[str, str]:
    types = {each.name: each.kind for each in table.columns}
    for field in wanted.get("text_fields", []):
        types[_column(table, field)] = "text"
    return types


def _column(table: delimited.Table, field: str) -> str:
    """The exact name of a column. NOT the nearest one: INVALID_PARAM with the names there are."""
    names = table.names()
    if field in names:
        return field
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The table has no column '{}'.").format(clean_text(field, 60)),
        hint=hint_for_name(field, names, "fields"),
        reason="field",
    )


def _place(table: delimited.Table, wanted: Dict[str, Any]) -> Dict[str, Any]:
    """{x_field, y_field, wkt_field, crs} as named, checked against the table."""
    place = {key: _column(table, wanted[key]) for key in ("x_field", "y_field", "wkt_field") if key in wanted}
    if ("x_field" in place) != ("y_field" in place) or ("wkt_field" in place and "x_field" in place):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Coordinates come from x_field and y_field together, or from wkt_field alone."),
            hint=translate("QgisAgent", "Name both columns, or the one with WKT."),
            reason="coordinates",
        )
    for key in ("x_field", "y_field"):
        column = next((each for each in table.columns if each.name == place.get(key)), None)
        if column is not None and column.kind not in ("integer", "number"):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The column '{}' holds no numbers (for example '{}').").format(
                    column.name, clean_text(column.first, 40)
                ),
                hint=translate("QgisAgent", "Set options.decimal to “comma” for 116,5, or choose another column."),
                reason="coordinates",
            )
    if wanted.get("crs"):
        if not place:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "A table without coordinates has no CRS."),
                hint=translate("QgisAgent", "Name x_field and y_field, or leave crs out."),
                reason="crs",
            )
        return dict(place, crs=known_crs(str(wanted["crs"])).authid())
    return place


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
    data = adding.facts(call, layer, alias, opened.extent, crs)
    doubts = data.pop("doubts")
    encoding = table.encoding
    data.update(
        {
            "feature_count": opened.count,
            "count_kind": "exact",
            "separator": next(key for key, mark in delimited.SEPARATORS.items() if mark == table.separator),
            "decimal": "comma" if table.decimal_comma else "point",
            "encoding": encoding.encoding or "UTF-8",
            "fields": delimited.column_rows(table, types),
        }
    )
    said = _table_remarks(opened.count, table, place)
    if place and not place.get("crs"):
        said.append(translate("QgisAgent", "No CRS was given, and none is guessed."))
    if not encoding.certain and encoding.encoding != ASCII:
        said.append(translate("QgisAgent", "The encoding {} is an assumption.").format(encoding.encoding or "UTF-8"))
    if not place:
        proposed = delimited.proposed_coordinates(table.names())
        if proposed:
            data["coordinates_proposed"] = proposed
            said.append(translate("QgisAgent", "It was added without points: the columns for them were not named."))
    return Answer(
        _with_doubts(data, doubts), adding.sentence(said + [each["text"] for each in doubts]), rows_key="fields"
    )


def _table_remarks(count: int, table: delimited.Table, place: Dict[str, Any]) -> List[str]:
    said = []
    if place and count < table.rows:
        said.append(
            translate("QgisAgent", "{} of {} rows have no usable coordinates and are not in the layer.").format(
                table.rows - count, table.rows
            )
        )
    if table.ragged:
        said.append(
            translate("QgisAgent", "{} rows have another number of columns than the first.").format(table.ragged)
        )
    kept = [each.name for each in table.columns if each.why_text not in ("", "words")]
    if kept:
        said.append(
            translate("QgisAgent", "Kept as text so that no value changes: {}.").format(
                ", ".join(clean_text(each, 40) for each in kept[:8])
            )
        )
    return said
