"""Which packs a request points to: simple word rules, at most two packs. Wrong guesses cost a few tokens, no permission."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import lru_cache

from ...bridge.requested import WRITE_WORDS
from ..offline.text import simplify

MAX_INFERRED = 2

_TRIGGERS: Mapping[str, tuple[str, ...]] = {
    # Latin words match as whole words (with a plural s), Chinese ones anywhere. Written as ``plain`` leaves a text.
    "arrange": (
        "reorder", "layer order", "bring to front", "send to back", "to the top", "to the bottom", "above the", "below the",
        "move layer", "group the", "group layer", "into a group", "ungroup", "rename", "legend", "map view", "zoom in",
        "zoom out", "full extent", "pan", "scale 1", "scale to", "map scale", "previous view", "rotate", "rotation",
        "north up", "reset the style", "restore the style", "group as", "as a group", "revert", "copy the style",
        "copy style", "same style as", "clear the selection", "clear selection", "deselect", "temporary layer", "temp layer",
        "encoding", "garbled", "mojibake", "assign crs", "assign a crs", "set the crs", "declare crs", "bookmark",
        "图层顺序", "置顶", "置底", "移到最上", "移到最下", "上移", "下移", "放到最上面", "放到最下面", "分组", "建组",
        "成组", "重命名", "改名", "图例", "全图", "全幅", "平移", "比例尺", "放大一", "缩小一", "还原样式", "恢复样式",
        "撤销样式", "复制样式", "同样的样式", "上一个视图", "上一视图", "旋转", "正北", "恢复原来的样式", "重置样式",
        "样式复制", "复制给", "坐标系设", "坐标系改", "编码设", "编码改", "编成一组", "放到一组", "编组", "合成一组",
        "取消选择", "清除选择", "取消选中", "临时图层", "清理图层", "乱码", "字符编码", "文件编码", "编码设置", "指定坐标系",
        "设置坐标系",
    ),
    "data": (
        "add layer", "add a layer", "add the layer", "add the file", "add a file", "add file", "load", "open file",
        "open the file", "import", "shapefile", "shp", "geojson", "geopackage", "gpkg", "kml", "kmz", "gpx", "csv", "xlsx",
        "geotiff", "tiff", "tif", "wms", "wfs", "wmts", "xyz", "basemap", "tile service", "data folder", "list the files",
        "which files", "data file", "in the file", "into the file", "web map service",
        "加载", "添加图层", "新增图层", "添加数据", "导入", "打开文件", "底图", "瓦片", "影像服务", "有哪些文件", "数据文件",
        "文件夹", "文件里", "压缩包", "在线地图", "地图服务",
    ),
    "inspect": (
        "chart", "bar chart", "histogram", "pie chart", "scatter", "plot", "raster info", "pixel value", "cell value", "band",
        "sample the raster", "raster value", "raster style", "stretch", "band combination", "false color", "false colour",
        "grayscale", "hillshade", "pseudocolor", "pseudocolour", "resolution", "nodata", "in this view",
        "in the current view", "in the box", "in this extent",
        "图表", "柱状图", "直方图", "饼图", "折线图", "散点图", "像元", "像素值", "波段", "栅格值", "栅格信息", "栅格样式",
        "拉伸", "假彩色", "灰度", "分辨率", "当前视图内", "视野内", "当前范围内", "框内",
    ),
    "vector": (
        "buffer", "buffered", "buffering", "density", "densities", "per km", "per km2", "per sq", "per square", "within",
        "inside each", "in each", "per polygon", "per district", "per street", "by district", "by street", "average", "mean",
        "sum of", "analyse", "analyze", "analysis",
        "缓冲", "密度", "统计", "每平方公里", "每个街道", "各街道", "各区", "每个区", "范围内", "周边", "半径", "平均",
        "汇总", "总和", "分布", "分析",
    ),
    "overlay": (
        "overlay analysis", "intersect", "intersection", "union", "difference between", "symmetrical difference", "clip the",
        "clip layer", "erase", "cut out", "dissolve", "dissolved", "aggregate", "group by",
        "叠加分析", "叠置", "相交", "交集", "并集", "擦除", "差集", "裁剪矢量", "裁剪图层", "融合", "聚合", "分组统计",
    ),
    "join": (
        "spatial join", "join", "joined", "nearest", "closest", "distance to the", "select by location", "that lie in",
        "that are inside", "which contain", "that touch", "that intersect", "attach", "lookup table", "look up the",
        "空间连接", "属性连接", "连接", "关联表", "关联", "最近的", "最近", "距离最近", "按位置选择", "位于",
    ),
    "geometry": (
        "centroid", "convex hull", "bounding box", "boundary of", "simplify", "voronoi", "thiessen", "delaunay", "reproject",
        "transform to epsg", "convert to epsg", "map projection", "fix geometries", "fix the geometries", "fix geometry",
        "repair geometries", "repair geometry", "invalid geometry", "invalid geometries", "check geometry",
        "check geometries", "validity", "calculate field", "field calculator", "new field", "add a field", "add field",
        "merge layer", "merge the", "split line", "vertices",
        "质心", "中心点", "凸包", "外接矩形", "简化", "泰森", "重投影", "投影转换", "转换坐标", "坐标转换", "转投影",
        "修复几何", "几何错误", "几何检查", "检查几何", "拓扑", "无效几何", "字段计算", "计算字段", "新字段", "新增字段",
        "添加字段", "合并图层", "图层合并",
    ),
    "raster": (
        "dem", "raster", "elevation", "slope", "aspect", "hillshade", "terrain", "contour", "isoline", "ndvi", "reclassify",
        "raster calculator", "map algebra", "rasterize", "rasterise", "polygonize", "polygonise", "vectorize", "vectorise",
        "heatmap", "heat map", "kernel density", "zonal", "interpolate", "interpolation", "idw", "kriging", "clip raster",
        "栅格", "高程", "坡度", "坡向", "山体阴影", "地形", "等高线", "等值线", "植被指数", "重分类", "栅格计算", "矢量化",
        "栅格化", "热力", "核密度", "插值", "克里金", "裁剪栅格", "分区统计",
    ),
    "processing": (
        "algorithm", "processing toolbox", "toolbox", "geoprocessing", "gdal", "grass", "saga", "run native", "qgis tool",
        "算法", "处理工具", "工具箱", "地理处理",
    ),
    "layout": (
        "layout", "print", "printable", "map sheet", "atlas", "a3", "a4", "north arrow", "scale bar", "title block",
        "export the map", "export map", "save the map", "map to print", "pdf",
        "布局", "排版", "打印", "出图", "制图输出", "图幅", "图集", "指北针", "比例尺条", "图框", "导出地图", "地图导出",
        "地图输出", "地图打印", "成图",
    ),
    "write": WRITE_WORDS,
    "operation": ("operation", "操作流程", "算子"),
    "workflow": ("workflow", "工作流"),
    "worker": ("background worker", "background task", "background job", "resident worker", "后台任务", "后台运行", "常驻", "驻守"),
    "code": ("python code", "pyqgis", "python script", "run code", "run a script", "写代码", "运行代码", "写脚本", "运行脚本", "跑脚本"),
    "web": ("web search", "search the web", "look up online", "on the internet", "上网", "网上", "网络搜索"),
}  # fmt: skip


@lru_cache(maxsize=64)
def plain(text: str) -> str:
    """A person's text for matching words: case, width and traditional characters make no difference, blanks are single."""
    return simplify(" ".join(unicodedata.normalize("NFKC", text).casefold().split()))


def found(word: str, text: str) -> bool:
    """Whether a trigger is in a ``plain`` text: a Latin one as whole words (with a plural s), a Chinese one anywhere."""
    if word not in text:
        return False
    if not word[0].isascii():
        return True
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es)?(?![a-z0-9])", text) is not None


def infer_tool_packs_for_text(text: str, offered: Collection[str]) -> list[str]:
    """The packs that the words of a request point to, of those ``offered``: most hits first, at most two."""
    words = plain(text)
    hits = {
        pack: sum(found(each, words) for each in triggers) for pack, triggers in _TRIGGERS.items() if pack in offered
    }
    ranked = sorted((pack for pack, count in hits.items() if count), key=lambda pack: (-hits[pack], pack))
    return ranked[:MAX_INFERRED]
