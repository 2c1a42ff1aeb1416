"""What words that point back mean: "that layer", 刚才那个图层, "the result", "the top layer", "the point layer".

From what is known only: what was touched last (``recent`` of the snapshot), what the conversation made (the blackboard), the
order and kinds of the layers. One answer, or all that it can be; nothing is picked from several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...bridge.messages import CatalogueLayer
from ..offline.naming import is_result
from .blackboard import Blackboard
from .layer_text import fold

_HANDLE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")
_KIND_WORDS: tuple[tuple[str, str], ...] = (
    ("point", r"\bpoints?\b|点(?:状|要素)?(?:的)?(?:矢量)?(?:图?层|数据)?"),
    ("line", r"\b(?:poly)?lines?\b|线(?:状|要素)?(?:的)?(?:矢量)?(?:图?层|数据)?"),
    ("polygon", r"\bpolygons?\b|(?:多边形|(?<![上下前后里外方])面)(?:状|要素)?(?:的)?(?:矢量)?(?:图?层|数据)?"),
    ("raster", r"\brasters?\b|栅格(?:图?层|数据)?"),
    ("table", r"\btables?\b|(?:属性)?表格?"),
)
_ORDINALS = {each: at for at, each in enumerate("first second third fourth fifth sixth seventh eighth".split())} | {
    each: at for at, each in enumerate("一二三四五六七八")
}  # fmt: skip
_ORDINAL = re.compile(
    r"\b(?P<en>"
    + "|".join(list(_ORDINALS)[:8])
    + r")\b(?! action)|第(?P<zh>[一二三四五六七八])|\bnumber (?P<n>[1-8])\b"
)
_FILLER = re.compile(
    r"\b(?:the|that|this|those|these|of|a|an|one|ones|layers?|map|on|in|features?|dataset|data|same|is|which|i|we|you|just|now|"
    r"please|my|our|visible|all|other)\b|[的个那这该此些是在了图层数据要素它们里上下]|刚才|刚刚|之前|上次|先前|上面|下面|几"
)
_SEVERAL = re.compile(r"\b(?:these|those) (?:layers|ones)\b|\blayers\b|这些|那些|几个")
_TWO = re.compile(r"\b(?:two|both)\b|[两俩]个?|二者|两者")
_OTHER = re.compile(r"\bother\b|\banother\b|另外?一?个|其他")
_ACTIVE = re.compile(r"\b(?:active|current(?:ly)? ?(?:active|chosen)?)\b|当前|活动|激活")
_SELECTED = re.compile(r"\b(?:selected|selection|chosen)\b|选中|所选|选择的|选定|被选")
_TOP = re.compile(r"\b(?:top(?:most)?|uppermost|highest)\b|最上(?:面|层|方|边)?|最顶|顶层|顶部|最前")
_BOTTOM = re.compile(r"\b(?:bottom(?:most)?|lowest|lowermost)\b|最下(?:面|层|方|边)?|最底|底层|底部|最后面")
_DONE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:hid|hidden|turned off|switched off)\b|隐藏|关掉|关闭"), "hid|off|toggle|visib"),
    (re.compile(r"\b(?:shown?|showed|turned on|switched on)\b|打开|显示"), "shown|show|on$|toggle|visib"),
    (re.compile(r"\b(?:added|loaded|opened|imported|made|created)\b|加载|添加|新加|导入|新建|生成"), "add|creat|made"),
    (re.compile(r"\b(?:colou?red|styled|painted|rendered)\b|上色|着色|设色|渲染|分色"), "render|style|colou?r"),
    (re.compile(r"\b(?:filtered)\b|筛选|过滤"), "filter"),
    (re.compile(r"\b(?:labell?ed)\b|标注"), "label"),
    (re.compile(r"\b(?:renamed)\b|重命名|改名"), "renam"),
    (re.compile(r"\b(?:moved|reordered)\b|移动|调整过?顺序"), "order|mov"),
)
"""What was done to a layer, as people say it, and as ``recent`` has it."""
_RESULT = re.compile(r"\b(?:results?|outputs?|outcome)\b|结果|输出|成果")
_LAST = re.compile(
    r"\b(?:that|this|it|its|them|those|these|last|latest|previous|recent|former|same|one|newest|earlier|before|just)\b|"
    r"刚才|刚刚|上一个|上个|前一个|上次|之前|前面|最近|最新|那个|这个|那些|这些|该|此|它|其|同一"
)


@dataclass
class Meant:
    """What a reference can mean: layers (aliases) or one result handle, and how that is known. None: nothing is known."""

    layer_ids: list[str] = field(default_factory=list)
    why: str = ""
    together: bool = False
    """The layers are meant together ("the two layers"), not one of them."""
    result_ref: str = ""


@dataclass(frozen=True)
class Known:
    """What is known when a reference is resolved."""

    layers: Sequence[CatalogueLayer]
    snapshot: Mapping[str, Any]
    board: Blackboard | None
    search: Callable[[str], Sequence[CatalogueLayer]]

    @property
    def ids(self) -> list[str]:
        """The aliases, in the order of the layer tree."""
        return [each["layer_id"] for each in self.layers]

    def recent(self) -> list[tuple[str, str]]:
        """(layer, what was done) newest first: what the person did since on the map, then the calls of this conversation.

        The map knows what was done, the conversation also knows what was only asked about, and in which order.
        """
        raw = self.snapshot.get("recent")
        on_map = {
            str(each.get("layer_id")): str(each.get("what", ""))
            for each in reversed(raw if isinstance(raw, list) else [])
            if isinstance(each, Mapping) and each.get("what") != "active" and each.get("layer_id") in self.ids
        }
        newest, talked_of = list(reversed(on_map)), self.talked_of()
        since = next((at for at, each in enumerate(newest) if each in talked_of), len(newest))
        order = dict.fromkeys([*newest[:since], *talked_of, *newest[since:]])
        return [(each, on_map.get(each, "in this conversation")) for each in order]

    def talked_of(self) -> list[str]:
        """Layers of this conversation in the order in which its calls touched them, newest first.

        What calls of this very run only looked at does not count: the message was sent before them.
        """
        return [each for each in self.board.in_order() if each in self.ids] if self.board is not None else []

    def made(self) -> list[str]:
        """Layers and result handles that calls of this conversation made, newest first; layers that are gone left out."""
        made = list(reversed(self.board.artifacts)) if self.board is not None else []
        return [each for each in made if each in self.ids or _HANDLE.fullmatch(each)]

    def active(self) -> list[str]:
        """The active layer, as a list of at most one."""
        name = self.snapshot.get("active")
        return [str(name)] if name in self.ids else []


def resolve(text: str, known: Known) -> Meant:
    """What ``text`` means. No layers and no handle: nothing that is known fits."""
    plain = " ".join(re.sub(r"[\"'“”‘’「」。，,.!?？！]", " ", fold(text)).split())
    kind = _kind(plain)
    if not kind and _rest(plain):
        return _named(plain, known)
    for pattern, means in _MEANINGS:
        if pattern.search(plain):
            meant = means(plain, known)
            return _of_kind(meant, kind, known) if kind and meant.layer_ids else meant
    if kind:
        return _by_kind(kind, plain, known)
    if any(said.search(plain) for said, _ in _DONE):
        return _done(plain, known)
    if _SEVERAL.search(plain):
        return _two(plain, known)
    if _LAST.search(plain):
        return _last(plain, known)
    return Meant(known.ids, "the only layer of the project") if len(known.ids) == 1 else Meant()


def _kind(plain: str) -> str:
    """The kind of layer that is named when nothing else is ("the point layer", not "point of interest")."""
    for kind, pattern in _KIND_WORDS:
        rest = re.sub(pattern, " ", plain, count=1)
        if rest != plain and not _rest(_LAST.sub(" ", rest)):
            return kind
    return ""


def _rest(plain: str) -> str:
    """What is left without words that only point."""
    rest = plain
    pointing = (_TOP, _BOTTOM, _ACTIVE, _SELECTED, _RESULT, _OTHER, _TWO, _ORDINAL, _SEVERAL, _LAST)
    for pattern in (*pointing, *[each for each, _ in _DONE], _FILLER):
        rest = pattern.sub(" ", rest)
    return " ".join(rest.split())


def _of_kind(meant: Meant, kind: str, known: Known) -> Meant:
    """Those of this kind; all of this kind where none is."""
    kinds = {each["layer_id"]: each["kind"] for each in known.layers}
    fitting = [each for each in meant.layer_ids if kinds[each] == kind]
    return Meant(fitting, meant.why, meant.together and len(fitting) > 1) if fitting else _by_kind(kind, "", known)


def _by_kind(kind: str, plain: str, known: Known) -> Meant:
    of_kind = [each["layer_id"] for each in known.layers if each["kind"] == kind]
    if len(of_kind) > 1 and _LAST.search(plain):
        touched = [each for each in known.recent() if each[0] in of_kind]
        if touched:
            return _newest(touched)
    return Meant(of_kind, f"the only {kind} layer" if len(of_kind) == 1 else f"{kind} layers of the project")


def _active(_plain: str, known: Known) -> Meant:
    return Meant(known.active(), "the active layer of the layer panel")


def _selected(plain: str, known: Known) -> Meant:
    raw = known.snapshot.get("selection")
    chosen = [str(each) for each in raw if each in known.ids] if isinstance(raw, Mapping) else []
    active = known.active()
    if not chosen:
        return Meant(active, "the active layer of the layer panel; no features are selected")
    if _SEVERAL.search(plain) and len(chosen) > 1:
        return Meant(chosen, "the layers with selected features", together=True)
    other = [each for each in active if each not in chosen]
    return Meant(
        chosen + other, "has selected features" if not other else "has selected features, or is the active layer"
    )


def _top(_plain: str, known: Known) -> Meant:
    return _at_end(known, known.ids, "top")


def _bottom(_plain: str, known: Known) -> Meant:
    return _at_end(known, known.ids[::-1], "bottom")


def _at_end(known: Known, ids: Sequence[str], side: str) -> Meant:
    """The first of the tree from that side; where it is hidden, the first one drawn may be meant as well."""
    drawn = {each["layer_id"] for each in known.layers if each["visible"]}
    first = [*ids[:1], *[each for each in ids if each in drawn][:1]]
    why = f"at the {side} of the layer tree"
    either = list(dict.fromkeys(first))
    return Meant(either, why if len(either) < 2 else f"{why}, or of the layers that are drawn")


def _ordinal(plain: str, known: Known) -> Meant:
    found = _ORDINAL.search(plain)
    word = next(filter(None, found.groups()), "") if found else ""
    at = int(word) - 1 if word.isdigit() else _ORDINALS.get(word, 0)
    return Meant(known.ids[at : at + 1], f"number {at + 1} of the layer tree")


def _result(plain: str, known: Known) -> Meant:
    made = known.made()
    of_group = [each["layer_id"] for each in known.layers if is_result(each)]
    if _TWO.search(plain):
        layers = [each for each in dict.fromkeys([*made, *of_group]) if each in known.ids]
        return Meant(layers, "made by QGIS Agent", together=len(layers) == 2)
    if made and made[0] not in known.ids:
        return Meant([], "the newest result of this conversation", result_ref=made[0])
    if made:
        return Meant(made[:1], "the newest layer that this conversation made")
    touched = [each for each, what in known.recent() if what.startswith("add") and each in of_group]
    if touched:
        return Meant(touched[:1], "the newest layer in the group of results")
    return Meant(of_group, "in the group of results")


def _two(_plain: str, known: Known) -> Meant:
    if len(known.ids) == 2:
        return Meant(known.ids, "the two layers of the project", together=True)
    touched = [each for each, _ in known.recent()]
    return Meant(touched, "touched last", together=len(touched) == 2)


def _other(_plain: str, known: Known) -> Meant:
    touched = known.recent()
    if len(known.ids) == 2 and touched:
        rest = [each for each in known.ids if each != touched[0][0]]
        return Meant(rest, f"the other of two layers; {touched[0][0]} was touched last")
    return Meant([each for each, _ in touched[1:]], "touched before the last one")


def _last(plain: str, known: Known) -> Meant:
    touched = known.recent()
    talked_of = known.talked_of()
    if touched and talked_of and touched[0][0] not in talked_of:
        return Meant([touched[0][0], talked_of[0]], "touched last on the map, or last in the conversation")
    if talked_of:
        return _newest([each for each in touched if each[0] == talked_of[0]])
    if touched:
        return _newest(touched)
    if len(known.ids) == 1:
        return Meant(known.ids, "the only layer of the project")
    return _active(plain, known)


def _done(plain: str, known: Known) -> Meant:
    """The newest layer to which this was done ("the layer I just hid")."""
    wanted = [op for said, op in _DONE if said.search(plain)]
    touched = [each for each in known.recent() if any(re.search(op, each[1].casefold()) for op in wanted)]
    return _newest(touched) if touched else Meant()


def _newest(touched: Sequence[tuple[str, str]]) -> Meant:
    name, what = touched[0]
    return Meant([name], f"touched last ({what})" if what else "touched last")


def _named(plain: str, known: Known) -> Meant:
    """Words that name a layer beside those that point ("that school layer"): of several, the one touched last."""
    words = _rest(plain)
    found = [each["layer_id"] for each in known.search(words)]
    touched = [each for each in known.recent() if each[0] in found]
    if len(found) > 1 and touched and _LAST.search(plain):
        return _newest(touched)
    return Meant(found, "found by its words")


_MEANINGS: tuple[tuple[re.Pattern[str], Callable[[str, Known], Meant]], ...] = (
    (_RESULT, _result),
    (_ACTIVE, _active),
    (_SELECTED, _selected),
    (_TOP, _top),
    (_BOTTOM, _bottom),
    (_ORDINAL, _ordinal),
    (_TWO, _two),
    (_OTHER, _other),
)
"""The first that fits; most exact first ("the last result" is a result)."""


def options_of(ids: Iterable[str], label: Callable[[str], str], text: str, most: int) -> list[dict[str, str]]:
    """Buttons: a click puts the layer's name in the place of the words that were said."""
    return [{"label": label(each), "layer_id": each, "replaces": text} for each in list(ids)[:most]]
