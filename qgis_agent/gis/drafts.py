"""Files are written beside their target under a name of their own and moved there at the end.

So a stopped or failed write leaves nothing behind, and a file that exists is never touched.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import List

from .errors import UPSTREAM_ERROR, ToolError
from .i18n import translate


def draft_of(target: Path) -> Path:
    """A hidden, unguessable name in the target's folder with the target's suffix."""
    return target.with_name(".{}-{}{}".format(target.stem, uuid.uuid4().hex[:8], target.suffix))


def family(draft: Path) -> List[Path]:
    """The draft and what a driver wrote beside it under the same stem."""
    return [each for each in draft.parent.glob(draft.stem + ".*") if each.is_file()]


def move(draft: Path, target: Path) -> None:
    """Give the draft its name without ever replacing a file: a hard link fails when the name is taken."""
    for source in sorted(family(draft), key=lambda each: each.suffix == draft.suffix):
        destination = target.with_suffix(source.suffix)
        try:
            os.link(str(source), str(destination))
        except FileExistsError:
            raise not_written(translate("QgisAgent", "'{}' exists now.").format(destination.name)) from None
        except OSError:  # a file system without hard links
            if os.path.lexists(str(destination)):
                raise not_written(translate("QgisAgent", "'{}' exists now.").format(destination.name)) from None
            os.rename(str(source), str(destination))


def remove(draft: Path) -> None:
    """Take away what is left of a draft."""
    for each in family(draft):
        each.unlink()


def not_written(why: str, hint: str = "") -> ToolError:
    """The error of a file that was not written."""
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The file was not written: {}").format(why),
        hint=hint or translate("QgisAgent", "Try another format or another folder."),
        reason="write_failed",
    )
