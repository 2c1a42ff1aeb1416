"""Steps that many plans begin with: take what matches, leave out what has no geometry, repair, reproject."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from qgis.core import QgsCoordinateReferenceSystem, QgsFeatureSource, QgsVectorLayer

from ...layers import field_type
from ...scope import seen_fields
from ..inputs.preflight import Survey
from .plan import (
    INDEXED_FILE,
    MEMORY,
    PlanStep,
    Ref,
)

BULKY = 20_000
"""Features from which on temporary files are better than memory, and a copy of the needed fields than a GeoPackage."""


class Builder:
    """Puts a plan together; ``last`` is the output that the next step starts from."""

    def __init__(self, source: str) -> None:
        self.steps: List[PlanStep] = []
        self.last = Ref(source)
        self._source = source

    def add(self, algorithm: str, parameters: Dict[str, Any], *, key: str = "", destination: str = MEMORY) -> None:
        """A step that takes ``last`` as INPUT and becomes ``last``."""
        name = key or "{}_{}".format(self._source, len(self.steps) + 1)
        self.steps.append(PlanStep(name, algorithm, {"INPUT": self.last, **parameters}, destination))
        self.last = Ref(name)

    def keep_in_files(self) -> None:
        """What the steps so far hand on goes through temporary files. The plan's last step must come after this."""
        self.steps = [each._replace(destination=INDEXED_FILE) for each in self.steps]

    def prepare(self, survey: Survey, expression: str) -> None:
        """Matching features with a geometry, invalid ones repaired; nothing is copied where nothing is to be done."""
        if expression:
            self.add("native:extractbyexpression", {"EXPRESSION": expression})
        if survey.without_geometry:
            self.add("native:removenullgeometries", {"REMOVE_EMPTY": True})
        if survey.invalid:
            self.add("native:fixgeometries", {"METHOD": 1})

    def reproject(self, crs: QgsCoordinateReferenceSystem) -> None:
        """Into another CRS."""
        self.add("native:reprojectlayer", {"TARGET_CRS": crs})

    def index(self, layer: QgsVectorLayer, fields: Sequence[str] = ()) -> None:
        """A copy with a spatial index, with these fields only (or one field, or all where none is plain)."""
        plain = [each.name() for each in seen_fields(layer) if field_type(each) in ("integer", "number", "text")]
        kept = list(dict.fromkeys(fields)) or plain[:1]
        if kept:
            self.add("native:retainfields", {"FIELDS": kept}, destination=INDEXED_FILE)
        else:
            self.add("native:reprojectlayer", {"TARGET_CRS": layer.crs()}, destination=INDEXED_FILE)


def bulky(layer: QgsVectorLayer, count: int) -> bool:
    """Whether so many features of a layer are better handed on in files, and can be: files hold plain fields only."""
    return count > BULKY and all(
        field_type(each) in ("integer", "number", "text", "date") for each in seen_fields(layer)
    )


def indexed(layer: QgsVectorLayer) -> bool:
    """Whether the layer's provider has a spatial index."""
    return bool(layer.hasSpatialIndex() == QgsFeatureSource.SpatialIndexPresence.SpatialIndexPresent)
