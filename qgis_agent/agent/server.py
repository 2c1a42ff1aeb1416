"""The agent process: JSON-RPC over stdin and stdout with the QGIS side, which is the parent.

``initialize`` is answered before anything slow is imported: at the top stand only the standard library and the bridge.
"""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..bridge import messages
from ..bridge.peer import Incoming, Peer, RpcError
from .link import PeerBridge
from .parameters import ParamsError, text_of
from .stdio import LineWriter, start_reader, take_stdout

if TYPE_CHECKING:
    from .mcp.service import McpService
    from .run_service import RunService

PLUGIN_ROOT = Path(__file__).resolve().parents[2]
CLOSE_WAIT_S = 0.5
LAST_WORDS_S = 0.2
"""What was answered just before the end still ends its run: a question that QGIS took back as it closed makes it wait (X-7)."""
Handler = Callable[[dict[str, Any]], Awaitable[Any]]


class Server:
    """Answers the QGIS side. Lives on one asyncio loop; every request is a task of its own, and can be cancelled."""

    def __init__(self, write: Callable[[bytes], None], on_stop: Callable[[], None]) -> None:
        self.peer = Peer(write, self._requested, self._notified, self._log, "a")
        self._on_stop = on_stop
        self._service: RunService | None = None
        self._mcp: McpService | None = None
        self._initialized: dict[str, Any] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers: Mapping[str, Handler] = {
            messages.INITIALIZE: self._initialize,
            messages.MODEL_CONFIGURE: self._configure,
            messages.MODEL_TEST: self._test,
            messages.RUN_START: self._run,
            messages.PICTURE_PUT: self._picture,
            messages.TOOL_RUN: self._tool,
            messages.SESSION_LOAD: self._load,
            messages.SESSION_RUNS: self._past_runs,
            messages.SESSION_COMPACT: self._compact,
            messages.SESSIONS_LIST: self._list,
            messages.SESSIONS_RENAME: self._rename,
            messages.SESSIONS_DELETE: self._delete,
            messages.TRACE_EXPORT: self._export,
            messages.TURNS_REPLAY: self._replay_turns,
            messages.EVAL_BEGIN: self._eval_begin,
            messages.EVAL_SCORE: self._eval_score,
            messages.EVAL_REPORT: self._eval_report,
            messages.MCP_OPEN: self._mcp_open,
            messages.MCP_SERVE: self._mcp_serve,
            messages.MCP_STOP: self._mcp_stop,
            messages.SHUTDOWN: self._shutdown,
        }

    async def close(self) -> None:
        """End every task; runs write their end first. One whose last answer has just come may end by itself."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LAST_WORDS_S)
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_WAIT_S)
        if self._mcp is not None:
            await asyncio.wait([asyncio.ensure_future(self._mcp.close())], timeout=CLOSE_WAIT_S)
        self.peer.close("the agent process ends")

    # messages

    def _requested(self, incoming: Incoming) -> None:
        handler = self._handlers.get(incoming.method)
        if handler is None:
            incoming.error(messages.METHOD_NOT_FOUND, f"unknown method {incoming.method[:80]!r}")
            return
        if self._initialized is None and incoming.method not in (messages.INITIALIZE, messages.SHUTDOWN):
            incoming.error(messages.INVALID_REQUEST, "say initialize first")
            return
        if incoming.method == messages.MCP_OPEN and not self._mcp_expected(incoming):
            return
        task = asyncio.get_running_loop().create_task(self._answer(incoming, handler))
        incoming.on_cancel = lambda: _cancel(task)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._ended(done, incoming))

    async def _answer(self, incoming: Incoming, handler: Handler) -> None:
        try:
            incoming.result(await handler(incoming.params))
        except ParamsError as error:
            incoming.error(messages.INVALID_PARAMS, str(error))
        except RpcError as error:
            incoming.error(error.code, error.message, error.data)
        except Exception as error:  # noqa: BLE001  (a fault of ours: logged, answered, and the process goes on)
            self._report_fault()
            incoming.error(messages.INTERNAL_ERROR, f"{incoming.method} failed: {type(error).__name__}")

    def _ended(self, task: asyncio.Task[None], incoming: Incoming) -> None:
        """A request that was cancelled before it could answer is answered here."""
        self._tasks.discard(task)
        if not task.cancelled():
            return
        from .run_service import stopped_envelope

        stopped = stopped_envelope()
        if incoming.method == messages.RUN_START:
            incoming.result(messages.failed_report(stopped, "interrupted"))
        else:
            incoming.result({"envelope": stopped})

    def _report_fault(self) -> None:
        text = traceback.format_exc()
        sys.stderr.write(text if self._service is None else self._service.redactor.text(text))

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        if method == messages.CATALOGUE_CHANGED:
            if self._initialized is None:
                self._log("catalogue/changed before initialize")
                return
            wrong = self._runs().catalogue.replace(params.get("layers"), str(params.get("project_id", "")))
            if wrong:
                self._log(f"catalogue/changed: {wrong} entries are no layers")
        elif method == messages.RUN_STATE:
            self._state_told(params)
        elif method in (messages.MCP_FRAME, messages.MCP_END, messages.MCP_REVOKED):
            self._mcp_told(method, params)
        elif method == messages.SHUTDOWN:
            self._on_stop()
        else:
            self._log(f"unknown notification {method[:80]!r}")

    def _log(self, text: str) -> None:
        self.peer.notify(messages.LOG, {"level": "warning", "text": text[:2000]})

    # requests

    async def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        protocol = params.get("protocol")
        if protocol != messages.PROTOCOL_VERSION:
            raise RpcError(
                messages.VERSION_MISMATCH,
                f"The plugin speaks protocol {str(protocol)[:20]}, the agent process {messages.PROTOCOL_VERSION}: they are of "
                "different versions. Build the agent's environment again and restart QGIS.",
            )
        text_of(params, "records_dir")
        schema = text_of(params, "tools_schema", "")
        if schema and not Path(schema).is_file():
            raise ParamsError("tools_schema: there is no such file")
        self._initialized = dict(params)
        asyncio.get_running_loop().call_soon(self._load_service)
        return {
            "protocol": messages.PROTOCOL_VERSION,
            "agent_version": agent_version(),
            "pid": os.getpid(),
            "python": platform.python_version(),
        }

    def _load_service(self) -> None:
        """After the answer to initialize: what the first request would else wait for."""
        try:
            self._runs()
        except (OSError, ValueError, ImportError) as error:
            self._log(f"the agent cannot work: {error}")

    def _runs(self) -> RunService:
        if self._service is None:
            from .execution.registry import SCHEMA_PATH, ToolRegistry
            from .run_service import RunService

            given = self._initialized or {}
            registry = ToolRegistry.load(Path(given.get("tools_schema") or SCHEMA_PATH))
            self._service = RunService(
                PeerBridge(self.peer),
                lambda event: self.peer.notify(messages.RUN_EVENT, event),
                registry,
                Path(given["records_dir"]),
                str(given.get("locale", "en")),
            )
        return self._service

    async def _configure(self, params: dict[str, Any]) -> dict[str, Any]:
        client = self._runs().configure(params)
        threading.Thread(target=_warm_up, args=(client,), name="warm-up", daemon=True).start()
        return {"label": client.label, "kind": client.kind}

    async def _test(self, params: dict[str, Any]) -> Any:
        """Try a model. Its key is known to the redactor from now on, and to nobody else once the test has ended."""
        from .model_test import run_test

        redactor = self._runs().redactor

        def tell(test_id: str, line: dict[str, Any]) -> None:
            self.peer.notify(messages.MODEL_TESTED, {"test_id": test_id, "line": line})

        return await run_test(params, redactor, tell)

    async def _run(self, params: dict[str, Any]) -> Any:
        runs = self._runs()
        if runs.running:
            raise RpcError(messages.INVALID_REQUEST, "another run is going on")
        return await runs.run(params)

    async def _picture(self, params: dict[str, Any]) -> Any:
        from .llm.pictures import PictureError

        try:
            return {"sha256": self._runs().pictures.put(params)["sha256"]}
        except PictureError as error:
            raise ParamsError(str(error)) from error

    async def _tool(self, params: dict[str, Any]) -> Any:
        return await self._runs().call_tool(params)

    async def _load(self, params: dict[str, Any]) -> Any:
        return self._runs().sessions.load(params)

    async def _past_runs(self, params: dict[str, Any]) -> Any:
        return await self._runs().sessions.runs(params)

    async def _compact(self, params: dict[str, Any]) -> Any:
        return await self._runs().compact(params)

    async def _list(self, params: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self._runs().sessions.listed, params)

    async def _rename(self, params: dict[str, Any]) -> Any:
        return self._runs().sessions.rename(params)

    async def _delete(self, params: dict[str, Any]) -> Any:
        return self._runs().sessions.delete(params)

    async def _export(self, params: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self._runs().traces.export, params)

    async def _eval_begin(self, params: dict[str, Any]) -> Any:
        return self._runs().evals.begin(params)

    async def _eval_score(self, params: dict[str, Any]) -> Any:
        return self._runs().evals.score(params)

    async def _eval_report(self, params: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self._runs().evals.report, params)

    async def _replay_turns(self, params: dict[str, Any]) -> Any:
        try:
            return await self._runs().replay_turns(text_of(params, "path"))
        except (ValueError, OSError) as error:
            raise ParamsError(str(error)) from error

    def _state_told(self, params: dict[str, Any]) -> None:
        if self._initialized is not None:
            problem = self._runs().traces.state_told(params)
            if problem:
                self._log(f"run/state: {problem}")

    def _mcp_service(self) -> McpService:
        if self._mcp is None:
            from .mcp.service import McpService

            given = self._initialized or {}
            folder, locale = Path(given["records_dir"]), str(given.get("locale", "en"))
            self._mcp = McpService(
                self._runs(), PeerBridge(self.peer), self.peer.notify, folder, locale, agent_version(), self._log
            )
        return self._mcp

    def _mcp_expected(self, incoming: Incoming) -> bool:
        """The host's lines are kept from now on, not only once the task of this request has begun."""
        try:
            self._mcp_service().expect(str(incoming.params.get("client_id", "")))
        except (OSError, ValueError, ImportError) as error:
            self._report_fault()
            incoming.error(messages.INTERNAL_ERROR, f"{incoming.method} failed: {type(error).__name__}")
            return False
        return True

    async def _mcp_open(self, params: dict[str, Any]) -> Any:
        return await self._mcp_service().open(params)

    async def _mcp_serve(self, params: dict[str, Any]) -> Any:
        return await self._mcp_service().serve(params)

    async def _mcp_stop(self, params: dict[str, Any]) -> Any:
        return await self._mcp_service().stop(params)

    def _mcp_told(self, method: str, params: dict[str, Any]) -> None:
        """What QGIS tells of MCP hosts; nothing is loaded for it."""
        if self._mcp is not None:
            problem = self._mcp.told(method, params)
            if problem:
                self._log(problem)

    async def _shutdown(self, _params: dict[str, Any]) -> dict[str, Any]:
        asyncio.get_running_loop().call_soon(self._on_stop)
        return {}


def _warm_up(client: Any) -> None:
    """Slow imports, on a background thread: jsonschema, the layer search, and what the client brings (litellm)."""
    from .context import layer_search
    from .execution import arguments

    try:
        arguments.warm_up()
        layer_search.warm_up()
        if hasattr(client, "warm_up"):
            client.warm_up()
    except Exception as error:  # noqa: BLE001  (the first use reports it to the person; here is only the log)
        sys.stderr.write(f"warm-up failed: {type(error).__name__}\n")


def agent_version() -> str:
    """The version in metadata.txt; "0" when it cannot be read."""
    try:
        lines = (PLUGIN_ROOT / "metadata.txt").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "0"
    return next((line.split("=", 1)[1].strip() for line in lines if line.startswith("version=")), "0")


async def serve(descriptor: int) -> None:
    """Serve until stdin ends or the parent says shutdown."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    writer = LineWriter(descriptor, lambda: _threadsafe(loop, stopped.set))
    server = Server(writer.write, stopped.set)
    start_reader(
        lambda data: _threadsafe(loop, lambda: server.peer.feed(data)),
        lambda: _threadsafe(loop, stopped.set),
    )
    await stopped.wait()
    await server.close()


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()


def _threadsafe(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback)


def main() -> None:
    """Entry point of the process."""
    descriptor = take_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches the parent too, and the parent decides

    async def whole_life() -> None:
        await serve(descriptor)
        sys.stderr.flush()
        os._exit(0)  # a thread that still imports litellm must not hold the end up for seconds

    asyncio.run(whole_life())
