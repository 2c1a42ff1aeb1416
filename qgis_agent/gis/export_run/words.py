"""What a model's help and a script's head say of the run: what it was, what it needs, what is not in it."""

from __future__ import annotations

from typing import List

from ..i18n import translate
from .allowed import warning
from .steps import RunSteps


def heading(run: RunSteps) -> List[str]:
    """What was asked, and where and when it comes from."""
    lines = [
        translate("QgisAgent", "Request: {}").format(run.title),
        translate("QgisAgent", "Made by QGIS Agent from the run {}.").format(run.trace_id),
    ]
    if run.project:
        lines.append(translate("QgisAgent", "Project: {}").format(run.project))
    if run.answer:
        lines.append(translate("QgisAgent", "Answer: {}").format(run.answer))
    return lines


def needs(run: RunSteps, model: bool) -> List[str]:
    """What has to be so for the results to be the same."""
    lines = []
    if run.needs_plugin():
        lines.append(translate("QgisAgent", "It uses algorithms of the plugin QGIS Agent, which must be installed."))
    for each in run.sources:
        if not each.file and (each.temporary or not each.layer_id):
            text = translate("QgisAgent", "The layer '{}' is not in the project file: choose one for it.")
            lines.append(text.format(each.title))
        if each.filtered:
            text = translate("QgisAgent", "The layer '{}' had a filter of the project, which must be in force.")
            lines.append(text.format(each.title))
    if model:
        text = translate("QgisAgent", "The run measured on the ellipsoid {}: the project's must be the same.")
        lines += [text.format(each) for each in dict.fromkeys(each.settings.ellipsoid for each in run.algorithms)]
        text = translate("QgisAgent", "The field {} is called {}: a GeoPackage takes no id twice.")
        lines += list(dict.fromkeys(text.format(*each.fid) for each in run.results if each.fid))
    return lines


def risks(run: RunSteps) -> List[str]:
    """What a person should look at before it runs: SQL, code, and what writes elsewhere than into the results."""
    text = translate("QgisAgent", "Look at {} before you run this: {}.")
    found = [(each.ident, warning(each.ident, each.parameters)) for each in run.algorithms]
    return list(dict.fromkeys(text.format(ident, why) for ident, why in found if why))


def others(run: RunSteps) -> List[str]:
    """The steps of the run that are no algorithms, and those that cannot be repeated, by their number."""
    lines = []
    for each in run.notes:
        if each.why:
            text = translate("QgisAgent", "Step {}: {} {} – is not exported: {}.")
            lines.append(text.format(each.number, each.tool, each.arguments, each.why))
            continue
        if each.lost:
            text = translate("QgisAgent", "Step {}: {} {} – cannot be repeated by algorithms alone.")
        else:
            text = translate("QgisAgent", "Step {}: {} {}")
        lines.append(text.format(each.number, each.tool, each.arguments))
    return lines


def others_title() -> str:
    """The line above ``others``."""
    return translate("QgisAgent", "Steps of the run that are not Processing, and are not done here:")
