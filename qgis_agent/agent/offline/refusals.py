"""Wishes that short commands never carry out, told apart so that the person hears why instead of "not understood"."""

from __future__ import annotations

import re

from .answers import say
from .text import Language

_KINDS: tuple[tuple[str, str, str, str], ...] = (
    (
        "delete",
        r"^(?:please )?(?:delete|remove|drop|erase|wipe|destroy|truncate)\b|\brm -|^(?:把|将)?.{0,40}(?:删除|删掉|删了|移除|清空|抹掉|销毁)",
        "Short commands never delete or remove anything. Nothing was changed. Do that in QGIS yourself.",
        "简短的命令不会删除任何内容，也没有做任何更改。请在 QGIS 中自行操作。",
    ),
    (
        "edit",
        r"^(?:set|change|edit|update) the .{1,60} of .{1,60} to |(?:修改|编辑|更新)|^(?:把|将).{1,60}的.{1,40}(?:改成|改为|设为)",
        "Short commands do not change attribute values. Nothing was changed.",
        "简短的命令不能修改属性值，没有做任何更改。",
    ),
    (
        "code",
        r"\b(?:python|javascript|sql|script|code|import|exec|eval|shell|select \*)\b|os\.system|代码|脚本|编程|执行",
        "Short commands neither write nor run code. Nothing was changed.",
        "简短的命令不编写也不运行代码，没有做任何更改。",
    ),
    (
        "route",
        r"\b(?:route|directions|drive|navigate me)\b|怎么走|路线|导航",
        "I cannot find routes.",
        "我不能规划路线。",
    ),
    (
        "send",
        r"\b(?:e-?mail|send|upload|post)\b|发送|发邮件|上传|发给",
        "Short commands never send anything anywhere.",
        "简短的命令不会向任何地方发送内容。",
    ),
)
_PATTERNS = tuple((kind, re.compile(words, re.IGNORECASE), en, zh) for kind, words, en, zh in _KINDS)


def refusal(language: Language, clause: str) -> str:
    """Why a clause that no rule fits is not carried out; "" where there is no more to say than that."""
    for _, pattern, english, chinese in _PATTERNS:
        if pattern.search(clause[:200]):
            return say(language, english, chinese)
    return ""
