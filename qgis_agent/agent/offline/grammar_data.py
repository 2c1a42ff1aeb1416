"""Sentences that ask about data: describing, listing, counting, the first ones, sums and means, buffers, files."""

from __future__ import annotations

from .grammar import Rule, rule

_AGG_EN = (
    r"(?P<how>min(?:imum)? and max(?:imum)?|average|mean|avg|sum|total|maximum|max|largest|highest|biggest|minimum|min|smallest|lowest|median|range|"
    r"standard deviation|statistics|stats|summary)"
)
_AGG_ZH = "(?P<how>平均值?|均值|总和|合计|总计|总数|之和|求和|最大值?|最高值?|最小值?|最低值?|中位数|标准差|统计值|统计信息|汇总)"
_ABOUT_EN = r"(?:crs|srs|coordinate (?:reference )?systems?|projection|epsg(?: code)?|geometry type)"
_ABOUT_ZH = "(?:坐标参考系统?|空间参考系?|坐标系统?|投影|几何类型)"
_MOST_EN = r"(?P<most>most|highest|largest|biggest|greatest|longest|fewest|least|lowest|smallest|shortest)"
_MOST_ZH = "(?P<most>最多|最大|最高|最长|最少|最小|最低|最短)"


ROW_RULES: tuple[Rule, ...] = (
    rule(
        "top", "en", "which hospital has the most beds", "most|est |fewest|least",
        rf"(?:which|what) {{what}} (?:has|have) the {_MOST_EN}(?: number of)? {{order}}",
        rf"(?:{{list}} )?(?:the )?{{n}} {{layer}} with the {_MOST_EN}(?: number of)? {{order}}",
        rf"(?:{{list}} )?(?:the )?{{n}} {_MOST_EN} {{layer}} (?:by|in) {{order}}",
        rf"(?:{{list}} )?(?:the )?{_MOST_EN} {{layer}} (?:by|in) {{order}}",
        rf"(?:{{list}} )?(?:the )?{{layer}} with the {_MOST_EN}(?: number of)? {{order}}",
    ),
    rule(
        "top", "zh", "人口最多的5个街道", "最|排|前",
        rf"(?:列出|查询|查看|显示|查一下|找出|给出|看看)?{{order}}{_MOST_ZH}的(?:前)?{{n}}{{mw}}{{layer}}(?:是哪些|是哪几个|有哪些)?",
        rf"(?:列出|查询|查看|查一下|找出|看看)?{{order}}{_MOST_ZH}的{{layer}}(?:是哪[个一所家座条]?|叫什么)?",
        rf"(?:哪[个一所家座条]){{glued}}{_MOST_ZH}",
        rf"{{glued}}{_MOST_ZH}的?(?:是|有)(?:哪[个一所家座条]?|谁)",
        r"(?:列出|查询|查看|查一下|找出|看看)?{order}前{n}(?:名|位)?的{mw}{layer}",
        r"(?:列出|查询|查看|显示|查一下|找出|看看)?{order}(?:排名|排|位居|排在)(?:最?前|前)(?:的)?{n}(?:名|位)?的?{mw}{layer}",
    ),
    rule(
        "fields", "en", "what fields does schools have", "field|column|attribute",
        r"(?:what|which) (?:fields|columns|attributes) (?:does|do) {what} have",
        r"(?:what|which) (?:fields|columns|attributes) (?:are in|are there in|has|have) {what}",
        r"(?:(?:list|show|give)(?: me)? )?(?:all )?(?:the )?(?:fields|columns|attributes|field names) (?:of|in|for) {what}",
        r"(?:list|show)(?: the)? {what} (?:fields|columns|attributes)",
    ),
    rule(
        "fields", "zh", "学校有哪些字段", "字段|属性|列名",
        r"{what}(?:都|里|中|的)?有(?:哪些|什么)(?:字段|属性|列)",
        r"(?:列出|查看|看看|查询|显示)?{what}的?(?:所有|全部)?的?(?:字段|列名|字段名|字段列表)(?:有哪些|是什么)?",
    ),
    rule(
        "list_values", "en", "list the values of kind in schools", "values|different|distinct|unique|what|which",
        r"(?:{list} )?(?:all )?(?:the )?(?:unique |distinct |different |possible )?values (?:of|in|for)(?: the)?(?: field| column)? {field} (?:of|in|for|from) {what}",
        r"(?:what|which) (?:are the )?(?:unique |distinct |different )?values (?:of|in|does|are in) {field} (?:of|in|for) {what}",
        r"(?:{list} )?(?:all )?(?:the )?(?:unique|distinct|different) {field} (?:of|in|for) {what}",
        r"(?:what|which)(?: different)? (?P<field>[a-z]{3,30}) of {what} (?:are there|do we have|exist)",
    ),
    rule(
        "list_values", "zh", "列出学校类型的所有取值", "值|哪些|什么|哪几|种类",
        r"(?:列出|查看|看看|查询|显示)?{glued}的?(?:所有|全部)?的?(?:取值|唯一值|不同的?值|值列表)(?:有哪些|是什么)?",
        r"(?:列出|查看|看看|查询)?{glued}(?:字段)?(?:都)?有(?:哪些|哪几种?|什么)(?:取?值|种类)?",
        r"{what}(?:都|总共|一共)*(?:有|分为?)(?:哪些|哪几种|哪几类|哪几个|什么)(?P<field>[^;。,]{1,20}?)",
        r"有(?:哪些|哪几种|哪几类|什么)(?P<field>[^;。,的]{1,20}?)的{what}",
    ),
    rule(
        "query", "en", "list the first 10 schools where kind = 小学", "first|top|list|query|find|rows|records|attributes|table|which|sort|order| of ",
        r"{list} first {n} {layer}(?: (?:sorted|ordered) by {order})?",
        r"(?:{list} )?(?:the )?(?P<top>top|best|first) {n} {layer} (?:by|in|according to|with the (?:most|highest|largest)) {order}",
        r"(?:list|query|find|(?:show|open)(?: me)?(?: the)? (?:rows|records|attributes|(?:attribute )?table) of|which)(?: me)?(?: all)? {layer}(?: (?:sorted|ordered) by {order})?",
        r"(?:show|open)(?: me)?(?: the)? {layer} (?:rows|records|(?:attribute )?table)",
        r"(?:sort|order)(?: the)? {layer} by {order}(?P<top>,? (?:descending|desc|in descending order|from (?:high|large|largest|most|highest) to (?:low|small|smallest|least|lowest)))?",
        r"(?:list|get|give|tell)(?: me)?(?: all)?(?: the)? (?P<columns>[^;。,]{1,40}?) of(?: all)?(?: the)? {layer}",
    ),
    rule(
        "query", "zh", "列出前10个类型为小学的学校", "前|列|查|属性表|表格|记录|找出|哪|排",
        r"(?:列出|查询|查看|显示|查一下|给出|看看)?前{n}{mw}{layer}",
        r"(?:列出|查询|查看|显示|查一下)?{layer}的?前{n}{mw}(?:记录|要素)?",
        r"(?:列出|查询|列一下|查找|找出)(?:一下|所有|全部)?{layer}(?:的(?:记录|属性表))?",
        r"(?:打开|查看|看看|看一下|看下|查一下|显示)?{layer}的?(?:记录|属性表|表格)",
        r"(?:把|将)?{layer},?{tozh}{order}(?:字段)?(?P<top>从大到小|从高到低|从多到少|降序|倒序)(?:排序|排列|排|列出|显示)",
        r"(?:把|将)?{layer},?{tozh}{order}(?:字段)?(?:从小到大|从低到高|从少到多|升序)?(?:排序|排列)",
        r"(?:列出|查询|查看|列一下)(?:所有|全部)?{layer}的(?:所有|全部)?(?P<columns>[^;。,的]{1,40}?)",
        r"(?:哪些|哪几[个所家座条])(?P<glued>[^;。]{3,80})",
        r"{layer}(?:都|分别)?有(?:哪些|哪几[个所家座条])",
        r"(?:把|将)?{layer}(?:都)?列(?:出来|出|个表)?",
    ),
    rule(
        "attribute", "en", "what is the population of 街道A", " of ",
        rf"(?:what is|what's|tell me) the (?!{_ABOUT_EN}\b){{field}} of (?!the map\b|the view\b){{place}}",
    ),
    rule(
        "attribute", "zh", "街道A的人口是多少", "是多少|是什么|多少",
        rf"(?!现在|当前|地图|视图){{place}}的(?!{_ABOUT_ZH}){{field}}(?:是|有)(?:多少|什么)",
    ),
    rule(
        "describe", "en", "describe schools", "describe|about|what|info|details|metadata|crs|projection|coordinate",
        rf"(?:(?:what is|what's|which is|tell me|show me|get) )?(?:the )?{_ABOUT_EN} (?:of|for|does) (?!the map\b|the view\b){{what}}(?: use| have)?",
        rf"(?:what|which) {_ABOUT_EN} (?:is|does|has) {{what}}(?: in| use| have)?",
        r"describe {what}",
        r"(?:tell me|show me|get|info(?:rmation)?|details)(?: (?:more|something))?(?: (?:info(?:rmation)?|details))? (?:about|on|for) {what}",
        r"(?:what is|what's) (?!the\s+(?:map|current)\b){what}",
        r"(?:metadata|properties|info|details) (?:of|for) {what}",
        r"{what} (?:info|metadata|properties)",
    ),
    rule(
        "describe", "zh", "介绍一下学校", "描述|介绍|说明|是什么|信息|属性|详情|元数据|坐标|投影|空间参考|几何类型",
        r"(?:描述|介绍|说明)(?:一下)?{what}",
        r"{what}是什么(?:图层|数据)?",
        rf"{{what}}(?:的|用的?是?|使用的?是?|采用的?是?|是)?(?:什么|哪个|哪种){_ABOUT_ZH}",
        rf"{{what}}的?(?:{_ABOUT_ZH})(?:是什么|是多少|是哪个)?",
        r"(?:查看|看看|查询)?{what}的(?:基本)?(?:信息|属性|详情|说明|元数据|坐标系)(?:是什么)?",
    ),
)  # fmt: skip

COUNT_RULES: tuple[Rule, ...] = (
    rule(
        "stat", "en", "count schools per street", "per | by | each| every",
        r"(?:count|how many|number of|show|the number of|(?:calculate|compute|get|show)(?: me)? the number of)(?: the)? {layer} (?:are there )?(?:are )?(?:per|by|in each|in every|for each|for every|within each) {by}",
        r"(?:statistics?|stats) (?:of|for) {layer} (?:by|per) {by}",
        r"{what} (?:per|in each|in every) {by}",
        r"(?:for )?(?:each|every) {by},? (?:count|how many) {layer}(?: are there| does it have)?",
    ),
    rule(
        "stat", "zh", "统计每个街道的学校数量", "每|各|按|根据|依",
        r"{look}?(?:每个|每条|每一个|各个|各|每){by}{in}(?:的|都?有(?:多少|几){mw}){layer}(?:的?(?:数量|个数|数目|数))?",
        r"{tozh}{by}来?(?:统计|汇总|计数)(?:一下)?{layer}的?(?:数量|个数)?",
        r"{look}?(?:每个|每条|各个|各|每){glued}的?(?:数量|个数|数目|数)",
        r"{look}{layer}在?(?:每个|各个|各){by}{in}的?(?:数量|个数|分布|有多少{mw})",
    ),
    rule(
        "count_in", "en", "how many schools are in 街道B", "how many|count|number of",
        r"how many {what} (?:are |lie |exist )?(?:there )?(?:are )?(?:in|inside|within) (?!the (?:project|map|layer)\b){area}",
        r"how many {what} does {area} have",
        r"(?:count|(?:the )?number of)(?: the)? {what} (?:in|inside|within) {area}",
    ),
    rule(
        "count_in", "zh", "街道B的学校数量", "数|多少|几|分布|情况",
        r"{look}?{area}{in}的{what}(?:的?(?:数量|个数|总数|数目|分布|情况)|有多少{mw})(?:是多少)?",
        r"有(?:多少|几){mw}{what}在{area}{in}",
        r"{look}?{area}(?:里面|里边|里|内|中|范围内|境内)的?{what}(?:总共|一共|共)?有(?:多少|几){mw}",
        r"在{area}{in}(?:总共|一共|共)?有(?:多少|几){mw}{what}",
    ),
    rule(
        "count", "en", "how many schools are there", "how many|count|number of",
        r"how many (?:features|rows|records|objects|entries) (?:are (?:there )?in|does|has|have) {what}(?: have)?",
        r"how many {what}(?: (?:are there|are|do we have|exist|in total|altogether))*(?: (?:in|on) the (?:project|map|layer))?",
        r"(?:count|(?:the )?(?:total )?number of)(?: all)?(?: the)? {what}",
    ),
    rule(
        "count", "zh", "有多少学校", "数|多少|几",
        r"{look}?{what}的?(?:总数|数量|个数|数目)(?:是多少)?",
        r"{look}?{what}(?:总共|一共|共)?有(?:多少|几){mw}",
        r"(?:现在|总共|一共|共)*有?(?:多少|几){mw}(?P<layer>[^;。,在]{1,80}?)",
        r"(?:数一下|数数|统计)(?:一下)?{what}",
    ),
    rule(
        "count_in", "zh", "街道B有多少学校", "多少|几",
        r"{look}?{area}{in}(?:总共|一共|共)?有(?:多少|几){mw}{what}",
    ),
)  # fmt: skip

SUMMARY_RULES: tuple[Rule, ...] = (
    rule(
        "summarize", "en", "average students of schools", "average|mean|avg|sum|total|max|larg|high|big|min|small|low|median|range|deviation|stats|statistics|how many",
        rf"(?:what(?: is|'s)|calculate|compute|get|show(?: me)?|tell me)? ?(?:the )?{_AGG_EN}(?: (?:number|value|amount) of| of| for)?(?: the)? {{field}} (?:of|in|for|over|from|across) {{what}}",
        r"(?P<how>how many) {field} (?:are (?:there )?in|in|do|does) {what}(?: have)?(?: in total)?",
        r"(?P<how>summari[sz]e) {field} (?:of|in|for) {what}",
        r"(?P<how>summari[sz]e) {what} by {field}",
    ),
    rule(
        "summarize", "zh", "学校的平均学生数", "平均|多少|几|均值|总|合计|总计|总数|之和|求和|最大|最高|最小|最低|中位数|标准差|统计值|统计信息|汇总",
        rf"(?:{{look}})?{{what}}的{_AGG_ZH}的?{{field}}(?:是多少)?",
        rf"(?:{{look}}|求|求一下)?{{glued}}的?{_AGG_ZH}(?:是多少|是几)?",
        r"{what}(?:总共|一共|共)?有(?:多少|几){mw}{field}",
        r"{look}?{what}的(?P<how>总){field}(?:是多少)?",
        r"(?P<how>平均)每[个所家座条一]?{what}有(?:多少|几){mw}{field}",
    ),
    rule(
        "buffer", "en", "buffer schools 500 m", "buffer",
        r"buffer {layer}(?:,? (?:by|with|of|at|to))? {distance}(?P<dissolve>,? (?:(?:and )?dissolved?|merged?))?",
        r"(?:create |make |add |draw |build )?(?:an? )?{distance} buffers? (?:around|of|for|on) {layer}(?P<dissolve>,? (?:dissolved|merged))?",
        r"(?:create |make |add |draw |build )?(?:an? )?buffers? of {distance} (?:around|of|for|on) {layer}(?P<dissolve>,? (?:dissolved|merged))?",
        r"(?:create|make|add|draw|build) (?:an? )?buffers? (?:around|of|for|on) {layer} (?:of|by|with|at) {distance}(?P<dissolve>,? (?:dissolved|merged))?",
    ),
    rule(
        "buffer", "zh", "给学校做500米缓冲区", "缓冲|范围",
        r"(?:给|对|为|把|将|以)?{layer}(?:周围|周边|附近)?(?:做|建立|建|生成|创建|画|加|作)(?:一个|个)?{distance}的?(?:缓冲区|缓冲|范围)(?P<dissolve>,?(?:并)?(?:合并|融合))?",
        r"{layer}的?缓冲区?{distance}(?P<dissolve>,?(?:并)?(?:合并|融合))?",
        r"(?:做|建立|生成|创建|画)(?:一个|个)?{layer}(?:周围|周边|附近)?的?{distance}的?缓冲区?(?P<dissolve>,?(?:并)?(?:合并|融合))?",
        r"(?:给|对|为|以)?{layer}(?:周围|周边|附近)?的?{distance}的?缓冲区?(?P<dissolve>,?(?:并)?(?:合并|融合))?",
    ),
    rule(
        "bookmark", "en", "bookmark this view as Centre", "bookmark",
        r"(?:bookmark|save) (?:this|the) (?:current )?(?:view|map|extent)(?: as a bookmark)?(?: (?:as|called|named) {name})?",
        r"(?:add|create|make|save)(?: a)? bookmark (?:called|named|for|as) {name}",
    ),
    rule(
        "bookmark", "zh", "把当前视图存成书签，叫市中心", "书签",
        r"{ba}(?:当前|现在)?的?(?:视图|范围|地图)?(?:存成|保存为|存为|加为|加入|添加)?(?:一个)?书签,?(?:名字)?(?:叫|名为|命名为|名称为)(?:做)?{name}",
    ),
    rule(
        "export", "en", "export schools to schools.geojson", "export|save|write",
        r"(?:export|save|write) {layer} (?:to|as|into) {path}",
        r"export {layer}",
    ),
    rule(
        "export", "zh", "把学校导出为schools.geojson", "导出|另存|保存|存|输出",
        r"(?:把|将)?(?!保存|导出|另存|存[到为成至]){layer}(?:导出|另存|保存|存)(?:到|为|成|至)\s*{path}",
        r"导出{layer}(?:到|为|成|至)\s*{path}",
        r"(?:导出|输出){layer}",
        r"(?:把|将){layer}导出(?:来)?",
    ),
)  # fmt: skip
