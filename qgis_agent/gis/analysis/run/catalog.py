"""Algorithms by id, what their parameters must be, and the context in which they run."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsExpressionContext,
    QgsExpressionContextScope,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProject,
)

from ...errors import (
    INVALID_PARAM,
    UNSUPPORTED,
    ToolError,
    hint_for_name,
)
from ...i18n import translate
from ...layers import clean_text
from ...scratch import scratch_of
from ..ground.units import WGS84_ELLIPSOID
from .providers import load_providers


def analysis_context(
    project: QgsProject,
    invalid: Qgis.InvalidGeometryCheck = Qgis.InvalidGeometryCheck.NoCheck,
) -> QgsProcessingContext:
    """A context whose $area is in m² and $length in metres on the ellipsoid: the project's, or WGS 84 where it has none.

    ``invalid`` is what is done with invalid geometries of inputs: named tools repair them on a copy first (NoCheck); an
    algorithm run by its id should end at one (AbortOnInvalid). Transformations are the project's; files go to scratch.
    """
    context = QgsProcessingContext()
    context.setProject(project)
    context.setEllipsoid(ellipsoid_of(project))
    context.setExpressionContext(measuring(context.ellipsoid()))
    context.setAreaUnit(Qgis.AreaUnit.SquareMeters)
    context.setDistanceUnit(Qgis.DistanceUnit.Meters)
    context.setInvalidGeometryCheck(invalid)
    scratch_of(context)
    return context


def ellipsoid_of(project: QgsProject) -> str:
    """What $area and $length are measured on: the project's ellipsoid, WGS 84 where it has none."""
    ellipsoid = project.ellipsoid()
    return str(ellipsoid) if ellipsoid not in ("", "NONE") else WGS84_ELLIPSOID


def measuring(ellipsoid: str, crs: Optional[QgsCoordinateReferenceSystem] = None) -> QgsExpressionContext:
    """Where expressions that choose or order features look for the ellipsoid of $area and $length: they do not ask the
    processing context for it, and would measure in the plane, in degrees. ``crs``: the layer's, for algorithms that leave
    its scope out (native:geometrybyexpression)."""
    scope = QgsExpressionContextScope()
    scope.setVariable("project_ellipsoid", ellipsoid)
    if crs is not None:
        scope.addVariable(QgsExpressionContextScope.StaticVariable("_layer_crs", crs))
    context = QgsExpressionContext()
    context.appendScope(scope)  # not by the constructor's list, which frees it twice
    return context


def find_algorithm(ident: str) -> QgsProcessingAlgorithm:
    """A new instance of an algorithm. UNSUPPORTED where its provider is switched off: plans name what QGIS and we ship."""
    registry = QgsApplication.processingRegistry()
    algorithm = registry.createAlgorithmById(ident)
    if algorithm is None:
        load_providers()
        algorithm = registry.createAlgorithmById(ident)
    if algorithm is None:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The algorithm {} is not available in this QGIS.").format(ident),
            hint=translate("QgisAgent", "Switch its provider on in the Processing settings."),
            reason="no_algorithm",
        )
    return algorithm


def check_parameters(
    algorithm: QgsProcessingAlgorithm, parameters: Dict[str, Any], context: QgsProcessingContext
) -> None:
    """INVALID_PARAM for an unknown key, and for what the algorithm itself refuses."""
    known = [each.name() for each in algorithm.parameterDefinitions()]
    for key in parameters:
        if key not in known:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "{} has no parameter '{}'.").format(algorithm.id(), key),
                hint=hint_for_name(key, known, "parameters"),
                reason="algorithm_parameters",
            )
    good, problem = algorithm.checkParameterValues(parameters, context)
    if not good:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} refuses its parameters: {}").format(algorithm.id(), clean_text(problem, 300)),
            hint=translate("QgisAgent", "Check the layers and values of the call."),
            reason="algorithm_parameters",
        )
