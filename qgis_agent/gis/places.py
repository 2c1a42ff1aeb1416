"""Places by name or code among the features of the project's layers, and the features that are selected.

Several candidates are never chosen from: they become AMBIGUOUS with options.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import QgsExpression, QgsFeature, QgsFeatureRequest, QgsFeedback, QgsVectorLayer

from .conditions import is_key_field
from .features import expression_context, feature_source, json_value, read_features
from .layers import clean_text, field_type
from .scope import seen_fields

_NAME_FIELD = re.compile(r"^(name|nom|nombre|title|label|名称|名字|地名|name_(en|zh|zh_cn|local))$", re.IGNORECASE)
_NAME_LIKE = re.compile(r"name|label|title|名", re.IGNORECASE)
_CODE_FIELD = re.compile(r"^(ad)?code$|^(gb|adm|区划|行政区划)?(代码|编码)$", re.IGNORECASE)
_CODE_LIKE = re.compile(r"code|iso|fips|^(wb|gu|adm|sov)[_0-9]|代码|编码|_a[23]$", re.IGNORECASE)
_WITH_CODE = re.compile(r"^(?P<name>.*?)\s*[(（](?P<code>#?[^()（）]{1,40})[)）]\s*$")
_IN_LAYER = re.compile(r"^(?P<text>.*\S)\s*\[(?P<layer>.{1,80})\]$")
_PLAIN_CODE = re.compile(r"^[^#()（）][^()（）]{0,39}$")
_THESE = re.compile(
    r"^(?:these|those|the|这|那|选中的|所选的?|当前|全部|所有)?\s*(?P<number>\d+|[一二两三四五六七八九十]|two|three|four|five|six|seven|"
    r"eight|nine|ten)\s*(?:个|条|座|所|处|片|selected)?\s*(?P<noun>.+?)$",
    re.IGNORECASE,
)
_NUMBERS = {each: number for number, each in enumerate("一二三四五六七八九十", 1)}
_NUMBERS.update({"两": 2})
_NUMBERS.update({each: number for number, each in enumerate("two three four five six seven eight nine ten".split(), 2)})
MAX_HITS = 60
MAX_OPTIONS = 20
MAX_NAMES = 50_000
"""Different names that a misspelt one is compared with: about a second's work."""
MAX_SIMILAR = 5


class PlaceLayer(NamedTuple):
    """A layer to look in, made ready on the main thread: its alias, source, context and the fields that name things."""

    alias: str
    source: Any
    context: Any
    names: Tuple[str, ...]
    other_names: Tuple[str, ...]
    codes: Tuple[str, ...]
    fields: Tuple[str, ...]
    exact_code: str
    key: str
    """A field that numbers the rows; "" for none."""
    polygon: bool
    title: str
    made: bool = False
    """A result of QGIS Agent itself: its features are copies of others."""


class Hit(NamedTuple):
    """A feature that matches: where it is, by which field, and how it is called.

    ``value`` and ``code`` are as a condition has to have them. ``bbox`` is in the layer's CRS; None without a geometry.
    """

    alias: str
    fid: int
    field: str
    value: Any
    name: str
    code: Any
    key: Any
    bbox: Optional[Tuple[float, float, float, float]]


def place_layer(alias: str, layer: QgsVectorLayer, made: bool = False) -> Optional[PlaceLayer]:
    """What ``find`` needs of a layer; None for a layer without a field that could name a place.

    A field is known by its name or by the alias that the person gave it.

    ``made`` says that the layer is a result of QGIS Agent itself.
    """
    kinds = {each.name(): field_type(each) for each in seen_fields(layer)}
    called = {
        each.name(): [word for word in (each.name(), each.alias().strip()) if word] for each in seen_fields(layer)
    }

    def fitting(pattern: re.Pattern[str], types: Sequence[str]) -> List[str]:
        return [
            each
            for each, words in called.items()
            if kinds[each] in types and any(pattern.search(word) for word in words)
        ]

    codes = fitting(_CODE_LIKE, ("text", "integer"))
    names = tuple(fitting(_NAME_FIELD, ("text",)))
    others = tuple(each for each in fitting(_NAME_LIKE, ("text",)) if each not in names and each not in codes)
    if not layer.isValid() or not (names or others or codes):
        return None
    return PlaceLayer(
        alias,
        feature_source(layer),
        expression_context(layer),
        names,
        others,
        tuple(codes),
        tuple(each.name() for each in layer.fields()),
        next((each for each in codes if any(_CODE_FIELD.match(word) for word in called[each])), ""),
        next((each for each, kind in kinds.items() if is_key_field(each) and kind in ("text", "integer")), ""),
        layer.geometryType().name == "Polygon" if hasattr(layer.geometryType(), "name") else False,
        layer.name(),
        made,
    )


def split_layer(text: str, names: Dict[str, Sequence[str]]) -> Tuple[str, str]:
    """ "place [layer]" as the place and the layer's alias; the alias is "" where the brackets name no layer.

    ``names`` are the names by which each alias may be called.
    """
    found = _IN_LAYER.match(text.strip())
    if found is None:
        return text, ""
    wanted = found.group("layer").strip().casefold()
    fitting = [alias for alias, called in names.items() if wanted in {each.casefold() for each in (alias, *called)}]
    exact = [alias for alias in fitting if alias.casefold() == wanted]
    chosen = fitting if len(fitting) == 1 else exact
    return (found.group("text"), chosen[0]) if chosen else (text, "")


def parse_group(text: str) -> Optional[Tuple[int, str]]:
    """ "这三个街道" or "these three streets" as (3, noun); None for a text that is no such phrase."""
    found = _THESE.match(text.strip())
    if found is None:
        return None
    number = found.group("number").lower()
    return (int(number) if number.isdigit() else _NUMBERS[number]), found.group("noun").strip()


def find(layers: Sequence[PlaceLayer], text: str, feedback: QgsFeedback) -> List[Hit]:
    """Features that are called ``text``, on a worker thread.

    Tiers, the first with a hit counts: equal to a name field, equal to a code, equal to another naming field, then name
    begins with the text, then contains it. Case and outer blanks do not matter. "Name (code)" and "Name (#id)" name one
    feature.
    """
    wanted = " ".join(text.split())
    with_code = _WITH_CODE.match(wanted)
    if with_code is not None:
        hits = _with_code(layers, with_code.group("name"), with_code.group("code"), feedback)
        if hits:
            return hits
    for fields_of, template in _TIERS[:_EXACT_TIERS] if _SINGLE.match(wanted) else _TIERS:
        hits = []
        for layer in layers:
            hits.extend(_matching(layer, getattr(layer, fields_of), template, wanted, feedback))
        if hits:
            return hits
    return []


_ONE_BLANK = r"regexp_replace(to_string({}), '\\s+', ' ')"
"""A value with one blank where it has several: a text is looked for without them."""
_EQUAL = "lower(trim(to_string({0}))) = {1}"
_BEGINS = "left(lower(trim(to_string({0}))), {2}) = {1}"
_CONTAINS = "strpos(lower(to_string({0})), {1}) > 0"
_TIERS = (
    ("names", _EQUAL),
    ("codes", _EQUAL),
    ("other_names", _EQUAL),
    ("names", _BEGINS),
    ("names", _CONTAINS),
    ("other_names", _CONTAINS),
)
_EXACT_TIERS = 3
_SINGLE = re.compile(r"^[\x00-\x7f]$")
"""One Latin letter or digit stands in too many names to look for names with it."""


def similar(layers: Sequence[PlaceLayer], text: str, feedback: QgsFeedback) -> List[Hit]:
    """Features whose names look like ``text``, best first, on a worker thread: candidates for a person, never an answer.

    Of the names that the layers have first, at most ``MAX_NAMES``. A short text in Chinese may differ in one character (of a
    traditional form, or without its last one).
    """
    wanted = " ".join(text.split()).casefold()
    named: Dict[str, List[Tuple[PlaceLayer, str, int]]] = {}
    for layer in layers:
        for field in layer.names or layer.other_names[:1]:
            _collect(layer, field, named, feedback)
    short = len(wanted) <= 3 and not wanted.isascii()
    close = difflib.get_close_matches(wanted, list(named), n=MAX_SIMILAR, cutoff=0.4 if short else 0.6)
    hits: List[Hit] = []
    for layer, field, fid in [each for name in close for each in named[name]][:MAX_SIMILAR]:
        hits += [_hit(layer, field, each) for each in _read(layer, QgsFeatureRequest().setFilterFids([fid]), feedback)]
    return hits


def _collect(
    layer: PlaceLayer, field: str, named: Dict[str, List[Tuple[PlaceLayer, str, int]]], feedback: QgsFeedback
) -> None:
    position = layer.fields.index(field)
    request = QgsFeatureRequest().setSubsetOfAttributes([position])
    request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
    for feature in read_features(layer.source, request, feedback):
        name = _plain(feature, layer, field).casefold()
        if name in named:
            if len(named[name]) < MAX_SIMILAR:
                named[name].append((layer, field, feature.id()))
        elif len(named) < MAX_NAMES:
            named[name] = [(layer, field, feature.id())]
        else:
            return


def find_group(layers: Sequence[PlaceLayer], noun: str, number: int, feedback: QgsFeedback) -> List[List[Hit]]:
    """Layers in which exactly ``number`` features fit ``noun``: by their names, or because the layer is called so."""
    groups: List[List[Hit]] = []
    for layer in layers:
        by_name = _matching(layer, layer.names, _CONTAINS, noun, feedback)
        if len({hit.fid for hit in by_name}) == number:
            groups.append(by_name)
            continue
        singular = noun.lower().rstrip("s")
        if singular and singular in layer.title.lower() and (layer.names or layer.codes):
            every = _matching(layer, (layer.names or layer.codes)[:1], "true", noun, feedback, limit=number + 1)
            if len(every) == number:
                groups.append(every)
    made = {each.alias for each in layers if each.made}
    return [group for group in groups if group[0].alias not in made] or groups


def originals(hits: Sequence[Hit], layers: Sequence[PlaceLayer]) -> List[Hit]:
    """The hits without those in results of QGIS Agent itself that another layer has too, by name and code."""
    made = {each.alias for each in layers if each.made}
    there = {(hit.name, str(hit.code)) for hit in hits if hit.alias not in made}
    return [hit for hit in hits if hit.alias not in made or (hit.name, str(hit.code)) not in there]


def one_each(hits: Sequence[Hit], boxes: Sequence[Any]) -> List[Hit]:
    """One hit for each place: of those with equal name, code and box (in one CRS, None where unknown) the first.

    Hits of one layer all stay: two rows of a layer are two features.
    """
    seen: Dict[Any, str] = {}
    kept: List[Hit] = []
    for hit, box in zip(hits, boxes):
        place = (hit.name, str(hit.code), box)
        if box is not None and seen.setdefault(place, hit.alias) != hit.alias:
            continue
        kept.append(hit)
    return kept


def by_ids(layer: PlaceLayer, ids: Sequence[int], feedback: QgsFeedback) -> List[Hit]:
    """Hits for known features, for example the selected ones."""
    request = QgsFeatureRequest().setFilterFids(list(ids))
    field = (layer.names or layer.codes or layer.other_names or ("",))[0]
    return [_hit(layer, field, feature) for feature in _read(layer, request, feedback)]


def _with_code(layers: Sequence[PlaceLayer], name: str, code: str, feedback: QgsFeedback) -> List[Hit]:
    hits: List[Hit] = []
    for layer in layers:
        named = _matching(layer, layer.names + layer.other_names or layer.codes, _EQUAL, name, feedback)
        if code.startswith("#"):
            hits.extend(each for each in named if str(each.fid) == code[1:])
        else:
            hits.extend(each for each in named if str(each.code).strip() == code.strip())
    return hits


def _matching(
    layer: PlaceLayer, fields: Sequence[str], template: str, text: str, feedback: QgsFeedback, limit: int = MAX_HITS
) -> List[Hit]:
    if not fields or not text:
        return []
    wanted = QgsExpression.quotedString(text.strip().lower())
    columns = [str(QgsExpression.quotedColumnRef(each)) for each in fields]
    if " " in text.strip():
        columns = [_ONE_BLANK.format(each) for each in columns]
    tests = [template.format(each, wanted, len(text.strip())) for each in columns]
    request = QgsFeatureRequest().setFilterExpression(" OR ".join(tests)).setLimit(limit)
    request.setExpressionContext(layer.context)
    hits: List[Hit] = []
    for feature in _read(layer, request, feedback):
        folded = text.strip().lower()
        field = next((each for each in fields if folded in _plain(feature, layer, each).lower()), fields[0])
        hits.append(_hit(layer, field, feature))
    return hits


def _read(layer: PlaceLayer, request: QgsFeatureRequest, feedback: QgsFeedback) -> List[QgsFeature]:
    features = [QgsFeature(feature) for feature in read_features(layer.source, request, feedback)]
    return sorted(features, key=lambda each: each.id())  # providers give features in any order


def _hit(layer: PlaceLayer, field: str, feature: QgsFeature) -> Hit:
    def value_of(name: str) -> Any:
        return _exact(feature.attribute(layer.fields.index(name))) if name in layer.fields else None

    name_field = (layer.names or layer.other_names or (field,))[0]
    name = value_of(name_field)
    box = None if feature.geometry().isEmpty() else feature.geometry().boundingBox()
    return Hit(
        layer.alias,
        feature.id(),
        field,
        value_of(field),
        "" if name is None else clean_text(str(name), 120),
        value_of(layer.exact_code) if layer.exact_code else value_of(layer.codes[0]) if layer.codes else None,
        value_of(layer.key) if layer.key else None,
        None if box is None else (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()),
    )


def _exact(value: Any) -> Any:
    """A value as a condition has to have it: with all its blanks. Other text that is not safe to show is cleaned."""
    shown = json_value(value)
    same = isinstance(value, str) and len(value) <= 256 and "".join(value.split()) == "".join(str(shown).split())
    return value if same else shown


def _plain(feature: QgsFeature, layer: PlaceLayer, field: str) -> str:
    return " ".join(str(feature.attribute(layer.fields.index(field))).split())


def options_of(hits: Sequence[Hit], titles: Dict[str, str], text: str) -> List[Dict[str, Any]]:
    """Options for a person: each label names one feature, so that sent back as a place it is not ambiguous any more.

    The code tells places apart, the number of the feature where the codes are equal too, and "[layer]" where layers have
    equal ones. ``titles`` are names of layers that mean one layer each.
    """
    shown = list({(hit.alias, hit.fid): hit for hit in hits}.values())[:MAX_OPTIONS]
    named = [(_called(hit), _code_label(hit)) for hit in shown]
    owned = [(hit.alias, *pair) for hit, pair in zip(shown, named)]
    options = []
    for hit, (name, code), own in zip(shown, named, owned):
        in_layer, in_all = owned.count(own), named.count((name, code))
        title = titles.get(hit.alias, hit.alias)
        label = "{} ({})".format(name, code if in_layer == 1 else "#{}".format(hit.fid))
        if in_all > in_layer or code.startswith("#"):
            label += " [{}]".format(title)
        options.append({"label": label, "layer_id": hit.alias, "layer": title, "replaces": text})
    return options


def _called(hit: Hit) -> str:
    return hit.name or clean_text(str(hit.value), 120)


def _code_label(hit: Hit) -> str:
    """The code, or "#" and the feature's number where there is no code that can be written in brackets."""
    code = "" if hit.code is None else str(hit.code).strip()
    return code if _PLAIN_CODE.match(code) else "#{}".format(hit.fid)
