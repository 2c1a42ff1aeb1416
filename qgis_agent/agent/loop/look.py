"""Looker: has the model for pictures describe what a person shows, where the model that answers sees none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ..events import Events
from ..llm.pictures import Message, PictureStore, look_messages
from ..llm.types import LLMResponse, ModelClient, ModelError, ProviderRequest, Usage
from ..texts import say
from .state import RunnerState

LOOK_TOKENS = 700
LOOK_S = 60.0
"""Of all pictures of a message together: they are looked at side by side."""
MAX_SEEN = 3000
"""Characters of a description that are kept."""


class Looker:
    """``count`` takes what a call used; the words are written into the message before it is first sent."""

    def __init__(self, client: ModelClient, store: PictureStore, events: Events) -> None:
        self.client = client
        self._store = store
        self._events = events

    async def look(
        self, message: Message, state: RunnerState, count: Callable[[Usage, ModelClient, RunnerState], None]
    ) -> list[dict[str, str]]:
        """Describe the pictures of a message: [{sha256, seen}] of those that were. A failure is told and costs no run."""
        urls = self._store.urls([message])
        wanted = [each for each in message.get("pictures") or () if each["sha256"] in urls and not each.get("seen")]
        if not wanted:
            return []
        self._notice("info", "looking", state, model=self.client.label)
        answers = await asyncio.gather(*(self._seen(state.text, urls[each["sha256"]]) for each in wanted))
        failed = [each for each in answers if isinstance(each, str)]
        for each, answer in zip(wanted, answers):
            if not isinstance(answer, str):
                each["seen"] = answer.content.strip()[:MAX_SEEN]
                if answer.usage.source != "none":
                    count(answer.usage, self.client, state)
        if failed:
            self._notice("warning", "look_failed", state, model=self.client.label, why=failed[0])
        return [{"sha256": each["sha256"], "seen": each["seen"]} for each in wanted if each.get("seen")]

    async def _seen(self, text: str, url: str) -> LLMResponse | str:
        """The answer, or why there is none."""
        request = ProviderRequest(
            messages=list(look_messages(text, url)), tools=[], max_output_tokens=LOOK_TOKENS, role="vision"
        )
        try:
            response = await asyncio.wait_for(self.client.complete(request, lambda _delta: None), LOOK_S)
        except ModelError as error:
            return error.message
        except asyncio.TimeoutError:
            return "The model took too long."
        return response if response.content.strip() else "The model said nothing."

    def _notice(self, level: str, key: str, state: RunnerState, **values: Any) -> None:
        self._events.emit("notice", level=level, text=say(key, state.language, **values))
