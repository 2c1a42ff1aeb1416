"""One call of run_algorithm for several layers: a set of parameters for each."""

from __future__ import annotations

from typing import Any, Dict, List

from ...i18n import translate
from .parameter_errors import bad

EACH = "each"
MAX_BATCH = 50


def expanded(parameters: Dict[str, Any]) -> List[Dict[str, Any]]:
    """One set of parameters for each layer of {"each": [aliases]}; the parameters themselves where there is none."""
    several = [key for key, value in parameters.items() if isinstance(value, dict) and EACH in value]
    if not several:
        return [parameters]
    key = several[0]
    layers = parameters[key][EACH]
    if len(several) > 1 or len(parameters[key]) > 1 or not isinstance(layers, list) or not 0 < len(layers) <= MAX_BATCH:
        raise bad(
            key,
            translate("QgisAgent", "'each' takes one list of layers, in one parameter."),
            translate("QgisAgent", '{{"each": [aliases]}} with 1 to {} aliases.').format(MAX_BATCH),
        )
    return [dict(parameters, **{key: each}) for each in layers]
