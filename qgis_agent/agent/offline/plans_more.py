"""Plans of the pack "arrange" beside order, names and groups: the view before, north, styles copied, legends, CRS, encoding."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .answers import listed, moved, num, say, with_remark
from .choose import one_layer
from .grammar import Command
from .steps import Plan, Run, Stop
from .targets import target
from .text import number

_ENCODINGS = {
    "utf8": "UTF-8", "gbk": "GBK", "gb2312": "GBK", "cp936": "GBK", "gb18030": "GB18030", "big5": "Big5",
    "windows1252": "windows-1252", "cp1252": "windows-1252", "latin1": "ISO-8859-1", "iso88591": "ISO-8859-1",
    "windows1251": "windows-1251", "cp1251": "windows-1251", "shiftjis": "Shift_JIS", "sjis": "Shift_JIS", "euckr": "EUC-KR",
    "utf16": "UTF-16",
}  # fmt: skip
"""What people call encodings, and the names of set_layer_encoding."""
_QUOTES = "\"'“”‘’「」《》 "


def previous_view(_command: Command, run: Run) -> Plan[str]:
    """The view before the last change of it."""
    result = yield from run.do("set_map_view", method="previous")
    return moved(run.language, say(run.language, "The map shows the view before.", "已回到上一个视图。"), result)


def rotate(command: Command, run: Run) -> Plan[str]:
    """The map turned by degrees clockwise, or north up."""
    said = command.words.get("angle", "")
    angle = 0.0 if command.words.get("north") else number(said.lstrip("-"))
    if angle is None or angle > 360:
        raise Stop(say(run.language, "I cannot read the angle “{said}”.", "无法识别角度“{said}”。", said=said))
    turned = -angle if said.startswith("-") or "left" in command.words else angle
    result = yield from run.do("set_map_view", rotation=turned)
    done = say(run.language, "The rotation of the map is {n}°.", "地图的旋转角度为 {n}°。", n=num(turned))
    return moved(run.language, done, result)


def clear_temp(_command: Command, run: Run) -> Plan[str]:
    """Temporary layers that nobody has worked on are taken away."""
    result = yield from run.do("clear_temp_layers")
    removed = [str(each) for each in result.data.get("removed") or []]
    if not removed:
        return result.message or say(run.language, "There is no temporary layer.", "没有临时图层。")
    done = say(run.language, "Taken away: {names}.", "已清理：{names}。", names=listed(run.language, removed))
    return with_remark(done, result.message)


def copy_style(command: Command, run: Run) -> Plan[str]:
    """One layer's look for another."""
    layer, other = one_layer(run, command.words["layer"]), one_layer(run, command.words["other"])
    if layer["layer_id"] == other["layer_id"]:
        raise Stop(say(run.language, "Those are the same layer.", "这是同一个图层。"))
    result = yield from run.do("copy_style", layer_id=layer["layer_id"], to_layer_ids=[other["layer_id"]])
    done = say(
        run.language,
        "{other} has the style of {layer} now.",
        "已将{layer}的样式复制给{other}。",
        layer=layer["name"],
        other=other["name"],
    )
    return with_remark(done, result.message)


def legend_title(command: Command, run: Run) -> Plan[str]:
    """The title of a layer's legend."""
    title = command.words["name"].strip(_QUOTES)
    layer = target(
        command, run, f"set the legend title of {{name}} to {_plain(title)}", f"把{{name}}的图例标题改为{_plain(title)}"
    )
    result = yield from run.do("set_legend", layer_id=layer["layer_id"], title=title)
    done = say(
        run.language,
        "The legend of {layer} is titled “{title}”.",
        "{layer}的图例标题为“{title}”。",
        layer=layer["name"],
        title=title,
    )
    return with_remark(done, result.message)


def _plain(text: str) -> str:
    """Text that may stand in a pattern."""
    return text.replace("{", "{{").replace("}", "}}")


def set_crs(command: Command, run: Run) -> Plan[str]:
    """The CRS of a layer, as an assumption of the person; nothing is converted."""
    layer = one_layer(run, command.words["layer"])
    crs = re.sub(r"\s+", "", command.words["crs"]).upper()
    result = yield from run.do("set_layer_crs", layer_id=layer["layer_id"], crs=crs)
    done = say(
        run.language,
        "{layer} is taken to be in {crs}.",
        "{layer}的坐标系按 {crs} 处理。",
        layer=layer["name"],
        crs=crs,
    )
    return with_remark(done, result.message)


def set_encoding(command: Command, run: Run) -> Plan[str]:
    """The encoding of a layer's text: set, or found out where none was said."""
    layer = one_layer(run, command.words["layer"])
    said = command.words.get("encoding", "")
    encoding = _ENCODINGS.get(re.sub(r"[\s_-]", "", said).casefold(), "")
    if said and not encoding:
        known = listed(run.language, dict.fromkeys(_ENCODINGS.values()))
        text = say(
            run.language, "I do not know the encoding “{said}”. Known: {known}.", "未知的编码“{said}”。可用：{known}。",
            said=said, known=known,
        )  # fmt: skip
        raise Stop(text, "tool_failed", "encoding")
    arguments: dict[str, Any] = {"encoding": encoding} if encoding else {}
    result = yield from run.do("set_layer_encoding", layer_id=layer["layer_id"], **arguments)
    now = result.data.get("encoding") or encoding or "?"
    done = say(run.language, "{layer}: encoding {now}.", "{layer}：编码 {now}。", layer=layer["name"], now=now)
    return with_remark(done, result.message)


MORE_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "previous_view": previous_view,
    "rotate": rotate,
    "clear_temp": clear_temp,
    "copy_style": copy_style,
    "legend_title": legend_title,
    "set_crs": set_crs,
    "set_encoding": set_encoding,
}
