"""The project's layers as QGIS pushed them, and the search over them."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...bridge.messages import CatalogueLayer

_KINDS = ("point", "line", "polygon", "raster", "table", "other")
_WORDS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff\uf900-\ufaff]+")
_SAME: tuple[tuple[str, ...], ...] = (
    ("school", "schools", "education", "学校", "小学", "中学", "教育"),
    ("hospital", "hospitals", "clinic", "医院", "医疗", "诊所"),
    ("street", "streets", "subdistrict", "街道"),
    ("road", "roads", "highway", "道路", "公路", "路网"),
    ("district", "districts", "county", "区县", "行政区", "区划"),
    ("bus", "stop", "stops", "公交", "公交站", "车站", "站点"),
    ("metro", "subway", "地铁", "轨道"),
    ("railway", "rail", "train", "铁路"),
    ("river", "rivers", "河流", "水系", "河道"),
    ("lake", "lakes", "water", "湖泊", "水体", "水面"),
    ("building", "buildings", "建筑", "楼房"),
    ("park", "parks", "公园", "绿地"),
    ("city", "cities", "town", "城市"),
    ("country", "countries", "nation", "国家", "国界"),
    ("world", "世界"),
    ("province", "provinces", "state", "states", "省", "省份"),
    ("village", "villages", "村", "村庄"),
    ("boundary", "border", "boundaries", "边界", "界线"),
    ("population", "人口"),
    ("elevation", "height", "dem", "terrain", "高程", "地形"),
    ("land", "landuse", "parcel", "土地", "用地", "地块"),
    ("facility", "facilities", "public", "设施", "公共设施"),
    ("shop", "shops", "store", "商店", "超市"),
    ("name", "名称"),
    ("area", "面积"),
    ("code", "代码", "编码"),
)
_FAMILY: Mapping[str, frozenset[str]] = {word: frozenset(group) for group in _SAME for word in group}

_WEIGHTS = (("layer_id", 10.0), ("name", 10.0), ("group", 4.0), ("abstract", 3.0), ("fields", 3.0))


class CatalogueStore:
    """The layers of the open project. QGIS replaces the whole list when anything changes."""

    def __init__(self) -> None:
        self._layers: tuple[CatalogueLayer, ...] = ()
        self.project_id = ""
        self.revision = 0

    def replace(self, layers: Any, project_id: str) -> int:
        """Take a pushed list. Entries that are no layers are left out; returns how many were."""
        entries = layers if isinstance(layers, list) else []
        kept = [_as_layer(each) for each in entries if isinstance(each, dict) and isinstance(each.get("layer_id"), str)]
        self._layers = tuple(kept)
        self.project_id = project_id
        self.revision += 1
        return len(entries) - len(kept) if isinstance(layers, list) else 1

    def layers(self) -> list[CatalogueLayer]:
        """The layers in the order of the layer tree."""
        return list(self._layers)


def _as_layer(raw: Mapping[str, Any]) -> CatalogueLayer:
    fields = raw.get("fields")
    return {
        "layer_id": raw["layer_id"],
        "name": str(raw.get("name", raw["layer_id"])),
        "kind": raw["kind"] if raw.get("kind") in _KINDS else "other",
        "group": str(raw.get("group", "")),
        "abstract": str(raw.get("abstract", "")),
        "visible": bool(raw.get("visible")),
        "crs": str(raw.get("crs", "")),
        "fields": [
            {
                "name": str(each.get("name", "")),
                "alias": str(each.get("alias", "")),
                "type": str(each.get("type", "other")),
            }
            for each in (fields if isinstance(fields, list) else [])
            if isinstance(each, dict)
        ],
    }


def fold(text: str) -> str:
    """Text for comparing: compatibility forms joined, accents and case gone, "_" and "-" as blanks."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(re.sub(r"[_\-./]+", " ", unicodedata.normalize("NFKC", plain)).split())


def rank_layers(layers: Sequence[CatalogueLayer], query: str, kind: str = "any") -> list[CatalogueLayer]:
    """The layers that match, best first; equal ones in the order of the tree. An empty query matches all."""
    wanted = [each for each in layers if kind in ("any", each["kind"])]
    folded = fold(query)
    if not folded:
        return wanted
    scored = [(score(layer, folded), at, layer) for at, layer in enumerate(wanted)]
    return [layer for points, _, layer in sorted(scored, key=lambda each: (-each[0], each[1])) if points > 0]


def score(layer: CatalogueLayer, folded_query: str) -> float:
    """How well a layer fits a folded query; 0 is not at all."""
    texts: dict[str, list[str]] = {
        "layer_id": [fold(layer["layer_id"])],
        "name": [fold(layer["name"])],
        "group": [fold(layer["group"])],
        "abstract": [fold(layer["abstract"])],
        "fields": [fold(text) for each in layer["fields"] for text in (each["name"], each["alias"]) if text],
    }
    if folded_query in texts["layer_id"] + texts["name"]:
        return 100.0
    words = _WORDS.findall(folded_query) or [folded_query]
    return sum(max(weight * _match(word, texts[key]) for key, weight in _WEIGHTS) for word in words)


def _match(word: str, texts: Iterable[str]) -> float:
    """1 for the word itself, less for a part of it, a word of the same meaning, or a near miss; 0 for none."""
    best = 0.0
    for text in texts:
        if text:
            best = max(best, _match_one(word, text))
    return best


def _match_one(word: str, text: str) -> float:
    tokens = _WORDS.findall(text)
    if word in tokens:
        return 1.0
    if len(word) >= 2 and word in text:
        return 0.8
    family = _family(word)
    if any(each in tokens or (not each.isascii() and each in text) for each in family):
        return 0.7
    if not word.isascii():
        inside = [each for each in tokens if len(each) >= 2 and not each.isascii() and each in word]
        return 0.6 if inside else 0.0
    if len(word) >= 4 and difflib.get_close_matches(
        word, [each for each in tokens if each.isascii()], n=1, cutoff=0.75
    ):
        return 0.5
    return 0.0


def _family(word: str) -> frozenset[str]:
    """Words that mean the same, in English and Chinese. A longer Chinese text has the families of the words in it."""
    if word.isascii():
        return _FAMILY.get(word, frozenset())
    return frozenset(
        same for known, family in _FAMILY.items() if not known.isascii() and known in word for same in family
    )
