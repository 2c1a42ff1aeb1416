"""Fifty texts of the kinds that requests are made of, to measure an estimate of tokens against a tokenizer.

Ten each: English, German, Chinese, WKT, JSON. Written for this test: the numbers of the estimate were fitted on other texts
(see ``qgis_agent/agent/llm/tokens.py``).
"""

from __future__ import annotations

import json
import math
import random

ENGLISH = (
    "How many schools are inside each of the three streets, and which one has the highest density per square kilometre?",
    "Hide the road layer, zoom to the old town and colour the buildings by their number of floors in five classes.",
    "The buffer was computed in EPSG:32649 because the layer is in degrees. All 186 features were valid; the result is a "
    "temporary layer in the group Agent results and can be removed again with Undo.",
    "Select every parcel whose area is larger than 2,500 m² and whose owner is not null, then tell me the total area in "
    "hectares and the share of the whole district. Do not change the source data.",
    "# Rules\n\n- Call one tool at a time when a later call needs an earlier result.\n- Never invent a layer name; search "
    "first.\n- Say the unit of each number.\n- If two layers fit, ask the person which one is meant.\n",
    "I want a map for a printed report: A4 landscape, a legend on the right, a scale bar in kilometres, a north arrow, and "
    "as title the name of the project. Export it as PDF with 300 dpi when I have looked at the preview.",
    "Error: the field 'popul' does not exist in layer cities. Did you mean 'population'? Valid fields: 'name', 'population', "
    "'capital', 'country_code', 'elevation_m' and 7 more.",
    "Join the table of bus departures to the stops by stop_id, count departures between 07:00 and 09:00 on weekdays, and show "
    "stops with more than 30 departures as larger circles. Ignore stops without a name.",
    "What does the colour mean here? I see green in the north, but the legend only lists blue, yellow and red. Also, why is "
    "the lake drawn above the islands?",
    "Interpolating the 412 rain gauges with inverse distance weighting gives a surface between 38.2 mm and 97.6 mm; the mean "
    "absolute error by leaving one gauge out at a time is 4.1 mm. The two stations on the ridge are underestimated.",
)
GERMAN = (
    "Wie viele Schulen liegen in jeder der drei Straßen, und welche hat die höchste Dichte pro Quadratkilometer?",
    "Blende die Straßenebene aus, zoome auf die Altstadt und färbe die Gebäude nach der Anzahl der Stockwerke in fünf Klassen.",
    "Der Puffer wurde in EPSG:25832 berechnet, weil der Layer in Grad vorliegt. Alle 186 Objekte waren gültig; das Ergebnis ist "
    "ein temporärer Layer in der Gruppe Agentenergebnisse und lässt sich rückgängig machen.",
    "Wähle jedes Flurstück, dessen Fläche größer als 2.500 m² ist und dessen Eigentümer bekannt ist, und nenne mir die "
    "Gesamtfläche in Hektar sowie den Anteil am ganzen Landkreis. Die Quelldaten bleiben unverändert.",
    "Ich brauche eine Karte für einen gedruckten Bericht: A4 quer, rechts die Legende, ein Maßstabsbalken in Kilometern, ein "
    "Nordpfeil und als Titel der Name des Projekts. Bitte erst nach der Vorschau als PDF ausgeben.",
    "Das Feld »einwohner« gibt es im Layer Gemeinden nicht. Gemeint ist vermutlich »einwohnerzahl«. Vorhanden sind außerdem "
    "»gemeindeschlüssel«, »landkreis« und »höhe_m«.",
    "Verschneide die Überschwemmungsgebiete mit den Bebauungsplänen und berechne die betroffene Wohnfläche je Stadtteil.",
    "Warum liegt der See über den Inseln? Und was bedeutet die grüne Farbe im Norden, die in der Legende gar nicht vorkommt?",
    "Verknüpfe die Abfahrten mit den Haltestellen, zähle die Abfahrten zwischen 7 und 9 Uhr an Werktagen und zeige "
    "Haltestellen mit mehr als 30 Abfahrten als größere Kreise.",
    "Die Interpolation der 412 Niederschlagsmessstellen ergibt Werte zwischen 38,2 mm und 97,6 mm; der mittlere Fehler beträgt "
    "4,1 mm. Die beiden Stationen auf dem Höhenrücken werden unterschätzt.",
)
CHINESE = (
    "这三个街道里各有多少所学校?哪一个街道每平方公里的学校密度最高?",
    "把道路图层关掉,缩放到老城区,按楼层数把建筑分成五级设色。",
    "缓冲区在 EPSG:32649 中计算,因为原图层的坐标是经纬度。186 个要素全部有效,结果是一个临时图层,可以撤销。",
    "选出面积大于 2500 平方米并且权属人不为空的地块,告诉我总面积是多少公顷,占全区的百分之几。不要修改源数据。",
    "我要一张打印报告用的地图:A4 横向,图例放在右侧,比例尺用公里,加指北针,标题用项目名称。先给我看预览,再导出 PDF。",
    "字段“人口数”在图层“城市”里不存在,是不是想用“人口”?可用的字段有:名称、人口、省份、海拔等。",
    "将公交时刻表按站点编号连接到公交站,统计工作日早上七点到九点的发车次数,超过三十次的站点用大圆点显示。",
    "为什么湖泊画在岛屿上面?北边的绿色是什么意思?图例里只有蓝色、黄色和红色。",
    "对四百一十二个雨量站做反距离加权插值,结果在 38.2 毫米到 97.6 毫米之间,留一交叉验证的平均误差是 4.1 毫米。",
    "已完成:统计各街道的学校数量,按密度分五级设色,叠加医院图层。未完成:导出专题图。如需继续,请发送“继续”。",
)


def wkt_texts() -> list[str]:
    """Ten geometries: points, lines, polygons and collections, of several precisions, some projected."""
    chance = random.Random(11)
    texts = []
    for number in range(10):
        digits = (2, 4, 5, 6, 8)[number % 5]
        east, north = (113.0, 23.0) if number < 6 else (512_000.0, 5_403_000.0)
        reach = 0.3 if number < 6 else 900.0
        ring = [
            f"{east + reach * math.cos(at) * chance.random():.{digits}f} {north + reach * math.sin(at):.{digits}f}"
            for at in [0.5 * step for step in range(6 + 3 * number)]
        ]
        ring.append(ring[0])
        body = ", ".join(ring)
        texts.append(
            (f"LINESTRING ({body})", f"POLYGON (({body}))", f"MULTIPOINT (({body.replace(', ', '), (')}))")[number % 3]
        )
    return texts


def json_texts() -> list[str]:
    """Ten documents: envelopes, arguments, a tool's schema, a style, a snapshot, GeoJSON."""
    names = ("岳麓街道", "Rue de Rivoli", "Schillerstraße", "North Pier", "五一广场")
    rows = [
        {"fid": 17 * at + 3, "name": names[at % 5], "pop": 1200 + 731 * at, "area_km2": round(0.7 + at / 7, 3)}
        for at in range(9)
    ]
    place = {"type": "Point", "coordinates": [112.98163, 28.19874]}
    documents = [
        {"ok": True, "data": {"layer_id": "schools", "count": 186, "count_kind": "exact"}, "message": ""},
        {"ok": True, "data": {"total": 940, "rows": rows, "result_ref": "8f14e45f-ceea-467f-9575-6f1c2b3d4e5f"}},
        {
            "ok": False,
            "code": "INVALID_PARAM",
            "reason": "tool_arguments",
            "message": "The field 'popul' does not exist.",
            "hint": "Did you mean 'population'?",
            "retryable": True,
        },
        {"layer_id": "streets", "where": [{"field": "area", "op": "gt", "value": 2.5}], "limit": 50},
        {
            "type": "function",
            "function": {
                "name": "count_by_class",
                "description": "Counts the features of each class of a field. Use it before a categorized style.",
                "parameters": {
                    "type": "object",
                    "properties": {"layer_id": {"type": "string"}, "field": {"type": "string"}},
                    "required": ["layer_id", "field"],
                    "additionalProperties": False,
                },
            },
        },
        {
            "renderer": "graduated",
            "field": "density",
            "palette": "YlOrRd",
            "classes": {f"c{at}": {"order": at, "lower": 1.5 * at, "colour": f"#f{at}8d3c"} for at in range(5)},
        },
        {"project": "长沙市", "crs": "EPSG:4490", "visible": ["街道", "学校", "医院"], "selected": {"学校": 12}},
        {"type": "Feature", "geometry": place, "properties": {"name": "橘子洲", "visitors": 18233}},
        [{"tool": "buffer_layer", "ms": 412, "code": "OK"}, {"tool": "zoom_to", "ms": 9, "code": "OK"}],
        {"min": -12.75, "max": 8848.86, "mean": 214.0391, "stdev": 98.11, "nodata": -9999, "bands": 1},
    ]
    return [
        json.dumps(each, ensure_ascii=False, separators=(",", ":") if at % 2 == 0 else (", ", ": "))
        for at, each in enumerate(documents)
    ]


def all_texts() -> dict[str, list[str]]:
    """The fifty texts by kind."""
    return {
        "english": list(ENGLISH),
        "german": list(GERMAN),
        "chinese": list(CHINESE),
        "wkt": wkt_texts(),
        "json": json_texts(),
    }
