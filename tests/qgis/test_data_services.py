"""Layers from services, against a small server on the loopback."""

from __future__ import annotations

import base64
import http.server
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import Bench
from qgis.core import QgsVectorLayer

from qgis_agent.gis.sources import gcj02
from qgis_agent.gis.sources.services import tile_url, tile_zoom
from qgis_agent.gis.sources.urls import host_of, shown_url

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
WMS = """<?xml version="1.0"?><WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms" {xlink}>
<Service><Name>WMS</Name><Title>t</Title></Service><Capability><Request>
<GetCapabilities><Format>text/xml</Format><DCPType><HTTP><Get><OnlineResource xlink:href="{base}/wms?"/></Get></HTTP></DCPType>
</GetCapabilities><GetMap><Format>image/jpeg</Format><Format>image/png</Format><DCPType><HTTP><Get>
<OnlineResource xlink:href="http://elsewhere.invalid/wms?"/></Get></HTTP></DCPType></GetMap></Request>
<Layer><Title>root</Title><CRS>EPSG:4326</CRS><CRS>EPSG:3857</CRS>
<EX_GeographicBoundingBox><westBoundLongitude>-180</westBoundLongitude><eastBoundLongitude>180</eastBoundLongitude>
<southBoundLatitude>-90</southBoundLatitude><northBoundLatitude>90</northBoundLatitude></EX_GeographicBoundingBox>
<Layer><Name>roads</Name><Title>Roads \u202e of</Title><Style><Name>night</Name><Title>n</Title></Style></Layer>
<Layer><Name>rails</Name><Title>Rails</Title><CRS>EPSG:2154</CRS></Layer></Layer></Capability></WMS_Capabilities>"""
WMTS = """<?xml version="1.0"?><Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1"
{xlink} version="1.0.0"><ows:OperationsMetadata>
<ows:Operation name="GetCapabilities"><ows:DCP><ows:HTTP><ows:Get xlink:href="{base}/wmts?"><ows:Constraint name="GetEncoding">
<ows:AllowedValues><ows:Value>KVP</ows:Value></ows:AllowedValues></ows:Constraint></ows:Get></ows:HTTP></ows:DCP></ows:Operation>
<ows:Operation name="GetTile"><ows:DCP><ows:HTTP><ows:Get xlink:href="{tiles}/wmts?"><ows:Constraint name="GetEncoding">
<ows:AllowedValues><ows:Value>KVP</ows:Value></ows:AllowedValues></ows:Constraint></ows:Get></ows:HTTP></ows:DCP></ows:Operation>
</ows:OperationsMetadata><Contents><Layer><ows:Title>Base</ows:Title><ows:Identifier>base</ows:Identifier>
<ows:WGS84BoundingBox><ows:LowerCorner>-180 -85</ows:LowerCorner><ows:UpperCorner>180 85</ows:UpperCorner></ows:WGS84BoundingBox>
<Style isDefault="true"><ows:Identifier>default</ows:Identifier></Style><Format>image/png</Format>
<TileMatrixSetLink><TileMatrixSet>gm</TileMatrixSet></TileMatrixSetLink></Layer>
<TileMatrixSet><ows:Identifier>gm</ows:Identifier><ows:SupportedCRS>urn:ogc:def:crs:EPSG::3857</ows:SupportedCRS>
<TileMatrix><ows:Identifier>0</ows:Identifier><ScaleDenominator>559082264.028718</ScaleDenominator>
<TopLeftCorner>-20037508.342789 20037508.342789</TopLeftCorner><TileWidth>256</TileWidth><TileHeight>256</TileHeight>
<MatrixWidth>1</MatrixWidth><MatrixHeight>1</MatrixHeight></TileMatrix></TileMatrixSet></Contents></Capabilities>"""
WFS = """<?xml version="1.0"?><WFS_Capabilities version="1.1.0" xmlns="http://www.opengis.net/wfs"
xmlns:ows="http://www.opengis.net/ows" {xlink}><ows:OperationsMetadata>
<ows:Operation name="GetFeature"><ows:DCP><ows:HTTP><ows:Get xlink:href="{base}/wfs?"/></ows:HTTP></ows:DCP></ows:Operation>
<ows:Operation name="DescribeFeatureType"><ows:DCP><ows:HTTP><ows:Get xlink:href="{base}/wfs?"/></ows:HTTP></ows:DCP>
</ows:Operation></ows:OperationsMetadata><FeatureTypeList><FeatureType><Name>stops</Name><Title>Stops</Title>
<DefaultSRS>urn:ogc:def:crs:EPSG::4326</DefaultSRS><ows:WGS84BoundingBox><ows:LowerCorner>0 0</ows:LowerCorner>
<ows:UpperCorner>10 10</ows:UpperCorner></ows:WGS84BoundingBox></FeatureType></FeatureTypeList></WFS_Capabilities>"""
DESCRIBE = """<?xml version="1.0"?><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:gml="http://www.opengis.net/gml"
xmlns:m="http://m" targetNamespace="http://m" elementFormDefault="qualified"><xs:import namespace="http://www.opengis.net/gml"/>
<xs:element name="stops" type="m:stopsType" substitutionGroup="gml:_Feature"/><xs:complexType name="stopsType"><xs:complexContent>
<xs:extension base="gml:AbstractFeatureType"><xs:sequence><xs:element name="geom" type="gml:PointPropertyType" minOccurs="0"/>
<xs:element name="name" type="xs:string" minOccurs="0"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:schema>"""
FEATURES = """<?xml version="1.0"?><wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs"
xmlns:gml="http://www.opengis.net/gml" xmlns:m="http://m" numberOfFeatures="1"><gml:featureMember><m:stops gml:id="stops.1"><m:geom>
<gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>2 1</gml:pos></gml:Point></m:geom><m:name>a</m:name></m:stops>
</gml:featureMember></wfs:FeatureCollection>"""
HTML = "<html><head><title>Login</title><script>x()</script></head><body>Please sign in, tk=SECRETKEY</body></html>"
EXCEPTION = '<ServiceExceptionReport version="1.3.0"><ServiceException>quota used up</ServiceException></ServiceExceptionReport>'


class Served(http.server.BaseHTTPRequestHandler):
    """Answers by path; keeps what was asked."""

    asked: list[str] = []  # noqa: RUF012
    leads_to = ""

    def do_GET(self) -> None:
        """One answer."""
        Served.asked.append(self.path)
        parts = urlsplit(self.path)
        query = {key.lower(): value[0] for key, value in parse_qs(parts.query).items()}
        base = f"http://{self.headers['Host']}"
        wanted = query.get("request", "").lower()
        content: str | bytes = ""
        kind, status = "text/xml", 200
        if parts.path.startswith("/tiles/") or (parts.path in ("/wms", "/wmts") and wanted in ("getmap", "gettile")):
            content, kind = PNG, "image/png"
        elif parts.path == "/wms":
            content = WMS.format(base=base, xlink=XLINK)
        elif parts.path == "/wmts":
            content = WMTS.format(base=base, tiles=base, xlink=XLINK)
        elif parts.path == "/wmts-elsewhere":
            content = WMTS.format(base=base, tiles="http://elsewhere.invalid", xlink=XLINK)
        elif parts.path == "/wfs":
            answers = {"describefeaturetype": DESCRIBE, "getfeature": FEATURES}
            content = answers.get(wanted) or WFS.format(base=base, xlink=XLINK)
        elif parts.path.startswith("/html"):
            content, kind = HTML, "text/html"
        elif parts.path == "/exception":
            content = EXCEPTION
        elif parts.path.startswith("/redirect"):
            status = 302
        else:
            content, kind, status = "<html><body>No such map</body></html>", "text/html", 404
        body = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        if status == 302:
            self.send_header("Location", Served.leads_to)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server."""
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Served)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


@pytest.fixture
def allowed(bench: Bench, server: str) -> Bench:
    """A bench whose person has named the server, and allows each question once."""
    bench.approver.answer = "once"
    bench.issue(requested=frozenset(["host:" + urlsplit(server).netloc]))
    Served.asked.clear()
    return bench


def test_a_person_is_asked_before_anything_is_sent(bench: Bench, server: str) -> None:
    """Headless nobody agrees: refused, and the server hears nothing."""
    Served.asked.clear()
    assert bench.code("add_service_layer", kind="xyz", url=server + "/tiles/{z}/{x}/{y}.png") == "PERMISSION_DENIED"
    assert Served.asked == []
    assert bench.approver.cards


def test_tiles(allowed: Bench, server: str) -> None:
    """A tile is tried, then the layer is added below everything; its source keeps the address."""
    outcome = allowed.outcome(
        "add_service_layer", kind="xyz", url=server + "/tiles/{z}/{x}/{y}.png?tk=SECRETKEY", name="base"
    )
    data = outcome["envelope"]["data"]
    assert (data["layer_id"], data["kind"], data["service"]) == ("base", "raster", "xyz")
    assert data["crs"].startswith("EPSG:3857")
    assert Served.asked[0].startswith("/tiles/")
    assert "SECRETKEY" not in str(outcome["evidence"]) + str(outcome["envelope"]) + str(outcome["actions"])
    layer = allowed.host.layers.by_alias("base")
    assert "SECRETKEY" in layer.source()
    assert "doubts" not in data


def test_wms(allowed: Bench, server: str) -> None:
    """Several layers are asked for; the chosen one has the map's CRS, and data comes from the allowed host only."""
    envelope = allowed.call("add_service_layer", kind="wms", url=server + "/wms?")
    assert envelope["code"] == "AMBIGUOUS"
    assert {each["layer"] for each in envelope["data"]["options"]} == {"roads", "rails"}
    assert "\u202e" not in str(envelope)
    data = allowed.ok(
        "add_service_layer", kind="wms", url=server + "/wms?SERVICE=WMS&REQUEST=GetCapabilities", layer="roads"
    )
    assert data["other_layers"] == 1
    source = allowed.host.layers.by_alias(data["layer_id"]).source()
    assert "IgnoreGetMapUrl=1" in source
    assert "format=image/png" in source
    assert data["crs"].startswith("EPSG:4326")
    rails = allowed.ok("add_service_layer", kind="wms", url=server + "/wms", layer="rails", crs="EPSG:2154")
    assert rails["crs"].startswith("EPSG:2154")
    assert (
        allowed.code("add_service_layer", kind="wms", url=server + "/wms", layer="roads", crs="EPSG:2154")
        == "INVALID_PARAM"
    )
    assert allowed.code("add_service_layer", kind="wms", url=server + "/wms", layer="raods") == "NOT_FOUND"


def test_wmts(allowed: Bench, server: str) -> None:
    """M-416: the one layer of a WMTS; tiles from another host are refused."""
    data = allowed.ok("add_service_layer", kind="wmts", url=server + "/wmts")
    assert data["name"] == "Base"
    assert data["crs"].startswith("EPSG:3857")
    assert allowed.host.layers.by_alias(data["layer_id"]).isValid()
    envelope = allowed.call("add_service_layer", kind="wmts", url=server + "/wmts-elsewhere")
    assert envelope["code"] == "FORBIDDEN"
    assert "elsewhere.invalid" in envelope["message"]


def test_wfs(allowed: Bench, server: str) -> None:
    """The one layer of a WFS, with a plain symbol and an unknown number of features."""
    data = allowed.ok("add_service_layer", kind="wfs", url=server + "/wfs")
    assert (data["kind"], data["count_kind"]) == ("point", "unknown")
    layer = allowed.host.layers.by_alias(data["layer_id"])
    assert isinstance(layer, QgsVectorLayer)
    assert layer.isValid()
    assert "name" in layer.fields().names()
    assert layer.crs().authid() == "EPSG:4326"
    rows = [(each["name"], each.geometry().asWkt(0)) for each in layer.getFeatures()]
    assert rows == [("a", "Point (1 2)")]


@pytest.mark.parametrize(
    ("kind", "path", "words"),
    [
        ("wms", "/html", "Please sign in"),
        ("wms", "/nothing", "No such map"),
        ("wms", "/exception", "quota used up"),
        ("wms", "/wfs", "WFS service"),
        ("xyz", "/html/{z}/{x}/{y}", "Please sign in"),
        ("xyz", "/nothing/{z}/{x}/{y}", "404"),
    ],
)
def test_wrong_answers_are_told_in_the_servers_words(
    allowed: Bench, server: str, kind: str, path: str, words: str
) -> None:
    """UPSTREAM_ERROR, without markup, scripts or the key of the address; nothing is added."""
    envelope = allowed.call("add_service_layer", kind=kind, url=server + path + "?tk=SECRETKEY")
    assert envelope["code"] == "UPSTREAM_ERROR", envelope
    assert words in envelope["message"]
    assert "SECRETKEY" not in str(envelope)
    assert "<" not in envelope["message"]
    assert "x()" not in envelope["message"]
    assert allowed.host.layers.aliases() == []


def test_a_redirect_to_another_host_is_refused(allowed: Bench, server: str) -> None:
    """The person allowed one host; another port is another one, and it hears nothing."""
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Served)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    Served.leads_to = f"http://127.0.0.1:{other.server_port}/wms"
    try:
        envelope = allowed.call("add_service_layer", kind="wms", url=server + "/redirect", layer="roads")
    finally:
        other.shutdown()
        other.server_close()
    assert envelope["code"] == "FORBIDDEN", envelope
    assert str(other.server_port) in envelope["message"]
    assert all(each.startswith("/redirect") for each in Served.asked)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd?{x}{y}{z}", "ftp://host/{x}", "https://me:s3cr3t@host/{z}/{x}/{y}", "//host/{x}", "https:///{x}/{y}/{z}",
     "https://host/ {x}{y}{z}", "https://host:99999/{x}/{y}/{z}", "javascript:alert(1)", "https://host/plain.png"],
)  # fmt: skip
def test_addresses_that_are_refused(allowed: Bench, url: str) -> None:
    """Other schemes, names and passwords, what is no address, and tiles without a place for the numbers."""
    envelope = allowed.call("add_service_layer", kind="xyz", url=url)
    assert envelope["code"] == "INVALID_PARAM"
    assert envelope["hint"]
    assert "s3cr3t" not in envelope["message"] + envelope["hint"]


def test_a13_a_service_in_gcj02_is_said_to_have_an_offset(allowed: Bench, server: str, monkeypatch: Any) -> None:
    """For a host of autonavi (here: the loopback named so): an offset of about 556 m at (116.4, 39.9), and no CRS."""
    monkeypatch.setattr(gcj02, "_HOSTS", ("127.0.0.1",))
    allowed.ok("zoom_to", bbox=[116.3, 39.8, 116.5, 40.0])
    envelope = allowed.call("add_service_layer", kind="xyz", url=server + "/tiles/{z}/{x}/{y}.png")
    assert envelope["data"]["doubts"] == [{"problem": "gcj02_offset"}]
    assert "556 m" in envelope["message"]
    assert "No EPSG code" in envelope["message"]


def test_tile_numbers() -> None:
    """Berlin at zoom 10 is 550/335 in the OpenStreetMap scheme; TMS counts rows from below; a quadkey by hand."""
    assert tile_url("{z}/{x}/{y}", (13.4, 52.52), 10) == "10/550/335"
    assert tile_url("{-y}", (13.4, 52.52), 10) == str(1023 - 335)
    assert tile_url("{q}", (-100.0, 60.0), 2) == "02"
    assert tile_zoom(360, 0, 19) == 0
    assert tile_zoom(0.7, 0, 19) == 9
    assert tile_zoom(0.0001, 0, 12) == 12


def test_what_is_shown_of_an_address() -> None:
    """Values of keys are hidden; host and port are kept."""
    shown = shown_url("https://t0.tianditu.gov.cn/x?layer=vec&tk=abcdef&Access_Token=zz")
    assert "abcdef" not in shown
    assert "zz" not in shown
    assert "layer=vec" in shown
    assert host_of("https://A.example.org:8080/x") == "a.example.org:8080"
