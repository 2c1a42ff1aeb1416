"""A run that is going on, and what its words and buttons ask for. No Qt here."""

from __future__ import annotations

import uuid
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Set

from ..bridge.requested import HOST, NOTE, WRITE, hosts_in
from .approvals import Capability
from .contracts import PLUGIN_ROOT
from .pictures import Picture


class Run:
    """A run that is going on."""

    def __init__(
        self,
        capability: Capability,
        text: str,
        profile: str,
        approved_plan: Optional[Dict[str, Any]],
        pictures: Sequence[Picture] = (),
    ) -> None:
        self.capability = capability
        self.text = text
        self.profile = profile
        self.approved_plan = approved_plan
        self.pictures = list(pictures)
        self.request_id = ""
        self.stopping = False
        self.answered = False
        self.called: Set[str] = set()
        """Ids of the calls that have come here."""


def offered_by(question: Any) -> FrozenSet[str]:
    """What the buttons under a question send. The agent wrote it, perhaps from data: a click on it makes it no words of the
    person's that ask for a write, a note or a host."""
    options = question.get("options") if isinstance(question, dict) else None
    found = [each for each in options if isinstance(each, dict)] if isinstance(options, list) else []
    return frozenset(str(each.get("send") or each.get("label") or "").strip() for each in found)


def named_by(arguments: Any) -> List[str]:
    """What a person asks for who calls a tool themselves: that very tool, and the host among its arguments."""
    url = arguments.get("url") if isinstance(arguments, dict) else None
    return [WRITE, NOTE, *(HOST + each for each in hosts_in(str(url or "")))]


def new_session_id() -> str:
    """A name for a conversation."""
    return "s-" + uuid.uuid4().hex[:16]


def plugin_version() -> str:
    """The version in metadata.txt."""
    for line in (PLUGIN_ROOT / "metadata.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("version="):
            return line.split("=", 1)[1].strip()
    return "0"
