"""The project that the undo runs work on: everything a person's project may have, made anew for each run, with fixed ids.

All data lies in a square of 400 x 400 m in EPSG:32651. Needs a QGIS.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from osgeo import gdal, ogr, osr
from qgis.core import (
    QgsBookmark,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFillSymbol,
    QgsGeometry,
    QgsLayerTreeModel,
    QgsLayoutItemMap,
    QgsLayoutPoint,
    QgsLayoutSize,
    QgsLineSymbol,
    QgsMapLayer,
    QgsMapThemeCollection,
    QgsMarkerSymbol,
    QgsPalLayerSettings,
    QgsPrintLayout,
    QgsProject,
    QgsRasterLayer,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsRelation,
    QgsRuleBasedRenderer,
    QgsSymbol,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtGui import QColor

X0, Y0 = 300_000.0, 3_300_000.0
CRS = QgsCoordinateReferenceSystem("EPSG:32651")
CITIES = ["北京", "上海", "广州"]


def build(project: QgsProject, folder: Path) -> None:
    """Fill an empty project and save it as p.qgz in the folder."""
    folder.mkdir(exist_ok=True)
    project.setCrs(CRS)
    project.setTitle("world")
    root = project.layerTreeRoot()
    group = root.addGroup("base")
    for layer in (_areas(folder), _roads(folder), _shops(folder)):
        project.addMapLayer(layer, False)
        group.addLayer(layer)
    for layer in (_points(), _bowtie(), _nocrs(), _coded(folder)):
        project.addMapLayer(layer, False)
        root.addLayer(layer)
    for layer in _rasters(folder):
        project.addMapLayer(layer, False)
        root.addLayer(layer)
    (folder / "table.csv").write_text("code,people\na0,10\na1,20\na2,30\n", encoding="utf-8")
    _looks(project)
    _references(project)
    _sheet(project)
    assert project.write(str(folder / "p.qgz"))
    project.setDirty(False)


def layer(project: QgsProject, ident: str) -> Any:
    """A layer of the world by its fixed id."""
    found = project.mapLayer(ident)
    assert found is not None, ident
    return found


def named(layer: QgsMapLayer, ident: str) -> Any:
    """A layer with a fixed id, so that two worlds are the same."""
    assert layer.isValid(), ident
    assert layer.setId(ident)
    if isinstance(layer, QgsVectorLayer):
        symbol = QgsSymbol.defaultSymbol(layer.geometryType())
        symbol.setColor(QColor("#446688"))
        layer.renderer().setSymbol(symbol)  # QGIS would choose a colour by chance
    profile = layer.elevationProperties()  # as it does here
    for name, kind in (("Line", QgsLineSymbol), ("Fill", QgsFillSymbol), ("Marker", QgsMarkerSymbol)):
        if hasattr(profile, f"setProfile{name}Symbol"):
            getattr(profile, f"setProfile{name}Symbol")(kind.createSimple({}))
    return layer


def _memory(definition: str, rows: list[tuple[str, list[Any]]], ident: str) -> QgsVectorLayer:
    made = QgsVectorLayer(definition, ident, "memory")
    features = []
    for wkt, values in rows:
        feature = QgsFeature(made.fields())
        feature.setAttributes(values)
        feature.setGeometry(QgsGeometry.fromWkt(wkt))
        features.append(feature)
    assert made.dataProvider().addFeatures(features)[0]
    made.updateExtents()
    return named(made, ident)


def square(x: float, y: float, side: float) -> str:
    """WKT of a square, in metres from the corner of the world."""
    x, y = X0 + x, Y0 + y
    return f"POLYGON(({x} {y}, {x + side} {y}, {x + side} {y + side}, {x} {y + side}, {x} {y}))"


def _ogr(folder: Path, name: str, driver: str, kind: int, rows: list[tuple[str, list[Any]]], options: Any = ()) -> Path:
    """A file of fields code (text) and n (whole number)."""
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32651)
    path = folder / name
    source = ogr.GetDriverByName(driver).CreateDataSource(str(path))
    made = source.CreateLayer(path.stem, crs, kind, options=list(options))
    made.CreateField(ogr.FieldDefn("code", ogr.OFTString))
    made.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for wkt, (code, n) in rows:
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        feature.SetField("code", code)
        feature.SetField("n", n)
        made.CreateFeature(feature)
    del feature, made, source
    return path


def _areas(folder: Path) -> QgsVectorLayer:
    rows = [(square(200 * (n % 2), 200 * (n // 2), 200), [f"a{n}", n]) for n in range(4)]
    path = _ogr(folder, "areas.gpkg", "GPKG", ogr.wkbPolygon, rows)
    return named(QgsVectorLayer(f"{path}|layername=areas", "areas", "ogr"), "areas")


def _roads(folder: Path) -> QgsVectorLayer:
    rows = [(f"LINESTRING({X0} {Y0 + 90 * n + 20}, {X0 + 400} {Y0 + 95 * n + 30})", [f"r{n}", n]) for n in range(4)]
    path = _ogr(folder, "roads.shp", "ESRI Shapefile", ogr.wkbLineString, rows, ["ENCODING=UTF-8"])
    return named(QgsVectorLayer(str(path), "roads", "ogr"), "roads")


def _shops(folder: Path) -> QgsVectorLayer:
    rows = [(f"POINT({X0 + 35 * n + 10} {Y0 + 380 - 30 * n})", [f"s{n}", n]) for n in range(8)]
    path = _ogr(folder, "shops.gpkg", "GPKG", ogr.wkbPoint, rows)
    return named(QgsVectorLayer(f"{path}|layername=shops", "shops", "ogr"), "shops")


def _points() -> QgsVectorLayer:
    rows = [
        (f"POINT({X0 + 30 * n + 15} {Y0 + (37 * n) % 400})", [f"a{n % 4}", n, n * 1.5, ["x", "y", "z"][n % 3]])
        for n in range(12)
    ]
    definition = "Point?crs=EPSG:32651&field=code:string(10)&field=n:integer&field=v:double&field=kind:string(5)"
    return _memory(definition, rows, "points")


def _bowtie() -> QgsVectorLayer:
    wkt = f"POLYGON(({X0} {Y0}, {X0 + 50} {Y0 + 50}, {X0 + 50} {Y0}, {X0} {Y0 + 50}, {X0} {Y0}))"
    return _memory("Polygon?crs=EPSG:32651&field=n:integer", [(wkt, [1]), (square(60, 60, 20), [2])], "bowtie")


def _nocrs() -> QgsVectorLayer:
    made = _memory("Point?field=n:integer", [(f"POINT({X0} {Y0})", [1])], "nocrs")
    made.setCrs(QgsCoordinateReferenceSystem())
    return made


def _coded(folder: Path) -> QgsVectorLayer:
    """Chinese names in GBK, in a shapefile that does not say so."""
    driver = ogr.GetDriverByName("ESRI Shapefile")
    source = driver.CreateDataSource(str(folder / "coded.shp"))
    made = source.CreateLayer("coded", None, ogr.wkbPoint, options=["ENCODING=GBK"])
    made.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for n, name in enumerate(CITIES * 4):
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT({X0 + n} {Y0})"))
        feature.SetField("name", name)
        made.CreateFeature(feature)
    del feature, made, source
    (folder / "coded.cpg").unlink()
    layer = QgsVectorLayer(str(folder / "coded.shp"), "coded", "ogr")
    layer.setProviderEncoding("UTF-8")
    layer.setCrs(CRS)
    return named(layer, "coded")


def _rasters(folder: Path) -> list[QgsRasterLayer]:
    rows, columns = np.mgrid[0:40, 0:40]
    dem = (100 + rows * 2 + 10 * np.sin(columns / 5)).astype("float32")
    classes = ((rows // 10) * 4 + columns // 10 + 1).astype("int16")
    bands = np.stack([dem, dem * 0.5, dem * 0.25])
    made = []
    for name, data in (("dem", dem[None]), ("classes", classes[None]), ("bands", bands)):
        kind = gdal.GDT_Int16 if name == "classes" else gdal.GDT_Float32
        path = folder / f"{name}.tif"
        source = gdal.GetDriverByName("GTiff").Create(str(path), 40, 40, len(data), kind)
        source.SetGeoTransform((X0, 10, 0, Y0 + 400, 0, -10))
        source.SetProjection(CRS.toWkt())
        for number, band in enumerate(data, 1):
            source.GetRasterBand(number).WriteArray(band)
        del source
        made.append(named(QgsRasterLayer(str(path), name), name))
    return made


def _looks(project: QgsProject) -> None:
    """Rules, labels, a filter, a selection, an alias and a variable of a person's."""
    shops = layer(project, "shops")
    top = QgsRuleBasedRenderer.Rule(None)
    for text, color in (('"n" > 3', "#aa0000"), ('"n" <= 3', "#00aa00")):
        symbol = QgsSymbol.defaultSymbol(shops.geometryType())
        symbol.setColor(QColor(color))
        top.appendChild(QgsRuleBasedRenderer.Rule(symbol, filterExp=text, label=text))
    shops.setRenderer(QgsRuleBasedRenderer(top))
    settings = QgsPalLayerSettings()
    settings.fieldName = "code"
    shops.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    shops.setLabelsEnabled(True)
    shops.setFieldAlias(shops.fields().indexOf("n"), "number")
    layer(project, "roads").setSubsetString('"n" < 3')
    layer(project, "points").selectByIds([1, 2, 3])
    project.setCustomVariables({"who": "me"})


def _references(project: QgsProject) -> None:
    """A join, a relation, a theme and a bookmark."""
    points, areas = layer(project, "points"), layer(project, "areas")
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(areas)
    join.setJoinFieldName("code")
    join.setTargetFieldName("code")
    join.setPrefix("area_")
    points.addJoin(join)
    relation = QgsRelation()
    relation.setId("points_areas")
    relation.setName("points of areas")
    relation.setReferencedLayer(areas.id())
    relation.setReferencingLayer(points.id())
    relation.addFieldPair("code", "code")
    project.relationManager().addRelation(relation)
    tree = project.layerTreeRoot()
    theme = QgsMapThemeCollection.createThemeFromCurrentState(tree, QgsLayerTreeModel(tree))
    project.mapThemeCollection().insert("all", theme)
    mark = QgsBookmark()
    mark.setName("centre")
    mark.setExtent(QgsReferencedRectangle(QgsRectangle(X0, Y0, X0 + 100, Y0 + 100), CRS))
    project.bookmarkManager().addBookmark(mark)


def _sheet(project: QgsProject) -> None:
    """A layout with a map of two layers and an atlas."""
    sheet = QgsPrintLayout(project)
    sheet.initializeDefaults()
    sheet.setName("mine")
    item = QgsLayoutItemMap(sheet)
    item.attemptMove(QgsLayoutPoint(10, 10))
    item.attemptResize(QgsLayoutSize(200, 150))
    item.setExtent(QgsRectangle(X0, Y0, X0 + 400, Y0 + 300))
    item.setLayers([layer(project, "areas"), layer(project, "points")])
    item.setId("map")
    sheet.addLayoutItem(item)
    sheet.atlas().setEnabled(True)
    sheet.atlas().setCoverageLayer(layer(project, "areas"))
    project.layoutManager().addLayout(sheet)
