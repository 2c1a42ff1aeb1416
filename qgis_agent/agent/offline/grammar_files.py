"""Sentences about files, layouts and charts, and about what is seen of the map: load, look into, print, draw, go back."""

from __future__ import annotations

from .grammar import Rule, rule

ENDINGS = (
    "gpkg", "shp", "geojson", "json", "kml", "kmz", "gpx", "gml", "fgb", "dxf", "tab", "mif", "zip", "sqlite", "csv", "tsv", "txt",
    "xlsx", "xls", "ods", "dbf", "tif", "tiff", "img", "asc", "jp2", "png", "jpg", "jpeg", "vrt", "nc", "grd",
)  # fmt: skip
"""Endings of data files, as they can stand in a sentence; which of them are taken is for the tool to say."""
_FILE = rf"[\"'“‘「《]?(?P<path>[^;。\"'“”‘’「」《》]{{1,190}}?\.(?:{'|'.join(ENDINGS)}))[\"'”’」》]?"
_NO_PATH = (
    r"(?!(?:to|as|into|in|at|under|on)\s|(?:pdf|png|svg|图片|图像)?(?:文件|格式|图片)?\s*,?(?:到|至|为|成|保存|存))"
)
"""Words before the path of a file, which are no part of it."""
_PICTURE = rf"[\"'“‘「]?{_NO_PATH}(?P<path>[^;。,\"'“”‘’「」]{{1,190}}?\.(?:pdf|png|svg))[\"'”’」]?"
_PLACED = rf"[\"'“‘「]?{_NO_PATH}(?P<path>[^;。,\"'“”‘’「」]{{1,190}}?(?:\.(?:pdf|png|svg)|[/\\][^;。,\"'“”‘’「」.]{{0,100}}))[\"'”’」]?"
"""The same after a format, which gives a path in a folder its ending."""
_PAPER_EN = r"(?:(?P<paper>a[34])(?:[ -]?(?:sized?|paper))?)"
_TURN_EN = r"(?P<turn>landscape|portrait)"
_TITLE_EN = r"(?:,? (?:with|using)?(?: the| a)? ?(?:titled|title|heading|called|named)\b(?: of\b| as\b|:)? ?{name})"
_PAPER_ZH = "(?P<paper>a[34])(?:纸|幅面?|大小)?(?:的)?"
_TURN_ZH = "(?P<turn>横版|横向|横|竖版|纵向|竖向|竖)(?:的)?"
_TITLE_ZH = r"(?:,?(?:并)?(?:(?:以|用)?(?:地图)?(?:标题|题目|图名|名字|名称)(?:是|为|叫做?|写|设为|:)?|叫做?|名为|题为)\s*{name})"
_MAKE_ZH = "(?:帮我)?(?:制作|生成|创建|新建|做|出|打印|画|排)(?:出|一下)?(?:一?[张幅份个])?"
_FORMAT_EN = r"(?:an? |the )?(?P<format>pdf|png|svg|picture|image)(?: ?(?:file|image|picture|document|format))?"
_FORMAT_ZH = "(?:一?[个张幅份])?(?P<format>pdf|png|svg|图片|图像)(?: ?(?:文件|格式|图片|文档))?"
_AS_TO_EN = rf" (?:as|in|to|into) {_FORMAT_EN},? (?:to|into|in|at|under|as)(?: (?:a |the )?file)? {_PLACED}"
_TO_AS_EN = rf" (?:to|as|into|in) {_PICTURE} (?:as|in) {_FORMAT_EN}"
_AS_TO_ZH = rf"(?:为|成)?\s*{_FORMAT_ZH}\s*,?(?:并)?(?:保存|另存|存|写|输出)?(?:到|至|在|为)\s*(?:文件)?\s*{_PLACED}"
_LAYOUT_EN = r"(?: the| my| this| that)?(?: last| latest| newest| current| print)* layout(?: (?:called |named )?(?P<layout>(?!(?:to|as|into)\b)[\"'“‘]?[^;。,]{1,78}?[\"'”’]?))?"
_LAYOUT_ZH = "(?:刚才|刚刚|刚|上次|上一个|最近|最后|当前|这个|那个|这张|那张|做的|制作的|做好的|的)*(?:打印)?(?:布局|版面)(?P<layout>(?!为|成|到|至|导出|输出|保存|另存|打印|存|转)[\"'“‘「《]?[^;。,]{1,78}?[\"'”’」》]?)??"
_CHART_EN = r"(?P<chart>bar|column|line|histogram|scatter|box)(?: ?-?(?:chart|plot|graph|diagram))?"
_CHART_ZH = "(?P<chart>柱状图|条形图|柱形图|直方图|折线图|散点图|箱线图|箱形图)"
_DRAW_EN = r"(?:(?:draw|make|show|plot|create|give)(?: me)? )?(?:an? |the )?"
_DRAW_ZH = "(?:画|绘制|生成|做|制作|显示|看看)(?:出|一下)?(?:一?[个张幅])?"

FILE_RULES: tuple[Rule, ...] = (
    rule(
        "add_file", "en", "load data/roads.gpkg", ".",
        rf"(?:load|add|open|import|read in)(?: the| a| my)?(?: new)?(?: data| vector| raster| csv)?(?: ?(?:file|layer|table|dataset|data))?(?: from)? {_FILE}(?: (?:to|into) (?:the )?(?:map|project))?",
    ),
    rule(
        "add_file", "zh", "加载data/roads.gpkg", ".",
        rf"(?:加载|添加|打开|导入|读入|载入|加入|新增)(?:一个|一下)?(?:数据|矢量|栅格|表格)?(?:文件|图层|数据)?\s*{_FILE}(?:到(?:地图|项目|工程))?",
        rf"(?:把|将)\s*{_FILE}\s*(?:加载|添加|导入|加入|载入|加|打开)(?:进来|到(?:地图|项目|工程)(?:里|中|上)?|进(?:地图|项目|工程)|一下)?",
    ),
    rule(
        "inspect_file", "en", "inspect data/roads.csv", ".",
        rf"(?:inspect|examine|check|look (?:into|inside|at)|preview|describe|what is in|what's in|what does)(?: the)?(?: data)?(?: ?file)? {_FILE}(?: contain| hold| have)?",
    ),
    rule(
        "inspect_file", "zh", "查看文件data/roads.csv", ".",
        rf"(?:查看|看看|检查|预览|看一下|查一下|介绍)(?:一下)?(?:数据)?(?:文件)?\s*{_FILE}\s*(?:里|里面|中)?(?:的内容|有(?:什么|哪些内容))?",
        rf"(?:文件)?\s*(?!查|看|检|预|介){_FILE}\s*(?:里|里面|中)?(?:都)?(?:有|是|包含)(?:什么|哪些(?:内容|字段|数据|图层)?)",
    ),
    rule(
        "list_files", "en", "list the data files", "file",
        r"(?:list|show)(?: me)?(?: all)?(?: the| my)?(?: data)? files(?: in (?:the )?(?:project )?folder)?",
        r"(?:what|which)(?: data)? files (?:are there|can i (?:load|add|open)|do i have|are (?:available|in the (?:project )?folder))",
    ),
    rule(
        "list_files", "zh", "有哪些数据文件", "文件",
        r"(?:列出|查看|看看|显示)(?:所有|全部)?的?(?:数据)?文件(?:列表|清单)?",
        r"(?:文件夹|目录|项目文件夹|工程文件夹)?(?:里|中|下)?(?:都)?有(?:哪些|什么)(?:数据)?文件",
    ),
)  # fmt: skip

LAYOUT_RULES: tuple[Rule, ...] = (
    rule(
        "layout", "en", "make an A4 map with title Schools", "map|layout|print",
        rf"(?:make|create|prepare|compose|produce|generate|print)(?: me)?(?: an?| the)? (?:{_PAPER_EN} ?)?(?:{_TURN_EN} ?)?(?:print(?:able)? )?(?:map|layout|print ?out)(?: layout| sheet)?(?: (?:on|in|for) {_PAPER_EN.replace('<paper>', '<paper2>')})?(?: (?:in )?{_TURN_EN.replace('<turn>', '<turn2>')})?{_TITLE_EN}",
        rf"(?:make|create|prepare|compose|produce|generate|print)(?: me)?(?: an?| the)? {_PAPER_EN} ?(?:{_TURN_EN} ?)?(?:print(?:able)? )?(?:map|layout|print ?out)(?: layout| sheet)?",
        rf"(?:make|create|prepare|compose|produce|generate)(?: me)?(?: an?| the)? (?:{_TURN_EN} )?(?:print(?:able)? )?(?:map )?layout",
    ),
    rule(
        "layout", "zh", "做一张A4地图，标题为学校分布", "图|布局|版面",
        rf"{_MAKE_ZH}(?:{_PAPER_ZH})?(?:{_TURN_ZH})?(?:打印|专题)?(?:地图|布局|版面|图)(?:布局)?{_TITLE_ZH}",
        rf"{_MAKE_ZH}{_PAPER_ZH}(?:{_TURN_ZH})?(?:打印|专题)?(?:地图|布局|版面|图)(?:布局)?",
        rf"{_MAKE_ZH}(?:{_TURN_ZH})?(?:打印|地图)?(?:布局|版面)",
    ),
    rule(
        "export_map", "en", "export the map to map.pdf", "map|layout|view",
        rf"(?:export|save|print|write)(?: the| this| my)?(?: current| whole)? (?:map|view){_AS_TO_EN}{_TITLE_EN}?",
        rf"(?:export|save|print|write)(?: the| this| my)?(?: current| whole)? (?:map|view){_TO_AS_EN}{_TITLE_EN}?",
        rf"(?:export|save|print|write)(?: the| this)?(?: current| whole)? (?:map|view)(?: (?:to|as|into)(?: a| the)?(?: file| pdf| png| svg| picture| image)?) {_PICTURE}{_TITLE_EN}?",
        rf"(?:export|save|print|write)(?: the| this| my)?(?: current| whole)? (?:map|view)(?: (?:to|as|into|in) {_FORMAT_EN})?{_TITLE_EN}?",
    ),
    rule(
        "export_map", "zh", "把地图导出为map.pdf", "图|视图",
        rf"(?:导出|输出|打印)(?:当前|这张|这幅|整个)?的?(?:地图|视图|图){_AS_TO_ZH}(?:{_TITLE_ZH})?",
        rf"(?:把|将)?(?:当前|这张|这幅|整个)?的?(?:地图|视图|图)(?:导出|输出|保存|另存|打印|存|转){_AS_TO_ZH}(?:{_TITLE_ZH})?",
        rf"(?:把|将)?(?:当前|这张|这幅)?的?(?:地图|视图|图)(?:导出|输出|保存|另存|打印|存)(?:为|成|到|至)\s*(?:文件)?\s*{_PICTURE}(?:{_TITLE_ZH})?",
        rf"(?:导出|输出)(?:当前)?(?:地图|视图)(?:为|成|到|至)\s*{_PICTURE}(?:{_TITLE_ZH})?",
        rf"(?:导出|输出|打印)(?:当前|这张|这幅|整个)?的?(?:地图|视图|图)(?:(?:为|成|到)?\s*{_FORMAT_ZH})?(?:{_TITLE_ZH})?",
        rf"(?:把|将)?(?:当前|这张|这幅|整个)?的?(?:地图|视图|图)(?:导出|输出|保存|另存|打印|存|转)(?:为|成|到)?\s*{_FORMAT_ZH}(?:{_TITLE_ZH})?",
    ),
    rule(
        "export_layout", "en", "export the layout to plan.pdf", "layout",
        rf"(?:export|save|print|write){_LAYOUT_EN}{_AS_TO_EN}",
        rf"(?:export|save|print|write){_LAYOUT_EN}{_TO_AS_EN}",
        rf"(?:export|save|print|write){_LAYOUT_EN}(?: (?:to|as|into) (?:(?:an? |the )?(?:file|pdf|png|svg|picture|image) )?{_PICTURE})?",
        rf"(?:export|save|print|write){_LAYOUT_EN} (?:to|as|into|in) {_FORMAT_EN}",
    ),
    rule(
        "export_layout", "zh", "导出布局为plan.pdf", "布局|版面",
        rf"(?:导出|输出|打印){_LAYOUT_ZH}{_AS_TO_ZH}",
        rf"(?:把|将)?{_LAYOUT_ZH}(?:导出|输出|保存|另存|打印|存|转){_AS_TO_ZH}",
        rf"(?:导出|输出|打印){_LAYOUT_ZH}(?:(?:为|成|到|至)\s*(?:文件)?\s*{_PICTURE})?",
        rf"(?:导出|输出|打印){_LAYOUT_ZH}(?:为|成|到)?\s*{_FORMAT_ZH}",
        rf"(?:把|将)?{_LAYOUT_ZH}(?:导出|输出|保存|另存|打印|存)(?:为|成|到|至)\s*(?:文件)?\s*{_PICTURE}",
        rf"(?:把|将)?{_LAYOUT_ZH}(?:导出|输出|保存|另存|打印|存|转)(?:为|成|到)?\s*{_FORMAT_ZH}",
    ),
)  # fmt: skip

CHART_RULES: tuple[Rule, ...] = (
    rule(
        "chart", "en", "draw a histogram of students of schools", "chart|plot|histogram|graph|diagram",
        rf"{_DRAW_EN}{_CHART_EN} (?:of|for|from) (?:the )?(?P<y>[^;。,]{{1,60}}?) (?:by|per|against|versus|vs\.?|over) (?:the )?{{field}} (?:of|in|for|from) {{what}}",
        rf"{_DRAW_EN}{_CHART_EN} (?:of|for|from) (?:the )?{{field}} (?:of|in|for|from) {{what}}",
        rf"{_DRAW_EN}{_CHART_EN} (?:of|for|from) {{what}} (?:by|per) {{field}}",
        rf"(?:draw|make|plot|create) {{what}} (?:by|per) {{field}} as an? {_CHART_EN}",
        rf"{_DRAW_EN}{{what}} {{field}} {_CHART_EN}",
        rf"{_DRAW_EN}{_CHART_EN} (?:of|for|from) (?:the )?{{field}}",
        r"(?:draw|make|show|plot|create|give)(?: me)? (?:an? |the )?(?P<chart>chart|graph|plot|diagram) (?:of|for|from) (?:the )?{field} (?:of|in|for|from) {what}",
        r"(?P<chart>plot|chart|graph)(?: the)? {field} (?:of|in|for|from) {what}",
    ),
    rule(
        "chart", "zh", "画学校学生数的直方图", "图",
        rf"{_DRAW_ZH}{{what}}{{tozh}}{{field}}的?{_CHART_ZH}",
        rf"{{tozh}}{{field}}(?:来)?{_DRAW_ZH}{{what}}的?{_CHART_ZH}",
        rf"(?:{_DRAW_ZH})?{{what}}的(?P<y>[^;。,的]{{1,40}}?)(?:和|与|随|对|vs){{field}}的?(?:变化的)?(?P<chart>散点图|折线图|箱线图)",
        rf"{_DRAW_ZH}{{glued}}的?{_CHART_ZH}",
        rf"(?:把|将)?{{glued}}(?:画成|做成|绘成|生成){_CHART_ZH}",
        rf"(?:给|为|对)?{{what}}的?{{field}}(?:画|绘制|生成|做|制作)(?:出|一下)?(?:一?[个张幅])?{_CHART_ZH}",
        r"(?:画|绘制|生成|做|制作)(?:出|一下)?(?:一?[个张幅])?{glued}的?(?P<chart>统计图表?|图表|分布图表)",
        rf"{{glued}}的?{_CHART_ZH}",
        rf"(?:{_DRAW_ZH})?{{field}}的?{_CHART_ZH}",
    ),
)  # fmt: skip

MORE_ARRANGE_RULES: tuple[Rule, ...] = (
    rule(
        "previous_view", "en", "go back to the previous view", "previous|last|before|back",
        r"(?:go |zoom |pan )?(?:back )?to the (?:previous|last|earlier) (?:view|extent|map view|map extent)",
        r"(?:previous|last) (?:view|extent)",
        r"zoom (?:to )?(?:last|previous)",
    ),
    rule(
        "previous_view", "zh", "回到上一个视图", "上一|之前|刚才|前一",
        r"(?:返回|回到|恢复|切换到|缩放到)(?:到)?(?:上一个?|之前的?|刚才的?|前一个?)(?:视图|范围|地图范围|位置|视野)",
        r"上一个?(?:视图|视野|范围)",
    ),
    rule(
        "rotate", "en", "rotate the map by 30 degrees", "rotate|north",
        r"rotate(?: the)? (?:map|view)(?: (?:by|to))? (?P<angle>-?{n})(?: ?(?:degrees?|°|deg))?(?: clockwise| to the right)?",
        r"rotate(?: the)? (?:map|view)(?: (?:by|to))? (?P<angle>{n})(?: ?(?:degrees?|°|deg))? (?P<left>counter-?clockwise|anti-?clockwise|to the left)",
        r"(?P<north>(?:put |turn |set )?north (?:up|to the top)|(?:reset|undo|remove|clear)(?: the)? (?:map )?rotation)",
    ),
    rule(
        "rotate", "zh", "把地图旋转30度", "旋转|转|正北|北",
        r"{ba}(?:地图|视图)?(?:顺时针)?(?:方向)?(?:旋转|转动?)(?:到|为)?(?:地图|视图)?(?P<angle>-?{n})(?:度|°)",
        r"{ba}(?:地图|视图)?(?P<left>逆时针)(?:方向)?(?:旋转|转动?)(?:地图|视图)?(?P<angle>{n})(?:度|°)",
        r"(?P<north>(?:恢复|回到|设为)?(?:正北|北)(?:朝上|向上)|(?:取消|清除|重置)(?:地图)?的?旋转)",
    ),
    rule(
        "clear_temp", "en", "clear the temporary layers", "temp|result",
        r"(?:clear|clean up|remove|tidy up|clear away|drop|delete)(?: all)?(?: the| my)? (?:temporary|temp|result) layers",
    ),
    rule(
        "clear_temp", "zh", "清理临时图层", "临时|结果",
        r"(?:清理|清除|清空|去掉|移除|删除|清掉)(?:一下)?(?:所有|全部)?的?(?:临时|结果)(?:图层|数据)",
        r"(?:把|将)(?:所有|全部)?的?(?:临时|结果)图层(?:都)?(?:清理|清除|清空|去掉|移除|删除|清掉|删)(?:掉)?",
    ),
    rule(
        "copy_style", "en", "copy the style of schools to hospitals", "style|symbology|look",
        r"(?:copy|apply|transfer|paste)(?: the)? (?:style|styling|symbology|look) (?:of|from) {what} (?:to|onto|for) {other}",
        r"(?:give|draw|style) {other} (?:the same (?:style|look) as|like) {what}",
    ),
    rule(
        "copy_style", "zh", "把学校的样式复制给医院", "样式|符号",
        r"(?:把|将)?{what}的?(?:样式|符号化?)(?:复制|应用|套用|拷贝|用)(?:给|到|于|在)?{other}(?:上)?",
        r"{other}(?:用|使用|采用|套用)(?:和)?{what}(?:一样|相同|同样)?的?样式",
    ),
    rule(
        "legend_title", "en", "set the legend title of streets to Population", "legend",
        r"(?:set|change)(?: the)? (?:legend title|title of the legend) (?:of|for) {what} (?:to|as) {name}",
        r"(?:set|change)(?: the)? (?:legend title|title of(?: the)? legend) (?:to|as) {name}",
        r"(?:title|call|name)(?: the)? legend {name}",
    ),
    rule(
        "legend_title", "zh", "把街道的图例标题改为人口", "图例",
        r"(?:把|将)?{what}的?图例(?:的)?(?:标题|名称|名字)(?:改为|改成|设为|设置为|设成|叫做?)\s*{name}",
        r"(?:把|将)?图例的?(?:标题|名称|名字)?(?:改为|改成|设为|设置为|设成|叫做?)\s*{name}",
        r"(?:把|将)?{what}的?图例(?:改成|改为|设为|叫做?|命名为)\s*{name}",
    ),
    rule(
        "set_crs", "en", "set the CRS of roads to EPSG:4490", "epsg",
        r"(?:set|assign|declare|define|change)(?: the)? (?:crs|srs|coordinate (?:reference )?system|projection) (?:of|for) {what} (?:to|as) (?P<crs>epsg\s*:\s*\d{4,6})",
        r"(?:set|assign|declare|define)(?: the)? {what} (?:crs|srs|projection) (?:to|as) (?P<crs>epsg\s*:\s*\d{4,6})",
    ),
    rule(
        "set_crs", "zh", "把roads的坐标系设为EPSG:4490", "epsg",
        r"(?:把|将|给)?{what}的?(?:坐标系统?|坐标参考系|空间参考|投影)(?:设为|设成|设置为|设置成|指定为|定义为|声明为|改为|改成|为)\s*(?P<crs>epsg\s*:\s*\d{4,6})",
    ),
    rule(
        "set_encoding", "en", "set the encoding of roads to GBK", "encoding|garbled",
        r"(?:set|change)(?: the)? (?:text |character )?encoding (?:of|for) {what} (?:to|as) (?P<encoding>[a-z0-9][a-z0-9 _-]{1,20})",
        r"(?:find|guess|check|detect|what is|what's)(?: out)?(?: the)? (?:text |character )?encoding of {what}",
        r"(?:the )?(?:text|names?|values|characters) (?:of|in) {what} (?:is|are|looks?) garbled",
    ),
    rule(
        "set_encoding", "zh", "把roads的编码设为GBK", "编码|乱码",
        r"(?:把|将)?{what}的?(?:字符|文字|文本)?编码(?:设为|设成|设置为|设置成|改为|改成|为)\s*(?P<encoding>[A-Za-z0-9][A-Za-z0-9 _-]{1,20})",
        r"(?:看看|检查|查一下|识别|判断)?{what}的?(?:字符|文字|文本)?编码(?:是什么|是多少|对吗|有没有问题)?",
        r"{what}(?:有|是|出现了?|显示)?乱码(?:了)?",
    ),
)  # fmt: skip
