"""AT5: Stop against a stalled server, fifty times: idle at once, the connection closed, nothing left behind."""

from __future__ import annotations

import time

from llm_bench import calls_of, job_of, play, shared_driver
from model_server import ModelServer

TIMES = 50
WARM = 5
"""Stops until everything that is kept for reuse (threads of name look-ups, the HTTP client) is there."""


def test_at05_fifty_stops_against_a_stalled_stream() -> None:
    with ModelServer() as server:
        answer = shared_driver().ask("cancel", **job_of(server, "hang", times=TIMES, client="at05"))
        until = time.monotonic() + 1.0
        while len(server.closed_times) < TIMES and time.monotonic() < until:
            time.sleep(0.01)
        assert len(server.closed_times) == TIMES  # the server saw every connection close, within a second
        assert len(server.requests) == TIMES
    assert answer["outcomes"] == ["cancelled"] * TIMES
    assert max(answer["seconds"]) < 1.5
    for kept in ("threads", "tasks", "files"):
        assert max(answer[kept][WARM:]) <= max(answer[kept][:WARM]), kept


def test_at05_the_same_client_answers_after_a_stop() -> None:
    turns = [{"scenario": "hang"}, {"tool_calls": [{"name": "zoom_to", "arguments": {"layer_id": "街道"}}]}]
    with ModelServer(turns) as server:
        stopped = shared_driver().ask("cancel", **job_of(server, "script", times=1, client="at05-script"))
        assert stopped["outcomes"] == ["cancelled"]
        answer = play(server, "script", client="at05-script")
        assert calls_of(answer) == [("zoom_to", {"layer_id": "街道"})]


def test_at05_stop_before_the_first_piece() -> None:
    with ModelServer() as server:
        answer = shared_driver().ask("cancel", **job_of(server, "silent", times=3, after_s=0.2))
        assert server.closed_early.wait(1)
    assert answer["outcomes"] == ["cancelled"] * 3
    assert max(answer["seconds"]) < 1.5


def test_at05_a_stop_during_the_import_does_not_wait_for_it() -> None:
    first = shared_driver().first_stop
    assert first["importing"] and first["cancelled"]
    assert first["seconds"] < 1.5
