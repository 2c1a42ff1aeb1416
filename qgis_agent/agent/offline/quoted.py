"""Names in quotes: the panel writes what a person names with "@" as "schools", people write “schools” or 「学校」 themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...bridge.messages import CatalogueLayer

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|'([^']+)'")


def unquoted(sentence: str, layers: Sequence[CatalogueLayer]) -> str:
    """The sentence with the quotes taken from around names of layers and fields. Quotes around anything else stay."""
    if not _QUOTED.search(sentence):
        return sentence
    names = {each.casefold() for layer in layers for each in (layer["name"], layer["layer_id"])}
    names |= {field["name"].casefold() for layer in layers for field in layer["fields"]}

    def bare(found: re.Match[str]) -> str:
        name = next(each for each in found.groups() if each)
        return name if name.strip().casefold() in names else found.group()

    return _QUOTED.sub(bare, sentence)
