"""Runs exported models and scripts in a QGIS of its own, without a window and without our bridge or agent process.

``/usr/bin/python3 run_exports.py JOBS.json``: JOBS is {project, plugins, scripts: [[script, folder]], models: [[model, folder]]}.
Layers go into the folders, as GeoPackage or GeoTIFF by name; only failures are said.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any

from qgis.core import (
    QgsApplication,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingModelAlgorithm,
    QgsProject,
)


def script_module(path: str) -> Any:
    """An exported script as a module."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_model(path: str, folder: str, project: QgsProject) -> None:
    """A model as QGIS reads it from its file, its inputs as their defaults say, its outputs into the folder."""
    model = QgsProcessingModelAlgorithm()
    assert model.fromFile(path), path
    assert model.canExecute()[0], model.canExecute()[1]
    os.makedirs(folder, exist_ok=True)
    context, feedback = QgsProcessingContext(), QgsProcessingFeedback(False)
    context.setProject(project)
    parameters: dict[str, Any] = {}
    for each in model.parameterDefinitions():
        if each.isDestination():
            suffix = ".tif" if each.type() == "rasterDestination" else ".gpkg"
            parameters[each.name()] = os.path.join(folder, each.name() + suffix)
        else:
            parameters[each.name()] = each.defaultValue()
    good, problem = model.checkParameterValues(parameters, context)
    assert good, problem
    _results, good = model.run(parameters, context, feedback)
    assert good, feedback.textLog()


def main() -> None:
    """See the module."""
    with open(sys.argv[1], encoding="utf-8") as file:
        jobs = json.load(file)
    application = QgsApplication([], False)
    application.initQgis()
    project = QgsProject.instance()
    providers = []
    for script, folder in jobs["scripts"]:
        module = script_module(script)
        if not providers:
            providers.append(module.load_algorithms([jobs["plugins"]]))
        assert project.read(jobs["project"])
        module.repeat(project, folder, {})
    for path, folder in jobs["models"]:
        assert project.read(jobs["project"])
        run_model(path, folder, project)
    project.clear()
    providers.clear()
    application.exitQgis()


if __name__ == "__main__":
    main()
