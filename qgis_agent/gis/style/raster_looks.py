"""From the cells of a raster to the ``renderer`` part of its style document, for each method of set_raster_style.

Limits come from the cells. A nodata value that is declared is left out; one that is only suspected counts as a value, and
is told. The reading runs on a worker thread (``LookReader``), the rest are plain data.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from qgis.core import QgsFeedback, QgsRasterLayer

from ..analysis.ground.units import metres_in_units
from ..errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ..i18n import translate
from ..raster_about import suspicion
from ..raster_cells import CellReader, neat, valid_values
from ..raster_stats import MOST_DISTINCT, BandStats, Suspect, band_stats, suspect
from . import palettes
from .classification import Classes, check_breaks, classify, format_numbers
from .merge import Document
from .raster_fit import check_limits

DEFAULT_PALETTE = "Viridis"
MOST_VALUES = 4_000_000
"""Cells that quantiles and cuts are computed from; of larger rasters every n-th, which is told."""
CUT = (2.0, 98.0)
"""Percent of the cells below and above which a cumulative cut saturates: QGIS's default."""
DEVIATIONS = 2.0
_RAMP_COLORS = 9


class Wanted(NamedTuple):
    """What is asked for, checked as far as the layer's own facts go."""

    method: str
    bands: Tuple[int, ...]
    palette: Optional[str]
    classes: Optional[int]
    classification: Optional[str]
    breaks: List[float]
    stretch: str
    low: Optional[float]
    high: Optional[float]
    reverse: bool

    @property
    def classified(self) -> bool:
        """Classes rather than a continuous ramp."""
        return self.method == "pseudocolor" and (
            self.classes is not None or self.classification is not None or bool(self.breaks)
        )


class Found(NamedTuple):
    """What a band holds: its statistics, suspected nodata, limits of the stretch, classes; ``sample`` cells, 0 for all.

    ``notes`` are about limits that were given and that the cells do not fit.
    """

    stats: BandStats
    doubt: Optional[Suspect]
    limits: Tuple[float, float]
    classes: Optional[Classes]
    sample: int
    notes: List[str]


class Look(NamedTuple):
    """The document's part, the classes and legend of the answer, and what is to be said."""

    document: Document
    classes: List[Dict[str, Any]]
    legend: List[Dict[str, Any]]
    notes: List[str]


class LookReader:
    """Reads what a look needs. Made on the main thread."""

    def __init__(self, layer: QgsRasterLayer, alias: str, wanted: Wanted) -> None:
        self._cells = CellReader(layer, alias)
        self._wanted = wanted

    def read(self, feedback: QgsFeedback) -> List[Found]:
        """One for each band, on a worker thread. UNSUPPORTED when a band has no valid cells."""
        size = self._cells.size(len(self._wanted.bands))
        return [self._band(band, feedback, size) for band in self._wanted.bands]

    def _band(self, band: int, feedback: QgsFeedback, size: Tuple[int, int]) -> Found:
        wanted = self._wanted
        stats = band_stats(self._cells, band, feedback, size)
        if not stats.valid:
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "Band {} has no valid cells: all of them are nodata.").format(band),
                hint=translate("QgisAgent", "Use another band; the style was not changed."),
                reason="no_values",
            )
        doubt = suspect(self._cells, band, feedback, stats, size)
        limits, classes = (stats.low, stats.high), None
        sample = 0 if stats.exact else stats.valid
        if wanted.stretch == "stddev":
            spread = DEVIATIONS * stats.stdev
            limits = max(stats.low, stats.mean - spread), min(stats.high, stats.mean + spread)
        elif wanted.stretch == "cumulative_cut" or wanted.classified:
            values, complete = valid_values(self._cells, band, feedback, MOST_VALUES)
            sample = 0 if complete else len(values)
            if wanted.classified:
                method = wanted.classification or ("manual" if wanted.breaks else "quantile")
                classes = classify(_within(values, wanted), method, wanted.classes or 5, wanted.breaks)
            else:
                low, high = np.percentile(values, CUT)
                limits = float(low), float(high)
        low = limits[0] if wanted.low is None else wanted.low
        high = limits[1] if wanted.high is None else wanted.high
        given = (wanted.low, wanted.high) != (None, None) and not wanted.classified
        notes = check_limits(self._cells, band, low, high, feedback) if given else []
        return Found(stats, doubt, (low, high), classes, sample, notes)


def make_look(layer: QgsRasterLayer, wanted: Wanted, found: Sequence[Found]) -> Look:
    """The look of what was read."""
    if wanted.method == "paletted":
        look = _paletted(wanted, found[0], {} if wanted.palette is not None else _color_table(layer, wanted.bands[0]))
    elif wanted.method == "multiband":
        look = _multiband(wanted, found)
    else:
        look = (_gray if wanted.method == "gray" else _pseudocolor)(wanted, found[0])
    for band, each in zip(wanted.bands, found):
        look.notes.extend(each.notes)
        if each.doubt is not None:
            look.notes.append(suspicion(band, each.doubt))
            if wanted.low is None and wanted.high is None and wanted.method != "paletted":
                look.notes.append(_spoils(each.doubt))
    samples = [each.sample for each in found if each.sample]
    if samples:
        look.notes.append(translate("QgisAgent", "Limits are from a sample of {} cells.").format(min(samples)))
    return look


def _spoils(doubt: Suspect) -> str:
    return translate("QgisAgent", "The other values go from {:.10g} to {:.10g}: give these as min and max.").format(
        doubt.rest.low, doubt.rest.high
    )


def _within(values: Any, wanted: Wanted) -> Any:
    """The values between the limits that were asked for. UNSUPPORTED when there is none."""
    kept = values
    if wanted.low is not None:
        kept = kept[kept >= wanted.low]
    if wanted.high is not None:
        kept = kept[kept <= wanted.high]
    if not len(kept):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "No cell lies between min and max, so there are no classes."),
            hint=translate("QgisAgent", "get_raster_info tells the values of the band; the style was not changed."),
            reason="no_values",
        )
    return kept


def _origin(wanted: Wanted) -> Document:
    """Where the limits come from, for QGIS's own panel."""
    if wanted.low is not None or wanted.high is not None:
        return {"method": "manual"}
    return {"method": wanted.stretch, "exact": True}


# gray and bands


def _gray(wanted: Wanted, found: Found) -> Look:
    low, high = found.limits
    notes = _constant_note(low, high)
    if low == high:
        low, high = low - 1.0, high + 1.0
    gradient = "white_to_black" if wanted.reverse else "black_to_white"
    document: Document = {
        "type": "gray",
        "band": wanted.bands[0],
        "gradient": gradient,
        "stretch": {"algorithm": "stretch", "min": low, "max": high},
        "limits": _origin(wanted),
    }
    ends = ("#ffffff", "#000000") if wanted.reverse else ("#000000", "#ffffff")
    legend = [{"label": text, "color": color} for text, color in zip(format_numbers([low, high]), ends)]
    return Look(document, [], legend, notes)


def _multiband(wanted: Wanted, found: Sequence[Found]) -> Look:
    stretch: Document = {}
    legend: List[Dict[str, Any]] = []
    notes: List[str] = []
    for name, color, band, each in zip(
        ("red", "green", "blue"), ("#ff0000", "#00ff00", "#0000ff"), wanted.bands, found
    ):
        low, high = each.limits
        notes.extend(_constant_note(low, high))
        if low == high:
            low, high = low - 1.0, high + 1.0
        stretch[name] = {"algorithm": "stretch", "min": low, "max": high}
        legend.append({"label": translate("QgisAgent", "Band {}").format(band), "color": color})
    bands = list(wanted.bands)
    return Look(
        {"type": "multiband", "bands": bands, "stretch": stretch, "limits": _origin(wanted)}, [], legend, notes[:1]
    )


# colours by value


def _pseudocolor(wanted: Wanted, found: Found) -> Look:
    palette = wanted.palette or DEFAULT_PALETTE
    low, high = found.limits
    if found.classes is not None:
        return _classes(wanted, palette, found, found.classes)
    notes = [*_constant_note(low, high), *(palettes.order_notes(palette, 2) if low != high else ())]
    if low == high:
        color = palettes.colors(palette, 1, wanted.reverse)[0]
        entries = [{"label": format_numbers([low])[0], "color": color, "upper": None}]
        document = _colored(wanted, palette, "discrete", (low, high), entries)
        return Look(document, [{"label": entries[0]["label"], "color": color}], entries, notes)
    count = max(3, min(_RAMP_COLORS, palettes.size(palette)))
    values = [low + (high - low) * step / (count - 1) for step in range(count - 1)] + [high]
    colors = palettes.colors(palette, count, wanted.reverse)
    entries = [
        {"label": text, "color": color, "upper": value}
        for text, color, value in zip(format_numbers(values), colors, values)
    ]
    document = _colored(wanted, palette, "linear", (low, high), entries)
    return Look(document, [], [{"label": each["label"], "color": each["color"]} for each in entries], notes)


def _classes(wanted: Wanted, palette: str, found: Found, classes: Classes) -> Look:
    """The last class has no upper limit, and the first no lower one: no cell is left without a colour."""
    colors = palettes.colors(palette, len(classes.counts), wanted.reverse)
    entries, answer = [], []
    total = max(1, sum(classes.counts))
    last = len(colors) - 1
    for index, (label, color, count) in enumerate(zip(classes.labels(), colors, classes.counts)):
        upper = classes.limits[index + 1]
        entries.append({"label": label, "color": color, "upper": None if index == last else upper})
        share = {"percent": round(100 * count / total, 2)} if found.sample else {"count": count}
        limits = {"lower": neat(classes.limits[index]), "upper": neat(upper)}
        answer.append({"label": label, **limits, "color": color, **share})
    document = _colored(wanted, palette, "discrete", (classes.limits[0], classes.limits[-1]), entries)
    legend = [{"label": each["label"], "color": each["color"]} for each in entries]
    return Look(document, answer, legend, [*classes.notes, *palettes.order_notes(palette, len(colors))])


def _colored(
    wanted: Wanted, palette: str, interpolation: str, limits: Tuple[float, float], entries: Sequence[Dict[str, Any]]
) -> Document:
    return {
        "type": "pseudocolor",
        "band": wanted.bands[0],
        "interpolation": interpolation,
        "min": limits[0],
        "max": limits[1],
        "palette": palette,
        "reverse": wanted.reverse,
        "limits": _origin(wanted),
        "classes": _by_id(entries),
    }


def _paletted(wanted: Wanted, found: Found, named: Dict[float, Tuple[str, str]]) -> Look:
    """``named`` are label and colour by value of the file's own colour table."""
    distinct = found.stats.distinct
    if distinct is None:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The band has more than {} different values.").format(MOST_DISTINCT),
            hint=translate("QgisAgent", "Use method pseudocolor (with classes) for measured values."),
            reason="too_many_categories",
        )
    values = sorted(distinct)
    palette = wanted.palette or palettes.default_categorized(len(values))
    colors = palettes.colors(palette, len(values), wanted.reverse)
    entries: List[Dict[str, Any]] = []
    for value, color in zip(values, colors):
        label, known = named.get(value, ("", color))
        entries.append({"label": label or "{:.10g}".format(value), "color": known, "value": value})
    exact = found.stats.exact
    answer = [dict(each, **({"count": distinct[each["value"]]} if exact else {})) for each in entries]
    document: Document = {"type": "paletted", "band": wanted.bands[0], "classes": _by_id(entries)}
    document["resampling"] = {"stage": "drawing", "zoomed_in": "nearest", "zoomed_out": "nearest"}  # 1 and 3 make no 2
    if not named:
        document.update(palette=palette, reverse=wanted.reverse)
    notes = [translate("QgisAgent", "Colours are those of the file's own colour table.")] if named else []
    return Look(document, answer, [{"label": each["label"], "color": each["color"]} for each in entries], notes)


def _color_table(layer: QgsRasterLayer, band: int) -> Dict[float, Tuple[str, str]]:
    """Label and colour by value, as the file has them."""
    return {
        float(each.value): ("" if "<" in each.label or "[%" in each.label else each.label[:120], str(each.color.name()))
        for each in layer.dataProvider().colorTable(band)
    }


def hillshade(layer: QgsRasterLayer, band: int) -> Look:
    """A relief lit from the north-west. Heights are taken as metres: where cells are not in metres, z is scaled."""
    units = metres_in_units(layer.crs(), 1.0) if layer.crs().isValid() else 1.0
    document: Document = {
        "type": "hillshade",
        "band": band,
        "azimuth": 315.0,
        "altitude": 45.0,
        "multidirectional": False,
    }
    # Read smoothly: enlarged cells would else be stairs, and their edges the relief.
    document["resampling"] = {"stage": "reading", "zoomed_in": "bilinear", "zoomed_out": "average"}
    document["z_factor"] = float("{:.6g}".format(units))
    notes = []
    if abs(units - 1.0) > 0.01:
        notes.append(
            translate(
                "QgisAgent", "Heights are taken as metres; the CRS is not in metres, so the z factor is {}."
            ).format(document["z_factor"])
        )
    return Look(document, [], [{"label": translate("QgisAgent", "Hillshade"), "color": "#808080"}], notes)


def _by_id(entries: Sequence[Dict[str, Any]]) -> Document:
    return {"c{}".format(number): dict(each, order=number - 1) for number, each in enumerate(entries, 1)}


def _constant_note(low: float, high: float) -> List[str]:
    if low != high:
        return []
    return [translate("QgisAgent", "All cells are {:.10g}, so there is one colour.").format(low)]


def wanted_of(
    method: str,
    bands: Sequence[int],
    palette: Optional[str],
    classes: Optional[int],
    options: Mapping[str, Any],
) -> Wanted:
    """Checked wishes. INVALID_PARAM for what does not go with the method."""
    given = {key: value for key, value in options.items() if value is not None and value is not False and value != []}
    allowed = {
        "gray": ("min", "max", "stretch", "reverse"),
        "pseudocolor": ("classification", "breaks", "min", "max", "stretch", "reverse"),
        "multiband": ("bands", "min", "max", "stretch"),
        "paletted": ("reverse",),
        "hillshade": (),
    }[method]
    extra = [each for each in given if each not in allowed]
    extra += ["palette"] if palette is not None and method not in ("pseudocolor", "paletted") else []
    extra += ["classes"] if classes is not None and method != "pseudocolor" else []
    if extra:
        raise _unfit(
            ", ".join(dict.fromkeys("limits" if each in ("min", "max") else each for each in extra)), method, allowed
        )
    breaks = [float(each) for each in given.get("breaks", [])]
    classification = given.get("classification")
    if classification == "manual" or breaks:
        check_breaks(breaks)
        if classification not in (None, "manual"):
            raise _unfit("breaks", "classification " + str(classification), ())
    low, high = given.get("min"), given.get("max")
    if low is not None and high is not None and low >= high:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The first of limits is not below the second."),
            hint=translate("QgisAgent", "get_raster_info tells the values of the band."),
            reason="limits",
        )
    default = "cumulative_cut" if method == "multiband" else "minmax"
    stretch = str(given.get("stretch", default))
    reverse = bool(given.get("reverse", False))
    return Wanted(method, tuple(bands), palette, classes, classification, breaks, stretch, low, high, reverse)


def _unfit(names: str, method: str, allowed: Sequence[str]) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} does not go with {}.").format(names, method),
        hint=translate("QgisAgent", "Leave it out. Options of this method: {}.").format(
            ", ".join(dict.fromkeys("limits" if each in ("min", "max") else each for each in allowed)) or "-"
        ),
        reason="options",
    )
