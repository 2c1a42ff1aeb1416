"""How the code of a write tells the checkpoint of its run what it has done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Dict, List

from ..i18n import translate
from .files import WrittenFile
from .stamps import Stamp

if TYPE_CHECKING:
    from ..call import Call
    from .items import UndoItem


def record(call: Call, item: UndoItem) -> None:
    """Keep an item for the undo of the call's run; called in the same turn of the event loop as the change itself."""
    call.host.checkpoints.add(call, item)
    call.written.append(item.words())


def record_files(call: Call, target: Path, files: List[Path], stamps: Dict[str, Stamp]) -> None:
    """Files have got their names: ``stamps`` by what the names have after the stem, see ``stamps_by_ending``."""
    known = [(each, stamps[each.name[len(target.stem) :]]) for each in files if each.name[len(target.stem) :] in stamps]
    if known:
        record(call, WrittenFile(call.host, known))


def new_file_words() -> str:
    """What Undo does about a new file, for the card."""
    return translate("QgisAgent", "Undo removes the new file; it asks when it was changed since or a layer shows it.")
