"""Data-defined properties: a plain field, on request with a scale for sizes. Anything else is a person's own and stays.

In the document: ``{"size": {"field": "pop", "scale": {…}}, "angle": {"field": "n"}}``. Scales are those of QGIS's assistant.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional

from qgis.core import (
    QgsExpression,
    QgsGenericNumericTransformer,
    QgsProperty,
    QgsPropertyCollection,
    QgsSizeScaleTransformer,
    QgsVectorLayer,
)

from ..conditions import require_field
from ..i18n import translate
from .merge import Document, invalid, number, one_of, only

Note = Callable[[str, str], None]
"""Takes a path and what stands there that the document does not express."""
VARIABLES = ("cluster_size", "cluster_color")
"""What QGIS's own cluster symbol shows; fixed names, so that they are no expressions."""
_NAMES = {"alpha": "opacity"}
_SEEN = ("size", "width", "outlineWidth", "opacity")
"""Without a value of these a symbol is not seen."""
_FILES = ("file", "name")
"""May name a picture to load."""
_SCALINGS = {
    "linear": QgsSizeScaleTransformer.ScaleType.Linear,
    "area": QgsSizeScaleTransformer.ScaleType.Area,
    "flannery": QgsSizeScaleTransformer.ScaleType.Flannery,
    "exponential": QgsSizeScaleTransformer.ScaleType.Exponential,
}
LEGEND_MM = 4.0
"""How large a symbol whose size a field sets is in legends, at most; half of its largest size where that is less."""
_FOR_LEGENDS = re.compile(r"^if\(\$id is null, ([-+.\de]+), (.+)\)$", re.DOTALL)
_SIZE_KEYS = ("scaling", "min_value", "max_value", "min_size", "max_size", "null_size", "exponent")
_NUMBER_KEYS = ("min_value", "max_value", "min_output", "max_output", "null_output", "exponent")


def read_data_defined(collection: QgsPropertyCollection, definitions: Any, path: str, note: Note) -> Document:
    """The active data-defined properties that are a plain field; ``note`` is told of the others."""
    found: Document = {}
    for key in sorted(collection.propertyKeys()):
        entry = collection.property(key)
        if not entry.isActive():
            continue
        name = _name(definitions, key)
        said = _read(entry) if name not in _FILES else None
        if said is None:
            note("{}.data_defined.{}".format(path, name), "expression: {}".format(entry.asExpression()))
        else:
            found[name] = said
    return found


def write_data_defined(
    collection: QgsPropertyCollection,
    definitions: Any,
    before: Document,
    after: Document,
    layer: QgsVectorLayer,
    path: str,
) -> QgsPropertyCollection:
    """A copy of ``collection`` in which what differs between the documents is changed, and nothing else."""
    made = QgsPropertyCollection(collection)
    keys = {_name(definitions, key): key for key in definitions}
    only(after, sorted(keys), path)
    for name in {**before, **after}:
        if name not in after:
            made.setProperty(keys[name], QgsProperty())
        elif before.get(name) != after[name]:
            if name in _FILES:
                raise invalid(
                    path + "." + name, translate("QgisAgent", "may name a file and is not taken from a field")
                )
            made.setProperty(keys[name], _property(after[name], layer, "{}.{}".format(path, name)))
    return made


def shown_in_legends(expression: str, transformer: Any) -> str:
    """An expression that has a value in a legend too, where there is no feature: else the symbols there would have no size,
    like those of features without a value."""
    return "if($id is null, {!r}, {})".format(_legend_value(transformer), expression)


def source_expression(entry: QgsProperty) -> str:
    """What a property takes its value from, before it is scaled, without what ``shown_in_legends`` puts around it."""
    if entry.propertyType() == QgsProperty.Type.FieldBasedProperty:
        return str(QgsExpression.quotedColumnRef(entry.field()))
    text = str(entry.expressionString()).strip()
    transformer = entry.transformer()
    found = _FOR_LEGENDS.match(text)
    if found is None or not _hides_null(transformer) or found.group(1) != repr(_legend_value(transformer)):
        return text
    return found.group(2)


def _hides_null(transformer: Any) -> bool:
    if isinstance(transformer, QgsSizeScaleTransformer):
        return bool(transformer.nullSize() == 0)
    return isinstance(transformer, QgsGenericNumericTransformer) and bool(transformer.nullOutputValue() == 0)


def _legend_value(transformer: Any) -> float:
    """The value that a legend shows: one drawn 4 mm large or less, else (opacity) the one with the highest output."""
    low, high = float(transformer.minValue()), float(transformer.maxValue())
    if not isinstance(transformer, QgsSizeScaleTransformer):
        return high if transformer.maxOutputValue() >= transformer.minOutputValue() else low
    least, most = transformer.minSize(), transformer.maxSize()
    wanted = min(LEGEND_MM, most / 2)
    if wanted <= least or transformer.exponent() <= 0:
        return high if most >= least else low
    return low + (high - low) * ((wanted - least) / (most - least)) ** (1.0 / transformer.exponent())


def _name(definitions: Any, key: int) -> str:
    name = str(definitions[key].name())
    return _NAMES.get(name, name)


def _read(entry: QgsProperty) -> Optional[Document]:
    if entry.propertyType() == QgsProperty.Type.FieldBasedProperty:
        said: Document = {"field": entry.field()}
    elif entry.propertyType() == QgsProperty.Type.ExpressionBasedProperty:
        text = source_expression(entry)
        expression = QgsExpression(text)
        if text.lstrip("@") in VARIABLES and text.startswith("@"):
            said = {"variable": text[1:]}
        elif expression.isField():
            said = {"field": next(iter(expression.referencedColumns()))}
        else:
            return None
    else:
        return None
    if entry.transformer() is None:
        return said
    scale = _read_scale(entry.transformer())
    return None if scale is None else dict(said, scale=scale)


def _read_scale(transformer: Any) -> Optional[Document]:
    curve = transformer.curveTransform()
    if curve is not None and len(curve.controlPoints()) > 2:
        return None
    common = (
        {"min_value": transformer.minValue(), "max_value": transformer.maxValue(), "exponent": transformer.exponent()}
        if hasattr(transformer, "exponent")
        else {}
    )
    if isinstance(transformer, QgsSizeScaleTransformer):
        scaling = next((name for name, each in _SCALINGS.items() if each == transformer.type()), "exponential")
        sizes = {
            "min_size": transformer.minSize(),
            "max_size": transformer.maxSize(),
            "null_size": transformer.nullSize(),
        }
        return {"scaling": scaling, **common, **sizes}
    if isinstance(transformer, QgsGenericNumericTransformer):
        outputs = {
            "min_output": transformer.minOutputValue(),
            "max_output": transformer.maxOutputValue(),
            "null_output": transformer.nullOutputValue(),
        }
        return {**common, **outputs}
    return None


def _property(said: Any, layer: QgsVectorLayer, path: str) -> QgsProperty:
    if isinstance(said, str):
        said = {"field": said}
    only(said, ("field", "variable", "scale"), path)
    if "variable" in said:
        made = QgsProperty.fromExpression("@" + one_of(said["variable"], VARIABLES, path + ".variable"))
    elif isinstance(said.get("field"), str):
        made = QgsProperty.fromField(require_field(layer, said["field"]).name())
    else:
        raise invalid(
            path,
            translate("QgisAgent", "needs a field"),
            translate("QgisAgent", 'Write {"field": name}; expressions are not taken.'),
            reason="expression",
        )
    if "scale" in said:
        scale = _scale(said["scale"], path + ".scale")
        if "field" in said and _hides_null(scale) and path.rsplit(".", 1)[-1] in _SEEN:
            made = QgsProperty.fromExpression(shown_in_legends(made.asExpression(), scale))
        made.setTransformer(scale)
    return made


def _scale(said: Any, path: str) -> Any:
    sized = isinstance(said, dict) and "min_size" in said
    only(said, _SIZE_KEYS if sized else _NUMBER_KEYS, path)
    needed = (
        ("min_value", "max_value", "min_size", "max_size")
        if sized
        else ("min_value", "max_value", "min_output", "max_output")
    )
    missing = [each for each in needed if each not in said]
    if missing:
        raise invalid(path, translate("QgisAgent", "lacks {}").format(", ".join(missing)))
    numbers: Dict[str, float] = {
        key: number(value, path + "." + key) for key, value in said.items() if key != "scaling"
    }
    if sized:
        scaling = one_of(said.get("scaling", "area"), tuple(_SCALINGS), path + ".scaling")
        return QgsSizeScaleTransformer(
            _SCALINGS[scaling],
            numbers["min_value"],
            numbers["max_value"],
            numbers["min_size"],
            numbers["max_size"],
            numbers.get("null_size", 0.0),
            numbers.get("exponent", {"linear": 1.0, "flannery": 0.57}.get(scaling, 0.5)),
        )
    return QgsGenericNumericTransformer(
        numbers["min_value"],
        numbers["max_value"],
        numbers["min_output"],
        numbers["max_output"],
        numbers.get("null_output", 0.0),
        numbers.get("exponent", 1.0),
    )
