"""What the command line's commands do."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import environment
from .bridge.redaction import REDACTOR
from .gis.contracts import Contracts
from .gis.errors import FORBIDDEN, PERMISSION_DENIED, TIMEOUT, Envelope, ToolError, failure
from .gis.headless import HeadlessApprover, HeadlessQgis, save_picture
from .gis.host import Host, run_until
from .gis.paths import PathPolicy
from .gis.runs import RunController
from .headless_progress import tell_progress
from .headless_traces import save_trace

if TYPE_CHECKING:
    from .__main__ import Output

RUN_TIMEOUT_S = 900.0
_PROVIDERS: List[Any] = []
"""QGIS owns a provider, but its Python half lives only as long as somebody here holds it."""


class _Usage(Exception):
    """Wrong usage; exit status 2."""


class _Session:
    """QGIS, a project and a conversation for one command."""

    def __init__(self, arguments: argparse.Namespace, caller: str, profile: str) -> None:
        self.qgis = HeadlessQgis()
        self.controller: Optional[RunController] = None
        try:
            project = self.qgis.open_project(arguments.project)
            paths = PathPolicy(project, write_roots=arguments.allow_write)
            self.host = Host(project, paths=paths)
            approver = HeadlessApprover(arguments.approve, bool(arguments.allow_write), arguments.allow_network)
            self.controller = RunController(self.host, approver, caller=caller, profile=profile)
            register_provider()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the agent process and QGIS."""
        if self.controller is not None:
            self.controller.close()
        self.qgis.close()


def register_provider() -> None:
    """Our Processing provider, as the plugin registers it in QGIS."""
    from qgis.core import QgsApplication

    from .processing.provider import QgisAgentProvider

    registry = QgsApplication.processingRegistry()
    if registry.providerById("qgisagent") is None:
        provider = QgisAgentProvider()
        _PROVIDERS.append(provider)
        registry.addProvider(provider)


def ask(arguments: argparse.Namespace, endpoint: Dict[str, str], output: Output) -> int:
    """``ask``: one run."""
    try:
        model = _model(arguments, endpoint)
        if arguments.record:
            model["record_to"] = str(Path(arguments.record).absolute())
        session = _Session(arguments, "chat", arguments.profile)
    except _Usage as error:
        return _usage(str(error))
    except ToolError as error:
        output.json({"ok": False, "termination": "failed", "error": error.envelope})
        return 1
    try:
        report = _run(session, arguments, model)
        report["map_state"] = session.host.map_state()
        _write_outputs(session, arguments, report)
        if arguments.json:
            output.json(report)
        else:
            _print_report(report, output)
        return 0 if report["ok"] else 1
    except ToolError as error:
        output.json(error.envelope)
        return 1
    finally:
        session.close()


def _model(arguments: argparse.Namespace, endpoint: Dict[str, str]) -> Dict[str, Any]:
    if arguments.script:
        try:
            turns = json.loads(Path(arguments.script).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise _Usage("--script {}: {}".format(arguments.script, error)) from error
        return {"kind": "script", "turns": turns}
    if arguments.model:
        return dict(endpoint, kind="model", model=arguments.model)
    return _offline(endpoint)


def _offline(endpoint: Dict[str, str]) -> Dict[str, Any]:
    """No model; a key that is in the environment is told all the same, so that no record of the agent process has it."""
    return {"kind": "offline", "api_key": endpoint["api_key"]} if endpoint["api_key"] else {"kind": "offline"}


def _run(session: _Session, arguments: argparse.Namespace, model: Dict[str, Any]) -> Dict[str, Any]:
    controller = session.controller
    if controller is None:
        raise RuntimeError("no controller")
    reports: List[Dict[str, Any]] = []
    notices: List[Dict[str, str]] = []
    controller.finished.connect(reports.append)
    controller.run_event.connect(lambda event: _keep_notice(event, notices))
    refusals: List[str] = []
    controller.run_event.connect(lambda event: _keep_refusal(event, refusals))
    if not arguments.json:
        tell_progress(controller.calls, sys.stderr)
    controller.set_write_enabled(bool(arguments.allow_write))
    controller.configure_model(model)
    controller.start(arguments.text)
    if not run_until(lambda: bool(reports), RUN_TIMEOUT_S):
        controller.stop()
        run_until(lambda: bool(reports), 2.0)
    return dict(reports[0], notices=notices, refusals=refusals)


def _keep_notice(event: Dict[str, Any], notices: List[Dict[str, str]]) -> None:
    """Warnings and errors of a run, among them that the model failed and who answers in its place."""
    if event.get("type") == "notice" and event.get("level") in ("warning", "error"):
        notices.append({"level": str(event["level"]), "text": str(event.get("text") or "")})


def _keep_refusal(event: Dict[str, Any], refusals: List[str]) -> None:
    """Why a step was not allowed: the answer of a model may say that it was done all the same."""
    if event.get("type") != "tool_finished" or event.get("code") not in (FORBIDDEN, PERMISSION_DENIED):
        return
    text = "{}: {}".format(event.get("tool"), event.get("message"))
    if event["code"] == PERMISSION_DENIED or str(event.get("tool")).startswith("prepare_"):
        text += " To allow it: --approve all with --allow-write DIR for files, --allow-network HOST for services."
    refusals.append(text)


def _write_outputs(session: _Session, arguments: argparse.Namespace, report: Dict[str, Any]) -> None:
    if arguments.picture:
        report["picture"] = save_picture(session.host, arguments.picture)
    if arguments.save_project:
        _save_project(session.host, arguments.save_project)
    if getattr(arguments, "trace", None) and report.get("trace_id"):
        save_trace(session.controller, arguments.trace, str(report["trace_id"]), arguments.redact)


def _save_project(host: Host, path: str) -> None:
    if Path(path).exists() or not host.project.write(path):
        raise ToolError(
            "INVALID_PARAM",
            "The project was not saved as '{}': {}".format(path, host.project.error() or "the file exists"),
            hint="Choose a new name in an existing folder.",
            reason="save_project",
        )


def _print_report(report: Dict[str, Any], output: Output) -> None:
    """The answer and what belongs to it on stdout; notices on stderr, so that they stand in no pipe."""
    for notice in report.get("notices", []):
        sys.stderr.write(REDACTOR.text("{level}: {text}\n".format(**notice)))
    for refusal in dict.fromkeys(report.get("refusals", [])):
        sys.stderr.write(REDACTOR.text("not allowed: {}\n".format(refusal)))
    for step in report.get("steps", []):
        output.line("- {tool} {code} ({ms} ms)".format(**dict(step, code=step.get("code") or "ok")))
    if report.get("answer"):
        output.line(report["answer"])
    for chart in report.get("charts") or []:
        output.line("  chart: {}".format(chart["file"]))
    for item in report.get("legend", []):
        output.line("  {color}  {label}".format(**item))
    question = report.get("question")
    if question:
        output.line(question["text"])
        for option in question["options"]:
            output.line("  * {label}".format(**option))
    error = report.get("error")
    if error and error["message"] not in report.get("answer", ""):
        output.line("{code}: {message} {hint}".format(**error))
    if report.get("picture"):
        output.line("Map: {path}".format(**report["picture"]))


def call(arguments: argparse.Namespace, endpoint: Dict[str, str], output: Output) -> int:
    """``call``: one tool."""
    try:
        values = _arguments(arguments.args)
        session = _Session(arguments, "cli", "gis-build")
    except _Usage as error:
        return _usage(str(error))
    except ToolError as error:
        output.json(error.envelope)
        return 1
    try:
        envelope = _call(session, arguments.tool, values, _offline(endpoint))
        if envelope["ok"]:
            _write_outputs(session, arguments, {})
        output.json(envelope)
        if (envelope.get("data") or {}).get("written") is False and "confirm_token" in envelope["data"]:
            # The token ends with this process, so the message of the envelope leads nowhere here.
            sys.stderr.write("nothing was written: run again with --approve all and --allow-write DIR\n")
        return 0 if envelope["ok"] else 1
    except ToolError as error:
        output.json(error.envelope)
        return 1
    finally:
        session.close()


def _arguments(text: str) -> Any:
    try:
        if text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise _Usage("--args: {}".format(error)) from error


def _call(session: _Session, name: str, values: Any, model: Dict[str, Any]) -> Envelope:
    controller = session.controller
    if controller is None:
        raise RuntimeError("no controller")
    controller.set_write_enabled(True)  # the person named the tool; every write still needs --approve
    controller.configure_model(model)
    tell_progress(controller.calls, sys.stderr)
    outcomes: List[Dict[str, Any]] = []
    controller.call_tool(name, values, outcomes.append)
    if not run_until(lambda: bool(outcomes), RUN_TIMEOUT_S):
        return failure(TIMEOUT, "The call did not end within {} s.".format(RUN_TIMEOUT_S), hint="Use less data.")
    for chart in outcomes[0].get("charts") or []:
        sys.stderr.write("chart: {}\n".format(chart["file"]))
    envelope: Envelope = outcomes[0]["envelope"]
    return envelope


def tools(arguments: argparse.Namespace, output: Output) -> int:
    """``tools``: the contracts."""
    shown = [each for each in Contracts().tools.values() if not each.get("internal")]
    chosen = [each for each in shown if arguments.pack in (None, each["pack"])]
    if not chosen:
        return _usage("there is no pack {!r}".format(arguments.pack))
    if arguments.json:
        output.json({"tools": chosen})
    else:
        for each in chosen:
            output.line(
                "{name:24} {pack:10} {effect:8} {first}".format(first=each["description"].split(". ")[0], **each)
            )
    return 0


def doctor(arguments: argparse.Namespace, output: Output) -> int:
    """``doctor``: what is there and what is wrong, with what to do."""
    from qgis.core import Qgis

    folder = environment.locate()
    report = environment.check(folder)
    result = {
        "ok": report.ok,
        "qgis": Qgis.version(),
        "python": sys.version.split()[0],
        "tools": len(Contracts().tools),
        "agent_environment": {"folder": str(folder), "ok": report.ok, "message": report.message},
    }
    if arguments.json:
        output.json(result)
    else:
        output.line("QGIS {qgis}, Python {python}, {tools} tools".format(**result))
        output.line("agent environment: {}".format("ok" if report.ok else report.message))
    return 0 if report.ok else 1


def env(arguments: argparse.Namespace, output: Output) -> int:
    """``env build|check``."""
    folder = environment.locate()
    if arguments.action == "build":
        try:
            environment.build(folder, python=arguments.python, wheels=arguments.wheels, progress=_progress)
        except environment.EnvironmentBuildError as error:
            output.line("{} {}".format(error, error.hint))
            return 1
    report = environment.check(folder)
    output.line("{}: {}".format(folder, "ok" if report.ok else report.message))
    return 0 if report.ok else 1


def _progress(line: str, _fraction: Optional[float] = None) -> None:
    sys.stderr.write(line + "\n")


def _usage(message: str) -> int:
    sys.stderr.write("qgis_agent: {}\n".format(message))
    return 2
