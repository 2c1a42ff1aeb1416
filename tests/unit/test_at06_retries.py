"""AT6: one owner of retries. Who is waited for, how long, how often, and that Stop ends a wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agent_fakes import FakeClient, ListEvents, answer
from llm_bench import job_of, shared_driver
from model_server import ModelServer

from qgis_agent.agent.llm.limiter import RateLimiter
from qgis_agent.agent.llm.roles import RoleClient, RoleSettings
from qgis_agent.agent.llm.types import LLMResponse, ModelError, ProviderRequest, Usage
from qgis_agent.agent.loop.provider_turn import MODEL_RETRIES, ModelTimeUp, ProviderTurnCaller
from qgis_agent.agent.loop.state import RunnerState

REQUEST = ProviderRequest([{"role": "user", "content": "x"}], [])


class Heard(ListEvents):
    """Events, in order, and the texts of the notices."""

    def notices(self) -> list[str]:
        return [fields["text"] for kind, fields in self.seen if kind == "notice"]


class Model:
    """Gives what it is told to, one after the other, the last one again and again; text first where there is some."""

    kind, label = "model", "m"

    def __init__(self, *turns: Any) -> None:
        self.calls = 0
        self._turns = turns

    async def complete(self, request: ProviderRequest, on_text: Callable[[str], None]) -> LLMResponse:
        turn = self._turns[min(self.calls, len(self._turns) - 1)]
        self.calls += 1
        text, outcome = turn if isinstance(turn, tuple) else ("", turn)
        if text:
            on_text(text)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome if isinstance(outcome, LLMResponse) else LLMResponse(str(outcome))


def fails(kind: Any = "transient", *, retryable: bool = True, after: float | None = None) -> ModelError:
    return ModelError(kind, "The model's server failed (HTTP 503).", retryable=retryable, retry_after_s=after)


def call(
    model: Any, seconds: float = 60.0, jitter: float = 0.0, language: str = "en"
) -> tuple[list[float], Heard, Any]:
    """Waits, events, and the answer or error of one turn. Waits take no time."""
    waits: list[float] = []

    async def sleep(wait: float) -> None:
        waits.append(wait)

    heard = Heard()
    caller = ProviderTurnCaller(model, heard, sleep=sleep, jitter=lambda: jitter)
    try:
        return waits, heard, asyncio.run(caller.call(REQUEST, RunnerState("r", "x", language), seconds))
    except (ModelError, ModelTimeUp) as error:
        return waits, heard, error


@pytest.fixture(scope="module")
def real() -> dict[str, dict[str, Any]]:
    """Turns against the server with waits that really pass, side by side; one server each, so that times are its own."""
    wanted: dict[str, dict[str, Any]] = {
        "status429": {"retries": 1},
        "retryms": {},
        "status401": {},
        "status403": {},
        "status400": {},
        "overflow": {},
        "nothing": {},
        "trunc": {},
        "status500": {"stop_after_s": 0.4},
    }
    servers = {name: ModelServer() for name in wanted}
    for each in servers.values():
        each.__enter__()
    try:
        shared_driver().ask("complete", **job_of(servers["retryms"], "text"))  # litellm is loaded
        jobs = [job_of(servers[name], name, op="turn", **more) for name, more in wanted.items()]
        answers = shared_driver().ask("together", jobs=jobs)["answers"]
    finally:
        for each in servers.values():
            each.__exit__()
    return {
        name: {
            **answer,
            "times": [
                at
                for at, body in zip(servers[name].request_times, servers[name].requests, strict=True)
                if body["model"] == name
            ],
        }
        for name, answer in zip(wanted, answers, strict=True)
    }


def gaps(answer: dict[str, Any]) -> list[float]:
    return [later - earlier for earlier, later in zip(answer["times"], answer["times"][1:])]


def test_at06_retry_after_is_kept_to_and_counted(real: dict[str, dict[str, Any]]) -> None:
    """429 with Retry-After 2: one request and N more (here 1), two seconds apart; the wait is no time of the model."""
    answer = real["status429"]
    assert (answer["kind"], len(answer["times"])) == ("rate_limit", 1 + 1)
    assert min(gaps(answer)) >= 2.0
    assert answer["model_ms"] < 2000
    texts = [fields["text"] for kind, fields in answer["events"] if kind == "notice"]
    assert texts == ["The model's server asks for fewer requests. Trying again in 2 s."]


def test_at06_retry_after_in_milliseconds(real: dict[str, dict[str, Any]]) -> None:
    answer = real["retryms"]
    assert len(answer["times"]) == 1 + MODEL_RETRIES
    assert 0.3 <= min(gaps(answer)) < 1.0  # the back-off of our own would be a second at least


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [("status401", "auth"), ("status403", "auth"), ("status400", "config"), ("overflow", "context_overflow")],
)
def test_at06_what_a_retry_cannot_mend_is_asked_once(real: dict[str, dict[str, Any]], scenario: str, kind: str) -> None:
    assert (real[scenario]["kind"], len(real[scenario]["times"])) == (kind, 1)


def test_at06_nothing_is_retried_once_a_call_has_begun(real: dict[str, dict[str, Any]]) -> None:
    assert len(real["trunc"]["times"]) == 1


def test_at06_an_empty_stream_is_asked_for_once_more(real: dict[str, dict[str, Any]]) -> None:
    assert (real["nothing"]["kind"], len(real["nothing"]["times"])) == ("bad_answer", 2)


def test_at06_stop_ends_a_wait_at_once(real: dict[str, dict[str, Any]]) -> None:
    answer = real["status500"]
    assert answer["cancelled"] and len(answer["times"]) == 1
    assert answer["stopped_s"] < 0.6


def test_at06_waits_grow_and_are_jittered() -> None:
    assert call(Model(fails()))[0] == [1.0, 2.0, 4.0]
    assert call(Model(fails()), jitter=1.0)[0] == [1.5, 2.5, 4.5]


def test_at06_a_wait_is_never_over_its_cap_nor_all_of_them_over_theirs() -> None:
    assert sum(call(Model(fails(after=30.0)))[0]) == 60.0  # a third wait would break the total
    assert call(Model(fails(after=31.0)))[0] == []


def test_at06_kinds_that_are_final_stay_final_whatever_they_say() -> None:
    for kind in ("auth", "quota", "config", "context_overflow", "internal"):
        model = Model(fails(kind, retryable=True))
        assert (call(model)[0], model.calls) == ([], 1)


def test_at06_text_of_a_failed_attempt_is_taken_back() -> None:
    _, heard, answer = call(Model(("The answer is", fails()), ("There are 25.", "There are 25.")))
    assert answer.content == "There are 25."
    kinds = [kind for kind, _ in heard.seen]
    assert kinds == ["text", "text_reset", "notice", "text"]


def test_at06_a_long_wait_is_counted_down_in_the_persons_language() -> None:
    waits, heard, _ = call(Model(fails(after=28.0), "Fine."), language="zh")
    assert waits == [8.0, 10.0, 5.0, 5.0]
    assert heard.notices() == [
        "模型服务器出错（HTTP 503）。 28 秒后重试。",
        "继续等待：还有 20 秒。",
        "继续等待：还有 10 秒。",
        "继续等待：还有 5 秒。",
    ]


def test_at06_no_wait_begins_when_the_models_time_is_over() -> None:
    class Slow(Model):
        async def complete(self, request: ProviderRequest, on_text: Callable[[str], None]) -> LLMResponse:
            await asyncio.sleep(0.03)
            return await super().complete(request, on_text)

    waits, _, error = call(Slow(fails()), seconds=0.02)
    assert isinstance(error, ModelTimeUp) and waits == []

    async def late() -> float:
        started = asyncio.get_running_loop().time()
        with pytest.raises(ModelTimeUp):
            await ProviderTurnCaller(Model(fails()), Heard()).call(REQUEST, RunnerState("r", "x"), 0.0)
        return asyncio.get_running_loop().time() - started

    assert asyncio.run(late()) < 0.5


def test_at06_the_wait_for_a_rate_limit_is_told_and_is_no_time_of_the_model() -> None:
    async def run() -> tuple[list[float], Heard, RunnerState]:
        now, waits, heard, state = [0.0], [], Heard(), RunnerState("r", "x")

        async def sleep(seconds: float) -> None:
            waits.append(seconds)
            now[0] += seconds

        limiter = RateLimiter(1, clock=lambda: now[0], sleep=sleep)
        answer = LLMResponse("Fine.", usage=Usage(1, 1, 0, "provider"))
        client = RoleClient(RoleSettings("m"), Model(answer), limiter=limiter)
        caller = ProviderTurnCaller(client, heard)
        for _ in range(2):
            await caller.call(REQUEST, state, 60.0)
        return waits, heard, state

    waits, heard, state = asyncio.run(run())
    assert waits == [60.0]
    assert heard.notices() == ["Waiting 60 s: the limit of requests per minute for this model is reached."]
    assert state.model_ms < 1000 and state.model_attempts == 2


def test_at06_stop_during_a_call_ends_the_call() -> None:
    class Stuck(Model):
        async def complete(self, request: ProviderRequest, on_text: Callable[[str], None]) -> LLMResponse:
            self.calls += 1
            try:
                await asyncio.sleep(30)
            finally:
                self.ended = True
            return LLMResponse("")

    async def run() -> tuple[bool, float]:
        model = Stuck()
        task = asyncio.ensure_future(ProviderTurnCaller(model, Heard()).call(REQUEST, RunnerState("r", "x"), 60.0))
        await asyncio.sleep(0.01)
        started = asyncio.get_running_loop().time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return model.ended, asyncio.get_running_loop().time() - started

    ended, seconds = asyncio.run(run())
    assert ended and seconds < 0.6


def test_at06_what_is_to_be_known_of_an_answer_is_told() -> None:
    _, heard, _ = call(Model(LLMResponse("Fine.", notices=("tools_in_text",))))
    assert "no function calling" in heard.notices()[0]


def test_at06_the_end_of_the_models_time_ends_a_call_also_one_that_fails_on_the_way_out() -> None:
    class Stubborn(Model):
        async def complete(self, request: ProviderRequest, on_text: Callable[[str], None]) -> LLMResponse:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                raise fails() from None
            return LLMResponse("")

    waits, heard, error = call(Stubborn(), seconds=0.02)
    assert isinstance(error, ModelTimeUp)
    assert (waits, heard.seen) == ([], [])


def test_at06_a_model_that_says_nothing_is_spoken_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while the person reads that it is still being waited for; a model that speaks is not spoken of."""
    monkeypatch.setattr("qgis_agent.agent.loop.provider_turn.QUIET_S", 0.02)

    async def slow(_request: Any) -> Any:
        await asyncio.sleep(0.06)
        return answer("Here.")

    events = ListEvents()
    caller = ProviderTurnCaller(FakeClient(slow), events)
    got = asyncio.run(caller.call(ProviderRequest([], []), RunnerState("r", "x", "zh"), 5.0))
    notices = [fields["text"] for kind, fields in events.seen if kind == "notice"]
    assert (got.content, len(notices)) == ("Here.", 1)
    assert "仍在等待" in notices[0]
    quick = ListEvents()
    asyncio.run(
        ProviderTurnCaller(FakeClient(answer("Hi.")), quick).call(ProviderRequest([], []), RunnerState("r", "x"), 5.0)
    )
    assert "notice" not in quick.kinds()
