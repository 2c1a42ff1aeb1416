"""What differs between providers, as data: one small record per family, chosen by the model's name and address.

Everything that a server says itself at run time (an option that it refuses, see ``connection.py``) is learnt there and is no
quirk. Sources: `reference/harness.md` section 11 and the providers' own pages on thinking and caching.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import urlsplit

Family = Literal["deepseek", "qwen", "ollama", "vllm", "gemini", "anthropic", "openai", "openai_reasoning", "generic"]
_NOTHING: Mapping[str, Any] = MappingProxyType({})
OLLAMA_CONTEXT = 16384
"""Tokens asked of Ollama as ``num_ctx``; its own default is about 4,096, and it cuts longer requests from the front."""
THINKING_TOKENS = 1024
"""Least output of a model that thinks before it answers: with less, even one word does not come."""
PROVIDERS = frozenset(
    "anthropic azure dashscope deepseek gemini groq hosted_vllm mistral moonshot ollama_chat openai openrouter xai zai".split()
)
_OPENAI_REASONING = re.compile(r"^(?:o[1-9]|gpt-(?:[5-9]|\d\d))(?!.*chat)")
_QWEN = re.compile(r"(?:^|/)(?:qwen|qwq)")
_ALTERNATING = re.compile(r"(?:^|[/:._-])(?:open-)?(?:mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|gemma)")
"""Families whose templates want the roles in turn, by the name of the model or of its provider."""


@dataclass(frozen=True)
class Quirks:
    """How one model is spoken to.

    ``echo``: fields of an assistant message that are sent back verbatim; all others are removed.
    ``placeholder``: sent as ``reasoning_content`` where a tool turn has none; "" sends nothing.
    ``temperature``, ``top_p``: whether the model takes them (``top_p`` beside a temperature).
    ``cache``: "markers" puts ``cache_control`` into the request, "key" sends ``prompt_cache_key``.
    ``context_window``: tokens asked for as ``num_ctx``; None asks for nothing.
    ``cuts_silently``: the server drops what does not fit and answers all the same.
    ``no_thinking``: parameters that switch thinking off, for calls that want one word.
    ``least_output``: tokens that an answer needs at least, thinking included.
    ``leak_notice``: key of what to tell the person when calls came as text.
    ``alternating``: the model's template refuses roles that do not come in turn; see ``alternation.py``.
    """

    family: Family
    echo: frozenset[str] = frozenset()
    placeholder: str = ""
    temperature: bool = True
    top_p: bool = True
    cache: Literal["none", "markers", "key"] = "none"
    context_window: int | None = None
    cuts_silently: bool = False
    no_thinking: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    least_output: int = 0
    leak_notice: str = ""
    alternating: bool = False


def _body(**fields: Any) -> Mapping[str, Any]:
    return MappingProxyType({"extra_body": fields})


_TEMPLATE_SWITCH = _body(chat_template_kwargs={"enable_thinking": False})
GENERIC = Quirks("generic")
DEEPSEEK = Quirks("deepseek", echo=frozenset({"reasoning_content"}), no_thinking=_body(thinking={"type": "disabled"}))
QWEN = Quirks("qwen", least_output=THINKING_TOKENS)
OLLAMA = Quirks(
    "ollama", context_window=OLLAMA_CONTEXT, cuts_silently=True, no_thinking=MappingProxyType({"think": False})
)
VLLM = Quirks("vllm", no_thinking=_TEMPLATE_SWITCH, leak_notice="vllm_flags")
GEMINI = Quirks(
    "gemini", echo=frozenset({"provider_specific_fields", "tool_call_fields"}), least_output=THINKING_TOKENS
)
ANTHROPIC = Quirks("anthropic", echo=frozenset({"thinking_blocks"}), top_p=False, cache="markers")
OPENAI = Quirks("openai", cache="key")
OPENAI_REASONING = Quirks("openai_reasoning", temperature=False, top_p=False, cache="key", least_output=THINKING_TOKENS)


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


def quirks_for(model: str, api_base: str = "") -> Quirks:
    """The record of a model. ``model`` may be qualified or as a person wrote it."""
    qualified = qualified_model(model, api_base).lower()
    found = _by_provider(qualified, api_base)
    return replace(found, alternating=True) if _ALTERNATING.search(qualified) else found


def _by_provider(qualified: str, api_base: str) -> Quirks:
    provider, _, name = qualified.partition("/")
    if provider == "ollama_chat":
        return OLLAMA
    if provider == "openai" and _address(api_base)[1] == 11434:
        # Ollama's second interface takes no num_ctx: what it does is watched only.
        return replace(OLLAMA, context_window=None, no_thinking=_NOTHING, least_output=THINKING_TOKENS)
    if "deepseek" in name or provider == "deepseek":
        return _deepseek(provider, name)
    if provider in ("gemini", "vertex_ai") or "gemini" in name:
        return GEMINI
    if provider == "anthropic":
        return ANTHROPIC
    if "claude" in name:
        # Through somebody else's interface: thinking is dropped whole, markers only where they are known to pass.
        return replace(ANTHROPIC, echo=frozenset(), cache="markers" if provider == "openrouter" else "none")
    if provider == "dashscope" or _QWEN.search(name):
        return _qwen(provider)
    if provider == "hosted_vllm":
        return VLLM
    return _openai(provider, name, api_base)


def _deepseek(provider: str, name: str) -> Quirks:
    thinks = "v4" in name or "reasoner" in name
    return replace(
        DEEPSEEK,
        placeholder=" " if thinks else "",  # the least that the service takes
        no_thinking=DEEPSEEK.no_thinking if provider == "deepseek" else _NOTHING,
        least_output=0 if provider == "deepseek" or not thinks else THINKING_TOKENS,
        leak_notice=VLLM.leak_notice if provider == "hosted_vllm" else "",
    )


def _qwen(provider: str) -> Quirks:
    if provider == "dashscope":
        return replace(QWEN, no_thinking=_body(enable_thinking=False), least_output=0)
    if provider == "hosted_vllm":
        return replace(QWEN, no_thinking=_TEMPLATE_SWITCH, least_output=0, leak_notice=VLLM.leak_notice)
    return QWEN


def _openai(provider: str, name: str, api_base: str) -> Quirks:
    """OpenAI's own models. At another address nobody knows whether the server takes a cache key."""
    if provider not in ("openai", "azure"):
        return GENERIC
    own = not api_base or _address(api_base)[0].endswith((".openai.com", ".azure.com"))
    if _OPENAI_REASONING.match(name):
        return OPENAI_REASONING if own else replace(OPENAI_REASONING, cache="none")
    return OPENAI if own else GENERIC


def _address(api_base: str) -> tuple[str, int | None]:
    """Host and port of an address; nothing of one that is none (the request will say so)."""
    try:
        parts = urlsplit(api_base)
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None
