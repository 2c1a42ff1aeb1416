"""A city planning project of any size: layers with Chinese, English and abbreviated names in groups, the same for one seed.

Written before the search over layers was: ``tests/unit/layer_search_queries.jsonl`` names its layers by alias.
"""

from __future__ import annotations

import random
from typing import Any

SEED = 20240611
_DISTRICTS = (("云溪", "yunxi"), ("东湖", "donghu"), ("城关", "chengguan"), ("北塘", "beitang"), ("南苑", "nanyuan"))
_YEARS = (2015, 2018, 2020, 2021, 2022, 2023)

# English name; Chinese name; kind; group; fields "name:alias:type"; abstract
THEMES: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("primary_schools", "小学", "point", "公共服务/教育", "name:名称:text pupils:学生数:integer", "义务教育小学点位"),
    ("middle_schools", "中学", "point", "公共服务/教育", "name:名称:text classes:班级数:integer", ""),
    ("kindergartens", "幼儿园", "point", "公共服务/教育", "name:名称:text places:学位数:integer", ""),
    ("universities", "高等院校", "polygon", "公共服务/教育", "name:校名:text area_ha:占地公顷:number", "大学和学院的校园范围"),
    ("hospitals", "综合医院", "point", "公共服务/医疗", "name:名称:text beds:床位数:integer grade:等级:text", ""),
    ("clinics", "社区卫生服务中心", "point", "公共服务/医疗", "name:名称:text doctors:医生数:integer", ""),
    ("pharmacies", "药店", "point", "公共服务/医疗", "name:店名:text open24:全天营业:boolean", ""),
    ("nursing_homes", "养老院", "point", "公共服务/养老", "name:名称:text beds:床位数:integer", "养老机构，含民办"),
    ("libraries", "图书馆", "point", "公共服务/文化", "name:名称:text books:藏书量:integer", ""),
    ("museums", "博物馆", "point", "公共服务/文化", "name:名称:text visitors:年参观人次:integer", ""),
    ("sports_grounds", "体育场地", "polygon", "公共服务/体育", "name:名称:text kind:类型:text", "足球场、篮球场、游泳馆"),
    ("fire_stations", "消防站", "point", "公共安全", "name:名称:text engines:消防车数:integer", ""),
    ("police_stations", "派出所", "point", "公共安全", "name:名称:text phone:电话:text", ""),
    ("shelters", "应急避难场所", "polygon", "公共安全", "name:名称:text capacity:容纳人数:integer", ""),
    ("hydrants", "消火栓", "point", "公共安全", "code:编号:text pressure:水压:number", ""),
    ("roads_main", "主干路", "line", "交通/道路", "name:路名:text lanes:车道数:integer speed:限速:integer", ""),
    ("roads_minor", "支路", "line", "交通/道路", "name:路名:text width:宽度:number", ""),
    ("motorways", "高速公路", "line", "交通/道路", "ref:编号:text toll:收费:boolean", ""),
    ("bridges", "桥梁", "line", "交通/道路", "name:桥名:text built:建成年份:integer load:限载:number", ""),
    ("tunnels", "隧道", "line", "交通/道路", "name:名称:text length:长度:number", ""),
    ("traffic_lights", "信号灯", "point", "交通/道路", "code:编号:text", "交叉口交通信号灯"),
    ("parking_lots", "停车场", "polygon", "交通/静态交通", "name:名称:text spaces:泊位数:integer", ""),
    ("charging_piles", "充电桩", "point", "交通/静态交通", "operator:运营商:text power_kw:功率:number", "电动汽车充电设施"),
    ("petrol_stations", "加油站", "point", "交通/静态交通", "name:名称:text brand:品牌:text", ""),
    ("bus_stops", "公交站", "point", "交通/公共交通", "name:站名:text lines:途经线路:text", ""),
    ("bus_routes", "公交线路", "line", "交通/公共交通", "route:线路号:text headway:发车间隔:integer", ""),
    ("metro_lines", "地铁线路", "line", "交通/公共交通", "line:线路:text opened:开通年份:integer", ""),
    ("metro_stations", "地铁站", "point", "交通/公共交通", "name:站名:text exits:出入口数:integer", ""),
    ("railways", "铁路", "line", "交通/对外交通", "name:线名:text gauge:轨距:integer", ""),
    ("ferry_piers", "码头", "point", "交通/对外交通", "name:名称:text berths:泊位:integer", "客运和货运码头"),
    ("bike_lanes", "自行车道", "line", "交通/慢行", "width:宽度:number surface:路面:text", ""),
    ("footpaths", "人行道", "line", "交通/慢行", "width:宽度:number", ""),
    ("rivers", "河流", "line", "自然资源/水系", "name:河名:text order:等级:integer", "河道中心线"),
    ("lakes", "湖泊", "polygon", "自然资源/水系", "name:湖名:text depth:平均水深:number", ""),
    ("reservoirs", "水库", "polygon", "自然资源/水系", "name:名称:text storage:库容:number", ""),
    ("flood_zones", "洪水淹没区", "polygon", "自然资源/灾害", "return_p:重现期:integer depth:水深:number", ""),
    ("landslides", "滑坡隐患点", "point", "自然资源/灾害", "level:风险等级:text", "地质灾害隐患"),
    ("forests", "林地", "polygon", "自然资源/植被", "species:树种:text age:林龄:integer", ""),
    ("wetlands", "湿地", "polygon", "自然资源/植被", "type:类型:text", ""),
    ("street_trees", "行道树", "point", "自然资源/植被", "species:树种:text dbh:胸径:number", ""),
    ("farmland", "永久基本农田", "polygon", "自然资源/土地", "dlbm:地类编码:text area:面积:number", ""),
    ("landuse", "土地利用现状", "polygon", "自然资源/土地", "dlmc:地类名称:text dlbm:地类编码:text", "第三次国土调查"),
    ("parcels", "宗地", "polygon", "自然资源/土地", "zddm:宗地代码:text qlr:权利人:text", ""),
    ("soil_types", "土壤类型", "polygon", "自然资源/土地", "soil:土类:text ph:酸碱度:number", ""),
    ("elevation", "数字高程模型", "raster", "自然资源/地形", "", "格网 5 米"),
    ("slope", "坡度图", "raster", "自然资源/地形", "", ""),
    ("contours", "等高线", "line", "自然资源/地形", "elev:高程:number", ""),
    ("orthophoto", "航拍影像", "raster", "影像", "", "无人机正射影像"),
    ("ndvi", "植被指数", "raster", "影像", "", ""),
    ("night_lights", "夜间灯光", "raster", "影像", "", ""),
    ("land_temp", "地表温度", "raster", "影像", "", "热岛分析用"),
    ("provinces", "省界", "polygon", "行政区划", "code:代码:text name:名称:text", ""),
    ("counties", "区县界", "polygon", "行政区划", "code:代码:text name:名称:text pop:人口:integer", ""),
    ("subdistricts", "街道办事处", "polygon", "行政区划", "code:代码:text name:名称:text", ""),
    ("communities", "社区", "polygon", "行政区划", "name:名称:text households:户数:integer", ""),
    ("villages", "行政村", "polygon", "行政区划", "name:村名:text pop:人口:integer", ""),
    ("census_grid", "人口网格", "polygon", "社会经济", "pop:常住人口:integer age65:老年人口:integer", "人口普查 1 公里网格"),
    ("gdp", "地区生产总值", "table", "社会经济", "year:年份:integer gdp:生产总值:number", ""),
    ("companies", "企业名录", "point", "社会经济", "name:企业名称:text staff:从业人数:integer", ""),
    ("shops", "商铺", "point", "社会经济", "name:店名:text kind:业态:text", ""),
    ("malls", "购物中心", "polygon", "社会经济", "name:名称:text floor_area:建筑面积:number", ""),
    ("hotels", "酒店", "point", "社会经济", "name:名称:text stars:星级:integer", ""),
    ("restaurants", "餐馆", "point", "社会经济", "name:名称:text cuisine:菜系:text", ""),
    ("house_prices", "房价", "point", "社会经济", "price:单价:number deal_date:成交日期:date", "二手房成交"),
    ("buildings", "建筑物", "polygon", "基础地理", "floors:层数:integer height:高度:number", ""),
    ("addresses", "门牌地址", "point", "基础地理", "addr:地址:text", ""),
    ("place_names", "地名", "point", "基础地理", "name:地名:text", ""),
    ("control_points", "测量控制点", "point", "基础地理", "code:点号:text h:高程:number", ""),
    ("water_pipes", "供水管线", "line", "市政管网", "dn:管径:integer material:材质:text", ""),
    ("sewers", "污水管", "line", "市政管网", "dn:管径:integer slope:坡度:number", ""),
    ("storm_drains", "雨水管", "line", "市政管网", "dn:管径:integer", ""),
    ("gas_pipes", "燃气管道", "line", "市政管网", "pressure:压力:number", ""),
    ("power_lines", "高压电力线", "line", "市政管网", "kv:电压:integer", ""),
    ("substations", "变电站", "point", "市政管网", "kv:电压:integer name:名称:text", ""),
    ("manholes", "井盖", "point", "市政管网", "code:编号:text", ""),
    ("street_lamps", "路灯", "point", "市政管网", "code:编号:text watt:功率:integer", ""),
    ("base_stations", "通信基站", "point", "市政管网", "operator:运营商:text", "5G 与 4G"),
    ("waste_sites", "垃圾转运站", "point", "环境卫生", "name:名称:text capacity:日处理量:number", ""),
    ("public_toilets", "公共厕所", "point", "环境卫生", "name:名称:text stalls:蹲位数:integer", ""),
    ("air_quality", "空气质量监测站", "point", "环境卫生", "pm25:PM2.5:number aqi:AQI:integer", ""),
    ("noise", "噪声监测点", "point", "环境卫生", "db_day:昼间分贝:number", ""),
    ("parks", "城市公园", "polygon", "绿地景观", "name:园名:text area_ha:面积公顷:number", ""),
    ("heritage", "文物保护单位", "point", "绿地景观", "name:名称:text grade:级别:text era:年代:text", ""),
    ("scenic_spots", "旅游景区", "polygon", "绿地景观", "name:名称:text rating:A级:text", ""),
    ("zoning", "控制性详细规划", "polygon", "规划", "far:容积率:number height:限高:number", "控规地块指标"),
    ("redline", "生态保护红线", "polygon", "规划", "type:类型:text", ""),
    ("urban_growth", "城镇开发边界", "polygon", "规划", "area:面积:number", ""),
    ("projects", "重点建设项目", "point", "规划", "name:项目名称:text invest:投资额:number", ""),
    ("taxi_gps", "出租车轨迹", "line", "大数据", "plate:车牌:text t:时间:date", ""),
    ("crimes", "案件", "point", "公共安全", "kind:案由:text date:日期:date", ""),
    ("accidents", "交通事故", "point", "公共安全", "date:日期:date injured:受伤人数:integer", ""),
)  # fmt: skip


def _entry(number: int, name: str, theme: tuple[str, str, str, str, str, str], file: str) -> dict[str, Any]:
    fields = [each.split(":") for each in theme[4].split()]
    return {
        "layer_id": name.replace(" ", "_"),
        "name": name,
        "kind": theme[2],
        "group": theme[3].replace("/", " / "),
        "abstract": theme[5],
        "visible": number % 5 == 0,
        "crs": "EPSG:4326",
        "fields": [{"name": each[0], "alias": each[1], "type": each[2]} for each in fields],
        "file": file,
    }


def many_layers(count: int = 300) -> list[dict[str, Any]]:
    """``count`` layers: first each theme once, in Chinese, English or with its file's code; then years and districts of them.

    Deterministic. Names are unique; ``layer_id`` is the name with blanks as "_". From 900 layers on names are numbered.
    """
    chance = random.Random(SEED)
    made: list[dict[str, Any]] = []
    for theme in THEMES:
        english, chinese = theme[0], theme[1]
        name = chance.choice((chinese, chinese, english, english.replace("_", " ").title()))
        made.append(_entry(len(made), name, theme, f"{english}.shp"))
    taken = {each["name"] for each in made}
    while len(made) < count:
        theme = chance.choice(THEMES)
        (district, latin), year = chance.choice(_DISTRICTS), chance.choice(_YEARS)
        name = chance.choice((
            f"{district}{theme[1]}", f"{theme[0]}_{latin}", f"{theme[1]}_{year}", f"{theme[0]}_{year}",
            f"{district}{theme[1]}{year}",
        ))  # fmt: skip
        if name in taken and len(made) >= 900:
            name = f"{name}_{len(made)}"
        if name not in taken:
            taken.add(name)
            made.append(_entry(len(made), name, theme, f"{theme[0]}_{latin}_{year}.gpkg"))
    return made[:count]
