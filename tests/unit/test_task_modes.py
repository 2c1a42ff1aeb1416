"""What a sentence is for, and whether it asks for a change of the map: tables in English and Chinese, negatives included."""

from __future__ import annotations

import time

import pytest

from qgis_agent.agent.execution.packs import infer_tool_packs_for_text, plain
from qgis_agent.agent.loop.task_modes import Task, infer_task, infer_task_mode, objective, packs_of, task_of_intent

GOLDEN_1 = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"
GOLDEN_2 = "以每个学校为中心做 500 米缓冲区,统计缓冲区内的公交站数量,按数量分级上图"
LATER_PACKS = ("operation", "worker", "workflow")
ALL_PACKS = (
    "default", "arrange", "data", "inspect", "vector", "geometry", "raster", "processing", "layout", "write", *LATER_PACKS, "code", "web",
)  # fmt: skip

ANALYSIS, MAP, GENERAL = "data_analysis", "map_rendering", "general"
TABLE: tuple[tuple[str, str, bool], ...] = (
    # both golden requests, and the sentences of C-65 and C-66
    (GOLDEN_1, ANALYSIS, True),
    (GOLDEN_2, ANALYSIS, True),
    ("统计各街道学校数量并按数量设色", ANALYSIS, True),
    ("分析一下这个图层", ANALYSIS, False),
    ("把操作步骤改一下", GENERAL, False),
    ("academic institutions and democracy", GENERAL, False),
    # analysis only
    ("How many schools are there in each district?", ANALYSIS, False),
    ("count the hospitals", ANALYSIS, False),
    ("What is the average area of the districts?", ANALYSIS, False),
    ("analyse the road network", ANALYSIS, False),
    ("Analyze accessibility of clinics", ANALYSIS, False),
    ("statistics of the population field", ANALYSIS, False),
    ("compute the total length of the rivers", ANALYSIS, False),
    ("school density per km²", ANALYSIS, False),
    ("which district has the largest population", ANALYSIS, False),
    ("compare the two districts", ANALYSIS, False),
    ("summarize the field pop", ANALYSIS, False),
    ("show me how many schools there are", ANALYSIS, False),
    ("tell me the number of hospitals", ANALYSIS, False),
    ("show me the average income", ANALYSIS, False),
    ("evaluate the coverage of bus stops and draw a conclusion", ANALYSIS, False),
    ("count schools within 500 m of a station", ANALYSIS, False),
    ("how many schools? don't show them on the map", ANALYSIS, False),
    ("calculate the mean elevation without changing the map", ANALYSIS, False),
    ("有多少所学校", ANALYSIS, False),
    ("余杭区有几所医院", ANALYSIS, False),
    ("统计每个街道的学校数量", ANALYSIS, False),
    ("評估公交站的覆蓋率", ANALYSIS, False),
    ("計算道路總長", ANALYSIS, False),
    ("人口最多的区是哪个", ANALYSIS, False),
    ("分别统计两个区的人口", ANALYSIS, False),
    ("平均每个学校周边有多少公交站", ANALYSIS, False),
    ("统计学校500米缓冲区内的公交站数量", ANALYSIS, False),
    ("统计学校数量,不要上图", ANALYSIS, False),
    ("不用显示,只要算一下总面积", ANALYSIS, False),
    ("只统计人口,别改颜色", ANALYSIS, False),
    ("综合评价各街道的教育资源", ANALYSIS, False),
    ("学校分布情况", ANALYSIS, False),
    ("做一下叠加分析", ANALYSIS, False),
    ("两个街道的面积对比", ANALYSIS, False),
    # analysis and map
    ("count the schools per district and colour the districts by the number", ANALYSIS, True),
    ("Analyse density and map it", ANALYSIS, True),
    ("statistics by district, then show the result", ANALYSIS, True),
    ("make a choropleth of population density", ANALYSIS, True),
    ("buffer the schools by 500 m", ANALYSIS, True),
    ("interpolate the temperature points", ANALYSIS, True),
    ("clip the roads with the district", ANALYSIS, True),
    ("分析学校密度并可视化", ANALYSIS, True),
    ("按密度设色", ANALYSIS, True),
    ("計算密度,然後分級顯示", ANALYSIS, True),
    ("统计人口并在图上标注", ANALYSIS, True),
    ("给学校做500米缓冲区", ANALYSIS, True),
    ("把DEM做坡度分析", ANALYSIS, False),
    ("生成等高线", ANALYSIS, True),
    ("不要分级,统计以后用热力图展示", ANALYSIS, True),
    ("overlay analysis of parks and floods", ANALYSIS, False),
    # map only
    ("show the hospitals", MAP, True),
    ("Hide everything except roads", MAP, True),
    ("turn the schools layer off", MAP, True),
    ("turn on the bus stops layer", MAP, True),
    ("colour the streets red", MAP, True),
    ("color by type", MAP, True),
    ("zoom to Hangzhou", MAP, True),
    ("label the schools with their names", MAP, True),
    ("make the parks transparent", MAP, True),
    ("overlay the hospitals", MAP, True),
    ("zoom to the largest district", MAP, True),
    ("rename the layer schools to Schools 2023", MAP, True),
    ("show schools without names", MAP, True),
    ("display the distribution of schools", MAP, True),
    ("highlight the selected parcels", MAP, True),
    ("把学校关掉", MAP, True),
    ("显示医院", MAP, True),
    ("顯示醫院圖層", MAP, True),
    ("显示学校分布", MAP, True),
    ("叠加医院", MAP, True),
    ("放大到余杭区", MAP, True),
    ("放大到最大的街道", MAP, True),
    ("把街道改成红色", MAP, True),
    ("按学生数量设色", MAP, True),
    ("按类型分色", MAP, True),
    ("只看2023年的学校", MAP, True),
    ("把医院图层移到最上面", MAP, True),
    ("设置透明度为50%", MAP, True),
    ("不要分析,只显示学校", MAP, True),
    ("显示统计局", MAP, True),
    ("换个底图", MAP, True),
    # neither
    ("hello", GENERAL, False),
    ("what can you do?", GENERAL, False),
    ("describe the layer schools", GENERAL, False),
    ("有哪些图层", GENERAL, False),
    ("你好", GENERAL, False),
    ("不要把医院关掉", GENERAL, False),
    ("don't hide the roads", GENERAL, False),
    ("what do you mean?", GENERAL, False),
    ("导出学校图层", GENERAL, False),
    ("export the schools to a GeoPackage", GENERAL, False),
    ("the county and the country", GENERAL, False),
    ("what is a roadmap", GENERAL, False),
    ("什么是计算机", GENERAL, False),
    ("怎么操作", GENERAL, False),
    ("undo the last operation", GENERAL, False),
    ("修复几何", GENERAL, False),
    ("start the background worker", GENERAL, False),
    ("", GENERAL, False),
    # a second list, written after the rules: four of it needed a change of them
    ("which streets have no school", GENERAL, False),
    ("give me the ten largest districts", ANALYSIS, False),
    ("mark the schools without a library", MAP, True),
    ("set the transparency of parks to 40 percent", MAP, True),
    ("draw a heat map of accidents", MAP, True),
    ("classify population into 5 classes", MAP, True),
    ("what is the distance between the hospital and the station", ANALYSIS, False),
    ("go to Beijing", MAP, True),
    ("create a chart of population by district", ANALYSIS, False),
    ("compare population of A and B on the map", MAP, True),
    ("show me the statistics", ANALYSIS, False),
    ("select schools with more than 500 pupils", MAP, True),
    ("把面积最大的标红", MAP, True),
    ("查询人口大于1万的街道", GENERAL, False),
    ("道路总长度是多少公里,不要动地图", ANALYSIS, False),
    ("对比两个年份的学校分布并分别上色", MAP, True),
    ("距离医院最近的学校", ANALYSIS, False),
    ("按行政区汇总人口", ANALYSIS, False),
    ("统计结果画成热力图", ANALYSIS, True),
    ("别显示了", GENERAL, False),
    ("把标注去掉", MAP, True),
    ("比例尺设为1:10000", MAP, True),
    ("set the scale to 1:25000", MAP, True),
)


def test_the_table_is_long_and_has_no_sentence_twice() -> None:
    """At least 80 sentences, in both languages."""
    sentences = [each[0] for each in TABLE]
    assert len(set(sentences)) == len(sentences) >= 80
    assert sum(any("\u4e00" <= each <= "\u9fff" for each in text) for text in sentences) >= 40


@pytest.mark.parametrize(("text", "mode", "visual"), TABLE)
def test_mode_and_visual_wish(text: str, mode: str, visual: bool) -> None:
    """Each sentence, as it stands and with the packs of the later modes not offered."""
    task = infer_task(text)
    assert (task.mode, task.visual) == (mode, visual)
    assert infer_task_mode(text) == mode


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("把操作步骤改一下", "operation_repair"),
        ("这个操作失败了,修一下", "operation_repair"),
        ("fix the operation density_map", "operation_repair"),
        ("The operation failed again, repair it", "operation_repair"),
        ("运行密度操作", "operation_run"),
        ("run the operation density_map", "operation_run"),
        ("列出所有操作", "operation_run"),
        ("start the background worker", "worker"),
        ("在后台持续更新公交位置", "worker"),
        ("restart the worker that moves the buses", "worker"),
        ("run the monthly workflow", "workflow"),
        ("执行质检工作流", "workflow"),
        # words like any other
        ("撤销上一步操作", GENERAL),
        ("undo the last operation", GENERAL),
        ("怎么操作", GENERAL),
        ("hours of operation", GENERAL),
        ("fix the geometries", GENERAL),
        ("修改学校的颜色", MAP),
        ("how many workers live in each district", ANALYSIS),
        ("show the social workers layer", MAP),
        ("change the background colour", MAP),
        ("描述一下工作流程", GENERAL),
        (GOLDEN_1, ANALYSIS),
    ],
)
def test_modes_of_packs_that_are_offered(text: str, mode: str) -> None:
    """With operations, workers and workflows in the project, the verb decides; the noun alone is not enough."""
    assert infer_task_mode(text, LATER_PACKS) == mode


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("run a Python script on it", True),
        ("写代码统计学校", True),
        ("count by postcode", False),
        ("行政区划代码是多少", False),
    ],
)
def test_code_in_so_many_words(text: str, wants: bool) -> None:
    """Only words for code itself."""
    assert infer_task(text).wants_code is wants


def test_objective_and_packs_follow_the_mode() -> None:
    """Every mode but the general one says something; the analysis says whether the map may change; packs are forced."""
    modes = ("operation_repair", "operation_run", MAP, ANALYSIS, "worker", "workflow")
    lines = {mode: objective(Task(mode)) for mode in modes}  # type: ignore[arg-type]
    assert all(lines.values())
    assert len({tuple(each) for each in lines.values()}) == len(modes)
    assert objective(Task()) == []
    assert "no change of the map" in objective(Task(ANALYSIS))[-1]
    assert "result on the map" in objective(Task(ANALYSIS, visual=True))[-1]
    assert [packs_of(Task(mode)) for mode in ("operation_repair", "operation_run", "worker", "workflow", GENERAL)] == [
        ("operation",), ("operation",), ("worker",), ("workflow",), (),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOLDEN_1, ["vector"]),
        (GOLDEN_2, ["vector"]),
        ("統計每個街道的學校", ["vector"]),
        ("academic institutions and democracy", []),
        ("slope of the DEM", ["raster"]),
        ("加载dem.tif", ["data", "raster"]),
        ("contours of the DEMs", ["raster"]),
        ("rename the layer", ["arrange"]),
        ("把道路图层置顶", ["arrange"]),
        ("撤销样式", ["arrange"]),
        ("load parcels.shp", ["data"]),
        ("添加图层", ["data"]),
        ("a histogram of the heights", ["inspect"]),
        ("画个柱状图", ["inspect"]),
        ("reproject roads to EPSG:3857", ["geometry"]),
        ("修复几何", ["geometry"]),
        ("which algorithm of the toolbox", ["processing"]),
        ("用工具箱里的算法", ["processing"]),
        ("make an A4 layout with a north arrow", ["layout"]),
        ("打印排版", ["layout"]),
        ("export the schools", ["write"]),
        ("删除图层", ["write"]),
        ("run the workflow", ["workflow"]),
        ("in a background task", ["worker"]),
        ("写代码", ["code"]),
        ("search the web", ["web"]),
        ("行政区划代码", []),
        ("show the panorama", []),
        ("the demography of it", []),
        ("显示医院", []),
        ("叠加医院", []),
        ("hello", []),
    ],
)
def test_packs_from_words(text: str, expected: list[str]) -> None:
    """Every pack is reached by words in two languages; Latin words are whole words."""
    assert infer_tool_packs_for_text(text, ALL_PACKS) == expected


def test_packs_are_offered_ones_and_two_at_most() -> None:
    """What is not offered is not counted, the most hits come first."""
    text = "load dem.tif, slope and contours, buffer, export to pdf"
    assert infer_tool_packs_for_text(text, ALL_PACKS) == ["raster", "data"]
    assert infer_tool_packs_for_text(text, ["default", "write"]) == ["write"]
    assert infer_tool_packs_for_text(text, []) == []


def test_width_case_and_traditional_characters_make_no_difference() -> None:
    """The form in which words are compared."""
    assert plain("ＭＡＰ\u3000統計  圖層 Km²") == "map 统计 图层 km2"


@pytest.mark.parametrize("unit", ["不要", "turn a b ", "move x ", "map ", "don't ", "操作", "add layer ", "叠", "最"])
def test_long_messages_are_quick(unit: str) -> None:
    """No pattern backtracks: the longest message takes milliseconds."""
    text = unit * (20_000 // len(unit))
    started = time.perf_counter()
    infer_task(text, LATER_PACKS)
    assert time.perf_counter() - started < 1.5


@pytest.mark.parametrize(
    ("intent", "text", "expected"),
    [
        ("map", "统计学校", Task("map_rendering", True)),
        ("render", "the schools in something warm", Task("map_rendering", True)),
        ("analysis", "统计每个街道的学校数量", Task("data_analysis", False)),
        ("analysis", "统计学校并设色", Task("data_analysis", True)),
        ("analysis", "which areas are near the river", Task("data_analysis", True)),
        ("analysis", "near the river, with python", Task("data_analysis", True, True)),
        ("query", "how many schools are there", Task("data_analysis", False)),
        ("write", "显示学校", Task("map_rendering", True)),
        ("", "hello", Task()),
        ("cook", "hello", Task()),
        ("map", "停止后台 worker", Task("worker", False)),
    ],
)
def test_the_word_of_a_router_joins_those_of_the_person(intent: str, text: str, expected: Task) -> None:
    """It never forbids what the words ask for; modes that it does not know stay with the words."""
    assert task_of_intent(intent, text, LATER_PACKS) == expected
