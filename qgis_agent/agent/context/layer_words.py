"""The bilingual glossary of the search over layers: concepts, and the words of a text that name one.

``glossary.txt`` has a concept a line. Known words are no typing errors of others, so that it also says what is *not* meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from .layer_text import is_han, tokens, units

_PATH = Path(__file__).with_name("glossary.txt")
_MAX_WORDS = 4
_MAX_CHARACTERS = 8
STOP = frozenset(
    """a about all along an any are as at be by can contain containing could data dataset did do does each every feature file find
    for from get give go has have having here how i in info information into is it its layer like list location look made many map me
    much my near need of on onto our place please position s search see shapefile show showing some tell than that the their theme
    there these thing this those to us use used using want was way we were what when where which who whose will with would you your
    tif tiff geotiff img shp gpkg csv json geojson kml kmz gpx dxf dwg xlsx xls txt zip dbf tab gdb sqlite
    display hide turn zoom load visible exist please thank know
    lie situated located everything anything""".split()
)
"""English words that say nothing of what a layer holds, singular."""
WEAK = frozenset(
    """area big bigger building_type center centre city class code count current day density detail distribution facility group hot id
    index kind level line local main model name national network new number old per point polygon public quality raster rate
    boundary border outline children kid kids polyline shape geometry coverage
    rural private busy tall historic nearby large major minor
    existing future open closed free modern official regional entire whole different various state_owned important special
    common real own latest recent first second third better best good dangerous safe available current
    region resort service site size small station system table total type unit urban value year zone child yard""".split()
)
"""English words that alone do not make a layer the meant one, singular."""
STOP_HAN = frozenset(
    """的 了 在 是 有 些 给 把 请 我 你 要 想 看 找 查 年 图 里 哪 哪里 哪些 哪儿 哪个 什么 多少 图层 数据 地方 位置 分布 情况
    信息 查找 查询 搜索 显示 所有 全部 每个 各个 每 各 个 一下 那个 这个 关于 里面 相关 专题 专题图 地图 分布图 要素 文件 点位 点 层 叫 做
    名字叫 在哪 怎么样 怎样 关于 包含 附近 之类 东西 可以 能 能够 看到 看见 见 到 看看 帮 帮我 需要 想要 吗 呢 吧 啊
    有没有 是否 存在 都 有关 把 将 出来 出 上 上面 下 去 来 从 对 等 为 用 那些 这些 那 这 几个 多少个 统计 分析 列出 打开 关闭 关掉 隐藏
    加载 定位 缩放 缩放到 一张 一个 一份 我的 我们 我们的 他们
    大家 谢谢 麻烦 知道 告诉 现在 目前 当前 里边 其中 属于 叫作 名为 称为 所在 所在地 什么地方 怎么""".split()
)
EITHER = frozenset("and or 和 与 及 或 跟 以及 还有".split())
"""Words between things each of which may be meant."""
FUNCTION_HAN = frozenset("的了在和与及或是些给把请我你要想每各哪跟")
"""Characters that begin or end no word of a name."""
WEAK_HAN = frozenset(
    """边界 界线 界 线 面 区 站 数 数量 量 名称 类型 代码 编号 编码 等级 级别 面积 年份 密度
    范围 质量 设施 区域 中心 单位 项目 城市 公共 大 小 新 旧
    民办 公办 私立 公立 主要 重要 重点 大型 小型 农村 城乡 城区 城镇 现有 已有 最新 历史 危险 本地 当地 周边
    免费 开放 国家级 省级 市级 区级 详细 基本 基础 总 全市 全区 全国 市 县 省 管线 服务 系统 场 所 路 带 现状 类""".split()
)


@dataclass(frozen=True)
class Piece:
    """A part of a text: its token or tokens joined, and the concepts that it names (none for other words)."""

    text: str
    words: tuple[str, ...]
    concepts: tuple[int, ...]
    units: float

    @property
    def han(self) -> bool:
        """Whether it is of Chinese characters."""
        return is_han(self.text)


class Glossary:
    """Concepts by word, and which is the broader one of which."""

    def __init__(self, lines: list[str]) -> None:
        self.by_word: dict[str, list[int]] = {}
        self.han_words: dict[str, list[int]] = {}
        self.phrase_words: set[str] = set()
        self.of_joined: dict[str, tuple[str, ...]] = {}
        """The words of the phrases of several, by their joined text."""
        self._phrases: set[tuple[str, ...]] = set()
        self.narrower: dict[int, list[int]] = {}
        self.near_broader: dict[int, list[int]] = {}
        rows = [[part.strip() for part in line.split("|")] for line in lines if line.strip() and line[0] != "#"]
        names: dict[str, int] = {}
        for at, (english, chinese, _broader) in enumerate(rows):
            names.setdefault(english.split(",")[0].strip(), at)
            for word in filter(None, (each.strip() for each in english.split(","))):
                words = tokens(word)
                if len(words) > 1:
                    self.of_joined["".join(words)] = words
                _add(self.by_word, "".join(words), at)
                self._phrases.add(words)
                self.phrase_words.update(words)
            for word in filter(None, (each.strip() for each in chinese.split(","))):
                _add(self.han_words, word, at)
        for at, (_english, _chinese, broader) in enumerate(rows):
            for word in filter(None, (each.strip() for each in broader.split(","))):
                above = names[word.lstrip("^")]
                self.narrower.setdefault(above, []).append(at)
                if word.startswith("^"):
                    self.near_broader.setdefault(at, []).append(above)

    @cached_property
    def phrase_list(self) -> list[str]:
        """The words of which phrases are made, and single ones, sorted."""
        return sorted(self.phrase_words)

    @cached_property
    def joined_list(self) -> list[str]:
        """The phrases of several words, joined, sorted."""
        return sorted(self.of_joined)

    def is_phrase(self, words: Sequence[str]) -> bool:
        """Whether several words are one of the glossary's."""
        return len(words) > 1 and tuple(words) in self._phrases

    def kinds_of(self, concept: int) -> dict[int, int]:
        """A concept and all narrower ones, with how many steps they are below it."""
        steps, open_ = {concept: 0}, [concept]
        while open_:
            above = open_.pop(0)
            for each in self.narrower.get(above, ()):
                if each not in steps:
                    steps[each] = steps[above] + 1
                    open_.append(each)
        return steps

    def pieces(self, text_tokens: tuple[str, ...]) -> list[Piece]:
        """The tokens of a text as pieces: the longest words of the glossary, and what is between them."""
        found: list[Piece] = []
        at = 0
        while at < len(text_tokens):
            if is_han(text_tokens[at]):
                found.extend(self._han_pieces(text_tokens[at]))
                at += 1
                continue
            taken = self._phrase(text_tokens, at)
            words = text_tokens[at : at + taken]
            joined = "".join(words)
            found.append(Piece(joined, words, tuple(self.by_word.get(joined, ())), float(taken)))
            at += taken
        return found

    def _phrase(self, text_tokens: tuple[str, ...], at: int) -> int:
        """How many tokens from ``at`` make the longest phrase of the glossary; 1 where none does."""
        joined, longest = "", 1
        for taken, token in enumerate(text_tokens[at : at + _MAX_WORDS], 1):
            if is_han(token):
                break
            joined += token
            if joined in self.by_word:
                longest = taken
        return longest

    def _han_pieces(self, run: str) -> list[Piece]:
        return [
            Piece(part, (part,), tuple(self.han_words.get(part, ())) if self.is_word(part, run) else (), units(part))
            for part, _ in split_run(run, lambda part: len(part) ** 2 if self.is_word(part, run) else 0.0)
        ]

    def is_word(self, part: str, run: str) -> bool:
        """Whether a part of a run of characters is a known word; a single character only where it is the whole run."""
        return part in self.han_words and (len(part) > 1 or part == run)


def split_run(run: str, value: Callable[[str], float], longest: int = _MAX_CHARACTERS) -> list[tuple[str, float]]:
    """A run of characters in parts, so that the sum of their values is greatest; characters of no value stay together."""
    best: list[tuple[float, int, float]] = [(0.0, 0, 0.0)]  # until here: value of all, start and value of the last part
    for end in range(1, len(run) + 1):
        choices = [(best[end - 1][0], end - 1, 0.0)]
        for start in range(max(0, end - longest), end):
            worth = value(run[start:end])
            if worth:
                choices.append((best[start][0] + worth, start, worth))
        best.append(max(choices, key=lambda each: (each[0], -each[1])))
    parts: list[tuple[str, float]] = []
    end = len(run)
    while end:
        _, start, worth = best[end]
        part = run[start:end]
        if not worth and parts and not parts[-1][1]:
            parts[-1] = (part + parts[-1][0], 0.0)
        else:
            parts.append((part, worth))
        end = start
    return parts[::-1]


@lru_cache(maxsize=1)
def glossary() -> Glossary:
    """The glossary; read when it is first asked for."""
    return Glossary(_PATH.read_text(encoding="utf-8").splitlines())


@lru_cache(maxsize=65_536)
def pieces_of(text: str) -> tuple[Piece, ...]:
    """The pieces of a text. Kept, because a catalogue is pushed again and again."""
    return tuple(glossary().pieces(tokens(text)))


def _add(table: dict[str, list[int]], word: str, concept: int) -> None:
    kept = table.setdefault(word, [])
    if concept not in kept:
        kept.append(concept)
