"""Plans about the map and which layers it shows: help, lists, zoom, view, show and hide."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...bridge.envelope import NOT_FOUND
from ...bridge.messages import CatalogueLayer
from . import answers
from .answers import moved, say
from .choose import one_layer
from .examples import help_text
from .finding import sure_layers
from .grammar import Command
from .naming import close_layers, match_layers, several_names, strip_phrase
from .parser import is_everything
from .places import features_of, is_pointed, resolve_all, where_of
from .prose import and_then
from .remarks import distinct
from .steps import Ask, Plan, Planned, Run, Stop, ToolFailed, succeeded
from .targets import target
from .text import number

MAX_TOGGLES = 20
_VIEWS = {
    "zoom_in": ("The map was zoomed in.", "地图已放大。"),
    "zoom_out": ("The map was zoomed out.", "地图已缩小。"),
    "full_extent": ("The map shows the whole project.", "地图已缩放到全图。"),
}


def help_(_command: Command, run: Run) -> Plan[str]:
    """What can be said."""
    yield from ()
    return help_text(run.language, run.layers)


def undo(_command: Command, run: Run) -> Plan[str]:
    """Undo is a button, no tool: a sentence cannot press it, and says so."""
    yield from ()
    text = say(
        run.language,
        "I cannot undo by a sentence. Undo belongs to the QGIS Agent panel: where it shows an Undo "
        "button beside a run, click that. You can also say the opposite, for example “hide …” after “show …”.",
        "我不能通过一句话撤销。撤销属于 QGIS 智能体面板：如果面板在某次运行旁显示“撤销”按钮，请点击它。"
        "您也可以说相反的命令，例如在“打开……”之后说“关闭……”。",
    )
    raise Stop(text, "tool_failed", "undo_is_a_button")


def list_layers(_command: Command, run: Run) -> Plan[str]:
    """The layers of the project."""
    result = yield from run.do("search_layers", query="", limit=50)
    return answers.layer_list(run.language, result.data)


def visible_layers(_command: Command, run: Run) -> Plan[str]:
    """The layers that are switched on."""
    result = yield from run.do("search_layers", query="", limit=50)
    names = [str(each.get("name")) for each in result.data.get("layers") or [] if each.get("visible")]
    if not names:
        return say(run.language, "No layer is shown.", "没有显示任何图层。")
    return say(run.language, "Shown: {names}.", "正在显示：{names}。", names=answers.listed(run.language, names))


def map_state(_command: Command, run: Run) -> Plan[str]:
    """The scale of the view: the request tells it in chat, a tool where it does not."""
    scale, remark = run.snapshot.get("scale"), ""
    if scale is None:
        result = yield from run.do("get_map_state")
        scale, remark = result.data.get("scale"), result.message
    if scale is None:
        return remark or say(run.language, "The view has no scale.", "视图没有比例尺。")
    return say(run.language, "The scale is one to {n}.", "比例尺分母为 {n}。", n=answers.num(scale))


def view(command: Command, run: Run) -> Plan[str]:
    """In, out, or all of the map."""
    result = yield from run.do("set_map_view", method=command.intent)
    return moved(run.language, say(run.language, *_VIEWS[command.intent]), result)


def set_scale(command: Command, run: Run) -> Plan[str]:
    """A scale by its denominator."""
    said = command.words["scale"]
    scale = number(said)
    if scale is None or scale < 1:
        raise Stop(say(run.language, "I cannot read the scale “{said}”.", "无法识别比例尺“{said}”。", said=said))
    result = yield from run.do("set_map_view", scale=int(scale))
    done = say(run.language, "The scale is set to one to {n}.", "比例尺分母已设为 {n}。", n=answers.num(scale))
    return moved(run.language, done, result)


def zoom(command: Command, run: Run) -> Plan[str]:
    """To a layer when the words name one exactly, else to a place among the features of all layers."""
    place = command.words["place"]
    layers = match_layers(place, run.layers, loose=strip_phrase(place) != place.strip())
    if command.intent != "zoom_selection" and (command.where or (layers and not is_pointed(place))):
        return (yield from _zoom_to_layer(command, run, place))
    several = several_names(re.sub(r"的?范围[内里]?$", "", place))
    if len(several) > 1 and all(match_layers(each, run.layers, loose=False) for each in several):
        raise Ask(
            say(run.language, "I can zoom to one layer at a time. To which?", "一次只能缩放到一个图层。缩放到哪个？"),
            [run.sentence.replace(place, each, 1) for each in several],
        )
    try:
        found = yield from resolve_all(run, place)
    except ToolFailed as failure:
        if failure.envelope.get("code") != NOT_FOUND or not _meant(place, run):
            raise
        return (yield from _zoom_to_layer(command, run, place))
    result = yield from run.do("zoom_to", **features_of(found))
    names = distinct([str(each) for each in found.get("names") or [place]], found.get("values") or ())
    if len(names) == 1 and place.startswith(f"{names[0]} ("):
        names = [place]  # the name alone means several places: the code was said to tell them apart
    shown = answers.listed(run.language, names[: answers.MAX_LINES])
    return moved(run.language, say(run.language, "The map shows {name}.", "地图已定位到{name}。", name=shown), result)


def _meant(place: str, run: Run) -> bool:
    """Whether words that are no place are nearly a layer's name."""
    return bool(match_layers(place, run.layers) or close_layers(place, run.layers) or sure_layers(place, run.layers))


def _zoom_to_layer(command: Command, run: Run, place: str) -> Plan[str]:
    layer = one_layer(run, place)
    where = where_of(command, run, layer)
    result = yield from run.do("zoom_to", layer_id=layer["layer_id"], **({"where": where} if where else {}))
    done = say(run.language, "The map shows {name}.", "地图已定位到{name}。", name=layer["name"])
    return moved(run.language, done, result)


def show(command: Command, run: Run) -> Plan[str]:
    """Switch layers on."""
    return (yield from _toggle(layers_of(command, run), run, True))


def hide(command: Command, run: Run) -> Plan[str]:
    """Switch layers off."""
    return (yield from _toggle(layers_of(command, run), run, False))


def look(command: Command, run: Run) -> Plan[str]:
    """ "Show me …": a layer when the words name one, else a place."""
    place = command.words["place"]
    asked = replace(command, words={"layers": place})
    if is_everything(place) or match_layers(place, run.layers) or _all_named(place, run):
        return (yield from _toggle(layers_of(asked, run), run, True))
    return (yield from zoom(command, run))


def _all_named(place: str, run: Run) -> bool:
    parts = several_names(place)
    return len(parts) > 1 and all(match_layers(each, run.layers) for each in parts)


def show_only(command: Command, run: Run) -> Plan[str]:
    """Some layers on, all others that are on off."""
    wanted = layers_of(command, run)
    kept = {each["layer_id"] for each in wanted}
    hidden = {each.arguments.get("layer_id") for each in run.settled if each.call.name == "toggle_layer"}
    others = [each for each in run.layers if each["layer_id"] not in kept]
    others = [each for each in others if each["visible"] or each["layer_id"] in hidden]
    if len(wanted) + len(others) > MAX_TOGGLES:
        raise _too_many(run)
    shown = yield from _toggle(wanted, run, True)
    if not others:
        return shown
    run.said.append(shown)
    done = yield from _toggle(others, run, False)
    run.said.pop()
    return and_then(shown, done)


def _toggle(wanted: Sequence[CatalogueLayer], run: Run, visible: bool) -> Plan[str]:
    calls = [Planned("toggle_layer", {"layer_id": each["layer_id"], "visible": visible}) for each in wanted]
    settled = yield from run.do_all(calls)
    names: list[str] = []
    before: list[str] = []
    groups: list[str] = []
    problem: ToolFailed | None = None
    for layer, call in zip(wanted, settled, strict=True):
        try:
            result = succeeded(call)
        except ToolFailed as error:
            problem = problem or error
            continue
        (before if result.data.get("changed") is False else names).append(layer["name"])
        groups += [str(each) for each in result.data.get("groups") or ()]
    done = answers.toggled(run.language, visible, names, before, list(dict.fromkeys(groups)))
    if problem is not None:
        if done:
            run.said.append(done)
        raise problem
    return done


def layers_of(command: Command, run: Run) -> Sequence[CatalogueLayer]:
    """The layers of "schools and hospitals", 学校和医院, "all layers"."""
    if "layers" not in command.words:
        words = ("show {name}", "打开{name}") if command.intent == "show" else ("hide {name}", "关闭{name}")
        return [target(command, run, *words, tools=())]
    phrase = command.words["layers"]
    if is_everything(phrase):
        if not run.layers:
            raise Stop(answers.no_layer(run.language, phrase, run.layers))
        if len(run.layers) > MAX_TOGGLES:
            raise _too_many(run)
        return run.layers
    parts = command.several or several_names(phrase)
    if len(parts) < 2 or match_layers(phrase, run.layers):
        return [one_layer(run, phrase)]
    chosen = [one_layer(run, each) for each in parts]
    return list({each["layer_id"]: each for each in chosen}.values())


def _too_many(run: Run) -> Stop:
    return Stop(
        say(
            run.language,
            "Those are too many layers at once. Name the ones you mean.",
            "一次涉及的图层太多，请说出具体的图层。",
        )
    )


MAP_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "help": help_,
    "undo": undo,
    "list_layers": list_layers,
    "visible_layers": visible_layers,
    "map_state": map_state,
    "zoom_in": view,
    "zoom_out": view,
    "full_extent": view,
    "set_scale": set_scale,
    "zoom_selection": zoom,
    "zoom": zoom,
    "show": show,
    "show_only": show_only,
    "hide": hide,
    "look": look,
}
