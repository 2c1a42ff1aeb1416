"""Task modes: what kind of request the words of a person are, in English and Chinese, and what follows for the turn.

A request can be an analysis *and* ask for something on the map ("统计各街道学校数量并按数量设色"): the mode says what it is for, the
flag ``visual`` whether the map may be changed. In doubt a request counts as visual: then a guard is not applied, which costs
nothing, while a guard that blocks what was asked for costs the request. The modes of operations, workers and workflows exist
only where their packs are offered; elsewhere "操作" and "worker" are words like any other. Words are a fallback: a router or a
click gives ``Task`` directly.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from ..execution.packs import plain

TaskMode = Literal[
    "operation_repair", "operation_run", "map_rendering", "data_analysis", "worker", "workflow", "general"
]
MAX_TEXT = 2000
"""Characters of a message that are looked at."""


@dataclass(frozen=True)
class Task:
    """A request's mode. ``visual``: it asks for a change of the map. ``wants_code``: it asks for code in so many words."""

    mode: TaskMode = "general"
    visual: bool = False
    wants_code: bool = False


def _words(latin: str, chinese: str) -> re.Pattern[str]:
    """A pattern of whole Latin words and of Chinese words anywhere, for ``plain`` text."""
    return re.compile(rf"(?<![a-z0-9])(?:{latin})(?![a-z0-9])|{chinese}")


_NEGATED = re.compile(
    r"(?:(?<![a-z0-9])(?:don'?t|do not|without|no need to|not to|never|rather than|instead of)(?![a-z0-9])"
    r"|不要|不用|不需要|不必|无需|无须|请勿|(?<![分级类区特性个识鉴甄])别(?![的墅人处名致])"
    r"|不(?=上图|显示|隐藏|改|叠加|分色|设色|着色|渲染|动地图|画))"
    r".*?(?=[,，。.;；!！?？:：]|但|而是|(?<![a-z])but(?![a-z])|$)"
)
"""What is *not* wanted, to the end of its clause. 分别, 级别, 别的 are no negations."""
_NOT_VISUAL = _words(
    r"(?:show|tell|give) (?:me |us )?(?:how (?:many|much|far|long|large|big)|what|which"
    r"|the (?:number|count|total|average|mean|sum|list|statistics))"
    r"|(?:draw|drawing) (?:a |any |some )?conclusions?|overlay analysis|overlay statistics|map projection",
    r"叠加分析|地图投影",
)
_NOT_ANALYSIS = _words(
    r"by means of|(?:do|does|did) (?:you|it|that|this|they) mean|what (?:you|it|that) means?",
    r"计算机|统计局|统计年鉴|显示比例",
)
"""Phrases that hold a word of the lists below and mean something else."""
_VISUAL = _words(
    r"maps?|mapp(?:ed|ing)|colou?rs?|colou?red|colou?ring|recolou?r|shad(?:e|ed|ing)|choropleth|heat ?maps?|styl(?:e|es|ed|ing)"
    r"|symbols?|symboli[sz]e|symbology|render(?:ed|ing)?|show|shows|shown|display|displayed|hide|hidden|overlay|overlaid"
    r"|labels?|labell?ed|labell?ing|annotate|legend|highlight(?:ed)?|zoom|pan|visuali[sz]e|draw|opacity|transparen(?:t|cy)"
    r"|visible|invisible|visibility|(?:turn|switch)(?:ed)? (?:\S+ ){0,4}?(?:on|off)|classif(?:y|ied)|graduated|categori[sz]ed?"
    r"|unhide|filter(?:ed)?|select(?:ed)?|mark(?:ed)?|plot|outline|go to|fly to|cent(?:re|er) on|focus on|scale"
    r"|red|green|blue|yellow|orange|purple|pink",
    r"上图|落图|上屏|分色|设色|着色|上色|染色|配色|颜色|色带|[红橙黄绿青蓝紫黑白灰粉]色|[变改成]成?[红橙黄绿青蓝紫黑白灰]|分级|分档|叠加|显示|隐藏"
    r"|打开|关掉|关闭|关上|关了|开启|展示|可视化|地图|专题图|热力图?|热图|图例|标注|标签|注记|样式|符号化?|渲染|透明|高亮|突出|定位到?|放大|缩小|缩放"
    r"|平移|视图"
    r"|出图|制图|画出|画在|绘制|标[出记明成为红黄蓝绿]|圈出|框出|涂成|比例尺|跳转|跳到|转到|聚焦|居中|置顶|置底|选中|筛选|过滤|只看|可见|不可见|在图上",
)
_ARRANGE = _words(
    r"(?:rename|reorder|move|add|load|open|group|ungroup|arrange|tidy|remove|copy|duplicate)(?: \S+){0,6}? (?:layers?|basemap)"
    r"|layers? (?:to the )?(?:top|bottom|order)",
    r"(?:重命名|改名|移动|上移|下移|添加|新增|加载|整理|清理|移除|复制|分组|改|换|调整?).{0,12}图层|图层.{0,8}(?:重命名|改名|上移|下移|移到|顺序|分组|改|换|调)|底图",
)
"""Changes of the layer tree: they are wishes for the map too. The word "layer" alone is none."""
_STRONG = _words(
    r"analy[sz](?:e|es|ed|ing)|analys[ie]s|analytics?|statistics?|statistical|stats|evaluat(?:e|es|ing|ion)|assess(?:ment)?"
    r"|calculat(?:e|ing|ion)|comput(?:e|ing)|count|counts|how (?:many|much|far|long|large|big)|averages?|mean|median|sum|totals?"
    r"|densit(?:y|ies)|proportions?|summari[sz]e|summary|correlat(?:e|ion)|per (?:km2|capita|square)"
    r"|quantif(?:y|ied)|accessibility",
    r"分析|统计|评价|评估|计算|算一下|算下|算出|多少|几[个所家条座处栋种类间片]|平均|均值|中位数|总和|合计|汇总|占比|密度|总数|总量|多大|多长|多远"
    r"|可达性|覆盖率|适宜性|选址",
)
_WEAK = _words(
    r"distributions?|(?:the )?number of|compar(?:e|ed|ing|ison)|ratios?|largest|smallest|highest|lowest|biggest|longest|shortest"
    r"|nearest|closest|most|least|rank(?:ed|ing)?|top \d+|percent(?:age)?s?|distances?|charts?|histogram",
    r"数量|个数|分布|比例|最[大小多少高低长短近远密]|排名|排序|百分比|距离|图表|柱状图|直方图|前[\d一二三四五六七八九十]+|对比|比较|相关",
)
"""An analysis only where nothing of the map is asked for: "按学生数量设色" names a field, "放大到最大的街道" a place."""
_DOES = _words(r"make|set|put|turn|change|move", r"把|将|给(?!我)|让|换|标|涂")
"""Something is to be done to something: beside a weak word this is no question for a number ("把面积最大的标红")."""
_GEOPROCESSING = _words(
    r"buffer(?:s|ed|ing)?|clip(?:s|ped|ping)?|dissolv(?:e|ed|ing)|intersect(?:s|ed|ing|ion)?|interpolat(?:e|ed|ing|ion)|slope"
    r"|contours?|hillshade|reproject(?:ed|ing)?|spatial join|voronoi|thiessen|merge|rasteri[sz]e|vectori[sz]e|polygoni[sz]e|centroids?",
    r"缓冲|裁剪|叠加分析|叠置|相交|融合|插值|坡度|坡向|等高线|山体阴影|重投影|空间连接|泰森|克里金|栅格化|矢量化|合并|质心",
)
"""Work whose product is a layer: seeing it on the map is part of the wish, unless numbers are asked for."""
_CODE = _words(r"python|pyqgis|code|script|scripts", r"写代码|运行代码|写个?脚本|运行脚本|跑脚本|执行脚本|用代码")

_OPERATION = r"(?:(?<![a-z0-9])operations?(?![a-z0-9])|操作|算子)"
_NO_OPERATION = re.compile(
    r"(?:怎么|如何|怎样|撤销|撤回|取消|上一步|上一个|上次的?|重做)操作|操作(?:系统|手册|说明|指南|界面|记录|历史)"
    r"|(?<![a-z])(?:undo|redo|last|previous|hours of|set|arithmetic|map) operations?|operations? (?:area|department|centre|center)"
)
_REPAIR = re.compile(
    r"修|改|失败|报错|出错|坏了|(?<![a-z])(?:fix|fixed|fixing|repair|repaired|broken|failed|fails|failing|debug|edit)(?![a-z])"
)
_RUN = re.compile(
    r"运行|执行|跑|启动|调用|新建|创建|列出|保存|有哪些|(?<![a-z])(?:run|runs|running|rerun|execute|start|call|invoke|create|list|save|which)(?![a-z])"
)
_WORKER = re.compile(
    r"(?<![a-z])(?:start|stop|restart|run|launch|create|check|list|kill|pause|resume)(?: \S+){0,4}? workers?(?![a-z])"
    r"|(?<![a-z])workers? (?:status|logs?|process|that|to keep)|(?<![a-z])background (?:worker|task|job|process)"
    r"|(?<![a-z])in the background(?![a-z])|后台|驻守|常驻|守护进程|(?:启动|停止|重启|运行|创建|查看).{0,6}worker"
)
_WORKFLOW = re.compile(r"(?<![a-z])workflows?(?![a-z])|工作流(?!程)")


def infer_task(text: str, available: Collection[str] = ()) -> Task:
    """The task that the words of a person point to. ``available`` names the packs that this run is offered."""
    words = plain(text[:MAX_TEXT])
    wanted = _NEGATED.sub(" ", words)
    code = _CODE.search(wanted) is not None
    seen, asked = _NOT_VISUAL.sub(" ", wanted), _NOT_ANALYSIS.sub(" ", wanted)
    visual = _VISUAL.search(seen) is not None or _ARRANGE.search(seen) is not None
    special = _special_mode(wanted, available)
    if special is not None:
        return Task(special, visual, code)
    asks = _STRONG.search(asked) is not None
    makes = _GEOPROCESSING.search(wanted) is not None
    if asks or makes:
        return Task("data_analysis", visual or not asks, code)
    if visual:
        return Task("map_rendering", True, code)
    if _WEAK.search(asked) is not None:
        return Task("map_rendering", True, code) if _DOES.search(wanted) else Task("data_analysis", False, code)
    return Task("general", False, code)


def task_of_intent(intent: str, text: str, available: Collection[str] = ()) -> Task:
    """The task where a router sorted the request as ``intent`` (see ``router.py``): its word joined with the person's.

    The modes that a router does not know stay with the words, and so does all of "query", of "write" (which may stand for
    anything) and of a word that is none. Where router and words differ on an analysis, the map may be changed.
    """
    ruled = infer_task(text, available)
    if ruled.mode in ("operation_repair", "operation_run", "worker", "workflow"):
        return ruled
    if intent in ("map", "render"):
        return Task("map_rendering", True, ruled.wants_code)
    if intent == "analysis":
        return Task("data_analysis", ruled.visual or ruled.mode != "data_analysis", ruled.wants_code)
    return ruled


def infer_task_mode(text: str, available: Collection[str] = ()) -> TaskMode:
    """The mode alone; see ``infer_task``."""
    return infer_task(text, available).mode


def _special_mode(words: str, available: Collection[str]) -> TaskMode | None:
    """The modes of the packs operation, worker and workflow. A noun alone is not enough: the verb decides."""
    if "operation" in available:
        rest = _NO_OPERATION.sub(" ", words)
        if re.search(_OPERATION, rest) is not None:
            if _REPAIR.search(rest) is not None:
                return "operation_repair"
            if _RUN.search(rest) is not None:
                return "operation_run"
    if "worker" in available and _WORKER.search(words) is not None:
        return "worker"
    if "workflow" in available and _WORKFLOW.search(words) is not None:
        return "workflow"
    return None


_OBJECTIVES: Mapping[TaskMode, tuple[str, ...]] = {
    "operation_repair": (
        "Repair of an operation: read it, edit it, run it again. Do not replace it by code or by other tools, and do not change "
        "the map meanwhile.",
    ),
    "operation_run": ("Use the tools for operations to find, run and check the operation; report what it returned.",),
    "map_rendering": (
        "A change of the map as it is now: use its present layers and styles, change what was named, and leave the rest as it is.",
    ),
    "data_analysis": (
        "An analysis: answer as soon as the results suffice. Make no files, and no layers beyond what the analysis needs.",
    ),
    "worker": (
        "Work in the background: start, check and stop it with the tools for workers, not with a script that runs once.",
    ),
    "workflow": ("Use the tools for workflows first; change the map only after one of them has run.",),
    "general": (),
}
_WITH_MAP = "It asks for the result on the map as well: show, colour or label it after the analysis."
_WITHOUT_MAP = "It asks for no change of the map: leave visibility, extent, filters and styles as they are."
_PACKS: Mapping[TaskMode, tuple[str, ...]] = {
    "operation_repair": ("operation",),
    "operation_run": ("operation",),
    "worker": ("worker",),
    "workflow": ("workflow",),
}


def objective(task: Task) -> list[str]:
    """The lines that a mode adds to the objective in every turn (D*): our own words, for the model."""
    lines = list(_OBJECTIVES[task.mode])
    if task.mode == "data_analysis":
        lines.append(_WITH_MAP if task.visual else _WITHOUT_MAP)
    return lines


def packs_of(task: Task) -> tuple[str, ...]:
    """The packs without which a mode makes no sense; whether they are offered is not decided here."""
    return _PACKS.get(task.mode, ())
