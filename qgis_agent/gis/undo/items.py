"""What one run changed, as items that can be taken back one by one, and the report of an undo.

Items of the project's own state are made by comparing it before and after each call (``checkpoints.py``). What cannot be
seen that way, written files and committed edits, is added by the code that does it, after it has done it:

    call.host.checkpoints.add(call, WrittenFile(path, …))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Protocol


class UndoItem(Protocol):
    """One thing that a run changed. All methods are called on the main thread."""

    key: str
    """Names the thing, e.g. "file//home/a/roads.gpkg" or "edits/<layer id>": what a person agrees to by name. One item of
    a run has it: a later one of the same key is taken back first."""

    reversible: bool
    """False for what cannot be restored: ``words`` then says so, as the card did, and ``apply`` is never called."""

    after_layers: bool
    """True for what is taken back after the layers that the run added are gone: a file that such a layer reads."""

    def words(self) -> str:
        """What was changed, for people, without markup; it must stay true after the change."""

    def is_as_left(self) -> bool:
        """Whether the present state is what the run left. If not, a person is asked before ``apply``."""

    def apply(self) -> Optional[str]:
        """Set it back and read it back; None when it is as it was before the run, else why not, for people. Must not raise."""

    def discard(self) -> None:
        """The checkpoint is forgotten: remove stored copies."""


@dataclass
class UndoReport:
    """What an undo did. ``conflicts`` and ``failed`` are still changed; a second undo with the keys agreed to goes on there."""

    run_id: str
    undone: List[str] = field(default_factory=list)
    """In words, what is as it was before the run."""
    conflicts: List[Dict[str, str]] = field(default_factory=list)
    """{key, what, words} of what was changed since the run, by the person or a later run, and was left as it is."""
    not_restorable: List[str] = field(default_factory=list)
    """In words, what cannot be taken back, as the card had said."""
    failed: List[Dict[str, str]] = field(default_factory=list)
    """{key, what, words}: what should have been set back and could not be, and why."""

    @property
    def complete(self) -> bool:
        """Whether all that can be restored is as it was before the run."""
        return not self.conflicts and not self.failed
