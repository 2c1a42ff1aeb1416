"""Files are written beside their target under a name of their own and moved there at the end.

So a stopped or failed write leaves nothing behind, and a file that exists is never touched.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import List

from .errors import INVALID_PARAM, UPSTREAM_ERROR, ToolError
from .i18n import translate


def draft_of(target: Path, dots: bool = True) -> Path:
    """A hidden, unguessable name in the target's folder with the target's suffix.

    Without ``dots`` there is none before the suffix, so that it is not hidden: QGIS names the further pages of an SVG by what
    stands before the first dot, so that those of ".map-1f.svg" would be "_2.svg", which may be a person's.
    """
    mark = uuid.uuid4().hex[:8]
    if not dots:
        return target.with_name("draft-{}{}".format(mark, target.suffix))
    return target.with_name(".{}-{}{}".format(target.stem, mark, target.suffix))


def family(draft: Path) -> List[Path]:
    """The draft and what was written beside it: sidecars (".dbf", ".png.aux.xml") and further pages ("_2.png")."""
    return [each for each in draft.parent.iterdir() if each.name.startswith(draft.stem) and each.is_file()]


def move(draft: Path, target: Path) -> List[Path]:
    """Give the draft and its family their names without ever replacing a file; returns the names, the target first.

    UPSTREAM_ERROR when one of the names is taken or cannot be given: those that had been given are taken back.
    """
    done: List[Path] = []
    try:
        for source in sorted(family(draft), key=lambda each: each.name == draft.name):
            destination = target.with_name(target.stem + source.name[len(draft.stem) :])
            _link(source, destination)
            done.append(destination)
    except BaseException:
        for each in done:
            each.unlink()
        raise
    if target not in done:
        raise not_written(translate("QgisAgent", "nothing came of it."))
    return [target] + sorted(each for each in done if each != target)


def _link(source: Path, destination: Path) -> None:
    """A hard link fails when the name is taken; where a file system has none, the name is looked at first."""
    try:
        os.link(str(source), str(destination))
    except FileExistsError:
        raise _taken(destination) from None
    except OSError:
        if os.path.lexists(str(destination)):
            raise _taken(destination) from None
        try:
            os.rename(str(source), str(destination))
        except OSError as error:
            raise not_written(error.strerror or "-") from error


def remove(draft: Path) -> None:
    """Take away what is left of a draft."""
    for each in family(draft):
        each.unlink()


def draft_folder(target: Path) -> Path:
    """A new hidden folder beside the target, for a format that writes its own name into its files."""
    folder = target.with_name(".draft-{}".format(uuid.uuid4().hex[:8]))
    try:
        folder.mkdir()
    except OSError as error:
        raise not_written(error.strerror or "-") from error
    return folder


def remove_folder(folder: Path) -> None:
    """Take away a draft folder with what is left in it."""
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()


def require_free(targets: List[Path]) -> None:
    """INVALID_PARAM when a file that would be written is there already."""
    found = [each for each in targets if os.path.lexists(str(each))]
    if found:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The file '{}' exists now and is not overwritten.").format(found[0].name),
            hint=translate("QgisAgent", "Prepare the export again with another name."),
            reason="file_exists",
        )


def not_written(why: str, hint: str = "") -> ToolError:
    """The error of a file that was not written."""
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The file was not written: {}").format(why),
        hint=hint or translate("QgisAgent", "Try another format or another folder."),
        reason="write_failed",
    )


def _taken(destination: Path) -> ToolError:
    return not_written(translate("QgisAgent", "'{}' exists now.").format(destination.name))


def with_suffix(path: str, suffix: str, others: List[str]) -> str:
    """The path with the ending of its format, in small letters. INVALID_PARAM for the ending of another format."""
    given = Path(path).suffix.lower()
    if given == suffix:
        return path[: -len(suffix)] + suffix
    if given in others:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' does not go with the format.").format(given),
            hint=translate("QgisAgent", "Use the ending {} or another format.").format(suffix),
            reason="format",
        )
    return path + suffix
