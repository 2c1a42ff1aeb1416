"""What the labels of a field will say: how many there are, and which characters they need glyphs for."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Set

from qgis.core import QgsFeatureRequest, QgsFeedback, QgsVariantUtils, QgsVectorLayer

from ..conditions import require_field
from ..features import feature_source, read_features
from ..layers import field_type
from ..scope import seen_fields
from .label_fonts import drawn_characters

MAX_CHARACTERS = 8000
"""Characters kept for the check of the font: more than a Chinese gazetteer has."""
_NAMES = {
    "name", "names", "title", "label", "名称", "名稱", "名字", "地名", "标注", "標註", "全称", "全稱", "nom", "nombre", "nome",
}  # fmt: skip
_PARTS = ("name", "名")


class LabelValues(NamedTuple):
    """Features in all, those with a value to label, and the characters of the values."""

    features: int
    with_value: int
    characters: Set[str]

    @property
    def without_value(self) -> int:
        """Features with NULL or an empty text: they get no label."""
        return self.features - self.with_value


class LabelValueReader:
    """Reads the values of one field. Made on the main thread, read on a worker thread."""

    def __init__(self, layer: QgsVectorLayer, field: str) -> None:
        self._is_text = field_type(require_field(layer, field)) == "text"
        self._position = layer.fields().lookupField(field)
        self._source = feature_source(layer)

    def read(self, feedback: QgsFeedback) -> LabelValues:
        """All values of the layer, filter in force."""
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes([self._position])
        features = with_value = 0
        seen: Set[str] = set()
        for feature in read_features(self._source, request, feedback):
            features += 1
            value = feature[self._position]
            if QgsVariantUtils.isNull(value) or value == "":
                continue
            with_value += 1
            if self._is_text and len(seen) < MAX_CHARACTERS:
                seen.update(str(value))
        return LabelValues(features, with_value, drawn_characters("".join(seen)))


def name_field(layer: QgsVectorLayer) -> Optional[str]:
    """The one text field that obviously names the features, by its name or its alias; None for none or several."""
    texts = [each for each in seen_fields(layer) if field_type(each) == "text"]
    words = [(each.name(), {each.name().casefold(), each.alias().casefold()}) for each in texts]
    exact: List[str] = [name for name, said in words if said & _NAMES]
    if exact:
        return exact[0] if len(exact) == 1 else None
    partly = [name for name, said in words if any(part in each for part in _PARTS for each in said)]
    return partly[0] if len(partly) == 1 else None
