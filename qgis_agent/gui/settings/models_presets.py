"""Providers of models whose address need not be typed.

``source`` of each is the page on which its maker gives the address (read in November 2026); examples of names come from the
price table in ``resources/prices.json`` or from those pages, and are only shown where nothing was typed yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from ...gis.i18n import translate

OTHER = "other"


@dataclass(frozen=True)
class Preset:
    """A provider. ``prefix`` is the interface that is spoken, written before the model's name; "" leaves the name as it is."""

    key: str
    name: str
    api_base: str
    prefix: str
    example: str
    needs_key: bool = True
    shown_base: str = ""
    """In an empty field, where the address is different for everybody."""
    source: str = ""


PRESETS: Tuple[Preset, ...] = (
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        "openai",
        "gpt-5-mini",
        source="https://platform.openai.com/docs/api-reference",
    ),
    Preset(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com",
        "anthropic",
        "claude-sonnet-4-6",
        source="https://docs.claude.com/en/api/overview",
    ),
    Preset(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        "gemini",
        "gemini-2.5-flash",
        source="https://ai.google.dev/api",
    ),
    Preset(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        "deepseek",
        "deepseek-v4-flash",
        source="https://api-docs.deepseek.com/",
    ),
    Preset(
        "dashscope",
        "Qwen / DashScope",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "dashscope",
        "qwen-plus",
        source="https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope",
    ),
    Preset(
        "dashscope_intl",
        "Qwen / DashScope",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "dashscope",
        "qwen-plus",
        source="https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope",
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "openrouter",
        "deepseek/deepseek-v4-flash",
        source="https://openrouter.ai/docs/api-reference/overview",
    ),
    Preset(
        "azure",
        "Azure OpenAI",
        "",
        "openai",
        "gpt-5-mini",
        shown_base="https://….openai.azure.com/openai/v1",
        source="https://learn.microsoft.com/en-us/azure/ai-foundry/openai/api-version-lifecycle",
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://localhost:11434",
        "ollama_chat",
        "qwen3:8b",
        needs_key=False,
        source="https://docs.ollama.com/api",
    ),
    Preset(
        "lm_studio",
        "LM Studio",
        "http://localhost:1234/v1",
        "openai",
        "qwen/qwen3-8b",
        needs_key=False,
        source="https://lmstudio.ai/docs/developer/openai-compat",
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        "hosted_vllm",
        "Qwen/Qwen3-8B",
        needs_key=False,
        source="https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    ),
    Preset(
        "llama_cpp",
        "llama.cpp",
        "http://localhost:8080/v1",
        "openai",
        "qwen3-8b",
        needs_key=False,
        source="https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    ),
    Preset(OTHER, "", "", "", "", shown_base="https://…/v1"),
)
_BY_KEY = {each.key: each for each in PRESETS}


def preset(key: str) -> Preset:
    """The preset of this key; the open one for an unknown key."""
    return _BY_KEY.get(key, _BY_KEY[OTHER])


def preset_name(each: Preset) -> str:
    """What a person reads: a brand as it is, with its region where it has several addresses, or words for the open one."""
    if each.key == OTHER:
        return translate("QgisAgent", "Another OpenAI-compatible address")
    if each.key == "dashscope":
        return translate("QgisAgent", "{} (mainland China)").format(each.name)
    if each.key == "dashscope_intl":
        return translate("QgisAgent", "{} (Singapore)").format(each.name)
    return each.name


def preset_of(api_base: str) -> Preset:
    """The preset with this address; the open one where none has it."""
    base = api_base.rstrip("/")
    return next((each for each in PRESETS if each.api_base and each.api_base == base), _BY_KEY[OTHER])


def full_name(each: Preset, name: str) -> str:
    """A model's name as the agent takes it: with the interface before it, once."""
    name = name.strip()
    if not name or not each.prefix or (each.prefix != "openai" and name.startswith(each.prefix + "/")):
        return name
    return "{}/{}".format(each.prefix, name)


def bare_name(each: Preset, model: str) -> str:
    """A model's name as the provider has it: what a person types and reads."""
    start = each.prefix + "/"
    return model[len(start) :] if each.prefix and model.startswith(start) else model
