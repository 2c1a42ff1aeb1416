"""Grants: permissions that a person gave for more than one call. They answer an "ask", never a click and never a "deny".

A grant is data: who (caller), what (tool and effect), on what (one layer, one folder, one host), in which project, for how
long, since when, given by whom. It is as narrow as the call that it was given for, and it lies in the QGIS profile.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import time
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple
from urllib.parse import urlsplit

from qgis.core import QgsMapLayer, QgsProject, QgsProviderRegistry
from qgis.PyQt.QtCore import QObject, pyqtSignal

from .grants_file import RowsFile
from .layers import clean_text

LAYER = "layer"
FOLDER = "folder"
HOST = "host"
ANY = "any"
TARGET_KINDS = (LAYER, FOLDER, HOST, ANY)
SESSION = "session"
ALWAYS = "always"
LIFETIMES = (SESSION, ALWAYS)
GRANTABLE = ("read", "view", "create", "network")
"""Effects that a grant can answer for: a write is clicked and code is asked about each time."""
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_OF_THE_DATA = ("subset", "sql", "password", "username", "authcfg", "key", "checkPrimaryKeyUnicity")
"""Parts of a source that may change while it stays the same data: the filter, and how one logs in."""


class Target(NamedTuple):
    """What a call works on. ``value`` is a layer's name, a folder's real path or "host:port"; "" for ``ANY``.

    ``source`` (a digest of the layer's source) and ``layer_id`` (QGIS's id) tell layers of one name apart.
    """

    kind: str = ANY
    value: str = ""
    source: str = ""
    layer_id: str = ""


NOTHING_IN_PARTICULAR = Target()


def layer_target(layer: QgsMapLayer) -> Target:
    """A layer, by its id while QGIS runs and by name and source after it."""
    return Target(LAYER, clean_text(layer.name(), 200), source_digest(layer), layer.id())


def folder_target(path: str) -> Target:
    """A folder and what is below it, by its real path."""
    return Target(FOLDER, os.path.realpath(path))


def host_target(url: str) -> Target:
    """The host of an address with its port, also where the port is the scheme's own: http and https are two targets.

    An address without a host gives a target that no grant can be made for.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme.lower())
        host = (parts.hostname or "").lower()
    except ValueError:
        return Target(HOST, "")
    if not host or port is None:
        return Target(HOST, "")
    return Target(HOST, "{}:{}".format("[{}]".format(host) if ":" in host else host, port))


def source_digest(layer: QgsMapLayer) -> str:
    """SHA-256 (hex) of provider and source, without the filter and without names and passwords.

    "" for no source and for layers in memory, which are others each time that QGIS starts.
    """
    source = layer.source()
    if not source or layer.providerType() == "memory":
        return ""
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), source) or {"source": source}
    kept = {key: str(value) for key, value in parts.items() if key not in _NOT_OF_THE_DATA and value not in (None, "")}
    text = json.dumps([layer.providerType(), kept], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def project_file(project: QgsProject) -> str:
    """The real path of the project's file, which stored grants are kept under; "" for a project without a file of its
    own (never saved, or inside a database): it has session grants only."""
    name = project.fileName()
    return os.path.normcase(os.path.realpath(name)) if name and os.path.isfile(name) else ""


@dataclass(frozen=True)
class Grant:
    """One permission. ``project`` is the real path of a project's file ("" when it has none); ``created`` is UTC, ISO 8601;
    ``by`` the account that was at the computer. Stored ones have no ``session``, ``project_id`` and ``layer_id``."""

    id: str
    caller: str
    tool: str
    effect: str
    target_kind: str
    target: str
    source: str
    project: str
    lifetime: str
    created: str
    by: str
    session: str = ""
    project_id: str = ""
    layer_id: str = ""

    def covers(self, target: Target) -> bool:
        """Whether it was given for this target: the same layer, the same host and port, this folder or one inside it."""
        if target.kind != self.target_kind:
            return False
        if self.target_kind == LAYER:
            if self.lifetime == SESSION and self.layer_id:
                return target.layer_id == self.layer_id
            return bool(self.target and self.source) and (target.value, target.source) == (self.target, self.source)
        if self.target_kind == FOLDER:
            return bool(self.target) and _inside(target.value, self.target)
        if self.target_kind == HOST:
            return bool(self.target) and target.value.lower() == self.target.lower()
        return True

    def words(self) -> str:
        """What a search looks in."""
        searched = (self.tool, self.target, self.project, self.caller, self.lifetime, self.by, self.created)
        return "\n".join(searched)


class GrantStore(QObject):
    """The grants of one QGIS: those of the session in memory, those for always in the profile (``grants_file.py``).

    Lives on the main thread. The file is read again whenever it has changed: what one QGIS revokes, another asks about at
    its next call. ``changed`` follows every change here, ``added`` and ``revoked`` carry the Grant.
    """

    changed = pyqtSignal()
    added = pyqtSignal(object)
    revoked = pyqtSignal(object)

    def __init__(
        self,
        project_path: Callable[[], str] = lambda: "",
        file: Optional[Path] = None,
        parent: Optional[QObject] = None,
    ) -> None:
        """``project_path`` gives the real path of the open project's file (``project_file``), "" when it has none."""
        super().__init__(parent)
        self.project_path = project_path
        self._file: RowsFile[Grant] = RowsFile(file, _parsed, _row)
        self._session: List[Grant] = []
        self._gone: Set[str] = set()
        """Revoked here while the file could not be written: they answer nothing any more."""

    @property
    def problem(self) -> str:
        """What is wrong with the stored grants, for a person; "" when nothing is."""
        return self._file.problem

    @property
    def path(self) -> Path:
        """The file of the stored grants."""
        return self._file.path

    def can_keep(self, target: Target) -> bool:
        """Whether "always here" can be offered: the project has a file, and the target can be known again."""
        known_again = bool(target.source) if target.kind == LAYER else bool(target.value) or target.kind == ANY
        return bool(self.project_path()) and known_again

    def add(
        self,
        *,
        caller: str,
        tool: str,
        effect: str,
        target: Target,
        session: str,
        project_id: str,
        lifetime: str = SESSION,
        by: str = "",
    ) -> Grant:
        """A person chose "this session" or "always here". The grant that holds from now on is returned: one for the session
        where it cannot be kept (``can_keep``, or the file cannot be written: ``problem``).

        ValueError for what no grant may answer: write, execute, an unknown kind, or a target without a name.
        """
        _check(effect, target, lifetime)
        path = self.project_path()
        grant = Grant(
            id=uuid.uuid4().hex[:16],
            caller=caller,
            tool=tool,
            effect=effect,
            target_kind=target.kind,
            target=target.value,
            source=target.source,
            project=path,
            lifetime=ALWAYS if lifetime == ALWAYS and self.can_keep(target) else SESSION,
            created=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            by=by or _account(),
            session=session,
            project_id=project_id,
            layer_id=target.layer_id,
        )
        known = self._same(grant)
        if known is not None:
            return known
        if grant.lifetime == ALWAYS:
            stored = replace(grant, session="", project_id="", layer_id="")
            if self._file.change(lambda kept: (*kept, stored)):
                return self._tell_added(stored)
            grant = replace(grant, lifetime=SESSION)
        self._session.append(grant)
        return self._tell_added(grant)

    def matching(
        self, *, caller: str, tool: str, effect: str, target: Target, session: str, project_id: str
    ) -> Optional[Grant]:
        """The grant that answers this ask, None when a person must be asked."""
        if effect not in GRANTABLE:
            return None
        path = self.project_path()
        for grant in (*self._session, *self._stored()):
            if (grant.caller, grant.tool, grant.effect) != (caller, tool, effect):
                continue
            if grant.lifetime == SESSION:
                here = (grant.session, grant.project_id) == (session, project_id)
            else:
                here = bool(path) and grant.project == path
            if here and grant.covers(target):
                return grant
        return None

    def listed(self, search: str = "") -> Tuple[Grant, ...]:
        """All grants, the newest first; with ``search`` those that have all of its words somewhere."""
        wanted = search.casefold().split()
        found = [
            each
            for each in (*self._session, *self._stored())
            if all(word in each.words().casefold() for word in wanted)
        ]
        return tuple(sorted(found, key=lambda each: each.created, reverse=True))

    def revoke(self, grant_id: str) -> bool:
        """Take one back; it is asked about at the next call. False when there is none of this id."""
        return bool(self.revoke_all([grant_id]))

    def revoke_all(self, grant_ids: Optional[List[str]] = None) -> int:
        """Take these back, or all; how many there were. Where the file cannot be written they end here, and ``problem``
        says that another QGIS still has them."""
        gone = [each for each in self.listed() if grant_ids is None or each.id in grant_ids]
        ids = {each.id for each in gone}
        self._session = [each for each in self._session if each.id not in ids]
        stored = any(each.lifetime == ALWAYS for each in gone)
        if stored and not self._file.change(lambda kept: tuple(each for each in kept if each.id not in ids)):
            self._gone |= ids
        for each in gone:
            self.revoked.emit(each)
        if gone:
            self.changed.emit()
        return len(gone)

    def session_ended(self, session: str) -> None:
        """A conversation is over: its grants too."""
        self._keep_session(lambda each: each.session != session)

    def project_changed(self) -> None:
        """Another project, or none: session grants end. Stored ones wait for their own project."""
        self._keep_session(lambda _each: False)

    def _keep_session(self, keep: Callable[[Grant], bool]) -> None:
        kept = [each for each in self._session if keep(each)]
        if len(kept) != len(self._session):
            self._session = kept
            self.changed.emit()

    def _stored(self) -> Tuple[Grant, ...]:
        return tuple(each for each in self._file.read() if each.id not in self._gone)

    def _same(self, wanted: Grant) -> Optional[Grant]:
        """A grant that says the same already."""
        apart = {"id": "", "created": "", "by": "", "session": "", "project_id": "", "layer_id": ""}
        if wanted.lifetime == SESSION:
            apart = {"id": "", "created": "", "by": "", "project": ""}
        among = self._session if wanted.lifetime == SESSION else self._stored()
        plain = replace(wanted, **apart)
        return next((each for each in among if replace(each, **apart) == plain), None)

    def _tell_added(self, grant: Grant) -> Grant:
        self.added.emit(grant)
        self.changed.emit()
        return grant


def _check(effect: str, target: Target, lifetime: str) -> None:
    if effect not in GRANTABLE:
        raise ValueError("no grant can answer for {!r}".format(effect))
    if target.kind not in TARGET_KINDS or lifetime not in LIFETIMES:
        raise ValueError("target kind {!r}, lifetime {!r}".format(target.kind, lifetime))
    if target.kind != ANY and not target.value:
        raise ValueError("a grant for a {} must name it".format(target.kind))
    if target.kind == FOLDER and os.path.dirname(target.value) == target.value:
        raise ValueError("no grant is for a whole disk")


def _inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it, both by their real paths."""
    real, root = (os.path.normcase(os.path.realpath(each)) for each in (path, folder))
    return bool(path) and (real == root or real.startswith(root.rstrip(os.sep) + os.sep))


def _account() -> str:
    try:
        return clean_text(getpass.getuser(), 80)
    except (KeyError, OSError, ImportError):  # an account without a name
        return ""


_STORED_FIELDS = (
    "id",
    "caller",
    "tool",
    "effect",
    "target_kind",
    "target",
    "source",
    "project",
    "lifetime",
    "created",
    "by",
)


def _row(grant: Grant) -> Dict[str, Any]:
    row = asdict(grant)
    return {name: row[name] for name in _STORED_FIELDS}


def _parsed(row: Any) -> Grant:
    """A stored grant. ValueError for anything that ``add`` would not have stored."""
    if (
        not isinstance(row, dict)
        or set(row) != set(_STORED_FIELDS)
        or not all(isinstance(v, str) for v in row.values())
    ):
        raise ValueError("not a grant")
    grant = Grant(**row)
    _check(grant.effect, Target(grant.target_kind, grant.target, grant.source), grant.lifetime)
    named = all((grant.id, grant.caller, grant.tool, grant.project))
    if grant.lifetime != ALWAYS or not named or (grant.target_kind == LAYER and not grant.source):
        raise ValueError("not a stored grant")
    return grant
