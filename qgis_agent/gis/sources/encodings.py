"""Which encoding a text is in, judged from its raw bytes.

UTF-8 is certain when text beyond ASCII decodes as it. Of the others only a proposal can be made: the one in which most of the
text is made of what that encoding's everyday text is made of. Standard library only.
"""

from __future__ import annotations

import codecs
import io
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Callable, Dict, Iterable, List, Optional, Tuple

UTF8, GBK, GB18030, BIG5, CP1252 = "UTF-8", "GBK", "GB18030", "Big5", "windows-1252"
ASCII = "ASCII"
PROPOSED = (UTF8, GBK, GB18030, BIG5, CP1252)
_CODECS = {
    UTF8: "utf-8",
    GBK: "gbk",
    GB18030: "gb18030",
    BIG5: "big5hkscs",
    CP1252: "cp1252",
    "ISO-8859-1": "latin-1",
    "windows-1251": "cp1251",
    "Shift_JIS": "cp932",
    "EUC-KR": "cp949",
    "UTF-16": "utf-16",
}
_FAMILIES = {
    "gbk": "gb",
    "gb18030": "gb",
    "gb2312": "gb",
    "latin-1": "western",
    "iso8859-1": "western",
    "cp1252": "western",
}
ENCODINGS = tuple(_CODECS)
"""Encodings that a person or model may name, as QGIS spells them."""
_BOMS = ((codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))
_ENOUGH = 0.5
"""Share of everyday characters below which no proposal is made."""
MAX_RECORDS = 2000
"""Records of a .dbf whose text is kept whatever it is; of the others only what is not ASCII."""
_PAGE_BYTES = 64
_BLOCK = 1 << 20
_TELLING_BYTES = 1 << 20
"""So much text beyond ASCII is enough to judge by."""


@dataclass(frozen=True)
class Guess:
    """What the bytes say. ``certain``: no other of the encodings is meant; else it is a proposal."""

    encoding: str
    certain: bool
    candidates: Tuple[str, ...] = ()


def python_codec(encoding: str) -> str:
    """Python's name of an encoding of ENCODINGS, or of another one that Python knows; "utf-8" for "System" and ""."""
    if encoding in _CODECS:
        return _CODECS[encoding]
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "utf-8"


def same_encoding(one: str, other: str) -> bool:
    """Whether two names mean one encoding: those of GB, and those of Western Europe, read each other's everyday text."""
    codecs_found = {_FAMILIES.get(python_codec(each), python_codec(each)) for each in (one, other)}
    return bool(one) and len(codecs_found) == 1


def looks_like(declared: str, found: Optional[Guess]) -> str:
    """The encoding that the bytes look like where text is read in another one; "" where that is right or not known."""
    if found is None or found.encoding in ("", ASCII) or same_encoding(declared or UTF8, found.encoding):
        return ""
    return found.encoding


def decoded(raw: bytes, encoding: str) -> str:
    """Text with U+FFFD for what is not valid in the encoding."""
    return raw.decode(python_codec(encoding), "replace")


def guess(pieces: Iterable[bytes]) -> Guess:
    """The encoding of some pieces of text (names, values, lines) from one file."""
    raw = [each for each in pieces if each]
    bom = next((name for start, name in _BOMS if raw and raw[0].startswith(start)), "")
    if bom:
        return Guess(bom, True)
    beyond = [each for each in raw if not each.isascii()]
    if not beyond:
        return Guess(ASCII, True)
    if all(_decodes(each, "utf-8") for each in beyond):
        return Guess(UTF8, True)
    scores = {
        GBK: _double(beyond, "gbk", 0xB0, 0xD7),
        BIG5: _double(beyond, "big5hkscs", 0xA4, 0xC6),
        CP1252: _western(beyond),
    }
    if not scores[GBK] and _double(beyond, "gb18030", 0xB0, 0xD7) > _ENOUGH:
        scores[GB18030] = _double(beyond, "gb18030", 0xB0, 0xD7)
    ranked = sorted((each for each in scores if scores[each] >= _ENOUGH), key=lambda each: -scores[each])
    return Guess(ranked[0] if ranked else "", False, tuple(ranked))


def guess_stream(stream: IO[bytes], stopped: Callable[[], bool]) -> Tuple[Guess, List[bytes]]:
    """(encoding, lines beyond ASCII) of a whole text, read once: its first line with an accent may be its last."""
    telling: List[bytes] = []
    kept, rest, first = 0, b"", True
    decoder: Optional[codecs.IncrementalDecoder] = codecs.getincrementaldecoder("utf-8")()
    for block in iter(lambda: stream.read(_BLOCK), b""):
        if first and any(block.startswith(start) for start, _ in _BOMS):
            return guess([block]), [each for each in block.splitlines() if not each.isascii()]
        first = False
        found, decoder = decoder is not None, _still_utf8(decoder, block)
        broken = found and decoder is None  # what is no UTF-8 tells most, so it is kept whatever was kept before
        lines = (rest + block).split(b"\n")
        rest = lines.pop()[-_BLOCK:]
        if (kept < _TELLING_BYTES or broken) and not all(each.isascii() for each in lines):
            new = [each for each in lines if not each.isascii()]
            telling += new
            kept += sum(len(each) for each in new)
        if stopped():
            break
    if rest and not rest.isascii():
        telling.append(rest)
    if not telling:
        return Guess(ASCII, True), []
    if decoder is not None:
        return Guess(UTF8, True), telling
    judged = guess(telling)
    return (judged if judged.encoding not in (UTF8, ASCII) else Guess("", False)), telling


def _still_utf8(decoder: Optional[codecs.IncrementalDecoder], block: bytes) -> Optional[codecs.IncrementalDecoder]:
    """The decoder, or None where the text is no UTF-8."""
    if decoder is None:
        return None
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return None
    return decoder


def _decodes(raw: bytes, codec: str) -> bool:
    """Whether bytes are valid; a character that is cut off at the end counts as valid (fields of a .dbf cut text)."""
    try:
        raw.decode(codec)
    except UnicodeDecodeError as error:
        return error.reason in ("unexpected end of data", "incomplete multibyte sequence") and error.end == len(raw)
    return True


def _double(pieces: List[bytes], codec: str, first: int, last: int) -> float:
    """Share of two-byte characters whose first byte is in the block of the everyday characters; 0 when any is invalid."""
    if not all(_decodes(each, codec) for each in pieces):
        return 0.0
    common = total = 0
    for piece in pieces:
        for character in piece.decode(codec, "ignore"):
            raw = character.encode(codec, "ignore")
            if len(raw) < 2:
                continue
            total += 1
            common += first <= raw[0] <= last and (codec == "big5hkscs" or raw[1] >= 0xA1)
            common += 0xA1 <= raw[0] <= 0xA3 and first != raw[0]  # punctuation and full-width forms in both
    return common / total if total else 0.0


def _western(pieces: List[bytes]) -> float:
    """Share of bytes over 127 that are single accented letters beside an ASCII letter: what Western European text has."""
    if not all(_decodes(each, "cp1252") for each in pieces):
        return 0.0
    good = total = 0
    for piece in pieces:
        for index, byte in enumerate(piece):
            if byte < 0x80:
                continue
            total += 1
            around = piece[max(0, index - 1) : index] + piece[index + 1 : index + 2]
            letter = byte >= 0xC0 and byte not in (0xD7, 0xF7)
            good += (
                letter
                and any(each < 0x80 and chr(each).isalpha() for each in around)
                and all(each < 0x80 for each in around)
            )
    return good / total if total else 0.0


@dataclass
class DbfText:
    """Raw texts of a .dbf: field names, values by field name index, the language byte."""

    names: List[bytes] = field(default_factory=list)
    values: List[List[bytes]] = field(default_factory=list)
    language: int = 0

    def pieces(self) -> List[bytes]:
        """All raw texts."""
        return self.names + [each for row in self.values for each in row]


def read_dbf(raw: bytes) -> DbfText:
    """See ``read_dbf_stream``."""
    return read_dbf_stream(io.BytesIO(raw), lambda: False)


def read_dbf_stream(stream: IO[bytes], stopped: Callable[[], bool]) -> DbfText:
    """Field names and text values as bytes: of the first records all, of the others those beyond ASCII. Empty for no .dbf.

    The layout is dBASE III's: a header of 32 bytes (records at 4, header size at 8, record size at 10, language at 29), then
    32 bytes a field (name 11, type 1 at 11, width at 16), ended by 0x0D.
    """
    text = DbfText()
    start = stream.read(32)
    if len(start) < 32:
        return text
    records, header, width = struct.unpack_from("<IHH", start, 4)
    text.language = start[29]
    columns = _dbf_columns(start + stream.read(max(0, header - 32)), header, text)
    kept = 0
    for number in range(records if width else 0):
        record = stream.read(width)
        if len(record) < width or (number % MAX_RECORDS == 0 and stopped()):
            break
        if number < MAX_RECORDS or (kept < _TELLING_BYTES and not record.isascii()):
            values = [record[at : at + size].strip(b" \0") for at, size in columns]
            if number < MAX_RECORDS or not all(each.isascii() for each in values):
                text.values.append(values)
                kept += width if number >= MAX_RECORDS else 0
    return text


def _dbf_columns(raw: bytes, header: int, text: DbfText) -> List[Tuple[int, int]]:
    """(offset in a record, width) of the text columns; the names of all columns go to ``text``."""
    columns: List[Tuple[int, int]] = []
    at, offset = 32, 1
    while at + 32 <= min(header, len(raw)) and raw[at] != 0x0D:
        text.names.append(raw[at : at + 11].split(b"\0")[0])
        size = raw[at + 16]
        if raw[at + 11 : at + 12] == b"C":
            size += raw[at + 17] << 8  # wide text columns keep their high byte where others keep decimals
            columns.append((offset, size))
        offset += size
        at += 32
    return columns


def beside(path: Path, suffix: str) -> Optional[Path]:
    """The file of the same name with another ending, in lower or upper case."""
    return next((each for each in (path.with_suffix(suffix), path.with_suffix(suffix.upper())) if each.is_file()), None)


def cpg_text(raw: bytes) -> str:
    """What the first bytes of a .cpg say."""
    return raw.decode("ascii", "replace").replace("\0", " ").strip()


def stated_page(path: Path) -> str:
    """What the .cpg beside a file says; "" where there is none."""
    page = beside(path, ".cpg")
    if page is None:
        return ""
    with open(str(page), "rb") as stream:
        return cpg_text(stream.read(_PAGE_BYTES))


def samples(pieces: Iterable[bytes], encodings: Iterable[str], count: int = 4) -> Dict[str, List[str]]:
    """By encoding the first texts beyond ASCII as they read in it."""
    chosen = list(dict.fromkeys(each for each in pieces if not each.isascii()))[:count]
    return {encoding: [decoded(each, encoding) for each in chosen] for encoding in encodings}
