"""The language of a request, and that every reason can be said in both languages."""

from __future__ import annotations

import pytest

from qgis_agent.agent.texts import language_of, reason_text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how many schools", "en"),
        ("有多少学校", "zh"),
        ("how many people live in 街道C?", "en"),
        ("zoom to 街道A", "en"),
        ("show the schools in 白沙区 that have more than 500 pupils", "en"),
        ("导出 schools 到 schools.geojson", "zh"),
        ("把 schools 和 hospitals 显示出来", "zh"),
        ("按pop分位数分5级", "zh"),
        ("街道A", "zh"),
        ("schools密度", "zh"),
        ("buffer 学校 by 500 m", "en"),
        ("describe 学校", "en"),
    ],
)
def test_words_decide_and_names_do_not(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_text_without_letters_follows_the_locale() -> None:
    assert language_of("???", "zh_CN") == "zh"
    assert language_of("123", "en_GB") == "en"


@pytest.mark.parametrize(
    "reason",
    ["model_calls", "tool_calls", "code_calls", "plain_calls", "cost", "tokens", "model_time", "tool_time", "repeated_failure",
     "alternation", "monologue", "deviation", "map_churn", "unreadable_calls", "truncated_calls", "length"],
)  # fmt: skip
def test_every_reason_has_words(reason: str) -> None:
    assert reason_text(reason, "en") != reason or reason in ("tokens", "cost", "length of the answer")
    assert reason_text(reason, "zh").isascii() is False
