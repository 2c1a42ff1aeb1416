"""Handlers of the pack "geometry": merging layers."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Sequence

from qgis.core import QgsCoordinateReferenceSystem, QgsFeatureRequest, QgsFeedback, QgsVectorLayer

from ...analysis.checks.verify import (
    broken,
    require_count,
)
from ...analysis.geometry import merge
from ...analysis.inputs.preflight import (
    Surveyor,
    remarks,
)
from ...analysis.run.outcome import (
    add_result,
    field_aliases,
    keep_aliases,
)
from ...analysis.run.plan import algorithms
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...call import Call
from ...errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...features import feature_source, read_features
from ...i18n import translate
from ...layers import clean_text, layer_kind
from ...sources.coordinates import known_crs
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("merge_layers", effect="create", runs="task")
def merge_layers(call: Call, layer_ids: Sequence[str], crs: Optional[str] = None, source_field: str = "layer") -> Steps:
    """All features of several layers in one, each with the name of its layer; counts of the parts add up."""
    aliases = list(dict.fromkeys(layer_ids))
    layers = _checked(call, aliases)
    target = _target(layers, crs)
    surveyors = [Surveyor(each) for each in layers]
    surveys = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: [each.read(feedback) for each in surveyors],
    )
    layers = _checked(call, aliases)
    total = sum(each.count for each in surveys)
    if not total:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "None of the layers has features."),
            hint=translate("QgisAgent", "Check the layers' filters."),
            reason="no_features",
        )
    columns = merge.columns_of(layers)
    _require_free(source_field, columns)
    keys = ["layer_{}".format(number) for number in range(1, len(layers) + 1)]
    inputs = dict(zip(keys, layers))
    names = {key: clean_text(layer.name(), 120) for key, layer in inputs.items()}
    notes = _notes(layers, surveys, columns, target)
    field_names = {key: text for layer in reversed(layers) for key, text in field_aliases(layer).items()}
    plan = merge.merge_plan(inputs, columns, source_field, names, target)
    made = yield from run_plan(plan, inputs, analysis_context(call.host.project), notes)
    result = made["result"]
    close_files(made)
    source = feature_source(result)
    found = yield Work(
        translate("QgisAgent", "Checking the result"), lambda feedback: _count(source, source_field, feedback)
    )
    require_count("native:mergevectorlayers", total, sum(found.values()))
    wanted: Dict[str, int] = {}
    for key, survey in zip(keys, surveys):
        wanted[names[key]] = wanted.get(names[key], 0) + survey.count
    if {key: number for key, number in wanted.items() if number} != found:
        raise broken(translate("QgisAgent", "the layers' features do not add up"))
    keep_aliases(result, field_names)
    name = translate("QgisAgent", "{} layers merged").format(len(layers))
    alias = add_result(call, result, name, plan, dict(zip(keys, aliases)))
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": total,
        "parts": [{"layer_id": one, "feature_count": each.count} for one, each in zip(aliases, surveys)],
        "source_field": source_field,
        "crs": result.crs().authid(),
        "algorithm": algorithms(plan),
        "warnings": notes,
    }
    clashing = {each.name: each.kinds for each in columns if each.clashes}
    if clashing:
        data["clashes"] = clashing
    return Answer(data, " ".join(notes), rows_key="parts")


def _checked(call: Call, aliases: Sequence[str]) -> List[QgsVectorLayer]:
    """The layers: at least two, of one kind, all with a CRS or none."""
    layers = [call.vector_layer(each) for each in aliases]
    if len(layers) < 2:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A layer cannot be merged with itself."),
            hint=translate("QgisAgent", "Name at least two different layers."),
            reason="layer_ids",
        )
    kinds = [layer_kind(each) for each in layers]
    if len(set(kinds)) > 1 or kinds[0] == "other":
        said = ", ".join("{} ({})".format(alias, kind) for alias, kind in zip(aliases, kinds))
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layers are of different kinds: {}.").format(said),
            hint=translate("QgisAgent", "Merge layers of one kind; derive_geometry makes points or lines of others."),
            reason="layer_kind",
        )
    without = [alias for alias, each in zip(aliases, layers) if each.isSpatial() and not each.crs().isValid()]
    if without and len(without) < len(layers):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "These layers have no CRS: {}.").format(", ".join(without)),
            hint=translate("QgisAgent", "Ask the person which CRS they are in, then set_layer_crs."),
            reason="no_crs",
        )
    return layers


def _target(layers: Sequence[QgsVectorLayer], crs: Optional[str]) -> QgsCoordinateReferenceSystem:
    """The CRS of the result; none where the layers have none."""
    if not layers[0].isSpatial() or not layers[0].crs().isValid():
        return QgsCoordinateReferenceSystem()
    return known_crs(crs) if crs else layers[0].crs()


def _require_free(source_field: str, columns: Sequence[merge.Column]) -> None:
    if any(each.name.casefold() == source_field.casefold() for each in columns):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layers have a field '{}' already.").format(source_field),
            hint=translate("QgisAgent", "Give source_field another name, such as {}_name.").format(source_field),
            reason="source_field",
        )


def _notes(
    layers: Sequence[QgsVectorLayer],
    surveys: Sequence[Any],
    columns: Sequence[merge.Column],
    target: QgsCoordinateReferenceSystem,
) -> List[str]:
    """What the person should know of the inputs."""
    notes: List[str] = []
    for layer, survey in zip(layers, surveys):
        notes += remarks(layer, survey._replace(invalid=0, without_geometry=0))
        if layer.isSpatial() and survey.without_geometry:
            text = translate("QgisAgent", "{} features of '{}' have no geometry; they are kept without.")
            notes.append(text.format(survey.without_geometry, clean_text(layer.name(), 60)))
        if not survey.count:
            notes.append(translate("QgisAgent", "'{}' has no features.").format(clean_text(layer.name(), 60)))
    moved = [clean_text(each.name(), 60) for each in layers if target.isValid() and each.crs() != target]
    if moved:
        notes.append(translate("QgisAgent", "Converted to {}: {}.").format(target.authid(), ", ".join(moved[:10])))
    for each in columns:
        if each.clashes:
            text = translate("QgisAgent", "The field '{}' is {} in the layers; all became {}.")
            became = "number" if set(each.kinds) == {"integer", "number"} else "text"
            notes.append(text.format(clean_text(each.name, 60), " / ".join(each.kinds), became))
    return notes


def _count(source: Any, field: str, feedback: QgsFeedback) -> Dict[str, int]:
    """Features of each layer by the field of names, on a worker thread."""
    position = source.fields().lookupField(field)
    request = QgsFeatureRequest().setSubsetOfAttributes([position]).setFlags(QgsFeatureRequest.Flag.NoGeometry)
    found: Dict[str, int] = {}
    for feature in read_features(source, request, feedback):
        found[str(feature[position])] = found.get(str(feature[position]), 0) + 1
    return found
