"""The "/" commands: their names, a line of help each, and how one is told from a message."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

from ...gis.i18n import translate

SLASH = "/\uff0f"
_COMMAND = re.compile("^[/\uff0f]([A-Za-z]+)(?:\\s|$)")
"""A word and nothing more behind it but a blank: "/data/x.gpkg" and "/ per km²" are no commands."""
_UNDO = re.compile(
    "(?:please )?undo(?: (?:that|this|it|please|the last (?:step|run|change)))?|"
    "(?:请|帮我)?(?:撤销|撤消|撤回)(?:一下|吧|上一步|上一步操作|上次操作|刚才的操作|刚才的更改)?",
    re.IGNORECASE,
)
"""A whole message that asks for what no tool can do, but the panel can."""


class Command(NamedTuple):
    """A command and what it does."""

    name: str
    help: str


def commands() -> List[Command]:
    """All commands, in the order of the list."""
    return [
        Command("new", translate("QgisAgent", "Begin a new conversation")),
        Command("undo", translate("QgisAgent", "Take back what the last run changed")),
        Command("plan", translate("QgisAgent", "Plan mode on or off: look and propose, change nothing")),
        Command("model", translate("QgisAgent", "Choose the model")),
        Command("picture", translate("QgisAgent", "Show the model the map as it is now")),
        Command("compact", translate("QgisAgent", "Summarise the beginning of a long conversation now")),
        Command("sessions", translate("QgisAgent", "Earlier conversations")),
        Command("permissions", translate("QgisAgent", "See and take back permissions")),
        Command("export", translate("QgisAgent", "Save this conversation as Markdown")),
        Command("help", translate("QgisAgent", "Commands and keys")),
    ]


def offered(query: str, known: List[Command]) -> List[Command]:
    """The commands that begin with what is typed after "/", then those that hold it."""
    wanted = query.casefold()
    begin = [each for each in known if each.name.startswith(wanted)]
    return begin + [each for each in known if wanted in each.name and each not in begin]


def typed_command(text: str) -> Optional[str]:
    """The name of the command that a text begins with, known or not; None for a message."""
    found = _COMMAND.match(text.strip())
    return found.group(1).lower() if found is not None else None


def meant_command(text: str) -> Optional[str]:
    """The command that a message without "/" can only mean; None for any other message."""
    return "undo" if _UNDO.fullmatch(text.strip().rstrip(".!。！")) is not None else None


def unknown_text(name: str, known: List[Command]) -> str:
    """What is said of a command that there is not."""
    listed = translate("QgisAgent", ", ").join("/" + each.name for each in known)
    return translate("QgisAgent", "There is no command /{name}. There are {commands}.").format(
        name=name[:20], commands=listed
    )
