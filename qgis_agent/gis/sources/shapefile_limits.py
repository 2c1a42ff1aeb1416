"""What a shapefile cannot hold: long field names, long text, 64-bit integers, times. Told before anything is written.

A .dbf has field names of 10 bytes, text of 254 bytes, numbers as digits, dates without time, and no other types.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from qgis.core import QgsFeatureRequest, QgsFeedback, QgsField, QgsFields, QgsVariantUtils, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType

from ..features import feature_source, read_features
from ..i18n import translate
from ..layers import clean_text

NAME_BYTES = 10
TEXT_BYTES = 254
WHOLE_DIGITS = 18
"""Digits of an integer column; longer ones are written as decimal numbers, which hold about 16."""


def short_names(names: Sequence[str]) -> List[str]:
    """Names of at most 10 bytes in UTF-8, cut between characters, each once whatever its case."""
    found: List[str] = []
    for name in names:
        free, number = _cut(name, NAME_BYTES), 0
        while not free or free.lower() in (each.lower() for each in found):
            number += 1
            ending = "_{}".format(number)
            free = _cut(name, NAME_BYTES - len(ending)) + ending
        found.append(free)
    return found


def _cut(name: str, size: int) -> str:
    return name.encode("utf-8")[:size].decode("utf-8", "ignore")


def renamed(fields: QgsFields) -> List[Tuple[str, str]]:
    """(name, name in the shapefile) of the fields that get another one."""
    names = fields.names()
    return [pair for pair in zip(names, short_names(names)) if pair[0] != pair[1]]


def type_changes(fields: QgsFields) -> List[Tuple[str, str]]:
    """(field, what becomes of its values) of the fields whose type a shapefile does not have."""
    found = [(each.name(), _change(each)) for each in fields]
    return [(name, change) for name, change in found if change]


def _change(field: QgsField) -> str:
    kind = field.type()
    if kind in (QMetaType.Type.LongLong, QMetaType.Type.ULongLong):
        return translate("QgisAgent", "64-bit integer → number; of more than {} digits only about 16 are kept").format(
            WHOLE_DIGITS
        )
    if kind == QMetaType.Type.QString and not 0 < field.length() <= TEXT_BYTES:
        return translate("QgisAgent", "text → text of at most {} bytes").format(TEXT_BYTES)
    if kind == QMetaType.Type.Bool:
        return translate("QgisAgent", "yes/no → 1/0")
    if kind == QMetaType.Type.QDateTime:
        return translate("QgisAgent", "date and time → text")
    if kind == QMetaType.Type.QTime:
        return translate("QgisAgent", "time → text")
    plain = (
        QMetaType.Type.QString,
        QMetaType.Type.Int,
        QMetaType.Type.UInt,
        QMetaType.Type.Double,
        QMetaType.Type.QDate,
    )
    return "" if kind in plain else translate("QgisAgent", "{} → text").format(clean_text(field.typeName(), 20) or "?")


class LossReader:
    """Counts, on a worker thread, the values of a layer that a shapefile cuts or rounds. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, encoding: str = "UTF-8") -> None:
        """``encoding``: that of the shapefile's text, by a name that Python knows too."""
        self._codec = encoding
        self._source = feature_source(layer)
        self._fields = layer.fields()

    def count(self, feedback: QgsFeedback) -> Dict[str, int]:
        """Field to number of values that lose something; fields that lose nothing are left out."""
        text = [index for index, each in enumerate(self._fields) if each.type() == QMetaType.Type.QString]
        whole = [
            index
            for index, each in enumerate(self._fields)
            if each.type() in (QMetaType.Type.LongLong, QMetaType.Type.ULongLong)
        ]
        lost: Dict[int, int] = {}
        request = QgsFeatureRequest()
        request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes(text + whole)
        for feature in read_features(self._source, request, feedback) if text or whole else ():
            for index in text + whole:
                if _loses(feature.attribute(index), index in whole, self._codec):
                    lost[index] = lost.get(index, 0) + 1
        return {self._fields.at(index).name(): number for index, number in sorted(lost.items())}


def _loses(value: Any, whole: bool, codec: str) -> bool:
    if value is None or QgsVariantUtils.isNull(value):
        return False
    return len(str(abs(value))) > WHOLE_DIGITS if whole else len(str(value).encode(codec, "replace")) > TEXT_BYTES


def preview_lines(fields: QgsFields, lost: Dict[str, int], chosen: Sequence[str] = ()) -> List[List[str]]:
    """Lines for the card of an export: renamed fields, changed types, values that lose something, what keeps all.

    ``chosen``: the fields that are written, all without it.
    """
    lines = []
    kept = QgsFields()
    for each in fields:
        if not chosen or each.name() in chosen:
            kept.append(each)
    lost = {name: number for name, number in lost.items() if not chosen or name in chosen}
    names, types = renamed(kept), type_changes(kept)
    if names:
        lines.append(
            [translate("QgisAgent", "Renamed fields"), _joined("{} → {}".format(*_clean(each)) for each in names)]
        )
    if types:
        lines.append(
            [translate("QgisAgent", "Changed types"), _joined("{}: {}".format(*_clean(each)) for each in types)]
        )
    if lost:
        counts = ("{}: {}".format(clean_text(name, 60), number) for name, number in lost.items())
        lines.append([translate("QgisAgent", "Values cut or rounded"), _joined(counts)])
    if lines:
        lines.append([translate("QgisAgent", "Keeps all of it"), "GPKG"])
    return lines


def _clean(pair: Tuple[str, str]) -> Tuple[str, str]:
    return clean_text(pair[0], 60), clean_text(pair[1], 120)


def _joined(parts: Any) -> str:
    return "; ".join(parts)
