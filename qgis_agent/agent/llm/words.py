"""The sentences of this package in a person's language: what went wrong with a model, and what is to be known about it.

Errors are made in English (``errors.py`` and others). ``in_language`` finds the Chinese for such a sentence, with its numbers; a
sentence that is not in the table is returned as it is.
"""

from __future__ import annotations

import re

_SENTENCES: tuple[tuple[str, str], ...] = (
    ("The request is longer than the model can take.", "请求超出了模型可接受的长度。"),
    ("Start a new conversation or ask for less.", "请开始新的对话，或减少请求的内容。"),
    ("The model did not answer in time.", "模型没有及时回答。"),
    ("Try again, or use a faster model.", "请重试，或使用更快的模型。"),
    ("The model's server cannot be reached.", "无法连接模型服务器。"),
    (
        "Check the address in the settings, the network and whether the server is running.",
        "请检查设置中的地址、网络，以及服务器是否正在运行。",
    ),
    ("The certificate of the model's server is not trusted here.", "模型服务器的证书在此不受信任。"),
    (
        "Add your organisation's certificate authority in QGIS's settings (Options > Authentication).",
        "请在 QGIS 设置（选项 > 认证）中添加贵单位的证书颁发机构。",
    ),
    ("The proxy wants a user name and a password.", "代理需要用户名和密码。"),
    ("Enter them in QGIS's settings (Options > Network).", "请在 QGIS 设置（选项 > 网络）中输入。"),
    ("The library that talks to models cannot be loaded.", "无法加载与模型通信的程序库。"),
    ("Build the agent's environment again.", "请重新构建智能体的运行环境。"),
    ("The model call failed inside the program ({}).", "模型调用在程序内部失败（{}）。"),
    ("See the log; try again.", "请查看日志后重试。"),
    ("The model gave an empty answer.", "模型给出了空的回答。"),
    ("Try again, or use another model.", "请重试，或使用其他模型。"),
    ("The model's answer broke off before its end.", "模型的回答中途中断。"),
    ("Try again.", "请重试。"),
    ("The model's server sent something that is not an answer.", "模型服务器返回的内容不是有效的回答。"),
    (
        "Check that the address is that of an OpenAI-compatible interface (it often ends in /v1).",
        "请检查地址是否为兼容 OpenAI 的接口（通常以 /v1 结尾）。",
    ),
    ("The model's server reported a failure in the middle of its answer.", "模型服务器在回答途中报告了错误。"),
    ("The account of the model's provider is used up.", "模型服务商账户的额度已用完。"),
    ("Check the plan or use another model.", "请检查套餐，或使用其他模型。"),
    ("The model's server did not accept the key.", "模型服务器没有接受密钥。"),
    ("No key is set for the model's server.", "尚未设置模型服务器的密钥。"),
    (
        "Enter the key in the settings. A server that takes none accepts any word as key.",
        "请在设置中输入密钥；不需要密钥的服务器，填任意一个词即可。",
    ),
    ("Enter the key again in the settings.", "请在设置中重新输入密钥。"),
    ("The model's server does not know this model or address.", "模型服务器不认识该模型或地址。"),
    ("Check the model's name and the address.", "请检查模型名称和地址。"),
    ("The model's server asks for fewer requests.", "模型服务器要求减少请求次数。"),
    ("Wait a little, then try again.", "请稍候再试。"),
    ("Wait {} s, then try again.", "请等待 {} 秒后再试。"),
    ("The model's server failed (HTTP {}).", "模型服务器出错（HTTP {}）。"),
    ("Try again in a moment.", "请稍后重试。"),
    ("The model's server refused the request (HTTP {}).", "模型服务器拒绝了请求（HTTP {}）。"),
    (
        "Check the model's name, and that this model can use tools.",
        "请检查模型名称，以及该模型是否支持工具调用。",
    ),
    (
        "The model's server read only {} of about {} tokens: the beginning of the request, with its tools, was cut off.",
        "模型服务器只读取了约 {1} 个令牌中的 {0} 个：请求的开头（包括工具）被截掉了。",
    ),
    (
        "Give the model a larger context (num_ctx; OLLAMA_CONTEXT_LENGTH on the server), or begin a new conversation.",
        "请为模型设置更大的上下文（num_ctx；服务器上的 OLLAMA_CONTEXT_LENGTH），或开始新的对话。",
    ),
    (
        "The request of about {} tokens does not fit into the model's context of {} tokens.",
        "请求约有 {} 个令牌，超出了模型 {} 个令牌的上下文。",
    ),
    (
        "Give the model a larger context in the settings, or begin a new conversation.",
        "请在设置中为模型设置更大的上下文，或开始新的对话。",
    ),
    ("The token budget that is set for this model is used up.", "为该模型设定的令牌预算已用完。"),
    ("The cost limit that is set for this model is reached.", "已达到为该模型设定的费用上限。"),
    ("Raise it in the settings, or use another model.", "请在设置中提高上限，或使用其他模型。"),
    (
        "A cost limit is set for this model, but its price is not known.",
        "已为该模型设定费用上限，但其价格未知。",
    ),
    ("Enter the price in your price file, or remove the limit.", "请在价格文件中填写价格，或取消上限。"),
)
_NOTICES: dict[str, tuple[str, str]] = {
    "tools_in_text": (
        "This model's server has no function calling; tools are described in the text instead. Steps may be less reliable.",
        "该模型的服务器不支持函数调用，工具改用文字描述；步骤可能不够可靠。",
    ),
    "vllm_flags": (
        "The model's tool calls came as plain text. Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of "
        "this model.",
        "模型的工具调用以纯文本形式返回。请用 --enable-auto-tool-choice 和适合该模型的 --tool-call-parser 启动 vLLM。",
    ),
    "waiting": ("{why} Trying again in {seconds} s.", "{why} {seconds} 秒后重试。"),
    "still_waiting": ("Still waiting: {seconds} s.", "继续等待：还有 {seconds} 秒。"),
    "quiet": (
        "The model has said nothing for {seconds} s; still waiting. Stop ends it.",
        "模型已 {seconds} 秒没有回应，仍在等待；可按停止结束。",
    ),
    "rate_wait": (
        "Waiting {seconds} s: the limit of requests per minute for this model is reached.",
        "等待 {seconds} 秒：已达到该模型每分钟的请求上限。",
    ),
}


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile("(.{1,40}?)".join(re.escape(part) for part in sentence.split("{}")))


_PATTERNS = tuple((_pattern(english), chinese) for english, chinese in _SENTENCES if "{}" in english)
_EXACT = {english: chinese for english, chinese in _SENTENCES if "{}" not in english}


def in_language(sentence: str, language: str) -> str:
    """One of this package's English sentences in a language ("en" or "zh")."""
    if language != "zh":
        return sentence
    if sentence in _EXACT:
        return _EXACT[sentence]
    for pattern, chinese in _PATTERNS:
        found = pattern.fullmatch(sentence)
        if found is not None:
            return chinese.format(*found.groups())
    return sentence


def notice(key: str, language: str, **values: object) -> str:
    """The sentence ``key`` for a person. KeyError for an unknown key."""
    return _NOTICES[key][language == "zh"].format(**values)
