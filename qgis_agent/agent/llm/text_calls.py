"""Recovers tool calls that a model wrote as text, while the text streams. Rather one call too few than one too many.

A call counts where its markup stands by itself. It does not count within thoughts, in a code fence, between backticks, in a
quoted or indented line, in the middle of a sentence, after a sentence that refuses it or calls it an example, nor when it
names no tool that was offered: all that is text, and shown unchanged. What never closes, or closes and cannot be read, is
taken out of the text, runs nothing, and is reported as ``unreadable``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from .text_forms import Block, RecoveredCall, bare_call, may_be_bare_call, read_block
from .text_literal import only_mentioned
from .text_markup import Tag, may_become_tag, tag_at

__all__ = ["Recovered", "RecoveredCall", "TextCallScanner"]

_SPECIAL = re.compile(r"[<>`~\n]")
_RUN = re.compile(r"`+|~+")
_LEAD = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_INDENTED_CODE = 4
_RECENT = 240
"""Characters of shown text that are kept for the question whether a call is only mentioned."""
Mode = Literal["start", "text", "line", "fence", "quoted", "think", "literal"]


@dataclass(frozen=True)
class Recovered:
    """What a whole message came to.

    ``rest`` is what ``feed`` had held back and can be shown. ``text`` is the message without markup and thoughts: the pieces
    that were shown, except that the text before a closing think tag whose opening was in the prompt is ``reasoning`` too.
    ``unknown`` names tools of well-formed calls that were left as text because nobody offered them.
    """

    rest: str
    text: str
    calls: tuple[RecoveredCall, ...]
    unreadable: bool
    reasoning: str = ""
    unknown: tuple[str, ...] = ()


class TextCallScanner:
    """One message. Feed it the pieces as they come, then finish; how the message is cut into pieces changes nothing.

    ``offered`` are the tools of the request. ``bare_json``: a message that is nothing but one object with a name and
    arguments counts as a call; not to be used when the answer has native calls. ``literal_wanted``: the person asked to see
    such markup (``text_literal.literal_wanted``), so that only thoughts at the very start are taken out.
    """

    def __init__(self, offered: Collection[str], *, bare_json: bool = False, literal_wanted: bool = False) -> None:
        self._offered = frozenset(offered)
        self._bare_json = bare_json
        self._literal_wanted = literal_wanted
        self._buffer = ""
        self._final = False
        self._needs = ""
        """A character without which the buffer cannot be read on; "" when any may do."""
        self._mode: Mode = "start"
        self._line = ""
        self._recent = ""
        self._fence = ""
        self._think: tuple[str, bool] = ("", True)
        self._quoted = ""
        self._after: Literal["", "taken", "mentioned", "unknown"] = ""
        """What became of the markup that ends the shown text, with nothing but space behind it."""
        self._out: list[str] = []
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[RecoveredCall] = []
        self._unknown: list[str] = []
        self._unreadable = False
        self._steps: dict[Mode, Callable[[], bool]] = {
            "start": self._start,
            "text": self._plain,
            "line": self._literal_line,
            "fence": self._in_fence,
            "quoted": self._in_quoted,
            "think": self._in_think,
            "literal": self._all,
        }

    def feed(self, delta: str) -> str:
        """Take a piece; returns the text that can be shown now, which never has a part of a call's markup in it."""
        self._buffer += delta
        if self._needs and self._needs not in delta:
            return ""
        return self._work()

    def finish(self) -> Recovered:
        """The message is complete."""
        self._final = True
        rest = self._work()
        text = "".join(self._text)
        if self._calls or self._unreadable:
            text = text.strip()
        return Recovered(
            rest,
            text,
            tuple(self._calls),
            self._unreadable,
            "\n".join(each.strip() for each in self._reasoning if each.strip()),
            tuple(self._unknown),
        )

    def _work(self) -> str:
        self._needs = ""
        while self._buffer and self._steps[self._mode]():
            pass
        shown = "".join(self._out)
        self._out.clear()
        return shown

    # what becomes of a piece

    def _show(self, length: int) -> bool:
        piece, self._buffer = self._buffer[:length], self._buffer[length:]
        self._out.append(piece)
        self._text.append(piece)
        self._recent = (self._recent + piece)[-_RECENT:]
        self._line = (self._line + piece).rsplit("\n", 1)[-1]
        if piece.strip():
            self._after = ""
        return True

    def _drop(self, length: int) -> bool:
        self._buffer = self._buffer[length:]
        return True

    def _wait(self, needs: str = "") -> bool:
        self._needs = needs
        return False

    def _go(self, mode: Mode) -> bool:
        self._mode = mode
        return True

    # the parts of a message

    def _start(self) -> bool:
        """Before the first visible character: thoughts, and the message that is one object."""
        message = self._buffer.lstrip()
        if self._reasoning:
            self._buffer = message  # the empty lines after the thoughts
        if not message:
            return self._go("text") if self._final else self._wait()
        if self._literal_wanted:
            return self._start_of_literal(len(self._buffer) - len(message))
        if self._bare_json and may_be_bare_call(message):
            if not self._final:
                return self._wait()
            call = bare_call(message)
            if call is not None and call.name in self._offered:
                self._calls.append(call)
                return self._drop(len(self._buffer))
        return self._go("text")

    def _start_of_literal(self, at: int) -> bool:
        tag = tag_at(self._buffer, at)
        if tag is not None and tag.kind == "think" and not tag.closing:
            self._think = (tag.word, True)
            self._drop(tag.end)
            return self._go("think")
        if tag is None and self._buffer[at] == "<" and may_become_tag(self._buffer, at) and not self._final:
            return self._wait()
        return self._go("literal")

    def _all(self) -> bool:
        return self._show(len(self._buffer))

    def _plain(self) -> bool:
        found = _SPECIAL.search(self._buffer)
        if found is None or found.start():
            return self._show(len(self._buffer) if found is None else found.start())
        char = self._buffer[0]
        if char == "<":
            return self._at_tag()
        if char in "`~":
            return self._at_run()
        if char == ">" and not self._line.strip():
            return self._go("line")
        return self._show(1)

    def _literal_line(self) -> bool:
        end = self._buffer.find("\n")
        if end >= 0:
            self._mode = "text"
        return self._show(len(self._buffer) if end < 0 else end + 1)

    def _at_run(self) -> bool:
        """Backticks or tildes: a fence, a piece of code in a line, or nothing."""
        found = _RUN.match(self._buffer)
        run = found[0] if found else self._buffer[0]
        if len(run) == len(self._buffer) and not self._final:
            return self._wait()
        if len(run) >= 3 and _LEAD.fullmatch(self._line):
            line_end = self._buffer.find("\n")
            info = self._buffer[len(run) :] if line_end < 0 else self._buffer[len(run) : line_end]
            if "`" not in info or run[0] == "~":
                if line_end < 0 and not self._final:
                    return self._wait()
                self._fence, self._mode = run, "fence"
                return self._show(len(self._buffer) if line_end < 0 else line_end + 1)
        return self._code(run) if run[0] == "`" else self._show(len(run))

    def _code(self, run: str) -> bool:
        """Code within a paragraph. Backticks that no others close are ordinary characters."""
        paragraph = _PARAGRAPH.search(self._buffer)
        limit = len(self._buffer) if paragraph is None else paragraph.start()
        for found in re.finditer("`+", self._buffer[:limit]):
            if found.start() and found[0] == run and (found.end() < len(self._buffer) or self._final):
                return self._show(found.end())
        if paragraph is None and not self._final:
            return self._wait()
        return self._show(len(run))

    def _in_fence(self) -> bool:
        end = self._buffer.find("\n")
        line = self._buffer if end < 0 else self._buffer[:end]
        if not self._line:
            mark = re.escape(self._fence[0])
            if end < 0 and not self._final and re.fullmatch(rf"\s*{mark}*\s*", line):
                return self._wait()
            if re.fullmatch(rf"\s*{mark}{{{len(self._fence)},}}\s*", line):
                self._mode = "text"
        return self._show(len(line) if end < 0 else end + 1)

    def _in_quoted(self) -> bool:
        """Within pre, code or example tags, which show things as they are."""
        found = re.search(f"</{self._quoted}\\s*>", self._buffer)
        if found is not None:
            self._mode = "text"
            return self._show(found.end())
        tail = re.search(r"</?[a-z]{0,8}\s*\Z", self._buffer)
        if tail is None or self._final:
            return self._show(len(self._buffer))
        return self._show(tail.start()) if tail.start() else self._wait()

    def _in_think(self) -> bool:
        word, at_line_start = self._think
        found = re.search(f"</{word}\\s*>", self._buffer)
        if found is not None:
            self._reasoning.append(self._buffer[: found.start()])
            self._drop(found.end())
            return self._go("text" if "".join(self._text).strip() else "start")
        if not self._final:
            return self._wait(">")
        if at_line_start:
            self._reasoning.append(self._buffer)  # cut off while it thought
            return self._drop(len(self._buffer))
        self._buffer = f"<{word}>{self._buffer}"
        return self._go("literal")

    # tags

    def _at_tag(self) -> bool:
        if not self._line.strip() and len(self._line.expandtabs()) >= _INDENTED_CODE:
            return self._go("line")
        tag = tag_at(self._buffer, 0)
        if tag is None:
            if may_become_tag(self._buffer, 0) and not self._final:
                return self._wait()
            return self._show(1)
        if tag.kind == "quoted":
            if not tag.closing:
                self._quoted, self._mode = tag.word, "quoted"
            return self._show(tag.end)
        if tag.kind == "think":
            return self._at_think(tag)
        if tag.closing:
            return self._at_stray_end(tag)
        if tag.kind == "parameter" and not tag.dsml:
            return self._show(tag.end)
        return self._at_block(tag)

    def _at_think(self, tag: Tag) -> bool:
        if not tag.closing:
            self._think = (tag.word, not self._line.strip())
            self._drop(tag.end)
            return self._go("think")
        within_sentence = self._within_sentence(tag.end)
        if within_sentence is None:
            return self._wait()
        if within_sentence:
            return self._show(tag.end)
        # The opening tag was in the prompt: all there was so far are thoughts, and nothing in thoughts is run.
        self._reasoning.append("".join(self._text))
        self._text.clear()
        self._calls.clear()
        self._unknown.clear()
        self._unreadable, self._line, self._recent = False, "", ""
        self._drop(tag.end)
        return self._go("start")

    def _at_stray_end(self, tag: Tag) -> bool:
        """A closing tag that nothing opened: the rest of a call before it, or of one whose beginning a server took away."""
        if self._after == "taken":
            return self._drop(tag.end)
        before = self._line.strip()
        if self._after or not (tag.dsml or tag.kind in ("tool_call", "foreign")):
            return self._show(tag.end)
        if before and not before.endswith("}"):
            within_sentence = self._within_sentence(tag.end)
            if within_sentence is None:
                return self._wait()
            if within_sentence or not tag.dsml:
                return self._show(tag.end)
        self._unreadable = True
        return self._drop(tag.end)

    def _at_block(self, tag: Tag) -> bool:
        if tag.kind in ("tool_call", "calls"):
            named_only = self._without_body(tag)
            if named_only is None:
                return self._wait()
            if named_only:
                return self._show(tag.end)
        block = read_block(self._buffer, tag, final=self._final)
        if block is None:
            return self._wait(">")
        within_sentence = self._within_sentence(block.end)
        if within_sentence is None:
            return self._wait()
        if within_sentence or self._after == "mentioned" or only_mentioned(self._recent):
            return self._leave(block, "mentioned")
        if block.names and not self._offered.intersection(block.names):
            self._unknown += block.names
            return self._leave(block, "unknown")
        return self._take(block)

    def _without_body(self, tag: Tag) -> bool | None:
        """Whether an opening tag is followed by words, as in "the tag <tool_call> is …". None: more text is needed."""
        rest = self._buffer[tag.end :]
        body = rest.lstrip(" \t")
        if not body:
            return False if self._final else None
        return body[0] not in "{<[\r\n" and (body != rest or bool(self._line.strip()))

    def _within_sentence(self, end: int) -> bool | None:
        """Whether words stand on both sides of the markup up to ``end``, on its lines. None: more text is needed."""
        if not self._line.strip():
            return False
        rest = self._buffer[end:].lstrip(" \t")
        if not rest:
            return False if self._final else None
        if rest[0] != "<":
            return rest[0] not in "\r\n"
        tag = tag_at(rest, 0)
        if tag is None and may_become_tag(rest, 0) and not self._final:
            return None
        return tag is None or tag.kind == "quoted"

    def _leave(self, block: Block, why: Literal["mentioned", "unknown"]) -> bool:
        """The markup is text."""
        self._show(block.end)
        self._after = why
        return True

    def _take(self, block: Block) -> bool:
        known = [call for call in block.calls if call.name in self._offered]
        self._unknown += [call.name for call in block.calls if call.name not in self._offered]
        self._calls += known
        self._unreadable |= not block.readable or len(known) < len(block.calls)
        self._after = "taken"
        return self._drop(block.end)
