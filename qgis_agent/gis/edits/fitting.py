"""Whether a value fits a field as it is: nothing is cut, rounded or read from another type (case A49)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional, Tuple

from qgis.core import QgsField, QgsVariantUtils, QgsVectorLayer
from qgis.PyQt.QtCore import QDate, QDateTime, QMetaType, Qt, QTime

from ..i18n import translate
from ..layers import field_type

_RANGES = {
    QMetaType.Type.Int: (-(2**31), 2**31 - 1),
    QMetaType.Type.UInt: (0, 2**32 - 1),
    QMetaType.Type.LongLong: (-(2**63), 2**63 - 1),
    QMetaType.Type.ULongLong: (0, 2**64 - 1),
}
Fitted = Tuple[Any, str]
"""The value to store, and "" or why it does not fit."""


class Storage(NamedTuple):
    """What the layer's format asks of values: the encoding in which the length of a text counts ("" for characters), and
    whether numbers are kept as digits."""

    codec: str
    digits: bool


def storage_of(layer: QgsVectorLayer) -> Storage:
    """The storage of a layer. A shapefile counts bytes and digits."""
    provider = layer.dataProvider()
    if provider.storageType() != "ESRI Shapefile":
        return Storage("", False)
    codec = provider.encoding() or "utf-8"
    try:
        "".encode(codec)
    except LookupError:  # a name that only QGIS or GDAL know
        codec = "utf-8"
    return Storage(codec, True)


def fitted(field: QgsField, value: Any, storage: Storage) -> Fitted:
    """``value`` as ``field`` stores it. NULL fits: whether it may stand there is the constraint's to say."""
    if value is None or QgsVariantUtils.isNull(value):
        return None, ""
    kind = field_type(field)
    if kind == "text":
        return _text(field, value, storage)
    if kind == "integer":
        return _whole(field, value, storage)
    if kind == "number":
        return _number(field, value, storage)
    if kind == "date":
        return _time(field, value)
    if kind == "boolean" and isinstance(value, bool):
        return value, ""
    if kind == "boolean":
        return None, translate("QgisAgent", "true or false is needed")
    return None, translate("QgisAgent", "fields of the type {} are not edited here").format(field.typeName())


def _text(field: QgsField, value: Any, storage: Storage) -> Fitted:
    if not isinstance(value, str):
        return None, translate("QgisAgent", "a text is needed (in a formula: to_string)")
    size = len(value.encode(storage.codec, "replace")) if storage.codec else len(value)
    if 0 < field.length() < size:
        unit = translate("QgisAgent", "bytes") if storage.codec else translate("QgisAgent", "characters")
        return None, translate("QgisAgent", "it has {} {}, the field holds {}").format(size, unit, field.length())
    if storage.codec and _unencodable(value, storage.codec):
        return None, translate("QgisAgent", "the layer's encoding {} lacks letters of it").format(storage.codec)
    return value, ""


def _unencodable(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return True
    return False


def _as_number(value: Any) -> Optional[float]:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if plain and math.isfinite(value) else None


def _whole(field: QgsField, value: Any, storage: Storage) -> Fitted:
    number = _as_number(value)
    if number is None:
        return None, translate("QgisAgent", "a whole number is needed")
    if number != int(number):
        return None, translate("QgisAgent", "it would be rounded (in a formula: round, floor)")
    low, high = _RANGES.get(field.type(), _RANGES[QMetaType.Type.Int])
    if not low <= number <= high:
        return None, translate("QgisAgent", "the field holds {} to {}").format(low, high)
    if storage.digits and 0 < field.length() < len(str(int(number))):
        return None, translate("QgisAgent", "the field holds {} digits").format(field.length())
    return int(number), ""


def _number(field: QgsField, value: Any, storage: Storage) -> Fitted:
    number = _as_number(value)
    if number is None:
        return None, translate("QgisAgent", "a finite number is needed")
    number = float(number)
    if field.precision() > 0 and not math.isclose(round(number, field.precision()), number, rel_tol=1e-12):
        text = translate("QgisAgent", "the field holds {} decimals (in a formula: round)")
        return None, text.format(field.precision())
    if storage.digits and 0 < field.length() < len("{:.{}f}".format(number, max(0, field.precision()))):
        return None, translate("QgisAgent", "the field holds {} digits").format(field.length())
    return number, ""


def _time(field: QgsField, value: Any) -> Fitted:
    forms = {
        QMetaType.Type.QDate: (QDate, "2024-05-31"),
        QMetaType.Type.QDateTime: (QDateTime, "2024-05-31T12:30:00"),
        QMetaType.Type.QTime: (QTime, "12:30:00"),
    }
    wanted, example = forms[field.type()]
    made = wanted.fromString(value, Qt.DateFormat.ISODate) if isinstance(value, str) else value
    if type(made) is not wanted or not made.isValid():
        return None, translate("QgisAgent", "it is no date or time as in {}").format(example)
    return made, ""
