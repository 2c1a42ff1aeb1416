"""Handlers of the pack "default": measuring on the ellipsoid."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import QgsVectorLayer

from ... import distances
from ...call import Call
from ...conditions import Where
from ...errors import AMBIGUOUS, INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...i18n import translate
from ...measuring import HOW, KIND_OF, Chosen, SizeReader, Sizes, fitting, require_crs, require_kind
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_IS = {
    "length": "sum of the lengths",
    "area": "sum of the areas",
    "perimeter": "sum of the perimeters",
    "distance": "smallest distance",
}
"""What the number ``value`` is, for the model."""
MOST_APART = 10
"""Features of one set whose distances among each other are measured."""
MOST_SHAPES = 200_000
"""Features of each of two sets."""


class Target(NamedTuple):
    """A layer, its alias, and the ids of its selected features where only these are meant."""

    layer: QgsVectorLayer
    alias: str
    ids: Optional[List[int]]


@tool("measure", effect="read", runs="task")
def measure(
    call: Call,
    method: str,
    layer_id: Optional[str] = None,
    where: Where = (),
    other_layer_id: Optional[str] = None,
    other_where: Where = (),
    use_selection: bool = False,
) -> Steps:
    """Lengths, perimeters, areas (sum, count, min, max, mean) and smallest distances, on the ellipsoid WGS 84."""
    if method != "distance":
        if other_layer_id is not None or other_where:
            raise _unused("other_layer_id", "other_where")
        target = _target(call, method, layer_id, use_selection)
        reader = SizeReader(target.layer, method, where, target.ids, target.alias)
        sizes = yield Work(translate("QgisAgent", "Measuring"), reader.read)
        return _sizes_answer(call, method, target, sizes)
    sets = _distance_sets(call, layer_id, where, other_layer_id, other_where, use_selection)
    found = yield Work(translate("QgisAgent", "Measuring"), sets.read)
    return _distance_answer(call, sets, found)


# lengths, perimeters, areas


def _sizes_answer(call: Call, method: str, target: Target, sizes: Sizes) -> Answer:
    data: Dict[str, Any] = {"layer_id": target.alias, "method": method, "how": HOW, "count": len(sizes.values)}
    notes: List[str] = []
    found = sizes.summary()
    area = method == "area"
    data["value"], data["unit"] = (round(found["sum"], 3) if found else None), ("m²" if area else "m")
    if found:
        data["value_km2" if area else "value_km"] = round(found["sum"] / (1e6 if area else 1e3), 6)
    if len(sizes.values) > 1:
        data.update({name: round(found[name], 3) for name in ("min", "max", "mean")})
    data["value_is"] = _IS[method]
    if not found and not (sizes.without_geometry or sizes.failed or sizes.negative.count):
        notes.append(translate("QgisAgent", "No feature matches."))
    if sizes.without_geometry:
        notes.append(translate("QgisAgent", "{} features have no geometry.").format(sizes.without_geometry))
    if sizes.failed:
        notes.append(
            translate("QgisAgent", "{} features lie nowhere on earth in the layer's CRS and are left out.").format(
                sizes.failed
            )
        )
    notes.extend(_invalid_notes(sizes))
    notes.extend(_filter_note([target.layer]))
    call.add_evidence(target.alias, translate("QgisAgent", "{}: {}, {}").format(target.alias, method, HOW))
    return Answer(data, " ".join(notes))


def _invalid_notes(sizes: Sizes) -> List[str]:
    notes: List[str] = []
    if sizes.invalid.count:
        notes.append(
            translate(
                "QgisAgent",
                "{} polygons are invalid (rings cross or holes lie outside), so their areas are doubtful: {}.",
            ).format(sizes.invalid.count, sizes.invalid.text())
        )
    if sizes.negative.count:
        notes.append(
            translate(
                "QgisAgent",
                "{} invalid polygons come out below zero (the holes outweigh the rest) and are left out: {}.",
            ).format(sizes.negative.count, sizes.negative.text())
        )
    return notes


# distances


class _Sets:
    """One set of features whose distances among each other are meant, or two sets. Made on the main thread."""

    def __init__(
        self, call: Call, first: Sequence[Target], where: Where, second: Optional[Target], other: Where
    ) -> None:
        for target in [*first, *([second] if second is not None else [])]:
            require_kind(target.layer, "distance", target.alias)
            require_crs(target.layer, target.alias)
        self.first, self.second = list(first), second
        self._context = call.host.project.transformContext()
        self._one = [Chosen(each.layer, where, each.ids) for each in first]
        self._two = Chosen(second.layer, other, second.ids) if second is not None else None
        self._one_layer = second is not None and [each.layer.id() for each in first] == [second.layer.id()]

    def read(self, feedback: Any) -> Tuple[List[distances.Shape], List[distances.Shape], List[distances.Nearest]]:
        """The shapes of both sets and the distances: one between two sets, else each pair. On a worker thread."""
        most = MOST_APART if self._two is None else MOST_SHAPES
        one: List[distances.Shape] = []
        for chosen in self._one:
            one.extend(distances.read_shapes(chosen, self._context, feedback, most))
        if self._two is None:
            few = 2 <= len(one) <= MOST_APART
            return one, [], distances.pairs(one, feedback) if few else []
        two = distances.read_shapes(self._two, self._context, feedback, most)
        if not one or not two:
            return one, two, []
        if max(len(one), len(two)) > MOST_SHAPES:
            raise _too_many(MOST_SHAPES)
        if self._one_layer:
            two = _others(one, two)
        return one, two, [distances.nearest(one, two, feedback)]

    def layers(self) -> List[QgsVectorLayer]:
        """Every layer that is measured."""
        return [each.layer for each in self.first] + ([self.second.layer] if self.second is not None else [])


def _others(one: Sequence[distances.Shape], two: Sequence[distances.Shape]) -> List[distances.Shape]:
    """The second set of a layer without the features of the first: a feature is 0 m away from itself.

    INVALID_PARAM where the sets overlap otherwise.
    """
    first = {each.number for each in one}
    others = [each for each in two if each.number not in first]
    if len(others) == len(two) or (others and len(two) - len(others) == len(one)):
        return others
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "Some features are in both sets, and each is 0 m away from itself."),
        hint=translate("QgisAgent", "Give where and other_where that choose different features."),
        reason="same_features",
    )


def _distance_sets(
    call: Call,
    layer_id: Optional[str],
    where: Where,
    other_layer_id: Optional[str],
    other_where: Where,
    use_selection: bool,
) -> _Sets:
    if other_layer_id is None and other_where:
        other_layer_id = layer_id
    second = None
    if other_layer_id is not None:
        second = Target(call.vector_layer(other_layer_id), other_layer_id, None)
    if layer_id is None and use_selection and second is None and not where:
        return _Sets(call, _selected(call, "distance"), where, None, other_where)
    return _Sets(call, [_target(call, "distance", layer_id, use_selection)], where, second, other_where)


def _distance_answer(call: Call, sets: _Sets, found: Any) -> Answer:
    one, two, pairs = found
    alias = sets.first[0].alias
    data: Dict[str, Any] = {"method": "distance", "layer_id": alias, "count": len(one), "value": None, "unit": "m"}
    if sets.second is not None:
        data.update(other_layer_id=sets.second.alias, other_count=len(two))
        if not pairs:
            empty = alias if not one else sets.second.alias
            return Answer(data, translate("QgisAgent", "No feature of '{}' matches.").format(empty))
    elif not pairs:
        return _none_apart(data, len(one))
    notes = _fill(data, one, pairs, bool(two))
    call.add_evidence(alias, translate("QgisAgent", "{}: distance, {}").format(alias, data["how"]))
    return Answer(data, " ".join([*notes, *_filter_note(sets.layers())]), rows_key="pairs" if "pairs" in data else "")


def _fill(data: Dict[str, Any], one: Sequence[Any], pairs: Sequence[distances.Nearest], two_sets: bool) -> List[str]:
    """Value, its pair and the way along points; returns what is to be said."""
    notes: List[str] = []
    closest = min(pairs, key=lambda each: each.metres)
    data["how"] = max(pairs, key=lambda each: each.excess).how
    data.update(value=round(closest.metres, 3), value_km=round(closest.metres / 1000, 6), value_is=_IS["distance"])
    data.update({"from": closest.first.label, "to": closest.second.label})
    if len(pairs) > 1:
        notes.extend(_several(data, one, pairs))
    if two_sets and closest.metres == 0.0:
        notes.append(translate("QgisAgent", "They touch or overlap."))
    excess = max(each.excess for each in pairs)
    if excess >= 0.001:
        notes.append(
            translate("QgisAgent", "The shapes lie far apart: the value may be up to {:.1f} % too long.").format(
                100 * excess
            )
        )
    return notes


def _several(data: Dict[str, Any], one: Sequence[Any], pairs: Sequence[distances.Nearest]) -> List[str]:
    """The pairs, and for points the way along them as ``path_m``."""
    data["pairs"] = [distances.pair_row(each) for each in pairs]
    apart = ("{} – {}: {:.1f} m".format(each.first.label, each.second.label, each.metres) for each in pairs[:10])
    notes = ["; ".join(apart) + ".", translate("QgisAgent", "The value is the smallest of these distances.")]
    if distances.all_points(one):
        way = sum(each.metres for each in pairs if _follows(one, each))
        data["path_m"] = round(way, 3)
        notes.append(translate("QgisAgent", "The way along the points in the layer's order is {:.1f} m.").format(way))
    return notes


def _follows(shapes: Sequence[Any], pair: distances.Nearest) -> bool:
    """Whether the second of a pair comes right after the first."""
    return any(left is pair.first and right is pair.second for left, right in zip(shapes, shapes[1:]))


def _none_apart(data: Dict[str, Any], count: int) -> Answer:
    """One set that is too small or too large for distances among its features."""
    if count == 0:
        return Answer(data, translate("QgisAgent", "No feature matches."))
    if count > MOST_APART:
        raise _too_many(MOST_APART)
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "There is one feature only: a distance needs two."),
        hint=translate("QgisAgent", "Give other_layer_id (and other_where), or choose 2 to 10 features."),
        reason="one_feature",
    )


# what is measured


def _target(call: Call, method: str, layer_id: Optional[str], use_selection: bool) -> Target:
    """The layer of ``layer_id``, with its selection where asked for; without it the one layer that has a selection."""
    if layer_id is not None:
        layer = call.vector_layer(layer_id)
        if not use_selection:
            return Target(layer, call.host.layers.alias(layer), None)
        if not layer.selectedFeatureCount():
            raise _nothing_selected(translate("QgisAgent", "Nothing is selected in '{}'.").format(layer_id))
        return Target(layer, call.host.layers.alias(layer), layer.selectedFeatureIds())
    if not use_selection:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "What is to be measured is not said."),
            hint=translate(
                "QgisAgent", "Give layer_id (and where), or use_selection true for what the person selected."
            ),
            reason="layer_id",
        )
    found = _selected(call, method)
    if len(found) == 1:
        return found[0]
    raise ToolError(
        AMBIGUOUS,
        translate("QgisAgent", "Features are selected in {} layers.").format(len(found)),
        hint=translate("QgisAgent", "Ask which layer is meant and give layer_id."),
        reason="selection",
        options=[{"label": each.alias, "layer_id": each.alias} for each in found[:12]],
    )


def _selected(call: Call, method: str) -> List[Target]:
    """Layers with a selection whose geometries have the size. NOT_FOUND when nothing is selected."""
    selected = call.host.selected()
    if not selected:
        raise _nothing_selected(translate("QgisAgent", "Nothing is selected."))
    usable = fitting(selected, method)
    if not usable:
        require_kind(selected[0], method, call.host.layers.alias(selected[0]))
    return [Target(each, call.host.layers.alias(each), each.selectedFeatureIds()) for each in usable]


def _nothing_selected(message: str) -> ToolError:
    return ToolError(
        NOT_FOUND,
        message,
        hint=translate(
            "QgisAgent", "Select features first (select_features, or the person does), or give layer_id and where."
        ),
        reason="selection",
    )


def _too_many(most: int) -> ToolError:
    return ToolError(
        INVALID_PARAM if most == MOST_APART else UNSUPPORTED,
        translate("QgisAgent", "There are more than {} features.").format(most),
        hint=translate("QgisAgent", "Choose fewer with where, or measure between two layers (other_layer_id)."),
        reason="too_many_features",
    )


def _unused(*names: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} go with method distance only.").format(", ".join(names)),
        hint=translate("QgisAgent", "Leave them out, or use method distance. Methods: {}, distance.").format(
            ", ".join(KIND_OF)
        ),
        reason="method",
    )


def _filter_note(layers: Sequence[QgsVectorLayer]) -> List[str]:
    if any(each.subsetString() for each in layers):
        return [translate("QgisAgent", "The layer's filter is in force.")]
    return []
