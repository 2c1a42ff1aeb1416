"""Secrets are hidden in every form that they take, and ordinary words are not. (harness T13; issue 6 "Secrets".)

The secret forms are those of the formats' own documentation (RFC 6750, 7617, 7519; libpq; QGIS source URIs; key prefixes that
the providers publish); the encodings come from the standard library.
"""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from qgis_agent.bridge.redaction import HIDDEN, Redactor

KEY = 'Kanarienvogel-7f/3+q=ü"x\\y&z'

BASIC = base64.b64encode(b"meier:gp4ss!").decode()
FORMS = [
    ("Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),
    ("authorization: bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "c2lnbmF0dXJl"),
    (f"Authorization: Basic {BASIC}", BASIC),
    (f"got a 401 for Basic {BASIC}", BASIC),
    ("Proxy-Authorization: Digest9z8y7x6w", "Digest9z8y7x6w"),
    ("Cookie: session=abc9def; theme=dark", "abc9def"),
    ("Set-Cookie: sid=q1w2e3; HttpOnly", "q1w2e3"),
    ("the key sk-abcdefghijklmnop1234 was refused", "sk-abcdefghijklmnop1234"),
    ("sk-proj-AbCd1234EfGh5678IjKl", "AbCd1234EfGh5678IjKl"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c6912"),
    ("xoxb-123456789012-abcdefghijkl", "abcdefghijkl"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI"),
    ("AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "SyD-9tSrke72"),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=Zm9vYmFyYmF6==;X=1", "Zm9vYmFyYmF6"),
    ("https://b.example.net/c?sv=2020&sig=AbC%2Bd%3D&se=2026", "AbC%2Bd"),
    ("https://meier:geheim1@example.org/wfs", "geheim1"),
    ("https://me:p@ss%40w0rd@example.org/wfs", "ss%40w0rd"),
    ("postgresql://u:pg9pass@db.example.org:5432/gis", "pg9pass"),
    ("dbname='gis' host=db user='u' password='pg\\'pass 9' sslmode=prefer key='id'", "pass 9"),
    ('dbname=gis password="pgpass99"', "pgpass99"),
    ("PG:host=db password=pgpass99 active_schema=public", "pgpass99"),
    ("dbname='gis' authcfg=ab12cd3 table=\"a\"", "ab12cd3"),
    ("contextualWMSLegend=0&url=https://h/wms?token%3Dtok99tok%26v%3D1&layers=a", "tok99tok"),
    ("url=https%3A%2F%2Fh%2Fwms%3Fapikey%3Dtok99tok%26x%3D1&layers=a", "tok99tok"),
    ("url=https%3A%2F%2Fmeier%3Ageheim1%40h%2Fwms&layers=a", "geheim1"),
    ("type=xyz&url=https://t.example.cn/%7Bx%7D?T%3Dvec_w%26tk%3D0a1b2c3d&zmax=18", "0a1b2c3d"),
    ("https://t.example.cn/tile?ak=0a1b2c3d&z=1", "0a1b2c3d"),
    ("https://maps.example.org/wfs?access_token=abc.def&x=1", "abc.def"),
    ("https://h/ows?AUTHKEY=5f1c9d&SERVICE=WMS", "5f1c9d"),
    ("https://h/a?X-Amz-Credential=C1&X-Amz-Signature=0123abcd", "0123abcd"),
    ("http-header:X-Api-Key=0123abcd&referer=x", "0123abcd"),
    ("x-api-key: 0123abcd", "0123abcd"),
    ("QGIS_AGENT_API_KEY=wortwortwort", "wortwortwort"),
    ('{"api_key": "wortwort"}', "wortwort"),
    ("{'api_key': 'wortwort', 'model': 'x'}", "wortwort"),
    ('{"raw": "{\\"password\\": \\"wortwort\\"}"}', "wortwort"),
    ("my password is hunter22", "hunter22"),
    ("密码：abc123x", "abc123x"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
]


@pytest.mark.parametrize(("text", "secret"), FORMS)
def test_the_forms_of_secrets_are_hidden(text: str, secret: str) -> None:
    """Without knowing the value. A second time changes nothing."""
    assert secret in text
    told = Redactor().text(text)
    assert secret not in told
    assert HIDDEN in told
    assert Redactor().text(told) == told


HARMLESS = [
    "token ring network of the 1980s", "The password field is empty.", "password reset office", "The Secret Garden",
    "Basic information about the city", "basic documentation", "bearer documents of the office", "Bearer: Jane Meier",
    "input_tokens: 1234, output_tokens: 56", "max_tokens=500", "tokens=12", "key='id' estimatedmetadata=true",
    'SELECT "token" FROM "password"', '"token" = \'A12\'', "field token (text), field password (text)",
    "The fields are name, password, token and secret.", "sk-learn and rk-maps are libraries", "ask-the-council-members-now",
    "https://example.org:8080/a/path@2x.png", "https://example.org/wms?service=WMS&request=GetCapabilities",
    "mailto:office@example.org", "office@example.org", "EPSG:4326", "a=b; c=d", "POINT(12.5 41.9)", "#1f77b4",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "街道A 的密码字段", "令牌环网", "密钥长度统计", "key = value pairs of OpenStreetMap: highway=residential",
    "sign=left; code=12", "The signature of the mayor: see page 3", "Cookie factory, Baker Street 5", "pk_kreis, rk_lage",
    "type=xyz&url=https://tile.example.org/{z}/{x}/{y}.png&zmax=19", "C:\\Users\\Meier\\Secret plans\\token.shp",
    "Secret: the location is not shown", "password: see the wiki", "the token is lost", "eyJ is how a JWT begins",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_words_stay(text: str) -> None:
    """Not a letter changes."""
    assert Redactor().text(text) == text


def test_there_are_forty_of_them() -> None:
    """As the issue asks."""
    assert len(set(HARMLESS)) >= 40


def forms_of(value: str) -> dict[str, str]:
    """What other programs make of a value."""
    raw = value.encode()
    return {
        "itself": value,
        "base64": base64.b64encode(raw).decode(),
        "base64 without padding": base64.b64encode(raw).decode().rstrip("="),
        "base64 for addresses": base64.urlsafe_b64encode(raw).decode(),
        "percent": quote(value, safe=""),
        "percent, small letters": quote(value, safe="")
        .replace("%2F", "%2f")
        .replace("%3D", "%3d")
        .replace("%2B", "%2b"),
        "form": quote_plus(value),
        "percent twice": quote(quote(value, safe=""), safe=""),
        "JSON": json.dumps(value)[1:-1],
        "JSON with its letters": json.dumps(value, ensure_ascii=False)[1:-1],
        "JSON in JSON": json.dumps(json.dumps(value)[1:-1])[1:-1],
        "HTML": html.escape(value),
        "repr": repr(value)[1:-1],
        "hexadecimal": raw.hex(),
    }


@pytest.mark.parametrize("name", forms_of(KEY))
def test_a_known_value_is_hidden_in_every_coding(name: str) -> None:
    """Wherever it stands in a sentence."""
    form = forms_of(KEY)[name]
    redactor = Redactor()
    redactor.know(KEY)
    assert redactor.text(f"before {form} after") == f"before {HIDDEN} after"


@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "meier", "jane.doe"])
def test_a_known_value_inside_other_base64(user: str) -> None:
    """``user:key`` as the header Basic has it: the key begins at any of the three places of base64, and little is left."""
    redactor = Redactor()
    redactor.know("Kanarienvogel-7f3q")
    coded = base64.b64encode(f"{user}:Kanarienvogel-7f3q;".encode()).decode()
    told = redactor.text(f"x {coded} y")
    assert HIDDEN in told
    left = max(told.replace(HIDDEN, " ").split(), key=len)
    assert "Kanarien" not in base64.b64decode(left + "=" * (-len(left) % 4)).decode("latin-1")


def test_short_and_common_values_are_no_secrets_by_value() -> None:
    """A database's password "postgres", a key "ollama": hiding them everywhere would blot out half of all texts."""
    redactor = Redactor()
    for word in ("abc", "postgres", "ollama", "not-needed", "", "     ", "password"):
        redactor.know(word)
    text = "postgres and ollama are not-needed; password abc"
    assert redactor.text(text) == text
    assert "postgres'" not in redactor.text("password='postgres'")


def test_members_are_hidden_by_name_and_handles_can_be_kept() -> None:
    """``clean`` is for what is kept, ``strings`` for what a caller uses on."""
    value = {
        "confirm_token": "T0ken-a",
        "rows": [{"password": "x", "n": 1, "tokens": 5}],
        "api-key": "k",
        "token": None,
    }
    cleaned = Redactor().clean(value)
    assert cleaned == {
        "confirm_token": HIDDEN, "rows": [{"password": HIDDEN, "n": 1, "tokens": 5}], "api-key": HIDDEN, "token": None
    }  # fmt: skip
    redactor = Redactor()
    redactor.know("T0ken-a")
    kept = redactor.strings({"confirm_token": "T0ken-a", "text": ("T0ken-a", 1)})
    assert kept == {"confirm_token": "T0ken-a", "text": (HIDDEN, 1)}


def test_what_a_source_holds_is_known_from_then_on() -> None:
    """The password of a connection, told by a driver without its name."""
    redactor = Redactor()
    redactor.know_all_in("dbname='gis' user='u' password='pg\\'p4ss' host=db")
    redactor.know_all_in("https://meier:geheim-1@example.org/wfs")
    assert redactor.text("FATAL: no pg'p4ss, no geheim-1") == f"FATAL: no {HIDDEN}, no {HIDDEN}"


def test_long_texts_take_no_time() -> None:
    """300 KB of the letters that the patterns begin with; each must not be tried over and over."""
    import time

    redactor = Redactor()
    redactor.know(KEY)
    for piece in ("a_", "token", "password ", "eyJ", "sk-", "x:", "a%3A%2F%2F", "cookie: ", "basic ", "key=", "://a@"):
        text = piece * (300_000 // len(piece))
        started = time.perf_counter()
        redactor.text(text)
        assert time.perf_counter() - started < 3, piece
