"""What "@" may name in a message: layers, fields, layouts, the selection, the map's extent, files that were dropped.

In the field a reference stands as a readable token ("@schools"); what is sent says the same precisely, because the model
and the offline commands know nothing of tokens. What the person excluded (``gis/scope.py``) is never offered.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional

from qgis.core import QgsMapLayer, QgsVectorLayer

from ...gis.host import Host
from ...gis.i18n import translate
from ...gis.layers import clean_text, layer_kind
from ...gis.scope import seen_fields

LONGEST_TOKEN = 100
"""Characters of a token after its "@"; longer names are not offered."""
MOST_OFFERED = 40
FIELDS_OF = 200
"""Layers whose fields are looked through while a name is typed."""
AT = "@\uff20"
"""The sign in both widths: a Chinese input method may give the wide one."""
_BEFORE = re.compile(r"[A-Za-z0-9._%+\-@\uff20]")
"""What stands before the "@" of a mail address."""
_WORD = re.compile(r"[A-Za-z0-9_]")


class Reference(NamedTuple):
    """Something that a message names."""

    kind: str
    """layer, field, layout, selection, extent or file."""
    token: str
    """How it stands in the field, with its "@"."""
    title: str
    detail: str
    sent: str
    """What is sent in the place of the token."""
    short: str = ""
    """What is sent instead where the message names the field's layer anyhow."""
    layer: str = ""
    """The alias of a field's layer."""
    problem: str = ""
    """Why it cannot be sent now, as a sentence; "" when it can."""


class Found(NamedTuple):
    """A token in a text: from ``start`` to before ``end``, in characters."""

    start: int
    end: int
    reference: Reference


class References:
    """The references of one project. ``refresh`` looks at the project anew; between, what was found is kept."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: Dict[str, Reference] = {}
        self._layers: Dict[str, QgsMapLayer] = {}
        self._files: Dict[str, Reference] = {}

    def refresh(self) -> None:
        """Look at the project anew."""
        layers = self._host.layers
        self._layers = {layers.alias(each): each for each in layers.layers()}
        found = [self._selection(), self._extent()]
        found += [_layer_reference(alias, layer) for alias, layer in self._layers.items()]
        found += [_layout_reference(each.name()) for each in self._host.project.layoutManager().printLayouts()]
        self._known = {}
        for each in [*found, *self._files.values()]:
            if len(each.token) <= LONGEST_TOKEN:
                self._known.setdefault(each.token[1:].casefold(), each)

    def forget(self, files: bool = False) -> None:
        """What was found is no longer so; ``files``: another project, which knows nothing of files dropped before."""
        self._known, self._layers = {}, {}
        if files:
            self._files = {}

    def offered(self, query: str) -> List[Reference]:
        """What fits the typed ``query`` (without "@"), best first, at most 40. "layer", "field" … name whole kinds."""
        wanted = query.casefold()
        active = self._host.active_layer()
        first = self._host.layers.alias(active) if active is not None else ""
        ranked = []
        for number, each in enumerate([*self._known.values(), *self._fields(wanted, first)]):
            if each.problem:
                continue
            rank = _rank(each, wanted)
            if rank is not None:
                ranked.append((rank, each.layer != first and each.token[1:] != first, number, each))
        ranked.sort(key=lambda each: each[:3])
        return [each[3] for each in ranked[:MOST_OFFERED]]

    def find(self, text: str) -> List[Found]:
        """The tokens that stand in a text, in order; each as long as it can be."""
        found: List[Found] = []
        if any(each in text for each in AT):
            if not self._known:
                self.refresh()
            end = 0
            for start, sign in enumerate(text):
                if sign not in AT or start < end or (start and _BEFORE.match(text[start - 1])):
                    continue
                reference, length = self._at(re.split(r"\s", text[start + 1 : start + LONGEST_TOKEN], maxsplit=1)[0])
                if reference is not None:
                    end = start + 1 + length
                    found.append(Found(start, end, reference))
        return found

    def expand(self, text: str) -> str:
        """The text as it is sent: each token in precise words."""
        found = self.find(text)
        named = {each.reference.token[1:] for each in found if each.reference.kind == "layer"}
        parts: List[str] = []
        end = 0
        for each in found:
            reference = each.reference
            parts += [text[end : each.start], reference.short if reference.layer in named else reference.sent]
            end = each.end
        return "".join([*parts, text[end:]])

    def of_layer(self, layer: QgsMapLayer) -> Optional[Reference]:
        """The reference of a layer of this project; None for one that no tool sees."""
        self.refresh()
        return next((_layer_reference(alias, each) for alias, each in self._layers.items() if each is layer), None)

    def of_file(self, path: str) -> Reference:
        """The reference of a data file or folder that may be read. ToolError with what to do when it may not."""
        policy = self._host.paths
        real = policy.readable_folder(path) if Path(path).is_dir() else policy.readable(path)
        name = clean_text(real.name, 60)
        sent = quoted(clean_text(policy.shortener()(real), 1000))
        token = base = "@file:" + _joined(name)
        number = 1
        while token.casefold() in self._files and self._files[token.casefold()].sent != sent:
            number += 1
            token = "{}-{}".format(base, number)
        self._files[token.casefold()] = Reference("file", token, name, translate("QgisAgent", "File"), sent)
        self.refresh()
        return self._files[token.casefold()]

    # inside

    def _at(self, run: str) -> Any:
        """The reference that ``run`` (what follows an "@") begins with, and how many characters of it name it."""
        for length in range(len(run), 0, -1):
            if length < len(run) and _WORD.match(run[length - 1]) and _WORD.match(run[length]):
                continue
            known = self._known.get(run[:length].casefold())
            if known is not None:
                return known, length
            alias, dot, name = run[:length].rpartition(".")
            field = self._field_of(alias, name) if dot and name else None
            if field is not None:
                return field, length
        return None, 0

    def _field_of(self, alias: str, name: str) -> Optional[Reference]:
        wanted = name.casefold()
        known = self._known.get(alias.casefold())
        layer = self._layers.get(_alias_in(known)) if known is not None and known.kind == "layer" else None
        fields = _fields_of(_alias_in(known), layer) if known is not None else []
        return next((each for each in fields if each.token.rpartition(".")[2].casefold() == wanted), None)

    def _fields(self, wanted: str, first: str) -> Iterable[Reference]:
        """Fields that may fit what is typed: of the layer before a ".", else of the active layer and the first 200."""
        alias, dot, _ = wanted.rpartition(".")
        if dot:
            return [
                each
                for name, layer in self._layers.items()
                if name.casefold() == alias
                for each in _fields_of(name, layer)
            ]
        if not wanted:
            return []
        chosen = ([first] if first in self._layers else []) + [each for each in self._layers if each != first]
        return [each for name in chosen[:FIELDS_OF] for each in _fields_of(name, self._layers[name])]

    def _selection(self) -> Reference:
        chosen = [
            (alias, layer.selectedFeatureCount())
            for alias, layer in self._layers.items()
            if isinstance(layer, QgsVectorLayer) and layer.selectedFeatureCount()
        ]
        comma, last = translate("QgisAgent", ", "), translate("QgisAgent", " and ")
        names = [quoted(alias) for alias, _ in chosen]
        together = last.join(filter(None, (comma.join(names[:-1]), names[-1]))) if names else ""
        detail = comma.join("{} ({:n})".format(alias, count) for alias, count in chosen)
        return Reference(
            "selection",
            "@selection",
            translate("QgisAgent", "Selection"),
            detail or translate("QgisAgent", "nothing is selected"),
            translate("QgisAgent", "the selected features of {layers}").format(layers=together),
            problem="" if chosen else translate("QgisAgent", "No features are selected. Select some on the map first."),
        )

    def _extent(self) -> Reference:
        box = self._host.view_bbox()
        words = ", ".join("{:.5f}".format(each).rstrip("0").rstrip(".") for each in box) if box is not None else ""
        sent = translate("QgisAgent", "the area that the map shows now (degrees west, south, east, north: {box})")
        return Reference(
            "extent",
            "@extent",
            translate("QgisAgent", "Map extent"),
            words or translate("QgisAgent", "the map shows nothing"),
            sent.format(box=words),
            problem="" if words else translate("QgisAgent", "The map shows no place on earth yet."),
        )


def quoted(name: str) -> str:
    """A name in quotes, in a kind of quotes that it does not hold itself."""
    return "'{}'".format(name) if '"' in name else '"{}"'.format(name)


def kind_words() -> Dict[str, str]:
    """What the kinds are called, for people."""
    return {
        "layer": translate("QgisAgent", "Layer"),
        "field": translate("QgisAgent", "Field"),
        "layout": translate("QgisAgent", "Layout"),
        "selection": translate("QgisAgent", "Selection"),
        "extent": translate("QgisAgent", "Map extent"),
        "file": translate("QgisAgent", "File"),
    }


def _layer_reference(alias: str, layer: QgsMapLayer) -> Reference:
    token = "@layer:" + alias if alias.casefold() in ("selection", "extent") else "@" + alias
    name = clean_text(layer.name(), 60)
    kinds = {
        "point": translate("QgisAgent", "point layer"),
        "line": translate("QgisAgent", "line layer"),
        "polygon": translate("QgisAgent", "polygon layer"),
        "table": translate("QgisAgent", "table"),
        "raster": translate("QgisAgent", "raster layer"),
    }
    kind = kinds.get(layer_kind(layer), translate("QgisAgent", "layer"))
    detail = kind if name == alias else translate("QgisAgent", "{kind}, {name}").format(kind=kind, name=name)
    return Reference("layer", token, alias, detail, quoted(alias))


def _fields_of(alias: str, layer: Optional[QgsMapLayer]) -> List[Reference]:
    if not isinstance(layer, QgsVectorLayer):
        return []
    words = translate("QgisAgent", "{field} of {layer}")
    detail = translate("QgisAgent", "field of {layer}").format(layer=alias)
    return [
        Reference(
            "field",
            "@{}.{}".format(alias, _joined(each.name())),
            clean_text(each.name(), 60),
            detail,
            words.format(field=quoted(each.name()), layer=quoted(alias)),
            short=quoted(each.name()),
            layer=alias,
        )
        for each in seen_fields(layer)
    ]


def _layout_reference(name: str) -> Reference:
    shown = clean_text(name, 60)
    sent = translate("QgisAgent", "the layout {name}").format(name=quoted(clean_text(name, 200)))
    return Reference("layout", "@layout:" + _joined(shown), shown, translate("QgisAgent", "print layout"), sent)


def _alias_in(reference: Optional[Reference]) -> str:
    return reference.title if reference is not None and reference.kind == "layer" else ""


def _joined(name: str) -> str:
    """A name without blanks: a token ends at one."""
    return re.sub(r"\s+", "_", name.strip())


def _rank(reference: Reference, wanted: str) -> Optional[int]:
    """How well a reference fits what is typed: the lower the better; None when it does not."""
    token, title = reference.token[1:].casefold(), reference.title.casefold()
    if token.startswith(wanted) or title.startswith(wanted):
        return 0
    if reference.kind.startswith(wanted) or kind_words()[reference.kind].casefold().startswith(wanted):
        return 1
    if wanted in token or wanted in title or wanted in reference.detail.casefold():
        return 2
    return None
