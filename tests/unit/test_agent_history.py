"""Sessions that survive a kill at any byte, with a history that is always sendable (see test_at07), and no secret on disk."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls
from protocol_check import problem_of

from qgis_agent.agent.records.redact import HIDDEN, Redactor
from qgis_agent.agent.records.sessions import SessionError, SessionStore, messages_of, read_records
from qgis_agent.bridge.envelope import success


def make_session(folder: Path) -> Bench:
    bench = Bench(folder)
    client = FakeClient(
        calls(("count_features", {"layer_id": "schools"}), ("zoom_to", {"layer_id": "街道"}), text="看一下"),
        answer("共 25 所。"),
    )
    bench.run("学校有多少？", client, FakeBridge(count_features=success({"count": 25})))
    bench.run("thanks", FakeClient(answer("You are welcome.")))
    return bench


def test_a_session_reloads_as_it_was(tmp_path: Path) -> None:
    """From its file alone, in another process."""
    bench = make_session(tmp_path)
    loaded = Bench(tmp_path).session
    assert loaded.messages == bench.session.messages
    assert loaded.conversation() == [
        {"role": "user", "text": "学校有多少？"},
        {"role": "assistant", "text": "共 25 所。"},
        {"role": "user", "text": "thanks"},
        {"role": "assistant", "text": "You are welcome."},
    ]
    records = read_records(bench.path)
    assert [each["event"]["type"] for each in records if each["t"] == "event"] == ["usage", "usage", "termination"] + [
        "usage",
        "termination",
    ]
    assert [each["turn"] for each in records if each["t"] == "request"] == [1, 2, 1]
    kinds = [each["t"] for each in records if each["t"] not in ("event", "request")]
    assert kinds == [
        "meta", "run_start", "user", "assistant", "call", "result", "call", "result", "assistant", "run_end",
        "run_start", "user", "assistant", "run_end",
    ]  # fmt: skip


def test_remarks_between_calls_are_not_what_was_said(tmp_path: Path) -> None:
    """One answer a run, also one that came in two parts, and the same after a restart."""
    bench = Bench(tmp_path)
    remark = answer("I will now count the schools.")
    turns = (
        remark,
        calls(("count_features", {"layer_id": "schools"})),
        answer("There are ", "length"),
        answer("25 schools."),
    )
    bench.run("how many schools", FakeClient(*turns), FakeBridge(count_features=success({"count": 25})))
    said = [{"role": "user", "text": "how many schools"}, {"role": "assistant", "text": "There are 25 schools."}]
    assert bench.session.conversation() == said
    assert Bench(tmp_path).session.conversation() == said


def test_a_session_killed_at_any_byte_reloads(tmp_path: Path) -> None:
    """Cut at every byte: it loads, its history is valid for the next request, and it can be written to and loaded again."""
    data = make_session(tmp_path).path.read_bytes()
    for cut in range(0, len(data) + 1, 7):
        folder = tmp_path / str(cut)
        (folder / "sessions").mkdir(parents=True)
        path = folder / "sessions" / "s-1.jsonl"
        path.write_bytes(data[:cut])
        session = SessionStore(folder, Redactor()).get("s-1")
        assert problem_of(session.messages) is None
        session.write("user", content="next")
        assert SessionStore(folder, Redactor()).get("s-1").messages[-1] == {"role": "user", "content": "next"}


def test_what_never_began_and_what_was_interrupted_are_told_apart(tmp_path: Path) -> None:
    """Killed between a call and its result: outcome unknown. Killed before the call: not run."""
    records = read_records(make_session(tmp_path).path)
    first_call = [each["t"] for each in records].index("call")
    before = [
        json.loads(each["content"])["message"] for each in messages_of(records[:first_call]) if each["role"] == "tool"
    ]
    assert before == ["Not run: the run ended before it."] * 2
    during = [
        json.loads(each["content"])["message"]
        for each in messages_of(records[: first_call + 1])
        if each["role"] == "tool"
    ]
    assert during == ["interrupted; outcome unknown", "Not run: the run ended before it."]


def test_damage_in_the_middle_is_an_error_and_kept(tmp_path: Path) -> None:
    """Only a torn end may be dropped without a word."""
    path = make_session(tmp_path).path
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"t": "assist\n', *lines[4:]]))
    with pytest.raises(SessionError) as caught:
        Bench(tmp_path).store.get("s-1")
    assert caught.value.reason == "damaged"
    assert path.with_suffix(".jsonl.bad").exists()


@pytest.mark.parametrize("ident", ["../evil", "a/b", "", "a" * 81, "a.b", "C:x"])
def test_a_session_id_is_no_path(tmp_path: Path, ident: str) -> None:
    """Nothing is read or written outside the folder."""
    with pytest.raises(SessionError):
        Bench(tmp_path).store.get(ident)
    assert list(tmp_path.iterdir()) == []


SECRET = "canary-S3cret/+value=="


def test_no_secret_reaches_the_disk(tmp_path: Path) -> None:
    """A key by value, as base64, percent-encoded; passwords by their key's name and in URIs; tokens; in every kind of record."""
    bench = Bench(tmp_path)
    bench.redactor.know(SECRET)
    encoded = base64.b64encode(SECRET.encode()).decode()
    result = {
        "password": "hunter2hunter2",
        "confirm_token": "tok-1234567890",
        "uri": "host=db password='pgpass99' user=x",
        "url": "https://me:urlpass77@example.org/wms?token=urltok55&x=1",
        "text": f"key {SECRET} and {encoded} and canary-S3cret%2F%2Bvalue%3D%3D",
        "header": "Authorization: Bearer abcdefgh12345678",
        "openai": "sk-abcdefghijklmnopqrstuv",
        "count": 7,
    }
    client = FakeClient(
        calls(("count_features", {"layer_id": SECRET}), ("commit_action", {"confirm_token": "tok-argument-1"})),
        answer(f"It is {SECRET}."),
    )
    bench.run(f"my key is {SECRET}", client, FakeBridge(count_features=success(result)))
    written = bench.path.read_text(encoding="utf-8")
    hidden = [
        SECRET, encoded, "canary-S3cret%2F%2Bvalue%3D%3D", "hunter2", "tok-1234567890", "pgpass99", "urlpass77", "urltok55",
        "abcdefgh12345678", "sk-abcdefghijklmnopqrstuv", "tok-argument-1",
    ]  # fmt: skip
    for secret in hidden:
        assert secret not in written, secret
    assert HIDDEN in written
    assert '"count":7' in written


def test_redaction_leaves_ordinary_values() -> None:
    """Counts of tokens and Chinese words stay."""
    value = {"input_tokens": 12, "token": "", "name": "街道A", "flag": True, "list": ["a", 1.5, None]}
    assert Redactor().clean(value) == value
    assert Redactor().clean({"secret": 5}) == {"secret": HIDDEN}
