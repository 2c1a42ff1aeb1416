"""The parameters of one call of an algorithm: JSON values, checked one by one, become what QGIS takes.

Strict: an unknown key, a wrong type, a number out of its range, a layer of another kind, a field that is not there are
errors that name what is right. Layers are named by their aliases only; destinations are the host's to choose.

What a value may be, by the kind of the parameter:

- a layer: its alias, or {"layer_id", "selected_only", "where"}; several layers: a list of these;
- a choice: its text or its index; a list of them where several may be chosen;
- a CRS: "EPSG:4326"; an extent: [xmin, ymin, xmax, ymax] in degrees, {"bbox", "crs"}, a layer's alias, or QGIS's own text
  "xmin,xmax,ymin,ymax [EPSG:3857]"; a point: [x, y] in degrees, {"point", "crs"}, or "x,y [EPSG:3857]";
- a number that may differ by feature: also {"field": name};
- a destination: true for one that is not made by itself, false for one that is not wanted.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

from qgis.core import (
    Qgis,
    QgsFields,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingParameterDefinition,
    QgsVectorLayer,
)

from ...errors import (
    ToolError,
    hint_for_name,
)
from ...i18n import translate
from ...scope import seen_fields
from .parameter_errors import (
    bad,
    shown,
)

_LAYER_KINDS = ("source", "vector", "raster", "mesh", "layer", "multilayer", "pointcloud", "annotation", "vectortile")
_FORMER = {
    "native:fieldcalculator": ("NEW_FIELD",),
    "native:minimumenclosingcircle": ("BY_FEATURE",),
    "native:polygonfromlayerextent": ("BY_FEATURE",),
    "native:rastercalc": ("CELLSIZE",),
    "native:zonalstatistics": ("STATS",),
}
"""Parameters of older versions, which scripts and models still name."""


class Source(NamedTuple):
    """A layer that a parameter reads: only its selected features, or those that match ``where``, or all."""

    parameter: str
    alias: str
    layer: QgsMapLayer
    selected_only: bool = False
    where: Any = ()


class Given(NamedTuple):
    """The parameters of a call: for the algorithm, and as the person reads them; ``wanted`` says of destinations whether
    they were asked for."""

    values: Dict[str, Any]
    shown: Dict[str, Any]
    sources: List[Source]
    wanted: Dict[str, bool]
    warnings: List[str]


class Reader:
    """Reads the parameters of one call. ``as_is``: names of fields that are not there are passed over with a warning, as QGIS
    itself does, and a layer may be of another kind than the algorithm says. On the main thread; quick."""

    def __init__(self, call: Any, algorithm: QgsProcessingAlgorithm, as_is: bool = False) -> None:
        self.call = call
        self.algorithm = algorithm
        self.as_is = as_is
        self.sources: List[Source] = []
        self.warnings: List[str] = []
        self.definitions: List[QgsProcessingParameterDefinition] = list(algorithm.parameterDefinitions())

    def read(self, parameters: Dict[str, Any]) -> Given:
        """All of them. INVALID_PARAM for what does not fit, NOT_FOUND for a layer that is not there."""
        from .parameter_kinds import read_value

        parameters = self._known(parameters)
        values: Dict[str, Any] = {}
        wanted: Dict[str, bool] = {}
        for definition in sorted(self.definitions, key=lambda each: each.type() not in _LAYER_KINDS):
            name = definition.name()
            if definition.isDestination():
                if name in parameters:
                    wanted[name] = _wanted(name, parameters[name])
            elif parameters.get(name) is not None:
                values[name] = read_value(self, definition, parameters[name])
            elif not is_optional(definition) and definition.defaultValue() is None:
                raise self._missing(definition)
        ordered = {each.name(): values[each.name()] for each in self.definitions if each.name() in values}
        return Given(ordered, dict(parameters), self.sources, wanted, self.warnings)

    def _known(self, parameters: Dict[str, Any]) -> Dict[str, Any]:
        """The parameters without those of older versions of QGIS, which have no effect any more."""
        there = [each.name() for each in self.definitions]
        names = [each.name() for each in self.definitions if not is_hidden(each)]
        former = _FORMER.get(self.algorithm.id(), ())
        for key in parameters:
            if key in there:
                continue
            if key in former and self.as_is:
                self.warnings.append(translate("QgisAgent", "{} has no effect in this QGIS.").format(key))
            elif key in former:
                raise bad(
                    key,
                    translate("QgisAgent", "{} has no such parameter any more.").format(self.algorithm.id()),
                    translate("QgisAgent", "Leave it out, and look at describe_algorithm for what there is now."),
                )
            else:
                raise bad(
                    key,
                    translate("QgisAgent", "{} has no such parameter.").format(self.algorithm.id()),
                    hint_for_name(key, names, "parameters"),
                )
        return {key: value for key, value in parameters.items() if key in there}

    def _missing(self, definition: QgsProcessingParameterDefinition) -> ToolError:
        from .schema import value_words

        return bad(
            definition.name(),
            translate("QgisAgent", "{} needs it ({}).").format(self.algorithm.id(), shown(definition.description())),
            translate("QgisAgent", "Give {}: {}.").format(definition.name(), value_words(definition)),
        )

    # what readers of single kinds use

    def add_source(self, source: Source) -> None:
        """A layer that the algorithm reads."""
        self.sources.append(source)

    def parent_layers(self, name: str) -> List[QgsMapLayer]:
        """The layers of another parameter of the call."""
        return [each.layer for each in self.sources if each.parameter == name]

    def parent_fields(self, name: str) -> Optional[QgsFields]:
        """The fields of the layers of another parameter; None where there is no vector layer."""
        layers = [each for each in self.parent_layers(name) if isinstance(each, QgsVectorLayer)]
        if not layers:
            return None
        fields = QgsFields(seen_fields(layers[0]))
        for each in layers[1:]:
            for field in seen_fields(each):
                if fields.indexOf(field.name()) < 0:
                    fields.append(field)
        return fields


def is_optional(definition: QgsProcessingParameterDefinition) -> bool:
    """Whether the algorithm runs without it."""
    return bool(definition.flags() & Qgis.ProcessingParameterFlag.Optional)


def is_hidden(definition: QgsProcessingParameterDefinition) -> bool:
    """Whether QGIS's own dialog does not show it."""
    return bool(definition.flags() & Qgis.ProcessingParameterFlag.Hidden)


def is_advanced(definition: QgsProcessingParameterDefinition) -> bool:
    """Whether QGIS's own dialog folds it away."""
    return bool(definition.flags() & Qgis.ProcessingParameterFlag.Advanced)


def _wanted(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise bad(
            name,
            translate("QgisAgent", "where a result goes is not chosen here."),
            translate(
                "QgisAgent",
                "Leave it out: the result becomes a layer of the project. true makes an extra output, false leaves one out; "
                "files are written by prepare_export_layer.",
            ),
        )
    return value
