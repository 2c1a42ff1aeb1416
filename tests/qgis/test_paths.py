"""The path guard: what a text leads to on the disk decides, and no form of it leads outside the allowed folders.

Expected outcomes are written down by hand for each form; whether a file was reached is seen by its content, a canary.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsApplication, QgsProject, QgsVectorLayer

from qgis_agent.gis import path_rules
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.paths import PathPolicy
from qgis_agent.gis.rules import set_added_folders

CANARY = "canary-of-a-file-outside"


class World:
    """A project folder with a file in it, and a file outside."""

    def __init__(self, folder: Path) -> None:
        self.inside = folder / "project"
        self.outside = folder / "outside"
        (self.inside / "data").mkdir(parents=True)
        self.outside.mkdir()
        (self.inside / "a.csv").write_text("x\n1\n")
        (self.inside / "data" / "b.csv").write_text("x\n1\n")
        (self.outside / "secret.csv").write_text(CANARY)
        self.project = QgsProject.instance()
        assert self.project.write(str(self.inside / "p.qgs"))
        self.policy = PathPolicy(self.project)

    def code(self, text: str, ask: str = "readable") -> str:
        """What the guard says of a text; "" when it lets it pass. What passes must be inside."""
        try:
            found = getattr(self.policy, ask)(text)
        except ToolError as error:
            assert error.envelope["hint"], error.envelope
            assert CANARY not in str(error.envelope)
            return str(error.envelope["code"])
        assert self.inside.resolve() in found.parents, found
        if found.is_file():
            assert CANARY not in found.read_text()
        return ""


@pytest.fixture
def world(bench: Bench) -> World:
    """On the bench's empty project."""
    return World(bench.folder)


INSIDE = ["a.csv", "./a.csv", "data/b.csv", "data/../a.csv", "data//b.csv", "{inside}/a.csv", "{inside}/data/./b.csv"]


@pytest.mark.parametrize("text", INSIDE)
def test_what_may_be_read(world: World, text: str) -> None:
    """Relative paths start in the project's folder."""
    assert world.code(text.format(inside=world.inside)) == ""


OUTSIDE = [
    ("{outside}/secret.csv", "FORBIDDEN"),
    ("../outside/secret.csv", "FORBIDDEN"),
    ("data/../../outside/secret.csv", "FORBIDDEN"),
    ("{inside}/../outside/secret.csv", "FORBIDDEN"),
    ("{inside}x/secret.csv", "FORBIDDEN"),
    ("/etc/passwd", "FORBIDDEN"),
    ("/", "FORBIDDEN"),
    ("..", "FORBIDDEN"),
    ("~/.ssh/id_rsa", "FORBIDDEN"),
    ("/proc/self/environ", "FORBIDDEN"),
    ("/dev/stdin", "FORBIDDEN"),
    ("", "INVALID_PARAM"),
    ("   ", "INVALID_PARAM"),
    ("a.csv\0.png", "INVALID_PARAM"),
    ("<VRTDataset/>", "INVALID_PARAM"),
    ("  <OGRVRTDataSource/>", "INVALID_PARAM"),
    ('{{"type":"FeatureCollection"}}', "INVALID_PARAM"),
    ("/vsicurl/http://127.0.0.1/a.csv", "FORBIDDEN"),
    ("/vsizip/{outside}/x.zip/secret.csv", "FORBIDDEN"),
    ("/vsistdin/", "FORBIDDEN"),
    ("/VSICURL/http://127.0.0.1/a.csv", "FORBIDDEN"),
    (" /vsimem/x", "FORBIDDEN"),
    ("//vsicurl/http://127.0.0.1/a.csv", "FORBIDDEN"),
    ("http://127.0.0.1/a.csv", "FORBIDDEN"),
    ("HTTPS://127.0.0.1/a.csv", "FORBIDDEN"),
    ("ftp://127.0.0.1/a.csv", "FORBIDDEN"),
    ("file:///etc/passwd", "FORBIDDEN"),
    ("file:a.csv", "FORBIDDEN"),
    ("PG:dbname=gis host=db", "FORBIDDEN"),
    ("postgresql://u:p@h/db", "FORBIDDEN"),
    ("MYSQL:db,host=h", "FORBIDDEN"),
    ("GPKG:{outside}/x.gpkg:t", "FORBIDDEN"),
    ("NETCDF:x.nc:v", "FORBIDDEN"),
    ("CSV:/etc/passwd", "FORBIDDEN"),
    ("\\\\server\\share\\a.csv", "FORBIDDEN"),
    ("//server/share/a.csv", "FORBIDDEN"),
    ("\\\\.\\PhysicalDrive0", "FORBIDDEN"),
    ("\\\\?\\C:\\a.csv", "FORBIDDEN"),
    ("C:a.csv", "INVALID_PARAM"),
    ("C:\\Users\\a.csv", "INVALID_PARAM"),
    ("c:/Users/a.csv", "INVALID_PARAM"),
    ("a" * 300, "INVALID_PARAM"),
    ("a/" * 2500, "INVALID_PARAM"),
    ("\ud800.csv", "INVALID_PARAM"),
]


@pytest.mark.parametrize(("text", "code"), OUTSIDE)
@pytest.mark.parametrize("ask", ["readable", "readable_folder", "writable"])
def test_what_may_not(world: World, text: str, code: str, ask: str) -> None:
    """In every form, for reading, listing and writing: refused with a hint; a text that is no path is no folder either."""
    if ask == "readable_folder" and not text.strip():
        return  # the project's own folder
    given = world.code(text.format(outside=world.outside, inside=world.inside), ask)
    assert given in (code, "INVALID_PARAM", "NOT_FOUND", "FORBIDDEN"), given
    if ask == "readable":
        assert given == code
    if code == "FORBIDDEN" and text != "..":  # which is no name for a new file in the first place
        assert given == code


def test_hostile_combinations(world: World) -> None:
    """Every prefix with every way up and every target: 1,800 texts; none reaches the file outside."""
    (world.inside / "link").symlink_to(world.outside)
    prefixes = [
        "",
        "./",
        "data/",
        "data/./",
        "link/",
        "link/../",
        "x/",
        "{inside}/",
        "{inside}/link/",
        "//",
        "\\",
        "file://",
    ]
    ups = [
        "",
        "../",
        "../../",
        "../outside/",
        "..//outside/",
        "..\\outside\\",
        "%2e%2e/outside/",
        "..%2foutside/",
        ".../",
        "..;/",
    ]
    targets = ["secret.csv", "secret.csv/", "secret.csv\0", "SECRET.CSV", "secret.csv.", "secret.csv ", "secret.csv::$DATA",
               "secret\u2024csv", "outside/secret.csv", "../outside/secret.csv", "link/secret.csv", "", ".",
               "p.qgs/../../outside/secret.csv",
               "a.csv/../../outside/secret.csv"]  # fmt: skip
    tried = 0
    for prefix, up, target in itertools.product(prefixes, ups, targets):
        text = (prefix + up + target).replace("{inside}", str(world.inside))
        world.code(text)
        world.code(text, "writable")
        tried += 1
    assert tried == len(prefixes) * len(ups) * len(targets) >= 1800
    assert sorted(each.name for each in world.outside.iterdir()) == ["secret.csv"]


def test_the_combinations_would_find_it(world: World) -> None:
    """The same check does fail where the guard is taken away: a file outside that passes is noticed."""
    world.policy = PathPolicy(world.project, read_roots=[os.sep])
    with pytest.raises(AssertionError):
        world.code(str(world.outside / "secret.csv"))


def test_links(world: World) -> None:
    """A link counts as what it leads to: outside, inside, nowhere, to itself, and a folder of the way."""
    (world.inside / "out.csv").symlink_to(world.outside / "secret.csv")
    (world.inside / "in.csv").symlink_to(world.inside / "data" / "b.csv")
    (world.inside / "gone.csv").symlink_to(world.inside / "nothing")
    (world.inside / "loop.csv").symlink_to(world.inside / "loop.csv")
    (world.inside / "dir").symlink_to(world.outside)
    assert world.code("out.csv") == "FORBIDDEN"
    assert world.code("in.csv") == ""
    assert world.policy.readable("in.csv") == (world.inside / "data" / "b.csv").resolve()
    assert world.code("gone.csv") == "NOT_FOUND"
    assert world.code("loop.csv") == "NOT_FOUND"
    assert world.code("dir/secret.csv") == "FORBIDDEN"
    assert world.code("dir/new.csv", "writable") == "FORBIDDEN"
    assert world.code("gone.csv", "writable") == "INVALID_PARAM"
    assert world.code("new.csv", "writable") == ""


def test_a_link_swapped_after_the_check_leads_nowhere(world: World) -> None:
    """What is opened is the real path that was checked, not the link."""
    (world.inside / "swap.csv").symlink_to(world.inside / "a.csv")
    checked = world.policy.readable("swap.csv")
    (world.inside / "swap.csv").unlink()
    (world.inside / "swap.csv").symlink_to(world.outside / "secret.csv")
    assert CANARY not in checked.read_text()
    roots = world.policy.readable_roots()
    with pytest.raises(ToolError):
        roots.require(str(world.inside / "swap.csv"))  # what the readers do once more when a dataset is open


def test_a_project_folder_that_is_a_link(bench: Bench) -> None:
    """The folder behind the link is the root; the link's neighbours are not."""
    world = World(bench.folder)
    (bench.folder / "elsewhere").mkdir()
    (bench.folder / "elsewhere" / "link").symlink_to(world.inside)
    (bench.folder / "elsewhere" / "c.csv").write_text(CANARY)
    assert world.project.read(str(bench.folder / "elsewhere" / "link" / "p.qgs"))
    world.policy = PathPolicy(world.project)
    assert world.code("a.csv") == ""
    assert world.code(str(world.inside / "a.csv")) == ""
    assert world.code(str(bench.folder / "elsewhere" / "c.csv")) == "FORBIDDEN"


PRIVATE = [
    ".ssh/id_rsa", ".ssh/config", ".SSH/known_hosts.csv", ".gnupg/secring.csv", ".aws/credentials", ".config/x/a.csv", ".git/config",
    "id_rsa", "id_ed25519.bak", "server.key", "Cert.PEM", ".env", ".env.local", ".netrc", ".pgpass", "pg_service.conf",
    "qgis-auth.db", "keys.kdbx", "sub/.docker/config.json",
]  # fmt: skip


@pytest.mark.parametrize("name", PRIVATE)
def test_private_places_are_in_no_folder(world: World, name: str) -> None:
    """Inside the project's folder, and where a person added the folder itself: neither read nor written."""
    path = world.inside / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CANARY)
    named = PathPolicy(world.project, write_roots=[str(path.parent)], read_roots=[str(path.parent)])
    for policy in (world.policy, named):
        world.policy = policy
        assert world.code(str(path)) == "FORBIDDEN"
        path.unlink()
        assert world.code(str(path), "writable") == "FORBIDDEN"
        path.write_text(CANARY)


def test_the_profile_of_qgis_is_private(bench: Bench, qgis_app: Any) -> None:
    """Keys, permissions, the audit log, plugins: whatever the roots are, also that of other profiles beside it."""
    profile = Path(QgsApplication.qgisSettingsDirPath())
    policy = PathPolicy(bench.host.project, write_roots=[str(profile), str(profile.parent)], read_roots=[str(profile)])
    for name in (
        "qgis-auth.db",
        "qgis_agent/permissions.json",
        "qgis_agent/audit/2026-01.jsonl",
        "python/a.csv",
        "../other/x.csv",
    ):
        for ask in ("readable", "writable"):
            with pytest.raises(ToolError) as caught:
                getattr(policy, ask)(str(profile / name))
            assert (caught.value.envelope["code"], caught.value.envelope["reason"]) == ("FORBIDDEN", "path_private")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, in which nothing is real."""
    made = tmp_path / "home" / "meier"
    for name in (".ssh", ".local/share/data", "Documents", "AppData/Roaming", "Library/Keychains"):
        (made / name).mkdir(parents=True)
        (made / name / "x.csv").write_text("x\n1\n")
    (made / "x.csv").write_text("x\n1\n")
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("USERPROFILE", str(made))
    return made


def reads(policy: PathPolicy, path: Path) -> bool:
    """Whether a file may be read."""
    try:
        policy.readable(str(path))
    except ToolError as error:
        assert error.envelope["code"] == "FORBIDDEN"
        return False
    return True


def test_a_project_at_home_opens_the_files_beside_it_only(bench: Bench, home: Path) -> None:
    """Decided: not the folders, which hold everything that a person has. Adding one of them is a click in the settings."""
    project = bench.host.project
    assert project.write(str(home / "p.qgs"))
    policy = PathPolicy(project)
    assert reads(policy, home / "x.csv")
    assert not any(
        reads(policy, home / each / "x.csv") for each in ("Documents", ".ssh", ".local/share/data", "AppData/Roaming")
    )
    assert policy.writable(str(home / "new.csv")) == (home / "new.csv").resolve()
    with pytest.raises(ToolError):
        policy.writable(str(home / "Documents" / "new.csv"))
    with_documents = PathPolicy(project, read_roots=[str(home / "Documents")])
    assert reads(with_documents, home / "Documents" / "x.csv")


def test_home_itself_added_by_a_person_keeps_its_hidden_folders_shut(bench: Bench, home: Path) -> None:
    """They open only where a person works inside one of them, and keys not even then."""
    policy = PathPolicy(bench.host.project, read_roots=[str(home)])
    assert reads(policy, home / "Documents" / "x.csv")
    assert not any(
        reads(policy, home / each / "x.csv")
        for each in (".ssh", ".local/share/data", "AppData/Roaming", "Library/Keychains")
    )
    inside = PathPolicy(bench.host.project, read_roots=[str(home / ".local" / "share" / "data"), str(home / ".ssh")])
    assert reads(inside, home / ".local" / "share" / "data" / "x.csv")
    assert not reads(inside, home / ".ssh" / "x.csv")


def test_what_is_too_broad(home: Path) -> None:
    """The top of a disk, homes, what they lie in, and the folder for temporary files."""
    broad = [Path(os.sep), home, home.parent, Path(tempfile.gettempdir())]
    assert all(path_rules.is_broad(each) for each in broad)
    assert not any(path_rules.is_broad(each) for each in (home / "Documents", Path("/srv/gis")))


def test_a_layer_in_a_broad_folder_opens_its_neighbours_only(bench: Bench, home: Path) -> None:
    """A layer that lies at home itself says nothing of the folders there."""
    point = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}'
    (home / "here.geojson").write_text(f'{{"type":"FeatureCollection","features":[{point}]}}')
    layer = QgsVectorLayer(str(home / "here.geojson"), "here", "ogr")
    bench.add(layer)
    policy = PathPolicy(bench.host.project)
    assert reads(policy, home / "x.csv")
    assert not reads(policy, home / "Documents" / "x.csv")
    with pytest.raises(ToolError):
        policy.writable(str(home / "new.csv"))  # a layer's folder is for reading


def test_folders_that_the_person_added(world: World) -> None:
    """The settings' folders count at once: for reading, or for both."""
    target = str(world.outside / "secret.csv")
    try:
        assert not reads(world.policy, Path(target))
        set_added_folders("read", [str(world.outside)])
        assert reads(world.policy, Path(target))
        with pytest.raises(ToolError):
            world.policy.writable(str(world.outside / "new.csv"))
        set_added_folders("write", [str(world.outside)])
        assert world.policy.writable(str(world.outside / "new.csv")).parent == world.outside.resolve()
    finally:
        set_added_folders("read", [])
        set_added_folders("write", [])
    assert not reads(world.policy, Path(target))


def test_what_the_person_excluded_is_not_there(world: World) -> None:
    """An excluded folder: refused in the words of a folder outside, in no list and no hint, nor written to."""
    layer = memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "kept")
    world.project.addMapLayer(layer)
    world.policy._scope.set([], {}, [str(world.inside / "data")])
    assert world.code("data/b.csv") == "FORBIDDEN"
    assert world.code("data/new.csv", "writable") == "FORBIDDEN"
    assert world.code("data", "readable_folder") == "FORBIDDEN"
    assert world.code("a.csv") == ""
    with pytest.raises(ToolError):
        world.policy.readable_roots().require(str(world.inside / "data" / "b.csv"))
    with pytest.raises(ToolError) as caught:
        world.policy.readable_folder("dat")
    assert "data" not in caught.value.envelope["hint"]


def test_names_in_another_normal_form(world: World) -> None:
    """A file named in decomposed characters is found by composed ones, and the other way round."""
    composed, decomposed = (unicodedata.normalize(form, "Straße-é.csv") for form in ("NFC", "NFD"))
    assert composed != decomposed
    (world.inside / decomposed).write_text("x\n")
    assert world.policy.readable(composed).name == decomposed
    folder = world.inside / composed.replace(".csv", "")
    folder.mkdir()
    assert world.policy.readable_folder(decomposed.replace(".csv", "")) == folder.resolve()


def test_a_folder_with_two_names_is_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that takes two names for one folder (case, Unicode) says so by its identity: here one is made up."""
    real = Path(str(world.inside).upper()) / "a.csv"
    identity = path_rules._identity
    monkeypatch.setattr(
        path_rules,
        "_identity",
        lambda path: identity(Path(str(path).replace(str(world.inside).upper(), str(world.inside)))),
    )
    assert path_rules.covering(real, [path_rules.Root(world.inside, True)]) == world.inside
    assert path_rules.covering(world.outside / "secret.csv", [path_rules.Root(world.inside, True)]) is None


WINDOWS = [
    ("C:a.csv", True), ("C:", True), ("C:\\a.csv", False), ("C:/a.csv", False), ("z:\\data\\a.csv", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "relative"), WINDOWS)
def test_drives_of_windows(text: str, relative: bool) -> None:
    """A drive's current folder may be anywhere; on other systems there are no drives."""
    assert path_rules.on_a_drive(text, windows=True) is relative
    assert path_rules.on_a_drive(text, windows=False)


DEVICES = [
    "CON",
    "nul.csv",
    "data\\COM1",
    "data/lpt9.txt",
    "C:\\x\\AUX.csv",
    "a.csv:stream",
    "C:\\a.csv:$DATA",
    "conin$",
    "com¹",
]


@pytest.mark.parametrize("text", DEVICES)
def test_devices_and_streams_of_windows(text: str) -> None:
    """Not read there; elsewhere they are names like others."""
    assert path_rules.not_local(text, windows=True)


@pytest.mark.parametrize("text", ["C:\\data\\a.csv", "console.csv", "data\\compass.csv", "aux_layers\\b.csv", "a.csv"])
def test_plain_names_of_windows(text: str) -> None:
    """No false alarm."""
    assert not path_rules.not_local(text, windows=True)


def test_no_file_is_no_file(world: World) -> None:
    """A pipe and a folder are no files to read."""
    os.mkfifo(str(world.inside / "pipe.csv"))
    assert world.code("pipe.csv") == "NOT_FOUND"
    assert world.code("data") == "NOT_FOUND"
