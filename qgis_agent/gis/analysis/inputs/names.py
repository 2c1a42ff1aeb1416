"""Names of fields that are added to a layer."""

from __future__ import annotations

from typing import Set


def free_name(name: str, taken: Set[str]) -> str:
    """``name``, or with a number (name_2) where it is taken; it is taken then. ``taken`` holds names in small letters
    (casefold): files and databases do not tell case apart."""
    free, number = name, 1
    while free.casefold() in taken:
        number += 1
        free = "{}_{}".format(name, number)
    taken.add(free.casefold())
    return free
