"""Markdown of a model as a QTextDocument: no HTML, no pictures, tables and code that look like tables and code."""

from __future__ import annotations

import re
from typing import Any, Iterator, List

from qgis.PyQt.QtCore import QUrl
from qgis.PyQt.QtGui import (
    QFont,
    QFontDatabase,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextTable,
)

from .theme import Tones, tones
from .tips import plain_tip

LINE_HEIGHT = 118
"""Height of a line in percent of the font's own: Chinese text is hard to read without air between the lines."""
PROPORTIONAL = 1
"""QTextBlockFormat.LineHeightTypes.ProportionalHeight as setLineHeight takes it in Qt 5 and Qt 6."""
_SINGLE_TILDE = re.compile(r"(?<![~\\])~(?!~)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_OBJECT = "\ufffc"
LINK_SCHEMES = ("http", "https")
"""What a link may lead to, after a question; everything else (file, javascript, qgis, data …) is text."""
_UNBROKEN = 500  # as in the next pattern
"""Characters without a blank in a row: the layout of one endless word grows with the square of its length."""
_ENDLESS = re.compile(r"[^\s]{500}(?=[^\s])")


def set_markdown(document: QTextDocument, text: str) -> None:
    """Replace the document's content with ``text``."""
    # As one change: between two of a thousand links or pictures nothing is laid out, and nothing is asked for.
    whole = QTextCursor(document)
    whole.beginEditBlock()
    # The sign that stands for a picture in a document is no text of anybody's.
    document.setMarkdown(literal_tildes(broken(text.replace(_OBJECT, " "))), _safe_features())
    _replace_pictures(document)
    _tame_links(document)
    whole.endEditBlock()


def broken(text: str) -> str:
    """The text with a blank in every word that would go on for more than 500 characters."""
    return _ENDLESS.sub(lambda found: found.group() + " ", text) if len(text) > _UNBROKEN else text


def safe_link(address: str) -> QUrl:
    """The address of a link that may be asked about; an invalid QUrl for any other.

    A name or password before the host makes one host look like another, so there is none.
    """
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    allowed = url.scheme().lower() in LINK_SCHEMES and bool(url.host()) and not url.userInfo()
    return url if url.isValid() and allowed else QUrl()


def shown_address(url: QUrl) -> str:
    """An address as it is sent: other alphabets as punycode and percent signs, so that nothing looks like something else."""
    return str(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


def _safe_features() -> Any:
    features = QTextDocument.MarkdownFeature
    together = features.MarkdownNoHTML | features.MarkdownDialectGitHub
    # Qt 5 adds the two up to a plain number, which setMarkdown does not take.
    return QTextDocument.MarkdownFeatures(together) if isinstance(together, int) else together


def literal_tildes(text: str) -> str:
    """Keep "4.4~7.8" as it is: GitHub's dialect would strike out what stands between two single tildes."""
    lines, fenced = [], False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            parts = line.split("`")
            # Between an odd and an even backtick lies code, where a backslash would be shown.
            parts[::2] = [_SINGLE_TILDE.sub(r"\\~", each) for each in parts[::2]]
            line = "`".join(parts)
        lines.append(line)
    return "\n".join(lines)


def polish(document: QTextDocument, muted: bool = False) -> None:
    """Colours, distances, headings, code and tables for the theme as it is now. May be called again."""
    colours = tones()
    ink = colours.muted if muted else colours.text
    whole = QTextCursor(document)
    whole.beginEditBlock()
    document.setIndentWidth(18)
    _replace_pictures(document)
    _drop_empty_code(document)
    for block in _blocks(document):
        _polish_block(block, colours, ink)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _polish_table(frame, colours)
    whole.endEditBlock()


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _polish_block(block: QTextBlock, colours: Tones, ink: Any) -> None:
    cursor = QTextCursor(block)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    shape = QTextBlockFormat()
    shape.setLineHeight(LINE_HEIGHT, PROPORTIONAL)
    look = QTextCharFormat()
    look.setForeground(ink)
    code = _is_code(block)
    if code:
        shape.setLineHeight(0, 0)  # single: air between the lines would be gaps in the background
        shape.setBackground(colours.raised)
        shape.setLeftMargin(6)
        look.setFontFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family(), "monospace"])
        look.setFontStyleHint(QFont.StyleHint.Monospace)
        look.setFontFixedPitch(True)
    if block.blockFormat().headingLevel():
        # A chat panel is narrow: a heading is bold and hardly larger than the text.
        look.setProperty(QTextFormat.Property.FontSizeAdjustment, 1 if block.blockFormat().headingLevel() == 1 else 0)
        look.setFontWeight(QFont.Weight.Bold)
        shape.setTopMargin(6)
        shape.setBottomMargin(3)
    cursor.mergeBlockFormat(shape)
    cursor.mergeCharFormat(look)


def _is_code(block: QTextBlock) -> bool:
    shape = block.blockFormat()
    names = (QTextFormat.Property.BlockCodeFence, QTextFormat.Property.BlockCodeLanguage)
    return any(shape.hasProperty(each) for each in names)


def _drop_empty_code(document: QTextDocument) -> None:
    """Qt 5 ends each block of code with an empty line."""
    for block in reversed(list(_blocks(document))):
        following = block.next()
        last = not following.isValid() or not _is_code(following)
        if _is_code(block) and not block.text() and last and block.previous().isValid() and _is_code(block.previous()):
            cursor = QTextCursor(block.previous())
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            cursor.deleteChar()


def _polish_table(table: QTextTable, colours: Tones) -> None:
    shape = table.format()
    shape.setBorder(1)
    shape.setBorderBrush(colours.line)
    shape.setBorderCollapse(True)
    shape.setCellPadding(4)
    shape.setCellSpacing(0)
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(shape)
    for row in range(table.rows()):
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            look = cell.format()
            # Chinese and Latin fonts have different heights, and stand in one row here.
            look.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
            if row == 0:
                look.setBackground(colours.raised)
            cell.setFormat(look)


def _tame_links(document: QTextDocument) -> None:
    """Links that may be asked about say where they lead; all others become text."""
    spans: List[Any] = []
    for block in _blocks(document):
        fragments = block.begin()
        while not fragments.atEnd():
            piece = fragments.fragment()
            if piece.isValid() and piece.charFormat().isAnchor():
                spans.append((piece.position(), piece.length(), piece.charFormat()))
            fragments += 1
    for start, length, look in spans:
        url = safe_link(look.anchorHref())
        if url.isValid():
            look.setToolTip(plain_tip(shown_address(url)))
            look.setFontUnderline(True)
        else:
            look = QTextCharFormat()
        cursor = QTextCursor(document)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(look)


def _replace_pictures(document: QTextDocument) -> None:
    """Put the description of a picture in its place."""
    cursor = document.find(_OBJECT)
    while not cursor.isNull():
        look = cursor.charFormat()
        if not look.isImageFormat():
            cursor = document.find(_OBJECT, cursor)
            continue
        described = look.property(QTextFormat.Property.ImageAltText) or look.toImageFormat().name()
        cursor.insertText("[{}]".format(described), QTextCharFormat())
        cursor = document.find(_OBJECT, cursor)
