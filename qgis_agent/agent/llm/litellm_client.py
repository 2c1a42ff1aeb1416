"""A language model through litellm: asynchronous, streaming, its retries off, its errors in our words.

Only the loop retries. Cancelling the task that runs ``complete`` closes the connection at once.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from . import library
from .assembler import StreamAssembler
from .connection import Connection, Sampling, chunk_of, provider_usage
from .content import Content, ContentReader
from .errors import after_a_call, cut_off, empty_answer, model_error
from .ids import ids_in
from .names import plain_name
from .quirks import Quirks, qualified_model, quirks_for
from .temperatures import temperature_of
from .tokens import Calibration, estimate_tokens, request_tokens
from .truncation import cut_request, surely_too_long, too_long, was_cut
from .types import LLMResponse, ModelError, OnText, ProviderRequest, ToolCall, Usage
from .wire import echo_of

CONNECT_TIMEOUT_S = 10.0
IDLE_TIMEOUT_S = 120.0
"""Silence after which a stream counts as stalled, also before its first piece."""
MAX_OUTPUT_TOKENS = 4096


class LiteLLMClient:
    """One configured model. ``label`` is what a person reads; ``quirks`` says how it is spoken to.

    ``temperature`` is the person's own for rounds with tools; None leaves it to the role. ``context_tokens`` is the context
    to ask of a server that must be told (Ollama).
    """

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
        temperature: float | None = None,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        context_tokens: int | None = None,
    ) -> None:
        self.label = label or model
        self.model = qualified_model(model, api_base)
        self.quirks = _with_context(quirks_for(model, api_base), context_tokens)
        self.calibration = Calibration()
        self._temperature = temperature
        self._max_output_tokens = max_output_tokens
        self._connection = Connection(
            self.model,
            self.quirks,
            api_base=api_base,
            api_key=api_key,
            connect_timeout_s=connect_timeout_s,
            idle_timeout_s=idle_timeout_s,
        )
        self._noticed: set[str] = set()

    @property
    def context_window(self) -> int | None:
        """Tokens that the server was told to hold; None where it is not told and nobody knows."""
        return self.quirks.context_window

    def warm_up(self) -> None:
        """Import litellm now. Takes seconds: run it on a background thread."""
        library.load()

    def sampling(self, request: ProviderRequest) -> Sampling:
        """Temperature and length of one call, by its role."""
        wanted = min(request.max_output_tokens, self._max_output_tokens)
        quiet = request.role == "router"
        if not quiet or not self.quirks.no_thinking:
            wanted = max(wanted, self.quirks.least_output)
        return Sampling(temperature_of(request, self._temperature), wanted, quiet)

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """Run one model turn. Raises ModelError; asyncio.CancelledError passes through when the task is cancelled."""
        estimated = request_tokens(request.messages, request.tools)
        window = self.quirks.context_window
        if window is not None and surely_too_long(estimated, window, self.calibration):
            raise too_long(self.calibration.corrected(estimated), window)
        assembler = StreamAssembler(ids_in(request.messages))
        problem: ModelError | None = None
        try:
            content, reported = await self._read(request, assembler, on_text)
        except Exception as error:  # noqa: BLE001  each becomes one of a closed vocabulary; none is swallowed
            problem = model_error(error)
        if problem is not None:
            # Raised outside the handler, so that the provider's text is not chained to it.
            raise after_a_call(problem) if assembler.has_calls else problem
        if not assembler.finish_reason:
            raise after_a_call(cut_off()) if assembler.has_calls else cut_off()
        if assembler.is_empty and assembler.finish_reason not in ("length", "content_filter"):
            raise empty_answer()
        if reported is not None and self.quirks.cuts_silently and was_cut(estimated, reported.input_tokens, window):
            raise cut_request(reported.input_tokens, estimated)
        return self._response(request, assembler, content, reported)

    async def _read(
        self, request: ProviderRequest, assembler: StreamAssembler, on_text: OnText
    ) -> tuple[Content, Usage | None]:
        """Read the answer to its end; text goes to ``on_text`` as it comes."""
        stream = await self._connection.open(request, self.sampling(request))
        bare = "tools" in self._connection.refused
        reader = ContentReader(_names(request), bare_json=bare, user_text=request.user_text)

        def take(piece: object) -> None:
            shown = reader.feed(assembler.feed(chunk_of(piece)))
            if shown:
                on_text(shown)

        if hasattr(stream, "aclose"):
            try:
                async for chunk in stream:
                    take(chunk)
            finally:
                await stream.aclose()
        else:
            take(stream)  # a whole answer
        content = reader.finish(native_calls=assembler.has_calls)
        if content.rest:
            on_text(content.rest)
        return content, provider_usage(stream)

    def _response(
        self, request: ProviderRequest, assembler: StreamAssembler, content: Content, reported: Usage | None
    ) -> LLMResponse:
        answer = assembler.response()
        offered = _names(request)
        calls = tuple(replace(each, name=plain_name(each.name, offered)) for each in answer.tool_calls)
        recovered = tuple(ToolCall(assembler.fresh_id(), name, arguments, "text") for name, arguments in content.calls)
        finish = answer.finish_reason
        if recovered and finish not in ("length", "content_filter"):
            finish = "tool_calls"
        return replace(
            answer,
            content=content.text,
            tool_calls=calls + recovered,
            finish_reason=finish,
            usage=self._usage(request, answer, reported),
            reasoning=answer.reasoning + content.thought,
            echo=echo_of(answer.echo, self.quirks),
            unreadable_markup=content.unreadable,
            unknown_tools=content.unknown,
            notices=self._notices(text_calls=bool(recovered)),
        )

    def _usage(self, request: ProviderRequest, answer: LLMResponse, reported: Usage | None) -> Usage:
        """Tokens as the provider counted them, else our estimate. litellm's own guess looks like the former; it is not used."""
        if reported is not None:
            self.calibration.learn(request_tokens(request.messages, request.tools), reported.input_tokens)
            return reported
        written = estimate_tokens(
            answer.content, answer.reasoning, *(call.name + call.arguments for call in answer.tool_calls)
        )
        read = self.calibration.corrected(request_tokens(request.messages, request.tools))
        return Usage(read, written, 0, "estimated")

    def _notices(self, *, text_calls: bool) -> tuple[str, ...]:
        """What the person should know, each once: the server cannot take tools, or its tool parser is not set up."""
        found = []
        if "tools" in self._connection.refused:
            found.append("tools_in_text")
        elif text_calls and self.quirks.leak_notice:
            found.append(self.quirks.leak_notice)
        new = tuple(each for each in found if each not in self._noticed)
        self._noticed.update(new)
        return new


def _names(request: ProviderRequest) -> Collection[str]:
    """The tools whose markup is looked for: those offered; in a turn without tools those of the history, so that the markup of a
    call that cannot be run is not shown as an answer either."""
    offered = frozenset(str(each.get("function", {}).get("name", "")) for each in request.tools)
    if offered or request.known_tools:
        return offered or frozenset(request.known_tools)
    made = (call for message in request.messages for call in message.get("tool_calls") or ())
    return frozenset(str(call.get("function", {}).get("name", "")) for call in made if isinstance(call, dict))


def _with_context(quirks: Quirks, tokens: int | None) -> Quirks:
    return quirks if tokens is None or quirks.context_window is None else replace(quirks, context_window=tokens)
