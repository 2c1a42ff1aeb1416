"""Names of tools as models write them: some put the namespace before them that their training had."""

from __future__ import annotations

import re
from collections.abc import Collection

_LAST = re.compile(r"(?:.*[./:])?([A-Za-z_][A-Za-z0-9_-]*)(?::\d+)?$", re.DOTALL)


def plain_name(name: str, offered: Collection[str]) -> str:
    """The offered tool that is meant by ``functions.zoom_to``, ``default_api.zoom_to`` or ``functions.zoom_to:0``.

    A name that is offered as it stands, or whose last part is not, is returned unchanged.
    """
    if name in offered:
        return name
    found = _LAST.match(name.strip())
    return found.group(1) if found is not None and found.group(1) in offered else name
