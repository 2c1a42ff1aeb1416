"""Sentences about how layers are drawn beyond colours: heatmaps, clusters, sizes, rasters, palettes, the look of labels.

Where a sentence names no layer ("turn off the labels", 恢复样式) the plan takes the layer of the conversation, or asks.
"""

from __future__ import annotations

from .grammar import Rule, rule

_SET_ZH = "(?:设置为|设置成|设为|设成|调整为|调整成|调为|调成|调到|改为|改成|换成|换为|变为|变成)"
_DRAW_EN = r"(?:show|draw|display|style|render|make|turn|visuali[sz]e)"
_MAKE_EN = r"(?:(?:make|create|show|draw|display|give|build)(?: me)? )?(?:an? |the )?"
_MAKE_ZH = (
    "(?:做|画|绘制|生成|制作|创建|显示|展示|渲染|改|换|变|转|用|以|按|出)?(?:一下)?(?:成|为|出)?(?:一?[张个幅])?的?"
)
_HEAT_EN, _HEAT_ZH = r"heat ?-?map", "(?:热力图|热图|热度图)(?:来)?(?:显示|展示|渲染|表示)?"
_SHADE_EN, _SHADE_ZH = (
    r"hill ?-?shad(?:e|ing)|shaded relief",
    "(?:山体阴影|地形阴影|地形晕渲|晕渲|山影)(?:图|来)?(?:显示|展示|渲染)?",
)
_TINT_EN = r"(?:pseudo|false) ?-?colou?rs?|layer tints|hypsometric tints"
_TINT_ZH = "(?:分层设色|(?:单波段)?(?:伪|假)彩色?)(?:图|来)?(?:显示|展示|渲染)?"
_LABEL_ZH = "(?:标注|标签|注记)"
_PALETTE_NEEDS = "palette|ramp|色系|色带|渐变|配色"

LOOK_RULES: tuple[Rule, ...] = (
    rule(
        "heatmap", "en", "show schools as a heat map", "heat",
        rf"{_MAKE_EN}{_HEAT_EN} (?:of|for|from) {{what}}(?:,? (?:weighted |weight )?(?:by|with)(?: the)?(?: field)? {{field}})?",
        rf"{_DRAW_EN} {{what}} (?:as|into|like|with|in) (?:an? )?{_HEAT_EN}(?:,? (?:weighted )?(?:by|with)(?: the)?(?: field)? {{field}})?",
        rf"{{what}} (?:as (?:an? )?)?{_HEAT_EN}",
    ),
    rule(
        "heatmap", "zh", "学校做热力图", "热",
        rf"{{ba}}{{what}},?{{tozh}}{{field}}(?:字段)?(?:来)?{_MAKE_ZH}{_HEAT_ZH}",
        rf"{{tozh}}{{field}}(?:字段)?(?:来)?(?:给|把|对|为|将){{what}}{_MAKE_ZH}{_HEAT_ZH}",
        rf"{{ba}}{{what}}{_MAKE_ZH}{_HEAT_ZH}",
        r"(?:用|以)热力图(?:来)?(?:显示|展示|表示|渲染){what}",
        rf"(?:做|画|绘制|生成|制作|显示|出)(?:一?[张个幅])?{{what}}的?{_HEAT_ZH}",
        rf"{_MAKE_ZH}{_HEAT_ZH}",
    ),
    rule(
        "cluster", "en", "cluster schools", "cluster",
        r"cluster(?: the)?(?: points of)? {what}",
        rf"{_DRAW_EN} {{what}} (?:as |in |into |with )?(?:clusters|clustered)",
        rf"{_MAKE_EN}clusters (?:of|for) {{what}}",
    ),
    rule(
        "cluster", "zh", "学校聚合显示", "聚",
        r"{ba}{what}(?:的?点)?(?:进行|做|按|用|以|改成|改为|设为)?点?(?:聚合|聚类|成簇)(?:的?方式)?(?:显示|展示|渲染)?",
        r"(?:聚合|聚类)(?:显示|展示){what}",
    ),
    rule(
        "hillshade", "en", "show the DEM as a hillshade", "shad|relief",
        rf"{_MAKE_EN}(?:{_SHADE_EN}) (?:of|for|from) {{what}}",
        rf"{_DRAW_EN} {{what}} (?:as|with|in|into) (?:an? )?(?:{_SHADE_EN})",
        rf"{{what}} (?:as (?:an? )?)?(?:{_SHADE_EN})",
        r"hill ?-?shade(?: the)? {what}",
    ),
    rule(
        "hillshade", "zh", "高程做山体阴影", "阴影|晕渲|山影",
        rf"{{ba}}{{what}}(?:进行)?{_MAKE_ZH}{_SHADE_ZH}",
        rf"(?:做|画|绘制|生成|制作|显示|出)(?:一?[张个幅])?{{what}}的?{_SHADE_ZH}",
        r"(?:用|以)(?:山体阴影|地形晕渲|晕渲)(?:来)?(?:显示|展示|表示|渲染){what}",
    ),
    rule(
        "tint", "en", "show the DEM in pseudocolour", "colo|tint",
        rf"{_DRAW_EN} {{what}} (?:as|with|in|by|into) (?:{_TINT_EN})",
        r"(?:pseudo|false) ?-?colou?r(?: the)? {what}",
    ),
    rule(
        "tint", "zh", "高程分层设色", "分层|彩",
        rf"{{ba}}{{what}}(?:进行)?{_MAKE_ZH}{_TINT_ZH}",
        r"(?:用|以)(?:分层设色|伪彩色|假彩色)(?:来)?(?:显示|展示|表示|渲染){what}",
    ),
    rule(
        "gray", "en", "show the DEM in grayscale", "scale",
        rf"{_DRAW_EN} {{what}} (?:in|as|with) gr[ae]y ?-?scale",
    ),
    rule("gray", "zh", "高程用灰度显示", "灰度", rf"{{ba}}{{what}}{_MAKE_ZH}(?:单波段)?灰度图?(?:来)?(?:显示|展示|渲染)?"),
    rule(
        "size_by", "en", "size schools by students", "size|symbols|circles",
        r"size(?: the)?(?: symbols of)? {what} (?:by|according to|proportional to) {field}",
        r"(?:make|set|let)(?: the)? (?:symbol |marker |point |dot )?sizes? of {what} (?:by|proportional to|depend on|according to|follow) {field}",
        rf"{_DRAW_EN} {{what}} (?:with )?(?:the )?(?:symbols? )?size[ds]? (?:by|according to|proportional to) {{field}}",
        rf"{_DRAW_EN} {{what}} (?:with|as) (?:proportional|graduated) (?:symbols|circles) (?:by|of|for) {{field}}",
        r"(?:proportional|graduated) (?:symbols|circles) (?:of|for) {field} (?:of|in|for) {what}",
    ),
    rule(
        "size_by", "zh", "学校按学生数设置符号大小", "大小|比例符号",
        r"{ba}{what},?{tozh}{field}(?:字段)?(?:来|的多少)?(?:设置?|调整|改变|决定|确定|显示|表示|缩放|控制)(?:符号|点|圆圈?|标记)?的?大小",
        r"{ba}{what}的?(?:符号|点|圆圈?|标记)?大小{tozh}{field}(?:字段)?(?:来)?(?:设置?|调整|显示|变化|决定|控制|渲染)?",
        r"用(?:符号|点|圆圈?)?的?大小(?:来)?(?:表示|显示|反映){what}的{field}",
        r"{ba}{what},?{tozh}{field}(?:字段)?(?:来)?(?:用|做|画|显示)?比例符号(?:图|显示)?",
    ),
    rule(
        "palette", "en", "use the palette Blues for streets", _PALETTE_NEEDS,
        r"use(?: the)? (?:(?:palette|colou?r ramp|ramp) (?P<palette>[a-z0-9]{3,20})|(?P<palette2>[a-z0-9]{3,20}) (?:palette|colou?r ramp|ramp)) (?:for|on|in) {what}",
        r"(?:change|set)(?: the)? (?:palette|colou?r ramp|ramp) (?:of|for) {what} to (?P<palette>[a-z0-9]{3,20})",
    ),
    rule(
        "palette", "zh", "街道换成蓝色系", _PALETTE_NEEDS,
        rf"{{ba}}{{what}}的?(?:色带|配色|颜色|色系)?(?:都)?(?:{_SET_ZH}|用)(?P<palette>[^;。,]{{1,12}}?(?:色系|色?渐变))",
        rf"{{ba}}{{what}}的?(?:色带|配色方案|配色|色系){_SET_ZH}(?P<palette>[A-Za-z0-9]{{3,20}})",
    ),
    rule(
        "label_look", "en", "make the labels of streets red", "label",
        r"(?:make|colou?r|turn|paint)(?: the)? labels (?:of|for|on|in) {what} (?:to |in )?{colour}",
        r"(?:set|change)(?: the)? label colou?r (?:of|for) {what} to {colour}",
        r"(?:set|change)(?: the)? colou?r of(?: the)? labels (?:of|for|on) {what} to {colour}",
        r"(?:make|turn|colou?r)(?: the)? {what} labels {colour}",
        r"(?:set|change|make)(?: the)? (?:label (?:font |text )?size|(?:font )?size of(?: the)? labels) (?:of|for|on) {what} (?:to )?{n}(?: ?pt| ?points)?",
        r"(?:make|colou?r|turn)(?: the)? labels {colour}",
        r"(?:set|change)(?: the)? label (?:font |text )?size to {n}(?: ?pt| ?points)?",
    ),
    rule(
        "label_look", "zh", "街道的标注改成红色", "标注|标签|注记",
        rf"(?:把|将)?{{what}}的?{_LABEL_ZH}的?(?:文字|字体)?的?(?:颜色)?{_SET_ZH}{{colour}}",
        rf"(?:把|将)?{{what}}的?{_LABEL_ZH}的?(?:字号|字体大小|文字大小|字体|大小){_SET_ZH}?{{n}}(?:号|磅|pt|点)?",
        rf"(?:把|将)?{_LABEL_ZH}的?(?:文字|字体)?的?(?:颜色)?{_SET_ZH}{{colour}}",
        rf"(?:把|将)?{_LABEL_ZH}的?(?:字号|字体大小|文字大小|字体|大小){_SET_ZH}?{{n}}(?:号|磅|pt|点)?",
        rf"(?:把|将)?{{what}}的?{_LABEL_ZH}的?(?:字号|字体大小|文字大小|字体|大小|字)?(?P<how>{_SET_ZH}?(?:大|小)(?:一?[点些])?|(?:放大|缩小|加大|减小|调大|调小|变大|变小)(?:一?[点些])?)",
        rf"(?:把|将)?{_LABEL_ZH}的?(?:字号|字体大小|文字大小|字体|大小|字)?(?P<how>(?:改|变|调|设)?得?(?:大|小)(?:一?[点些])?|(?:放大|缩小|加大|减小)(?:一?[点些])?)",
    ),
)  # fmt: skip
