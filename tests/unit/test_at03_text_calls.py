"""AT3: tool calls written as text are recovered, narrowly, and how the stream is cut changes nothing."""

from __future__ import annotations

import json
import random
import time
from dataclasses import astuple
from typing import Any, NamedTuple

import pytest

from qgis_agent.agent.llm.text_calls import Recovered, TextCallScanner
from qgis_agent.agent.llm.text_forms import call_of_json
from qgis_agent.agent.llm.text_literal import literal_wanted

OFFERED = ("zoom_to_layer", "list_layers", "buffer_layer", "set_layer_filter", "remove_layer")
Wanted = list[tuple[str, Any]]
ZOOM: Wanted = [("zoom_to_layer", {"layer_id": "streets"})]
JSON_ZOOM = '{"name": "zoom_to_layer", "arguments": {"layer_id": "streets"}}'
HERMES = f"<tool_call>{JSON_ZOOM}</tool_call>"
QWEN = "<function=zoom_to_layer>\n<parameter=layer_id>\nstreets\n</parameter>\n</function>"
INVOKE = '<invoke name="zoom_to_layer"><parameter name="layer_id">streets</parameter></invoke>'


def dsml(text: str, bar: str = "｜") -> str:
    """Plain markup with a DSML marker in each tag."""
    for word in ("invoke", "parameter", "tool_calls", "function_calls"):
        text = text.replace(f"<{word}", f"<{bar}DSML{bar}{word}").replace(f"</{word}", f"</{bar}DSML{bar}{word}")
    return text


class Case(NamedTuple):
    text: str
    calls: Wanted
    shown: str = ""
    """What a person reads, with the space at its ends stripped."""
    bare_json: bool = False
    reasoning: str = ""


TYPED = (
    '<tool_calls>\n<invoke name="buffer_layer">\n<parameter name="layer_id" string="true">schools</parameter>\n'
    '<parameter name="distance" string="false">500.50</parameter>\n'
    '<parameter name="options" string="false">{"dissolve": true, "segments": [8]}</parameter>\n</invoke>\n</tool_calls>'
)
TYPED_CALL: Wanted = [
    ("buffer_layer", {"layer_id": "schools", "distance": 500.5, "options": {"dissolve": True, "segments": [8]}})
]
POSITIVE = {
    "hermes": Case(HERMES, ZOOM),
    "hermes on lines": Case(f"<tool_call>\n{JSON_ZOOM}\n</tool_call>\n", ZOOM),
    "hermes after words": Case(f"I'll zoom there. {HERMES}", ZOOM, "I'll zoom there."),
    "hermes after Chinese": Case(f"好的，我来缩放。\n{HERMES}\n", ZOOM, "好的，我来缩放。"),
    "hermes before words": Case(f"{HERMES}\nThat is the layer.", ZOOM, "That is the layer."),
    "hermes parameters": Case(f"<tool_call>{JSON_ZOOM.replace('arguments', 'parameters')}</tool_call>", ZOOM),
    "hermes no arguments": Case('<tool_call>{"name": "list_layers"}</tool_call>', [("list_layers", {})]),
    "hermes null arguments": Case(
        '<tool_call>{"arguments": null, "name": "list_layers"}</tool_call>', [("list_layers", {})]
    ),
    "hermes arguments in a string": Case(
        '<tool_call>{"name": "zoom_to_layer", "arguments": "{\\"layer_id\\": \\"streets\\"}"}</tool_call>', ZOOM
    ),
    "hermes twice": Case(
        f'{HERMES}\n<tool_call>{{"name": "list_layers", "arguments": {{}}}}</tool_call>', [*ZOOM, ("list_layers", {})]
    ),
    "hermes twice on a line": Case(f"Now: {HERMES}{HERMES}", ZOOM * 2, "Now:"),
    "hermes with its own end in a string": Case(
        '<tool_call>{"name": "set_layer_filter", "arguments": {"value": "a </tool_call> \\"b\\" <c>"}}</tool_call>',
        [("set_layer_filter", {"value": 'a </tool_call> "b" <c>'})],
    ),
    "hermes Chinese arguments": Case(
        '<tool_call>{"name": "zoom_to_layer", "arguments": {"layer_id": "街道"}}</tool_call>',
        [("zoom_to_layer", {"layer_id": "街道"})],
    ),
    "hermes after thoughts": Case(
        f"<think>\nThe person wants the streets.\n</think>\n\n{HERMES}",
        ZOOM,
        reasoning="The person wants the streets.",
    ),
    "hermes after thoughts opened in the prompt": Case(
        f"Perhaps the streets.\n</think>\n\n{HERMES}", ZOOM, reasoning="Perhaps the streets."
    ),
    "hermes after a code sample": Case(
        f"Like `a < b`:\n```\nx <tool_call>\n```\n{HERMES}", ZOOM, "Like `a < b`:\n```\nx <tool_call>\n```"
    ),
    "hermes after a lone backtick": Case(f"The layer `streets:\n{HERMES}", ZOOM, "The layer `streets:"),
    "qwen in its envelope": Case(f"<tool_call>\n{QWEN}\n</tool_call>", ZOOM),
    "qwen without envelope": Case(QWEN, ZOOM),
    "qwen with an end too many": Case(f"{QWEN}</parameter>\n", ZOOM),
    "qwen with the end of an envelope only": Case(f"Zooming now.\n\n{QWEN}\n</tool_call>", ZOOM, "Zooming now."),
    "qwen on one line": Case(QWEN.replace("\n", ""), ZOOM),
    "qwen no parameters": Case("<function=list_layers>\n</function>", [("list_layers", {})]),
    "qwen strings stay strings": Case(
        "<tool_call><function=buffer_layer><parameter=layer_id>schools</parameter>\n<parameter=distance>\n500\n</parameter>"
        "</function></tool_call>",
        [("buffer_layer", {"layer_id": "schools", "distance": "500"})],
    ),
    "qwen lines within a value": Case(
        "<function=set_layer_filter><parameter=value>\n<b>1 < 2</b>\n\n  two\n</parameter></function>",
        [("set_layer_filter", {"value": "<b>1 < 2</b>\n\n  two"})],
    ),
    "qwen with its own end in a value": Case(
        "<function=buffer_layer><parameter=layer_id>a</function></parameter><parameter=distance>5</parameter></function>",
        [("buffer_layer", {"layer_id": "a</function>", "distance": "5"})],
    ),
    "qwen twice in one envelope": Case(f"<tool_call>{QWEN}\n{QWEN}</tool_call>", ZOOM * 2),
    "bare invoke": Case(INVOKE, ZOOM),
    "bare invoke after words": Case(f"Zooming.\n{INVOKE}\n", ZOOM, "Zooming."),
    "invoke in function_calls": Case(f"<function_calls>\n{INVOKE}\n</function_calls>", ZOOM),
    "invoke with JSON": Case('<invoke name="zoom_to_layer">{"layer_id": "streets"}</invoke>', ZOOM),
    "dsml ascii": Case(dsml(TYPED, "|"), TYPED_CALL),
    "dsml full width": Case(dsml(TYPED), TYPED_CALL),
    "dsml doubled": Case(dsml(TYPED, "｜｜"), TYPED_CALL),
    "dsml double bar": Case(dsml(TYPED, "‖"), TYPED_CALL),
    "dsml function_calls": Case(dsml(TYPED.replace("tool_calls", "function_calls")), TYPED_CALL),
    "dsml spaced": Case(dsml(TYPED).replace("DSML｜", "DSML｜ ").replace("tool_calls", "calls"), TYPED_CALL),
    "dsml mixed bars": Case(dsml(TYPED).replace("</｜DSML｜", "</|DSML|"), TYPED_CALL),
    "dsml bare invoke": Case(f"我来缩放。\n\n{dsml(INVOKE)}", ZOOM, "我来缩放。"),
    "dsml in a plain envelope": Case(f"<function_calls>{dsml(INVOKE)}</function_calls>", ZOOM),
    "dsml two invokes": Case(
        dsml(f'<tool_calls>{INVOKE}\n<invoke name="list_layers">\n</invoke>\n</tool_calls>'),
        [*ZOOM, ("list_layers", {})],
    ),
    "dsml false but no JSON": Case(
        dsml('<invoke name="buffer_layer"><parameter name="distance" string="false">5 km</parameter></invoke>'),
        [("buffer_layer", {"distance": "5 km"})],
    ),
    "dsml string with line ends and tags": Case(
        dsml(
            '<invoke name="set_layer_filter"><parameter name="value" string="true">\n@</x>\n</parameter></invoke>'
        ).replace("@", "</parameter>"),
        [("set_layer_filter", {"value": "\n</parameter></x>\n"})],
    ),
    "bare object": Case(JSON_ZOOM, ZOOM, bare_json=True),
    "fenced object": Case(f"```json\n{JSON_ZOOM}\n```\n", ZOOM, bare_json=True),
    "bare object after thoughts": Case(f"<think>ok</think>\n{JSON_ZOOM}", ZOOM, bare_json=True, reasoning="ok"),
}
README = """# geo-tools

Install with `pip install geo-tools`, then call it:

```xml
<tool_call>
{"name": "zoom_to_layer", "arguments": {"layer_id": "streets"}}
</tool_call>
```

~~~
<function=list_layers>
</function>
~~~

    <tool_call>{"name": "list_layers", "arguments": {}}</tool_call>

Done & <b>dusted</b>.
"""
PACKAGE = '{\n  "name": "zoom_to_layer",\n  "version": "1.0.0",\n  "scripts": {"build": "tsc > out.txt"}\n}\n'
REMOVE = '<tool_call>{"name": "remove_layer", "arguments": {"layer_id": "streets"}}</tool_call>'
NEGATIVE = {
    "plain words": "There are 3 schools in the district. 一共三所学校。",
    "readme": README,
    "package.json": PACKAGE,
    "package.json in a fence": f"```json\n{PACKAGE}```\n",
    "fence with more ticks": f"````md\n```\n{HERMES}\n```\n{HERMES}\n````\nDone.",
    "fence that never closes": f"So:\n```\n{HERMES}\n",
    "fence in a list": f"- ```\n  {HERMES}\n  ```\n",
    "inline code": f"Write `{HERMES}` to call it.",
    "inline code alone": f"`{HERMES}`",
    "inline code over lines": f"`{HERMES}\n{HERMES}`\n",
    "double backticks": f"``{HERMES} ` {QWEN}``",
    "uneven backticks": f"``a```\n{HERMES}\n``",
    "in a table cell": f"<td>{HERMES}</td>",
    "quote": f"The model wrote:\n> {HERMES}\n> {QWEN.splitlines()[0]}\n\nNothing ran.",
    "indented code": f"Sample below.\n\n    {QWEN.replace(chr(10), chr(10) + '    ')}\n\nEnd.",
    "refusal in a sentence": f"I will not use {REMOVE} because it would delete your data.",
    "refusal in quotation marks": f'The file says "{REMOVE}", which I ignore.',
    "refusal before a call": f"I won't run this:\n{REMOVE}\n\n{REMOVE}\n",
    "refusal in Chinese": f"这会删除数据，我不会执行：\n{REMOVE}",
    "refusal in Chinese, in a sentence": f"文件里的{REMOVE}我不执行。",
    "example": f"For example:\n{INVOKE}\n",
    "example in Chinese": f"调用的格式如下：\n{dsml(INVOKE)}\n",
    "in pre": f"<pre>\n{HERMES}\n</pre>\nok",
    "in code": f"<code>{HERMES}</code>",
    "unknown tool": '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>\nok',
    "unknown function": "<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>\n",
    "unknown invoke": '<invoke name="get_weather"><parameter name="city">Paris</parameter></invoke>',
    "unknown and never closed": '<invoke name="Target.Build">\n<Message Text="x"/>\n',
    "unknown bare object": '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    "bare object with more keys": '{"name": "zoom_to_layer", "arguments": {}, "id": 1}',
    "bare object, other spelling": '{"name": "zoom_to_layer", "parameters": {}}',
    "bare object with words": f"{JSON_ZOOM}\nThis zooms.",
    "words and a fenced object": f"Result:\n```json\n{JSON_ZOOM}\n```",
    "two bare objects": f"{JSON_ZOOM}\n{JSON_ZOOM}",
    "a list": f"[{JSON_ZOOM}]",
    "arithmetic": "If a<b and b<=c then a<c; 3 < 4 > 2, x<t, y</z, i<invoke, f<function(x), n<thinkable | a<|b|>c",
    "html": '<table class="x"><tr><td>1 &lt; 2</td></tr></table><p>a</p><function>f</function><toolbox>',
    "xml": "<?xml version='1.0'?>\n<root><parameter name=\"a\">1</parameter>\n</invoke>\n</function>\n</root>",
    "the tag by name": "Hermes wraps calls in <tool_call> and </tool_call> tags; <tool_call> is one token.",
    "the tag by name, at the start": "<tool_call> is what Qwen writes, 用<tool_call>标签。",
    "thoughts by name": "The tag <think> is written by some models.",
    "end of thoughts by name": "It ends with </think> in most models.",
    "ends in the middle of a tag": "so it ends <tool_cal",
    "ends in a bar": "and this <｜DS",
    "stray backticks": "a ` b\n\nc `` d ~~~ e ~ f",
    "only space": " \n\n ",
    "other tokens": "<|im_end|> <｜end▁of▁sentence｜> <s> </s>",
}
UNREADABLE = {
    "never closed": (f"I'll zoom.\n{HERMES.removesuffix('</tool_call>')}", "I'll zoom."),
    "cut in the JSON": ('Ok.\n<tool_call>{"name": "buffer_layer", "arguments": {"distance": 10', "Ok."),
    "cut in the tag": ("Ok.\n<tool_call>", "Ok."),
    "function never closed": (QWEN.removesuffix("</function>"), ""),
    "parameter never closed": ("<function=zoom_to_layer><parameter=layer_id>streets</function>", ""),
    "parameter closed by the next": (
        "<function=buffer_layer><parameter=layer_id>a<parameter=distance>5</parameter></function> ",
        "",
    ),
    "parameter twice": (
        f"{QWEN.removesuffix('</function>')}<parameter=layer_id>schools</parameter></function>\nDone.",
        "Done.",
    ),
    "envelope never closed": (f"Ok.\n<function_calls>{INVOKE}", "Ok."),
    "dsml never closed": (dsml(TYPED).removesuffix("</｜DSML｜tool_calls>"), ""),
    "dsml malformed sibling": (
        dsml(TYPED).replace("</｜DSML｜tool_calls>", "<｜DSML｜invoke>x</｜DSML｜tool_calls>"),
        "",
    ),
    "dsml parameter alone": (dsml('Ok.\n<parameter name="layer_id">streets</parameter>'), "Ok."),
    "dsml of another kind": ("Ok.\n<｜DSML｜plan>x</｜DSML｜plan>\nDone.", "Ok.\n\nDone."),
    "dsml one known, one not": (
        dsml(f'<tool_calls>{INVOKE}<invoke name="get_weather"></invoke></tool_calls>'),
        "",
    ),
    "older DeepSeek": (
        "Ok.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>zoom_to_layer\n```json\n{}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "Ok.",
    ),
    "not JSON": ("<tool_call>{'name': 'zoom_to_layer'}</tool_call>", ""),
    "two objects": (f"<tool_call>{JSON_ZOOM}\n{JSON_ZOOM}</tool_call>", ""),
    "a key twice": ('<tool_call>{"name": "list_layers", "name": "remove_layer"}</tool_call>', ""),
    "both spellings": ('<tool_call>{"name": "list_layers", "arguments": {}, "parameters": {}}</tool_call>', ""),
    "another key": ('<tool_call>{"name": "list_layers", "approve": true}</tool_call>', ""),
    "no name": ('<tool_call>{"arguments": {}}</tool_call>', ""),
    "no object": ("<tool_call>list_layers\n<arg_key>a</arg_key></tool_call>", ""),
    "an empty envelope": ("Ok.\n<tool_call>\n</tool_call>", "Ok."),
    "words in an envelope": (f"<function_calls>{INVOKE} and so on</function_calls>", ""),
    "its beginning lost": ('{"name": "list_layers"}\n</tool_call>', '{"name": "list_layers"}'),
    "a lost end": ("Done.\n</｜DSML｜invoke>", "Done."),
    "function with broken JSON": ('<function=zoom_to_layer>{"layer_id": streets}</function>', ""),
}


def scan(pieces: list[str], **options: bool) -> tuple[list[str], Recovered]:
    """The pieces as shown, and the outcome."""
    scanner = TextCallScanner(OFFERED, **options)
    return [scanner.feed(each) for each in pieces], scanner.finish()


def cuts(text: str) -> list[list[str]]:
    """The text in pieces of 1, 2, 3 … 40 characters, in two pieces at every place, and at random."""
    sizes = [[text[at : at + size] for at in range(0, len(text), size)] for size in range(1, min(41, len(text) + 1))]
    halves = [[text[:at], text[at:]] for at in range(1, len(text))]
    dice = random.Random(len(text))
    places = [sorted(dice.sample(range(len(text) + 1), min(5, len(text)))) for _ in range(8)]
    mixed = [[text[a:b] for a, b in zip([0, *each], [*each, len(text)])] for each in places]
    return sizes + halves + mixed


def plain(outcome: Recovered) -> Wanted:
    """Names with arguments as objects."""
    return [(call.name, json.loads(call.arguments_json)) for call in outcome.calls]


def test_at03_there_are_enough_variants() -> None:
    assert len(POSITIVE) >= 20
    assert len(NEGATIVE) >= 20


@pytest.mark.parametrize("name", POSITIVE)
def test_at03_positive_in_every_split(name: str) -> None:
    case = POSITIVE[name]
    code = "```" in case.shown  # what stands in a fence may look like markup
    for pieces in cuts(case.text):
        shown, outcome = scan(pieces, bare_json=case.bare_json)
        assert plain(outcome) == case.calls, pieces
        assert outcome.text == case.shown
        assert not outcome.unreadable
        seen = "".join(shown) + outcome.rest
        if "</think>" not in case.text or case.text.startswith("<think>"):
            assert seen.strip() == case.shown, pieces
            assert code or not set("<>|｜‖{}=") & set(seen), pieces
        assert "DSML" not in seen
        assert outcome.reasoning == case.reasoning


@pytest.mark.parametrize("bare_json", [False, True])
@pytest.mark.parametrize("name", NEGATIVE)
def test_at03_negative_in_every_split(name: str, bare_json: bool) -> None:
    text = NEGATIVE[name]
    for pieces in cuts(text):
        shown, outcome = scan(pieces, bare_json=bare_json)
        assert outcome.calls == (), pieces
        assert not outcome.unreadable, pieces
        assert outcome.text == text, pieces
        assert "".join(shown) + outcome.rest == text


@pytest.mark.parametrize("name", UNREADABLE)
def test_at03_unreadable_in_every_split(name: str) -> None:
    text, left = UNREADABLE[name]
    for pieces in cuts(text):
        shown, outcome = scan(pieces)
        assert outcome.unreadable, pieces
        assert "remove_layer" not in [call.name for call in outcome.calls]
        assert len(outcome.calls) <= (1 if name == "dsml one known, one not" else 0)
        assert outcome.text == left
        assert ("".join(shown) + outcome.rest).strip() == left


@pytest.mark.parametrize(
    "text",
    [
        each
        for each in [*(case.text for case in POSITIVE.values()), *NEGATIVE.values()]
        if not each.startswith("<think")
    ],
)
def test_at03_a_person_asked_to_see_it(text: str) -> None:
    for pieces in cuts(text)[:: max(1, len(text) // 8)]:
        shown, outcome = scan(pieces, bare_json=True, literal_wanted=True)
        assert outcome.calls == ()
        assert not outcome.unreadable
        assert "".join(shown) + outcome.rest == outcome.text == text


def test_at03_thoughts_go_even_where_literal_text_is_wanted() -> None:
    text = f"<think>hm</think>\n{HERMES} and <think>"
    for pieces in cuts(text):
        shown, outcome = scan(pieces, literal_wanted=True)
        assert "".join(shown) + outcome.rest == outcome.text == f"{HERMES} and <think>"
        assert (outcome.reasoning, outcome.calls) == ("hm", ())


@pytest.mark.parametrize(
    ("text", "shown", "reasoning"),
    [
        (f"<think>{HERMES}</think>Done.", "Done.", HERMES),
        (f"<thinking>\n{QWEN}\n</thinking>\n\nDone.", "Done.", QWEN),
        (f"So. <think>{HERMES}</think> Done.", "So.  Done.", HERMES),
        (f"One.\n<think>a</think>\nTwo.\n<think>{dsml(INVOKE)}</think>\n3", "One.\n\nTwo.\n\n3", f"a\n{dsml(INVOKE)}"),
        (f"<think>It never ends. {HERMES}", "", f"It never ends. {HERMES}"),
    ],
)
def test_at03_nothing_in_thoughts_is_run_or_shown(text: str, shown: str, reasoning: str) -> None:
    for pieces in cuts(text):
        seen, outcome = scan(pieces)
        assert outcome.calls == ()
        assert outcome.text == "".join(seen) + outcome.rest == shown
        assert outcome.reasoning == reasoning


def test_at03_calls_before_the_end_of_thoughts_that_the_prompt_opened_are_not_run() -> None:
    text = f"Perhaps:\n{REMOVE}\nno, better not.\n</think>\n\nThe layer stays."
    for pieces in cuts(text):
        _, outcome = scan(pieces)
        assert outcome.calls == ()
        assert outcome.text == "The layer stays."
        assert outcome.reasoning.startswith("Perhaps:")


def test_at03_thoughts_named_in_a_sentence_and_never_closed_are_text() -> None:
    text = f"The tag <think> opens thoughts.\n{HERMES}"
    for pieces in cuts(text):
        seen, outcome = scan(pieces)
        assert outcome.calls == ()
        assert "".join(seen) + outcome.rest == outcome.text == text


@pytest.mark.parametrize("name", ["bare object", "fenced object"])
def test_at03_bare_objects_are_text_unless_switched_on(name: str) -> None:
    text = POSITIVE[name].text
    for pieces in cuts(text):
        shown, outcome = scan(pieces)
        assert outcome.calls == ()
        assert "".join(shown) + outcome.rest == outcome.text == text


def test_at03_unknown_tools_are_named() -> None:
    text = f"{NEGATIVE['unknown tool']}\n{HERMES}"
    _, outcome = scan([text])
    assert outcome.unknown == ("get_weather",)
    assert plain(outcome) == ZOOM
    assert not outcome.unreadable


def test_at03_text_flows_while_it_comes() -> None:
    scanner = TextCallScanner(OFFERED)
    assert scanner.feed("There are ") == "There are "
    assert scanner.feed("3 < 4 schools <t") == "3 < 4 schools "
    assert scanner.feed("ool") == ""
    assert scanner.feed("s>") == "<tools>"
    assert scanner.feed("\n```py\nx") == "\n```py\nx"
    assert scanner.feed(HERMES) == HERMES


def test_at03_no_arguments_that_are_no_object_are_made_up() -> None:
    _, outcome = scan(['<tool_call>{"name": "list_layers", "arguments": [1, NaN]}</tool_call>'])
    assert outcome.calls[0].arguments_json == "[1, NaN]"  # the argument ladder refuses it, with a reason


def test_at03_the_text_of_arguments_is_kept() -> None:
    text = '{"name": "zoom_to_layer", "arguments": {"b":1.50,  "a": "x\ny", "a": 12345678901234567890123}}'
    call = call_of_json(text)
    assert call is not None
    assert call.arguments_json == '{"b":1.50,  "a": "x\ny", "a": 12345678901234567890123}'


@pytest.mark.parametrize("text", ["", "3", '"x"', "{", '{"name": 1, "arguments": {}}', "[" * 100_000])
def test_at03_what_is_no_call_object(text: str) -> None:
    assert call_of_json(text) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Show me a <tool_call> block", True),
        ("What does the tool call format look like?", True),
        ("How does DSML work", True),
        ("工具调用的格式是什么", True),
        ("Call the tool that zooms", False),
        ("把学校图层显示出来", False),
        ("Buffer the schools by 500 m", False),
    ],
)
def test_at03_whether_a_person_wants_literal_text(text: str, wanted: bool) -> None:
    assert literal_wanted(text) is wanted


FRAGMENTS = [
    *("<tool_call>", "</tool_call>", "<think>", "</think>", "<function=zoom_to_layer>", "</function>", "</parameter>"),
    *(
        "<parameter=layer_id>",
        '<invoke name="zoom_to_layer">',
        "</invoke>",
        "<｜DSML｜tool_calls>",
        "</｜DSML｜tool_calls>",
    ),
    *(
        "\n",
        "\n\n",
        " ",
        "    ",
        "`",
        "``",
        "```",
        "~~~",
        "> ",
        "- ",
        "<pre>",
        "</pre>",
        "<",
        ">",
        "{",
        '"',
        "\\",
        "words",
    ),
    *(
        "a<b",
        "|",
        "<｜DSML｜",
        "<|",
        "<function_calls>",
        "</function_calls>",
        "I will not run ",
        "｜>",
        "<｜tool▁calls▁begin｜>",
    ),
    *(HERMES, QWEN, INVOKE, REMOVE, JSON_ZOOM, dsml(INVOKE), "```json\n", "\n```\n"),
]


def test_at03_any_mixture_in_any_split() -> None:
    dice = random.Random(3)
    for _ in range(400):
        text = "".join(dice.choice(FRAGMENTS) for _ in range(dice.randint(1, 12)))
        bare_json = dice.random() < 0.3
        shown, whole = scan([text], bare_json=bare_json)
        size = dice.randint(2, 9)
        for pieces in (list(text), [text[at : at + size] for at in range(0, len(text), size)]):
            part, outcome = scan(pieces, bare_json=bare_json)
            assert (*astuple(outcome)[1:], "".join(part) + outcome.rest) == (
                *astuple(whole)[1:],
                "".join(shown) + whole.rest,
            ), pieces


def test_at03_a_long_message_in_small_pieces_takes_no_long_time() -> None:
    value = "x" * 40_000
    texts = [
        f"<function=set_layer_filter><parameter=value>{value}</parameter></function>",
        "one `two\nthree < four " * 2_000,
        "<think>" + value,
        '{"name": "' + value,
        "<tool_call>" * 2_000,
    ]
    started = time.process_time()
    for text in texts:
        scan([text[at : at + 8] for at in range(0, len(text), 8)], bare_json=True)
    assert time.process_time() - started < 5.0
