"""Who did what, when, on which layer, allowed by whom: QGIS's own log of decisions and calls.

It is kept on the QGIS side, because the agent process may not write about itself: JSON lines in
``<profile>/qgis_agent/audit/<year>-<month>.jsonl``, appended and handed to the system one by one, redacted, readable by
their owner alone. A killed process leaves at most one torn line, which readers pass over. A disk that fails stops no call
and changes none: it is said once in the message log and by ``trouble``.

Kinds of lines: ``decision`` (what the rules said, then what the person answered), ``call`` (how it ended), and the events
EVENTS. Arguments stand in it as a SHA-256 only: what a call was about are its tool, its layers, its file and its effect; the session's
own record, found by ``session_id`` and ``run_id``, has the rest.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional

from qgis.core import Qgis, QgsApplication, QgsProject
from qgis.PyQt.QtCore import QObject, pyqtSignal

from .i18n import translate
from .layers import clean_text
from .secrets import REDACTOR, log

if TYPE_CHECKING:
    from .approvals import Capability
    from .call import Call
    from .host import Host
    from .layers import LayerRegistry
    from .scope import Scope
    from .tokens import Pending

SCHEMA_VERSION = 1
EVENTS = (
    "grant_added",
    "grant_revoked",
    "rule_changed",
    "level_changed",
    "write_switch",
    "values_at_home",
    "token_made",
    "token_armed",
    "token_voided",
    "token_redeemed",
    "undo",
    "plan_approved",
    "scope_changed",
    "folder_added",
    "folder_removed",
    "refused_in_agent",
    "client_connected",
    "client_ended",
    "client_read",
    "mcp_switch",
    "mcp_client_added",
    "mcp_client_changed",
    "mcp_client_removed",
)
MAX_TEXT = 400
MAX_LAYERS = 20
_OWN_WORDS = ("caller", "level", "tool", "effect", "decision", "by", "code", "session_id", "run_id", "arguments_sha256")
_OWN_WORD = re.compile(r"[A-Za-z0-9_:-]{0,80}")
"""What QGIS says itself stays as it is: a layer whose "password" is the name of a tool must not blot it out of the log."""
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def audit_folder() -> Path:
    """Where the log is: ``qgis_agent/audit`` in the QGIS profile folder."""
    return Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent" / "audit"


class Audit(QObject):
    """The log of one QGIS. ``trouble(text)`` tells once that it cannot be written."""

    trouble = pyqtSignal(str)

    def __init__(
        self,
        project: QgsProject,
        layers: LayerRegistry,
        folder: Optional[Path] = None,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.timezone.utc),
        parent: Optional[QObject] = None,
    ) -> None:
        super().__init__(parent)
        self._project = project
        self._layers = layers
        self._folder = folder
        self._now = now
        self._scope: Optional[Scope] = None
        self.failed = False
        """Whether the last line could not be written."""

    @property
    def folder(self) -> Path:
        """The folder of the log."""
        return self._folder if self._folder is not None else audit_folder()

    def watch(self, host: Host) -> None:
        """Write down what becomes of grants, rules, tokens and the scope of a host."""
        ledger = host.ledger
        ledger.grants.added.connect(lambda grant: self.event("grant_added", grant=_plain(grant)))
        ledger.grants.revoked.connect(lambda grant: self.event("grant_revoked", grant=_plain(grant)))
        ledger.rules.changed.connect(
            lambda: self.event("rule_changed", rules=[_plain(each) for each in ledger.rules.listed()])
        )
        self._scope = host.scope
        # A method, not a lambda: the scope outlives the host with its project, and would keep it and all its slots alive.
        host.scope.changed.connect(self._scope_changed)
        ledger.observe = self._token

    def _scope_changed(self) -> None:
        if self._scope is not None:
            self.event("scope_changed", excluded=dict(self._scope.counts()._asdict()))

    def _token(self, what: str, token: str, pending: Pending) -> None:
        self._write(
            "token_" + what,
            {
                "caller": pending.caller,
                "session_id": pending.session_id,
                "tool": pending.tool,
                "arguments_sha256": pending.arguments_digest,
                "token_name": token_name(token),
            },
        )

    def answer(self, call: Call, effect: str, card: Dict[str, Any], said: str, reason: str, approver: Any) -> None:
        """What a person said to a card; ``unattended`` approvers (the command line's) are no person."""
        allowed = said == "once" or (said in ("session", "always") and card.get("kind") != "write")
        self.decision(call, effect, "allow" if allowed else "deny", answered_by(said, approver), reason)

    def decision(
        self, call: Call, effect: str, decision: str, by: str, reason: str = "", words: Iterable[str] = ()
    ) -> None:
        """One step of deciding about a call.

        ``decision``: allow, ask, click or deny. ``by``: ``level:…``, ``grant:<id>``, ``rule:…``, ``person:once`` (session,
        always, deny, no_answer), ``headless`` and the like. ``reason``: the person's words with a no. ``words``: the risks.
        """
        fields = dict(_call_fields(call), layers=self._layers_of(call), effect=effect, decision=decision, by=by)
        risks = [clean_text(each, 80) for each in words][:MAX_LAYERS]
        more: Dict[str, Any] = {"reason": clean_text(reason, MAX_TEXT)} if reason else {}
        self._write("decision", {**fields, **more, **({"risks": risks} if risks else {})})

    def call(self, call: Call, outcome: Dict[str, Any]) -> None:
        """How a call ended. ``outcome`` is its ToolOutcome: envelope, decision {decision, by, effect}, ms."""
        envelope: Dict[str, Any] = outcome.get("envelope") or {}
        decided: Dict[str, Any] = outcome.get("decision") or {}
        fields = dict(
            _call_fields(call),
            layers=self._layers_of(call),
            effect=str(decided.get("effect", "")),
            decision=str(decided.get("decision", "")),
            by=str(decided.get("by", "")),
            code="" if envelope.get("ok") else str(envelope.get("code", "")),
            reason=clean_text(str(envelope.get("reason") or ""), MAX_TEXT),
            changed=[str(each.get("op", "")) for each in outcome.get("actions") or []][:MAX_LAYERS],
            ms=outcome.get("ms"),
        )
        if call.written and not envelope.get(
            "ok"
        ):  # it was stopped or failed after that: the log must not say "nothing"
            fields["written"] = [clean_text(each, MAX_TEXT) for each in call.written][:MAX_LAYERS]
        self._write("call", fields)

    def refused_in_agent(self, capability: Capability, event: Dict[str, Any]) -> None:
        """A call that the agent process refused by itself: it never came here, and its own word is all that there is."""
        said = {key: str(event.get(key) or "") for key in ("call_id", "tool", "code")}
        self.event("refused_in_agent", capability, **said, reason=str(event.get("message") or ""))

    def event(self, kind: str, capability: Optional[Capability] = None, **fields: Any) -> None:
        """Something besides a call: one of EVENTS. A token is named by ``token_name``, never by itself."""
        who = _who(capability) if capability is not None else {}
        kept = {key: clean_text(each, MAX_TEXT) if isinstance(each, str) else each for key, each in fields.items()}
        self._write(kind, {**who, **kept})

    def _layers_of(self, call: Call) -> List[Dict[str, str]]:
        """Alias, name, id and digest of the source of the layers that a call names, uses or has made."""
        from .driver import named_layers  # the driver knows calls, which know this log

        made = [str(each.get("args", {}).get("layer_id") or "") for each in call.actions]
        aliases = list(dict.fromkeys(each for each in named_layers(call.arguments) + call.uses + made if each))
        return [self._layer(each) for each in aliases[:MAX_LAYERS]]

    def _layer(self, alias: str) -> Dict[str, str]:
        layer = self._layers.by_alias(alias)
        if layer is None:
            return {"layer_id": clean_text(alias, 80)}
        digest = hashlib.sha256(layer.source().encode("utf-8", "replace")).hexdigest()
        return {"layer_id": alias, "name": clean_text(layer.name(), 120), "id": layer.id(), "source_sha256": digest}

    def _write(self, kind: str, fields: Dict[str, Any]) -> None:
        now = self._now()
        record = {
            "v": SCHEMA_VERSION,
            "t": kind,
            "time": now.isoformat(timespec="milliseconds"),
            "user": QgsApplication.userLoginName(),
            "qgis": Qgis.version(),
            "project": clean_text(self._project.fileName(), MAX_TEXT),
            **REDACTOR.clean(fields),
            **{key: fields[key] for key in _OWN_WORDS if _OWN_WORD.fullmatch(str(fields.get(key, " ")))},
        }
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")
        try:
            self._append("{:%Y-%m}.jsonl".format(now), line + b"\n")
        except OSError as error:
            self._tell(error)
        else:
            self.failed = False

    def _append(self, name: str, line: bytes) -> None:
        folder = self.folder
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(str(folder / name), _APPEND, 0o600)
        try:
            if _torn(descriptor):
                line = b"\n" + line  # a process was killed in the middle of a line: that line is lost, this one is not
            while line:
                line = line[os.write(descriptor, line) :]
        finally:
            os.close(descriptor)

    def _tell(self, error: OSError) -> None:
        if self.failed:
            return
        self.failed = True
        text = translate("QgisAgent", "The audit log cannot be written: {}").format(error.strerror or str(error))
        log(text, Qgis.MessageLevel.Warning, True)
        self.trouble.emit(text)


def answered_by(said: str, approver: Any) -> str:
    """Who said it, for records: a person, the option --approve of the command line, or nobody ("headless")."""
    if said == "headless":
        return said
    return ("approve_option:" if getattr(approver, "unattended", False) else "person:") + said


def token_name(token: str) -> str:
    """What stands for a token in the log: lines about the same token can be found by it, the token cannot."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()[:12]


def _torn(descriptor: int) -> bool:
    """Whether the file ends inside a line."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size == 0:
        return False
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) != b"\n"


def _plain(value: Any) -> Dict[str, Any]:
    return {key: clean_text(str(each), MAX_TEXT) for key, each in dataclasses.asdict(value).items()}


def _who(capability: Capability) -> Dict[str, Any]:
    return {
        "caller": capability.caller,
        "level": capability.level,
        "session_id": capability.session_id,
        "run_id": capability.run_id,
        **({"client": capability.client} if capability.client else {}),
    }


def _call_fields(call: Call) -> Dict[str, Any]:
    canonical = json.dumps(call.arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    path = call.arguments.get("path")
    return dict(
        _who(call.capability),
        call_id=clean_text(call.call_id, 120),
        tool=clean_text(call.tool, 64),
        arguments_sha256=hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest(),
        **({"path": clean_text(path, MAX_TEXT)} if isinstance(path, str) and path else {}),
    )
