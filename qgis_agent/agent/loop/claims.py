"""Words of an answer that say a change was made. Numbers are traced to their source; deeds have to be, too (T27).

Only plain claims are found: "I have exported …", "… has been deleted", "… are now hidden", 已导出…, 已将…隐藏. A sentence that denies
is no claim. What follows from a claim without a deed is AgentLoop's to decide.
"""

from __future__ import annotations

import re

_DONE_EN = (
    "deleted|removed|exported|saved|written|created|added|loaded|hidden|shown|displayed|coloured|colored|styled|classified"
    "|labelled|labeled|zoomed|moved|renamed|buffered|clipped|merged|dissolved|reprojected|switched (?:on|off)|turned (?:on|off)"
    "|filtered|selected|highlighted|restored|reverted"
)
_CLAIM_EN = re.compile(
    rf"\b(?:i(?:'ve|’ve| have)(?: now| also| just| successfully)*|(?:has|have)(?: now| also| just)? been(?: successfully)?"
    rf"|(?:is|are) now)\s+(?:{_DONE_EN})\b",
    re.IGNORECASE,
)
_CLAIM_ZH = re.compile(
    r"已(?:经|为[你您]|按[^。；，,]{0,12})?(?:将|把)?[^。；;，,\n]{0,20}?"
    r"(?:删除|移除|导出|保存|写入|创建|新建|生成|添加|加载|隐藏|显示|关闭|打开|设色|着色|分级|分色|渲染|标注|缩放|定位|重命名|缓冲|筛选|过滤|选中|高亮|上图|叠加)"
)
_DENIES = re.compile(r"\b(?:not|no|never|nothing|cannot|unable|failed)\b|n['’]t\b|没|未|无法|不能|失败", re.IGNORECASE)
_SENTENCES = re.compile(r"[^.!?。！？\n]+(?:\.(?=\S)[^.!?。！？\n]+)*")


def claims_a_change(answer: str) -> bool:
    """Whether an answer says that something was changed, in English or Chinese."""
    for sentence in _SENTENCES.findall(answer[:4000]):
        if _DENIES.search(sentence):
            continue
        if _CLAIM_EN.search(sentence) or _CLAIM_ZH.search(sentence):
            return True
    return False
