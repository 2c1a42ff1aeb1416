"""The layer of a sentence that names none ("turn off the labels"): that of the conversation, the only one, or the person's choice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...bridge.messages import CatalogueLayer
from .answers import say
from .choose import one_layer
from .grammar import Command
from .naming import spelled
from .steps import Ask, Run
from .talk import last_layer

STYLE_TOOLS = (
    "set_render_rule",
    "patch_style",
    "set_layer_label",
    "set_raster_style",
    "set_legend",
    "copy_style",
    "revert_style",
)
"""Tools that change the look of a layer: who says "restore the style" means what one of these did last."""


def target(
    command: Command,
    run: Run,
    english: str,
    chinese: str,
    kinds: Collection[str] = (),
    tools: Sequence[str] = STYLE_TOOLS,
    place: str = "layer",
) -> CatalogueLayer:
    """The layer that is meant. ``english`` and ``chinese`` are the whole sentence with {name}, one a button. Raises Ask or Stop.

    Without a word for it: the last layer that ``tools`` worked on in this conversation (all tools for none), of ``kinds``
    where it must be of some.
    """
    if command.words.get(place):
        return one_layer(run, command.words[place], tuple(kinds))
    fitting = [each for each in run.layers if not kinds or each["kind"] in kinds]
    last = last_layer(run.messages, run.settled, fitting, tools)
    if last is not None or len(fitting) == 1:
        return last or fitting[0]
    question = say(run.language, "Of which layer?", "是哪个图层？")
    pattern = chinese if run.language == "zh" else english
    raise Ask(question, [pattern.format(name=spelled(each, run.layers)) for each in fitting])
