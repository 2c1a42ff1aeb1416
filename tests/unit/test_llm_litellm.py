"""The litellm client against a loopback server, in the agent's own environment (one driver process for the file)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import CALLS, USAGE, ModelServer

ROOT = Path(__file__).resolve().parents[2]

AGENT_PYTHON = Path(os.environ.get("QGIS_AGENT_TEST_AGENT_PYTHON", ROOT / ".agent-env" / "bin" / "python"))
KEY = "sk-canary-5f1e77aa01"
TWO_CALLS = [(name, json.loads(arguments)) for name, arguments in CALLS]


class Driver:
    """The process that holds litellm. ``ask`` sends one job and waits for its answer."""

    def __init__(self, folder: Path) -> None:
        if not AGENT_PYTHON.exists():
            pytest.fail(f"{AGENT_PYTHON} is missing: run make setup")
        (folder / ".env").write_text("FROM_DOTENV=read\n", encoding="utf-8")
        self.stderr_path = folder / "stderr.txt"
        self.lines: list[str] = []
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("LITELLM", "OPENAI", "PYTHON"))
        }
        environment["OPENAI_API_KEY"] = "sk-of-somebody-else"
        with self.stderr_path.open("w", encoding="utf-8") as stderr:
            self.process = subprocess.Popen(
                [str(AGENT_PYTHON), str(ROOT / "tests" / "support" / "llm_driver.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=folder,
                env=environment,
                text=True,
                encoding="utf-8",
            )

    def ask(self, op: str, **job: Any) -> dict[str, Any]:
        """One job. Anything else than one line of JSON on standard output is a failure."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps({"op": op, **job}) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, self.stderr_path.read_text(encoding="utf-8")[-3000:]
        self.lines.append(line)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> int:
        """End the process by the end of its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(15)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    each = Driver(tmp_path_factory.mktemp("driver"))
    # The first jobs of the process: what is loaded before a model is used, and a stop during the import.
    each.before = each.ask("state")  # type: ignore[attr-defined]
    each.first_stop = each.ask("cancel_import", model="openai/normal", api_base="http://127.0.0.1:9/v1")  # type: ignore[attr-defined]
    yield each
    each.close()


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as each:
        yield each


def play(driver: Driver, server: ModelServer, scenario: str, **job: Any) -> dict[str, Any]:
    """One turn of a scenario; ``requests`` in the answer counts what the server saw."""
    before = len(server.requests)
    answer = driver.ask("complete", model=f"openai/{scenario}", api_base=server.base_url, api_key=KEY, **job)
    answer["requests"] = len(server.requests) - before
    return answer


def calls_of(answer: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, json.loads(arguments)) for _, name, arguments in answer["calls"]]


def test_nothing_heavy_is_imported_before_the_first_turn(driver: Driver) -> None:
    before = driver.before  # type: ignore[attr-defined]
    assert before["litellm"] is False and before["httpx"] is False


def test_a_stop_during_the_import_does_not_wait_for_it(driver: Driver) -> None:
    first = driver.first_stop  # type: ignore[attr-defined]
    assert first["importing"] and first["cancelled"]
    assert first["seconds"] < 0.5


def test_litellm_is_told_to_stay_off_the_network_and_off_env_files(driver: Driver, server: ModelServer) -> None:
    play(driver, server, "text")
    state = driver.ask("state")
    assert state["litellm"] is True
    assert state["env"]["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert state["env"]["LITELLM_MODE"] == "PRODUCTION"
    assert state["fixture_key"] is None  # the .env of the working folder was not read
    assert state["sockets"] == []


@pytest.mark.parametrize("scenario", ["normal", "idx0", "noidx", "idlate", "dict", "interleaved"])
def test_calls_cut_up_in_any_way_are_the_same_two_calls(driver: Driver, server: ModelServer, scenario: str) -> None:
    answer = play(driver, server, scenario)
    assert calls_of(answer) == TWO_CALLS
    assert answer["finish"] == "tool_calls"
    assert len({ident for ident, _, _ in answer["calls"]}) == 2
    assert [ident for ident, _, _ in answer["calls"]] == [f"call_{name}" for name, _ in TWO_CALLS]


@pytest.mark.parametrize("scenario", ["normal", "idx0", "noidx", "idlate", "dict", "interleaved", "nullargs"])
def test_delivery_byte_by_byte_changes_nothing(driver: Driver, server: ModelServer, scenario: str) -> None:
    whole = play(driver, server, scenario)
    with ModelServer(one_byte=True) as slow:
        assert play(driver, slow, scenario) == whole


@pytest.mark.parametrize("scenario", ["emptyargs", "nullargs"])
def test_a_call_without_arguments_gets_an_empty_object(driver: Driver, server: ModelServer, scenario: str) -> None:
    assert calls_of(play(driver, server, scenario)) == [("search_layers", {})]


def test_bad_arguments_are_kept_as_they_were_written(driver: Driver, server: ModelServer) -> None:
    answer = play(driver, server, "badargs")
    assert answer["calls"] == [["call_bad", "buffer_layer", "{'layer_id': 'schools', 'dissolve': True,}"]]


def test_an_answer_cut_off_by_length_says_so(driver: Driver, server: ModelServer) -> None:
    answer = play(driver, server, "lenfr")
    assert answer["finish"] == "length"
    assert answer["calls"][0][2] == '{"layer_id":"schools","distance_m":10'


def test_stop_with_calls_means_tool_calls(driver: Driver, server: ModelServer) -> None:
    assert play(driver, server, "stopfr")["finish"] == "tool_calls"


def test_text_streams_in_pieces_and_reasoning_apart(driver: Driver, server: ModelServer) -> None:
    answer = play(driver, server, "reason")
    assert answer["content"] == "There are 25 schools." == "".join(answer["pieces"])
    assert answer["reasoning"] == "25 schools in all."
    assert len(play(driver, server, "text")["pieces"]) == 4


def test_repeated_pieces_are_no_failure(driver: Driver, server: ModelServer) -> None:
    assert play(driver, server, "rep")["content"] == "0, 0" * 130


def test_crlf_comments_and_a_character_cut_in_two(driver: Driver, server: ModelServer) -> None:
    assert play(driver, server, "crlf")["content"] == "街道B有8所学校"


@pytest.mark.parametrize("scenario", ["text", "usagemid", "reasononly"])
def test_usage_of_the_provider_is_taken_as_it_is(driver: Driver, server: ModelServer, scenario: str) -> None:
    usage = play(driver, server, scenario)["usage"]
    cached = USAGE["prompt_tokens_details"]["cached_tokens"]  # type: ignore[index]
    assert usage == {"input_tokens": 1200, "output_tokens": 34, "cached_tokens": cached, "source": "provider"}


def test_usage_that_nobody_sent_is_an_estimate_and_says_so(driver: Driver, server: ModelServer) -> None:
    usage = play(driver, server, "nousage")["usage"]
    assert usage["source"] == "estimated"
    assert usage["input_tokens"] > 0 and usage["output_tokens"] > 0


def test_a_server_that_refuses_stream_options_is_asked_without_and_remembered(
    driver: Driver, server: ModelServer
) -> None:
    first = play(driver, server, "nousageoption", client="remember")
    assert first["content"] == "Fine without." and first["requests"] == 2
    assert play(driver, server, "nousageoption", client="remember")["requests"] == 1


ERRORS = [
    ("status401", "auth", False),
    ("status403", "auth", False),
    ("status404", "config", False),
    ("status400", "config", False),
    ("quota", "quota", False),
    ("overflow", "context_overflow", False),
    ("status429", "rate_limit", True),
    ("status500", "transient", True),
    ("status502", "transient", True),
    ("empty", "bad_answer", True),
    ("nothing", "bad_answer", True),
    ("cleancut", "transient", True),
    ("errmid", "transient", True),
    ("badsse", "bad_answer", True),
    ("trunc", "transient", False),  # a piece of a call had come
]


@pytest.mark.parametrize(("scenario", "kind", "retryable"), ERRORS)
def test_failures_have_a_kind_and_one_request(
    driver: Driver, server: ModelServer, scenario: str, kind: str, retryable: bool
) -> None:
    answer = play(driver, server, scenario)
    assert (answer["kind"], answer["retryable"], answer["requests"]) == (kind, retryable, 1)
    assert answer["message"] and answer["hint"]
    for part in ("message", "hint", "traceback"):
        assert (
            KEY not in answer[part]
            and "secret-canary" not in answer[part]
            and "litellm" not in answer[part].replace("litellm_client.py", "")
        )


def test_the_wait_that_a_server_asks_for_is_kept(driver: Driver, server: ModelServer) -> None:
    assert play(driver, server, "status429")["retry_after_s"] == 2.0


def test_nobody_there(driver: Driver) -> None:
    answer = driver.ask("complete", model="openai/x", api_base="http://127.0.0.1:9/v1", api_key=KEY)
    assert (answer["kind"], answer["retryable"]) == ("transient", True)
    assert "cannot be reached" in answer["message"]


def test_silence_ends_the_turn(driver: Driver, server: ModelServer) -> None:
    for scenario in ("hang", "silent"):
        answer = play(driver, server, scenario, idle_timeout_s=0.5)
        assert (answer["kind"], answer["retryable"]) == ("timeout", True)
        assert answer["seconds"] < 2.0
        assert answer["pieces"] == (["One moment"] if scenario == "hang" else [])


def test_a_slow_answer_is_not_a_silent_one(driver: Driver, server: ModelServer) -> None:
    answer = play(driver, server, "slow", idle_timeout_s=0.6)  # the whole takes longer than that
    assert answer["content"].strip() == "This answer comes one word at a time"


def test_stop_ends_the_turn_and_the_connection_at_once(driver: Driver) -> None:
    times = 50
    with ModelServer() as server:
        answer = driver.ask("cancel", model="openai/hang", api_base=server.base_url, api_key=KEY, times=times)
        until = time.monotonic() + 1.0
        while len(server.closed_times) < times and time.monotonic() < until:
            time.sleep(0.01)
        assert len(server.closed_times) == times  # the server saw every connection close
    assert answer["outcomes"] == ["cancelled"] * times
    assert max(answer["seconds"]) < 0.5
    assert answer["threads"][-1] <= answer["threads"][4]  # no thread is left behind by a stop


def test_stop_before_the_first_piece(driver: Driver) -> None:
    with ModelServer() as server:
        answer = driver.ask(
            "cancel", model="openai/silent", api_base=server.base_url, api_key=KEY, times=3, after_s=0.3
        )
        assert server.closed_early.wait(1)
    assert answer["outcomes"] == ["cancelled"] * 3
    assert max(answer["seconds"]) < 0.5


def test_the_request_goes_out_complete_and_with_our_key_only(driver: Driver, server: ModelServer) -> None:
    tools = [
        {"type": "function", "function": {"name": "zoom_to", "description": "x", "parameters": {"type": "object"}}}
    ]
    messages = [{"role": "system", "content": "You are…"}, {"role": "user", "content": "放大到街道A"}]
    play(driver, server, "text", messages=messages, tools=tools)
    body = server.requests[-1]
    assert body["messages"] == messages and body["tools"] == tools and body["stream"] is True
    assert server.authorizations[-1] == f"Bearer {KEY}"
    driver.ask("complete", model="openai/text", api_base=server.base_url)
    assert "somebody-else" not in server.authorizations[-1]


def test_generated_ids_avoid_those_of_the_conversation(driver: Driver) -> None:
    turns = [{"tool_calls": [{"name": "search_layers", "arguments": {"query": ""}}]}]
    history = [
        {"role": "user", "content": "x"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "call_1_1", "type": "function", "function": {"name": "a", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "call_1_1", "content": "{}"},
    ]
    with ModelServer(turns) as server:
        answer = play(driver, server, "script", messages=history)
        assert answer["calls"][0][0] not in ("", "call_1_1")
        exhausted = play(driver, server, "script")
        assert exhausted["kind"] == "config"


def test_the_estimate_of_tokens_holds_up_against_a_tokenizer(driver: Driver, server: ModelServer) -> None:
    from qgis_agent.agent.llm.tokens import Calibration, estimate_tokens

    play(driver, server, "text")  # litellm, and with it the tokenizer's file, is there
    mixed = [_mixed_text(number) for number in range(50)]
    counts = driver.ask("tokens", encoding="o200k_base", texts=mixed)["counts"]
    for text, real in zip(mixed, counts, strict=True):
        assert 0.75 <= estimate_tokens(text) / real <= 1.25, (text, estimate_tokens(text), real)
    learnt = Calibration()
    for text, real in zip(mixed[:3], counts[:3], strict=True):
        learnt.learn(estimate_tokens(text), real)
    assert all(learnt.tokens(text) >= 0.9 * real for text, real in zip(mixed[3:], counts[3:], strict=True))


def _mixed_text(number: int) -> str:
    """What requests are made of, each text a little different: English, German, Chinese, coordinates, JSON."""
    x, y = 113.2 + number * 0.0137, 23.1 + number * 0.0091
    row = {
        "layer_id": f"schools-{number}",
        "count": number * 7,
        "kind": "小学",
        "area_km2": round(1.85 * (number + 1), 4),
    }
    return (
        f"Count the schools inside each street and colour them by density, please (request {number}). "
        "Zeige die Krankenhäuser in der Nähe und färbe die Stadtteile nach Fläche. "
        "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院。"
        f"POLYGON(({x:.5f} {y:.5f}, {x + 0.01:.5f} {y:.5f}, {x + 0.01:.5f} {y + 0.02:.5f}, {x:.5f} {y:.5f})) "
        + json.dumps(row, ensure_ascii=False)
    )


def test_z_the_key_is_nowhere_in_what_the_process_wrote(driver: Driver) -> None:
    """Runs last: it ends the driver."""
    assert driver.close() == 0
    written = driver.stderr_path.read_text(encoding="utf-8") + "".join(driver.lines)
    assert KEY not in written and "sk-secret-canary" not in written
