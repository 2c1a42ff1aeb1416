"""Handlers of the pack "geometry": calculations. What a formula may have is decided in ``gis/analysis/formulas/formula.py``."""

from __future__ import annotations

from typing import Any, Dict, Generator

from ...analysis.checks.verify import (
    broken,
    require_count,
)
from ...analysis.formulas.formula import check_formula
from ...analysis.geometry import calculate as plans
from ...analysis.inputs.preflight import (
    Surveyor,
    no_features,
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
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("calculate_field", effect="create", runs="task")
def calculate_field(call: Call, layer_id: str, field: str, formula: str, type: str = "number") -> Steps:
    """A field by a formula, on a copy. The formula is evaluated beforehand, so that no feature is lost for its value."""
    layer = call.vector_layer(layer_id)
    check_formula(formula, layer)
    reader, surveyor = plans.FormulaReader(layer, formula, type, call.host.project), Surveyor(layer, placed=False)
    survey, seen = yield Work(
        translate("QgisAgent", "Evaluating the formula"),
        lambda feedback: (surveyor.read(feedback), reader.read(feedback)),
    )
    layer = call.vector_layer(layer_id)
    if not seen.count:
        raise no_features(layer, False)
    plans.require_values(seen)
    notes = remarks(layer, survey._replace(invalid=0, without_geometry=0)) + plans.notes_of(seen, reader, layer, survey)
    plan = plans.calculate_plan(layer, field, formula, type)
    replaced = layer.fields().lookupField(field) >= 0
    aliases, name = field_aliases(layer), "{} {}".format(clean_text(layer.name(), 60), clean_text(field, 40))
    context = analysis_context(call.host.project)
    made = yield from run_plan(plan, {"layer": layer}, context, notes)
    result = made[plan[-1].key]
    close_files(made)
    source, position = feature_source(result), result.fields().lookupField(field)
    values = yield Work(
        translate("QgisAgent", "Checking the result"), lambda feedback: plans.read_values(source, position, feedback)
    )
    require_count("native:refactorfields", seen.count, values.count)
    if not reader.varies and values.checksum != seen.checksum:
        raise broken(translate("QgisAgent", "the stored values are not those of the formula"))
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    if replaced:
        notes.append(
            translate("QgisAgent", "The field '{}' of the copy has new values; the source is unchanged.").format(field)
        )
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": values.count,
        "field": result.fields()[position].name(),
        "type": type,
        "null_count": values.nulls,
        "samples": values.samples,
        "crs": result.crs().authid(),
        "method": "{}; $area, $length: {}".format(clean_text(formula, 200), context.ellipsoid()),
        "algorithm": algorithms(plan),
        "warnings": notes,
    }
    if values.total is not None:
        data.update(min=values.least, max=values.greatest, sum=values.total)
        data["mean"] = values.total / (values.count - values.nulls)
    return Answer(data, " ".join(notes))
