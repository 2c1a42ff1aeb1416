"""Whether a call of an algorithm may run, and what it counts as: decided on the QGIS side, from the call as it came.

``admitted(call, algorithm, parameters)`` looks at the parameters as the caller wrote them (layers are aliases), before they
become QGIS's. ``call_effect`` is the hook of ``run_algorithm`` in ``gis/tools/registry.py``: it gives the effect of a call,
so that ``write`` and ``execute`` are asked about with all arguments before anything runs.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, Dict, List, NamedTuple, Optional

from qgis.core import (
    QgsFields,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingParameterDefinition,
    QgsVectorLayer,
)

from ...call import Call
from ...errors import (
    FORBIDDEN,
    ToolError,
    hint_for_name,
)
from ...i18n import translate
from ...layers import clean_text
from ...scope import hidden_fields, seen_fields
from ...tools.registry import EFFECTS
from ..formulas.calc_formula import band_names
from ..formulas.formula import check_formula_of
from ..formulas.text_rules import (
    apply,
    check_leaves,
    refused,
)
from ..run.providers import resolved
from .batch import expanded
from .effects import (
    ASKED_EACH_TIME,
    NEVER,
    Known,
    known,
    reason_text,
)

_FORMULAS = {"fields_mapping": "expression", "aggregates": "input"}
"""Kinds of tables, with the column that is a formula."""
_AGGREGATES = frozenset(
    """first_value last_value count count_distinct count_missing min max sum mean median stdev range minority majority q1 q3 iqr
    minimum maximum min_length max_length concatenate concatenate_unique collect array_agg""".split()
)
_UNKNOWN_RULES = {"string": "text", "file": "refused", "authcfg": "refused", "providerconnection": "refused"}
"""For algorithms that are not part of QGIS."""


_READ_THE_PROJECT = frozenset(
    "native:{}".format(each) for each in "extractlabels flattenrelationships tilesxyzdirectory tilesxyzmbtiles".split()
)
"""They take no layers, or more than those: the map as it is drawn with its labels, the tables of a relation."""
_PLAIN_NAME = re.compile(r"^[\w .\-]{0,64}$")
_QUOTED_OPERATORS = (0, 1, "0", "1", "=", "≠")
"""Of native:extractbyattribute: with these QGIS quotes the value."""
_EXACT = ("enum", "boolean", "band")
"""Kinds of which ``parameters.py`` lets only known values pass: the text "<" is a choice there."""


MAX_ALIAS = 60
MAX_VALUES = 1000
"""Of one list: so many layers are in no call."""


class Admission(NamedTuple):
    """``effect`` of the call, and why it is graver than making a layer ("" where it is not)."""

    effect: str
    reason: str


def call_effect(call: Call, arguments: Dict[str, Any]) -> str:
    """The effect of a call of run_algorithm with ``arguments`` {algorithm, parameters, …}. ToolError where it may not run.

    NOT_FOUND for an algorithm that does not exist.
    """
    parameters = arguments.get("parameters")
    algorithm = resolved(str(arguments.get("algorithm") or ""))
    # Each run of a batch by itself: what is inside {"each": [...]} is a parameter as any other.
    runs = [admitted(call, algorithm, each) for each in expanded(parameters if isinstance(parameters, dict) else {})]
    gravest = max(runs, key=lambda each: EFFECTS.index(each.effect))
    call.asked_because = gravest.reason
    call.uses = list(dict.fromkeys(call.uses + _aliases(call, parameters)))
    if gravest.effect in ASKED_EACH_TIME:
        call.cannot_undo = translate(
            "QgisAgent", "What '{}' changes in files, databases or other programs cannot be undone."
        ).format(algorithm.id())
    return gravest.effect


def _aliases(call: Call, value: Any) -> List[str]:
    """The layers that the parameters name, however deep: the card and the log tell them, and the call ends when one goes."""
    if isinstance(value, str):
        return [value] if 0 < len(value) <= MAX_ALIAS and call.host.layers.by_alias(value) is not None else []
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [alias for each in inside[:MAX_VALUES] for alias in _aliases(call, each)]


def admitted(call: Call, algorithm: QgsProcessingAlgorithm, parameters: Dict[str, Any]) -> Admission:
    """What the call counts as. FORBIDDEN for an algorithm that never runs here, INVALID_PARAM for a value that may not be given.

    Whether a parameter exists and fits its type is not judged here (``parameters.py``), only whether it may do harm.
    """
    about = known(algorithm)
    waived = call.host.admission_waived
    if about.effect == NEVER and not waived(about.why, algorithm.id()):
        raise _never(algorithm, about)
    _require_nothing_hidden(call, algorithm, parameters)
    effects = [about.effect if about.effect != NEVER else "write"]
    for definition in algorithm.parameterDefinitions():
        value = parameters.get(definition.name())
        if value is not None:
            effects.append(_checked(call, algorithm, about, definition, value, parameters))
    effect = max((each for each in effects if each), key=EFFECTS.index)
    if effect in ASKED_EACH_TIME and waived(about.why, algorithm.id()):
        effect = "create"
    return Admission(effect, _reason(about, effect))


def _require_nothing_hidden(call: Call, algorithm: QgsProcessingAlgorithm, parameters: Dict[str, Any]) -> None:
    """FORBIDDEN for what reads the map or the project as a whole while a part of it is hidden from the tools."""
    ident = algorithm.id()
    whole = ident in _READ_THE_PROJECT
    if ident == "native:rasterize":
        whole = not parameters.get("LAYERS") or bool(parameters.get("MAP_THEME"))
    if whole and any(_hides_some(call, each) for each in call.host.project.mapLayers().values()):
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "{} reads the whole map, and a part of it is outside the agent's scope.").format(
                ident
            ),
            hint=translate("QgisAgent", "Use an algorithm that takes layers, with layers in scope."),
            reason="scope",
        )


def _hides_some(call: Call, layer: QgsMapLayer) -> bool:
    return call.host.layers.is_hidden(layer) or (isinstance(layer, QgsVectorLayer) and bool(hidden_fields(layer)))


def _reason(about: Known, effect: str) -> str:
    """Why the person is asked; "" where nobody is."""
    if effect not in ASKED_EACH_TIME:
        return ""
    if about.effect == effect:
        return reason_text(about)
    return translate("QgisAgent", "it is given options of a command line or SQL")


def _checked(
    call: Call,
    algorithm: QgsProcessingAlgorithm,
    about: Known,
    definition: QgsProcessingParameterDefinition,
    value: Any,
    parameters: Dict[str, Any],
) -> str:
    name, kind = definition.name(), definition.type()
    if definition.isDestination():
        # The files of some outputs are named by the data: one of native:pointstopath's is "../x.txt" for a group "../x".
        if not isinstance(value, bool) or (value and about.rules.get(name) == "left_out"):
            raise refused(
                name,
                translate("QgisAgent", "where a result goes is chosen by QGIS"),
                translate("QgisAgent", "Leave it out; prepare_export_layer writes a result to a file."),
            )
        return ""
    rule = about.rules.get(name) or ("" if about.shipped else _UNKNOWN_RULES.get(kind, ""))
    if rule == "like_value" and parameters.get("OPERATOR", 0) in _QUOTED_OPERATORS:
        rule = "value"
    if rule:
        effect = apply(rule, name, value, call.host.paths)
        if rule == "raster_formula":
            _check_bands(call, name, value)
        return effect
    if kind == "expression":
        _check_expression(call, algorithm, definition, value, parameters)
        return ""
    if kind in _FORMULAS:
        value = _check_rows(call, definition, value, parameters)
    if kind in _EXACT:
        return ""
    check_leaves(name, value, lambda text: call.host.layers.by_alias(text) is not None)
    if kind == "field":
        _check_field(call, algorithm, definition, value, parameters)
    return ""


def _check_expression(
    call: Call,
    algorithm: QgsProcessingAlgorithm,
    definition: QgsProcessingParameterDefinition,
    value: Any,
    parameters: Dict[str, Any],
) -> None:
    if not isinstance(value, str):
        raise refused(
            definition.name(), translate("QgisAgent", "it must be a text"), translate("QgisAgent", "Give a formula.")
        )
    if value.strip() and not call.host.admission_waived("expression", algorithm.id()):
        fields = _fields(call, parameters.get(definition.parentLayerParameterName()))
        check_formula_of(value, fields, aggregates=True)


def _check_bands(call: Call, name: str, formula: str) -> None:
    """No band of a layer that is hidden from the tools: QGIS's calculators look for names in the whole project."""
    seen = {each.id() for each in call.host.layers.layers()}
    named = set(band_names(formula))
    for layer in call.host.project.mapLayers().values():
        own = {layer.name(), layer.source(), PurePath(layer.source()).stem}
        if layer.id() not in seen and own & named:
            raise refused(
                name,
                translate("QgisAgent", "there is no raster '{}'").format(clean_text(min(own & named), 60)),
                translate("QgisAgent", "Name the bands of the layers that you give."),
            )


def _check_rows(
    call: Call, definition: QgsProcessingParameterDefinition, value: Any, parameters: Dict[str, Any]
) -> List[Dict[str, Any]]:
    """The formulas of a table of fields; gives back the rows without them."""
    column = _FORMULAS[definition.type()]
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise refused(
            definition.name(),
            translate("QgisAgent", "it must be a list of objects"),
            translate("QgisAgent", "See describe_algorithm."),
        )
    # 3.40 has no class of its own in Python for tables of aggregates, so that one does not say which layer it is about.
    parent = definition.parentLayerParameterName() if hasattr(definition, "parentLayerParameterName") else "INPUT"
    fields = _fields(call, parameters.get(parent))
    for row in value:
        formula = row.get(column)
        if formula is not None and str(formula).strip():
            check_formula_of(formula, fields)
        # The name becomes part of an expression of QGIS's.
        if "aggregate" in row and row["aggregate"] not in _AGGREGATES:
            raise refused(
                definition.name(),
                translate("QgisAgent", "there is no aggregate '{}'").format(clean_text(str(row["aggregate"]), 60)),
                translate("QgisAgent", "Aggregates: {}.").format(", ".join(sorted(_AGGREGATES))),
            )
    return [{key: each for key, each in row.items() if key not in (column, "delimiter")} for row in value]


def _check_field(
    call: Call,
    algorithm: QgsProcessingAlgorithm,
    definition: QgsProcessingParameterDefinition,
    value: Any,
    parameters: Dict[str, Any],
) -> None:
    """A field that is there; or, where a call may name others, plain words: names become part of SQL and expressions.

    GDAL's algorithms put them into a command line too, and do not quote what is in the data.
    """
    fields = _fields(call, parameters.get(definition.parentLayerParameterName()))
    there = [each.name() for each in fields] if fields is not None else []
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, str):
            continue
        names = [each] if each in there else each.split(";")
        for name in names:
            unsafe = algorithm.provider().id() == "gdal" and (set(name) & set("\"'`\\;$\n\r") or name.startswith("-"))
            if unsafe or (name not in there and _PLAIN_NAME.match(name) is None):
                raise refused(
                    definition.name(),
                    translate("QgisAgent", "'{}' cannot be taken as the name of a field").format(clean_text(name, 60)),
                    hint_for_name(name, there, "field"),
                )


def _fields(call: Call, value: Any) -> Optional[QgsFields]:
    """The fields of the layer or layers that a parameter names; None where there is none."""
    found: Optional[QgsFields] = None
    for layer in _layers(call, value):
        if not isinstance(layer, QgsVectorLayer):
            continue
        if found is None:
            found = QgsFields(seen_fields(layer))
        else:
            known_names = [each.name() for each in found]
            for field in seen_fields(layer):
                if field.name() not in known_names:
                    found.append(field)
    return found


def _layers(call: Call, value: Any) -> List[QgsMapLayer]:
    if isinstance(value, dict):
        value = value.get("layer_id")
    aliases = value if isinstance(value, list) else [value]
    found = []
    for each in aliases:
        alias = each.get("layer_id") if isinstance(each, dict) else each
        layer = call.host.layers.by_alias(alias) if isinstance(alias, str) else None
        if layer is not None:
            found.append(layer)
    return found


def _never(algorithm: QgsProcessingAlgorithm, about: Known) -> ToolError:
    instead = translate("QgisAgent", "Use {}.").format(about.instead) if about.instead else ""
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "{} is not run by the agent: {}.").format(algorithm.id(), reason_text(about)),
        hint=instead or translate("QgisAgent", "A person can run it in the Processing toolbox."),
        reason="algorithm_" + about.why,
    )
