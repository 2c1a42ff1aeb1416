"""Sentences that pick features or arrange layers: filter, select, highlight, measure, order, rename, group."""

from __future__ import annotations

from .grammar import Rule, rule

_FILTER_EN = r"(?:filters?|filtering)"
_FILTER_ZH = "(?:过滤条件|过滤器|过滤|筛选条件|筛选)"
_SELECT_ZH = "(?:选中|选择|选取|选出|选定|勾选|框选|选一下|选)"
_BRIGHT_ZH = "(?:高亮显示|高亮|突出显示|闪烁)"
_MEASURE_ZH = "(?:测量|量测|量算|丈量|计算|算|量|测|统计|求)(?:一下|下|出)?"
_KIND_EN = r"(?P<kind>length|area|perimeter|size)"

PICK_RULES: tuple[Rule, ...] = (
    rule(
        "clear_filter", "en", "clear the filter on schools", "filter|unfilter|show all",
        rf"(?:clear|remove|delete|reset|drop|cancel|turn off)(?: the| all)? {_FILTER_EN} (?:on|of|for|from|in) {{what}}",
        rf"(?:clear|remove|reset|cancel|turn off)(?: the)? {{what}} {_FILTER_EN}",
        r"unfilter {what}",
        rf"(?:clear|remove|delete|reset|drop|cancel|turn off)(?: the| all| my)* {_FILTER_EN}",
        r"show all (?P<layer>[^;。,]{1,80}?) again",
    ),
    rule(
        "clear_filter", "zh", "取消学校的筛选", "过滤|筛选",
        rf"(?:取消|清除|去掉|移除|清空|解除|关闭)(?:对)?{{what}}的?{_FILTER_ZH}",
        rf"(?:取消|清除|去掉|移除|清空|解除|关闭)(?:所有|全部)?的?{_FILTER_ZH}",
        rf"(?:把|将)?{{what}}的?{_FILTER_ZH}(?:都)?(?:取消|清除|去掉|清空|解除)(?:掉|了)?",
    ),
    rule(
        "filter", "en", "filter schools where kind = 小学", "filter|only|just",
        r"filter {what}(?: (?:by|on|to|for|so that)|:|,) {where}",
        r"filter {what}",
        r"filter {glued}",
        r"(?:only show|show only|just show|show just|display only|only display) {what}",
    ),
    rule(
        "filter", "zh", "筛选类型为小学的学校", "筛选|过滤|只|仅",
        r"(?:请)?(?:筛选|过滤)(?:出|一下)?{layer}",
        r"(?:把|将|对)?{what},?(?:按|按照|用){where}(?:来|进行)?(?:筛选|过滤)",
        r"(?:只|仅|仅仅)(?:要|想)?(?:显示|看|保留|留下){what}",
        rf"{{where}}的?(?:才)?{_FILTER_ZH}{{what}}",
    ),
    rule(
        "clear_selection", "en", "clear selection", "select",
        r"(?:clear|remove|cancel|drop)(?: the| all| my| current)* selections?(?: (?:of|on|in|for) {what})?",
        r"(?:deselect|unselect)(?: (?:everything|all|all features|all layers))?",
        r"(?:deselect|unselect)(?: all)? {what}",
        r"select (?:nothing|none)",
    ),
    rule(
        "clear_selection", "zh", "取消选择", "选",
        r"(?:取消|清除|清空|去掉)(?:所有|全部|当前)?的?(?:选择集?|选中|选取|所选)(?:的?要素)?",
        r"(?:取消|清除|清空)(?:对)?{what}的?(?:选择集?|选中|选取)",
        r"(?:什么都|全都?|都)不选",
    ),
    rule(
        "invert_selection", "en", "invert the selection of schools", "invert|reverse|switch",
        r"(?:invert|reverse|switch)(?: the)? selection (?:of|on|in|for) {what}",
        r"(?:invert|reverse)(?: the)? {what} selection",
    ),
    rule(
        "invert_selection", "zh", "反选学校", "反选|反向",
        r"(?:反选|反向选择){what}",
        r"(?:把|将|对)?{what}的?(?:选择)?(?:进行)?(?:反选|反向选择)",
    ),
    rule(
        "select", "en", "select schools where kind = 小学", "select|pick",
        r"(?:select|pick)(?: (?:all|every|the|all (?:of )?the))? {what}",
    ),
    rule(
        "select", "zh", "选中类型为小学的学校", "选",
        rf"{_SELECT_ZH}(?:所有|全部)?的?{{what}}",
        r"全选{what}",
        rf"(?:把|将){{what}}(?:都|全部|全)?{_SELECT_ZH}(?:出来|上|起来)?",
    ),
    rule(
        "highlight", "en", "highlight hospitals with beds over 300", "highlight|flash|mark",
        r"(?:highlight|flash|mark)(?: all)?(?: the)? {what}",
    ),
    rule(
        "highlight", "zh", "高亮名称包含中心的学校", "高亮|突出|闪烁",
        rf"{_BRIGHT_ZH}(?:一下|所有)?{{what}}",
        rf"(?:把|将){{what}}{_BRIGHT_ZH}(?:出来|一下)?",
    ),
    rule(
        "distance", "en", "distance between 街道A and 街道B", "distance|far|measure",
        r"(?:(?:measure|calculate|compute|get|show|what is|what's) )?(?:the )?(?:shortest |smallest |nearest |minimum |direct )?distance (?:between|from) {place} (?:and|to) {place2}",
        r"how far (?:is it )?(?:is )?(?:from )?{place} (?:to|from) {place2}",
        r"(?:measure )?(?:the )?distance (?:between|of|among) (?P<place>(?:the )?(?:selected\b.*|selection)|these\b.*)",
    ),
    rule(
        "distance", "zh", "街道A到街道B的距离", "距离|多远",
        rf"(?:{_MEASURE_ZH})?(?:从)?{{place}}(?:到|至|和|与|跟|距离?|离){{place2}}(?:之间)?(?:的|有|相距)?(?:最近|最短|最小)?的?(?:距离|多远)(?:是多少)?",
        rf"(?:{_MEASURE_ZH})?(?P<place>(?:这|那|所选|选中|选定).{{0,20}}?)(?:之间|间)?的?(?:{_MEASURE_ZH})?的?(?:距离|有多远)",
    ),
    rule(
        "measure", "en", "measure the length of roads", "length|area|perimeter|size|long|big|large|measure",
        rf"(?:(?:measure|calculate|compute|get|show(?: me)?|what is|what's|what are) )?(?:the )?(?:total |overall |combined )?{_KIND_EN} of (?!.* per )(?:all )?{{place}}",
        r"how (?P<kind>long|big|large) (?:is|are) {place}",
        rf"(?:measure|calculate)(?: the)? {{place}} {_KIND_EN}",
        rf"(?:total |combined ){{place}} {_KIND_EN}",
        r"measure {place}",
    ),
    rule(
        "measure", "zh", "测量道路的总长度", "长|面积|大|量",
        rf"(?:{_MEASURE_ZH})?{{place}}的?(?:总)?(?P<kind>长度|面积|周长)(?:是|有)?(?:多少|多大|多长)?",
        rf"(?:{_MEASURE_ZH})?{{place}}(?:有|是)(?P<kind>多长|多大)",
        rf"(?:{_MEASURE_ZH})?{{place}}(?P<kind>多长|多大)",
        r"(?:测量|量测|量算|丈量)(?:一下)?{place}",
    ),
)  # fmt: skip

ARRANGE_RULES: tuple[Rule, ...] = (
    rule(
        "reorder", "en", "move roads to the top", "top|bottom|front|back|above|below|under|over|beneath|behind",
        r"(?:move|bring|put|send|drag|raise|lower) {layers} (?:to|on|at) (?:the )?(?:very )?(?P<position>top|bottom|front|back)(?: of (?:the )?(?:map|layers|stack|list|everything|all))?",
        r"(?:move|put|place|drag|bring|send) {what} (?P<position>above|below|under|over|on top of|beneath|behind|in front of) {other}",
    ),
    rule(
        "reorder", "zh", "把学校移到最上面", "顶|底|上|下|前|后",
        r"(?:把|将)?{layers}(?:图层)?(?:移动?|放|拖|置|调|挪|提)(?:到|在|至|于)?(?:图层)?(?:的)?(?P<position>最上面|最上层|最上方|最上|最顶层|最顶端|顶层|顶部|顶|最前面|最下面|最下层|最下方|最下|最底层|最底部|最底下|底层|底部|底|最后面)",
        r"(?:把|将)?{what}(?:图层)?(?:移动?|放|拖|置|调|挪)(?:到|在|至)?{other}(?:图层)?的?(?P<position>上面|上方|之上|上层|下面|下方|之下|下层)",
    ),
    rule(
        "rename", "en", "rename schools to Schools 2024", "rename|call|name of",
        r"rename {what} (?:to|as|into) {name}",
        r"(?:change|set) the name of {what} to {name}",
        r"call {what} (?P<name>[\"'“‘「].{1,78}[\"'”’」])",
    ),
    rule(
        "rename", "zh", "把学校重命名为中小学", "名|叫",
        r"(?:把|将)?{what}(?:的名字|的名称|的图层名)?(?:重命名|命名|改名|更名|改叫|改称)(?:为|成|叫|作)?\s*{name}",
        r"(?:把|将)?{what}的(?:名字|名称|图层名)(?:改成|改为|设为)\s*{name}",
        r"(?:重命名|改名){what}(?:为|成|叫)\s*{name}",
    ),
    rule(
        "group", "en", "group schools and hospitals as Facilities", "group",
        r"group {layers} (?:as|into|under|in|called|named)(?: a)?(?: group)?(?: called| named)? {name}",
        r"(?:put|move) {layers} (?:into|in) (?:a |the )?(?:new )?group(?: called| named)? {name}",
        r"(?:make|create) (?:a )?group {name} (?:of|with|from) {layers}",
        r"group {layers}",
    ),
    rule(
        "group", "zh", "把学校和医院编成一组，叫公共设施", "组",
        r"(?:把|将)?{layers}(?:都)?(?:编|分|合|归|放|组|移)(?:成|到|为|在|入)?(?:一个|一|同一个?|新)?(?:组|分组|图层组)(?:里|中)?,?(?:叫做?|名为|命名为|名称为|名叫){name}",
        r"(?:把|将)?{layers}(?:都)?(?:放|归|移|加)(?:到|入|进){name}(?:组|分组)(?:里|中)?",
        r"(?:把|将)?{layers}(?:编|分|合|组)(?:成|为)?(?:一个|一)?(?:组|分组|图层组)",
    ),
)  # fmt: skip
