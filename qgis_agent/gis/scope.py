"""The person's scope: layers, fields and folders of a project that no tool sees.

It can only hide. It is kept in the project's own entries, so that it goes with the project file. A layer is excluded by its
id, and so is any other layer that shows the same data; a file behind an excluded layer, or behind one with excluded
fields, is not opened again. An entry that cannot be read excludes everything until the person sets it anew.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Tuple
from urllib.parse import unquote

from qgis.core import Qgis, QgsExpression, QgsField, QgsFields, QgsMapLayer, QgsProject, QgsVectorLayer
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, pyqtSignal

from .scope_rules import (
    ENTRY_KEY,
    ENTRY_SCOPE,
    FieldRule,
    Rules,
    as_text,
    file_path,
    folder_entry,
    key_path,
    mark_origin,
    parse,
    raw_entry,
    real_folders,
    real_path,
    same_or_below,
    source_key,
)

_READS_ELSEWHERE = frozenset(
    "aggregate relation_aggregate attributes attribute eval eval_template get_feature get_feature_by_id represent_value "
    "represent_attributes display_expression overlay_contains overlay_crosses overlay_disjoint overlay_equals "
    "overlay_intersects overlay_nearest overlay_touches overlay_within layer_property raster_value maptip".split()
)
"""Functions of a virtual field that may read what is excluded without naming it."""
_NONE: FrozenSet[str] = frozenset()


class Counts(NamedTuple):
    """How much is excluded."""

    layers: int
    fields: int
    folders: int


class Seal:
    """What a result was made of, and whether all of it may still be seen."""

    def __init__(self, scope: Scope, layer_ids: Iterable[str]) -> None:
        self._scope = scope
        self._rules = scope.rules()
        self._ids = frozenset(layer_ids)

    def holds(self) -> bool:
        """False when something that the result may hold was excluded since."""
        now = self._scope.rules()
        new = now.parts() - self._rules.parts()
        if not new:
            return True
        if now.damaged or not self._ids:
            return False
        return not any(self._concerns(each) for each in self._ids)

    @property
    def layer_ids(self) -> FrozenSet[str]:
        """Ids of the layers that it was made of; none: it may hold something of any."""
        return self._ids

    @property
    def excluded(self) -> FrozenSet[Tuple[str, ...]]:
        """What was excluded when it was made (``Rules.parts``)."""
        return self._rules.parts()

    def _concerns(self, ident: str) -> bool:
        """A layer that has gone from the project is no longer known by its data: it counts as concerned."""
        layer = self._scope.project.mapLayer(ident)
        if layer is None or self._scope.hides_layer(layer):
            return True
        return isinstance(layer, QgsVectorLayer) and bool(self._scope.hidden_fields(layer))


class Scope(QObject):
    """The scope of one project. ``changed`` is emitted when the person sets it anew and when another project opens."""

    changed = pyqtSignal()

    def __init__(self, project: QgsProject) -> None:
        super().__init__()
        self.project = project
        self._last = raw_entry(project)
        project.readProject.connect(self._look)
        project.cleared.connect(self._look)

    def rules(self) -> Rules:
        """What is excluded now."""
        return parse(raw_entry(self.project))

    @property
    def damaged(self) -> bool:
        """Whether the project's entry cannot be read, so that everything is excluded."""
        return self.rules().damaged

    def set(self, layer_ids: Iterable[str], fields: Mapping[str, Iterable[str]], folders: Iterable[str]) -> None:
        """Keep what the person chose: ids of layers, names of fields by the layer's id, paths of folders."""
        old, layers, hidden = self.rules(), {}, {}
        chosen_ids = list(layer_ids)
        for marked in (self.project.mapLayer(each) for each in [*chosen_ids, *fields]):
            if marked is not None:
                mark_origin(marked)
        for ident in chosen_ids:
            layer = self.project.mapLayer(ident)
            layers[ident] = source_key(layer) if layer is not None else old.layers.get(ident, "")
        for ident, names in fields.items():
            chosen = frozenset(each.casefold() for each in names)
            layer = self.project.mapLayer(ident)
            if chosen and isinstance(layer, QgsVectorLayer):
                known = frozenset(each.name().casefold() for each in layer.fields())
                hidden[ident] = FieldRule(source_key(layer), chosen, known)
            elif chosen and ident in old.fields:
                hidden[ident] = old.fields[ident]._replace(names=chosen)
        kept = dict.fromkeys(folder_entry(self.project, each) for each in folders if each.strip())
        text = as_text(Rules(layers, hidden, tuple(kept)))
        if text:
            self.project.writeEntry(ENTRY_SCOPE, ENTRY_KEY, text)
        else:
            self.project.removeEntry(ENTRY_SCOPE, ENTRY_KEY)
        self._look()

    def counts(self) -> Counts:
        """How many layers, fields and folders are excluded."""
        rules = self.rules()
        return Counts(len(rules.layers), sum(len(each.names) for each in rules.fields.values()), len(rules.folders))

    def folders(self) -> List[str]:
        """The excluded folders as real paths."""
        return real_folders(self.project, self.rules())

    def _look(self, *_args: Any) -> None:
        if sip.isdeleted(self.project):
            return  # a project that goes says that it is cleared
        raw = raw_entry(self.project)
        if raw != self._last:
            self._last = raw
            self.changed.emit()

    # layers

    def hides_layer(self, layer: QgsMapLayer) -> bool:
        """Whether a layer is excluded: itself, another layer with its data, its folder, or what a virtual layer reads."""
        return self.layer_test()(layer)

    def layer_test(self) -> Callable[[QgsMapLayer], bool]:
        """``hides_layer`` for many layers at once."""
        rules = self.rules()
        if rules.empty:
            return lambda _layer: False
        if rules.damaged:
            return lambda _layer: True
        keys, folders = self._layer_keys(rules), real_folders(self.project, rules)

        def hidden(layer: QgsMapLayer) -> bool:
            if layer.id() in rules.layers or (keys and source_key(layer) in keys):
                return True
            if folders and same_or_below(file_path(layer) or os.sep, folders):
                return True
            return layer.providerType() == "virtual" and self._virtual_reads(layer, rules)

        return hidden

    def _layer_keys(self, rules: Rules) -> FrozenSet[str]:
        """The data of excluded layers, as it was when they were excluded and as it is."""
        present = [self.project.mapLayer(each) for each in rules.layers]
        now = {source_key(each) for each in present if each is not None}
        return frozenset((now | set(rules.layers.values())) - {""})

    def _virtual_reads(self, layer: QgsMapLayer, rules: Rules) -> bool:
        text = unquote(layer.source()).casefold()
        for ident in [*rules.layers, *rules.fields]:
            other = self.project.mapLayer(ident)
            names = [ident.casefold()] + ([other.name().casefold()] if other is not None else [])
            if any(each and each in text for each in names):
                return True
        paths = {key_path(each) for each in rules.layers.values()} | {
            key_path(rule.source) for rule in rules.fields.values()
        }
        return any(each and each.casefold() in text for each in paths)

    def names_excluded(self, text: str) -> bool:
        """Whether a text is the id or the name of a layer that the person excluded."""
        rules = self.rules()
        if rules.empty:
            return False
        test, wanted = self.layer_test(), "_".join(text.split()).casefold()
        for layer in self.project.mapLayers().values():
            called = ("_".join(layer.name().split()).casefold(), layer.id().casefold())
            if wanted in called and test(layer):
                return True
        return wanted in (each.casefold() for each in rules.layers)

    # fields

    def hidden_fields(self, layer: QgsVectorLayer) -> FrozenSet[str]:
        """The exact names of the layer's fields that are excluded, joined and virtual ones that show them included."""
        rules = self.rules()
        return _NONE if rules.empty else self._hidden_fields(layer, rules, ())

    def _hidden_fields(self, layer: QgsVectorLayer, rules: Rules, above: Tuple[str, ...]) -> FrozenSet[str]:
        if layer.id() in above:
            return _NONE
        fields = layer.fields()
        if self.hides_layer(layer):
            return frozenset(each.name() for each in fields)
        found = _named(fields, self._rules_for(layer, rules))
        for join in layer.vectorJoins():
            table = join.joinLayer()
            if table is None:
                continue
            hidden = self._hidden_fields(table, rules, (*above, layer.id()))
            found |= {join.prefixedFieldName(each) for each in table.fields() if each.name() in hidden}
        found &= {each.name() for each in fields}
        return frozenset(found | _virtual(layer, fields, found))

    def _rules_for(self, layer: QgsVectorLayer, rules: Rules) -> List[FieldRule]:
        own = rules.fields.get(layer.id())
        key = source_key(layer)
        copies = [each for each in rules.fields.values() if key and key == each.source and each is not own]
        return ([own] if own is not None else []) + copies

    def hides_field(self, layer: QgsVectorLayer, name: str) -> bool:
        """Whether a field of a layer is excluded, also under another spelling of capital letters."""
        hidden = self.hidden_fields(layer)
        return bool(hidden) and name.casefold() in {each.casefold() for each in hidden}

    def chosen_fields(self, layer: QgsVectorLayer) -> FrozenSet[str]:
        """The names of the layer's fields that the person chose to hide in this layer."""
        rule = self.rules().fields.get(layer.id())
        return _NONE if rule is None else _named(layer.fields(), [rule])

    def visible_fields(self, layer: QgsVectorLayer) -> List[QgsField]:
        """The fields of a layer that tools may see, in order."""
        hidden = self.hidden_fields(layer)
        return [each for each in layer.fields() if each.name() not in hidden]

    # files

    def hides_path(self, path: str) -> bool:
        """Whether a file or folder is excluded: in an excluded folder, or data of an excluded layer or field."""
        return self.path_test()(path)

    def path_test(self) -> Callable[[str], bool]:
        """``hides_path`` as things are now, for a worker thread."""
        rules = self.rules()
        if rules.empty:
            return lambda _path: False
        if rules.damaged:
            return lambda _path: True
        folders = frozenset(real_folders(self.project, rules))
        keys = self._layer_keys(rules) | {rule.source for rule in rules.fields.values()}
        present = [self.project.mapLayer(each) for each in rules.fields]
        keys |= {source_key(each) for each in present if each is not None}
        files = frozenset(key_path(each) for each in keys) - {""}
        stems = frozenset(os.path.splitext(each)[0] for each in files)

        def hidden(path: str) -> bool:
            real = real_path(path)
            stem = os.path.splitext(real[:-4] if real.endswith((".xml", "-wal")) else real)[0]
            return same_or_below(real, folders | files) or stem in stems

        return hidden

    # results

    def seal(self, layer_ids: Iterable[str]) -> Seal:
        """For a result that is kept: made of these layers, of any when none is named."""
        return Seal(self, layer_ids)


def _named(fields: QgsFields, rules: Iterable[FieldRule]) -> FrozenSet[str]:
    """Fields that rules name. Where one of the names is gone, fields that came since may be it under a new name."""
    found = set()
    present = {each.name().casefold() for each in fields}
    for rule in rules:
        renamed = not rule.names <= present
        for each in fields:
            name = each.name().casefold()
            if name in rule.names or (renamed and name not in rule.known):
                found.add(each.name())
    return frozenset(found)


def _virtual(layer: QgsVectorLayer, fields: QgsFields, hidden: FrozenSet[str]) -> FrozenSet[str]:
    """Virtual fields that read hidden ones, or that may read what is excluded elsewhere in the project."""
    places = [
        at for at in range(fields.count()) if Qgis.FieldOrigin(fields.fieldOrigin(at)) == Qgis.FieldOrigin.Expression
    ]
    found = set(hidden)
    for _ in places:
        before = len(found)
        low = {each.casefold() for each in found}
        for at in places:
            expression = QgsExpression(layer.expressionField(at))
            columns = {each.casefold() for each in expression.referencedColumns()}
            reads_all = "*" in columns or "#!allattributes!#" in columns
            if (columns & low) or (reads_all and low) or expression.referencedFunctions() & _READS_ELSEWHERE:
                found.add(fields.at(at).name())
        if len(found) == before:
            break
    return frozenset(found)


_SCOPES: Dict[int, Scope] = {}


def scope_of(project: Optional[QgsProject]) -> Scope:
    """The scope of a project; of the open one for None. One object a project, so that its signal reaches everybody."""
    wanted = project if project is not None else QgsProject.instance()
    address = int(sip.unwrapinstance(wanted))
    found = _SCOPES.get(address)
    if found is None or sip.isdeleted(found) or sip.isdeleted(found.project):
        found = _SCOPES[address] = Scope(wanted)
        for old in [key for key, each in _SCOPES.items() if each is not found and sip.isdeleted(each.project)]:
            del _SCOPES[old]
    return found


def hides_layer(layer: QgsMapLayer) -> bool:
    """Whether the scope of the layer's project excludes it."""
    return scope_of(layer.project()).hides_layer(layer)


def hidden_fields(layer: QgsVectorLayer) -> FrozenSet[str]:
    """The names of the layer's fields that the scope of its project excludes."""
    return scope_of(layer.project()).hidden_fields(layer)


def seen_fields(layer: QgsVectorLayer) -> QgsFields:
    """The fields of a layer that tools may see. Positions in it are not those in the layer's features where some are hidden."""
    hidden = hidden_fields(layer)
    if not hidden:
        return layer.fields()
    fields = QgsFields(layer.fields())
    for at in reversed([at for at in range(fields.count()) if fields.at(at).name() in hidden]):
        fields.remove(at)
    return fields


def seen_field(layer: QgsVectorLayer, name: str) -> bool:
    """Whether tools may see a field of this exact name, and it exists."""
    return name in seen_fields(layer).names()


def leaves_out(layer: QgsVectorLayer, names: Iterable[str]) -> bool:
    """Whether any of these names is an excluded field of the layer."""
    hidden = {each.casefold() for each in hidden_fields(layer)}
    return bool(hidden) and any(each.casefold() in hidden for each in names)
