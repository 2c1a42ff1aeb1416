"""The agent process behind an organisation's proxy that looks into TLS: QGIS's settings reach it, and a change of them."""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench
from first_run_net import Proxy, make_authority
from qgis.core import QgsApplication, QgsNetworkAccessManager
from qgis.PyQt.QtNetwork import QNetworkProxy, QSslCertificate

from qgis_agent import environment
from qgis_agent.gis import runs
from qgis_agent.gis.host import run_until

AGENT_ENV = Path(__file__).resolve().parents[2] / ".agent-env"
MODEL_HOST = "model.test"
PASSWORD = "Zaunkoenig-p4ss%/17"


def model_answer(path: str) -> tuple[str, bytes]:
    """What an OpenAI-compatible server streams."""
    if not path.endswith("/chat/completions"):
        raise LookupError(path)
    start = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas: list[tuple[dict[str, str], str | None]] = [
        ({"role": "assistant", "content": "Through the proxy."}, None),
        ({}, "stop"),
    ]
    lines = [
        "data: " + json.dumps({**start, "choices": [{"index": 0, "delta": delta, "finish_reason": why}]})
        for delta, why in deltas
    ]
    return "text/event-stream", ("\n\n".join([*lines, "data: [DONE]"]) + "\n\n").encode()


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[tuple[Proxy, Path]]:
    """The proxy, and the CA that it signs with."""
    if shutil.which("openssl") is None:
        pytest.skip("makes a CA with the program openssl")
    ca, certificate = make_authority(tmp_path, MODEL_HOST)
    word = b64encode(f"anna:{PASSWORD}".encode()).decode()
    made = Proxy(model_answer, certificate=certificate, credentials=f"Basic {word}")
    yield made, ca
    made.close()


@pytest.fixture
def settings(qgis_app: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A function that sets QGIS's proxy and trusts a CA; both are as before afterwards."""
    for name in [each for each in os.environ if each.upper().endswith("_PROXY")]:
        monkeypatch.delenv(name)
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    manager, authorities = QgsNetworkAccessManager.instance(), QgsApplication.authManager()
    before = (manager.fallbackProxy(), manager.excludeList(), manager.noProxyList())
    trusted: list[QSslCertificate] = []

    def use(port: int, ca: Path | None) -> None:
        proxy = QNetworkProxy(QNetworkProxy.ProxyType.HttpProxy, "127.0.0.1", port, "anna", PASSWORD)
        manager.setFallbackProxyAndExcludes(proxy, [], [])
        if ca is not None:
            trusted.append(QSslCertificate(ca.read_bytes()))
            assert authorities.storeCertAuthority(trusted[-1])
            authorities.initSslCaches()

    yield use
    manager.setFallbackProxyAndExcludes(*before)
    for each in trusted:
        authorities.removeCertAuthority(each)
    authorities.initSslCaches()


def test_b14_the_agent_reaches_a_model_through_qgis_s_proxy_with_qgis_s_authority(
    bench: Bench, settings: Any, proxy: tuple[Proxy, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the CA is not trusted; then it is, and the agent that was started without it is started anew."""
    if not environment.python_of(AGENT_ENV).exists():
        pytest.fail("the agent's environment is missing: run make setup")
    monkeypatch.setattr(environment, "locate", lambda: AGENT_ENV)
    server, ca = proxy
    settings(server.port, None)
    controller = runs.RunController(bench.host, Answering(), records=bench.folder)
    reports: list[dict[str, Any]] = []
    controller.finished.connect(reports.append)
    controller.configure_model(
        {"kind": "model", "model": "openai/m", "api_base": f"https://{MODEL_HOST}/v1", "api_key": "sk-test-1"}
    )
    try:
        assert ask(controller, reports)["termination"] == "failed"
        assert "certificate" in json.dumps(reports[-1]["error"]).lower()
        assert any(each.startswith(f"CONNECT {MODEL_HOST}:443") for each in server.asked)
        first = controller.agent_pid()
        controller.network_changed()
        assert controller.agent_pid() == first, "nothing changed"
        settings(server.port, ca)
        controller.network_changed()
        assert run_until(lambda: controller.agent_pid() not in (0, first), 20)
        assert ask(controller, reports)["answer"].startswith("Through the proxy.")
        arguments = Path(f"/proc/{controller.agent_pid()}/cmdline").read_bytes()
        assert b"Zaunkoenig" not in arguments
    finally:
        controller.close()
    kept = b"".join(each.read_bytes() for each in bench.folder.rglob("*") if each.is_file())
    assert kept and b"Zaunkoenig" not in kept and b"Zaunkoenig" not in json.dumps(reports).encode()


def ask(controller: runs.RunController, reports: list[dict[str, Any]]) -> dict[str, Any]:
    """The report of a run."""
    count = len(reports)
    assert controller.start("say something about the weather")
    assert run_until(lambda: len(reports) > count, 90)
    return reports[-1]
