"""Writes ``qgis_agent/gis/analysis/generic/algorithm_effects.json``: what each algorithm that QGIS ships may do, and what its texts may be.

``algorithm_effects.py [--check]`` with the Python that owns PyQGIS. The ids, kinds of destinations and flags are read from
QGIS; what an algorithm does that its parameters do not tell is decided by hand below. ``--check`` only compares.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[1] / "qgis_agent" / "gis" / "analysis" / "generic" / "algorithm_effects.json"
SHIPPED = ("native", "qgis", "gdal", "3d", "pdal")

FORBIDDEN: dict[str, tuple[str, str]] = {
    # a tool of ours does it, with undo
    "native:layertobookmarks": ("own_tool", "prepare_bookmark"),
    "native:loadlayer": ("own_tool", "add_vector_layer"),
    "native:renamelayer": ("own_tool", "rename_layer"),
    "native:savefeatures": ("own_tool", "prepare_export_layer"),
    "native:selectbylocation": ("own_tool", "select_by_location"),
    "native:selectwithindistance": ("own_tool", "select_by_location"),
    "native:setlayerencoding": ("own_tool", "set_layer_encoding"),
    "native:setlayerstyle": ("own_tool", "patch_style"),
    "native:atlaslayouttoimage": ("own_tool", "prepare_export_layout"),
    "native:atlaslayouttomultiplepdf": ("own_tool", "prepare_export_layout"),
    "native:atlaslayouttopdf": ("own_tool", "prepare_export_layout"),
    "native:printlayouttoimage": ("own_tool", "prepare_export_layout"),
    "native:printlayouttopdf": ("own_tool", "prepare_export_layout"),
    "qgis:definecurrentprojection": ("own_tool", "set_layer_crs"),
    "qgis:selectbyattribute": ("own_tool", "select_features"),
    "qgis:selectbyexpression": ("own_tool", "select_features"),
    "qgis:setstyleforrasterlayer": ("own_tool", "set_raster_style"),
    "qgis:setstyleforvectorlayer": ("own_tool", "patch_style"),
    "qgis:randomselection": ("own_tool", "native:randomextract"),
    "qgis:randomselectionwithinsubsets": ("own_tool", "native:randomextractwithinsubsets"),
    # writes columns into the source of its input: case A36
    "native:zonalstatistics": ("in_place", "native:zonalstatisticsfb"),
    # the caller says where results go, or data or expressions name the files
    "native:alignrasters": ("file_names", "gdal:warpreproject"),
    "native:createdirectory": ("file_names", ""),
    "native:extractbinary": ("file_names", ""),
    # the network
    "native:downloadvectortiles": ("network", ""),
    "native:filedownloader": ("network", "add_service_layer"),
    "native:httprequest": ("network", "add_service_layer"),
    # other programs, devices, files of other files
    "native:convertgpsdata": ("programs", ""),
    "native:downloadgpsdata": ("programs", ""),
    "native:uploadgpsdata": ("programs", ""),
    "native:openurl": ("programs", ""),
    "native:b3dmtogltf": ("other_files", "add_vector_layer"),
    "native:gltftovector": ("other_files", "add_vector_layer"),
    "native:combinestyles": ("other_files", "copy_style"),
    "native:stylefromproject": ("other_files", "get_style"),
    # a password would pass through the model
    "gdal:importvectorintopostgisdatabasenewconnection": ("credentials", "native:importintopostgis"),
    # only inside models, or nothing to do with data
    "native:condition": ("modeler", ""),
    "native:filter": ("modeler", ""),
    "native:filterlayersbytype": ("modeler", ""),
    "native:raiseexception": ("modeler", ""),
    "native:raisemessage": ("modeler", ""),
    "native:raisewarning": ("modeler", ""),
    "native:savelog": ("modeler", ""),
    "native:setprojectvariable": ("project", ""),
    "native:transferannotationsfrommain": ("project", ""),
}
"""Never run: (why, what to use instead)."""

WRITE: dict[str, str] = {
    "gdal:assignprojection": "source",
    "gdal:extractprojection": "beside_source",
    "gdal:importvectorintopostgisdatabaseavailableconnections": "database",
    "gdal:overviews": "source",
    "gdal:rasterize_over": "source",
    "gdal:rasterize_over_fixed_value": "source",
    "native:createattributeindex": "source",
    "native:createspatialindex": "source",
    "native:importintopostgis": "database",
    "native:repairshapefile": "beside_source",
    "native:truncatetable": "source",
    "qgis:importintospatialite": "database",
}
"""Writes outside what the host makes: a person is asked each time."""

EXECUTE: dict[str, str] = {
    "gdal:executesql": "sql",
    "native:postgisexecutesql": "sql",
    "native:spatialiteexecutesql": "sql",
    "native:spatialiteexecutesqlregistered": "sql",
    "qgis:advancedpythonfieldcalculator": "code",
    "qgis:executesql": "sql",
    "qgis:postgisexecuteandloadsql": "sql",
}
"""Runs SQL or code that the caller writes: a person is asked each time."""

CREATE = ("native:modelervirtualrastercalc", "native:virtualrastercalc")
"""Without a destination, and yet they only make a layer."""
READ = (
    "native:calculateexpression",
    "native:rasterlayerproperties",
    "native:shpencodinginfo",
    "native:stringconcatenation",
)
"""Without a destination, and they only read."""

RULES: dict[str, str] = {
    "gdal:buffervectors/GEOMETRY": "identifier",
    "gdal:clipvectorbyextent/OPTIONS": "command_line",
    "gdal:colorrelief/COLOR_TABLE": "file:.txt,.clr,.cpt",
    "gdal:executesql/SQL": "sql",
    "gdal:gdal2tiles/BING_KEY": "empty",
    "gdal:gdal2tiles/GOOGLE_KEY": "empty",
    "gdal:gdal2tiles/URL": "empty",
    "gdal:importvectorintopostgisdatabaseavailableconnections/WHERE": "sql",
    "gdal:rastercalculator/FORMULA": "numpy_formula",
    "native:calculateexpression/INPUT": "formula",
    "native:categorizeusingstyle/STYLE": "empty",
    "native:convertgpxfeaturetype/INPUT": "file:.gpx",
    "native:extractbyattribute/VALUE": "like_value",
    "native:importphotos/FOLDER": "folder",
    "native:pointstopath/OUTPUT_TEXT_DIR": "left_out",
    "native:postgisexecutesql/SQL": "sql",
    "native:rastercalc/EXPRESSION": "raster_formula",
    "native:modelerrastercalc/EXPRESSION": "raster_formula",
    "native:modelervirtualrastercalc/EXPRESSION": "raster_formula",
    "native:virtualrastercalc/EXPRESSION": "raster_formula",
    "native:repairshapefile/INPUT": "file:.shp",
    "native:serviceareafromlayer/VALUE_FORWARD": "value",
    "native:shpencodinginfo/INPUT": "file:.shp",
    "native:spatialiteexecutesql/SQL": "sql",
    "native:spatialiteexecutesqlregistered/SQL": "sql",
    "native:splitfeaturesbycharacter/CHAR": "value",
    "native:writevectortiles_xyz/XYZ_TEMPLATE": "empty",
    "qgis:advancedpythonfieldcalculator/FORMULA": "code",
    "qgis:advancedpythonfieldcalculator/GLOBAL": "code",
    "qgis:executesql/INPUT_QUERY": "sql",
    "qgis:postgisexecuteandloadsql/SQL": "sql",
    "qgis:rastercalculator/EXPRESSION": "raster_formula",
}
"""What the value of one parameter may be; the words are explained in ``text_rules.py``."""

SENSITIVE = {
    "string": "",
    "file": "refused",
    "authcfg": "refused",
    "execute_sql": "sql",
    "raster_calc_expression": "raster_formula",
    "providerconnection": "connection",
    "databaseschema": "identifier",
    "databasetable": "identifier",
    "coordinateoperation": "empty",
}
"""Kinds of parameters that need a rule, with the rule of each that has none of its own."""


def rule(provider: str, definition: Any, ident: str) -> str:
    """The rule for the value of a parameter; "" for a kind that is safe by its type (a number, a layer, a choice)."""
    kind, name = definition.type(), definition.name()
    own = RULES.get(f"{ident}/{name}")
    if own is not None:
        return own
    if kind not in SENSITIVE:
        return ""
    if SENSITIVE[kind]:
        return SENSITIVE[kind]
    widget = (definition.metadata() or {}).get("widget_wrapper")
    if name in ("OPTIONS", "CREATE_OPTIONS") and isinstance(widget, dict) and "rasteroptions" in str(widget):
        return "creation_options"
    if name == "EXTRA" or (provider == "gdal" and name == "OPTIONS"):
        return "command_line"
    if name in ("DATASOURCE_OPTIONS", "LAYER_OPTIONS"):
        return "empty"
    if provider == "gdal":
        return "identifier" if "FIELD" in name or name in ("GEOMETRY", "PK", "GEOCOLUMN") else "argument"
    return "value" if name.startswith("VALUE") else "text"


def entry(algorithm: Any, flags: Any) -> dict[str, Any]:
    """What the file says of one algorithm."""
    ident, provider = algorithm.id(), algorithm.provider().id()
    made = {each.name(): each.type() for each in algorithm.destinationParameterDefinitions()}
    found: dict[str, Any] = {"effect": effect(algorithm, made)}
    if ident in FORBIDDEN:
        found["why"], instead = FORBIDDEN[ident]
        if instead:
            found["instead"] = instead
    elif ident in WRITE or ident in EXECUTE:
        found["why"] = WRITE.get(ident) or EXECUTE[ident]
    rules = {each.name(): rule(provider, each, ident) for each in algorithm.parameterDefinitions()}
    # "NAME rule" and not {NAME: rule}: scanners would take "PASSWORD": "…" for a password.
    found["rules"] = ["{} {}".format(name, each) for name, each in rules.items() if each]
    found["makes"] = made
    names = ("NoThreading", "RequiresProject", "SecurityRisk")
    found["flags"] = [each for each in names if algorithm.flags() & getattr(flags, each)]
    return {key: value for key, value in found.items() if value}


def effect(algorithm: Any, made: dict[str, str]) -> str:
    """forbidden, execute, write, create or read. What nobody has decided and has no destination writes."""
    ident = algorithm.id()
    for name, idents in (
        ("forbidden", FORBIDDEN),
        ("execute", EXECUTE),
        ("write", WRITE),
        ("create", CREATE),
        ("read", READ),
    ):
        if ident in idents:
            return name
    if not made:
        return "write"
    only_reports = all(
        kind == "fileDestination" and "html" in algorithm.parameterDefinition(name).fileFilter().lower()
        for name, kind in made.items()
    )
    return "read" if only_reports else "create"


def text() -> str:
    """The whole file; one line an algorithm."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from qgis.core import Qgis, QgsApplication

    application = QgsApplication([], False)
    application.initQgis()
    sys.path.insert(0, os.path.join(QgsApplication.pkgDataPath(), "python", "plugins"))
    from processing.core.Processing import Processing

    Processing.initialize()
    algorithms = [
        each
        for each in QgsApplication.processingRegistry().algorithms()
        if each.provider().id() in SHIPPED or each.provider().id().startswith("grass")
    ]
    known = {each.id() for each in algorithms}
    decided = {*FORBIDDEN, *WRITE, *EXECUTE, *CREATE, *READ, *(each.split("/")[0] for each in RULES)}
    if decided - known:
        raise SystemExit(f"decided, but QGIS has no such algorithm: {sorted(decided - known)}")
    lines = [
        f"  {json.dumps(each.id())}: {json.dumps(entry(each, Qgis.ProcessingAlgorithmFlag))}"
        for each in sorted(algorithms, key=lambda each: each.id())
    ]
    head = f'{{\n "qgis": {json.dumps(Qgis.version().split("-")[0])},\n "algorithms": {{\n'
    return head + ",\n".join(lines) + "\n }\n}\n"


def main() -> int:
    """Write the file, or with --check compare it."""
    made = text()
    if "--check" in sys.argv:
        return 0 if OUT.read_text(encoding="utf-8") == made else 1
    OUT.write_text(made, encoding="utf-8")
    print(f"{OUT.name}: {made.count(chr(10)) - 5} algorithms", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.stdout.flush()
    code = main()
    sys.stderr.flush()
    os._exit(code)  # QGIS's own teardown may crash after all is written
