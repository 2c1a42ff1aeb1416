"""A language model through litellm: asynchronous, streaming, its retries off, its errors in our words.

Only the loop retries. Cancelling the task that runs ``complete`` closes the connection at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import library
from .assembler import StreamAssembler, usage_of
from .errors import after_a_call, cut_off, empty_answer, model_error, refuses_usage_option
from .ids import ids_in
from .tokens import Calibration, estimate_tokens
from .types import LLMResponse, ModelError, OnText, ProviderRequest, Usage

CONNECT_TIMEOUT_S = 10.0
IDLE_TIMEOUT_S = 120.0
"""Silence after which a stream counts as stalled, also before its first piece."""
OLLAMA_CONTEXT = 16384
"""Ollama cuts longer requests from the front, tools first, when it is not told; its own default is about 4,096."""
NO_KEY = "no-key"
"""Sent where no key is set: litellm would else take one from the environment, meant for somebody else."""
PROVIDERS = frozenset(
    "anthropic azure dashscope deepseek gemini groq hosted_vllm mistral moonshot ollama_chat openai openrouter xai zai".split()
)


def qualified_model(model: str, api_base: str) -> str:
    """The model's name as litellm wants it, provider first.

    With an address of one's own the interface is OpenAI's unless a provider is named; Ollama has a second, older interface
    without tools, which is never used.
    """
    provider, _, rest = model.partition("/")
    if provider == "ollama" and rest:
        return f"ollama_chat/{rest}"
    if rest and provider in PROVIDERS:
        return model
    return f"openai/{model}" if api_base or not rest else model


class LiteLLMClient:
    """One configured model. ``label`` is what a person reads."""

    kind = "model"

    def __init__(
        self,
        model: str,
        *,
        api_base: str = "",
        api_key: str = "",
        label: str = "",
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        idle_timeout_s: float = IDLE_TIMEOUT_S,
    ) -> None:
        self.label = label or model
        self._model = qualified_model(model, api_base)
        self._api_base = api_base
        self._api_key = api_key
        self._timeouts = (connect_timeout_s, idle_timeout_s)
        self._usage_option = True
        self._calibration = Calibration()

    def warm_up(self) -> None:
        """Import litellm now. Takes seconds: run it on a background thread."""
        library.load()

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """Run one model turn. Raises ModelError; asyncio.CancelledError passes through when the task is cancelled."""
        assembler = StreamAssembler(ids_in(request.messages))
        problem: ModelError | None = None
        try:
            usage = await self._stream(request, assembler, on_text)
        except Exception as error:  # noqa: BLE001  each becomes one of a closed vocabulary; none is swallowed
            problem = model_error(error)
        if problem is not None:
            # Raised outside the handler, so that the provider's text is not chained to it.
            raise after_a_call(problem) if assembler.has_calls else problem
        if not assembler.finish_reason:
            raise after_a_call(cut_off()) if assembler.has_calls else cut_off()
        if assembler.is_empty and assembler.finish_reason not in ("length", "content_filter"):
            raise empty_answer()
        return assembler.response(self._usage(request, assembler, usage))

    async def _stream(self, request: ProviderRequest, assembler: StreamAssembler, on_text: OnText) -> Usage | None:
        litellm = await library.loaded()
        stream = await self._open(litellm, request)
        try:
            async for chunk in stream:
                text = assembler.feed(_plain(chunk))
                if text:
                    on_text(text)
            return _provider_usage(stream)
        finally:
            await stream.aclose()

    async def _open(self, litellm: Any, request: ProviderRequest) -> Any:
        try:
            return await litellm.acompletion(**self._parameters(request))
        except Exception as error:
            if not (self._usage_option and refuses_usage_option(error)):
                raise
        self._usage_option = False  # and it stays off: this server does not know it
        return await litellm.acompletion(**self._parameters(request))

    def _parameters(self, request: ProviderRequest) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self._model,
            "messages": request.messages,
            "api_key": self._api_key or NO_KEY,
            "stream": True,
            "max_retries": 0,
            "num_retries": 0,
            "timeout": library.httpx_timeout(*self._timeouts),
            "max_tokens": request.max_output_tokens,
            "drop_params": True,
        }
        if self._api_base:
            parameters["api_base"] = self._api_base
        elif request.cache_key and self._model.startswith("openai/"):
            parameters["prompt_cache_key"] = request.cache_key  # other servers may refuse a key that they do not know
        if request.tools:
            parameters["tools"] = request.tools
        if request.temperature is not None:
            parameters["temperature"] = request.temperature
        if self._usage_option:
            parameters["stream_options"] = {"include_usage": True}
        if self._model.startswith("ollama_chat/"):
            parameters["num_ctx"] = OLLAMA_CONTEXT
        return parameters

    def _usage(self, request: ProviderRequest, assembler: StreamAssembler, reported: Usage | None) -> Usage:
        """Tokens as the provider counted them, else our estimate. litellm's own guess looks like the former; it is not used."""
        if reported is not None:
            self._calibration.learn(estimate_tokens(request.messages, request.tools), reported.input_tokens)
            return reported
        answer = assembler.response()
        written = estimate_tokens(
            answer.content, answer.reasoning, *(call.name + call.arguments for call in answer.tool_calls)
        )
        return Usage(self._calibration.tokens(request.messages, request.tools), written, 0, "estimated")


def _plain(chunk: Any) -> dict[str, Any]:
    """A chunk of litellm as a dict. Its usage is left out: it may be litellm's own guess."""
    plain: dict[str, Any] = chunk.model_dump(warnings=False)
    plain.pop("usage", None)
    return plain


def _provider_usage(stream: Any) -> Usage | None:
    """The usage that the provider sent, from litellm's list of raw chunks (its guess is not in there)."""
    for chunk in reversed(list(getattr(stream, "chunks", None) or ())):
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            raw = usage if isinstance(usage, Mapping) else usage.model_dump(warnings=False)
            return usage_of(raw)
    return None
