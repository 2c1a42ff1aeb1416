"""The test of a model against endpoints that are wrong in one way each: each is named, and nothing else is (issue 7, Must show 4).

What is right about an endpoint is known from the server that the test itself starts.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bad_endpoints import HTML, MISSING, endpoint, models, self_signed
from llm_bench import AGENT_PYTHON, KEY, shared_driver
from model_server import ModelServer

from qgis_agent.agent.llm.probe_faults import fault
from qgis_agent.bridge.model_test import CHECKS, CODES, is_line

WORDS = {"text": "one, two, three, four, five"}
CALL = {"tool_calls": [{"name": "report_number", "arguments": {"number": 42}}]}
CODE = {"text": "maple-4172"}
COLOUR = {"text": "Orange."}
GOOD = [WORDS, CALL, CODE, COLOUR]


def lines(model: str, api_base: str, key: str = KEY, **job: Any) -> dict[str, dict[str, Any]]:
    """The lines of a test by their check. Each is in the closed list, and was told as soon as it was known."""
    settings = {"model": model, "api_base": api_base, "api_key": key, **job.pop("settings", {})}
    answer = shared_driver().ask("probe", settings=settings, **job)
    assert [each["check"] for each in answer["lines"]] == list(CHECKS)
    assert sorted(answer["told"]) == sorted(CHECKS)
    assert all(is_line(each) for each in answer["lines"])
    return {each["check"]: each for each in answer["lines"]}


def codes(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What was found, without what was not looked at."""
    return {check: each["code"] for check, each in found.items() if each["code"] != "not_tested"}


@pytest.fixture()
def server() -> Iterator[ModelServer]:
    with ModelServer() as each:
        yield each


def test_a_good_endpoint_has_all_lines() -> None:
    with ModelServer(GOOD) as server:
        found = lines("script", server.base_url)
        assert codes(found) == {
            "address": "reached",
            "key": "accepted",
            "model": "answers",
            "stream": "in_pieces",
            "tools": "called",
            "context": "fits",
            "pictures": "seen",
        }
        assert {each["state"] for each in found.values()} == {"ok"}
        assert len(server.requests) == 4
        assert set(server.authorizations) == {f"Bearer {KEY}"}
        image = server.requests[3]["messages"][0]["content"][1]["image_url"]["url"]
        assert image.startswith("data:image/png;base64,")


def test_the_context_request_is_as_long_as_it_says() -> None:
    """Counted by a tokenizer (o200k): within a fifth of the 8,000 tokens."""
    with ModelServer(GOOD) as server:
        found = lines("script", server.base_url)
        text = "".join(each["content"] for each in server.requests[2]["messages"])
    counted = shared_driver().ask("tokens", encoding="o200k_base", texts=[text])["counts"][0]
    assert 0.8 * 8000 < counted < 1.25 * 8000
    assert abs(found["context"]["facts"]["tokens"] - counted) < 0.25 * counted


def test_a_local_server_needs_no_key_and_gets_none() -> None:
    with ModelServer(GOOD) as server:
        assert codes(lines("script", server.base_url, ""))["key"] == "not_needed"
        assert set(server.authorizations) == {""}


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    found = lines("m", "https://models.example.com/v1", "")
    assert codes(found) == {"key": "missing"}
    assert shared_driver().ask("state")["sockets"] == []


def test_bad_1_a_wrong_key(server: ModelServer) -> None:
    assert codes(lines("status401", server.base_url)) == {"address": "reached", "key": "rejected"}


def test_bad_2_a_wrong_path_and_the_right_one_beside_it() -> None:
    with endpoint({"/v1/models": models("a-model")}) as (origin, asked):
        found = lines("a-model", origin + "/api")
        assert codes(found) == {"address": "wrong_path"}
        assert found["address"]["facts"]["address"] == origin + "/v1"
        assert asked[0] == "POST /api/chat/completions"


def test_bad_2_a_wrong_path_with_nothing_beside_it() -> None:
    with endpoint({"*": (404, "application/json", MISSING)}) as (origin, _):
        assert lines("a-model", origin + "/v1")["address"]["facts"] == {"address": ""}


def test_bad_2_the_whole_address_of_a_request_is_a_wrong_path() -> None:
    with endpoint({"/v1/models": models("a-model")}) as (origin, _):
        found = lines("a-model", origin + "/v1/chat/completions")
        assert found["address"]["facts"]["address"] == origin + "/v1"


def test_bad_3_an_unknown_model_with_those_that_are_there() -> None:
    refusal = b'{"error": {"message": "The model `a-modle` does not exist", "code": "model_not_found"}}'
    answers = {
        "/v1/models": models("b-thing", "a-model"),
        "/v1/chat/completions": (404, "application/json", refusal),
    }
    with endpoint(answers) as (origin, _):
        found = lines("a-modle", origin + "/v1")
        assert codes(found) == {"address": "reached", "key": "accepted", "model": "unknown"}
        assert found["model"]["facts"]["near"] == ["a-model"]


def test_bad_3_an_unknown_model_is_told_from_a_path_by_the_list() -> None:
    with endpoint({"/v1/models": models("a-model")}) as (origin, _):
        assert codes(lines("nothing-like-it", origin + "/v1"))["model"] == "unknown"


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        ({"text": "I cannot do that."}, "not_called"),
        ({"scenario": "notools"}, "refused"),
        ({"text": '<tool_call>\n{"name": "report_number", "arguments": {"number": 42}}\n</tool_call>'}, "as_text"),
        ({"tool_calls": [{"name": "report_number", "arguments": {"number": 41}}]}, "bad_arguments"),
        ({"tool_calls": [{"name": "report_number", "arguments": "{'number': 42}"}]}, "bad_arguments"),
        ({"scenario": "badschema"}, "failed"),
    ],
)
def test_bad_4_no_tool_calls(turn: dict[str, Any], code: str) -> None:
    repeated = [{"text": "42"}] if code == "refused" else []  # asked again with the tools as text
    with ModelServer([WORDS, turn, *repeated, CODE, COLOUR]) as server:
        found = codes(lines("script", server.base_url))
        assert found["tools"] == code
        assert (found["context"], found["pictures"]) == ("fits", "seen")  # the rest is looked at all the same


@pytest.mark.parametrize(("model", "code"), [("nostream", "refused"), ("plainjson", "refused"), ("cut", "one_piece")])
def test_bad_5_no_streaming(server: ModelServer, model: str, code: str) -> None:
    found = codes(lines(model, server.base_url))
    assert (found["model"], found["stream"]) == ("answers", code)


def test_bad_6_a_tiny_context_that_the_server_refuses() -> None:
    with ModelServer([WORDS, CALL, {"scenario": "overflow"}, COLOUR]) as server:
        found = lines("script", server.base_url)
        assert codes(found)["context"] == "too_small"
        assert found["context"]["facts"]["tokens"] > 7000


def test_bad_6_a_tiny_context_that_cuts_without_a_word() -> None:
    with ModelServer([WORDS, CALL, {"scenario": "cut"}, COLOUR]) as server:
        found = lines("script", server.base_url)
        assert codes(found)["context"] == "cut"
        assert found["context"]["facts"]["read"] == 4096


def test_bad_6_a_tiny_context_that_the_list_tells() -> None:
    script = b'{"choices": [{"message": {"role": "assistant", "content": "one, two"}, "finish_reason": "stop"}]}'
    answers = {
        "/v1/models": models("a-model", window=2048),
        "/v1/chat/completions": (200, "application/json", script),
    }
    with endpoint(answers) as (origin, asked):
        found = lines("a-model", origin + "/v1")
        assert codes(found)["context"] == "too_small"
        assert found["context"]["facts"]["window"] == 2048
        assert asked.count("GET /v1/models") == 1


def test_bad_6_ollama_is_asked_for_the_context_that_the_person_set(server: ModelServer) -> None:
    base = server.base_url.removesuffix("/v1")
    lines("ollama/ollama", base, settings={"context_tokens": 24576})
    assert server.requests[0]["options"]["num_ctx"] == 24576


def test_bad_7_a_self_signed_certificate(tmp_path: Path) -> None:
    with endpoint({}, self_signed(AGENT_PYTHON, tmp_path)) as (origin, asked):
        assert codes(lines("m", origin + "/v1")) == {"address": "certificate_self_signed"}
        assert asked == []  # neither the request nor the key was sent


@pytest.mark.parametrize(
    ("number", "code"),
    [(10, "certificate_expired"), (62, "certificate_other_name"), (20, "certificate_unknown")],
)
def test_bad_7_other_certificates(number: int, code: str) -> None:
    """By the numbers of OpenSSL's x509_vfy.h, wrapped as the HTTP library wraps them."""
    inner = ssl.SSLCertVerificationError(1, "certificate verify failed")
    inner.verify_code = number
    outer = ConnectionError("Connection error.")
    outer.__cause__ = inner
    assert fault(outer)["code"] == code


def test_bad_7_https_where_the_server_speaks_http() -> None:
    with endpoint({}) as (origin, _):
        assert codes(lines("m", origin.replace("http", "https") + "/v1")) == {"address": "not_encrypted"}


def test_bad_8_slow(server: ModelServer) -> None:
    found = lines("slowfirst", server.base_url, limits={"slow_s": 0.2})
    assert codes(found)["model"] == "slow" and found["model"]["facts"]["seconds"] >= 0.2


def test_bad_8_silent(server: ModelServer) -> None:
    assert codes(lines("silent", server.base_url, limits={"answer_s": 1.0})) == {"address": "no_answer"}


def test_bad_9_a_web_page() -> None:
    with endpoint({"*": (200, "text/html", HTML)}) as (origin, _):
        assert codes(lines("m", origin + "/v1")) == {"address": "web_page"}
    with endpoint({"/": (200, "text/html", HTML), "/v1/models": models("m"), "*": (200, "text/html", HTML)}) as (at, _):
        assert lines("m", at)["address"]["facts"]["address"] == at + "/v1"


def test_bad_10_an_empty_body(server: ModelServer) -> None:
    with endpoint({"*": (200, "application/json", b"")}) as (origin, _):
        assert codes(lines("m", origin + "/v1")) == {"address": "empty_body"}
    with endpoint({"*": (200, "text/event-stream", b"")}) as (origin, _):
        assert codes(lines("m", origin + "/v1")) == {"address": "reached", "model": "empty"}
    with endpoint({"*": (200, "application/json", b'{"hello": 1}')}) as (origin, _):
        assert codes(lines("m", origin + "/v1")) == {"address": "no_model_interface"}
    assert codes(lines("empty", server.base_url))["model"] == "empty"


def test_bad_11_too_many_requests(server: ModelServer) -> None:
    found = lines("status429", server.base_url)
    assert codes(found) == {"address": "reached", "model": "rate_limited"}
    assert found["model"]["facts"]["seconds"] == 2  # Retry-After


def test_bad_12_nobody_listens() -> None:
    assert codes(lines("m", "http://127.0.0.1:9/v1")) == {"address": "refused"}


def test_bad_13_no_address() -> None:
    assert codes(lines("m", "nonsense")) == {"address": "no_address"}


def test_bad_14_a_server_that_fails_and_one_that_breaks_off(server: ModelServer) -> None:
    with endpoint({"*": (502, "text/html", HTML)}) as (origin, _):
        found = lines("m", origin + "/v1")
        assert codes(found) == {"address": "reached", "model": "server_failed"}
        assert found["model"]["facts"]["status"] == 502
    assert codes(lines("cleancut", server.base_url))["model"] == "broke_off"


def test_no_word_of_a_server_and_no_key_is_in_the_lines(server: ModelServer) -> None:
    """A refusal repeats the key; nothing of it comes back."""
    assert KEY not in str(lines("status401", server.base_url))
    assert "canary" not in str(lines("status429", server.base_url))


def test_a_stop_ends_the_request_that_is_going_on(server: ModelServer) -> None:
    settings = {"model": "silent", "api_base": server.base_url, "api_key": KEY}
    answer = shared_driver().ask("probe", settings=settings, stop_after_s=0.5)
    assert answer["cancelled"] and answer["stopped_s"] < 1.5
    assert server.closed_early.wait(2)


def test_every_code_has_a_state() -> None:
    assert all(state in ("ok", "warn", "fail", "note") for each in CODES.values() for state in each.values())
    assert not is_line({"check": "key", "code": "accepted", "state": "fail", "facts": {}})
    assert not is_line({"check": "key", "code": "invented", "state": "ok", "facts": {}})
    assert is_line({"check": "key", "code": "not_tested", "state": "skipped", "facts": {}})
