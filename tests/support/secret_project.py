"""Makes the projects of AT13, in a process of its own: ``python secret_project.py CANARIES.json FOLDER``.

p.qgs has layers whose sources, name and values hold canaries; plain.qgs has the one layer of a file.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from qgis.core import (
    QgsApplication,
    QgsFeature,
    QgsGeometry,
    QgsMapLayer,
    QgsProject,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

SERVER = "http://127.0.0.1:9"
"""Nobody listens there."""
DATABASE = "dbname='gis' host=127.0.0.1 port=9 connect_timeout=1 {} key='id' table=\"public\".\"a\" (geom)"


def owners(canaries: dict[str, str], folder: str) -> str:
    """A GeoPackage with one feature, whose value is the model's key."""
    memory = QgsVectorLayer("Point?crs=EPSG:4326&field=owner:string(60)", "m", "memory")
    feature = QgsFeature(memory.fields())
    feature.setAttributes([canaries["model key"]])
    feature.setGeometry(QgsGeometry.fromWkt("POINT(1 2)"))
    memory.dataProvider().addFeatures([feature])
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "GPKG"
    path = f"{folder}/owners.gpkg"
    QgsVectorFileWriter.writeAsVectorFormatV3(memory, path, QgsProject.instance().transformContext(), options)
    return path


def layers(canaries: dict[str, str], path: str) -> list[QgsMapLayer]:
    """The file twice, and what holds secrets in its source; none of these can be read."""
    password = canaries["password of a PostgreSQL layer"].replace("'", "\\'")
    user = canaries["user info of a WMS"]
    wms = f"http://meier:{user}@127.0.0.1:9/wms?token%3D{canaries['token of a WMS']}"
    tiles = f"{SERVER}/%7Bz%7D/%7Bx%7D/%7By%7D?apikey%3D{canaries['token of tiles, encoded']}"
    wfs = f"url='{SERVER}/wfs' username='u' password='{canaries['password of a WFS']}' typename='t'"
    return [
        QgsVectorLayer(path, "owners", "ogr"),
        QgsVectorLayer(path, "key " + canaries["model key"], "ogr"),
        QgsVectorLayer(DATABASE.format(f"user='u' password='{password}'"), "pg", "postgres"),
        QgsVectorLayer(DATABASE.format("authcfg=" + canaries["authcfg"]), "pgauth", "postgres"),
        QgsRasterLayer(f"crs=EPSG:4326&format=image/png&layers=a&styles&url={wms}", "wms", "wms"),
        QgsRasterLayer(f"type=xyz&url={tiles}&zmax=3", "tiles", "wms"),
        QgsVectorLayer(wfs, "wfs", "WFS"),
    ]


def main(canaries_file: str, folder: str) -> None:
    """Write both projects."""
    application = QgsApplication([], False)
    application.initQgis()
    canaries = json.loads(Path(canaries_file).read_text("utf-8"))
    project = QgsProject.instance()
    made = layers(canaries, owners(canaries, folder))
    project.addMapLayers(made)
    if not project.write(f"{folder}/p.qgs"):
        raise SystemExit(project.error())
    project.removeMapLayers([each.id() for each in made[1:]])
    if not project.write(f"{folder}/plain.qgs"):
        raise SystemExit(project.error())
    sys.stdout.flush()
    os._exit(0)  # Python's own tear-down of Qt objects may crash


if __name__ == "__main__":
    main(*sys.argv[1:])
