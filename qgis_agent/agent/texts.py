"""Sentences that the agent itself says to a person, in English and Chinese. QGIS's translations do not reach this process."""

from __future__ import annotations

import re

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

_ENGLISH_WORDS = re.compile(
    r"\b(?:the|a|an|in|of|to|by|on|off|is|are|does|do|how|many|much|what|which|where|who|and|with|me|all|per|each|please|show|hide"
    r"|zoom|list|count|colou?r|style|label|select|filter|export|buffer|measure|describe)\b",
    re.IGNORECASE,
)
_CHINESE_WORDS = re.compile(
    r"[的了吗呢吧把将给按在到哪几请和与并再个有是这那让用为对从每显隐导统查找看打关放缩]|多少|图层|什么|怎么"
)
"""Words that make a sentence Chinese although English ones stand in it: particles, verbs of requests; rare in place names."""

_TEXTS: dict[str, tuple[str, str]] = {
    "done": ("Done so far: {steps}.", "已完成：{steps}。"),
    "nothing_done": ("Nothing has been done yet.", "尚未完成任何操作。"),
    "failed_steps": ("Not done: {steps}.", "未完成：{steps}。"),
    "continue": ('To go on, send "continue" or a smaller request.', "如需继续，请发送“继续”，或提出更小的请求。"),
    "budget": ("The limit of this run was reached ({reason}).", "已达到本次运行的上限（{reason}）。"),
    "halted_loop": (
        "I stopped because the same step came out the same way again and again ({tool}).",
        "同一步骤反复得到相同结果（{tool}），已停止。",
    ),
    "halted_denials": (
        "I stopped because several steps in this request were not allowed.",
        "本次请求中有多个步骤未获允许，已停止。",
    ),
    "forced": ("I ended this request early ({reason}).", "本次请求已提前结束（{reason}）。"),
    "looking": (
        "The answering model sees no pictures: {model} describes what you showed.",
        "回答的模型看不到图片：由 {model} 描述您提供的图片。",
    ),
    "look_failed": (
        "{model} could not describe the picture ({why}), so nobody has seen it.",
        "{model} 未能描述图片（{why}），因此图片未被查看。",
    ),
    "cut_off": (
        "(The answer was cut off by the model's length limit.)",
        "（回答因模型长度限制被截断。）",
    ),
    "no_answer": (
        "The question was not answered in time, so this was not done.",
        "询问未在时限内得到回答，因此没有执行。",
    ),
    "ask_again": ("Ask me again", "再问我一次"),
    "offline_instead": (
        "{why} The offline commands answer instead. {hint}",
        "{why}改由离线命令回答。{hint}",
    ),
    "retrying": ("{why} Trying again in {seconds} s.", "{why} {seconds} 秒后重试。"),
    "empty": ("The model gave no answer.", "模型没有给出回答。"),
    "empty_hint": ("Send the request again, or choose another model.", "请重新发送，或选择其他模型。"),
    "filtered": ("The model's provider withheld the answer.", "模型提供方拒绝给出回答。"),
    "not_understood": ("The offline commands do not understand this request.", "离线命令无法理解这个请求。"),
    "not_understood_hint": (
        "Say it in other words, or choose a model in the settings.",
        "请换一种说法，或在设置中选择模型。",
    ),
    "nothing_changed": ("(No step of this run changed anything.)", "（本次运行没有任何步骤作出更改。）"),
    "nothing_changed_hint": (
        "Do not rely on what the answer says was done; send the request again, or choose another model.",
        "请勿相信回答中所说的已完成操作；请重新发送请求，或更换模型。",
    ),
    "which_one": ("Which one is meant?", "指的是哪一个？"),
    "tool_again": ("Trying again ({number})", "正在重试（{number}）"),
    "tool_failed": ("A tool did not succeed.", "有一个工具没有成功。"),
    "internal": ("The agent met a fault of its own.", "智能体内部出错。"),
    "internal_hint": ("The log has the details; send the request again.", "详情见日志；请重新发送请求。"),
    "stopped": ("Stopped.", "已停止。"),
    "stopped_hint": ("The conversation is kept; send the next request.", "对话已保留，可以继续发送请求。"),
    "damaged_session": (
        "The record of this conversation is damaged; it was kept beside the original.",
        "此对话的记录已损坏；已保留副本。",
    ),
    "damaged_session_hint": ("Begin a new conversation.", "请开始新的对话。"),
    "session_in_use": (
        "This conversation is open in another QGIS.",
        "此对话已在另一个 QGIS 中打开。",
    ),
    "session_in_use_hint": ("Close it there, or begin a new conversation.", "请在那里关闭，或新建对话。"),
    "newer_session": (
        "This conversation was written by a newer version of QGIS Agent.",
        "此对话由更新版本的 QGIS Agent 写入。",
    ),
    "newer_session_hint": (
        "Update the plugin to go on with it, or begin a new conversation. Its file was left as it is.",
        "请更新插件后继续，或新建对话。其文件未被改动。",
    ),
    "hook_prompt": (
        "This request was not begun: the rule {name} of this installation does not allow it.",
        "未开始此请求：本安装的规则“{name}”不允许。",
    ),
    "write_off": ("Writing files and changing data is switched off.", "写文件和修改数据尚未开启。"),
    "write_on_chat": (
        "Only a person can switch it on: with the box “Allow file export” in the panel.",
        "请在面板中勾选“允许导出文件”来开启。",
    ),
    "write_on_cli": (
        "Only a person can switch it on: with the option --allow-write on the command line.",
        "请在命令行中使用 --allow-write 选项来开启。",
    ),
    "write_on": ("Only a person can switch it on.", "需要由用户来开启。"),
    "profile": ("There is no profile '{name}'.", "没有名为“{name}”的配置。"),
    "overflow_hint": (
        "Begin a new conversation, or choose a model with a longer context.",
        "请开始新的对话，或选择上下文更长的模型。",
    ),
}

_REASONS: dict[str, tuple[str, str]] = {
    "model_calls": ("model calls", "模型调用次数"),
    "tool_calls": ("tool calls", "工具调用次数"),
    "code_calls": ("code calls", "代码调用次数"),
    "plain_calls": ("tool calls", "工具调用次数"),
    "cost": ("cost", "费用"),
    "tokens": ("tokens", "令牌数"),
    "model_time": ("time of the model", "模型用时"),
    "tool_time": ("time of the tools", "工具用时"),
    "loop": ("the same step came out the same way again and again", "同一步骤反复得到相同结果"),
    "denials": ("several steps were not allowed", "多个步骤未获允许"),
    "repeated_failure": ("the same error came again and again", "同样的错误反复出现"),
    "alternation": ("two steps came in turn without end", "两个步骤无休止地交替"),
    "truncated_calls": ("the model's calls were cut off by its length limit", "模型的调用因长度限制被截断"),
    "empty_answer": ("the model gave empty answers", "模型给出空的回答"),
    "unreadable_calls": ("the model's calls could not be read", "无法读取模型写出的调用"),
    "deviation": ("the model did not keep to the request after several corrections", "多次纠正后模型仍偏离请求"),
    "monologue": ("the model only announced what it would do", "模型只说要做什么而没有行动"),
    "map_churn": ("layers were added and removed again and again", "图层被反复添加和移除"),
    "worker_running_verified": ("the background work is running", "后台任务已在运行"),
    "analysis_answer_ready": ("the results suffice for an answer", "结果已足够回答"),
    "length": ("length of the answer", "回答长度"),
}


def has_cjk(text: str) -> bool:
    """Whether a text holds Chinese characters."""
    return _CJK.search(text) is not None


LANGUAGES = ("en", "zh")


def language_of(text: str, locale: str = "en", chosen: str = "") -> str:
    """The language to answer a request in: "zh" or "en", ``chosen`` where the person chose one of them.

    Else words decide; a text without letters follows the locale.

    Names do not: "how many people live in 街道C?" is English, "导出 schools 到 schools.geojson" is Chinese.
    """
    if chosen in LANGUAGES:
        return chosen
    if has_cjk(text):
        english = _ENGLISH_WORDS.search(text) is not None and _CHINESE_WORDS.search(text) is None
        return "en" if english else "zh"
    if any(each.isalpha() for each in text):
        return "en"
    return "zh" if locale.lower().startswith("zh") else "en"


def say(key: str, language: str, **values: object) -> str:
    """The sentence ``key`` in a language, with its values. KeyError for an unknown key."""
    return _TEXTS[key][language == "zh"].format(**values)


def translated(sentence: str, language: str) -> str:
    """One of these English sentences, which has no values, in a language; another sentence as it is."""
    if language != "zh":
        return sentence
    return next((chinese for english, chinese in _TEXTS.values() if english == sentence), sentence)


def reason_text(reason: str, language: str) -> str:
    """The words for why a run was ended; an unknown reason is said as it is."""
    return _REASONS.get(reason, (reason, reason))[language == "zh"]
