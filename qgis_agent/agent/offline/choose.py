"""Choosing the layer or field that words mean, or asking the person with sentences to click."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...bridge.messages import CatalogueField, CatalogueLayer
from .answers import kind_name, listed, no_layer, say
from .naming import close_layers, match_fields, match_layers, spelled
from .steps import Ask, Run, Stop

DRAWN = ("point", "line", "polygon")
"""Kinds of layers that have features with a geometry."""


def one_layer(run: Run, phrase: str, kinds: Sequence[str] = ()) -> CatalogueLayer:
    """The layer that ``phrase`` means, of ``kinds`` where several fit. Raises Ask for several or near ones, Stop for none."""
    found = match_layers(phrase, run.layers, kinds)
    if len(found) == 1:
        return found[0]
    if found:
        question = say(
            run.language, "Which layer do you mean by “{phrase}”?", "“{phrase}”指的是哪个图层？", phrase=phrase
        )
        raise Ask(question, _sentences(run, phrase, (spelled(each, run.layers) for each in found)))
    close = close_layers(phrase, run.layers)
    missing = no_layer(run.language, phrase, run.layers)
    if not close:
        raise Stop(missing)
    question = say(
        run.language,
        "There is no layer “{phrase}”. Do you mean {names}?",
        "没有名为“{phrase}”的图层。您是指{names}吗？",
        phrase=phrase,
        names=listed(run.language, (each["name"] for each in close)),
    )
    raise Ask(question, _sentences(run, phrase, (spelled(each, run.layers) for each in close)))


def one_field(run: Run, phrase: str, layer: CatalogueLayer) -> CatalogueField | None:
    """The field that ``phrase`` means; None when there is none. Raises Ask for several."""
    found = match_fields(phrase, layer)
    if len(found) <= 1:
        return found[0] if found else None
    question = say(
        run.language,
        "Which field of {layer} do you mean by “{phrase}”?",
        "“{phrase}”指的是{layer}的哪个字段？",
        layer=layer["name"],
        phrase=phrase,
    )
    raise Ask(question, _sentences(run, phrase, (each["name"] for each in found)))


def _sentences(run: Run, phrase: str, names: Iterable[str]) -> list[str]:
    """The request again, once for each name in the place of the phrase."""
    if phrase not in run.sentence:
        return []
    return [run.sentence.replace(phrase, name, 1) for name in names]


def no_raster(run: Run, layer: CatalogueLayer, english: str, chinese: str) -> None:
    """Raise Stop for a layer without features: ``english`` and ``chinese`` say what cannot be done with it."""
    if layer["kind"] not in DRAWN:
        text = say(
            run.language,
            "I cannot {what} “{layer}”: it is a {kind} layer and has no features.",
            "无法{what}“{layer}”：它是{kind}图层，没有要素。",
            what=chinese if run.language == "zh" else english,
            layer=layer["name"],
            kind=kind_name(run.language, layer["kind"]),
        )
        raise Stop(text, "tool_failed", "layer_kind")
