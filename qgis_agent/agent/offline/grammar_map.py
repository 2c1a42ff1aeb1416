"""Sentences about the map and its layers: zoom, show, hide, order, names, lists, help."""

from __future__ import annotations

from .grammar import Rule, rule

# What a place cannot begin with: questions and wishes that are no place ("show me how …", "go to sleep" stays one).
_NO_QUESTION = r"(?!(?:me|how|what|why|who|when|if|your|an?|some|any)\b)"
_ZOOM_ZH = "(?:缩放|放大|定位|移动|移|飞|跳转|跳|转|切换|回|平移|拉)"
_OFF_ZH = "(?:关掉|关闭|关上|关了|关|隐藏起来|隐藏|藏起来|去掉|不显示)"
_ON_ZH = "(?:打开|显示出来|显示|开启|叠加上去|叠加上来|叠加上|叠加|加上|展示)"

ASK_RULES: tuple[Rule, ...] = (
    rule(
        "help", "en", "help", "help|?|what can|commands",
        r"help(?: me)?",
        r"\?+",
        r"what can (?:i|you) (?:say|do|ask)(?: here)?",
        r"(?:show |list )?(?:me )?(?:the )?(?:commands|examples)",
    ),
    rule(
        "help", "zh", "帮助", "帮助|什么|哪些|怎么用|说明",
        r"帮助",
        r"你?(?:能|可以|会)(?:帮我)?(?:做|说|问|干)?(?:些|点)?什么",
        r"有(?:哪些|什么)命令",
        r"怎么用",
        r"使用说明",
    ),
    rule(
        "undo", "en", "undo", "undo|redo|take back|revert",
        r"(?:undo|redo)(?: (?:that|it|this|everything|all|(?:the )?last (?:step|change|action)))?",
        r"revert",
        r"take (?:that|it) back",
        r"revert (?:that|it|the last (?:step|change|action))",
    ),
    rule(
        "undo", "zh", "撤销", "撤销|撤消|恢复上一步|重做|后退|回退|反悔",
        r"(?:撤销|撤消|重做|反悔|后退|回退)(?:一步|上一步|刚才的?操作|刚才那步|全部)?(?:操作)?",
        r"(?:把)?(?:上一步|刚才(?:那步|那一步|的操作))(?:操作)?(?:撤销|撤消|撤回)",
        r"恢复上一步",
    ),
    rule(
        "list_layers", "en", "list the layers", "layers",
        r"list(?: me)?(?: all)?(?: of)?(?: the| my)? layers",
        r"show me(?: all)?(?: the| my)? layers",
        r"show (?:the|my) layers",
        r"(?:what|which) layers (?:are there|are in the project|are available|are loaded|do (?:i|we|you) have|exist)",
        r"(?:how many|number of) layers(?: are there| do i have)?",
    ),
    rule(
        "list_layers", "zh", "有哪些图层", "图层",
        r"(?:列出|列一下|查看|看看)(?:所有|全部|当前)?的?图层(?:列表|清单)?",
        r"(?:显示)?图层(?:列表|清单)",
        r"图层(?:总共|一共)?有(?:几个|多少个?)",
        r"(?:项目|工程|地图)?(?:里|中|上)?(?:现在|总共|一共|共)?有(?:哪些|什么|几个|多少个?)图层",
    ),
    rule(
        "visible_layers", "en", "which layers are visible", "layers|on the map|visible",
        r"(?:what|which) layers are (?:visible|shown|on|turned on|switched on|displayed)(?: now)?",
        r"list (?:the )?visible layers",
        r"what(?: is|'s) (?:on the map|visible)(?: now)?",
    ),
    rule(
        "visible_layers", "zh", "哪些图层是打开的", "图层|地图",
        r"(?:现在|当前)?(?:哪些|什么)图层(?:是|正在)?(?:打开|显示|可见|开着)(?:着)?的?",
        r"(?:现在|当前)?(?:打开|显示)了(?:哪些|什么)图层",
        r"(?:现在)?地图上(?:现在)?(?:有|显示了?)(?:哪些|什么)(?:图层)?",
    ),
)  # fmt: skip

VIEW_RULES: tuple[Rule, ...] = (
    rule(
        "zoom_selection", "en", "zoom to selection", "select",
        r"(?:zoom|go|pan|move|jump)(?: the map)?(?: in)? (?:to|on|at|into) (?P<place>(?:the )?(?:current )?(?:selection|selected(?: (?:features?|ones|objects|items|area))?))",
        r"show me (?P<place>(?:the )?(?:current )?(?:selection|selected(?: (?:features?|ones|objects|items|area))?))",
    ),
    rule(
        "zoom_selection", "zh", "缩放到选中的要素", "选",
        rf"(?:把地图|地图)?{_ZOOM_ZH}(?:到|至)\s*(?P<place>(?:当前)?(?:被)?(?:选中|所选|选择|选定)(?:的|了的)?(?:要素|对象|图形|部分|范围|区域|内容|结果)?)",
    ),
    rule(
        "full_extent", "en", "zoom to full extent", "extent|full|whole|entire|everything|all|out",
        r"(?:zoom|go|back)(?: out)?(?: back)? to (?:the )?(?:full|whole|entire|maximum)(?: map)?(?: extents?| view| map| project)",
        r"(?:go )?back to (?:the )?(?:full|whole) (?:view|map)",
        r"(?:show|see|view)(?: me)? (?:the )?(?:whole|entire|full) (?:map|project|extent|area)",
        r"(?:zoom|go)(?: out)? to (?:everything|all|all (?:the )?layers)",
        r"(?:full|whole) (?:extent|view|map)",
        r"zoom (?:all the way )?out (?:fully|completely|all the way)",
        r"zoom all the way out",
    ),
    rule(
        "full_extent", "zh", "缩放到全图", "全|整|所有",
        rf"(?:把地图|地图)?{_ZOOM_ZH}(?:到|至)\s*(?:全图|全部(?:图层|范围)?|整个(?:地图|项目|范围)|最大范围|全局|所有图层|全幅)(?:的?范围|显示)?",
        r"(?:显示|看看|查看|返回|回到|恢复)?(?:全图|整个地图|全幅)(?:显示)?",
        r"(?:全图|全幅)显示",
    ),
    rule(
        "zoom_in", "en", "zoom in", "zoom|closer|magnify|bigger",
        r"zoom in(?:to the map)?(?: (?:a (?:little )?(?:bit|little|step)|more|further|closer|once))*",
        r"(?:go |move |get )?closer",
        r"magnify(?: the map)?",
    ),
    rule(
        "zoom_in", "zh", "放大一点", "大|近",
        r"(?:把)?(?:地图|视图)?(?:再)?(?:放大|拉近)(?:一点儿?|一些|一下|一级|点|些|地图|视图)?",
        r"(?:再)?近一点",
    ),
    rule(
        "zoom_out", "en", "zoom out", "zoom|farther|further",
        r"zoom out(?: (?:a (?:little )?(?:bit|little|step)|more|further|once))*",
        r"(?:go |move )?(?:farther|further) away",
    ),
    rule(
        "zoom_out", "zh", "缩小一点", "小|远",
        r"(?:把)?(?:地图|视图)?(?:再)?(?:缩小|拉远)(?:一点儿?|一些|一下|一级|点|些|地图|视图)?",
        r"(?:再)?远一点",
    ),
    rule(
        "set_scale", "en", "set the scale to 1:25000", "scale|1:",
        r"(?:set |change |zoom )?(?:the )?(?:map )?(?:scale )?(?:to |at |of )?(?:a scale of )?1\s*:\s*(?P<scale>\d[\d,]*)(?: scale)?",
    ),
    rule(
        "set_scale", "zh", "比例尺设为1:10000", "1:|分之一",
        r"{ba}(?:地图)?(?:的)?(?:比例尺?)?(?:设为|设成|设置为|设置成|改为|改成|调到|调整到|调为|切换到|缩放到|放大到|缩小到|到)?\s*1\s*:\s*(?P<scale>\d[\d,]*)(?:的?比例尺?)?",
        r"{ba}(?:地图)?(?:的)?比例尺(?:设为|设成|设置为|改为|改成|调到|调整到|调为|到)\s*(?P<scale>[一二三四五六七八九十百千万\d]+)分之一",
    ),
    rule(
        "map_state", "en", "what is the map scale", "scale|extent|where am i|looking at",
        r"what(?: is|'s) the (?:current |map )*(?:scale|extent|view)(?: of the map)?",
        r"(?:(?:show|get|tell me) )?(?:the )?(?:current |map )+(?:scale|extent|view|state)",
        r"where am i",
        r"what am i looking at",
    ),
    rule(
        "map_state", "zh", "现在的比例尺是多少", "比例尺|范围|视图|状态",
        r"(?:现在|当前|地图)*的?(?:比例尺|显示范围|地图范围|视图范围|地图状态)(?:是多少|是什么|多大)?",
    ),
    rule(
        "zoom", "en", "zoom to France", "zoom|go|pan|move|fly|jump|cent|navigate|locate|where|focus",
        rf"(?:zoom|go|pan|move|fly|jump|cent(?:re|er)|navigate|focus)(?: the map)?(?: in)?(?: back)? (?:to|on|at|into) {_NO_QUESTION}{{place}}",
        r"zoom (?!in\b|out\b|to\b|all\b|way\b){place}",
        rf"(?:locate|where is|where are) {_NO_QUESTION}{{place}}",
        r"where {place} (?:is|are)",
    ),
    rule(
        "zoom", "zh", "放大到街道A", "到|至|去|在哪|定位|放大",
        rf"(?:把地图|地图|把视图)?{_ZOOM_ZH}(?:到|至)\s*{{place}}(?:的范围|的位置|那里|那儿)?",
        r"去(?:到)?{place}",
        r"{place}在(?:什么地方|哪里|哪儿|哪)",
        r"(?:定位|找到){place}",
        r"(?:把|将)?{place}(?:放大|定位)(?:显示|出来|一下)?",
    ),
)  # fmt: skip

SHOW_RULES: tuple[Rule, ...] = (
    rule(
        "show_only", "en", "show only hospitals", "only|just|else|except|but|other",
        r"(?:only show|show only|display only|only display|show just|just show|isolate) {layers}",
        r"(?:show|keep) {layers} only",
        r"leave only {layers}(?: on| visible)?",
        r"(?:hide|turn off|switch off) (?:everything|all(?: (?:of )?the)?(?: other)?(?: layers)?|all others)(?: else)? (?:except(?: for)?|but|apart from|other than) {layers}",
        r"show {layers} and (?:hide|turn off) (?:everything else|all (?:the )?(?:others|other layers|rest)|the rest|the others)",
    ),
    rule(
        "show_only", "zh", "只显示医院", "只|仅|除|其他|其它|其余",
        r"(?:只|仅仅?|就)(?:要|想)?(?:显示|打开|留下|保留|看|开|留){layers}",
        rf"(?:除了?)\s*{{layers}}(?:以外|之外|外)?,?(?:其他|其它|其余|别)?的?(?:图层)?(?:全部|全都|都|全)?{_OFF_ZH}",
        rf"{_OFF_ZH}除了?{{layers}}(?:以外|之外|外)?的?(?:所有|全部|其他|其它|其余)?的?(?:图层)?",
        rf"(?:显示|打开){{layers}},?(?:其他|其它|其余)的?(?:图层)?(?:全部|全都|都|全)?{_OFF_ZH}",
    ),
    rule(
        "hide", "en", "hide schools", "hide|off|disable|invisible|show|remove",
        r"(?:hide|turn off|switch off|toggle off|disable) {layers}",
        r"(?:turn|switch|toggle) {layers} off",
        r"make {layers} invisible",
        r"(?:do not|don't) show {layers}",
        r"(?:take|remove) {layers} (?:off|from) the map",
    ),
    rule(
        "hide", "zh", "把学校关掉", "关|隐藏|藏|不|去掉",
        r"(?:关掉|关闭|关上|关了|关|隐藏|不显示|不要显示|别显示|去掉)(?:一下)?{layers}",
        rf"(?:把|将)?{{layers}}(?:都|也|全部|全)?{_OFF_ZH}",
        r"(?:重新|又)?(?:隐藏|藏)(?:起来|掉)",
    ),
    rule(
        "look", "en", "show me 街道A", "show me|take me|look at",
        rf"show me {_NO_QUESTION}{{place}}",
        rf"take me to {_NO_QUESTION}{{place}}",
        rf"look at {_NO_QUESTION}{{place}}",
    ),
    rule(
        "look", "zh", "看看街道A", "看",
        r"(?:看看|看一下|看下|查看){place}",
    ),
    rule(
        "show", "en", "show hospitals", "show|display|turn|switch|enable|overlay|open|visible|add|toggle",
        rf"(?:show|display|turn on|switch on|toggle on|enable|overlay|open) {_NO_QUESTION}{{layers}}(?: on the map| too| again| as well)?",
        r"(?:turn|switch|toggle) {layers} on",
        r"make {layers} visible",
        r"(?:show|display) again",
        r"(?:add|overlay) {layers} (?:to|on) the map",
    ),
    rule(
        "show", "zh", "叠加医院", "打开|显示|开启|叠加|加上|展示|上图",
        r"(?:打开|显示|开启|叠加|加上|展示)(?:一下|上|出)?{layers}",
        rf"(?:把|将)?{{layers}}(?:都|也|全部|全)?{_ON_ZH}(?:到地图上|在地图上|上图)?",
        r"(?:把|将)?{layers}上图",
        r"在地图上(?:显示|打开|叠加){layers}",
        r"(?:重新|又)?(?:显示|打开)(?:出来|回来)",
    ),
)  # fmt: skip
