"""The sentences that work without a model: a table of patterns, tried in order, each with an example.

A pattern must match a whole clause. In patterns ``{layer}``, ``{place}``, ``{field}`` … stand for the named groups below.
What the words mean (which layer, which field) is not decided here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .conditions import split_phrase, split_where
from .modifiers import Modifiers, take_modifiers
from .text import LANGUAGES, NUMBER, Language, clean
from .words import COLOURS, METRES

_UNITS = "|".join(sorted(METRES, key=len, reverse=True))
_COLOUR_NAMES = "|".join(sorted((re.escape(each) for each in COLOURS), key=len, reverse=True))
_COLOUR_ZH = "(?:分级设色|分级显示|分级|分色|设色|着色|上色|渲染|填色|配色|显示颜色)(?:显示|设色|渲染|着色|一下)?"
_CATEGORY_ZH = "(?:分类)(?:显示|渲染|设色|着色|分色|上色)?"
_GROUPS = {
    "{layer}": r"(?P<layer>[^;。]+?)",
    "{layers}": r"(?P<layers>[^;。]+?)",
    "{what}": r"(?P<layer>[^;。,]+?)",
    "{by}": r"(?P<by>[^;。,]+?)",
    "{place}": r"(?P<place>[^;。]+?)",
    "{field}": r"(?P<field>[^;。,]+?)",
    "{order}": r"(?P<order>[^;。,]+?)",
    "{path}": r"(?P<path>\S.*?)",
    "{n}": rf"(?P<n>{NUMBER})",
    "{distance}": rf"(?P<n>{NUMBER})\s*(?P<unit>{_UNITS})?",
    "{colour}": rf"(?P<colour>#[0-9a-f]{{6}}|(?:{_COLOUR_NAMES}))",
    "{mw}": "[个所家座条处片栋名位间]?",
    "{many}": "(?:总共|一共|共)?有?(?:多少|几)[个所家座条处片栋名位间]?",
    "{look}": "(?:查一下|查询|查查|查|看看|看一下|统计一下|统计|分析一下|分析|计算|数一下|数数)",
    "{in}": "(?:里面|里边|里|内|中|范围内|境内)?",
    "{tozh}": "(?:按照|按|根据|依据|依|用)",
    "{colourzh}": _COLOUR_ZH,
    "{categoryzh}": _CATEGORY_ZH,
    "{draw}": "(?:colou?r|shade|style|classify|render|symboli[sz]e|paint|draw|display|show|grade|graduate)",
}


@dataclass(frozen=True)
class Rule:
    """A kind of sentence: what it asks for, in which language, its patterns, an example that it matches."""

    intent: str
    language: Language
    example: str
    patterns: tuple[re.Pattern[str], ...]


@dataclass(frozen=True)
class Command:
    """A clause that was understood: the intent and the words in its places."""

    intent: str
    language: Language
    clause: str
    words: dict[str, str]
    where: str = ""
    modifiers: Modifiers = field(default_factory=Modifiers)


def _rule(intent: str, language: Language, example: str, *patterns: str) -> Rule:
    compiled = []
    for pattern in patterns:
        for name, group in _GROUPS.items():
            pattern = pattern.replace(name, group)
        compiled.append(re.compile(pattern, re.IGNORECASE))
    return Rule(intent, language, example, tuple(compiled))


RULES: tuple[Rule, ...] = (
    _rule(
        "help", "en", "help",
        r"help(?: me)?", r"\?+", r"what can (?:i|you) (?:say|do|ask)(?: here)?", r"(?:show |list )?(?:the )?commands",
    ),
    _rule(
        "help", "zh", "帮助",
        r"帮助", r"你?(?:能|可以|会)(?:帮我)?(?:做|说|问|干)?(?:些|点)?什么", r"有(?:哪些|什么)命令", r"怎么用", r"使用说明",
    ),
    _rule(
        "list_layers", "en", "list the layers",
        r"list(?: me)?(?: all)?(?: the| my)? layers", r"show me(?: all)?(?: the| my)? layers", r"show (?:the|my) layers",
        r"(?:what|which) layers (?:are there|are in the project|are available|do (?:i|we|you) have|exist)",
    ),
    _rule(
        "list_layers", "zh", "有哪些图层",
        r"(?:列出|列一下|查看|看看)(?:所有|全部|当前)?的?图层(?:列表|清单)?", r"(?:显示)?图层(?:列表|清单)",
        r"(?:项目|工程|地图)?(?:里|中|上)?(?:现在)?有(?:哪些|什么|几个|多少个?)图层",
    ),
    _rule(
        "export", "en", "export schools to schools.geojson",
        r"(?:export|save|write) {layer} (?:to|as|into) {path}", r"export {layer}",
    ),
    _rule(
        "export", "zh", "把学校导出为schools.geojson",
        r"(?:把|将)?{layer}(?:导出|另存|保存|存)(?:到|为|成|至)\s*{path}", r"导出{layer}(?:到|为|成|至)\s*{path}", r"(?:导出|输出){layer}", r"(?:把|将){layer}导出(?:来)?",
    ),
    _rule(
        "buffer", "en", "buffer schools 500 m",
        r"buffer {layer}(?:,? (?:by|with|of|at|to))? {distance}(?P<dissolve>,? (?:dissolved|merged))?",
        r"(?:create |make |add |draw |build )?(?:an? )?{distance} buffers? (?:around|of|for|on) {layer}(?P<dissolve>,? (?:dissolved|merged))?",
        r"(?:create |make |add |draw |build )?(?:an? )?buffers? of {distance} (?:around|of|for|on) {layer}(?P<dissolve>,? (?:dissolved|merged))?",
        r"(?:create|make|add|draw|build) (?:an? )?buffers? (?:around|of|for|on) {layer} (?:of|by|with|at) {distance}(?P<dissolve>,? (?:dissolved|merged))?",
    ),
    _rule(
        "buffer", "zh", "给学校做500米缓冲区",
        r"(?:给|对|为|把|将|以)?{layer}(?:周围|周边|附近)?(?:做|建立|建|生成|创建|画|加|作)(?:一个|个)?{distance}的?(?:缓冲区|缓冲|范围)(?P<dissolve>,?(?:并)?(?:合并|融合))?",
        r"{layer}的?缓冲区?{distance}(?P<dissolve>,?(?:并)?(?:合并|融合))?",
        r"(?:做|建立|生成|创建|画)(?:一个|个)?{layer}(?:周围|周边|附近)?的?{distance}的?缓冲区?(?P<dissolve>,?(?:并)?(?:合并|融合))?",
        r"(?:给|对|为|以)?{layer}(?:周围|周边|附近)?的?{distance}的?缓冲区?(?P<dissolve>,?(?:并)?(?:合并|融合))?",
    ),
    _rule(
        "query", "en", "list the first 10 schools where kind = 小学",
        r"(?:show|list|give|get|find|query|display)(?: me)?(?: the)? first {n} {layer}(?: (?:sorted|ordered) by {order})?",
        r"(?:(?:show|list|give|get|find|query|display)(?: me)? )?(?:the )?(?P<top>top) {n} {layer} by {order}",
        r"(?:list|query|find|show(?: me)?(?: the)? (?:rows|records|attributes|table) of)(?: me)? {layer}(?: (?:sorted|ordered) by {order})?",
    ),
    _rule(
        "query", "zh", "列出前10个类型为小学的学校",
        r"(?:列出|查询|查看|显示|查一下|给出|看看)?前{n}{mw}{layer}", r"(?:列出|查询|查看|显示|查一下)?{layer}的?前{n}{mw}(?:记录|要素)?",
        r"(?:列出|查询|列一下){layer}(?:的(?:记录|属性表))?",
    ),
    _rule(
        "stat", "en", "count schools per street",
        r"(?:count|how many|number of)(?: the)? {layer} (?:are there )?(?:per|by|in each|in every|for each|for every) {by}",
        r"(?:statistics?|stats) (?:of|for) {layer} (?:by|per) {by}", r"{what} per {by}",
    ),
    _rule(
        "stat", "zh", "统计每个街道的学校数量",
        r"{look}?(?:每个|每条|每一个|各个|各|每){by}{in}(?:的|都?有(?:多少|几){mw}){layer}(?:的?(?:数量|个数|数))?",
        r"{tozh}{by}来?(?:统计|汇总)(?:一下)?{layer}的?(?:数量|个数)?",
    ),
    _rule(
        "count_in", "en", "how many schools are in 街道B",
        r"how many {what} (?:are |lie |exist )?(?:there )?(?:are )?(?:in|inside|within) {place}", r"how many {what} does {place} have",
        r"(?:count|(?:the )?number of)(?: the)? {what} (?:in|inside|within) {place}",
    ),
    _rule(
        "count_in", "zh", "街道B的学校数量",
        r"{look}?{place}{in}的{what}(?:的?(?:数量|个数|总数|分布|情况)|有多少{mw})(?:是多少)?",
        r"有(?:多少|几){mw}{what}在{place}{in}", r"在{place}{in}(?:总共|一共|共)?有(?:多少|几){mw}{what}",
    ),
    _rule(
        "count", "en", "how many schools are there",
        r"how many (?:features|rows|records|objects|entries) (?:are (?:there )?in|does|has|have) {what}(?: have)?",
        r"how many {what}(?: (?:are there|do we have|exist|in total|altogether))*(?: (?:in|on) the (?:project|map|layer))?",
        r"(?:count|(?:the )?(?:total )?number of)(?: all)?(?: the)? {what}",
    ),
    _rule(
        "count", "zh", "有多少学校",
        r"{look}?{what}的?(?:总数|数量|个数|数目)(?:是多少)?", r"{look}?{what}(?:总共|一共|共)?有(?:多少|几){mw}",
        r"(?:现在|总共|一共|共)*有?(?:多少|几){mw}(?P<layer>[^;。,在]+?)",
    ),
    _rule(
        "count_in", "zh", "街道B有多少学校",
        r"{look}?{place}{in}(?:总共|一共|共)?有(?:多少|几){mw}{what}",
    ),
    _rule(
        "colour_last", "en", "colour it by density",
        r"{draw} (?:it|them|the result|the new layer) (?:by|according to) {field}",
    ),
    _rule(
        "colour_by", "en", "colour the streets by area, 5 classes, quantile",
        r"(?P<categories>categori[sz]e) {what} (?:by|on|according to) {field}", r"{draw} {what},? (?:by|according to|based on) {field}",
    ),
    _rule(
        "colour_by", "zh", "街道按面积分5级设色",
        r"(?:把|将|给|对)?{what},?{tozh}{field}的?(?:大小|高低|多少)?(?:来|进行)?(?:{colourzh}|(?P<categories>{categoryzh}))",
        r"{tozh}{field}的?(?:大小|高低|多少)?(?:来)?(?:把|将|给|对|为){what}(?:来|进行)?(?:{colourzh}|(?P<categories>{categoryzh}))",
        r"{tozh}{field}(?:{colourzh}|(?P<categories>{categoryzh})){what}",
    ),
    _rule(
        "colour_last", "zh", "按密度分色",
        r"{tozh}{field}(?:来|进行)?(?:{colourzh}|(?P<categories>{categoryzh}))",
    ),
    _rule(
        "single", "en", "make schools red",
        r"(?:set|change) (?:the )?colou?r of {what} to {colour}", r"(?:make|colou?r|paint|draw|turn|show|set) {what}(?: in| to| into)? {colour}",
    ),
    _rule(
        "single", "zh", "把学校改成红色",
        r"(?:把|将)?{what}的?(?:颜色)?(?:都)?(?:改成|改为|换成|设为|设成|设置为|设置成|变成|变为|涂成|画成|显示为|显示成|用){colour}(?:显示|表示|画)?",
        r"用{colour}(?:来)?(?:显示|画|表示){what}",
    ),
    _rule(
        "get_style", "en", "how is schools drawn",
        r"how (?:is|are) {what} (?:drawn|styled|colou?red|shown|displayed)", r"(?:get |show |what is )?(?:me )?(?:the )?(?:style|legend|symbology) of {what}",
    ),
    _rule(
        "get_style", "zh", "学校的样式",
        r"(?:查看|看看|显示)?{what}的?(?:样式|图例|符号化?|配色)(?:是什么)?", r"{what}是?怎么(?:画|显示|设色|着色|渲染)的?",
    ),
    _rule(
        "describe", "en", "describe schools",
        r"describe {what}", r"(?:tell me|info(?:rmation)?) (?:more )?about {what}", r"(?:what|which) (?:fields|columns|attributes) (?:does|do) {what} have",
        r"(?:what|which) (?:fields|columns|attributes) (?:are in|has) {what}", r"(?:the )?(?:fields|columns) of {what}", r"what is {what}",
    ),
    _rule(
        "describe", "zh", "介绍一下学校",
        r"(?:描述|介绍|说明)(?:一下)?{what}", r"{what}(?:是什么|有(?:哪些|什么)(?:字段|属性))", r"(?:查看|看看|查询)?{what}的(?:信息|属性|字段|详情|说明|元数据)",
    ),
    _rule(
        "zoom", "en", "zoom to France",
        r"(?:zoom|go|pan|move|fly|jump|cent(?:re|er)|navigate)(?: the map)?(?: in)?(?: back)? (?:to|on|at|into) {place}",
        r"(?:locate|where is|where are) {place}",
    ),
    _rule(
        "zoom", "zh", "放大到街道A",
        r"(?:把地图|地图)?(?:缩放|放大|定位|移动|移|飞|跳转|跳|转|切换|回|平移)(?:到|至)\s*{place}", r"去(?:到)?{place}", r"{place}在哪(?:里|儿)?",
    ),
    _rule(
        "hide", "en", "hide schools",
        r"(?:hide|turn off|switch off|disable) {layers}", r"(?:turn|switch) {layers} off", r"make {layers} invisible", r"(?:do not|don't) show {layers}",
    ),
    _rule(
        "hide", "zh", "把学校关掉",
        r"(?:关掉|关闭|关上|隐藏|不显示|不要显示|去掉)(?:一下)?{layers}", r"(?:把|将)?{layers}(?:都|也)?(?:关掉|关闭|关上|关了|隐藏起来|隐藏|藏起来|去掉)",
    ),
    _rule("look", "en", "show me 街道A", r"show me {place}", r"take me to {place}", r"look at {place}"),
    _rule("look", "zh", "看看街道A", r"(?:看看|看一下|查看){place}"),
    _rule(
        "show", "en", "show hospitals",
        r"(?:show|display|turn on|switch on|enable|overlay|open) {layers}(?: on the map| too| again| as well)?", r"(?:turn|switch) {layers} on",
        r"make {layers} visible", r"add {layers} to the map",
    ),
    _rule(
        "show", "zh", "叠加医院",
        r"(?:打开|显示|开启|叠加|加上|展示)(?:一下|上)?{layers}", r"(?:把|将)?{layers}(?:都|也)?(?:打开|显示出来|显示|开启|叠加上去|叠加上来|叠加上|叠加|加上)",
    ),
)  # fmt: skip

_STRONG = re.compile(
    r"\s*[;。]\s*|\s*,?\s+(?:and\s+)?then\s+|\s*,?\s*(?:然后|接着|之后)\s*,?\s*|\s*,\s*(?:再|并且?)\s*", re.IGNORECASE
)
_WEAK = (re.compile(r"\s*,\s*(?:and\s+)?", re.IGNORECASE), re.compile(r"\s+and\s+|并且?", re.IGNORECASE))
_AGAIN = re.compile(r"^(?:再|then\s+|and\s+|also\s+|同时|并且?)\s*", re.IGNORECASE)
MAX_CLAUSES = 6
MAX_LENGTH = 300
"""Characters of a sentence; what is longer is no short command, and patterns take their time on long texts."""


def parse(sentence: str) -> list[Command] | str:
    """The commands of a sentence in order, or the clause that is not understood."""
    if len(sentence) > MAX_LENGTH:
        return sentence
    commands: list[Command] = []
    for clause in [each for each in _STRONG.split(clean(sentence)) if each]:
        understood = _parse_clauses(clause)
        if not understood:
            return clause
        commands.extend(understood)
    return commands if 0 < len(commands) <= MAX_CLAUSES else clean(sentence)


def _parse_clauses(clause: str) -> list[Command]:
    """One clause, or several that commas or "and" keep apart, when each of them can stand for itself."""
    rest, modifiers = take_modifiers(_AGAIN.sub("", clause))
    for separator in _WEAK:
        parts = [each for each in separator.split(rest) if each]
        if len(parts) > 1:
            commands = [_parse_clause(_AGAIN.sub("", each), modifiers) for each in parts]
            known = [each for each in commands if each is not None]
            if len(known) == len(parts):
                return known
    whole = _parse_clause(rest, modifiers)
    return [whole] if whole is not None else []


def _parse_clause(clause: str, modifiers: Modifiers) -> Command | None:
    shorter, condition = split_where(clause)
    for rule in RULES:
        for pattern in rule.patterns:
            found = pattern.fullmatch(shorter)
            if found is None:
                continue
            words = {name: value.strip() for name, value in found.groupdict().items() if value}
            where = condition
            if rule.intent in WITH_CONDITION and not where and rule.language == "zh" and "layer" in words:
                words["layer"], where = split_phrase(words["layer"])
            if where and rule.intent not in WITH_CONDITION:
                if rule.intent != "show":
                    continue
                return Command("query", rule.language, clause, {"layer": words["layers"]}, where, modifiers)
            return Command(rule.intent, rule.language, clause, words, where, modifiers)
    return None


WITH_CONDITION = frozenset({"query", "count", "count_in", "stat", "buffer", "zoom"})
"""Intents whose sentence may carry "where …"."""
EXAMPLES: dict[Language, tuple[str, ...]] = {
    language: tuple(
        rule.example
        for rule in RULES
        if rule.language == language and rule.intent not in ("help", "colour_last", "look")
    )
    for language in LANGUAGES
}
