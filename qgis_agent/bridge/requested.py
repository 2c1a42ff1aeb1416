"""What the words of a person ask for beyond the map: a plain test of words that both processes share.

It decides nothing alone. Where text of others was read, it tells what the person wanted from what the data may have put into
a model's mouth: a write, a note, or a host that the person named.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Tuple

WRITE = "write"
NOTE = "note"
HOST = "host:"
"""Begins what stands for a host that the person named: "host:example.org:8080"."""

WRITE_WORDS: Tuple[str, ...] = (
    "export", "save as", "save to", "save the", "write to a file", "write to file", "edit the feature", "edit feature",
    "delete feature", "delete the feature", "remove layer", "remove the layer", "delete the layer", "delete layer",
    "导出", "另存", "保存为", "保存到", "保存工程", "保存项目", "输出为", "存成书签", "书签", "删除要素", "修改要素",
    "编辑要素", "删除图层", "移除图层",
)  # fmt: skip
"""English ones stand as whole words (with a plural s), Chinese ones anywhere; simplified, as ``normal`` leaves them."""

_TRADITIONAL = str.maketrans(
    "導為項輸書籤簽刪編輯圖層記別後從現總結筆難開終遠這", "导为项输书签签删编辑图层记别后从现总结笔难开终远这"
)
"""The traditional characters of the words here. Nothing more is needed of them."""
_NOTE_WORDS = re.compile(
    # not "do not remember", and not a time ("roads after 2010", 2010年以后)
    r"(?<!not )(?<!n['’]t )\bremember\b|\bfrom now on\b|\balways\b|\bin future\b|\bnext time\b|\bforget\b"
    r"|\b(?:note|write|jot) (?:that|this|it) down\b|\bnote (?:that|down)\b|\b(?:make|take|keep) a note\b"
    r"|\b(?:my|the|your|this|that|project) (?:notes?|preferences?)\b"
    r"|(?<!不要)(?<!不用)(?<!别)(?:记住|记下|记一下|记得)|别忘|忘记|忘掉|今后|从现在起|从今|下次|总是|始终|笔记|偏好"
    r"|(?<![年月日号点时\d])(?<![年月日号点时\d] )(?:以后|往后)"
)
_NOT = re.compile(r"(?:\b(?:do not|don['’]t|never|without|no need to)\s+(?:\w+\s+)?|(?:不要|不用|不必|别|勿)再?)$")
_MAKES = re.compile(
    r"\b(?:write|save|store|output|export|print|produce|create|make|generate|convert|draw|put|deliver|download)\b"
    r"|写成|写入|写到|输出|导出|保存|另存|存成|存为|生成|做成|制作|打印|转成|转为|转换[为成]"
)
_FILE = re.compile(
    r"(?<![a-z0-9_.])(?:pdf|png|svg|jpe?g|(?:geo)?json|csv|gpkg|geopackage|shapefile|kml|gpx|xlsx|excel|flatgeobuf|geotiff|dxf)"
    r"(?![a-z0-9])"
    r"|(?P<name>[\w-]+\.(?:pdf|png|svg|jpe?g|(?:geo)?json|csv|gpkg|shp|kml|gpx|xlsx|ods|fgb|gml|tiff?|dxf|tab|txt|qgz|qgs))\b"
    r"|\bto (?:a |the )?(?:file|disk)\b|成?文件"
)
_FROM = re.compile(r"\b(?:from|of|on|using|with|by|load|open|add|read|import)\s+(?:the |an? |my |our )?[`'\"“]?$")
_INSIDE = re.compile(r"\b(?:in|inside)\s+(?:the |an? |my |our )?[`'\"“]?$")
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")
_URL = re.compile(r"\bhttps?://([^\s/?#\"'<>，。；、（）()]+)", re.IGNORECASE)
_BARE_HOST = re.compile(
    r"(?<![\w./\\@-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+|\d{1,3}(?:\.\d{1,3}){3}|localhost)(:\d{1,5})?"
    r"(?![\w@-])",
    re.IGNORECASE | re.ASCII,
)
_FILES = frozenset(
    """gpkg shp dbf prj cpg geojson json csv tsv txt md kml kmz gml gpx tif tiff vrt asc xyz img jp2 nc qgs qgz qml sld xlsx xls
    ods pdf png jpg jpeg svg zip gz tar py sh html xml sqlite db fgb parquet las laz dxf dwg tab mif docx log""".split()
)
"""Endings of files: "schools.zip" in a request is a file, although there are such top-level domains."""


def requested_by(text: str) -> Tuple[str, ...]:
    """What a person's words ask for: WRITE (export, save …), NOTE (remember, from now on, forget …), HOST + each host named.

    A host is as ``host_of`` in gis/sources/urls.py gives it: lower case, with the port where one is named.
    """
    words = normal(text)
    sentences = _SENTENCE.split(unicodedata.normalize("NFKC", text).casefold().translate(_TRADITIONAL))
    wanted = any(_asked(each, words) for each in WRITE_WORDS) or any(map(_makes_file, sentences))
    found = [WRITE] if wanted else []
    if _NOTE_WORDS.search(words):
        found.append(NOTE)
    return (*found, *(HOST + each for each in hosts_in(text)))


def hosts_in(text: str) -> Tuple[str, ...]:
    """The hosts that a text names, in an address or alone, in order, each once."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    found = [each.group(1).rpartition("@")[2].rstrip(".,;:!") for each in _URL.finditer(lowered)]
    rest = _URL.sub(" ", lowered)
    for each in _BARE_HOST.finditer(rest):
        if each.group(1).rpartition(".")[2] not in _FILES:
            found.append(each.group(1) + (each.group(2) or ""))
    return tuple(dict.fromkeys(each for each in found if each))


def normal(text: str) -> str:
    """A text for matching words: case, width and the traditional characters of our words make no difference."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).translate(_TRADITIONAL)


def _asked(word: str, text: str) -> bool:
    """Whether a word stands in a ``normal`` text at least once without a "do not" right before it."""
    pattern = re.escape(word)
    if word[0].isascii():
        pattern = r"(?<![a-z0-9])" + pattern + r"(?:s|es)?(?![a-z0-9])"
    return any(_NOT.search(text[: each.start()]) is None for each in re.finditer(pattern, text))


def _makes_file(sentence: str) -> bool:
    """Whether a sentence wants a file: "write … to x.gpkg", "a map as PDF"; not "a chart from x.csv", not "do not …"."""
    for verb in _MAKES.finditer(sentence):
        if _NOT.search(sentence[: verb.start()]) is not None:
            continue
        rest = sentence[verb.end() :]
        for each in _FILE.finditer(rest):
            before = rest[: each.start()]
            if _FROM.search(before) is None and (each.group("name") is None or _INSIDE.search(before) is None):
                return True
    return False
