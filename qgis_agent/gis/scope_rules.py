"""What a person has excluded from the agent's sight, as it is kept in the project's own entries."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Tuple

from qgis.core import QgsDataSourceUri, QgsMapLayer, QgsProject, QgsProviderRegistry

ENTRY_SCOPE = "QgisAgent"
ENTRY_KEY = "/scope"
ORIGIN_PROPERTY = "QgisAgent/origin"
_FILE_PROVIDERS = ("ogr", "gdal", "delimitedtext", "spatialite", "gpx", "mdal", "pdal", "ept", "copc")
_TABLE_PARTS = ("host", "port", "service", "dbname", "path", "schema", "table")


class FieldRule(NamedTuple):
    """Hidden fields of one layer. ``known``: every field that it had when they were hidden."""

    source: str
    names: FrozenSet[str]
    known: FrozenSet[str]


class Rules(NamedTuple):
    """What is excluded. ``layers`` and ``fields`` by the layer's id; ``damaged``: it cannot be read, all is excluded."""

    layers: Dict[str, str]
    fields: Dict[str, FieldRule]
    folders: Tuple[str, ...]
    damaged: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing is excluded."""
        return not (self.layers or self.fields or self.folders or self.damaged)

    def parts(self) -> FrozenSet[Tuple[str, ...]]:
        """Every exclusion as a key: rules whose parts are among those of others hide nothing that these do not."""
        found = {("layer", each) for each in self.layers} | {("folder", each) for each in self.folders}
        found |= {("field", ident, name) for ident, rule in self.fields.items() for name in rule.names}
        return frozenset(found | ({("damaged",)} if self.damaged else set()))


NOTHING = Rules({}, {}, ())
UNREADABLE = Rules({}, {}, (), True)


def raw_entry(project: QgsProject) -> str:
    """The text of the project's entry; "" when there is none, "?" when there is one that is no text."""
    text, found = project.readEntry(ENTRY_SCOPE, ENTRY_KEY, "")
    if found and text:
        return str(text)
    if found or ENTRY_KEY.strip("/") in project.entryList(ENTRY_SCOPE, ""):
        return "?"
    return ""


@lru_cache(maxsize=16)
def parse(raw: str) -> Rules:
    """The rules of an entry. What cannot be read in full excludes everything: it may have meant any of it."""
    if not raw:
        return NOTHING
    try:
        data = json.loads(raw)
        layers = {_text(each["id"]): _text(each["source"]) for each in data["layers"]}
        fields = {
            _text(each["id"]): FieldRule(_text(each["source"]), _names(each["names"]), _names(each["known"]))
            for each in data["fields"]
        }
        return Rules(layers, fields, tuple(_text(each) for each in data["folders"]))
    except (ValueError, KeyError, TypeError):
        return UNREADABLE


def as_text(rules: Rules) -> str:
    """The entry for rules; "" for none."""
    if rules.empty:
        return ""
    return json.dumps(
        {
            "layers": [{"id": ident, "source": source} for ident, source in sorted(rules.layers.items())],
            "fields": [
                {"id": ident, "source": rule.source, "names": sorted(rule.names), "known": sorted(rule.known)}
                for ident, rule in sorted(rules.fields.items())
            ],
            "folders": list(rules.folders),
        },
        ensure_ascii=False,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value


def _names(values: Any) -> FrozenSet[str]:
    if not isinstance(values, list):
        raise TypeError(type(values).__name__)
    return frozenset(_text(each).casefold() for each in values)


def source_key(layer: QgsMapLayer) -> str:
    """Names the data behind a layer, whatever filter or options it is opened with; "" where nothing names it.

    A copy of a memory layer has data of its own; it is known by the mark that the layer got when it was excluded, which
    QGIS copies with it.
    """
    if layer.providerType() == "memory":
        mark = layer.customProperty(ORIGIN_PROPERTY)
        return "memory\n{}".format(mark) if mark else ""
    return _source_key(layer.providerType(), layer.source())


def mark_origin(layer: QgsMapLayer) -> None:
    """Mark a memory layer, so that copies of it are known."""
    if layer.providerType() == "memory" and not layer.customProperty(ORIGIN_PROPERTY):
        layer.setCustomProperty(ORIGIN_PROPERTY, layer.id())


@lru_cache(maxsize=4096)
def _source_key(provider: str, source: str) -> str:
    if provider in ("virtual", ""):
        return ""
    parts = QgsProviderRegistry.instance().decodeUri(provider, source)
    path = str(parts.get("path") or "")
    if path and provider in _FILE_PROVIDERS:
        inside = parts.get("layerName") or parts.get("layerId") or ""
        return "\n".join(("file", real_path(path), str(inside).casefold()))
    uri = QgsDataSourceUri(source)
    if uri.table():
        named = [str(parts.get(each) or "") for each in _TABLE_PARTS]
        return "\n".join(("table", provider, *named, uri.schema(), uri.table()))
    plain = QgsDataSourceUri(source)
    for secret in ("username", "password", "authcfg"):
        plain.removeParam(secret)
    return "\n".join(("source", provider, plain.uri(False)))


def file_path(layer: QgsMapLayer) -> str:
    """The real path of the file that a layer reads; "" when it reads none."""
    path = str(QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("path") or "")
    return real_path(path) if path and "://" not in path else ""


def key_path(key: str) -> str:
    """The path in a key that ``source_key`` made; "" for other data than files."""
    kind, _, rest = key.partition("\n")
    return rest.split("\n")[0] if kind == "file" else ""


def real_path(path: str) -> str:
    """The path without links, as the file system compares it."""
    return os.path.normcase(os.path.realpath(path))


def same_or_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a real path is one of these real paths or lies below one."""
    return any(path == each or path.startswith(each.rstrip(os.sep) + os.sep) for each in folders)


def folder_entry(project: QgsProject, folder: str) -> str:
    """How a folder is kept: relative to the project's folder where it lies in it, so that both can be moved together."""
    base = project.absolutePath()
    real = os.path.realpath(folder)
    if base and same_or_below(real_path(folder), [real_path(base)]):
        return os.path.relpath(real, os.path.realpath(base)).replace(os.sep, "/")
    return real


def real_folders(project: QgsProject, rules: Rules) -> List[str]:
    """The excluded folders as real paths."""
    base = project.absolutePath()
    return [real_path(os.path.join(base, each) if base and not os.path.isabs(each) else each) for each in rules.folders]
