"""Pictures that a person shows: what each model gets of them, and that no record holds their bytes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls

from qgis_agent.agent.context.limits import ContextLimits
from qgis_agent.agent.context.projection import Projection, project
from qgis_agent.agent.context.summary import summary_request
from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.agent.llm.factory import build_roles
from qgis_agent.agent.llm.pictures import MAX_BYTES, PictureError, PictureStore, metas_of, with_pictures
from qgis_agent.agent.llm.quirks import quirks_for
from qgis_agent.agent.llm.roles import RoleClients
from qgis_agent.agent.llm.tokens import message_tokens
from qgis_agent.agent.llm.types import ModelError, ProviderRequest, Usage
from qgis_agent.agent.llm.wire import wire_form

BYTES = bytes(range(256)) * 8
DATA = base64.b64encode(BYTES).decode()
PICTURE = {
    "sha256": hashlib.sha256(BYTES).hexdigest(),
    "media_type": "image/png",
    "width": 800,
    "height": 600,
    "data": DATA,
}
META = {key: value for key, value in PICTURE.items() if key != "data"}
URL = f"data:image/png;base64,{DATA}"


class SeeingClient(FakeClient):
    """A model that sees, by its settings."""

    settings = SimpleNamespace(vision=True, context_tokens=None, api_base="", model="fake")


def store() -> PictureStore:
    made = PictureStore()
    made.put(PICTURE)
    return made


def options(kept: PictureStore, **more: Any) -> RunOptions:
    return RunOptions(pictures=[META], picture_store=kept, **more)


def sent(request: ProviderRequest, **more: Any) -> list[dict[str, Any]]:
    """The messages as they go to the service."""
    return wire_form(request, quirks_for("openai/gpt-x"), **more)[0]


def parts(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for each in messages if isinstance(each["content"], list) for part in each["content"]]


# what a model gets


def test_a_model_that_sees_gets_the_picture_beside_the_words(tmp_path: Path) -> None:
    client = SeeingClient(answer("A map of schools."), kind="model")
    Bench(tmp_path).run("What is on this?", client, options=options(store()))
    found = parts(sent(client.requests[0]))
    assert [each["type"] for each in found] == ["text", "image_url"]
    assert found[0]["text"] == "What is on this?" and found[1]["image_url"]["url"] == URL
    assert all("pictures" not in each for each in sent(client.requests[0]))


@pytest.mark.parametrize("more", [{"tools_in_text": True}, {"alternating": True}, {}])
def test_the_picture_passes_every_way_of_speaking(tmp_path: Path, more: dict[str, Any]) -> None:
    client = SeeingClient(answer("Yes."), kind="model")
    Bench(tmp_path).run("Look", client, options=options(store()))
    shown = json.dumps(sent(client.requests[0], **more))
    assert shown.count(URL) == 1 and '"pictures"' not in shown and "Look" in shown


def test_it_is_in_every_later_request_so_that_the_prefix_stays(tmp_path: Path) -> None:
    bench, kept = Bench(tmp_path), store()
    client = SeeingClient(calls(("count_features", {"layer_id": "schools"})), answer("25."), kind="model")
    bench.run("Look", client, FakeBridge(), options=options(kept))
    later = SeeingClient(answer("Yes."), kind="model")
    bench.run("And now?", later, options=RunOptions(picture_store=kept))
    first, second, third = (sent(each) for each in [*client.requests, *later.requests])
    assert json.dumps(second).startswith(json.dumps(first[:-1])[:-1]) and json.dumps(third).count(URL) == 1


def test_a_model_that_does_not_see_is_told_that_there_was_one(tmp_path: Path) -> None:
    client = FakeClient(answer("I cannot see it."), kind="model")
    Bench(tmp_path).run("Look", client, options=options(store()))
    text = json.dumps(sent(client.requests[0]))
    assert URL not in text and "800 x 600" in text and "not shown to you" in text
    assert parts(sent(client.requests[0])) == []


def test_another_model_in_the_same_conversation_is_sent_words(tmp_path: Path) -> None:
    """The person goes on with a model that would refuse the picture."""
    bench, kept = Bench(tmp_path), store()
    bench.run("Look", SeeingClient(answer("Yes."), kind="model"), options=options(kept))
    blind = FakeClient(answer("Yes."), kind="model")
    bench.run("And now?", blind, options=RunOptions(picture_store=kept))
    assert "not shown to you" in json.dumps(sent(blind.requests[0])) and parts(sent(blind.requests[0])) == []


# the role


def look(tmp_path: Path, vision: FakeClient, planner: FakeClient, events: ListEvents | None = None) -> Bench:
    bench = Bench(tmp_path)
    roles = RoleClients({"planner": planner, "vision": vision})
    bench.run("Which colours?", planner, options=options(store(), roles=roles), events=events)
    return bench


def test_the_model_for_pictures_describes_it_to_the_one_that_answers(tmp_path: Path) -> None:
    vision = FakeClient(
        answer("A map. Legend: high [red], low [blue].", usage=Usage(900, 30, 0, "provider")), kind="model"
    )
    planner, events = FakeClient(answer("Red and blue."), kind="model"), ListEvents()
    bench = look(tmp_path, vision, planner, events)
    assert len(vision.requests) == 1 and vision.requests[0].role == "vision" and vision.requests[0].tools == []
    asked = json.dumps(vision.requests[0].messages)
    assert URL in asked and "Which colours?" in asked
    told = json.dumps(sent(planner.requests[0]))
    assert "Legend: high [red), low [blue)." in told and "data and not as instructions" in told and URL not in told
    notices = [fields["text"] for kind, fields in events.seen if kind == "notice"]
    assert any("describes what you showed" in each for each in notices)
    again = Bench(tmp_path)
    assert again.session.messages[0]["pictures"][0]["seen"].startswith("A map."), "also after a restart"
    assert bench.session.messages[0]["content"] == "Which colours?", "the person's words are unchanged"


def test_what_it_used_is_the_runs(tmp_path: Path) -> None:
    vision = FakeClient(answer("A map.", usage=Usage(900, 30, 0, "provider")), kind="model")
    planner = FakeClient(answer("Yes.", usage=Usage(100, 10, 0, "provider")), kind="model")
    bench = Bench(tmp_path)
    roles = RoleClients({"planner": planner, "vision": vision})
    report = bench.run("Which?", planner, options=options(store(), roles=roles))
    assert (report["usage"]["input_tokens"], report["usage"]["output_tokens"]) == (1000, 40)


@pytest.mark.parametrize("failure", [ModelError("auth", "The key is not accepted."), answer("  ")])
def test_a_model_for_pictures_that_fails_is_told_and_the_run_goes_on(tmp_path: Path, failure: Any) -> None:
    planner, events = FakeClient(answer("I do not see it."), kind="model"), ListEvents()
    look(tmp_path, FakeClient(failure, kind="model"), planner, events)
    notices = [fields for kind, fields in events.seen if kind == "notice"]
    assert notices[-1]["level"] == "warning" and "nobody has seen it" in notices[-1]["text"]
    assert "not shown to you" in json.dumps(sent(planner.requests[0]))


def test_a_model_that_sees_needs_no_other(tmp_path: Path) -> None:
    vision = FakeClient(answer("A map."), kind="model")
    look(tmp_path, vision, SeeingClient(answer("Yes."), kind="model"))
    assert vision.requests == []


def test_roles_and_vision_are_read_from_a_configuration() -> None:
    config = {"kind": "model", "model": "openai/a", "vision": True, "roles": {"vision": {"model": "openai/b"}}}
    made = build_roles(config, list)
    assert made.planner.settings.vision is True and made.for_role("vision").settings.vision is False
    assert build_roles({**config, "vision": "yes"}, list).planner.settings.vision is False


# what is kept


def test_no_record_holds_the_bytes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run("Look", SeeingClient(answer("Yes."), kind="model"), options=options(store()))
    text = bench.path.read_text(encoding="utf-8")
    assert PICTURE["sha256"] in text and DATA[:60] not in text
    again = Bench(tmp_path)
    client = SeeingClient(answer("Yes."), kind="model")
    again.run("And now?", client, options=RunOptions(picture_store=PictureStore()))
    assert "not shown to you" in json.dumps(sent(client.requests[0])), "the bytes are gone, and the model is told"


def test_what_is_on_a_picture_counts_as_text_of_others(tmp_path: Path) -> None:
    """A write that the person's words do not ask for is asked about, as after any result with data."""
    bench = Bench(tmp_path)
    bundle = bench.bundle("Look", FakeClient(answer("x")), FakeBridge(), options=options(store()))
    plain = bench.bundle("Look", FakeClient(answer("x")), FakeBridge())
    assert bundle.runtime._permission.tainted and not plain.runtime._permission.tainted


# limits


@pytest.mark.parametrize(
    "change",
    [
        {"data": "!!"},
        {"data": ""},
        {"sha256": "0" * 64},
        {"sha256": "x"},
        {"media_type": "image/svg+xml"},
        {"width": 0},
        {"height": 5000},
        {"width": True},
        {"data": base64.b64encode(b"x" * (MAX_BYTES + 1)).decode()},
    ],
)
def test_a_picture_that_is_not_what_it_says_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(PictureError):
        PictureStore().put({**PICTURE, **change})


def test_at_most_four_in_a_message() -> None:
    assert len(metas_of([META] * 4)) == 4 and metas_of(None) == []
    for wrong in ([META] * 5, "x", [1]):
        with pytest.raises(PictureError):
            metas_of(wrong)


def test_old_pictures_go_first() -> None:
    kept = PictureStore()
    digests = []
    for number in range(45):
        content = bytes([number])
        digests.append(hashlib.sha256(content).hexdigest())
        kept.put({**PICTURE, "sha256": digests[-1], "data": base64.b64encode(content).decode()})
    found = kept.urls([{"pictures": [{"sha256": each} for each in digests]}])
    assert list(found) == digests[5:]


def test_tokens_of_a_picture() -> None:
    """800 × 600 / 750 = 640, by Anthropic's page on vision; a picture of nothing still costs."""
    plain = {"role": "user", "content": "Look"}
    assert message_tokens({**plain, "pictures": [META]}) - message_tokens(plain) == 640
    assert message_tokens({**plain, "pictures": [{**META, "width": 10, "height": 10}]}) - message_tokens(plain) == 85


# the history


def test_a_summary_tells_of_it_and_what_is_kept_beside_it_holds_no_picture() -> None:
    message = {"role": "user", "content": "Look", "pictures": [{**META, "seen": "A red map."}]}
    assert "A red map." in summary_request([message], "")[1]["content"]
    history = [message, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "More"}]
    shown = project(history, Projection("S", 2), ContextLimits())
    assert "pictures" not in shown[0] and "1 picture(s)" in shown[0]["content"]


def test_two_messages_that_are_joined_keep_both_pictures() -> None:
    """For servers that want the roles in turn: a message whose run was stopped, and the next one."""
    other = {**META, "sha256": "f" * 64}
    messages = [
        {"role": "user", "content": "a", "pictures": [META]},
        {"role": "user", "content": "b", "pictures": [other]},
    ]
    request = ProviderRequest(messages, [], pictures={META["sha256"]: "data:1", "f" * 64: "data:2"})
    joined = sent(request, alternating=True)
    assert len(joined) == 1
    assert [each.get("text") or each["image_url"]["url"] for each in joined[0]["content"]] == [
        "a",
        "data:1",
        "b",
        "data:2",
    ]


def test_a_message_without_pictures_is_not_copied() -> None:
    message = {"role": "user", "content": "a"}
    assert with_pictures(message, {}) is message


def test_the_server_takes_pictures(tmp_path: Path) -> None:
    """Over the bridge: put, and refused where it is wrong."""
    from qgis_agent.agent.server import Server

    said: list[dict[str, Any]] = []

    async def talk() -> None:
        server = Server(lambda line: said.append(json.loads(line)), lambda: None)

        async def ask(ident: str, method: str, params: dict[str, Any]) -> None:
            server.peer.feed(
                json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode() + b"\n"
            )
            for _ in range(200):
                if any(each.get("id") == ident for each in said):
                    return
                await asyncio.sleep(0.01)

        await ask("1", "initialize", {"protocol": 1, "records_dir": str(tmp_path)})
        await ask("2", "picture/put", PICTURE)
        await ask("3", "picture/put", {**PICTURE, "sha256": "0" * 64})
        await server.close()

    asyncio.run(talk())
    answers = {each["id"]: each for each in said if "id" in each}
    assert answers["2"]["result"] == {"sha256": PICTURE["sha256"]}
    assert answers["3"]["error"]["code"] == -32602
