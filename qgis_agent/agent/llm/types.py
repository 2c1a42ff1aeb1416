"""What the loop and a model say to each other. Three clients speak it: litellm, a script, the offline commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    reasoning_tokens: int = 0
    """Part of ``output_tokens`` that was thinking."""
    cache_write_tokens: int = 0
    """Part of ``input_tokens`` that the provider put into its cache, at a price of its own."""


@dataclass(frozen=True)
class LLMResponse:
    """One finished model turn. ``finish_reason`` is "stop", "tool_calls", "length", "content_filter" or ""."""

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    reasoning: str = ""
    echo: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the assistant message that the provider wants back verbatim in later requests (``reasoning_content``,
    ``thinking_blocks``, ``provider_specific_fields``)."""
    unreadable_markup: bool = False
    """The text held the markup of a tool call that could not be read; the markup is not in ``content``."""
    unknown_tools: tuple[str, ...] = ()
    """Tools that well-formed calls in the text named and that were not offered; nothing of them is in ``tool_calls``."""
    notices: tuple[str, ...] = ()
    """What the person should know of how this answer came about: keys of ``words.py``, each once per client."""


@dataclass(frozen=True)
class SettledCall:
    """A tool call of this run with the envelope that came back."""

    call: ToolCall
    arguments: dict[str, Any]
    envelope: dict[str, Any]


Role = Literal["planner", "router", "vision"]
"""What a model is asked for: to plan and act, to sort a request, to look at a picture."""


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
    temperature: float | None = None
    """None: the temperature of the role (see ``roles.py``)."""
    role: Role = "planner"
    known_tools: tuple[str, ...] = ()
    """Tools of the run that this request does not offer (the last turn): the markup of a call of one is never shown."""
    profile: str = ""
    """Name and level of the profile that the run is under, "" where nobody says: why a tool is not offered."""
    level: str = ""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Data addresses by digest of the pictures that messages name (``pictures.py``), where the model sees; else empty."""
    stable_messages: int = 0
    """How many messages at the start are the stable prefix (system sections): where a provider has cache markers, one goes
    behind them and one behind the last message of the history."""


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


class OverBudget(ModelError):
    """A call that was not made because it could break the budget of its role. ``what`` says which one it is."""

    def __init__(self, what: Literal["tokens", "cost"], message: str, *, hint: str = "") -> None:
        super().__init__("quota", message, hint=hint)
        self.what = what


OnText = Callable[[str], None]


class ModelClient(Protocol):
    """A model. ``complete`` streams text to ``on_text`` and must end promptly when its task is cancelled."""

    kind: str
    label: str

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """Run one model turn. Raises ModelError."""
        ...
