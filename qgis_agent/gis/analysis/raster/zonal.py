"""Zonal statistics: the plan, the names of its fields, and what the result must agree with.

QGIS's rule (3.40): a cell counts whole when its centre is inside the zone. Only where at most one cell counts so, every cell
that the zone touches counts with the share of it that is inside; the count is a fraction then.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from qgis.core import QgsFeatureRequest, QgsFeedback, QgsRasterLayer, QgsVectorLayer, QgsVectorLayerFeatureSource

from ...features import (
    json_value,
    read_features,
)
from ...i18n import translate
from ...raster_stats import BandStats
from ...scope import seen_fields
from ..checks.verify import broken
from ..inputs.preflight import Survey
from ..run.plan import (
    PlanStep,
    Ref,
)
from ..run.steps import Builder

STATISTICS = (
    "count",
    "sum",
    "mean",
    "median",
    "std",
    "min",
    "max",
    "range",
    "minority",
    "majority",
    "variety",
    "variance",
)
"""In the order of native:zonalstatisticsfb."""
_QGIS_NAMES = {"std": "stdev"}
_SUM = "sum"


class Field(NamedTuple):
    """A field of the result: band, statistic, its name in the layer, and its key in an answer's rows."""

    band: int
    statistic: str
    name: str
    key: str


class Names(NamedTuple):
    """The prefix of each band's fields, and the fields."""

    prefixes: Dict[int, str]
    fields: List[Field]


def names_for(zones: QgsVectorLayer, bands: Sequence[int], statistics: Sequence[str]) -> Names:
    """Names that no field of the zones has, as "b2_mean" for band 2; else with a number before. QGIS insists on a prefix."""
    taken = {each.name().casefold() for each in seen_fields(zones)}
    wanted = _asked(statistics)
    for attempt in range(1000):
        start = "" if attempt == 0 else "z{}_".format(attempt)
        prefixes = {band: "{}b{}_".format(start, band) for band in bands}
        fields = [
            Field(band, each, prefixes[band] + _QGIS_NAMES.get(each, each), _key(band, each, len(bands)))
            for band in bands
            for each in wanted
        ]
        if not any(each.name.casefold() in taken for each in fields):
            return Names(prefixes, fields)
    raise broken(translate("QgisAgent", "no free names for the fields"))


def _asked(statistics: Sequence[str]) -> List[str]:
    """With the count, which the checks need; and variety with the majority: QGIS 3.40 keeps a tally of values for minority
    and majority only, and without them every variety is 0."""
    wanted = list(dict.fromkeys(["count", *statistics]))
    if "variety" in wanted and not {"minority", "majority"}.intersection(wanted):
        wanted.append("majority")
    return wanted


def _key(band: int, statistic: str, bands: int) -> str:
    return statistic if bands == 1 else "b{}_{}".format(band, statistic)


def zonal_plan(survey: Survey, expression: str, names: Names, statistics: Sequence[str]) -> List[PlanStep]:
    """Chosen zones, repaired, then one step a band. The count is always among the statistics."""
    builder = Builder("zones")
    builder.prepare(survey._replace(without_geometry=0), expression)
    numbers = [STATISTICS.index(each) for each in _asked(statistics)]
    for band, prefix in names.prefixes.items():
        builder.add(
            "native:zonalstatisticsfb",
            {"INPUT_RASTER": Ref("raster"), "RASTER_BAND": band, "COLUMN_PREFIX": prefix, "STATISTICS": numbers},
            key="band{}".format(band),
        )
    return builder.steps


class Totals(NamedTuple):
    """Rows for the answer, zones without a cell and zones that were weighted, both in the first band."""

    rows: List[Dict[str, Any]]
    empty: int
    weighted: int
    zones: int


def read_zones(
    source: QgsVectorLayerFeatureSource,
    labels: Sequence[str],
    names: Names,
    stats: Dict[int, BandStats],
    feedback: QgsFeedback,
) -> Totals:
    """The rows of the result, on a worker thread. UPSTREAM_ERROR for numbers that cannot be those of the band."""
    fields = source.fields()
    positions = [(name, fields.lookupField(name)) for name in labels]
    places: List[Tuple[Field, int]] = [(each, fields.lookupField(each.name)) for each in names.fields]
    missing = [each.name for each, place in places if place < 0]
    if missing:
        raise broken(translate("QgisAgent", "the fields {} are missing").format(", ".join(missing)))
    first = names.fields[0].band
    rows: List[Dict[str, Any]] = []
    empty = weighted = 0
    request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
    for feature in read_features(source, request, feedback):
        row = {name: json_value(feature[position], 80) for name, position in positions}
        for each, place in places:
            row[each.key] = _number(feature[place])
        for band in names.prefixes:
            count = _of(row, names, band, "count")
            if not count:
                _blank(row, names, band)
            else:
                _check(row, names, band, stats[band])
                if count == round(count):
                    row[_key(band, "count", len(names.prefixes))] = int(count)
            if band == first:
                empty += not count
                weighted += bool(count) and count != round(count)
        rows.append(row)
    return Totals(rows, empty, weighted, len(rows))


def _number(value: Any) -> Any:
    found = json_value(value)
    return float("{:.10g}".format(found)) if isinstance(found, float) else found


def _of(row: Dict[str, Any], names: Names, band: int, statistic: str) -> Any:
    key = next((each.key for each in names.fields if each.band == band and each.statistic == statistic), "")
    return row.get(key)


def _blank(row: Dict[str, Any], names: Names, band: int) -> None:
    """A zone without a cell has a count of 0 and no other number: QGIS gives it the sum 0."""
    for each in names.fields:
        if each.band == band:
            row[each.key] = 0 if each.statistic == "count" else None


def _check(row: Dict[str, Any], names: Names, band: int, stats: BandStats) -> None:
    """Means and extremes lie within the band's own values, and a sum is the mean times the count."""
    slack = 1e-6 * max(abs(stats.low), abs(stats.high), 1e-12)
    for statistic in ("mean", "median", "min", "max"):
        value = _of(row, names, band, statistic)
        if stats.exact and value is not None and not stats.low - slack <= value <= stats.high + slack:
            raise broken(
                translate("QgisAgent", "a zone's {} is {:.8g}, the band goes from {:.8g} to {:.8g}").format(
                    statistic, value, stats.low, stats.high
                )
            )
    if _of(row, names, band, "variety") == 0:
        raise broken(translate("QgisAgent", "a zone with cells has no value"))
    total, mean, count = (_of(row, names, band, each) for each in (_SUM, "mean", "count"))
    if (
        total is not None
        and mean is not None
        and not math.isclose(total, mean * count, rel_tol=1e-6, abs_tol=slack * count)
    ):
        raise broken(translate("QgisAgent", "a zone's sum is not its mean times its count"))


def rule() -> str:
    """How edges count, in words."""
    return translate(
        "QgisAgent",
        "a cell counts whole when its centre is inside; where at most one does, all cells touched count by the share inside",
    )


def raster_part_of(layer: QgsRasterLayer) -> str:
    """The raster's CRS, in which zones are laid over the cells."""
    return str(layer.crs().authid() or layer.crs().description())
