"""Sentences about how layers look: colours, classes, opacity, labels, styles."""

from __future__ import annotations

from .grammar import Rule, rule
from .words import COLOURS

_SET_ZH = "(?:设置为|设置成|设置到|设为|设成|调整为|调整到|调整成|调为|调到|调成|改为|改成|变为|变成|为)"
_LABEL_NEEDS = "标注|标签|注记|标记"
_LABEL_ZH = f"(?:{_LABEL_NEEDS})"
_BACK_ZH = "(?:恢复|还原|重置|撤销|撤回)"
_STYLE_ZH = "(?:样式|符号化?|渲染|配色|颜色)"
_COLOUR_NEEDS = "|".join(["#", *COLOURS])

STYLE_RULES: tuple[Rule, ...] = (
    rule(
        "revert_style", "en", "reset the style of streets", "style|symbology|look",
        r"(?:reset|revert|restore|undo)(?: the)? (?:style|styling|symbology|look|colou?rs?) (?:of|for) {what}",
        r"(?:reset|revert|restore) {what} (?:style|styling|symbology)",
        r"(?:restore|reset)(?: the)? (?:default|original|old|previous) (?:style|symbology|look) (?:of|for) {what}",
        r"(?:reset|revert|restore|undo)(?: the| that| this| my)?(?: last| previous| old| original)? (?:style|styling|symbology|look)(?: change)?",
        r"(?:put|bring|get)(?: the| my)?(?: old| previous| last| original)? (?:style|look|symbology) back",
    ),
    rule(
        "revert_style", "zh", "恢复街道的样式", "样式|符号|渲染|颜色|配色",
        r"(?:恢复|还原|重置|撤销){what}的?(?:默认|原来的?|原始的?|之前的?|原有的?)?(?:样式|符号化?|渲染|颜色|配色)",
        r"(?:把|将){what}的?(?:样式|符号化?|渲染|颜色|配色)(?:恢复|还原|重置)(?:到|成|为)?(?:默认|原来|原样|之前)?(?:的样子)?",
        rf"{_BACK_ZH}(?:到)?(?:上一个|上一次|上次|之前|以前|原来|原先|默认|原有)?的?{_STYLE_ZH}(?:更改|修改|设置)?",
        rf"(?:把|将)?{_STYLE_ZH}{_BACK_ZH}(?:回来|原样|成原来的|到之前|回去)?",
    ),
    rule(
        "opacity", "en", "set the opacity of streets to 40%", "opacity|transparen|opaque",
        r"(?:set|change|make)(?: the)? (?P<how>opacity|transparency) (?:of|for) {what} (?:to|at) {percent}",
        r"(?:set|make|turn|change) {what}(?: to)? {percent} (?P<how>transparent|opaque|opacity|transparency)",
        r"(?:set )?{what} (?P<how>opacity|transparency)(?: to)? {percent}",
        r"(?:make|turn|set) {what}(?: to)? (?P<how>(?:semi|half)[ -]?transparent)",
    ),
    rule(
        "opacity", "zh", "街道透明度设为30%", "透明",
        rf"{{ba}}{{what}}(?<!不)的?(?P<how>不透明度|透明度){_SET_ZH}?(?:百分之)?{{percent}}",
        rf"{{ba}}{{what}}(?:{_SET_ZH}|显示为)?(?:百分之)?{{percent}}的?(?P<how>不透明|透明)度?",
        rf"{{ba}}{{what}}{_SET_ZH}?(?P<how>半透明)(?:显示)?",
    ),
    rule(
        "label_off", "en", "turn off the labels of streets", "label",
        r"(?:turn|switch) off(?: the)? labels (?:of|for|on|in) {what}",
        r"(?:hide|remove|disable)(?: the)? labels (?:of|for|on|from|in) {what}",
        r"(?:turn|switch)(?: the)? labels (?:of|for|on) {what} off",
        r"(?:turn|switch)(?: the)? {what} labels off",
        r"(?:hide|remove|turn off|switch off)(?: the)? {what} labels",
        r"(?:do not|don't|stop) label(?:l?ing)? {what}",
        r"unlabel {what}",
        r"(?:turn|switch) off(?: the| all| all the)? labels",
        r"(?:hide|remove|disable|clear)(?: the| all| all the)? labels",
        r"(?:turn|switch)(?: the| all| all the)? labels off",
        r"no (?:more )?labels",
    ),
    rule(
        "label_off", "zh", "关闭街道的标注", _LABEL_NEEDS,
        rf"(?:关闭|关掉|隐藏|去掉|取消|移除|不显示|清除){{what}}的?{_LABEL_ZH}",
        rf"(?:把|将)?{{what}}的?{_LABEL_ZH}(?:都)?(?:关闭|关掉|关了|隐藏|去掉|取消|清除)",
        rf"(?:不要|别)(?:再)?(?:给)?{_LABEL_ZH}{{what}}",
        rf"(?:关闭|关掉|关|隐藏|去掉|取消|移除|不要|不显示|清除)(?:所有|全部)?的?{_LABEL_ZH}",
        rf"(?:把|将)?{_LABEL_ZH}(?:都|全部)?(?:关闭|关掉|关了|关上|隐藏|去掉|取消|清除)(?:掉|了)?",
    ),
    rule(
        "label", "en", "label streets by name", "label",
        r"label {what} (?:by|with|using|from) (?:the )?{field}(?: field)?",
        r"(?:show|display|add|turn on|switch on|put)(?: the)? {field} (?:as|labels as) labels? (?:of|for|on) {what}",
        r"(?:show|add|put|turn on|switch on)(?: the)? labels (?:of|for|on|to) {what}(?: (?:by|with|using|from) {field})?",
        r"(?:turn|switch)(?: the)? {what} labels on",
        r"(?:show|turn on|switch on)(?: the)? {what} labels",
        r"label {what}",
    ),
    rule(
        "label", "zh", "用名称标注街道", _LABEL_NEEDS,
        rf"{{tozh}}{{field}}(?:字段)?(?:来)?(?:给|为|对|把)?{_LABEL_ZH}{{what}}",
        rf"{{tozh}}{{field}}(?:字段)?(?:来)?(?:给|为|对|把){{what}}(?:加上?|添加|做)?{_LABEL_ZH}",
        rf"{{ba}}{{what}},?{{tozh}}{{field}}(?:字段)?(?:来|进行)?{_LABEL_ZH}",
        rf"{_LABEL_ZH}{{what}}的{{field}}",
        rf"(?:给|为|对){{what}}(?:加上?|添加|打上?|显示){{field}}{_LABEL_ZH}",
        rf"(?:打开|显示|开启){{what}}的?{_LABEL_ZH}",
        rf"(?:打开|显示|开启){{glued}}{_LABEL_ZH}",
        rf"(?:给|为|对)?{{what}}(?:加上?|添加|打上?){_LABEL_ZH}",
        rf"(?:给|为|对|在)(?:每个|所有)?{{what}}(?:上)?{_LABEL_ZH}(?:上|出)?{{field}}(?:字段)?",
        rf"(?:给|为|对)(?:每个|所有)?{{what}}(?:做|打)?{_LABEL_ZH}",
        rf"{_LABEL_ZH}{{what}}",
    ),
    rule(
        "colour_last", "en", "colour it by density", " it | them | result| new layer",
        r"{draw} (?:it|them|the result|the new layer) (?:by|according to) {field}",
    ),
    rule(
        "colour_by", "en", "colour the streets by area, 5 classes, quantile", " by| on | according| based",
        r"(?P<categories>categori[sz]e|classify into categories) {what} (?:by|on|according to) {field}",
        r"{draw} {what},? (?:by|according to|based on) {field}",
        r"(?:make |create )?(?:a )?(?:choropleth|thematic map|graduated map) (?:map )?(?:of|for) {what} (?:by|based on) {field}",
    ),
    rule(
        "colour_by", "zh", "街道按面积分5级设色", "按|根据|依|用",
        r"{ba}{what},?{tozh}{field}(?:字段)?的?(?:大小|高低|多少)?(?:来|进行)?(?:{colourzh}|(?P<categories>{categoryzh}))",
        r"{tozh}{field}(?:字段)?的?(?:大小|高低|多少)?(?:来)?(?:把|将|给|对|为){what}(?:来|进行)?(?:{colourzh}|(?P<categories>{categoryzh}))",
        r"{tozh}{field}(?:字段)?(?:{colourzh}|(?P<categories>{categoryzh})),?(?:给|把|对)?{what}(?:设色|着色|上色|渲染)?",
    ),
    rule(
        "colour_last", "zh", "按密度分色", "按|根据|依|用",
        r"{tozh}{field}(?:来|进行)?(?:{colourzh}|(?P<categories>{categoryzh}))",
    ),
    rule(
        "single", "en", "make schools red", _COLOUR_NEEDS,
        r"(?:set|change) (?:the )?colou?r of {what} to {colour}",
        r"(?:make|colou?r|paint|draw|turn|show|set|style|fill) {what}(?: in| to| into| with| as)? {colour}",
        r"{what} in {colour}",
    ),
    rule(
        "single", "zh", "把学校改成红色", _COLOUR_NEEDS,
        r"(?:把|将|让|使)?{what}的?(?:颜色)?(?:都)?(?:改成|改为|换成|设为|设成|设置为|设置成|变成|变为|涂成|画成|填充为|填充成|显示为|显示成|调成|用){colour}(?:显示|表示|画)?",
        r"用{colour}(?:来)?(?:显示|画|表示|填充){what}",
    ),
    rule(
        "get_style", "en", "how is schools drawn", "drawn|style|legend|symbology|coloured|colored|shown|displayed",
        r"how (?:is|are) {what} (?:drawn|styled|colou?red|shown|displayed)",
        r"(?:get |show |what is )?(?:me )?(?:the )?(?:style|legend|symbology) (?:of|for) {what}",
    ),
    rule(
        "get_style", "zh", "学校的样式", "样式|图例|符号|配色|怎么",
        r"(?:查看|看看|显示)?{what}的?(?:样式|图例|符号化?|配色)(?:是什么)?",
        r"{what}是?怎么(?:画|显示|设色|着色|渲染)的?",
    ),
)  # fmt: skip
