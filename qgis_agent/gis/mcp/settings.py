"""The programs that a person allowed to use QGIS over MCP, and whether the endpoint is on.

They are kept in ``mcp_clients.json`` in the QGIS profile, readable by its owner alone. A token is shown once, when it is made;
only its SHA-256 is kept. Whether the endpoint is on, and its port, are in QgsSettings; it is off until somebody turns it on.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

from qgis.core import QgsSettings
from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from ..approvals import LEVELS
from ..i18n import translate
from ..layers import clean_text
from ..secrets import REDACTOR, log

PREFIX = "qgis_agent/mcp/"
DEFAULT_PORT = 8766
LEAST_PORT, MOST_PORT = 1024, 65535
FILE_NAME = "mcp_clients.json"
ENDPOINT_NAME = "mcp_endpoint.json"
"""Beside it while the endpoint is open: {url, port, pid}, for mcp_forwarder.py."""
VERSION = 1
MAX_LABEL = 60
MAX_CLIENTS = 50
MAX_FILE_BYTES = 256 * 1024
PACKS = ("write",)
"""Packs that a person can switch on for a client; the others come with its level."""
LOOK_MS = 2_000
"""The file is looked at so often: another QGIS with the same profile may have changed it."""
SEEN_EVERY_S = 60
"""That a client was seen is written down this often at most."""
KEY_PREFIX = "qgm_"
"""What a token begins with."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_IDENT = re.compile(r"[A-Za-z0-9_-]{1,40}")


def enabled() -> bool:
    """Whether the endpoint is on."""
    return QgsSettings().value(PREFIX + "enabled", False, type=bool) is True


def choose_enabled(on: bool) -> None:
    """Keep whether the endpoint is on."""
    QgsSettings().setValue(PREFIX + "enabled", on)


def port() -> int:
    """The port of the endpoint on 127.0.0.1."""
    try:
        kept = int(QgsSettings().value(PREFIX + "port", DEFAULT_PORT))
    except (TypeError, ValueError):
        return DEFAULT_PORT
    return kept if LEAST_PORT <= kept <= MOST_PORT else DEFAULT_PORT


def choose_port(chosen: int) -> None:
    """Keep the port. ValueError where it is none that a program of a person may listen on."""
    if not LEAST_PORT <= chosen <= MOST_PORT:
        raise ValueError(translate("QgisAgent", "Choose a port from {} to {}.").format(LEAST_PORT, MOST_PORT))
    QgsSettings().setValue(PREFIX + "port", chosen)


@dataclass(frozen=True)
class Client:
    """A program that a person allowed. ``label`` is the person's name for it; times are ISO in UTC, ``seen`` "" for never."""

    id: str
    label: str
    level: str = "read_only"
    packs: Tuple[str, ...] = ()
    token_sha256: str = ""
    created: str = ""
    seen: str = ""


def token_digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_token() -> str:
    """A token of 256 random bits; the redactor knows it from now on."""
    token = KEY_PREFIX + secrets.token_urlsafe(32)
    REDACTOR.know(token)
    return token


class Clients(QObject):
    """The allowed programs. ``changed`` is emitted after each change but ``note_seen``; ``problem`` says why the file cannot be
    used, "" where it can: then nobody is allowed, and nothing is written over it.

    Several QGIS may have one profile open: what a person takes back in one of them must not live on in another, nor be written
    again by it. So the file is read anew whenever it is another.
    """

    changed = pyqtSignal()

    def __init__(self, folder: Optional[Path] = None, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.problem = ""
        self._stamp: Tuple[int, ...] = ()
        self._clients: List[Client] = []
        self._read()
        self._clock = QTimer(self)
        self._clock.setInterval(LOOK_MS)
        self._clock.timeout.connect(self._look)
        self._clock.start()

    @property
    def path(self) -> Path:
        """The file."""
        return self._place() / FILE_NAME

    def listed(self) -> List[Client]:
        """All of them, in the order in which they were added."""
        self._look()
        return list(self._clients)

    def find(self, ident: str) -> Optional[Client]:
        """The client of an id."""
        self._look()
        return next((each for each in self._clients if each.id == ident), None)

    def admits(self) -> bool:
        """Whether anybody is let in now: only while the endpoint is on."""
        return enabled()

    def add(self, label: str, level: str = "read_only", packs: Iterable[str] = ()) -> Tuple[Client, str]:
        """Allow a program; returns it with its token, which is given this once. ValueError for a label that cannot be used,
        OSError when it cannot be kept."""
        if len(self.listed()) >= MAX_CLIENTS:
            raise ValueError(
                translate("QgisAgent", "Remove a program first: there are {} already.").format(MAX_CLIENTS)
            )
        token = new_token()
        made = Client(
            secrets.token_hex(6), self._label(label, ""), _level(level), _packs(packs), token_digest(token), _now()
        )
        self._keep([*self._clients, made])
        return made, token

    def rotate(self, ident: str) -> str:
        """A new token for a client; the old one is worth nothing from now on. KeyError for an unknown id."""
        token = new_token()
        self._replace(ident, token_sha256=token_digest(token))
        return token

    def change(
        self,
        ident: str,
        *,
        label: Optional[str] = None,
        level: Optional[str] = None,
        packs: Optional[Iterable[str]] = None,
    ) -> None:
        """Change what a client is called or may do. KeyError for an unknown id, ValueError for what cannot be."""
        fields: Dict[str, Any] = {}
        if label is not None:
            fields["label"] = self._label(label, ident)
        if level is not None:
            fields["level"] = _level(level)
        if packs is not None:
            fields["packs"] = _packs(packs)
        self._replace(ident, **fields)

    def revoke(self, ident: str) -> None:
        """The program is not allowed any more. KeyError for an unknown id."""
        self._of(ident)
        self._keep([each for each in self._clients if each.id != ident])

    def note_seen(self, ident: str) -> None:
        """The client has called; a file that cannot be written now is no matter."""
        found = self.find(ident)
        if found is None or (found.seen and _age_s(found.seen) < SEEN_EVERY_S):
            return
        self._clients = [replace(each, seen=_now()) if each.id == ident else each for each in self._clients]
        try:
            self._write(self._clients)
            self._stamp = self._stamp_now()
        except OSError as error:
            log("{} cannot be written: {}".format(FILE_NAME, error.strerror or error))

    # inside

    def _look(self) -> None:
        """Read the file again where another QGIS has written it."""
        if self._stamp_now() == self._stamp:
            return
        before = self._rights()
        self._read()
        if self._rights() != before:
            self.changed.emit()

    def _rights(self) -> Tuple[Any, ...]:
        return (self.problem, *(replace(each, seen="") for each in self._clients))

    def _read(self) -> None:
        self._stamp = self._stamp_now()  # before the file: what is written meanwhile is read the next time
        self.problem = ""
        self._clients = self._load()

    def _stamp_now(self) -> Tuple[int, ...]:
        """Tells one content of the file from another; () where there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _place(self) -> Path:
        if self._folder is None:
            from ..runs import records_folder

            self._folder = records_folder()
        return self._folder

    def _of(self, ident: str) -> Client:
        found = self.find(ident)
        if found is None:
            raise KeyError(ident)
        return found

    def _label(self, text: str, ident: str) -> str:
        label = clean_text(text, MAX_LABEL)
        if not label:
            raise ValueError(translate("QgisAgent", "Give the program a name."))
        if len(text.strip()) > MAX_LABEL:
            raise ValueError(translate("QgisAgent", "Use at most {} characters.").format(MAX_LABEL))
        if any(each.label.casefold() == label.casefold() and each.id != ident for each in self._clients):
            raise ValueError(translate("QgisAgent", "There is a program of this name already."))
        return label

    def _replace(self, ident: str, **fields: Any) -> None:
        changed = replace(self._of(ident), **fields)
        self._keep([changed if each.id == ident else each for each in self._clients])

    def _keep(self, clients: List[Client]) -> None:
        if self.problem:
            raise OSError(self.problem)
        self._write(clients)
        self._read()
        self.changed.emit()

    def _write(self, clients: List[Client]) -> None:
        if self.problem:
            return
        text = json.dumps({"v": VERSION, "clients": [asdict(each) for each in clients]}, ensure_ascii=False, indent=1)
        write_private(self.path, text + "\n")

    def _load(self) -> List[Client]:
        try:
            path = self.path
            if not path.exists():
                return []
            if path.stat().st_size > MAX_FILE_BYTES:
                raise ValueError("too large")
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["v"] != VERSION:
                raise ValueError("version {!r}".format(document["v"]))
            return [_client_of(each) for each in document["clients"]][:MAX_CLIENTS]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            self.problem = translate(
                "QgisAgent",
                "The list of allowed programs ({}) cannot be read: {}. Until it is put right none is let in.",
            ).format(FILE_NAME, clean_text(str(error), 200))
            log(self.problem)
            return []


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, at once or not at all. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name("{}.{}.part".format(path.name, secrets.token_hex(4)))
    descriptor = os.open(str(part), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(str(part), str(path))
    except OSError:
        part.unlink()
        raise


def _client_of(entry: Dict[str, Any]) -> Client:
    """A client as it is in the file. ValueError and KeyError for what nobody here has written."""
    ident, digest = str(entry["id"]), str(entry["token_sha256"])
    if not _IDENT.fullmatch(ident) or not _DIGEST.fullmatch(digest):
        raise ValueError("an entry is damaged")
    label = clean_text(str(entry["label"]), MAX_LABEL) or ident
    created, seen = (str(entry.get(key) or "")[:40] for key in ("created", "seen"))
    return Client(ident, label, _level(str(entry["level"])), _packs(entry["packs"]), digest, created, seen)


def _level(level: str) -> str:
    if level not in LEVELS:
        raise ValueError("unknown level {!r}".format(level))
    return level


def _packs(packs: Iterable[str]) -> Tuple[str, ...]:
    found = tuple(sorted({str(each) for each in packs}))
    unknown = [each for each in found if each not in PACKS]
    if unknown:
        raise ValueError("unknown pack {!r}".format(unknown[0]))
    return found


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def _age_s(moment: str) -> float:
    """Seconds since a time as ``_now`` gives it; a long time for what is none."""
    try:
        return (datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(moment)).total_seconds()
    except (ValueError, TypeError):
        return float("inf")
