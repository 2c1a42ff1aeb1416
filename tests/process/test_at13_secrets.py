"""AT13: canary secrets in many places; after sessions with errors, traces and exports none of them is in any file.

Real processes: the command line, the agent process, a loopback server of models. What is looked for is coded here with the
standard library alone; a planted file shows that each coding is found.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from model_server import ModelServer

REPO = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(900)  # a whole session of the real command line, in a dozen processes
PYTHON = str(REPO / ".venv" / "bin" / "python")

CANARIES = {
    "model key": "Kanarie-9f3x-Vogel-51+/z",
    "key of somebody else in the environment": "Env-Umwelt-77aa-Zeisig",
    "password of libpq in the environment": "Pg-Env-88bb-Stieglitz",
    "password of a PostgreSQL layer": "pgKan4rienvogel'x",
    "user info of a WMS": "wmsUser5pass",
    "token of a WMS": "wmsTok3n99abc",
    "token of tiles, encoded": "tilesTok3n77def",
    "password of a WFS": "wfsP4sswort66",
    "authcfg": "k4n4r1e",
    "proxy of QGIS": "proxyP4ss-Zaunkoenig",
    "password in the person's words": "said-P4ssw0rd-Meise",
    "bearer in the person's words": "bearerT0ken1234567",
    "header in the arguments of a call": "argT0ken-Drossel-9",
    "token in an answer": "answerT0ken-Amsel-1",
    "key by its shape": "sk-proj-Shape1234Shape5678Shape",
}
"""Where each one is put, and what it is. The layer's name, a value, the answer and the 401 repeat the model key."""
KEY = CANARIES["model key"]

MAKER = REPO / "tests" / "support" / "secret_project.py"


def codings(secret: str) -> dict[str, bytes]:
    """What a careless writer could leave of a secret: as it is, and coded."""
    raw = secret.encode()
    found = {
        "raw": raw,
        "utf-16": secret.encode("utf-16-le"),
        "utf-16 big": secret.encode("utf-16-be"),
        "percent": quote(secret, safe="").encode(),
        "JSON": json.dumps(secret)[1:-1].encode(),
        "hexadecimal": raw.hex().encode(),
    }
    for shift in range(3):  # base64 of a longer text that holds it at any place
        coded = base64.b64encode(b"\0" * shift + raw)
        first, last = (shift * 8 + 5) // 6, (shift + len(raw)) * 8 // 6
        found[f"base64, {shift}"] = coded[first:last]
    return found


def leaks(folders: list[Path], allowed: dict[str, tuple[str, ...]]) -> list[str]:
    """Where a canary is found; ``allowed`` names the files that may have one. The authentication database is encrypted."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*") if folder.is_dir() else [folder]):
            if not path.is_file() or path.name.startswith("qgis-auth.db"):
                continue
            content = path.read_bytes()
            for name, secret in CANARIES.items():
                if path.name in allowed.get(name, ()):
                    continue
                found += [f"{name} ({coding}) in {path}" for coding, form in codings(secret).items() if form in content]
    return found


class Session:
    """Runs of the command line on a profile of their own; everything they print is kept in files too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.profile = folder / "profile"
        self.out = folder / "out"
        for each in (self.data, self.profile, self.out):
            each.mkdir()
        settings = self.profile / "profiles" / "default" / "QGIS" / "QGIS3.ini"
        settings.parent.mkdir(parents=True)
        proxy = CANARIES["proxy of QGIS"]
        settings.write_text(
            f"[proxy]\nproxyEnabled=true\nproxyType=HttpProxy\nproxyHost=127.0.0.1\nproxyPort=9\nproxyUser=u\nproxyPassword={proxy}\n"
            "proxyExcludedUrls=http://127.0.0.1|\n"
        )
        self.environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "QGIS_AGENT_PROFILE": str(self.profile),
            "QGIS_AGENT_API_KEY": KEY,
            "OPENAI_API_KEY": CANARIES["key of somebody else in the environment"],
            "PGPASSWORD": CANARIES["password of libpq in the environment"],
        }
        self.environment.pop("QGIS_CUSTOM_CONFIG_PATH", None)
        self.number = 0
        (folder / "canaries.json").write_text(json.dumps(CANARIES), "utf-8")
        made = subprocess.run(
            [PYTHON, str(MAKER), str(folder / "canaries.json"), str(self.data)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "QGIS_CUSTOM_CONFIG_PATH": str(folder / "maker")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert made.returncode == 0, made.stderr

    def run(self, *arguments: str, **more: str) -> str:
        """What a command printed; kept with its standard error."""
        done = subprocess.run(
            [PYTHON, "-m", "qgis_agent", *arguments],
            cwd=REPO, env={**self.environment, **more}, capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
        self.number += 1
        (self.out / f"{self.number}.txt").write_text(f"{done.stdout}\n--\n{done.stderr}")
        return done.stdout


def use(name: str, **arguments: str) -> dict[str, Any]:
    """A call in a turn of the script."""
    return {"name": name, "arguments": arguments}


LEAKY = f"http://127.0.0.1:9/wms?token={CANARIES['header in the arguments of a call']}"
SAYS = f"The key is {KEY}; password={CANARIES['token in an answer']} was used with {CANARIES['key by its shape']}."
# A layer whose authcfg cannot be had comes back without a name: its alias is "layer".
TURNS: list[dict[str, Any]] = [
    {"tool_calls": [use("describe_layer", layer_id=each) for each in ("pg", "wms", "tiles", "wfs", "layer")]},
    {"tool_calls": [use("query_features", layer_id="owners"), use("count_features", layer_id=KEY)]},
    {
        "tool_calls": [
            use("count_features", layer_id="pg"),
            use("add_service_layer", url=LEAKY, kind="wms"),
            use("list_values", layer_id="owners", field="owner"),
        ]
    },
    {"text": SAYS},
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """One conversation that meets every canary, one that the server refuses, single calls, exports."""
    made = Session(tmp_path_factory.mktemp("at13"))
    project = str(made.data / "p.qgs")
    said, bearer = CANARIES["password in the person's words"], CANARIES["bearer in the person's words"]
    words = f"Show the owners; my password is {said}, Authorization: Bearer {bearer}, and my key is {KEY}"
    with ModelServer(TURNS) as server:
        base = {"QGIS_AGENT_API_BASE": server.base_url}
        trace = str(made.out / "trace.jsonl")
        made.run("ask", words, "--model", "openai/script", "--project", project, "--json", "--trace", trace, **base)
        made.requests = list(server.requests)  # type: ignore[attr-defined]
        made.keys = set(server.authorizations)  # type: ignore[attr-defined]
        made.run("ask", "hello", "--model", "openai/status401", "--project", project, "--trace", trace, **base)
        made.run("ask", "hello", "--model", "openai/status429", "--project", project, "--json", **base)
    made.run("call", "describe_layer", "--args", '{"layer_id": "pg"}', "--project", project)
    made.run("call", "query_features", "--args", '{"layer_id": "owners"}', "--project", project)
    made.run("call", "count_features", "--args", json.dumps({"layer_id": KEY}), "--project", project)
    made.run("call", "prepare_save_project", "--args", json.dumps({"path": str(made.out / "saved.qgs")}), "--project",
             str(made.data / "plain.qgs"), "--approve", "all", "--allow-write", str(made.out))  # fmt: skip
    made.run("audit", "--json")
    made.run("audit", "--out", str(made.out / "audit.csv"))
    yield made


ALLOWED = {"proxy of QGIS": ("QGIS3.ini",)}
"""QGIS keeps this one there itself, in plain text: the person's own setting."""


def test_at13_no_secret_is_in_any_file(session: Session) -> None:
    """The whole profile, the sessions, the audit log, traces, what was printed, the saved project, the exports."""
    assert len(CANARIES) >= 15
    assert leaks([session.profile, session.out], ALLOWED) == []


def test_the_session_met_them(session: Session) -> None:
    """It was no empty run: the server was asked with the key, the tools answered, the files are there."""
    assert session.keys == {f"Bearer {KEY}"}  # type: ignore[attr-defined]
    assert len(session.requests) == len(TURNS)  # type: ignore[attr-defined]
    report = json.loads((session.out / "1.txt").read_text().split("\n--\n")[0])
    assert [each["tool"] for each in report["steps"]].count("describe_layer") == 5
    assert "[hidden]" in report["answer"]
    records = [each.read_text() for each in session.profile.rglob("sessions/*.jsonl")]
    assert any("[hidden]" in each and "query_features" in each for each in records)
    for name in ("trace.jsonl", "saved.qgs", "audit.csv"):
        assert (session.out / name).stat().st_size > 200, name
    assert list(session.profile.rglob("audit/*.jsonl"))


def test_no_password_goes_to_the_model(session: Session) -> None:
    """Its own key is in its header, what the person wrote is theirs to say; passwords of sources never go out."""
    sent = json.dumps(session.requests, ensure_ascii=False)  # type: ignore[attr-defined]
    theirs = ("model key", "password in the person's words", "bearer in the person's words")
    for name, secret in CANARIES.items():
        if name not in theirs and "arguments" not in name and "answer" not in name and "shape" not in name:
            assert secret not in sent and quote(secret, safe="") not in sent, name


@pytest.mark.parametrize("coding", codings(KEY))
def test_the_search_does_find(tmp_path: Path, coding: str) -> None:
    """A planted file, for every coding and every canary."""
    for number, secret in enumerate(CANARIES.values()):
        folder = tmp_path / str(number) / "deep"
        folder.mkdir(parents=True)
        (folder / "x.bin").write_bytes(b"\x00 some text " + codings(secret)[coding] + b" and more")
        assert leaks([folder.parent], {}), secret
