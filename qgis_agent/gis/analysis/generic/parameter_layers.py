"""Parameters that are layers: by alias, all their features, the selected ones, or those that match conditions."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from qgis.core import (
    Qgis,
    QgsFeatureRequest,
    QgsMapLayer,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingParameterDefinition,
    QgsRasterLayer,
    QgsVectorLayer,
)

from ...conditions import request_expression
from ...errors import (
    AMBIGUOUS,
    UNSUPPORTED,
    ToolError,
    hint_for_name,
)
from ...i18n import translate
from ...layers import layer_kind
from .parameter_errors import (
    bad,
    shown,
)
from .parameters import (
    Reader,
    Source,
)

_KEYS = ("layer_id", "selected_only", "where")
_SOURCE = Qgis.ProcessingSourceType
_KINDS: Dict[Any, Tuple[str, ...]] = {
    _SOURCE.VectorPoint: ("point",),
    _SOURCE.VectorLine: ("line",),
    _SOURCE.VectorPolygon: ("polygon",),
    _SOURCE.VectorAnyGeometry: ("point", "line", "polygon"),
    _SOURCE.Vector: ("point", "line", "polygon", "table"),
    _SOURCE.Raster: ("raster",),
    _SOURCE.Mesh: ("mesh",),
    _SOURCE.Plugin: ("plugin",),
    _SOURCE.PointCloud: ("point cloud",),
    _SOURCE.Annotation: ("annotation",),
    _SOURCE.VectorTile: ("vector tile",),
}


def kinds_of(definition: QgsProcessingParameterDefinition) -> Tuple[str, ...]:
    """The kinds of layer that a parameter takes: point, line, polygon, table, raster, mesh …; () for any."""
    kind = definition.type()
    if kind == "raster":
        return ("raster",)
    if kind == "mesh":
        return ("mesh",)
    if kind == "multilayer":
        types: Sequence[Any] = [definition.layerType()]
    else:
        types = definition.dataTypes() if hasattr(definition, "dataTypes") else []
    found = [kind for each in types for kind in _KINDS.get(Qgis.ProcessingSourceType(each), ())]
    if kind in ("source", "vector") and not found:
        return _KINDS[_SOURCE.Vector]
    return tuple(dict.fromkeys(found))


def read_source(reader: Reader, definition: QgsProcessingParameterDefinition, value: Any) -> Any:
    """A layer, or a choice of its features where the parameter takes one."""
    source = take_source(reader, definition, value)
    if not source.selected_only and not source.where:
        return source.layer
    if definition.type() not in ("source", "multilayer"):
        raise bad(
            definition.name(),
            translate("QgisAgent", "it takes a whole layer, not a choice of features."),
            translate(
                "QgisAgent",
                "Give the alias alone, or make a layer of these features first (native:extractbyexpression).",
            ),
        )
    expression = request_expression(source.layer, source.where) if source.where else ""
    return QgsProcessingFeatureSourceDefinition(
        source.layer.id(),
        source.selected_only,
        -1,
        Qgis.ProcessingFeatureSourceDefinitionFlags(),
        QgsFeatureRequest.InvalidGeometryCheck.GeometryNoCheck,
        expression,
    )


def read_layers(reader: Reader, definition: QgsProcessingParameterDefinition, value: Any) -> List[Any]:
    """A list of layers."""
    given = value if isinstance(value, list) else [value]
    least = max(1, definition.minimumNumberInputs())
    if len(given) < least:
        raise bad(
            definition.name(),
            translate("QgisAgent", "it needs at least {} layers.").format(least),
            translate("QgisAgent", "Give a list of aliases."),
        )
    found = [read_source(reader, definition, each) for each in given]
    partial = [
        each for each in reader.sources if each.parameter == definition.name() and (each.selected_only or each.where)
    ]
    if partial:
        raise bad(
            definition.name(),
            translate("QgisAgent", "a list takes whole layers, not choices of features."),
            translate("QgisAgent", "Make a layer of these features first (native:extractbyexpression)."),
        )
    return found


def take_source(reader: Reader, definition: QgsProcessingParameterDefinition, value: Any) -> Source:
    """The layer of a value, checked and noted as read by this parameter."""
    source = _source(reader, definition.name(), value)
    _check_usable(source)
    kinds = kinds_of(definition)
    kind = layer_kind(source.layer)
    if kinds and not reader.as_is and not _fits(source.layer, kind, kinds):
        raise bad(
            definition.name(),
            translate("QgisAgent", "'{}' is a {} layer; it takes: {}.").format(source.alias, kind, ", ".join(kinds)),
            _others(reader, kinds),
        )
    reader.add_source(source)
    if isinstance(source.layer, QgsVectorLayer) and source.layer.selectedFeatureCount() and not source.selected_only:
        reader.warnings.append(
            translate("QgisAgent", "All features of '{}' are used, not only the selected ones.").format(source.alias)
        )
    return source


def _source(reader: Reader, name: str, value: Any) -> Source:
    if isinstance(value, str):
        return Source(name, value, reader.call.layer(value))
    if not isinstance(value, dict) or not isinstance(value.get("layer_id"), str):
        raise bad(
            name,
            translate("QgisAgent", "{} is no layer.").format(shown(value)),
            translate(
                "QgisAgent", 'Give a layer\'s alias, or {"layer_id": alias, "selected_only": true, "where": […]}.'
            ),
        )
    for key in value:
        if key not in _KEYS:
            raise bad(
                name, translate("QgisAgent", "unknown key '{}'.").format(shown(key)), hint_for_name(key, _KEYS, "keys")
            )
    layer = reader.call.layer(value["layer_id"])
    selected, where = value.get("selected_only", False), value.get("where") or []
    if not isinstance(selected, bool) or not isinstance(where, list):
        raise bad(
            name,
            translate("QgisAgent", "selected_only is true or false, and where a list of conditions."),
            translate("QgisAgent", 'For example {"layer_id": alias, "where": [{"field": …, "op": "eq", "value": …}]}.'),
        )
    if (selected or where) and not isinstance(layer, QgsVectorLayer):
        raise bad(
            name,
            translate("QgisAgent", "'{}' has no features to choose.").format(value["layer_id"]),
            translate("QgisAgent", "Give the alias alone."),
        )
    if selected and where:
        raise bad(
            name,
            translate("QgisAgent", "selected_only and where together are not possible."),
            translate("QgisAgent", "Select the features with select_features first, or give where alone."),
        )
    if selected and layer.selectedFeatureCount() == 0:
        raise _nothing_selected(value["layer_id"])
    return Source(name, value["layer_id"], layer, selected, where)


def _nothing_selected(alias: str) -> ToolError:
    """Asked, not run over nothing or over everything."""
    return ToolError(
        AMBIGUOUS,
        translate("QgisAgent", "Only the selected features of '{}' are asked for, but none is selected.").format(alias),
        hint=translate("QgisAgent", "Ask the person: all features, or which ones (select_features)?"),
        reason="selection",
        options=[
            {"layer_id": alias, "label": translate("QgisAgent", "All features of {}").format(alias)},
            {"layer_id": alias, "label": translate("QgisAgent", "Select features first")},
        ],
    )


def _check_usable(source: Source) -> None:
    if source.layer.isValid():
        return
    raise ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The data of layer '{}' cannot be read.").format(source.alias),
        hint=translate("QgisAgent", "Repair its data source in QGIS (the file may have been moved)."),
        reason="broken_source",
    )


def _fits(layer: QgsMapLayer, kind: str, kinds: Sequence[str]) -> bool:
    if isinstance(layer, (QgsVectorLayer, QgsRasterLayer)):
        if kind == "other":  # a vector layer of unknown geometry may hold any
            return bool({"point", "line", "polygon"} & set(kinds))
        return kind in kinds
    return not {"point", "line", "polygon", "table", "raster"} & set(kinds)


def _others(reader: Reader, kinds: Sequence[str]) -> str:
    fitting = [
        reader.call.host.layers.alias(each) for each in reader.call.host.layers.layers() if layer_kind(each) in kinds
    ]
    if fitting:
        return translate("QgisAgent", "Layers of that kind: {}.").format(", ".join(fitting[:12]))
    return translate("QgisAgent", "There is no layer of that kind in the project.")
