"""Plans about files: load them, look into them, list them."""

from __future__ import annotations

from collections.abc import Callable

from .answers import MAX_LINES, kind_name, listed, num, say, with_remark
from .grammar import Command
from .steps import Plan, Run

_RASTERS = ("tif", "tiff", "img", "asc", "jp2", "png", "jpg", "jpeg", "vrt", "nc", "grd")
_TABLES = ("csv", "tsv", "txt", "xlsx", "xls", "ods", "dbf")
_QUOTES = "\"'“”‘’「」《》 "


def add_file(command: Command, run: Run) -> Plan[str]:
    """Add a file of the project's folders; the tool by the ending of its name."""
    path = _path(command)
    result = yield from run.do(_tool(path), path=path)
    data = result.data
    count = data.get("feature_count", data.get("count"))
    text = say(
        run.language,
        "{path} was added as the layer “{name}”.",
        "已添加 {path}，图层名为“{name}”。",
        path=path,
        name=data.get("name") or data.get("layer_id") or "?",
    )
    if isinstance(count, int):
        text += say(run.language, " Features: {n}.", "要素：{n} 个。", n=num(count))
    return with_remark(text, result.message)


def inspect_file(command: Command, run: Run) -> Plan[str]:
    """What is in a file; nothing is added."""
    path = _path(command)
    result = yield from run.do("inspect_data_file", path=path)
    data = result.data
    lines = [say(run.language, "{path} has:", "{path} 的内容：", path=path)]
    for layer in (data.get("sublayers") or data.get("layers") or [])[:MAX_LINES]:
        lines.append(
            f"- {layer.get('name') or layer.get('sublayer') or '?'}" if isinstance(layer, dict) else f"- {layer}"
        )
    fields = [
        f"{each.get('name')} ({each.get('type', '?')})" for each in data.get("fields") or [] if isinstance(each, dict)
    ]
    if fields:
        lines.append(say(run.language, "Fields: {names}.", "字段：{names}。", names=listed(run.language, fields[:30])))
    about = [
        (("CRS", "坐标系"), data.get("crs")),
        (("features", "要素数"), data.get("feature_count", data.get("count", data.get("rows")))),
        (("encoding", "编码"), data.get("encoding")),
    ]
    said = [f"{words[run.language == 'zh']}: {num(value)}" for words, value in about if isinstance(value, (str, int))]
    lines += [listed(run.language, said)] if said else []
    return with_remark("\n".join(lines), result.message)


def list_files(_command: Command, run: Run) -> Plan[str]:
    """The data files of the project's folder."""
    result = yield from run.do("list_data_files")
    files = [each for each in result.data.get("files") or [] if isinstance(each, dict)]
    if not files:
        return result.message or say(run.language, "There are no data files here.", "这里没有数据文件。")
    head = say(run.language, "Data files: {n}.", "数据文件：{n} 个。", n=num(result.data.get("total", len(files))))
    rows = [f"- {each.get('path')} ({kind_name(run.language, str(each.get('kind')))})" for each in files[:MAX_LINES]]
    return "\n".join([head, *rows])


def _path(command: Command) -> str:
    return command.words["path"].strip(_QUOTES)


def _tool(path: str) -> str:
    ending = path.rpartition(".")[2].casefold()
    if ending in _RASTERS:
        return "add_raster_layer"
    return "add_table_layer" if ending in _TABLES else "add_vector_layer"


FILE_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "add_file": add_file,
    "inspect_file": inspect_file,
    "list_files": list_files,
}
