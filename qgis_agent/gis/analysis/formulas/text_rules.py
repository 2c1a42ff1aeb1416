"""What a text that a model writes may be, where an algorithm takes a text, a file, SQL or options.

Each rule takes the value and gives the effect that it raises the call to: "" for none. A value that no rule lets pass is
INVALID_PARAM (or what ``gis/paths.py`` says of a file). The words, as they stand in ``algorithm_effects.json``:

- ``text``: a name, a prefix, a title: no path, address, markup or ``[% %]``; ``value``: a value to compare with, taken as it is;
- ``like_value``: one that QGIS puts between quotes without looking (3.40: "contains" of native:extractbyattribute), so no quote;
- ``identifier``: letters, digits, ``_``: it becomes part of a command; ``argument``: a few plain words or numbers of a command;
- ``empty``, ``left_out``: must be left out; ``refused``: cannot be given; ``connection``: a connection that a person has set up in QGIS;
- ``creation_options``: KEY=VALUE of a list, joined by ``|``; ``command_line``, ``sql``, ``code``: counts as code, asked each time;
- ``formula``, ``raster_formula``, ``numpy_formula``: parsed (``formula.py``, ``calc_formula.py``);
- ``file:.a,.b``: an existing file of that kind below the folders that may be read; ``folder``: such a folder.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List

from qgis.core import QgsProviderRegistry

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from ...paths import PathPolicy
from .calc_formula import (
    check_band_formula,
    check_numpy_formula,
)
from .formula import check_formula

MAX_TEXT = 1000
_SOURCE = re.compile(
    r"""^\s*(?:/vsi|\\\\|//|/|~|<|\{|[A-Za-z]:[\\/]|[A-Za-z][A-Za-z0-9+.\-_]{1,20}:(?=\S))|\.\.[\\/]|\[%|\|layer(?:name|id)="""
    r"""|(?:^|[\s&?;])(?:dbname|url|authcfg|service|host|password)\s*=""",
    re.IGNORECASE,
)
_CRS_ID = re.compile(r"^(?:EPSG|ESRI|IGNF|OGC|NKG|IAU_2015|USER):[A-Za-z0-9]{1,12}$")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_IDENTIFIER = re.compile(r"^\w{1,63}$")
_ARGUMENT = re.compile(r"^[\w.,+\- ;]{0,200}$")
_OPTION = re.compile(r"^([A-Z_]{2,30})=(\w{1,20})$")
OPTIONS = frozenset(
    """BIGTIFF BLOCKXSIZE BLOCKYSIZE COMPRESS DISCARD_LSB INTERLEAVE JPEG_QUALITY LERC LZMA_PRESET MAX_Z_ERROR NBITS
    NUM_THREADS PHOTOMETRIC PREDICTOR PROFILE SPARSE_OK TILED ZLEVEL ZSTD_LEVEL""".split()
)
"""Options of GDAL's raster drivers that only say how cells are stored."""


def looks_like_source(text: str) -> bool:
    """Whether a text could be opened: a path, an address, a driver's name with a source, inline XML or JSON, a [% %]."""
    return _SOURCE.search(text) is not None


def apply(rule: str, name: str, value: Any, paths: PathPolicy) -> str:
    """The effect that ``value`` raises the call to; "" for none. Raises ToolError where the rule does not let it pass."""
    if value is None or value == "":
        return ""
    word, _, more = rule.partition(":")
    if not isinstance(value, str):
        if isinstance(value, (int, float)) and word in ("text", "value", "argument"):
            return ""
        raise refused(
            name, translate("QgisAgent", "it must be a text"), translate("QgisAgent", "Give a text, or leave it out.")
        )
    if word in _RAISING:
        return "execute"
    if word == "file":
        _file(name, value, more.split(","), paths)
    elif word == "folder":
        paths.readable_folder(value)
    else:
        check = _RULES.get(word)
        if check is None:
            raise _never(name)
        check(name, value)
    return ""


def check_leaves(name: str, value: Any, is_layer: Callable[[str], bool]) -> None:
    """No text anywhere in ``value`` could be opened as a source; aliases of layers may be. INVALID_PARAM otherwise."""
    for each in _leaves(value, 0):
        if not is_layer(each) and not _CRS_ID.match(each) and (looks_like_source(each) or _CONTROL.search(each)):
            raise refused(
                name,
                translate("QgisAgent", "'{}' is a path, an address or a source").format(clean_text(each, 60)),
                translate(
                    "QgisAgent", "Layers are given by their layer_id; add_vector_layer and add_raster_layer open files."
                ),
            )


def refused(name: str, why: str, hint: str) -> ToolError:
    """INVALID_PARAM of one parameter."""
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "Parameter {} is refused: {}.").format(clean_text(name, 80), why),
        hint=hint,
        reason="admission",
    )


def _leaves(value: Any, depth: int) -> List[str]:
    if isinstance(value, str):
        return [value]
    if depth > 8:
        return ["/"]  # nothing that means well nests so deep: refused as a path is
    if isinstance(value, dict):
        return [leaf for pair in value.items() for each in pair for leaf in _leaves(each, depth + 1)]
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in _leaves(each, depth + 1)]
    return []


def _text(name: str, value: str) -> None:
    if len(value) > MAX_TEXT or looks_like_source(value) or _CONTROL.search(value) or "<" in value:
        raise refused(
            name,
            translate("QgisAgent", "a plain text is expected, no path, address, markup or [% %]"),
            translate("QgisAgent", "Give a short name."),
        )


def _value(name: str, value: str) -> None:
    if len(value) > MAX_TEXT or _CONTROL.search(value):
        raise refused(
            name,
            translate("QgisAgent", "it is too long or has control characters"),
            translate("QgisAgent", "Give a value of the field."),
        )


def _like_value(name: str, value: str) -> None:
    _value(name, value)
    if "'" in value:
        raise refused(
            name,
            translate("QgisAgent", "QGIS would take the quote in it for the end of a text"),
            translate(
                "QgisAgent", "Use native:extractbyexpression, with the quote doubled: \"name\" LIKE '%O''Brien%'."
            ),
        )


def _identifier(name: str, value: str) -> None:
    if not _IDENTIFIER.match(value):
        raise refused(
            name,
            translate("QgisAgent", "it becomes part of a command"),
            translate("QgisAgent", "Letters, digits and _ only."),
        )


def _argument(name: str, value: str) -> None:
    # A word that begins with "-" and no digit would be another option of the program.
    if not _ARGUMENT.match(value) or re.search(r"(?:^|[\s;,])-+(?![\d.])", value):
        raise refused(
            name,
            translate("QgisAgent", "it becomes part of a command"),
            translate("QgisAgent", "Plain words and numbers only, for example 2 4 8."),
        )


def _creation_options(name: str, value: str) -> None:
    for each in value.split("|"):
        found = _OPTION.match(each.strip())
        if found is None or found.group(1) not in OPTIONS:
            raise refused(
                name,
                translate("QgisAgent", "'{}' is no known option").format(clean_text(each, 60)),
                translate(
                    "QgisAgent", "KEY=VALUE joined by |, for example COMPRESS=DEFLATE|TILED=YES. Keys: {}."
                ).format(", ".join(sorted(OPTIONS))),
            )


def _connection(name: str, value: str) -> None:
    registry = QgsProviderRegistry.instance()
    names = [
        each
        for provider in ("postgres", "spatialite")
        if registry.providerMetadata(provider) is not None
        for each in registry.providerMetadata(provider).connections(False)
    ]
    if value not in names:
        raise refused(
            name,
            translate("QgisAgent", "QGIS has no database connection of that name"),
            translate("QgisAgent", "A person sets connections up in QGIS's browser. There are: {}.").format(
                ", ".join(clean_text(each, 40) for each in names) or "-"
            ),
        )


def _file(name: str, value: str, suffixes: List[str], paths: PathPolicy) -> None:
    path = paths.readable(value)
    if path.suffix.lower() not in suffixes:
        raise refused(
            name,
            translate("QgisAgent", "a file of another kind is expected"),
            translate("QgisAgent", "Kinds: {}.").format(", ".join(suffixes)),
        )


def _never(name: str) -> ToolError:
    return refused(
        name,
        translate("QgisAgent", "it cannot be given here"),
        translate("QgisAgent", "Leave it out, or run the algorithm by hand in the Processing toolbox."),
    )


def _formula(_name: str, value: str) -> None:
    check_formula(value, None)


def _raster_formula(_name: str, value: str) -> None:
    check_band_formula(value)


def _numpy_formula(_name: str, value: str) -> None:
    check_numpy_formula(value)


_RAISING = ("command_line", "sql", "code")
_RULES: Dict[str, Callable[[str, str], None]] = {
    "text": _text,
    "value": _value,
    "like_value": _like_value,
    "identifier": _identifier,
    "argument": _argument,
    "creation_options": _creation_options,
    "connection": _connection,
    "formula": _formula,
    "raster_formula": _raster_formula,
    "numpy_formula": _numpy_formula,
}
