"""Handlers of the pack "join": what lies near or inside."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generator, List, Mapping, Optional, Sequence, Set

from qgis.core import Qgis, QgsFeedback, QgsVectorLayer

from ...analysis.inputs.pair import pair_remarks
from ...analysis.inputs.preflight import (
    Surveyor,
    plain_remarks,
    remarks,
    require_features,
)
from ...analysis.inputs.remarks import long_way_said
from ...analysis.joins import (
    plans as joins,
)
from ...analysis.joins import (
    postgis,
)
from ...analysis.joins.near import (
    neighbours,
    read_shapes,
)
from ...analysis.joins.relate import (
    Related,
    long_ways,
    side_of,
)
from ...analysis.vector.polygons import label_fields
from ...call import Call
from ...conditions import Where
from ...features import FeatureReader, box_of_features, feature_source
from ...i18n import translate
from ...layers import clean_text
from ...selection import select_found
from ...work import Answer, Step, Work
from ..registry import tool
from .joins import checked_layers, joined_answer, run_join

Steps = Generator[Step, Any, Answer]
HERE = "QGIS (GEOS), indexed in memory"


@tool("select_by_location", effect="view", runs="task")
def select_by_location(
    call: Call,
    layer_id: str,
    by_layer_id: str,
    predicate: str = "intersects",
    distance_m: Optional[float] = None,
    mode: str = "replace",
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Select by place. Found in a task, selected in pieces, counted after it."""
    chosen = options or {}
    joins.require_distance(predicate, distance_m)
    layers = checked_layers(call, layer_id, by_layer_id)
    finder = Finder(call, *layers, predicate, distance_m, chosen.get("where") or (), chosen.get("by_where") or ())
    found = yield from select_found(layers[0], finder.find, mode)
    layers = checked_layers(call, layer_id, by_layer_id)
    notes = [note for each in dict.fromkeys(layers) for note in plain_remarks(each)]
    if finder.repaired:
        text = translate("QgisAgent", "{} invalid polygons were repaired for the comparison only.")
        notes.append(text.format(finder.repaired))
    notes += [long_way_said(count, name) for name, count in finder.long_ways.items() if count]
    if not found.matched:
        sources = [feature_source(each) for each in layers]
        boxes = yield Work(
            translate("QgisAgent", "Looking at the features"),
            lambda feedback: [box_of_features(each, feedback) for each in sources],
        )
        notes.append(translate("QgisAgent", "No feature matches."))
        notes += pair_remarks(layers[0], boxes[0], layers[1], boxes[1])
    alias = call.host.layers.alias(layers[0])
    told = {"predicate": predicate, "mode": mode, "by_layer_id": by_layer_id}
    if distance_m is not None:
        told["distance_m"] = distance_m
    call.acted("select", layer_id=alias, selected=found.after, **told)
    data = {
        "layer_id": alias,
        "selected": found.after,
        "before": found.before,
        "matched": found.matched,
        "count_kind": "exact",
        **told,
        "method": finder.how,
        "warnings": notes,
    }
    return Answer(data, " ".join(notes))


class Finder:
    """Finds the features to select, on a worker thread. Made on the main thread."""

    def __init__(
        self,
        call: Call,
        layer: QgsVectorLayer,
        by: QgsVectorLayer,
        predicate: str,
        distance_m: Optional[float],
        where: Where,
        by_where: Where,
    ) -> None:
        transforms = call.host.project.transformContext()
        self.how = HERE
        self.repaired = 0
        self.long_ways: Dict[str, int] = {}
        """Layers by name, with features that are drawn round the earth."""
        self._distance_m = distance_m
        self._left, self._right = side_of(layer, where, transforms), side_of(by, by_where, transforms)
        self._shaped = [
            (clean_text(each.name(), 60), side)
            for each, side in {layer.id(): (layer, self._left), by.id(): (by, self._right)}.values()
            if each.geometryType() != Qgis.GeometryType.Point
        ]
        self._same = layer.id() == by.id()
        self._all = FeatureReader(layer, where) if predicate == "disjoint" else None
        asked = "intersects" if predicate == "disjoint" else predicate
        self._server = postgis.server_pairs(layer, by, asked, where, by_where)
        # The provider's own number, perhaps an estimate, only chooses which side is indexed.
        fewer = layer.featureCount() < by.featureCount()
        self._related: Callable[[], Related] = lambda: Related(
            self._left, self._right, asked, left_is_fewer=fewer, same=self._same
        )

    def find(self, feedback: QgsFeedback) -> Set[int]:
        """Feature ids."""
        if self._distance_m is not None:
            return self._near(self._distance_m, feedback)
        found = self._server.left_ids(feedback) if self._server is not None else None
        if found is not None:
            self.how = postgis.HOW
        else:
            related = self._related()
            found = related.left_ids(feedback)
            self.repaired = len(related.repaired)
            self._look(feedback)
        if self._all is None:
            return found
        return {each.id() for each in self._all.read(feedback, fields=())} - found

    def _look(self, feedback: QgsFeedback) -> None:
        for name, side in self._shaped:
            self.long_ways[name] = long_ways(side, feedback)

    def _near(self, distance_m: float, feedback: QgsFeedback) -> Set[int]:
        first, second = read_shapes(self._left, feedback), read_shapes(self._right, feedback)
        near = neighbours(first, second, 1, distance_m, self._same, feedback)
        self.how = near.how
        self._look(feedback)
        return set(near.found)


@tool("nearest_features", effect="create", runs="task")
def nearest_features(
    call: Call,
    layer_id: str,
    to_layer_id: str,
    k: int = 1,
    max_distance_m: Optional[float] = None,
    fields: Sequence[str] = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """The k nearest features of another layer (or the same one), by metres on the ellipsoid."""
    chosen = {"output": "attributes", "keep_unmatched": True, "prefix": "near_", **(options or {})}
    wheres = (chosen.get("where") or (), chosen.get("to_where") or ())
    layers = checked_layers(call, layer_id, to_layer_id)
    wanted = joins.chosen_fields(layers[1], fields) if fields else label_fields(layers[1])
    surveyors = tuple(Surveyor(layer, where) for layer, where in zip(layers, wheres))
    surveys = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: [each.read(feedback) for each in surveyors],
    )
    layers = checked_layers(call, layer_id, to_layer_id)
    for layer, survey, where in zip(layers, surveys, wheres):
        require_features(layer, survey, bool(where))
    lines = chosen["output"] == "lines"
    keep = bool(chosen["keep_unmatched"]) and not lines
    parameters: Dict[str, Any] = {
        "NEIGHBORS": k,
        "FIELDS": wanted,
        "PREFIX": chosen["prefix"],
        "DISCARD_NONMATCHING": not keep,
        "LINES": lines,
    }
    if max_distance_m is not None:
        parameters["MAX_DISTANCE"] = max_distance_m
    expressions = (surveyors[0].expression, surveyors[1].expression)
    plan = joins.location_plan(tuple(surveys), expressions, parameters, True)
    notes = list(dict.fromkeys(note for layer, survey in zip(layers, surveys) for note in remarks(layer, survey)))
    notes += pair_remarks(layers[0], surveys[0].box, layers[1], surveys[1].box, reprojected=False)
    made, facts = yield from run_join(call, plan, layers, notes)
    counts = joins.counts_of(facts)
    joins.check_counts(plan[-1].algorithm, counts, surveys[0].usable, made.featureCount(), True, keep)
    notes += _said(counts, facts, max_distance_m)
    data = {
        **joins.number_data(counts, surveys[1].usable),
        "k": k,
        **{key: _metres(facts.get(name)) for key, name in _DISTANCES.items()},
        "ties": int(facts["TIED"]),
        "method": facts["HOW"],
    }
    if max_distance_m is not None:
        data["max_distance_m"] = max_distance_m
    name = translate("QgisAgent", "{} nearest {}").format(
        clean_text(layers[0].name(), 60), clean_text(layers[1].name(), 60)
    )
    kept = made if counts.matched else None
    return joined_answer(call, kept, name, plan, layers, (layer_id, to_layer_id), data, notes)


_DISTANCES = {
    "nearest_min_m": "DISTANCE_MIN",
    "nearest_mean_m": "DISTANCE_MEAN",
    "nearest_max_m": "DISTANCE_MAX",
}


def _metres(value: Any) -> Optional[float]:
    return None if value is None else round(float(value), 3)


def _said(counts: joins.Counts, facts: Mapping[str, Any], max_distance_m: Optional[float]) -> List[str]:
    found: List[str] = []
    if not counts.matched and max_distance_m is not None:
        found.append(translate("QgisAgent", "No feature has a neighbour within {:.15g} m.").format(max_distance_m))
    elif not counts.matched:
        found.append(translate("QgisAgent", "No feature has a neighbour: there is no other feature."))
    elif counts.unmatched and max_distance_m is not None:
        found.append(
            translate("QgisAgent", "{} of {} features have no neighbour within {:.15g} m.").format(
                counts.unmatched, counts.rows_in, max_distance_m
            )
        )
    elif counts.unmatched:
        found.append(
            translate("QgisAgent", "{} of {} features have no neighbour.").format(counts.unmatched, counts.rows_in)
        )
    if facts["TIED"]:
        found.append(
            translate(
                "QgisAgent", "For {} features another one is just as near and was left out (the lower id was taken)."
            ).format(int(facts["TIED"]))
        )
    if facts["LOST"]:
        found.append(
            translate("QgisAgent", "{} features have no place on earth and were left out.").format(int(facts["LOST"]))
        )
    return found
