"""Handlers of the pack "inspect": what make_chart draws. The agent process draws it (``agent/charts``)."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple

from qgis.core import QgsFeatureRequest, QgsFeedback, QgsVectorLayer

from ...call import Call
from ...charts import Shaped, label_of, row_colors, shape
from ...conditions import require_field
from ...errors import INVALID_PARAM, NOT_FOUND, ToolError, hint_for_name
from ...features import feature_source, json_value, read_features
from ...i18n import translate
from ...layers import clean_text, field_type
from ...scope import seen_fields
from ...scope_looks import filter_text
from ...style.palettes import RESULT_COLORS
from ...style.symbols import symbol_of
from ...work import Answer, Step, Work
from ..registry import tool

NUMBERS = ("integer", "number")
Columns = Tuple[List[Any], Optional[List[Any]]]


@tool("read_chart_values", effect="read", runs="task")
def read_chart_values(
    call: Call,
    kind: str,
    x: str,
    y: Optional[str] = None,
    layer_id: Optional[str] = None,
    result_ref: Optional[str] = None,
) -> Generator[Step, Any, Answer]:
    """The rows of a chart and the colours that the map has for them. Rows of a result are those that its handle keeps."""
    if (layer_id is None) == (result_ref is None):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A chart is of a layer or of a result: one of layer_id and result_ref."),
            hint=translate("QgisAgent", "Give one of the two."),
            reason="tool_arguments",
        )
    colors: Dict[str, Any] = {}
    base = RESULT_COLORS[-1]
    filtered = ""
    names = {"x": x, "y": y}
    if layer_id is not None:
        layer = call.vector_layer(layer_id)
        _check_fields(layer, kind, x, y)
        colors, base = _map_colors(layer, kind, x, y)
        base = base if _is_seen(base) else RESULT_COLORS[-1]
        names = {key: _field_label(layer, name) for key, name in names.items()}
        reader = _reader(layer, x, y)
        filtered = filter_text(layer, 120)
        try:
            shaped = yield Work(
                translate("QgisAgent", "Reading values"), lambda feedback: shape(kind, *reader(feedback))
            )
        except ToolError as error:
            raise _because_of_filter(error, str(layer_id), filtered) from None
    else:
        columns = _stored_columns(call, str(result_ref), x, y)
        shaped = yield Work(translate("QgisAgent", "Reading values"), lambda _feedback: shape(kind, *columns))
    if filtered:
        shaped.notes.append(translate("QgisAgent", "The layer's filter is in force."))
    answer = _answer(kind, x, y, shaped, colors, base)
    answer.data.update(x_label=names["x"], y_label=names["y"], value_label=_value_label(kind, names["y"], shaped))
    return answer


def _is_seen(color: str) -> bool:
    """Whether bars of this colour stand out from white paper: not by WCAG's 3:1, which pale map colours miss, but 1.25:1."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05) >= 1.25


def _field_label(layer: QgsVectorLayer, name: Optional[str]) -> Optional[str]:
    """What people call a field: its alias where it has one."""
    if name is None:
        return None
    alias = layer.fields().at(layer.fields().lookupField(name)).alias()
    return clean_text(alias, 60) or name


def _value_label(kind: str, y: Optional[str], shaped: Shaped) -> Optional[str]:
    """What the heights mean where several rows make one."""
    if y is None or not shaped.merged:
        return y
    text = translate("QgisAgent", "sum of {}") if kind == "bar" else translate("QgisAgent", "mean of {}")
    return text.format(y)


def _because_of_filter(error: ToolError, layer_id: str, filtered: str) -> ToolError:
    """The error of a chart without values; of a filtered layer it says that the filter may hide them."""
    if not filtered or error.envelope["reason"] != "no_values":
        return error
    text = translate(
        "QgisAgent", "A filter hides features of '{}' ({}): take it away with set_layer_filter, or use another field."
    )
    return ToolError(error.envelope["code"], str(error), hint=text.format(layer_id, filtered), reason="no_values")


def _answer(kind: str, x: str, y: Optional[str], shaped: Shaped, colors: Dict[str, Any], base: str) -> Answer:
    rows, _ = row_colors(shaped.rows, kind, colors)
    data: Dict[str, Any] = {
        "kind": kind,
        "x": x,
        "y": y,
        "rows": rows,
        "total": len(rows),
        "used": shaped.used,
        "left_out": shaped.left_out,
        "summary": shaped.summary,
        "color": base,
        "count_label": translate("QgisAgent", "Number of features"),
    }
    return Answer(data, " ".join(shaped.notes), rows_key="rows")


def _check_fields(layer: QgsVectorLayer, kind: str, x: str, y: Optional[str]) -> None:
    wanted = {"histogram": NUMBERS, "scatter": NUMBERS, "line": NUMBERS + ("date",)}.get(kind, ())
    if kind == "box" and y is None:
        wanted = NUMBERS
    for name, kinds in ((x, wanted), (y, NUMBERS)):
        if name is None:
            continue
        field = require_field(layer, name, kinds)
        if kinds and field_type(field) not in kinds:
            usable = [each.name() for each in seen_fields(layer) if field_type(each) in kinds]
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "A chart of kind {} cannot use the field '{}' ({}) there.").format(
                    kind, name, field_type(field)
                ),
                hint=translate("QgisAgent", "Fields that fit: {}.").format(", ".join(usable[:12]) or "-"),
                reason="field_type",
            )


def _reader(layer: QgsVectorLayer, x: str, y: Optional[str]) -> Any:
    """A function that reads the columns on a worker thread."""
    source = feature_source(layer)
    positions = [layer.fields().lookupField(name) for name in (x, y) if name is not None]

    def read(feedback: QgsFeedback) -> Columns:
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes(positions)
        xs: List[Any] = []
        ys: List[Any] = []
        for feature in read_features(source, request, feedback):
            xs.append(json_value(feature[positions[0]], 80))
            if len(positions) > 1:
                ys.append(json_value(feature[positions[1]], 80))
        return xs, ys if y is not None else None

    return read


def _stored_columns(call: Call, ref: str, x: str, y: Optional[str]) -> Columns:
    capability = call.capability
    rows = call.host.results.rows(
        ref, project_id=call.host.project_id(), caller=capability.caller, session_id=capability.session_id
    )
    keys = list(dict.fromkeys(key for row in rows[:50] if isinstance(row, dict) for key in row))
    for name in (x, y):
        if name is not None and name not in keys:
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "The result has no column '{}'.").format(name),
                hint=hint_for_name(name, keys, "columns"),
                reason="field",
            )
    return _column(rows, x), None if y is None else _column(rows, y)


def _column(rows: Sequence[Any], name: str) -> List[Any]:
    return [row.get(name) if isinstance(row, dict) else None for row in rows]


def _map_colors(layer: QgsVectorLayer, kind: str, x: str, y: Optional[str]) -> Tuple[Dict[str, Any], str]:
    """The colours that the layer's style gives to the values of the chart, and its own colour for what has none."""
    renderer = layer.renderer()
    symbol = symbol_of(renderer)
    base = symbol.color().name() if symbol is not None else RESULT_COLORS[-1]
    if renderer is None:
        return {}, base
    attribute = getattr(renderer, "classAttribute", str)()
    if renderer.type() == "categorizedSymbol" and attribute == x:
        values = {
            label: each.symbol().color().name()
            for each in renderer.categories()
            if each.symbol()
            for label in _category_labels(each.value())
        }
        return {"values": values}, base
    measured = x if kind == "histogram" else y
    if renderer.type() == "graduatedSymbol" and attribute == measured and kind in ("histogram", "bar"):
        classes = [
            (each.lowerValue(), each.upperValue(), each.symbol().color().name())
            for each in renderer.ranges()
            if each.symbol()
        ]
        return {"classes": classes}, base
    return {}, base


def _category_labels(value: Any) -> List[str]:
    """What a category of a style is called in a chart. QGIS draws NULL and the empty text alike."""
    plain = json_value(value, 80)
    return [label_of(None), label_of("")] if plain is None or plain == "" else [label_of(plain)]
