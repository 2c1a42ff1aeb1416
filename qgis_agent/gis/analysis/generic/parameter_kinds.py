"""One reader for each kind of parameter that is no layer."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Sequence

from qgis.core import (
    Qgis,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterNumber,
    QgsProperty,
    QgsRasterLayer,
)
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime

from ...errors import hint_for_name
from ...i18n import translate
from ...layers import clean_text
from .parameter_errors import (
    bad,
    shown,
)
from .parameter_layers import (
    read_layers,
    read_source,
)
from .parameter_places import (
    read_crs,
    read_extent,
    read_geometry,
    read_point,
)
from .parameter_tables import (
    PLAIN_TABLES,
    TABLES,
)
from .parameters import Reader

Definition = QgsProcessingParameterDefinition
MAX_TEXT = 4000
_TRUE, _FALSE = ("true", "yes"), ("false", "no")
_COLOR = re.compile(r"^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$")


def read_value(reader: Reader, definition: Definition, value: Any) -> Any:
    """A value of the call as QGIS takes it. INVALID_PARAM where it does not fit."""
    kind = definition.type()
    if kind in _READERS:
        return _READERS[kind](reader, definition, value)
    return _PLAIN.get(kind, _read_other)(definition, value)


def _number(definition: Definition, value: Any) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise bad(
            definition.name(), translate("QgisAgent", "must be a number."), translate("QgisAgent", "Give a number.")
        )
    return float(value)


def _read_number(reader: Reader, definition: Definition, value: Any) -> Any:
    if isinstance(value, dict):
        return _by_field(reader, definition, value)
    number = _number(definition, value)
    low, high = _range(definition)
    if not low <= number <= high:
        raise bad(
            definition.name(),
            translate("QgisAgent", "{:.15g} is out of its range.").format(number),
            translate("QgisAgent", "Give a number {}.").format(range_words(definition)),
        )
    if getattr(definition, "dataType", None) and definition.dataType() == Qgis.ProcessingNumberParameterType.Integer:
        if not number.is_integer():
            raise bad(
                definition.name(),
                translate("QgisAgent", "{:.15g} is no whole number.").format(number),
                translate("QgisAgent", "Give {:.15g}.").format(round(number)),
            )
        return int(number)
    return number


def _range(definition: Definition) -> Sequence[float]:
    if isinstance(definition, QgsProcessingParameterNumber):
        return definition.minimum(), definition.maximum()
    return -math.inf, math.inf


def range_words(definition: Definition) -> str:
    """The range of a number as words; "" where it has none."""
    low, high = _range(definition)
    words = []
    if low > -1e300 and low != -2147483648:
        words.append(">= {:.15g}".format(low))
    if high < 1e300 and high != 2147483647:
        words.append("<= {:.15g}".format(high))
    return " ".join(words)


def _by_field(reader: Reader, definition: Definition, value: Dict[str, Any]) -> QgsProperty:
    """A number by feature, from a field. Never from an expression: QGIS would evaluate it."""
    name = value.get("field")
    if list(value) != ["field"] or not isinstance(name, str) or not definition.isDynamic():
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be a number."),
            translate("QgisAgent", 'Give a number, or {"field": name} where the parameter may differ by feature.'),
        )
    parent = definition.dynamicLayerParameterName()
    return QgsProperty.fromField(_field(reader, definition, name, parent))


def _read_boolean(definition: Definition, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    if not isinstance(value, bool):
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be true or false."),
            translate("QgisAgent", "Give true or false."),
        )
    return value


def _read_enum(definition: Definition, value: Any) -> Any:
    given = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not definition.allowMultiple() and len(value) != 1:
        raise bad(
            definition.name(), translate("QgisAgent", "takes one choice."), translate("QgisAgent", "Give one of them.")
        )
    chosen = [_choice(definition, each) for each in given]
    return chosen if definition.allowMultiple() else chosen[0]


def _choice(definition: Definition, value: Any) -> Any:
    """The index of a choice, by index or text; its text where QGIS wants that."""
    options = [str(each) for each in definition.options()]
    index = -1
    if not isinstance(value, bool) and isinstance(value, (int, float)) and float(value).is_integer():
        index = int(value)
    elif isinstance(value, str):
        folded = value.strip().casefold()
        same = [number for number, each in enumerate(options) if each.strip().casefold() == folded]
        index = same[0] if same else int(folded) if folded.isdigit() else -1
    if not 0 <= index < len(options):
        raise bad(
            definition.name(),
            translate("QgisAgent", "{} is no choice.").format(shown(value)),
            _choices_hint(value, options),
        )
    return options[index] if definition.usesStaticStrings() else index


def _choices_hint(value: Any, options: List[str]) -> str:
    if isinstance(value, str) and len(options) > 12:
        return hint_for_name(value, options, "choices")
    listed = ["{}: {}".format(number, clean_text(each, 40)) for number, each in enumerate(options[:20])]
    return translate("QgisAgent", "Choices: {}.").format("; ".join(listed))


def _read_field(reader: Reader, definition: Definition, value: Any) -> Any:
    parent = definition.parentLayerParameterName()
    if not definition.allowMultiple():
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        return _field(reader, definition, value, parent) if value != "" else value
    names = value if isinstance(value, list) else [value]
    if len(names) == 1 and isinstance(names[0], str) and not _has_field(reader, parent, names[0]):
        names = [each for each in names[0].split(";") if each]
    found = [_field(reader, definition, each, parent) for each in names]
    return [each for each in found if each]


def _has_field(reader: Reader, parent: str, name: str) -> bool:
    fields = reader.parent_fields(parent)
    return fields is None or fields.indexOf(name) >= 0


def _field(reader: Reader, definition: Definition, name: Any, parent: str) -> str:
    """The name of a field that is there; with ``as_is`` one that is not is handed on to QGIS, with a warning."""
    fields = reader.parent_fields(parent) if parent else None
    if not isinstance(name, str):
        raise bad(
            definition.name(), translate("QgisAgent", "must be a field."), translate("QgisAgent", "Give its name.")
        )
    if fields is None or fields.indexOf(name) >= 0:
        return name
    if reader.as_is:
        reader.warnings.append(translate("QgisAgent", "There is no field '{}'.").format(shown(name)))
        return name
    raise bad(
        definition.name(),
        translate("QgisAgent", "there is no field '{}'.").format(shown(name)),
        hint_for_name(name, [each.name() for each in fields], "fields"),
    )


def _read_band(reader: Reader, definition: Definition, value: Any) -> Any:
    if isinstance(value, list) and definition.allowMultiple():
        return [_band(reader, definition, each) for each in value]
    band = _band(reader, definition, value)
    return [band] if definition.allowMultiple() else band


def _band(reader: Reader, definition: Definition, value: Any) -> int:
    layers = reader.parent_layers(definition.parentLayerParameterName())
    count = min([each.bandCount() for each in layers if isinstance(each, QgsRasterLayer)] or [65_535])
    number = _number(definition, value)
    if not number.is_integer() or not 1 <= number <= count:
        raise bad(
            definition.name(),
            translate("QgisAgent", "there is no band {}.").format(shown(value)),
            translate("QgisAgent", "Give a band from 1 to {}.").format(count),
        )
    return int(number)


def _read_text(definition: Definition, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or len(str(value)) > MAX_TEXT:
        raise bad(definition.name(), translate("QgisAgent", "must be a text."), translate("QgisAgent", "Give a text."))
    return str(value)


def _read_color(definition: Definition, value: Any) -> str:
    if not isinstance(value, str) or _COLOR.match(value) is None:
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be a colour."),
            translate("QgisAgent", "For example #ff0000."),
        )
    return value


def _read_datetime(definition: Definition, value: Any) -> Any:
    """An ISO 8601 text."""
    text = str(value)
    kind = definition.dataType()
    if kind == Qgis.ProcessingDateTimeParameterDataType.Date:
        found: Any = QDate.fromString(text, Qt.DateFormat.ISODate)
    elif kind == Qgis.ProcessingDateTimeParameterDataType.Time:
        found = QTime.fromString(text, Qt.DateFormat.ISODate)
    else:
        found = QDateTime.fromString(text, Qt.DateFormat.ISODate)
    if not found.isValid():
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be a date or time."),
            translate("QgisAgent", "For example 2024-05-31T12:00:00."),
        )
    return found


def _read_named(names: Callable[[Reader], List[str]]) -> Callable[[Reader, Definition, Any], str]:
    def read(reader: Reader, definition: Definition, value: Any) -> str:
        there = names(reader)
        if value not in there:
            raise bad(
                definition.name(),
                translate("QgisAgent", "there is no '{}'.").format(shown(value)),
                hint_for_name(str(value), there, "names"),
            )
        return str(value)

    return read


def _layouts(reader: Reader) -> List[str]:
    return [each.name() for each in reader.call.host.project.layoutManager().layouts()]


def _themes(reader: Reader) -> List[str]:
    return list(reader.call.host.project.mapThemeCollection().mapThemes())


def _read_file(reader: Reader, definition: Definition, value: Any) -> str:
    """An existing file (or folder) below the folders that may be read."""
    if not isinstance(value, str):
        raise bad(definition.name(), translate("QgisAgent", "must be a path."), translate("QgisAgent", "Give a path."))
    paths = reader.call.host.paths
    if definition.behavior() == Qgis.ProcessingFileParameterBehavior.Folder:
        return str(paths.readable_folder(value))
    return str(paths.readable(value))


def _read_other(definition: Definition, value: Any) -> Any:
    """A kind that a plugin made: plain values only."""
    values = value if isinstance(value, list) else [value]
    if any(isinstance(each, (list, dict)) for each in values) or any(
        isinstance(each, str) and len(each) > MAX_TEXT for each in values
    ):
        raise bad(
            definition.name(),
            translate("QgisAgent", "a parameter of the kind {} takes plain values.").format(definition.type()),
            translate("QgisAgent", "Give a text, a number, or a list of them."),
        )
    return value


_PLAIN: Dict[str, Callable[[Definition, Any], Any]] = {
    "boolean": _read_boolean,
    "enum": _read_enum,
    "string": _read_text,
    "expression": _read_text,
    "color": _read_color,
    "datetime": _read_datetime,
    "point": read_point,
    "geometry": read_geometry,
    **PLAIN_TABLES,
}
_READERS: Dict[str, Callable[[Reader, Definition, Any], Any]] = {
    "number": _read_number,
    "distance": _read_number,
    "area": _read_number,
    "volume": _read_number,
    "duration": _read_number,
    "scale": _read_number,
    "field": _read_field,
    "band": _read_band,
    "layout": _read_named(_layouts),
    "maptheme": _read_named(_themes),
    "crs": read_crs,
    "extent": read_extent,
    "source": read_source,
    "vector": read_source,
    "raster": read_source,
    "mesh": read_source,
    "layer": read_source,
    "pointcloud": read_source,
    "annotation": read_source,
    "vectortile": read_source,
    "multilayer": read_layers,
    "file": _read_file,
    **TABLES,
}
