"""The first run against a bad world: each ends in a sentence that a person can act on, and a second try works.

The dialog is the real one, and so are Python, pip, proxies and TLS, on loopback; a lock of one tiny wheel stands for the
agent's. The names of servers are known to the proxies only, as in an organisation without a way past its proxy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from first_run_net import INDEX_HOST, Proxy, index_of, make_authority
from qgis.core import QgsApplication, QgsNetworkAccessManager
from qgis.PyQt.QtNetwork import QNetworkProxy, QSslCertificate
from tiny_lock import Wheels, tiny_lock

from qgis_agent import environment, environment_build
from qgis_agent.gis.network_variables import bundle_path, network_variables, network_words
from qgis_agent.gui.dialogs.setup import SetupDialog
from qgis_agent.gui.settings.builder import EnvironmentBuilder

REPO = Path(__file__).resolve().parents[2]
SYSTEM_PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")
BUILD_MS = 60_000


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    return tiny_lock(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The CA of an organisation that looks into TLS, and what its proxy shows for the index."""
    if shutil.which("openssl") is None:
        pytest.skip("makes a CA with the program openssl")
    return make_authority(tmp_path_factory.mktemp("ca"), INDEX_HOST)


@pytest.fixture
def target(tmp_path: Path, wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the environment is built; the index is one that only a proxy reaches."""
    folder = tmp_path / "空 格" / "py3"
    monkeypatch.setattr(environment, "LOCK_PATH", wheels.lock)
    monkeypatch.setattr(environment, "locate", lambda: folder)
    for name in [each for each in os.environ if each.startswith("PIP_") or each.upper().endswith("_PROXY")]:
        monkeypatch.delenv(name)
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"https://{INDEX_HOST}/simple/")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    return folder


@pytest.fixture
def qgis_network(qgis_app: Any) -> Iterator[Any]:
    """A function that sets QGIS's proxy, as its settings do."""
    manager = QgsNetworkAccessManager.instance()
    before = (manager.fallbackProxy(), manager.excludeList(), manager.noProxyList())

    def use(port: int, user: str = "", password: str = "", direct: tuple[str, ...] = ()) -> None:
        proxy = QNetworkProxy(QNetworkProxy.ProxyType.HttpProxy, "127.0.0.1", port, user, password)
        manager.setFallbackProxyAndExcludes(proxy, list(direct), [])

    yield use
    manager.setFallbackProxyAndExcludes(*before)


@pytest.fixture(scope="module")
def quick_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The system's Python, whose "-m venv" copies an environment that it made once: pip and all else is the real thing."""
    folder = tmp_path_factory.mktemp("quick")
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", str(folder / "made")], check=True, timeout=120)
    copies = f'for last; do :; done; exec cp -a "{folder}/made" "$last"'
    script = f'#!/bin/sh\ncase "$*" in *"-m venv "*) {copies};; esac\nexec {SYSTEM_PYTHON} "$@"\n'
    return program(folder / "quick-python3", script)


class Person:
    """Sits before the dialog."""

    def __init__(self, qtbot: Any, builder: EnvironmentBuilder) -> None:
        self.qtbot = qtbot
        self.builder = builder
        self.dialog = SetupDialog(builder, lambda: True)
        qtbot.addWidget(self.dialog)
        self.dialog.show()
        qtbot.waitUntil(self.dialog.choices.ready, timeout=15_000)

    def take(self, python: Path) -> None:
        """Choose another Python."""
        self.dialog.choices.look(str(python))
        self.qtbot.waitUntil(lambda: self.dialog.choices.python() == str(python), timeout=15_000)

    def build(self) -> str:
        """Click, wait, and read what is shown."""
        with self.qtbot.waitSignal(self.builder.done, timeout=BUILD_MS):
            self.dialog.build_button.click()
        progress = self.dialog.progress
        assert not progress.bar.isVisible()
        assert not self.dialog.stop_button.isVisible()
        return " ".join(each.text() for each in (progress.sentence, progress.hint) if each.isVisible())


@pytest.fixture
def person(qtbot: Any, qgis_app: Any, target: Path) -> Person:
    return Person(qtbot, EnvironmentBuilder())


def built(target: Path) -> bool:
    return environment.check(target).ok and bool(list(target.glob("lib/python3.*/site-packages/tinything.py")))


def from_folder(person: Person, folder: Path) -> None:
    person.dialog.choices.from_folder.setChecked(True)
    person.dialog.choices.folder.setFilePath(str(folder))


def test_no_network_then_a_folder_of_wheels(
    person: Person, target: Path, wheels: Wheels, tmp_path: Path, quick_python: Path
) -> None:
    """No machine knows the name of the index, and there is no proxy."""
    person.take(quick_python)
    said = person.build()
    assert "The package index cannot be reached." in said
    assert "folder of wheels" in said
    assert person.builder.error is not None and person.builder.error.kind == "network"
    assert not target.exists()
    assert person.dialog.build_button.text() == "Try again"
    empty = tmp_path / "empty"
    empty.mkdir()
    from_folder(person, empty)
    assert "holds no wheels" in person.build()
    from_folder(person, wheels.folder)
    assert "is ready" in person.build()
    assert built(target)
    assert not person.dialog.progress.sign.isVisible()


def test_a_proxy_that_refuses_one_that_wants_a_password_and_one_that_is_gone(
    person: Person, target: Path, wheels: Wheels, authority: tuple[Path, Path], qgis_network: Any, quick_python: Path
) -> None:
    person.take(quick_python)
    ca, certificate = authority
    word = b64encode(b"anna:Zaunkoenig-p4ss%").decode()
    proxy = Proxy(
        index_of(wheels.folder), certificate=certificate, refuses="403 Forbidden", credentials=f"Basic {word}"
    )
    gone = Proxy(index_of(wheels.folder))
    gone.close()
    qgis_network(gone.port)
    assert "The proxy does not answer, or refuses" in person.build()
    qgis_network(proxy.port)
    said = person.build()
    assert "user name and a password" in said and "Options > Network" in said
    qgis_network(proxy.port, "anna", "Zaunkoenig-p4ss%")
    said = person.build()
    assert "The proxy does not answer, or refuses" in said and "Options > Network" in said
    proxy.refuses = ""
    with trusted(ca):
        assert "is ready" in person.build()
    assert built(target)
    shown = person.dialog.progress.log.toPlainText() + "\n".join(person.builder.log)
    assert "Zaunkoenig" not in shown and "tinything" in shown
    proxy.close()


class trusted:  # noqa: N801
    """QGIS trusts a CA for the length of the block, as after Options > Authentication > Manage certificates."""

    def __init__(self, ca: Path) -> None:
        self.certificate = QSslCertificate(ca.read_bytes())

    def __enter__(self) -> None:
        manager = QgsApplication.authManager()
        assert manager.storeCertAuthority(self.certificate)
        manager.initSslCaches()

    def __exit__(self, *_error: object) -> None:
        manager = QgsApplication.authManager()
        manager.removeCertAuthority(self.certificate)
        manager.initSslCaches()


def test_b14_a_proxy_that_looks_into_tls(
    person: Person, target: Path, wheels: Wheels, authority: tuple[Path, Path], qgis_network: Any, quick_python: Path
) -> None:
    person.take(quick_python)
    ca, certificate = authority
    proxy = Proxy(index_of(wheels.folder), certificate=certificate)
    qgis_network(proxy.port)
    said = person.build()
    assert "certificate that is not trusted" in said
    assert "Options > Authentication" in said
    assert person.builder.error is not None and person.builder.error.kind == "certificate"
    with trusted(ca):
        assert "is ready" in person.build()
    assert built(target)
    assert any("tinything-1.0-py3-none-any.whl" in each for each in proxy.asked)
    proxy.close()


def test_b10_b11_a_broken_python(person: Person, target: Path, wheels: Wheels, tmp_path: Path, qtbot: Any) -> None:
    """One that does not run, one that is too old, and one that breaks when it shall make the environment."""
    choices = person.dialog.choices
    for name, script, why in (
        ("python-broken", "#!/bin/sh\nexit 3\n", "does not run"),
        ("python-old", "#!/bin/sh\necho python 3 8 10\necho complete\n", "it is Python 3.8.10"),
        ("python-bare", "#!/bin/sh\necho python 3 12 1\necho \"No module named 'ensurepip'\"\nexit 1\n", "ensurepip"),
        ("qgis-bin", "#!/bin/sh\necho python 3 12 1\necho complete\n", "this is QGIS itself"),
    ):
        choices.look(str(program(tmp_path / name, script)))
        qtbot.waitUntil(lambda why=why: why in choices.python_note.text(), timeout=10_000)
        assert str(tmp_path / name) in choices.python_note.text()
        assert choices.python() != str(tmp_path / name)
    breaks = program(
        tmp_path / "python-breaks",
        f'#!/bin/sh\ncase "$*" in *venv\\ /*) echo boom; exit 4;; esac\nexec {SYSTEM_PYTHON} "$@"\n',
    )
    person.take(breaks)
    from_folder(person, wheels.folder)
    said = person.build()
    assert "The Python environment could not be made." in said and "another Python" in said
    assert "boom" in person.dialog.progress.log.toPlainText()
    choices.python_list.setCurrentIndex(0)
    assert "is ready" in person.build()
    assert built(target)


def program(path: Path, script: str) -> Path:
    path.write_text(script)
    path.chmod(0o755)
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB."""
    disk = tmp_path / "空 格"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a small disk can be mounted by root only")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk(small_disk: Path, person: Person, target: Path, wheels: Wheels, monkeypatch: Any) -> None:
    """Said before anything is written; and where another program fills it meanwhile, by what pip or venv meets."""
    from_folder(person, wheels.folder)
    said = person.build()
    assert "4 MB free" in said and "Make room" in said
    monkeypatch.setattr(environment_build, "NEEDED_BYTES", 0)
    said = person.build()
    assert "Make room" in said and person.builder.error is not None and person.builder.error.kind == "disk"
    assert not target.exists()
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    assert "is ready" in person.build()
    assert built(target)


def test_an_interrupted_build(person: Person, target: Path, wheels: Wheels, qtbot: Any) -> None:
    """QGIS was killed in the middle of a build: the next start says so, and the next try works. Then Stop, and again."""
    target.parent.mkdir(parents=True)
    script = (
        "import sys; from pathlib import Path; from qgis_agent import environment\n"
        f"environment.LOCK_PATH = Path({str(wheels.lock)!r})\n"
        f"environment.main(['build', '--target', {str(target)!r}, '--python', {SYSTEM_PYTHON!r}, "
        f"'--wheels', {str(wheels.folder)!r}])\n"
    )
    killed = subprocess.Popen([sys.executable, "-c", script], cwd=REPO, stderr=subprocess.DEVNULL)
    qtbot.waitUntil(lambda: environment.python_of(target).exists(), timeout=20_000)
    killed.kill()
    killed.wait()
    report = environment.check(target)
    assert not report.ok and "not built to its end. Build it again." in report.message
    from_folder(person, wheels.folder)
    with qtbot.waitSignal(person.builder.done, timeout=BUILD_MS):
        person.dialog.build_button.click()
        qtbot.waitUntil(lambda: bool(person.builder.log), timeout=10_000)
        assert person.dialog.stop_button.isVisible()
        began = time.monotonic()
        person.dialog.stop_button.click()
    assert time.monotonic() - began < 6
    assert "The build was stopped." in person.dialog.progress.sentence.text()
    assert "is ready" in person.build()
    assert built(target)


def test_everything_lies_in_a_folder_with_spaces_and_no_ascii(
    person: Person, target: Path, wheels: Wheels, tmp_path: Path, qtbot: Any
) -> None:
    """The environment, the wheels and the Python that makes it; then all of it is removed again."""
    place = tmp_path / "空 格 ünï"
    shutil.copytree(wheels.folder, place / "wheels")
    python = program(place / "python3", f'#!/bin/sh\nexec {SYSTEM_PYTHON} "$@"\n')
    person.take(python)
    from_folder(person, place / "wheels")
    assert "is ready" in person.build()
    assert built(target) and "空 格" in str(target)
    with qtbot.waitSignal(person.builder.done, timeout=BUILD_MS):
        person.builder.remove()
    assert "was removed" in person.dialog.progress.sentence.text()
    assert [each.name for each in target.parent.iterdir()] == []


def test_a_folder_that_is_no_environment_is_never_deleted(person: Person, target: Path, wheels: Wheels) -> None:
    """QGIS_AGENT_ENV can name any folder."""
    target.mkdir(parents=True)
    (target / "thesis.odt").write_text("three years of work")
    from_folder(person, wheels.folder)
    said = person.build()
    assert "thesis.odt" in said and "QGIS_AGENT_ENV" in said
    with pytest.raises(environment.EnvironmentBuildError, match=r"thesis\.odt"):
        environment.remove(target)
    assert (target / "thesis.odt").read_text() == "three years of work"


def test_the_variables_of_qgis_s_network(target: Path, qgis_network: Any, authority: tuple[Path, Path]) -> None:
    ca, _certificate = authority
    base = {"PATH": "/bin", "https_proxy": "http://old:1", "NO_PROXY": "intra.example"}
    assert network_variables(base)["https_proxy"] == "http://old:1"
    qgis_network(3128, "anna@org", "p:ss/wörd-17", ("http://10.0.0.5/wms", "https://192.168."))
    with trusted(ca):
        variables = network_variables(base)
    assert (
        variables["HTTPS_PROXY"] == variables["HTTP_PROXY"] == "http://anna%40org:p%3Ass%2Fw%C3%B6rd-17@127.0.0.1:3128"
    )
    assert "https_proxy" not in variables
    assert variables["NO_PROXY"].split(",") == ["intra.example", "10.0.0.5", "localhost", "127.0.0.1", "::1"]
    assert variables["SSL_CERT_FILE"] == str(bundle_path())
    body = "".join(ca.read_text().split("-----")[2].split())
    assert body in "".join(bundle_path().read_text().split())
    assert network_words() == ["Through QGIS's proxy 127.0.0.1:3128."]
    network_variables(base)
    assert body not in "".join(bundle_path().read_text().split()), "no longer trusted, no longer there"
