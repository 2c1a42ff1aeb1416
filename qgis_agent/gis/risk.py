"""What is risky about one call, whatever its level allows: short ids for the decision, and words for the card.

Run for every call that does more than read. A risk makes an "allow" an "ask" for this one call; where the person is asked
anyway it is a line of the card. What is no matter of asking is refused elsewhere: paths in ``paths.py``, what an algorithm may
do in ``analysis/generic/admission.py``, sizes in ``analysis/generic/sizes.py``.
"""

from __future__ import annotations

import ipaddress
import os
from typing import Any, List, NamedTuple, Set, Tuple
from urllib.parse import urlsplit

from qgis.core import QgsApplication, QgsDataSourceUri, QgsMapLayer, QgsRasterLayer, QgsVectorLayer

from .analysis.generic.effects import known
from .call import Call
from .i18n import translate
from .layers import clean_text
from .sources.urls import host_of

MANY_FEATURES = 10_000
LARGE_FEATURES = 3_000_000
"""Inputs of more features than this take minutes: QGIS 3.40 buffers a million points in some 20 s on two cores."""
LARGE_CELLS = 2_000_000_000
"""As many cells are 16 GB of 64-bit numbers."""
_COUNTED = ("memory", "ogr", "delimitedtext")
"""Providers that know the number of their features; others would have to ask a server, on the main thread."""
_LOCAL_NAMES = (".local", ".localhost", ".internal", ".lan", ".home", ".intranet", ".corp", ".home.arpa")


class Risk(NamedTuple):
    """``reason`` is a short id; ``words`` say it to a person."""

    reason: str
    words: str


def risks_of(call: Call, effect: str) -> Tuple[Risk, ...]:
    """The risks of a call. A check that breaks raises: the caller refuses the call then."""
    if effect == "read":
        return ()
    found: List[Risk] = []
    if effect == "write":
        found += _of_path(call)
    if effect == "network":
        found += _of_host(call)
    if effect == "execute":
        found += _of_code(call)
    if effect in ("create", "execute"):
        found += _of_size(call)
    return tuple(found)


def many_features(count: int) -> Tuple[Risk, ...]:
    """A change of more than 10,000 features: known only once they have been looked for."""
    if count <= MANY_FEATURES:
        return ()
    return (Risk("many_features", translate("QgisAgent", "Many features at once: {}").format(count)),)


def _of_path(call: Call) -> List[Risk]:
    text = call.arguments.get("path")
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        return []
    folder = call.host.paths.project_folder()
    path = text if os.path.isabs(text) or not folder else os.path.join(folder, text)
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    found = []
    root = os.path.realpath(folder) if folder else ""
    if root and os.path.commonpath([root, real]) != root:
        found.append(
            Risk(
                "outside_project",
                translate("QgisAgent", "Outside the project folder: {}").format(clean_text(os.path.dirname(real), 400)),
            )
        )
    if os.path.lexists(real):
        found.append(Risk("overwrites", translate("QgisAgent", "There is a file of this name already")))
    return found


def _of_host(call: Call) -> List[Risk]:
    url = str(call.arguments.get("url") or "")
    host = host_of(url)
    if not host:
        return []
    found = []
    if is_private(urlsplit(url.strip()).hostname or ""):
        found.append(
            Risk("private_host", translate("QgisAgent", "The address belongs to this computer or to the local network"))
        )
    if host not in _hosts_of_project(call):
        found.append(Risk("new_host", translate("QgisAgent", "No layer of this project comes from this host so far")))
    return found


def is_private(host: str) -> bool:
    """Whether a host (without a port) is this computer, a private, link-local or reserved address, or a name of a local net.

    Names are not resolved: that could hold the main thread, and the answer may be another one a second later.
    """
    name = host.strip().lower().rstrip(".").partition("%")[0]
    if _address(name):
        address = ipaddress.ip_address(name)
        inner = getattr(address, "ipv4_mapped", None)
        return not (inner or address).is_global
    return _old_number(name) or "." not in name or name.endswith(_LOCAL_NAMES)


def _address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _old_number(name: str) -> bool:
    """Addresses as 2130706433, 0x7f.1 or 0177.0.0.1: resolvers take them for numbers, people do not see which."""
    parts = name.split(".")
    return bool(name) and all(each.isdecimal() or each.startswith("0x") for each in parts if each) and bool(parts[0])


def _hosts_of_project(call: Call) -> Set[str]:
    found: Set[str] = set()
    for layer in call.host.project.mapLayers().values():
        source = layer.source()
        uri = QgsDataSourceUri()
        uri.setEncodedUri(source)
        addresses = [uri.param("url"), source]
        found.update(host_of(each) for each in addresses if "://" in each)
    return found - {""}


def _of_code(call: Call) -> List[Risk]:
    words = call.asked_because or translate("QgisAgent", "it runs code")
    found = [Risk("code", words)]
    algorithm = QgsApplication.processingRegistry().algorithmById(str(call.arguments.get("algorithm") or ""))
    if algorithm is not None and not known(algorithm).shipped and not algorithm.destinationParameterDefinitions():
        found.append(
            Risk("no_outputs", translate("QgisAgent", "An algorithm of a plugin that does not say what it makes"))
        )
    return found


def _of_size(call: Call) -> List[Risk]:
    layers = [each for each in map(call.host.layers.by_alias, _aliases(call.arguments)) if each is not None]
    features = sum(_features(each) for each in layers)
    cells = sum(each.width() * each.height() for each in layers if isinstance(each, QgsRasterLayer))
    if features > LARGE_FEATURES:
        return [Risk("large_cost", translate("QgisAgent", "It may take long: about {} features").format(features))]
    if cells > LARGE_CELLS:
        return [Risk("large_cost", translate("QgisAgent", "It may take long: {} cells").format(cells))]
    return []


def _features(layer: QgsMapLayer) -> int:
    """How many features the provider holds, roughly: enough to tell thousands from millions."""
    if not isinstance(layer, QgsVectorLayer) or layer.providerType() not in _COUNTED or layer.subsetString():
        return 0
    return max(0, int(layer.dataProvider().featureCount()))


def _aliases(value: Any) -> Set[str]:
    """All texts in the arguments: those that are aliases name layers."""
    if isinstance(value, str):
        return {value} if 0 < len(value) <= 200 else set()
    items: List[Any] = (
        list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    )
    found: Set[str] = set()
    for each in items:
        found |= _aliases(each)
    return found
