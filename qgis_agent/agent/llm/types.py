"""What the loop and a model say to each other. Three clients speak it: litellm, a script, the offline commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

ErrorKind = Literal[
    "auth", "quota", "rate_limit", "config", "transient", "timeout", "context_overflow", "bad_answer", "internal"
]


@dataclass(frozen=True)
class ToolCall:
    """A call as the model wrote it. ``arguments`` is its raw JSON text, kept byte for byte."""

    id: str
    name: str
    arguments: str
    origin: Literal["native", "text"] = "native"


@dataclass(frozen=True)
class Usage:
    """Tokens of one model call. ``source`` says who counted."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    source: Literal["provider", "estimated", "none"] = "none"


@dataclass(frozen=True)
class LLMResponse:
    """One finished model turn. ``finish_reason`` is "stop", "tool_calls", "length", "content_filter" or ""."""

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    reasoning: str = ""


@dataclass(frozen=True)
class SettledCall:
    """A tool call of this run with the envelope that came back."""

    call: ToolCall
    arguments: dict[str, Any]
    envelope: dict[str, Any]


@dataclass(frozen=True)
class ProviderRequest:
    """What one model call gets.

    ``messages`` and ``tools`` are in OpenAI form and complete: a provider needs nothing else. ``user_text`` and
    ``settled`` say the same of the current run in plain form, for clients without a language model.
    """

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    user_text: str = ""
    settled: tuple[SettledCall, ...] = ()
    cache_key: str = ""
    max_output_tokens: int = 4096
    temperature: float | None = 0.2


class ModelError(Exception):
    """A model call that failed. ``message`` and ``hint`` are our own words, never a provider's text."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        hint: str = "",
        retryable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.retryable = retryable
        self.retry_after_s = retry_after_s


OnText = Callable[[str], None]


class ModelClient(Protocol):
    """A model. ``complete`` streams text to ``on_text`` and must end promptly when its task is cancelled."""

    kind: str
    label: str

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """Run one model turn. Raises ModelError."""
        ...
