"""Fonts of labels: families of this machine, bold and italic faces, and which characters a family has glyphs for."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Collection, List, NamedTuple, Optional, Set

from qgis.core import QgsReadWriteContext, QgsTextFormat
from qgis.PyQt.QtCore import QT_VERSION
from qgis.PyQt.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QRawFont
from qgis.PyQt.QtXml import QDomDocument

from ..errors import nearest

_QT6 = 0x060000
_PLAIN_FACES = {"regular", "normal", "book", "roman", "bold", "italic", "oblique"}
_BOLD_FROM = 63
"""QGIS and Qt 5 count weights from 0 to 99; demi-bold is 63. Qt 6 counts to 1000, and its demi-bold is 600."""
_SYSTEMS = (
    ("HIRAGANA", QFontDatabase.WritingSystem.Japanese),
    ("KATAKANA", QFontDatabase.WritingSystem.Japanese),
    ("HANGUL", QFontDatabase.WritingSystem.Korean),
    ("CJK", QFontDatabase.WritingSystem.SimplifiedChinese),
    ("ARABIC", QFontDatabase.WritingSystem.Arabic),
    ("HEBREW", QFontDatabase.WritingSystem.Hebrew),
    ("THAI", QFontDatabase.WritingSystem.Thai),
    ("DEVANAGARI", QFontDatabase.WritingSystem.Devanagari),
    ("BENGALI", QFontDatabase.WritingSystem.Bengali),
    ("TAMIL", QFontDatabase.WritingSystem.Tamil),
    ("GEORGIAN", QFontDatabase.WritingSystem.Georgian),
    ("ARMENIAN", QFontDatabase.WritingSystem.Armenian),
    ("CYRILLIC", QFontDatabase.WritingSystem.Cyrillic),
    ("GREEK", QFontDatabase.WritingSystem.Greek),
)
"""Beginnings of Unicode names and the writing system that Qt files such fonts under; kana before Chinese characters."""
_LIKED = (
    "Noto Sans CJK SC", "Source Han Sans SC", "Source Han Sans CN", "Microsoft YaHei", "PingFang SC", "Noto Sans SC",
    "WenQuanYi Micro Hei", "SimHei", "Noto Sans CJK JP", "Noto Sans CJK KR", "Malgun Gothic", "Yu Gothic", "DejaVu Sans",
    "Noto Sans", "Segoe UI", "Arial",
)  # fmt: skip
"""Plain sans-serif families that read well on maps, best first; others follow in the order that Qt gives."""
_MAX_TRIED = 40


class Choice(NamedTuple):
    """A family for some characters; ``missing`` are those that it, and all others, have no glyph for."""

    family: str
    missing: List[str]


def families(system: Optional[Any] = None) -> List[str]:
    """Families of this machine, of one writing system where given. Qt 6 calls these functions without an object."""
    database = QFontDatabase if QT_VERSION >= _QT6 else QFontDatabase()
    return list(database.families(system) if system is not None else database.families())


def is_installed(family: str) -> bool:
    """Whether this machine has the family; Qt draws another one in place of a missing one."""
    return family.casefold() in {each.split(" [")[0].casefold() for each in families()}


def missing_glyphs(font: QFont, characters: Collection[str]) -> List[str]:
    """Characters that would be drawn as boxes in ``font``: it has none, and no family that Qt falls back to has one."""
    metrics = QFontMetricsF(font)
    return [each for each in characters if not metrics.inFontUcs4(ord(each))]


def own_missing(family: str, characters: Collection[str]) -> List[str]:
    """Characters that the family itself has no glyph for."""
    raw = QRawFont.fromFont(QFont(family), system_of(characters) or QFontDatabase.WritingSystem.Any)
    if not raw.isValid() or raw.familyName().casefold() != QFontInfo(QFont(family)).family().casefold():
        return list(characters)
    return [each for each in characters if not raw.supportsCharacter(ord(each))]


def family_for(characters: Collection[str]) -> Choice:
    """The installed family with glyphs for most of these characters, a plain sans-serif where there are several."""
    installed = families(system_of(characters)) or families()
    known = {each.split(" [")[0]: None for each in installed}
    ordered = [each for each in _LIKED if each in known] + [each for each in known if each not in _LIKED]
    best = Choice("", list(characters))
    for family in ordered[:_MAX_TRIED]:
        missing = own_missing(family, characters)
        if len(missing) < len(best.missing):
            best = Choice(family, missing)
        if not missing:
            break
    return best


def drawn_characters(text: str) -> Set[str]:
    """The characters of a text that need a glyph."""
    return {each for each in text if unicodedata.category(each)[0] not in "CZ" and unicodedata.category(each) != "Mn"}


def system_of(characters: Collection[str]) -> Optional[Any]:
    """Qt's writing system of the first listed script that occurs; None for Latin letters, digits and signs alone."""
    names = {unicodedata.name(each, "").split(" ")[0].split("-")[0] for each in characters}
    return next((system for start, system in _SYSTEMS if start in names), None)


def set_family(text: QgsTextFormat, family: str) -> None:
    """Give the format a family; bold and italic stay."""
    if text.font().family() == family:
        return
    bold, italic = is_bold(text), is_italic(text)
    font = text.font()
    font.setFamily(family)
    text.setFont(font)
    text.setFamilies([])
    set_face(text, bold=bold, italic=italic)


def set_underline(text: QgsTextFormat, value: bool) -> None:
    """Underlined, or not."""
    font = text.font()
    font.setUnderline(value)
    text.setFont(font)


def is_bold(text: QgsTextFormat) -> bool:
    """Whether the labels are drawn in a bold face."""
    weight = int(text.font().weight())
    return text.forcedBold() or weight >= (600 if QT_VERSION >= _QT6 else _BOLD_FROM)


def is_italic(text: QgsTextFormat) -> bool:
    """Whether the labels are drawn in an italic face."""
    return text.forcedItalic() or text.font().italic()


def is_plain_face(name: str) -> bool:
    """Whether a face is one that bold and italic say in full ("Bold Italic"; not "Condensed")."""
    return {each for each in re.split(r"[\s-]+", name.casefold()) if each} <= _PLAIN_FACES


def set_face(text: QgsTextFormat, bold: Optional[bool] = None, italic: Optional[bool] = None) -> None:
    """Choose the family's face; where it has none, Qt draws a bolder or slanted one itself."""
    wanted = (is_bold(text) if bold is None else bold, is_italic(text) if italic is None else italic)
    if wanted == (is_bold(text), is_italic(text)):
        return
    _unforce(text)
    font = text.font()
    font.setStyleName("")
    font.setBold(wanted[0])
    font.setItalic(wanted[1])
    text.setFont(font)
    text.setNamedStyle(_face(font.family(), *wanted))


def _unforce(text: QgsTextFormat) -> None:
    """Take back that bold or italic are forced. QGIS 3.40's setForcedBold(False) forces it too, so this goes by XML."""
    if not text.forcedBold() and not text.forcedItalic():
        return
    family, fallbacks = text.font().family(), text.families()
    context = QgsReadWriteContext()
    element = text.writeXml(QDomDocument(), context)
    element.setAttribute("forcedBold", "0")
    element.setAttribute("forcedItalic", "0")
    text.readXml(element, context)
    font = text.font()
    font.setFamily(family)  # a family that is not installed was replaced in reading
    text.setFont(font)
    text.setFamilies(fallbacks)


def _face(family: str, bold: bool, italic: bool) -> str:
    database = QFontDatabase if QT_VERSION >= _QT6 else QFontDatabase()
    for style in database.styles(family):
        if is_plain_face(style) and (database.bold(family, style), database.italic(family, style)) == (bold, italic):
            return str(style)
    return ""


def nearest_families(name: str) -> List[str]:
    """Installed families with names like this one, else plain ones that read well."""
    installed = [each.split(" [")[0] for each in families()]
    liked = [each for each in _LIKED if each in installed]
    return (nearest(name, installed) + liked or installed)[:6]


def plain_font(family: str) -> QFont:
    """The family in the size that Qt gives it; Qt's own font for an empty name."""
    return QFont(family) if family else QFont()
