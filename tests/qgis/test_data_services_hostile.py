"""Services that try to lead to other hosts than the person allowed, to tell more than they should, or to fill memory."""

from __future__ import annotations

import time

import pytest
from conftest import Bench
from test_data_services import WFS, WMS, XLINK, allowed, server  # noqa: F401  fixtures

from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.sources.capabilities import parsed
from qgis_agent.gis.sources.fetch import may_follow, wrong_answer
from qgis_agent.gis.sources.services import _require_same_host
from qgis_agent.gis.sources.urls import checked_url, host_of, shown_url


@pytest.mark.parametrize(
    "url", ["https://{x}.evil.invalid/{z}/{y}.png", "https://{q}.evil.invalid/", "https://a{z}b.invalid:80/{x}/{y}"]
)
def test_a_place_for_numbers_in_the_host_is_refused(url: str) -> None:
    """Each tile would come from another host than the one on the card."""
    with pytest.raises(ToolError) as caught:
        checked_url(url)
    assert caught.value.envelope["code"] == "INVALID_PARAM"


def test_blanks_around_an_address_hide_no_host(bench: Bench) -> None:
    """The card names the host, and a grant is for it: without it one would be for every address with a blank before it."""
    assert host_of("  https://Maps.example.org/x ") == "maps.example.org"
    bench.call("add_service_layer", kind="xyz", url=" https://maps.invalid/{z}/{x}/{y}")
    assert dict(bench.approver.cards[-1]["lines"])["Host"] == "maps.invalid"


def test_a_name_and_password_are_not_shown() -> None:
    """They are refused, but the card is made before that."""
    assert "s3cr3t" not in shown_url("https://me:s3cr3t@host.invalid/x")


@pytest.mark.parametrize(
    "link",
    [" https://evil.invalid/x", "//evil.invalid/x", "\\\\evil.invalid\\x", "https:\\\\evil.invalid/x", "HTTPS://EVIL.invalid",
     "https://evil.invalid:99999/x", "ftp://evil.invalid/x", "https://[::1/x"],
)  # fmt: skip
def test_links_of_a_service_that_lead_elsewhere(link: str) -> None:
    """However they are written."""
    with pytest.raises(ToolError) as caught:
        _require_same_host("https://good.invalid/wfs", ["https://good.invalid/x", link])
    assert caught.value.envelope["code"] == "FORBIDDEN"


def test_links_of_the_same_host_and_relative_ones() -> None:
    """These are what services have."""
    _require_same_host(
        "https://good.invalid/wfs", ["https://GOOD.invalid/wfs?", "wfs?", "/wfs", "", "tiles/{TileRow}.png"]
    )


def test_the_addresses_of_an_old_wfs_are_read() -> None:
    """WFS 1.0.0 has them in the attribute onlineResource."""
    old = """<WFS_Capabilities version="1.0.0" xmlns="http://www.opengis.net/wfs"><Capability><Request><GetFeature><DCPType><HTTP>
    <Get onlineResource="https://evil.invalid/wfs?"/></HTTP></DCPType></GetFeature></Request></Capability>
    <FeatureTypeList><FeatureType><Name>a</Name><SRS>EPSG:4326</SRS></FeatureType></FeatureTypeList></WFS_Capabilities>"""
    found = parsed(old.encode())
    assert found is not None and "https://evil.invalid/wfs?" in found.links
    assert [each.name for each in found.layers] == ["a"]
    assert parsed(WFS.format(base="https://x.invalid", xlink=XLINK).encode()).links  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "allowed_"),
    [
        ("https://a.invalid/x", "https://a.invalid/y", True),
        ("http://a.invalid/x", "https://a.invalid/y", True),
        ("https://a.invalid/x?tk=1", "http://a.invalid/y", False),
        ("https://a.invalid/x", "https://b.invalid/y", False),
        ("http://a.invalid/x", "file:///etc/passwd", False),
        ("http://a.invalid/x", "http://a.invalid:81/y", False),
    ],
)
def test_redirects(old: str, new: str, allowed_: bool) -> None:
    """To the same host only, and never from https to http: the address can have a key in it."""
    assert may_follow(old, new) is allowed_


def test_keys_are_hidden_as_they_are_written() -> None:
    """A server that repeats the address repeats it encoded, and in other ways too."""
    url = "https://a.invalid/x?token=ab%2Fcd%20ef&key=abc"
    said = wrong_answer(url, 400, b"<p>bad token=ab%2Fcd%20ef, ab/cd ef, ab%2Fcd+ef; key=abc</p>").envelope["message"]
    assert not any(each in said for each in ("ab/cd", "ab%2Fcd", "key=abc"))


def test_layers_that_take_over_many_crs_cost_no_memory() -> None:
    """3,000 layers below one with 6,000 CRSs: read in seconds, and each layer has them all."""
    crs = "".join(f"<CRS>EPSG:{n}</CRS>" for n in range(6000))
    layers = "".join(f"<Layer><Name>l{n}</Name></Layer>" for n in range(3000))
    head = WMS.format(base="x", xlink=XLINK).split("<Layer>")[0]
    started = time.monotonic()
    found = parsed((head + f"<Layer><Title>t</Title>{crs}{layers}</Layer></Capability></WMS_Capabilities>").encode())
    assert found is not None and len(found.layers) == 3000
    assert len(found.layers[7].all_crs()) == 6000
    assert found.layers[0].above is found.layers[1].above
    assert time.monotonic() - started < 5


def test_texts_of_a_service_are_clean(allowed: Bench, server: str) -> None:  # noqa: F811
    """Names of CRSs are text of the server as well."""
    envelope = allowed.call(
        "add_service_layer", kind="wms", url=server + "/wms?", layer="roads", options={"format": "x/y"}
    )
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "format")
    assert "image/png" in envelope["hint"]
