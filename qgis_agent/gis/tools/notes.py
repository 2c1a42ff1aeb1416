"""Handler of ``prepare_note``: what the agent remembers, a line at a time, each with a person's click.

Two places: ``.qgis_agent/notes.md`` beside the project, and the person's preferences in the QGIS profile. Both are text of a
person, so only the one line is added or taken out; whatever else is there stays as it is, byte for byte.
"""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Protocol, Sequence

from qgis.core import QgsProject

from .. import project_files
from ..approvals import Card
from ..call import Call
from ..cards import write_card
from ..confirm import confirmed
from ..errors import (
    CONFIRM_REQUIRED,
    FORBIDDEN,
    INVALID_PARAM,
    NOT_FOUND,
    UNSUPPORTED,
    UPSTREAM_ERROR,
    ToolError,
    nearest,
)
from ..i18n import translate
from ..layers import clean_text
from ..progress import step_label
from ..secrets import without_secrets
from ..work import Answer, Step
from .registry import tool

_MAX_SAID = 300
"""Characters of the person's message on the card."""
_NO_SOURCE = ("prepare_note", "commit_action")
"""Their results are what a person agreed to."""
_NEAREST = 3
"""How many lines a hint names, in full: each can be given back as it is."""


@tool("prepare_note", effect="write", runs="task")
def prepare_note(call: Call, text: str, about: str, action: str = "add") -> Generator[Step, Any, Answer]:
    """Show what would be kept or forgotten, and write it when the person agrees."""
    line = clean_text(text, len(text) + 1)
    if not line:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The note is empty."),
            hint=translate("QgisAgent", "Give one line of text."),
            reason="text",
        )
    if action != "remove" and without_secrets(line) != line:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The note holds what looks like a key or password; nothing of that kind is kept."),
            hint=translate("QgisAgent", "Say it without; a person enters keys in the settings."),
            reason="secret",
        )
    place: _Place = _ProjectNotes(call) if about == "project" else _Preferences()
    before = place.read()
    if action == "remove":
        after = _without(before, line)
    elif line in lines_of(before):
        return Answer(
            {"written": False, "about": about, "text": line, "kept_in": place.where()},
            translate("QgisAgent", "This line is there already; nothing was written."),
        )
    else:
        after = _with(before, line)
    edit = _Edit(place, before, after, {"about": about, "action": action, "text": line})

    def preview() -> Answer:
        return Answer({**edit.said(), "after": lines_of(after)}, rows_key="after")

    return (yield from confirmed(call, _card(call, edit), edit, reversible=True, preview=preview))


def lines_of(text: str) -> List[str]:
    """The lines of a place as the agent reads them: cleaned, without empty ones."""
    return [line for line in (clean_text(each, len(each) + 1) for each in text.splitlines()) if line]


class _Place(Protocol):
    """Where lines are kept. ``title`` asks for the change and ``used_in`` says where they count, both for people."""

    title: str
    used_in: str

    def where(self) -> str:
        """The place, for people."""

    def read(self) -> str:
        """All of its text, "" when there is none. ToolError when it cannot be used."""

    def write(self, text: str) -> None:
        """Give it this text. ToolError when that fails; then the old text is still there."""


class _ProjectNotes:
    """``.qgis_agent/notes.md`` in the folder of the project that is open now."""

    def __init__(self, call: Call) -> None:
        self._project: QgsProject = call.host.project
        self._folder = self._project.absolutePath()
        self.title = translate("QgisAgent", "Change the notes of this project?")
        self.used_in = translate("QgisAgent", "every conversation about this project")
        if not self._folder:
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The project has no folder yet, so it cannot have notes."),
                hint=translate(
                    "QgisAgent", "Save the project first, or ask the person whether it counts in all projects."
                ),
                reason="no_project_folder",
            )
        path, roots = project_files.notes_path(self._folder), call.host.paths.write_roots()
        if not any(root in path.parents for root in roots):
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "'{}' is outside the folders that may be {}.").format(
                    path.name, translate("QgisAgent", "written")
                ),
                hint=translate("QgisAgent", "Allowed: {}.").format(", ".join(str(each) for each in roots)),
                reason="path_outside",
            )

    def where(self) -> str:
        """The path of the file."""
        return str(project_files.notes_path(self._folder))

    def read(self) -> str:
        """See _Place. A project that was saved somewhere else meanwhile has other notes: refused."""
        if self._project.absolutePath() != self._folder:
            raise _changed()
        try:
            raw = project_files.read_bounded(self._folder, project_files.NOTES_FILE) or b""
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise _unusable(translate("QgisAgent", "It is not text in UTF-8.")) from None
        except project_files.ProjectFileProblem as problem:
            raise _unusable(str(problem)) from problem

    def write(self, text: str) -> None:
        """See _Place."""
        try:
            project_files.write_notes(self._folder, text.encode("utf-8"))
        except project_files.ProjectFileProblem as problem:
            raise _not_written(str(problem)) from problem


class _Preferences:
    """The person's own standing wishes, in the QGIS profile."""

    def __init__(self) -> None:
        self.title = translate("QgisAgent", "Change your preferences?")
        self.used_in = translate("QgisAgent", "every conversation, in all projects")

    def where(self) -> str:
        """In words: a setting has no file of its own."""
        return translate("QgisAgent", "your preferences, in the QGIS profile")

    def read(self) -> str:
        """See _Place."""
        return project_files.preferences()

    def write(self, text: str) -> None:
        """See _Place."""
        project_files.set_preferences(text)


class _Edit:
    """One change, prepared: ``before`` and ``after`` are whole texts, ``what`` is {about, action, text}."""

    def __init__(self, place: _Place, before: str, after: str, what: Dict[str, str]) -> None:
        self.place = place
        self.before = before
        self.after = after
        self._what = what

    def said(self) -> Dict[str, str]:
        """What the change is, for the caller."""
        return {**self._what, "kept_in": self.place.where()}

    def removes(self) -> bool:
        """Whether it takes a line out."""
        return self._what["action"] == "remove"

    def state(self) -> str:
        """What the preview was made of. CONFIRM_REQUIRED, in words about notes, when it is not that any more."""
        if self.place.read() != self.before:
            raise _changed()
        return self.before

    def run(self, call: Call) -> Generator[Step, Any, Answer]:
        """Write and read back. A generator as every commit is, but without a step: a Stop must not come between."""
        yield from ()
        self.place.write(self.after)
        if self.place.read() != self.after:
            raise _not_written(translate("QgisAgent", "It reads back differently."))
        call.acted("note", **self._what)
        message = (
            translate("QgisAgent", "Forgotten from the next message on.")
            if self.removes()
            else translate("QgisAgent", "Remembered from the next message on.")
        )
        return Answer({"written": True, **self.said(), "lines": len(lines_of(self.after))}, message)


def _with(text: str, line: str) -> str:
    """The text with one line more. INVALID_PARAM when the agent would not read all of it."""
    newline = "\r\n" if "\r\n" in text else "\n"
    unended = bool(text) and text.splitlines()[-1] == text.splitlines(keepends=True)[-1]
    after = text + (newline if unended else "") + line + newline
    length = len("\n".join(lines_of(after)))
    if length > project_files.NOTES_MAX_CHARS or len(after.encode("utf-8")) > project_files.MAX_BYTES:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "With this line there would be {} characters; {} are read.").format(
                length, project_files.NOTES_MAX_CHARS
            ),
            hint=translate("QgisAgent", "Ask the person which line to remove first, or use fewer words."),
            reason="full",
        )
    return after


def _without(text: str, line: str) -> str:
    """The text without each line that reads like this one. NOT_FOUND with the nearest lines."""
    kept = [each for each in text.splitlines(keepends=True) if clean_text(each, len(each) + 1) != line]
    after = "".join(kept)
    if after != text:
        return after
    there = lines_of(text)
    near = nearest(line, there, _NEAREST) or there[:_NEAREST]
    said = ", ".join("'{}'".format(each) for each in near)
    raise ToolError(
        NOT_FOUND,
        translate("QgisAgent", "There is no such line."),
        hint=translate("QgisAgent", "Give a whole line exactly. Nearest: {}.").format(said)
        if near
        else translate("QgisAgent", "Nothing is kept there; there is nothing to remove."),
        reason="line",
    )


def _card(call: Call, edit: _Edit) -> Card:
    nothing = translate("QgisAgent", "nothing")
    label = translate("QgisAgent", "Removes") if edit.removes() else translate("QgisAgent", "Adds")
    lines = [
        [label, edit.said()["text"]],
        *_source(call, edit.said()["text"]),
        [translate("QgisAgent", "Kept in"), edit.place.where()],
        [translate("QgisAgent", "Used in"), edit.place.used_in],
        [translate("QgisAgent", "Before"), "\n".join(lines_of(edit.before)) or nothing],
        [translate("QgisAgent", "After"), "\n".join(lines_of(edit.after)) or nothing],
    ]
    return write_card(call, edit.place.title, lines, reversible=True, verb="change")


def _source(call: Call, line: str) -> List[List[str]]:
    """Whose words the line is: the person's sentence and, where data was read, what may have put it into the agent's mouth."""
    said = clean_text(call.capability.words, _MAX_SAID)
    own = bool(said) and line.casefold() in clean_text(call.capability.words, len(call.capability.words) + 1).casefold()
    who = (
        translate("QgisAgent", "you: it stands in your message")
        if own
        else translate("QgisAgent", "the agent, not you")
    )
    lines = [[translate("QgisAgent", "Worded by"), who]]
    if said:
        lines.append([translate("QgisAgent", "Your message"), said])
    read = [each for each in call.host.taint.read(call.capability.session_id) if each.tool not in _NO_SOURCE]
    if read:
        named = dict.fromkeys(_read_words(call, each.tool, each.layers) for each in read)
        lines.append([translate("QgisAgent", "Data read before it"), "\n".join(named)])
    return lines


def _read_words(call: Call, tool_name: str, aliases: Sequence[str]) -> str:
    """A step in which data was read, in words, with the names of its layers."""
    layers = [call.host.layers.by_alias(each) for each in dict.fromkeys(aliases)]
    names = [clean_text(each.name(), 80) for each in layers if each is not None]
    step = step_label({"tool": tool_name, "arguments": {"layer_id": names[0]} if names else {}})
    missing = [each for each in names if each not in step]
    return "{}: {}".format(step, ", ".join(missing)) if missing else step


def _changed() -> ToolError:
    return ToolError(
        CONFIRM_REQUIRED,
        translate("QgisAgent", "The notes have changed since the preview."),
        hint=translate("QgisAgent", "Prepare the note again; the person then decides anew."),
        reason="state_changed",
    )


def _unusable(why: str) -> ToolError:
    name = project_files.FOLDER + "/" + project_files.NOTES_FILE
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The notes of this project ({}) cannot be used. {}").format(name, why),
        hint=translate("QgisAgent", "Tell the person; they can repair or remove the file."),
        reason="notes_file",
    )


def _not_written(why: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The note was not written. {}").format(why),
        hint=translate("QgisAgent", "Tell the person; the folder may be read-only."),
        reason="write_failed",
    )
