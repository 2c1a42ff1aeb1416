"""Handlers of the pack "inspect": rasters."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence

from qgis.core import Qgis, QgsRasterLayer

from ...analysis.raster.checks import raster_layer
from ...call import Call
from ...conditions import Where
from ...errors import INVALID_PARAM, ToolError
from ...features import clamp_limit, json_value
from ...i18n import translate
from ...layers import clean_text, layer_kind
from ...measuring import Chosen, require_crs
from ...raster_about import MOST_BANDS, BandReader, band_facts, facts, shown_grid, stats_data, suspicion
from ...raster_cells import CellReader, neat, require_band
from ...raster_points import PointSampler
from ...style import titles
from ...style.history import history_of, restore, snapshot
from ...style.merge import same
from ...style.raster_document import put_raster, raster_part
from ...style.raster_looks import Look, LookReader, hillshade, make_look, wanted_of
from ...style.renderers import not_kept
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("get_raster_info", effect="read", runs="task")
def get_raster_info(call: Call, layer_id: str, band: Optional[int] = None) -> Steps:
    """Size, cells, bands and their numbers; a nodata value that the file does not declare is suspected, not applied."""
    layer = raster_layer(call, layer_id)
    count = layer.bandCount()
    bands = [require_band(band, count)] if band is not None else list(range(1, min(count, MOST_BANDS) + 1))
    alias = call.host.layers.alias(layer)
    grid = shown_grid(layer)
    entries = {each: band_facts(layer, each) for each in bands}
    about: Dict[str, Any] = {}
    notes: List[str] = []
    if layer.providerType() == "gdal":
        found, about, grid, notes = yield Work(
            translate("QgisAgent", "Reading cells"), BandReader(layer, alias, bands).read
        )
        layer = raster_layer(call, layer_id)
        units, types = about.pop("units", {}), about.pop("types", {})
        about["stats_kind"] = "exact" if all(stats.exact for stats, _ in found.values()) else "sample"
        entries = {each: entries[each] for each in found}
        count = grid.bands if grid is not None else count
        for each, (stats, doubt) in found.items():
            entries[each].update(stats_data(stats, doubt))
            entries[each].update(
                {key: known[each] for key, known in (("unit", units), ("type", types)) if each in known}
            )
            if not stats.valid:
                notes.append(translate("QgisAgent", "Band {} has no valid cells.").format(each))
            if doubt is not None:
                notes.append(suspicion(each, doubt))
    else:
        about["stats_kind"] = "none"
        notes.append(translate("QgisAgent", "The layer comes from a service, so its cells are not read."))
    if not layer.crs().isValid():
        notes.append(translate("QgisAgent", "It has no CRS: its place and cell size on the ground are unknown."))
    if len(entries) < count and band is None:
        notes.append(
            translate("QgisAgent", "Only the first {} of {} bands; ask for others with band.").format(
                len(entries), count
            )
        )
    data = facts(layer, alias, call.host.project, grid)
    data.update(about, bands=list(entries.values()))
    return Answer(data, " ".join(notes), rows_key="bands")


@tool("sample_raster", effect="read", runs="task")
def sample_raster(
    call: Call,
    layer_id: str,
    points: Sequence[Sequence[float]] = (),
    from_layer_id: Optional[str] = None,
    where: Where = (),
    band: int = 1,
    limit: int = 20,
) -> Steps:
    """Values of cells at points; null outside of the raster and on nodata, which is told apart."""
    layer = raster_layer(call, layer_id)
    require_band(band, layer.bandCount())
    require_crs(layer, layer_id)
    wanted, note = clamp_limit(limit)
    sampler = PointSampler(layer, layer_id, band, call.host.project)
    if (from_layer_id is None) == (not points):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Points are needed, in one way."),
            hint=translate("QgisAgent", "Give points as [[lon, lat], …] or from_layer_id (a point layer), not both."),
            reason="points",
        )
    if from_layer_id is None:
        _check_points(points, bool(where))
        found = yield Work(
            translate("QgisAgent", "Reading cells"), lambda feedback: sampler.at_degrees(points, feedback, wanted)
        )
    else:
        chosen = _point_source(call, from_layer_id, where)
        found = yield Work(
            translate("QgisAgent", "Reading cells"), lambda feedback: sampler.at_features(chosen, feedback, wanted)
        )
    data: Dict[str, Any] = {"layer_id": call.host.layers.alias(layer), "band": band, "total": found.total}
    data.update(count=found.hits, outside=found.outside, nodata=found.nodata)
    data.update(min=json_value(found.low), max=json_value(found.high), mean=json_value(found.mean))
    if found.doubt is not None:
        data["suspected_nodata"] = {"value": neat(found.doubt), "points": found.doubtful}
    data["rows"] = found.rows
    notes = [note] if note else []
    if from_layer_id is not None:
        notes.extend(_filter_notes(call, from_layer_id))
    if not found.total:
        notes.append(translate("QgisAgent", "No feature matches."))
    if found.outside:
        notes.append(
            translate("QgisAgent", "{} of {} points lie outside of the raster.").format(found.outside, found.total)
        )
    if found.nodata:
        notes.append(translate("QgisAgent", "{} of {} points lie on nodata.").format(found.nodata, found.total))
    if found.doubt is not None:
        notes.append(
            translate(
                "QgisAgent",
                "At {} of {} points the value is {}, which looks like undeclared nodata; min, max and mean leave it out.",
            ).format(found.doubtful, found.total, "{:.10g}".format(found.doubt))
        )
    return Answer(data, " ".join(notes), rows_key="rows")


@tool("set_raster_style", effect="view", runs="task")
def set_raster_style(
    call: Call,
    layer_id: str,
    method: str,
    band: Optional[int] = None,
    palette: Optional[str] = None,
    classes: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Draw a raster in gray, in colours by value, by three bands, by categories or as a relief; limits from the cells.

    Undone, when QGIS does not take it over. The earlier style is kept under the returned ``rule_id``.
    """
    more = dict(options or {})
    if more.get("limits"):
        more["min"], more["max"] = more.pop("limits")
    layer = raster_layer(call, layer_id)
    bands = _bands(layer, method, band, more)
    wanted = wanted_of(method, bands, palette, classes, more)
    if method == "hillshade":
        CellReader(layer, layer_id)  # refuses a picture from a service
        look = hillshade(layer, bands[0])
    else:
        reader = LookReader(layer, layer_id, wanted)
        found = yield Work(translate("QgisAgent", "Reading cells"), reader.read)
        layer = raster_layer(call, layer_id)
        look = make_look(layer, wanted, found)
    rule_id = _set_look(call, layer, look)
    return _style_answer(call, layer, method, rule_id, look)


def _bands(layer: QgsRasterLayer, method: str, band: Optional[int], more: Mapping[str, Any]) -> List[int]:
    """The bands that are drawn: those asked for, else those drawn now or marked as colours in the file, else the first."""
    count = layer.bandCount()
    if method != "multiband":
        used = [each for each in layer.renderer().usesBands() if each > 0] if layer.renderer() is not None else []
        return [require_band(band if band is not None else (used[0] if len(used) == 1 else 1), count)]
    if band is not None or count < 3:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The method multiband needs three bands, of {} that there are.").format(count),
            hint=translate("QgisAgent", "Give options.bands [red, green, blue], or use method gray or pseudocolor."),
            reason="band",
        )
    provider = layer.dataProvider()
    kinds = Qgis.RasterColorInterpretation
    marked = {provider.colorInterpretation(each): each for each in range(1, count + 1)}
    default = [marked.get(each) for each in (kinds.RedBand, kinds.GreenBand, kinds.BlueBand)]
    wanted = more.get("bands") or (default if all(default) else [1, 2, 3])
    return [require_band(int(each), count) for each in wanted]


def _set_look(call: Call, layer: QgsRasterLayer, look: Look) -> str:
    """Set the renderer, read it back, draw; returns the rule id. Everything is as before when it was not taken over."""
    before = snapshot(call.host, layer)
    shown = titles.subject(layer.renderer())
    put_raster(layer, look.document)
    wanted = {key: value for key, value in look.document.items() if key not in ("palette", "reverse")}
    if not _holds(raster_part(layer), wanted):
        restore(call.host, before)
        raise not_kept(layer)
    title = titles.title_after(call.host, layer, titles.subject(layer.renderer()), was=shown)
    titles.put_title(call.host, layer, title)
    look.notes.extend([title.note] if title.note else [])
    rule_id = history_of(call.host).remember(before)
    call.host.repaint(layer)
    return str(rule_id)


def _holds(document: Any, wanted: Any) -> bool:
    """Whether a document says all that is wanted."""
    if isinstance(wanted, dict):
        return isinstance(document, dict) and all(_holds(document.get(key), each) for key, each in wanted.items())
    return same(document, wanted)


def _style_answer(call: Call, layer: QgsRasterLayer, method: str, rule_id: str, look: Look) -> Answer:
    alias, document = call.host.layers.alias(layer), look.document
    data: Dict[str, Any] = {"layer_id": alias, "rule_id": rule_id, "method": method}
    for key in ("band", "bands", "palette", "interpolation", "stretch", "z_factor"):
        if key in document:
            data[key] = document[key]
    data.update({key: neat(document[key]) for key in ("min", "max") if key in document})
    if look.classes:
        data["classes"] = look.classes
    rule = {"method": method, "bands": document.get("bands", [document.get("band")])}
    rule["colors"] = [each["color"] for each in look.legend]
    call.acted("render", layer_id=alias, rule_id=rule_id, rule=rule)
    call.add_legend(alias, look.legend)
    text = translate("QgisAgent", "{}: {}, band {}, palette {}").format(
        alias, method, ", ".join(str(each) for each in rule["bands"]), document.get("palette", "-")
    )
    call.add_evidence(rule_id, text)
    return Answer(data, " ".join(look.notes), rows_key="classes" if look.classes else "")


def _check_points(points: Sequence[Sequence[float]], with_where: bool) -> None:
    if with_where:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "where goes with from_layer_id."),
            hint=translate("QgisAgent", "Leave where out, or give from_layer_id instead of points."),
            reason="where",
        )
    for number, (longitude, latitude) in enumerate(points, 1):
        if not (-180 <= longitude <= 360 and -90 <= latitude <= 90):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "Point {} is no place on earth.").format(number),
                hint=translate("QgisAgent", "Points are [lon, lat] in degrees, longitude first."),
                reason="points",
            )


def _filter_notes(call: Call, from_layer_id: str) -> List[str]:
    """That the points are only those that the layer's filter shows."""
    source = call.vector_layer(from_layer_id)
    if not source.subsetString():
        return []
    return [translate("QgisAgent", "The filter of '{}' is in force.").format(clean_text(source.name(), 60))]


def _point_source(call: Call, from_layer_id: str, where: Where) -> Chosen:
    source = call.vector_layer(from_layer_id)
    if layer_kind(source) != "point":
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is no point layer.").format(from_layer_id),
            hint=translate("QgisAgent", "Use a point layer; for polygons use zonal_statistics."),
            reason="layer_kind",
        )
    require_crs(source, from_layer_id)
    return Chosen(source, where)
