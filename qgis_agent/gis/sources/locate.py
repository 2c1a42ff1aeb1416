"""From what a caller names to the file that is opened: a path, or an archive with one of its members."""

from __future__ import annotations

from typing import Any, Generator, List, Optional, Tuple

from ..call import Call
from ..errors import AMBIGUOUS, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text
from ..work import Step, Work
from .formats import ARCHIVE_SUFFIX, DataFile, member_file, members
from .listing import kind_of_file

MAX_OPTIONS = 20


def located(
    call: Call, path: str, sublayer: Optional[str], kind: str
) -> Generator[Step, Any, Tuple[DataFile, Optional[str]]]:
    """(file, sublayer in it) for a path. Of an archive the member is chosen: named, or the only one of the kind.

    ``kind`` is vector, raster, table or any. AMBIGUOUS when an archive has several; then path "archive.zip/member" names one.
    """
    real, member = call.host.paths.readable_in_archive(path)
    shown = clean_text(real.name, 120)
    if member:
        file = yield Work(
            translate("QgisAgent", "Opening {}").format(shown), lambda _feedback: member_file(real, member)
        )
        return file, sublayer
    if real.suffix.lower() != ARCHIVE_SUFFIX:
        return DataFile(real), sublayer
    names: List[str] = yield Work(translate("QgisAgent", "Opening {}").format(shown), lambda _feedback: members(real))
    if sublayer in names:
        return DataFile(real, str(sublayer)), None
    fitting = [each for each in names if _fits(each, kind, names)]
    if len(fitting) == 1:
        return DataFile(real, fitting[0]), sublayer
    if not fitting:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The archive '{}' has no data of this kind.").format(shown),
            hint=_contents(names),
            reason="archive_member",
        )
    raise ToolError(
        AMBIGUOUS,
        translate("QgisAgent", "The archive '{}' has {} data files.").format(shown, len(fitting)),
        hint=translate("QgisAgent", "Ask which one is meant, and give path as “archive.zip/file”."),
        reason="archive_member",
        options=[{"path": "{}/{}".format(path, each), "label": clean_text(each, 80)} for each in fitting[:MAX_OPTIONS]],
    )


def _contents(names: List[str]) -> str:
    """What an archive has; names that lead out of it are not among them."""
    if not names:
        return translate("QgisAgent", "It has no files that may be read. Ask for another archive.")
    return translate("QgisAgent", "It has: {}.").format(", ".join(clean_text(each, 60) for each in names[:12]))


def _fits(name: str, kind: str, names: List[str]) -> bool:
    found = kind_of_file(name)
    if name.lower().endswith(".dbf") and any(each.lower() == name[:-4].lower() + ".shp" for each in names):
        return False
    return bool(found) and found != "archive" and kind in ("any", found)
