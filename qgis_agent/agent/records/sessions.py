"""Sessions on disk: append-only JSON lines, redacted where they are written, readable after a crash at any byte.

One line is one record ``{"t": kind, "at": seconds, …}``; kinds: meta, run_start, user, assistant, call, result, request (the
hashes of a turn's request), route, event, compaction, subagent, hook, title, run_end. The call is written before it runs, the
result after. On loading, a torn last line is dropped (and kept beside the file as .bad); a line that is damaged elsewhere is an
error, and so is a file of a newer schema (migrate.py), which is left as it is.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..context.blackboard import Blackboard, target_of
from ..context.interrupted import not_run_content
from ..context.limits import LEVELS
from ..context.projection import Projection
from ..context.sanitize import interrupted_content
from ..context.untrusted import data_text
from ..llm.prices import CostTally
from .lock import InUse, WriterLock
from .migrate import SCHEMA_VERSION, migrated, newest_schema, schemas_of
from .redact import Redactor

_ID = re.compile(r"^[A-Za-z0-9_-]{1,80}$")
Message = dict[str, Any]
Record = dict[str, Any]


class SessionError(Exception):
    """A session that cannot be used: a bad id (no ``reason``), or ``reason`` "damaged", "newer" (a newer plugin wrote it) or "in_use"."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class Session:
    """One conversation: its messages in memory and its file.

    ``shown_packs`` are the packs of tools shown so far, ``projection`` how much of the messages a model still sees,
    ``blackboard`` what the conversation is about, ``last_end`` how its last run ended
    ({termination, reason, question, answer, request}).
    ``unknown`` are calls that began and whose outcome this side never learnt ({run_id, call_id, tool, target}).
    ``said`` is what person and agent said to each other, ``sections`` the hashes of the stable sections of the last run's requests.
    ``durable`` off keeps everything in memory only.
    """

    def __init__(
        self, session_id: str, path: Path, redactor: Redactor, clock: Callable[[], float], *, durable: bool = True
    ) -> None:
        self.id = session_id
        self.messages: list[Message] = []
        self.shown_packs: set[str] = set()
        self.projection = Projection()
        self.blackboard = Blackboard()
        self.last_end: dict[str, Any] = {}
        self.unknown: list[dict[str, str]] = []
        self.costs = CostTally()
        """Of the runs of this process; what earlier ones cost stands in their run_end."""
        self.said: list[dict[str, str]] = []
        self.sections: dict[str, str] = {}
        self.project: dict[str, str] = {}
        """{key, name} of the project that the next run works on; each run's record has it, for the list of sessions."""
        self.durable = durable
        self.older = False
        """Whether its file ends in an older schema: the next record is preceded by a ``meta`` that says this one."""
        self._path = path
        self._lock = WriterLock(path.with_suffix(".lock"))
        self._redactor = redactor
        self._clock = clock

    def own(self) -> None:
        """Be the only process that writes this session. SessionError (``in_use``) when another QGIS does."""
        if not self.durable:
            return
        try:
            self._lock.take()
        except InUse as error:
            raise SessionError(f"session {self.id} is open in another QGIS", "in_use") from error

    @property
    def owned(self) -> bool:
        """Whether this process is the only writer."""
        return self._lock.held

    def disown(self) -> None:
        """Let another process write it: this one must read it anew before it writes again."""
        self._lock.release()

    def write(self, kind: str, /, *, sync: bool = False, **fields: Any) -> None:
        """Append one record: one line, one write, handed to the system before this returns; ``sync``: on the disk itself."""
        if not self.durable:
            return
        if self.older:
            self.older = False
            self.write("meta", schema=SCHEMA_VERSION, session_id=self.id)
        record = self._redactor.clean({"t": kind, "at": round(self._clock(), 3), **fields})
        line = (
            json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")
            + b"\n"
        )
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(descriptor, view) :]
            if sync or kind == "run_end":
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def child(self, number: int) -> Session:
        """A session for a sub-agent: in memory only; the parent's record keeps its transcript."""
        return Session(f"{self.id}-sub{number}", self._path, self._redactor, self._clock, durable=False)

    def conversation(self) -> list[dict[str, str]]:
        """What was said: the person's words and the answers of the runs, without what stood between tool calls."""
        return [dict(each) for each in self.said]


class SessionStore:
    """The sessions of a records folder. Open ones are kept, so that a conversation has one history in memory."""

    def __init__(
        self, records_dir: Path, redactor: Redactor, clock: Callable[[], float] = time.time, *, durable: bool = True
    ) -> None:
        self._folder = records_dir / "sessions"
        self._redactor = redactor
        self._clock = clock
        self._durable = durable
        self._open: dict[str, Session] = {}

    def get(self, session_id: str) -> Session:
        """The session of an id, read from its file where there is one. SessionError for a bad id or a damaged file."""
        if session_id not in self._open:
            self._open[session_id] = self._load(session_id)
        return self._open[session_id]

    def resume(self, session_id: str) -> Session:
        """The session of an id, to go on with, as its file is now; others of this process are let go.

        SessionError: also where another QGIS writes it ("in_use"), and where there is none.
        """
        path = self.path_of(session_id)
        if not path.exists():
            raise SessionError(f"there is no session {session_id}")
        known = self._open.get(session_id)
        self.let_go(session_id if known is not None and known.owned else "")
        if session_id not in self._open:  # read only after it is ours: reading mends a torn end
            self._open[session_id] = self._load(session_id, own=True)
        return self._open[session_id]

    def let_go(self, but: str = "") -> None:
        """Forget the open sessions, except one: another QGIS may go on with them."""
        for ident in [each for each in self._open if each != but]:
            self._open.pop(ident).disown()

    def is_owned(self, session_id: str) -> bool:
        """Whether this process writes the session."""
        return session_id in self._open and self._open[session_id].owned

    def forget(self, session_id: str) -> None:
        """Forget an open session and let it go."""
        session = self._open.pop(session_id, None)
        if session is not None:
            session.disown()

    def record(self, session_id: str, kind: str, **fields: Any) -> None:
        """Append one record that is no part of the conversation, without reading the session. The caller is its writer."""
        path = self.path_of(session_id)
        Session(session_id, path, self._redactor, self._clock, durable=self._durable).write(kind, **fields)

    def path_of(self, session_id: str) -> Path:
        """The file of an id. SessionError for a bad id."""
        if _ID.match(session_id) is None:
            raise SessionError(f"not the id of a session: {session_id[:80]!r}")
        return self._folder / f"{session_id}.jsonl"

    def _load(self, session_id: str, *, own: bool = False) -> Session:
        path = self.path_of(session_id)
        session = Session(session_id, path, self._redactor, self._clock, durable=self._durable)
        if own:
            session.own()
        try:
            _fill(session, path)
        except (SessionError, OSError):
            session.disown()
            raise
        return session


def _fill(session: Session, path: Path) -> None:
    """Read the file into the session; a new one begins with its meta record."""
    if not path.exists():
        session.write("meta", schema=SCHEMA_VERSION, session_id=session.id)
        return
    records = read_records(path)
    session.older = (schemas_of(records) or [0])[-1] < SCHEMA_VERSION
    session.messages = messages_of(records)
    session.shown_packs = shown_packs_of(records)
    session.projection = projection_of(records, len(session.messages))
    session.blackboard = blackboard_of(records)
    session.last_end = last_end_of(records)
    session.said = said_in(records)
    session.unknown = unknown_of(records)
    session.sections = sections_of(records)


def read_records(path: Path) -> list[Record]:
    """The records of a session file, as the present schema has them. A torn last line is cut off the file.

    SessionError where another line is damaged, and for a newer schema, which is left as it is.
    """
    data = path.read_bytes()
    if newest_schema(_lines(data)) > SCHEMA_VERSION:
        raise SessionError(f"{path.name} was written by a newer version", "newer")
    records: list[Record] = []
    good = 0
    for line in _lines(data):
        record = _parse(line)
        if record is None:
            break
        records.append(record)
        good += len(line)
    if good < len(data):
        _keep_copy(path, data)
        if b"\n" in data[good:].rstrip(b"\n"):  # whole lines follow: this is no torn end
            raise SessionError(f"{path.name} is damaged at byte {good}", "damaged")
        with path.open("r+b") as file:
            file.truncate(good)
    elif data and not data.endswith(b"\n"):
        with path.open("ab") as file:  # killed between a record and the end of its line
            file.write(b"\n")
    return migrated(records)


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end == -1 else end + 1
        yield data[start:end]
        start = end


def _parse(line: bytes) -> Record | None:
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _keep_copy(path: Path, data: bytes) -> None:
    path.with_suffix(".jsonl.bad").write_bytes(data)


def messages_of(records: list[Record]) -> list[Message]:
    """The history that the records tell. A call that began and has no result is "interrupted"; one that never began was not run."""
    messages: list[Message] = []
    begun = {str(each.get("call_id")) for each in records if each.get("t") == "call"}
    open_calls: list[str] = []

    def settle_open() -> None:
        for ident in open_calls:
            content = interrupted_content() if ident in begun else not_run_content()
            messages.append({"role": "tool", "tool_call_id": ident, "content": content})
        open_calls.clear()

    for record in records:
        kind = record.get("t")
        if kind in ("user", "assistant"):
            settle_open()
            messages.append(_message(record))
            open_calls.extend(str(each["id"]) for each in record.get("tool_calls") or [])
        elif kind == "result" and record.get("call_id") in open_calls:
            open_calls.remove(record["call_id"])
            messages.append(
                {"role": "tool", "tool_call_id": record["call_id"], "content": data_text(record.get("envelope"))}
            )
        elif kind == "seen" and messages:
            _describe(messages[-1], record.get("pictures"))
    settle_open()
    return messages


def shown_packs_of(records: list[Record]) -> set[str]:
    """The packs of tools that the session has shown: a run after a restart shows no less."""
    events = [event for each in records if each.get("t") == "run_end" for event in each.get("prefix_events") or []]
    return {str(event).removeprefix("pack:") for event in events if str(event).startswith("pack:")}


def projection_of(records: list[Record], messages: int) -> Projection:
    """What the last compaction left to be seen; the whole conversation where its record does not fit the messages."""
    last = next((each for each in reversed(records) if each.get("t") == "compaction"), None)
    if last is None:
        return Projection()
    try:
        projection = projection_from(last)
    except (KeyError, TypeError, ValueError):
        return Projection()
    return projection if 0 <= projection.cut <= messages else Projection()


def projection_from(record: Mapping[str, Any]) -> Projection:
    """A projection as a record has it. KeyError, TypeError or ValueError for one that is none."""
    level = record["level"]
    if level not in LEVELS:
        raise ValueError(f"no level: {level!r}")
    pruned = frozenset(str(each) for each in record["pruned"])
    return Projection(str(record["summary"]), int(record["cut"]), pruned, level, int(record["seen"]))


def blackboard_of(records: list[Record]) -> Blackboard:
    """What the conversation was about and what it made, from its calls and results."""
    board = Blackboard()
    arguments: dict[str, dict[str, Any]] = {}
    for record in records:
        kind, ident = record.get("t"), str(record.get("call_id"))
        if kind == "user":
            board.begin(str(record.get("content", "")))
        elif kind == "call":
            arguments[ident] = _object(record.get("raw"))
        elif kind == "result" and isinstance(record.get("envelope"), dict):
            board.record(str(record.get("tool", "")), arguments.get(ident, {}), record["envelope"])
    return board


def last_end_of(records: list[Record]) -> dict[str, Any]:
    """How the last run ended: {termination, reason, question, answer, request}; empty when none has."""
    last = next((each for each in reversed(records) if each.get("t") == "run_end"), None)
    if last is None:
        return {}
    asked = [each for each in records if each.get("t") == "user" and each.get("run_id") == last.get("run_id")]
    request = str(last.get("request") or (asked[-1].get("content", "") if asked else ""))
    return end_of_run({**last, "answer": last.get("final")}, str(last.get("reason", "")), request)


def unknown_of(records: list[Record]) -> list[dict[str, str]]:
    """Calls of the last run that began and have no result, or one that says that its outcome is unknown."""
    last = next((str(each.get("run_id")) for each in reversed(records) if each.get("t") == "run_start"), "")
    calls = {
        str(each.get("call_id")): each for each in records if each.get("t") == "call" and each.get("run_id") == last
    }
    for record in records:
        envelope = record.get("envelope")
        known = record.get("t") == "result" and isinstance(envelope, dict) and envelope.get("reason") != "interrupted"
        if known and record.get("run_id") == last:
            calls.pop(str(record.get("call_id")), None)
    return [
        {"run_id": last, "call_id": ident, "tool": str(each.get("tool")), "target": target_of(_object(each.get("raw")))}
        for ident, each in calls.items()
    ]


def said_in(records: list[Record]) -> list[dict[str, str]]:
    """The person's words and the answers; of a run that never ended, its last text without calls."""
    said: list[dict[str, str]] = []
    unfinished = ""

    def close(answer: str) -> None:
        if answer:
            said.append({"role": "assistant", "text": answer})

    for record in records:
        kind = record.get("t")
        if kind == "user":
            close(unfinished)
            unfinished = ""
            said.append({"role": "user", "text": str(record.get("content", ""))})
        elif kind == "assistant" and not record.get("tool_calls"):
            unfinished = str(record.get("content", ""))
        elif kind == "run_end":
            unfinished = ""
            close(str(record.get("final") or ""))
    close(unfinished)
    return said


def sections_of(records: list[Record]) -> dict[str, str]:
    """The hashes of the sections that the last run ended with."""
    last = next((each for each in reversed(records) if each.get("t") == "run_end"), {})
    given = last.get("sections")
    return {str(key): str(value) for key, value in given.items()} if isinstance(given, dict) else {}


def end_of_run(report: Mapping[str, Any], reason: str, request: str) -> dict[str, Any]:
    """What a later run needs to know of an earlier one's end."""
    return {
        "termination": str(report.get("termination", "")),
        "reason": reason,
        "question": report.get("question"),
        "answer": str(report.get("answer", "")),
        "request": request,
    }


def _describe(message: Message, seen: Any) -> None:
    """What another model saw, written to the pictures of a message."""
    found = {each.get("sha256"): each.get("seen") for each in seen if isinstance(each, dict)} if seen else {}
    for each in message.get("pictures") or ():
        if found.get(each.get("sha256")):
            each["seen"] = str(found[each["sha256"]])


def _object(raw: Any) -> dict[str, Any]:
    try:
        value = json.loads(raw) if isinstance(raw, str) else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _message(record: Record) -> Message:
    message: Message = {"role": record["t"], "content": str(record.get("content", ""))}
    for key in ("tool_calls", "echo", "pictures"):
        if record.get(key):
            message[key] = record[key]
    return message
