"""Which algorithms of a trace are exported at all, and which a person should look at before the export runs.

A trace may come from anywhere. What the agent never runs, and what names the place of a result, is no part of an export either;
what a person would have been asked about each time is said in it.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from qgis.core import QgsApplication, QgsProcessingAlgorithm

from ..analysis.generic.effects import ASKED_EACH_TIME, NEVER, known, reason_text
from ..analysis.run.providers import load_providers
from ..errors import UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text

_LEFT_OUT = ("refused", "left_out")
"""Rules of parameters that no call may give by itself (see ``analysis/formulas/text_rules.py``)."""
_OUTSIDE = ("file", "authcfg", "providerconnection")
"""Kinds of parameters that only QGIS's own algorithms may be given: what others do with them is not known."""
_RAISING = ("command_line", "sql", "code")


def refusal(ident: str, parameters: Mapping[str, Any], outputs: Sequence[str]) -> str:
    """Why an algorithm with these parameters is not exported; "" where it is. ``outputs`` get their places from the export."""
    algorithm = _found(ident)
    if algorithm is None:
        return translate("QgisAgent", "{} is not available in this QGIS").format(ident)
    about = known(algorithm)
    if about.effect == NEVER:
        return translate("QgisAgent", "{} is not run by the agent: {}").format(ident, reason_text(about))
    for each in (*parameters, *outputs):
        definition = algorithm.parameterDefinition(each)
        # Looked up by QGIS without regard to case, as it will be when the export runs.
        name = each if definition is None else definition.name()
        kind = "" if definition is None else definition.type()
        given = _is_given(parameters.get(each))
        places = given and (each in outputs or (definition is not None and definition.isDestination()))
        outside = given and not about.shipped and kind in _OUTSIDE
        ruled = about.rules.get(name) in _LEFT_OUT and (given or each in outputs)
        if places or outside or ruled:
            return translate("QgisAgent", "{} is given the parameter {}, which the agent does not give").format(
                ident, name
            )
    return ""


def warning(ident: str, parameters: Mapping[str, Any]) -> str:
    """What a person should look at: that an algorithm runs SQL or code, or writes; "" for all others."""
    algorithm = _found(ident)
    if algorithm is None:
        return ""
    about = known(algorithm)
    if about.effect in ASKED_EACH_TIME:
        return reason_text(about)
    raising = [each for each in parameters if about.rules.get(_name(algorithm, each)) in _RAISING]
    if any(_is_given(parameters[each]) for each in raising):
        return translate("QgisAgent", "it is given options of a command line or SQL")
    return ""


def not_exportable(why: str) -> ToolError:
    """UNSUPPORTED: all that ran is refused; ``why`` is said of the first."""
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "No step of this run can be exported: {}.").format(clean_text(why, 300)),
        hint=translate("QgisAgent", "Choose a request with an analysis, for example a buffer or an overlay."),
        reason="not_exportable",
    )


def _is_given(value: Any) -> bool:
    return value is not None and value != ""


def _name(algorithm: QgsProcessingAlgorithm, name: str) -> str:
    definition = algorithm.parameterDefinition(name)
    return name if definition is None else str(definition.name())


def _found(ident: str) -> Any:
    """The algorithm of an id, as QGIS will find it for the model or the script; None where there is none."""
    load_providers()
    return QgsApplication.processingRegistry().createAlgorithmById(ident)
