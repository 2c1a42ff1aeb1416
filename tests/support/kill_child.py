"""Is killed (SIGKILL) at given bytes of the record of a run that reads, changes the map and writes two files. Linux and macOS.

    python kill_child.py FOLDER OFFSET …

For each offset a child of this process carries the run out in FOLDER/OFFSET with the real harness and the real recorder, and
kills itself in the middle of the write that would pass that byte of the session's file; 0: it runs to its end. What its QGIS
side carried out stands in FOLDER/OFFSET/carried_out, a line each, as QGIS would know it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls  # noqa: E402

from qgis_agent.bridge.envelope import success  # noqa: E402

SCHOOLS = {"layer_id": "schools", "path": "学校.gpkg"}
HOSPITALS = {"layer_id": "hospitals", "path": "hospitals.gpkg"}
WRITE = "prepare_export_layer"
LOG = "carried_out"


class Qgis(FakeBridge):
    """Writes down what it carries out before it answers, as a real file is there before its answer is."""

    def __init__(self, log: Path, **answers: Any) -> None:
        super().__init__(**answers)
        self._log = log

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        if method == "tools/call":
            told = {key: params[key] for key in ("call_id", "name", "arguments")}
            with self._log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")
        return await super().request(method, params)


def carry_out(folder: Path) -> None:
    """The run."""
    bench = Bench(folder)
    bench.session.shown_packs.add("write")
    client = FakeClient(
        calls(("count_features", {"layer_id": "schools"}), ("toggle_layer", {"layer_id": "schools", "visible": True})),
        calls((WRITE, SCHOOLS), text="导出学校"),
        calls((WRITE, HOSPITALS)),
        answer("Exported 25 schools and the hospitals — 已导出。"),
    )
    written = success({"written": True}, "Written.")
    bridge = Qgis(folder / LOG, count_features=success({"count": 25}), prepare_export_layer=written)
    bench.run("export schools and hospitals 导出", client, bridge, enabled=("write",))


def die_at(path: Path, offset: int) -> None:
    """From now on the process is killed by the write that would bring the file beyond ``offset`` bytes."""
    real = os.write

    def write(descriptor: int, data: Any) -> int:
        if os.path.realpath(f"/dev/fd/{descriptor}") != str(path):
            return real(descriptor, data)
        left = offset - os.fstat(descriptor).st_size
        if left >= len(data):
            return real(descriptor, data)
        if left > 0:
            real(descriptor, bytes(data)[:left])
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    os.write = write


def main(folder: Path, offsets: list[int]) -> None:
    """See the module."""
    carry_out(folder / "warm")  # what is imported on the way is there for all children
    for offset in offsets:
        own = folder / str(offset)
        own.mkdir()
        child = os.fork()
        if child == 0:
            if offset:
                die_at(own.resolve() / "sessions" / "s-1.jsonl", offset)
            carry_out(own)
            os._exit(0)
        _pid, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(offset, "killed" if killed else "ended" if status == 0 else "failed", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(each) for each in sys.argv[2:]])
