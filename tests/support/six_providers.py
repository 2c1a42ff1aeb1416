"""The same rows on six providers: shapefile, GeoPackage, GeoJSON, CSV, memory and PostGIS; and a PostGIS server of the tests.

The server is the installed one, with its data in a temporary folder, on a unix socket only, as an unprivileged user (PostgreSQL
refuses root), and it is ended by its process id.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from osgeo import ogr, osr
from qgis.core import QgsVariantUtils, QgsVectorLayer, QgsVectorLayerExporter
from qgis.PyQt.QtCore import QDate, QDateTime, QMetaType, Qt

PROVIDERS = ("csv", "geojson", "gpkg", "memory", "postgis", "shp")
SERVER_USER = "postgres"
START_S = 30.0


def postgis_programs() -> Path | None:
    """The folder of PostgreSQL's programs where PostGIS is installed for it; None where either is missing."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        version = folder.parent.name
        if Path(f"/usr/share/postgresql/{version}/extension/postgis.control").exists():
            return folder
    return None


class PostgisServer:
    """A running server. ``uri`` is the start of a QGIS data source of its database."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], programs: Path) -> None:
        self.folder = folder
        self.process = process
        self.programs = programs
        self.uri = f"host='{folder}' port=5432 dbname='postgres' user='{SERVER_USER}' sslmode=disable"

    def sql(self, command: str) -> str:
        """Run a command with psql; its output."""
        done = subprocess.run(
            [
                str(self.programs / "psql"),
                *(
                    "-h",
                    str(self.folder),
                    "-U",
                    SERVER_USER,
                    "-d",
                    "postgres",
                    "-v",
                    "ON_ERROR_STOP=1",
                    "-qAtc",
                    command,
                ),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout


@contextlib.contextmanager
def postgis_server(programs: Path) -> Iterator[PostgisServer]:
    """A server with an empty database that has PostGIS. RuntimeError when it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="qgis_agent_pg", dir="/tmp"))  # a socket has a path of at most 107 bytes
    as_user: dict[str, Any] = {"cwd": "/", "env": {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"}}
    if os.getuid() == 0:
        account = pwd.getpwnam(SERVER_USER)
        os.chown(folder, account.pw_uid, account.pw_gid)
        as_user.update(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
    process = None
    try:
        # In the locale C lower() knows no "ä": whoever leaves the case to the database is found out.
        made = subprocess.run(
            [
                str(programs / "initdb"),
                *(
                    "-D",
                    str(folder / "data"),
                    "-U",
                    SERVER_USER,
                    "-A",
                    "trust",
                    "-E",
                    "UTF8",
                    "--locale=C",
                    "--no-sync",
                ),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **as_user,
        )
        if made.returncode != 0:
            raise RuntimeError(f"initdb: {made.stderr}")
        settings = (
            "listen_addresses=",
            "fsync=off",
            "shared_buffers=16MB",
            "max_connections=30",
            "logging_collector=off",
        )
        process = subprocess.Popen(
            [
                *(str(programs / "postgres"), "-D", str(folder / "data"), "-k", str(folder), "-p", "5432"),
                *(part for setting in settings for part in ("-c", setting)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **as_user,
        )
        server = PostgisServer(folder, process, programs)
        _wait(server)
        yield server
    finally:
        if process is not None:
            process.send_signal(signal.SIGINT)  # ends connections, then itself
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(server: PostgisServer) -> None:
    until = time.monotonic() + START_S
    while True:
        if server.process.poll() is not None:
            raise RuntimeError(f"postgres ended with status {server.process.returncode}")
        try:
            server.sql("CREATE EXTENSION IF NOT EXISTS postgis")
            return
        except RuntimeError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def on_provider(
    layer: QgsVectorLayer, provider: str, folder: Path, server: PostgisServer | None = None, name: str = "t"
) -> QgsVectorLayer:
    """A memory layer, kept by one of PROVIDERS and opened again under ``name``.

    Files are written by OGR and by Python, value by value: QGIS's own writer rounds numbers (1e-17 becomes 0), and so does
    OGR's of GeoJSON.
    """
    if provider == "memory":
        layer.setName(name)
        return layer
    if provider == "postgis":
        assert server is not None
        return _in_postgis(layer, server, name)
    if provider == "csv":
        path = folder / f"{name}.csv"
        _write_csv(layer, path)
        options = "type=csv&wktField=WKT&crs=EPSG:4326&detectTypes=yes&trimFields=no"
        return QgsVectorLayer(f"file://{path}?{options}", name, "delimitedtext")
    if provider == "geojson":
        path = folder / f"{name}.geojson"
        _write_geojson(layer, path)
        return QgsVectorLayer(str(path), name, "ogr")
    suffix, driver = {"gpkg": (".gpkg", "GPKG"), "shp": (".shp", "ESRI Shapefile")}[provider]
    path = folder / f"{name}{suffix}"
    _write_ogr(layer, path, driver, name)
    return QgsVectorLayer(str(path), name, "ogr")


_OGR_TYPES = {
    QMetaType.Type.QString: ogr.OFTString,
    QMetaType.Type.Int: ogr.OFTInteger,
    QMetaType.Type.LongLong: ogr.OFTInteger64,
    QMetaType.Type.Double: ogr.OFTReal,
    QMetaType.Type.QDate: ogr.OFTDate,
    QMetaType.Type.QDateTime: ogr.OFTDateTime,
    QMetaType.Type.Bool: ogr.OFTInteger,
}


def _plain(value: Any) -> Any:
    """A value as Python has it; dates and moments in ISO 8601."""
    if value is None or QgsVariantUtils.isNull(value):
        return None
    return value.toString(Qt.DateFormat.ISODate) if isinstance(value, (QDate, QDateTime)) else value


def _write_ogr(layer: QgsVectorLayer, path: Path, driver: str, name: str) -> None:
    source = ogr.GetDriverByName(driver).CreateDataSource(str(path))
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(4326)
    options = ["ENCODING=UTF-8"] if driver == "ESRI Shapefile" else []
    target = source.CreateLayer(name, reference, ogr.wkbPoint, options)
    for field in layer.fields():
        definition = ogr.FieldDefn(field.name(), _OGR_TYPES[field.type()])
        if field.type() == QMetaType.Type.Bool and driver != "ESRI Shapefile":
            definition.SetSubType(ogr.OFSTBoolean)
        definition.SetWidth(field.length() if field.type() == QMetaType.Type.QString else 0)
        assert target.CreateField(definition) == 0
    for feature in layer.getFeatures():
        written = ogr.Feature(target.GetLayerDefn())
        for position, value in enumerate(feature.attributes()):
            plain = _plain(value)
            if plain is None:
                written.SetFieldNull(position)
            elif isinstance(plain, int):
                written.SetFieldInteger64(position, int(plain))
            else:
                written.SetField(position, plain)
        written.SetGeometry(ogr.CreateGeometryFromWkt(feature.geometry().asWkt()))
        assert target.CreateFeature(written) == 0


def _write_geojson(layer: QgsVectorLayer, path: Path) -> None:
    names = [each.name() for each in layer.fields()]
    features = [
        {
            "type": "Feature",
            "properties": {name: _plain(value) for name, value in zip(names, feature.attributes())},
            "geometry": json.loads(feature.geometry().asJson(15)),
        }
        for feature in layer.getFeatures()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False), "utf-8")


def _write_csv(layer: QgsVectorLayer, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["WKT"] + [each.name() for each in layer.fields()])
        for feature in layer.getFeatures():
            values = [_plain(each) for each in feature.attributes()]
            texts = [
                repr(each) if isinstance(each, float) else str(each).lower() if each is True or each is False else each
                for each in values
            ]
            rows.writerow([feature.geometry().asWkt(), *texts])


def _in_postgis(layer: QgsVectorLayer, server: PostgisServer, name: str) -> QgsVectorLayer:
    table = f'{server.uri} key=\'id_0\' srid=4326 type=Point table="public"."{name}" (geom)'
    options = {"overwrite": True, "lowercaseFieldNames": False}
    result = QgsVectorLayerExporter.exportLayer(layer, table, "postgres", layer.crs(), False, options)
    assert result[0] == 0, result
    return QgsVectorLayer(table, name, "postgres")
