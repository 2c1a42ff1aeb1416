"""The project's own properties, variables, themes, bookmarks and relations, and the notes of the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, NamedTuple, Optional

from qgis.core import QgsApplication, QgsBookmark, QgsMapThemeCollection, QgsProject, QgsReadWriteContext, QgsRelation
from qgis.PyQt.QtXml import QDomDocument

from .. import project_files
from ..i18n import translate
from ..layers import clean_text
from .state import GONE, NAME_LENGTH, Aspect, Look

if TYPE_CHECKING:
    from ..host import Host


class _Property(NamedTuple):
    read: Callable[[QgsProject], Any]
    write: Callable[[QgsProject, Any], Any]


_PROJECTION: Dict[str, _Property] = {
    "crs": _Property(lambda project: project.crs(), lambda project, value: project.setCrs(value)),
    "ellipsoid": _Property(lambda project: project.ellipsoid(), lambda project, value: project.setEllipsoid(value)),
    "distance units": _Property(
        lambda project: project.distanceUnits(), lambda project, value: project.setDistanceUnits(value)
    ),
    "area units": _Property(lambda project: project.areaUnits(), lambda project, value: project.setAreaUnits(value)),
}
_LOOKS: Dict[str, _Property] = {
    "title": _Property(lambda project: project.title(), lambda project, value: project.setTitle(value)),
    "background": _Property(
        lambda project: project.backgroundColor(), lambda project, value: project.setBackgroundColor(value)
    ),
    "selection color": _Property(
        lambda project: project.selectionColor(), lambda project, value: project.setSelectionColor(value)
    ),
}


class Properties(Aspect):
    """``projection``: CRS, ellipsoid and units; else title and colours."""

    def __init__(self, projection: bool) -> None:
        self.name = "projection" if projection else "project"
        self._properties = _PROJECTION if projection else _LOOKS

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        return {name: each.read(look.host.project) for name, each in self._properties.items()}

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        self._properties[rest].write(host.project, before)
        return None

    def order(self, rest: str, before: Any) -> Any:
        """The CRS first: QGIS sets the ellipsoid and units with it."""
        return self.rank, 0 if rest == "crs" else 1

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        if rest == "crs":
            return translate("QgisAgent", "CRS of the project")
        return translate("QgisAgent", "Property of the project: {}").format(rest)


class Variables(Aspect):
    """The project's variables."""

    name = "variable"

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        return dict(look.host.project.customVariables())

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        variables = dict(host.project.customVariables())
        variables.pop(rest, None)
        if before is not GONE:
            variables[rest] = before
        host.project.setCustomVariables(variables)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return translate("QgisAgent", "Variable of the project: {}").format(clean_text(rest, NAME_LENGTH))


class _Kept:
    """A value and the text by which it is compared."""

    def __init__(self, text: str, value: Any) -> None:
        self.text = text
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and self.text == other.text

    __hash__ = None  # type: ignore[assignment]


class Themes(Aspect):
    """The map themes."""

    name = "theme"
    rank = 48

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        themes = look.host.project.mapThemeCollection()
        return {name: _theme(themes, name) for name in themes.mapThemes()}

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        themes = host.project.mapThemeCollection()
        if before is GONE:
            themes.removeMapTheme(rest)
        elif themes.hasMapTheme(rest):
            themes.update(rest, before.value)
        else:
            themes.insert(rest, before.value)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return translate("QgisAgent", "Map theme: {}").format(clean_text(rest, NAME_LENGTH))


def _theme(themes: QgsMapThemeCollection, name: str) -> _Kept:
    state = themes.mapThemeState(name)
    parts = []
    for each in state.layerRecords():
        ident = each.layer().id() if each.layer() is not None else ""
        legend = sorted(each.checkedLegendItems) if each.usingLegendItems else None
        parts.append((ident, each.isVisible, each.currentStyle if each.usingCurrentStyle else None, legend))
    groups = (sorted(state.checkedGroupNodes()), sorted(state.expandedGroupNodes()))
    return _Kept(repr([sorted(parts, key=repr), groups]), state)


class Bookmarks(Aspect):
    """Spatial bookmarks of the project, or (``user``) of the person's QGIS."""

    def __init__(self, user: bool) -> None:
        self._user = user
        self.name = "user bookmark" if user else "bookmark"

    def _manager(self, host: Host) -> Any:
        return QgsApplication.bookmarkManager() if self._user else host.project.bookmarkManager()

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        return {
            each.id(): _Kept(
                repr([each.name(), each.group(), each.extent().asWktPolygon(), each.extent().crs().authid()]),
                QgsBookmark(each),
            )
            for each in self._manager(look.host).bookmarks()
        }

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        manager = self._manager(host)
        if before is GONE:
            manager.removeBookmark(rest)
        elif manager.bookmarkById(rest).id():
            manager.updateBookmark(before.value)
        else:
            manager.addBookmark(before.value)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        name = (after if before is GONE else before).value.name()
        return translate("QgisAgent", "Bookmark: {}").format(clean_text(name, NAME_LENGTH))


class Relations(Aspect):
    """Relations between layers. Those of a layer that was taken out come back with it."""

    name = "relation"
    rank = 48

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        return {
            ident: _Kept(repr([each.name(), sorted(each.fieldPairs().items())]), QgsRelation(each))
            for ident, each in look.host.project.relationManager().relations().items()
        }

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        manager = host.project.relationManager()
        manager.removeRelation(rest)
        if before is not GONE:
            relation = QgsRelation(before.value)
            relation.updateRelationStatus()
            manager.addRelation(relation)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        name = (after if before is GONE else before).value.name()
        return translate("QgisAgent", "Relation: {}").format(clean_text(name, NAME_LENGTH))


class Layouts(Aspect):
    """Print layouts, as QGIS writes them. The object stays: an open layout window shows what was set back."""

    name = "layout"
    rank = 49

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        found = look.host.project.layoutManager().layouts()
        return {each.name(): _Kept(_layout_xml(each), each.name()) for each in found}

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        manager = host.project.layoutManager()
        layout = manager.layoutByName(rest)
        if before is GONE:
            return None if manager.removeLayout(layout) else translate("QgisAgent", "QGIS did not remove it")
        if layout is None:
            return translate("QgisAgent", "the layout is no longer in the project")
        document = QDomDocument()
        document.setContent(before.text)
        layout.clear()
        if not layout.readXml(document.documentElement(), document, QgsReadWriteContext()):
            return translate("QgisAgent", "QGIS did not read its earlier state")
        layout.setName(rest)
        layout.refresh()
        return None

    def order(self, rest: str, before: Any) -> Any:
        """A layout of the run goes before the layers that it shows."""
        return (42 if before is GONE else self.rank), 0

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return translate("QgisAgent", "Layout: {}").format(clean_text(rest, NAME_LENGTH))


def _layout_xml(layout: Any) -> str:
    document = QDomDocument()
    document.appendChild(layout.writeXml(document, QgsReadWriteContext()))
    return str(document.toString(-1))


class Notes(Aspect):
    """The agent's notes beside the project, and the person's preferences."""

    name = "note"

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        found: Dict[str, Any] = {"preferences": project_files.preferences()}
        folder = look.host.project.absolutePath()
        try:
            raw = project_files.read_bounded(folder, project_files.NOTES_FILE)
        except project_files.ProjectFileProblem:
            return found  # prepare_note refuses such a file too
        if raw is not None:
            found["project"] = (folder, raw)
        return found

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        if rest == "preferences":
            project_files.set_preferences(before)
            return None
        try:
            if before is GONE:
                project_files.notes_path(host.project.absolutePath()).unlink()
            else:
                project_files.write_notes(*before)
        except (OSError, project_files.ProjectFileProblem) as problem:
            return clean_text(str(problem), 200)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        if rest == "preferences":
            return translate("QgisAgent", "Your preferences")
        return translate("QgisAgent", "Notes of this project")
