"""Names for the inputs and outputs of a model: letters, digits and underscores, each once.

QGIS names the outputs of a model by their titles, so that a title is chosen here whose name is a good one.
"""

from __future__ import annotations

import re
from typing import Set, Tuple

_OTHER = re.compile(r"[^\sa-z_0-9]")
_DIGITS = re.compile(r"^\d*")
_LONGEST = 60


def name_of(title: str) -> str:
    """The name that QGIS gives the output of a model with this title."""
    return _DIGITS.sub("", _OTHER.sub("", title.lower().strip())).replace(" ", "_")


class Names:
    """Gives out names, each once."""

    def __init__(self) -> None:
        self._taken: Set[str] = set()

    def of_layer(self, alias: str) -> str:
        """For an input."""
        plain = name_of(alias)[:_LONGEST].strip("_")
        return self._free(plain if self._is_good(plain, alias) else "layer_1")

    def of_result(self, title: str) -> Tuple[str, str]:
        """(name, title) for an output; the title begins with a number where nothing of it can be a name."""
        clipped = title[:_LONGEST]
        if self._is_good(name_of(clipped), clipped) and name_of(clipped) not in self._taken:
            name = name_of(clipped)
        else:
            number = 1
            while name_of(self._numbered(number, clipped)) in self._taken:
                number += 1
            clipped = self._numbered(number, clipped)
            name = name_of(clipped)
        self._taken.add(name)
        return name, clipped

    @staticmethod
    def _is_good(name: str, text: str) -> bool:
        return bool(name) and name[0].isalpha() and len(name.strip("_")) * 3 >= len(text)

    @staticmethod
    def _numbered(number: int, title: str) -> str:
        return "result_{}{}{}".format(number, " " if name_of("a" + title).strip("_") != "a" else ":", title)

    def _free(self, name: str) -> str:
        base, number, found = name.rstrip("0123456789").rstrip("_"), 1, name
        while found in self._taken:
            number += 1
            found = "{}_{}".format(base, number)
        self._taken.add(found)
        return found
