"""The way to one model through litellm: what is sent, and which options its server has refused so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import library
from .alternation import has_neighbours
from .errors import text_of
from .keyless import NO_KEY, client_without_key, require_key
from .quirks import Quirks
from .refusals import Option, refused_option
from .types import ProviderRequest, Usage
from .usage import usage_of
from .wire import wire_form

MAX_REFUSALS = 6
"""Options that one request can lose: every one of them."""
TOOL_TOP_P = 0.9
"""Nucleus of a round with tools, beside its temperature (requirement M-129)."""


@dataclass(frozen=True)
class Sampling:
    """What a role asks of one call; ``temperature`` None is left to the server."""

    temperature: float | None
    max_output_tokens: int
    quiet: bool = False
    """Thinking is to be switched off where that can be done."""


class Connection:
    """Opens one request at a time. What a server refuses is left out from then on, for as long as the client lives."""

    def __init__(
        self,
        model: str,
        quirks: Quirks,
        *,
        api_base: str,
        api_key: str,
        connect_timeout_s: float,
        idle_timeout_s: float,
    ) -> None:
        self.model = model
        self.quirks = quirks
        self._api_base = api_base
        self._api_key = api_key
        self._timeouts = (connect_timeout_s, idle_timeout_s)
        self._keyless: Any = None
        self.refused: set[Option] = set()

    async def open(self, request: ProviderRequest, sampling: Sampling) -> Any:
        """A stream of chunks, or one whole answer where the server cannot stream. Raises what litellm raises."""
        require_key(self.model, self._api_base, self._api_key)
        litellm = await library.loaded()
        if not self._api_key and self._keyless is None:
            self._keyless = client_without_key(self.model, self._api_base, library.httpx_module())
        for _ in range(MAX_REFUSALS):
            parameters = self.parameters(request, sampling)
            try:
                answer = await litellm.acompletion(**parameters)
            except Exception as error:
                option = refused_option(getattr(error, "status_code", None), text_of(error), _sent(parameters))
                if option is None:
                    raise
                self.refused.add(option)
                continue
            if not parameters["stream"] or not _is_whole(answer):
                return answer
            await answer.aclose()
            self.refused.add("stream")
        return await litellm.acompletion(**self.parameters(request, sampling))

    def parameters(self, request: ProviderRequest, sampling: Sampling) -> dict[str, Any]:
        """The arguments of ``acompletion``. Its retries are off: ours are in ``loop/provider_turn.py``."""
        messages, tools = wire_form(
            request, self.quirks, tools_in_text="tools" in self.refused, alternating="roles" in self.refused
        )
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "api_key": self._api_key or NO_KEY,
            "stream": "stream" not in self.refused,
            "max_retries": 0,
            "num_retries": 0,
            "timeout": library.httpx_timeout(*self._timeouts),
            "max_tokens": sampling.max_output_tokens,
            "drop_params": True,
        }
        if self._api_base:
            parameters["api_base"] = self._api_base
        if self._keyless is not None:
            parameters["client"] = self._keyless
        if self.quirks.cache == "key" and request.cache_key:
            parameters["prompt_cache_key"] = request.cache_key
        if tools:
            parameters["tools"] = tools
        if parameters["stream"] and "usage" not in self.refused:
            parameters["stream_options"] = {"include_usage": True}
        if self.quirks.context_window is not None:
            parameters["num_ctx"] = self.quirks.context_window
        if sampling.quiet:
            parameters.update(self.quirks.no_thinking)
        self._sample(parameters, sampling, with_tools=bool(request.tools))
        return parameters

    def _sample(self, parameters: dict[str, Any], sampling: Sampling, *, with_tools: bool) -> None:
        if sampling.temperature is None or not self.quirks.temperature or "temperature" in self.refused:
            return
        parameters["temperature"] = sampling.temperature
        if with_tools and self.quirks.top_p and "top_p" not in self.refused:
            parameters["top_p"] = TOOL_TOP_P


def _sent(parameters: Mapping[str, Any]) -> set[Option]:
    found: set[Option] = {name for name in ("tools", "temperature", "top_p") if name in parameters}
    if any(each.get("role") == "tool" for each in parameters["messages"]):
        found.add("tools")  # calls and results of earlier turns
    if has_neighbours(parameters["messages"]):
        found.add("roles")
    if parameters["stream"]:
        found.add("stream")
    if "stream_options" in parameters:
        found.add("usage")
    return found


def chunk_of(piece: Any) -> dict[str, Any]:
    """A chunk or a whole answer of litellm as a dict in streaming form. Its usage is left out: it may be litellm's guess."""
    plain: dict[str, Any] = piece.model_dump(warnings=False)
    plain.pop("usage", None)
    for choice in plain.get("choices") or ():
        if "delta" not in choice and "message" in choice:
            choice["delta"] = choice.pop("message")
            choice["finish_reason"] = choice.get("finish_reason") or "stop"
    return plain


def content_type(stream: Any) -> str:
    """What a server says that its answer is, in lower case and without parameters; "" where litellm does not hand it on."""
    headers = getattr(getattr(getattr(stream, "completion_stream", None), "response", None), "headers", None)
    kind = headers.get("content-type") if headers is not None else None
    return kind.split(";")[0].strip().lower() if isinstance(kind, str) else ""


def _is_whole(stream: Any) -> bool:
    """Whether a server that was asked to stream sent one JSON document: the client would read an empty stream from it."""
    return content_type(stream) == "application/json"


def provider_usage(answer: Any) -> Usage | None:
    """The usage that the provider sent; None when it sent none. Of a stream litellm's raw chunks have it, without its guess."""
    for chunk in [answer, *reversed(list(getattr(answer, "chunks", None) or ()))]:
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            found = usage_of(usage if isinstance(usage, Mapping) else usage.model_dump(warnings=False))
            if found.input_tokens or found.output_tokens:
                return found
    return None
