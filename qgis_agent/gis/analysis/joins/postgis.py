"""Pairs of related features found by the database, where both layers lie in one PostGIS.

Only keys travel, no geometries, and the database uses its own spatial indexes. The SQL is written here from the names of the
layers' own tables and columns, quoted; nothing of it comes from a model. It only reads, through the layer's own connection.
PostGIS and QGIS both ask GEOS, so the pairs are the same; where they might not be (invalid polygons, a layer whose CRS was
set by hand, open edits, geography, another SRID) the features are compared here instead.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Set

from qgis.core import (
    Qgis,
    QgsDataSourceUri,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsProviderConnectionException,
    QgsProviderRegistry,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ...conditions import (
    Where,
    request_expression,
)
from ...errors import (
    UPSTREAM_ERROR,
    ToolError,
)
from ...features import (
    expression_context,
    feature_source,
    read_features,
)
from ...i18n import translate
from ...layers import clean_text
from ...work import cancelled
from ..run.steps import indexed

HOW = "PostGIS, in the database"
_FUNCTIONS = {
    "intersects": "ST_Intersects",
    "within": "ST_Within",
    "contains": "ST_Contains",
    "touches": "ST_Touches",
    "overlaps": "ST_Overlaps",
    "equals": "ST_Equals",
    "crosses": "ST_Crosses",
}


class _Table(NamedTuple):
    """A layer's table: its SQL, its key and geometry columns (quoted), and how the key's values become feature ids."""

    sql: str
    key: str
    geometry: str
    areas: bool
    source: Any
    key_field: int
    expression: str
    context: Optional[QgsExpressionContext]


class ServerPairs:
    """``left PREDICATE right``, asked of the database on a worker thread. Made by ``server_pairs``."""

    def __init__(self, connection: str, left: _Table, right: _Table, predicate: str, same: bool) -> None:
        self._connection = connection
        self._left, self._right = left, right
        self._function = _FUNCTIONS[predicate]
        self._same = same

    def pairs(self, feedback: QgsFeedback) -> Optional[Dict[int, List[int]]]:
        """For each left feature that has any, the ids of the right ones, lowest first; None where the database might mean
        something else, because a polygon is invalid. UPSTREAM_ERROR when it fails."""
        connection = self._open()
        if self._differs(connection, feedback):
            return None
        left, right = _ids(self._left, feedback), _ids(self._right, feedback)
        found: Dict[int, List[int]] = {}
        for one, two in self._rows(connection, self._pairs_sql(), feedback):
            ident, other = left.get(one), right.get(two)
            if ident is not None and other is not None:
                found.setdefault(ident, []).append(other)
        for each in found.values():
            each.sort()
        return found

    def left_ids(self, feedback: QgsFeedback) -> Optional[Set[int]]:
        """The left features that are related to any right one; None as above. Without conditions on the right only."""
        if self._right.expression:
            found = self.pairs(feedback)
            return None if found is None else set(found)
        connection = self._open()
        if self._differs(connection, feedback):
            return None
        left = _ids(self._left, feedback)
        keys = self._rows(connection, self._left_sql(), feedback)
        return {left[each[0]] for each in keys if each[0] in left}

    def _pairs_sql(self) -> str:
        return self._joined("a.{}, b.{}".format(self._left.key, self._right.key))

    def _left_sql(self) -> str:
        """As a join, not EXISTS: the database may then go through the smaller table, which takes half the time."""
        return self._joined("DISTINCT a." + self._left.key)

    def _joined(self, columns: str) -> str:
        left, right = self._left, self._right
        return _words("SELECT", columns, "FROM", left.sql, "AS a JOIN", right.sql, "AS b ON", self._condition())

    def _condition(self) -> str:
        test = "{}(a.{}, b.{})".format(self._function, self._left.geometry, self._right.geometry)
        return "{} AND a.{} <> b.{}".format(test, self._left.key, self._right.key) if self._same else test

    def _differs(self, connection: Any, feedback: QgsFeedback) -> bool:
        """Whether the database would mean something else: degrees on the ellipsoid (geography), or an invalid polygon."""
        for each in (self._left, self._right):
            sql = _words("SELECT", "pg_typeof(a.{})::text".format(each.geometry), "FROM", each.sql, "AS a LIMIT 1")
            if any(row[0] != "geometry" for row in self._rows(connection, sql, feedback)):
                return True
            if each.areas:
                test = "ST_IsValid(a.{})".format(each.geometry)
                sql = _words("SELECT count(*) FROM", each.sql, "AS a WHERE NOT", test)
                if int(self._rows(connection, sql, feedback)[0][0]):
                    return True
        return False

    def _open(self) -> Any:
        metadata = QgsProviderRegistry.instance().providerMetadata("postgres")
        return metadata.createConnection(self._connection, {})

    def _rows(self, connection: Any, sql: str, feedback: QgsFeedback) -> List[List[Any]]:
        try:
            rows = connection.executeSql(sql, feedback)
        except QgsProviderConnectionException as error:
            if feedback.isCanceled():
                raise cancelled() from None
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "The database gave no answer: {}").format(clean_text(str(error), 300)),
                hint=translate("QgisAgent", "Check the connection of the layer in QGIS."),
                reason="provider",
            ) from None
        if feedback.isCanceled():
            raise cancelled()
        return list(rows)


def server_pairs(
    left: QgsVectorLayer, right: QgsVectorLayer, predicate: str, left_where: Where = (), right_where: Where = ()
) -> Optional[ServerPairs]:
    """What asks the database; None where the layers are not in one PostGIS, or it might answer differently or slowly.

    On the main thread.
    """
    if predicate not in _FUNCTIONS or not _fits(left, right):
        return None
    one, two = _table(left, left_where), _table(right, right_where)
    if one is None or two is None or not (indexed(left) or indexed(right)):
        return None
    return ServerPairs(_connection(left), one, two, predicate, left.id() == right.id())


def _fits(left: QgsVectorLayer, right: QgsVectorLayer) -> bool:
    for each in (left, right):
        if each.providerType() != "postgres" or (each.isEditable() and each.isModified()):
            return False
        if each.crs() != each.dataProvider().crs() or QgsWkbTypes.isCurvedType(each.wkbType()):
            return False
    one, two = QgsDataSourceUri(left.source()), QgsDataSourceUri(right.source())
    return bool(_connection(left) == _connection(right) and one.srid() == two.srid() and left.crs() == right.crs())


def _connection(layer: QgsVectorLayer) -> str:
    return str(QgsDataSourceUri(layer.source()).connectionInfo(False))


def _table(layer: QgsVectorLayer, where: Where) -> Optional[_Table]:
    uri = QgsDataSourceUri(layer.source())
    keys = layer.primaryKeyAttributes()
    subset = layer.subsetString()
    if not uri.schema() or not uri.geometryColumn() or uri.table().startswith("(") or len(keys) != 1 or ";" in subset:
        return None
    if layer.dataProvider().geometryColumnName() != uri.geometryColumn():
        return None
    key, geometry = _quoted(layer.fields().at(keys[0]).name()), _quoted(uri.geometryColumn())
    table = "{}.{}".format(_quoted(uri.schema()), _quoted(uri.table()))
    if subset:
        table = _words("(SELECT", "{}, {}".format(key, geometry), "FROM", table, "WHERE (", subset, "))")
    expression = request_expression(layer, where)
    return _Table(
        table,
        key,
        geometry,
        layer.geometryType() == Qgis.GeometryType.Polygon,
        feature_source(layer),
        keys[0],
        expression,
        expression_context(layer) if expression else None,
    )


def _words(*parts: str) -> str:
    """SQL from its parts: words of ours, and names of the layer's own table, quoted."""
    return " ".join(parts)


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _ids(table: _Table, feedback: QgsFeedback) -> Dict[Any, int]:
    """Feature ids by the key's value, of the features that match the conditions."""
    request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
    request.setSubsetOfAttributes([table.key_field])
    if table.expression:
        request.setFilterExpression(table.expression)
        if table.context is not None:
            request.setExpressionContext(table.context)
    return {each[table.key_field]: each.id() for each in read_features(table.source, request, feedback)}
