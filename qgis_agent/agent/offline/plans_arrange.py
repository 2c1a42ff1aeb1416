"""Plans that arrange the layer tree: order, names, groups."""

from __future__ import annotations

import re
from collections.abc import Callable

from .answers import listed, say, with_remark
from .choose import one_layer
from .grammar import Command
from .plans_map import layers_of
from .steps import Plan, Run, Stop

_TOP = re.compile(r"top|front|顶|最上|最前", re.IGNORECASE)
_ABOVE = re.compile(r"above|over|on top of|in front|上", re.IGNORECASE)
_QUOTES = "\"'“”‘’「」 "


def reorder(command: Command, run: Run) -> Plan[str]:
    """To the top or bottom of the tree, or above or below another layer."""
    said = command.words["position"]
    if "other" in command.words:
        layer, other = one_layer(run, command.words["layer"]), one_layer(run, command.words["other"])
        if layer["layer_id"] == other["layer_id"]:
            raise Stop(say(run.language, "Those are the same layer.", "这是同一个图层。"))
        position = "above" if _ABOVE.search(said) else "below"
        result = yield from run.do(
            "reorder_layer", layer_id=layer["layer_id"], position=position, other_layer_id=other["layer_id"]
        )
        if result.data.get("changed") is False:
            words = ("{name} lies there already.", "{name}本来就在那里。")
            return say(run.language, *words, name=layer["name"])
        return with_remark(say(run.language, "{name} was moved.", "已移动{name}。", name=layer["name"]), result.message)
    position = "top" if _TOP.search(said) else "bottom"
    wanted = layers_of(command, run)
    remark = ""
    changed = False
    # Each goes to the very top in turn, so the last one moved would lie highest: the first named does.
    for layer in reversed(wanted) if position == "top" else wanted:
        result = yield from run.do("reorder_layer", layer_id=layer["layer_id"], position=position)
        remark = result.message
        changed = changed or result.data.get("changed") is not False
    names = listed(run.language, (each["name"] for each in wanted))
    if not changed:
        words = ("At the bottom already: {names}.", "本来就在最下面：{names}。")
        if position == "top":
            words = ("On top already: {names}.", "本来就在最上面：{names}。")
        return say(run.language, *words, names=names)
    return with_remark(say(run.language, "{names} moved.", "已移动{names}。", names=names), remark)


def rename(command: Command, run: Run) -> Plan[str]:
    """Another name in the layer tree; the data keep theirs."""
    layer = one_layer(run, command.words["layer"])
    name = command.words["name"].strip(_QUOTES)
    if not name:
        raise Stop(say(run.language, "Say the new name.", "请说出新的名称。"))
    result = yield from run.do("rename_layer", layer_id=layer["layer_id"], name=name)
    if result.data.get("changed") is False:
        return say(run.language, "{name} is called so already.", "{name}本来就是这个名称。", name=name)
    old = str(result.data.get("before") or layer["name"])
    done = say(run.language, "{old} is called {new} now.", "{old}已重命名为{new}。", old=old, new=name)
    return with_remark(done, result.message)


def group(command: Command, run: Run) -> Plan[str]:
    """Several layers in one group of the tree."""
    name = command.words.get("name", "").strip(_QUOTES)
    if not name:
        raise Stop(say(run.language, "Say a name for the group.", "请说出分组的名称。"))
    wanted = layers_of(command, run)
    result = yield from run.do("group_layers", layer_ids=[each["layer_id"] for each in wanted], name=name)
    names = listed(run.language, (each["name"] for each in wanted))
    if result.data.get("changed") is False:
        words = ("{names}: in the group {name} already.", "{names}本来就在分组{name}中。")
        return say(run.language, *words, names=names, name=name)
    done = say(run.language, "{names} are in the group {name}.", "{names}已放入分组{name}。", names=names, name=name)
    return with_remark(done, result.message)


ARRANGE_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "reorder": reorder,
    "rename": rename,
    "group": group,
}
