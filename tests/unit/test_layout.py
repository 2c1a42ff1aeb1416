"""The rules of the code's structure, read from the sources themselves (design section 2)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
CODE = REPO / "qgis_agent"
AGENT = CODE / "agent"
BRIDGE = CODE / "bridge"
MAX_LINES = 600

SOURCES = sorted(CODE.rglob("*.py"))
QGIS_SIDE = [path for path in SOURCES if AGENT not in path.parents]
NO_WIDGETS = [path for path in SOURCES if path.relative_to(CODE).parts[0] in ("gis", "processing")]

WIDGET_MODULES = ("qgis.PyQt.QtWidgets", "qgis.gui")
SHIPPED_WITH_QGIS = ("qgis", "numpy", "osgeo", "processing")
"""``processing`` is QGIS's own plugin; numpy and osgeo come with every QGIS."""

AGENT_PACKAGES = (
    "litellm",
    "pydantic",
    "jsonschema",
    "shapely",
    "pyproj",
    "mcp",
    "rapidfuzz",
    "pypinyin",
    "opencc",
    "httpx",
    "redis",
    "mcp_types",  # these four come with mcp, which is what they serve
    "anyio",
    "uvicorn",
    "h11",
)


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a source."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def where(path: Path, node: ast.AST) -> str:
    """``file:line``."""
    return f"{path.relative_to(REPO)}:{getattr(node, 'lineno', 0)}"


def imports(path: Path) -> Iterator[tuple[ast.stmt, int, str]]:
    """Each import of a source, inside functions as well: its node, level of dots, and dotted name with what it takes."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, 0, alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node, node.level, ".".join(part for part in (node.module or "", alias.name) if part)


def resolved(path: Path, level: int, name: str) -> str:
    """The dotted name of what a relative import takes, from the repository's root."""
    if level == 0:
        return name
    package = path.relative_to(REPO).parent.parts
    return ".".join((*package[: len(package) - level + 1], name))


def within(name: str, modules: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of the modules or lies in one."""
    return any(name == module or name.startswith(module + ".") for module in modules)


def test_there_is_something_to_check() -> None:
    assert len(SOURCES) > 40
    assert BRIDGE / "messages.py" in SOURCES
    assert len(NO_WIDGETS) > 10


def test_the_checks_see_what_they_look_for(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text(
        "def f():\n    from qgis.PyQt.QtWidgets import QLabel\n    import litellm.types\n", encoding="utf-8"
    )
    assert [name for _, _, name in imports(source)] == ["qgis.PyQt.QtWidgets.QLabel", "litellm.types"]
    assert within("qgis.PyQt.QtWidgets.QLabel", WIDGET_MODULES)
    assert not within("qgis.guide", WIDGET_MODULES)
    assert resolved(CODE / "gis" / "tools" / "x.py", 3, "bridge.peer") == "qgis_agent.bridge.peer"
    assert resolved(CODE / "gis" / "tools" / "x.py", 1, "y") == "qgis_agent.gis.tools.y"


def test_the_qgis_side_uses_only_what_every_qgis_has() -> None:
    allowed = set(sys.stdlib_module_names) | set(SHIPPED_WITH_QGIS)
    wrong = [
        f"{where(path, node)} {name}"
        for path in QGIS_SIDE
        for node, level, name in imports(path)
        if level == 0 and name.split(".")[0] not in allowed
    ]
    assert not wrong


def test_the_qgis_side_takes_nothing_from_the_agent_side() -> None:
    wrong = [
        f"{where(path, node)} {name}"
        for path in QGIS_SIDE
        for node, level, name in imports(path)
        if within(resolved(path, level, name), ("qgis_agent.agent",))
    ]
    assert not wrong


def test_the_agent_side_knows_no_qgis() -> None:
    forbidden = (
        "qgis", "osgeo", "processing", "PyQt5", "PyQt6", "numpy",
        "qgis_agent.gis", "qgis_agent.gui", "qgis_agent.processing", "qgis_agent.plugin", "qgis_agent.environment",
    )  # fmt: skip
    allowed = set(sys.stdlib_module_names) | set(AGENT_PACKAGES) | {"qgis_agent"}
    for path in AGENT.rglob("*.py"):
        for node, level, name in imports(path):
            full = resolved(path, level, name)
            assert not within(full, forbidden), f"{where(path, node)} imports {full}"
            assert full.split(".")[0] in allowed, f"{where(path, node)} imports {full}, which is not in the lock"


def test_the_bridge_is_standard_library_only() -> None:
    for path in BRIDGE.rglob("*.py"):
        for node, level, name in imports(path):
            full = resolved(path, level, name)
            good = full.split(".")[0] in sys.stdlib_module_names or within(full, ("qgis_agent.bridge",))
            assert good, f"{where(path, node)} imports {full}"


def test_gis_and_processing_use_no_widgets() -> None:
    wrong = [
        f"{where(path, node)} {name}"
        for path in NO_WIDGETS
        for node, level, name in imports(path)
        if within(resolved(path, level, name), (*WIDGET_MODULES, "qgis_agent.gui"))
    ]
    assert not wrong


def test_qt_is_reached_through_qgis_only() -> None:
    wrong = [
        f"{where(path, node)} {name}"
        for path in SOURCES
        for node, level, name in imports(path)
        if level == 0 and within(name, ("PyQt5", "PyQt6", "PySide2", "PySide6"))
    ]
    assert not wrong


def test_imports_inside_the_package_are_relative() -> None:
    """The package has two names: ``qgis_agent`` here, ``<plugin folder>.qgis_agent`` in QGIS."""
    wrong = [
        where(path, node)
        for path in SOURCES
        for node, level, name in imports(path)
        if level == 0 and name.split(".")[0] == "qgis_agent" and path != AGENT / "__main__.py"
    ]
    assert not wrong


@pytest.mark.parametrize("path", QGIS_SIDE, ids=lambda path: str(path.relative_to(CODE)))
def test_the_qgis_side_is_python_3_9(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    parsed = ast.parse(source, str(path), feature_version=(3, 9))
    # The parser takes some newer syntax whatever version it is told.
    for node in ast.walk(parsed):
        assert not isinstance(node, (ast.Match, ast.TryStar)), f"{where(path, node)}: syntax of a newer Python"
    has_annotations = any(isinstance(node, (ast.AnnAssign, ast.FunctionDef)) for node in ast.walk(parsed))
    lazy = "from __future__ import annotations" in source
    assert lazy or not has_annotations, f"{path.relative_to(REPO)}: needs 'from __future__ import annotations'"
    unions = [where(path, node) for node in evaluated_unions(parsed)]
    assert not unions, f"'X | Y' of types does not run in Python 3.9: {unions}"


TYPE_NAMES = ("str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "Path", "Any")


def evaluated_unions(parsed: ast.Module) -> list[ast.BinOp]:
    """``str | None`` where it is evaluated, so not in annotations."""
    annotations: set[int] = set()
    for node in ast.walk(parsed):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                annotations.update(id(each) for each in ast.walk(part))
    found = []
    for node in ast.walk(parsed):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and id(node) not in annotations:
            parts = [part.value if isinstance(part, ast.Subscript) else part for part in (node.left, node.right)]
            none = any(isinstance(part, ast.Constant) and part.value is None for part in parts)
            if none or any(isinstance(part, ast.Name) and part.id in TYPE_NAMES for part in parts):
                found.append(node)
    return found


def test_unions_are_told_from_flags() -> None:
    source = (
        "def f(a: str | None) -> int | str:\n    b: int | None = x | y\nC = str | None\nD = dict[str, int] | list\n"
    )
    assert [node.lineno for node in evaluated_unions(ast.parse(source))] == [3, 4]


def test_no_file_is_longer_than_600_lines() -> None:
    places = [*SOURCES, *(REPO / "tests").rglob("*.py"), *(REPO / "scripts").rglob("*.py")]
    long = {str(path.relative_to(REPO)): n for path in places if (n := path.read_text("utf-8").count("\n")) > MAX_LINES}
    assert not long


FORBIDDEN_CALLS = {"exec", "eval", "compile", "__import__"}
FORBIDDEN_MODULES = ("pickle", "marshal", "shelve", "subprocess", "telnetlib", "ftplib", "xml.etree", "xml.sax")


def forbidden_code(path: Path) -> Iterator[str]:
    """What the plugin site's scanners hold a plugin back for, seen without them."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Assert):
            yield f"{where(path, node)} assert"
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
                yield f"{where(path, node)} {node.func.id}()"
            if isinstance(node.func, ast.Attribute) and node.func.attr == "exec_":
                yield f"{where(path, node)} exec_()"
            if any(word.arg == "shell" and not _is_false(word.value) for word in node.keywords):
                yield f"{where(path, node)} shell="
        elif isinstance(node, ast.ExceptHandler):
            if node.type is None:
                yield f"{where(path, node)} bare except"
            if len(node.body) == 1 and isinstance(node.body[0], ast.Pass) and _is_broad(node.type):
                yield f"{where(path, node)} except Exception: pass"
    for node, level, name in imports(path):
        if level == 0 and within(name, FORBIDDEN_MODULES):
            yield f"{where(path, node)} import {name}"


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _is_broad(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id in ("Exception", "BaseException")


def test_nothing_is_used_that_the_plugin_site_refuses() -> None:
    assert not [line for path in SOURCES for line in forbidden_code(path)]


def test_what_the_site_refuses_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "REPO", tmp_path)
    bad = tmp_path / "bad.py"
    bad.write_text(
        "import pickle\nassert 1\neval('1')\nd.exec_()\nrun(shell=True)\n"
        "try:\n    f()\nexcept Exception:\n    pass\nrun(shell=False)\n",
        encoding="utf-8",
    )
    seen = sorted(line.split(" ", 1)[1] for line in forbidden_code(bad))
    assert seen == ["assert", "eval()", "except Exception: pass", "exec_()", "import pickle", "shell="]


UNSCOPED = re.compile(
    r"\bQt\.(Align(Left|Right|Center|HCenter|VCenter|Top|Bottom)|UserRole|DisplayRole|Checked|Unchecked|Horizontal|Vertical|"
    r"(Left|Right|Bottom|Top)DockWidgetArea|WaitCursor|Key_\w+|(No|Control|Shift|Alt|Meta)Modifier|NoFocus|StrongFocus|"
    r"(Left|Right|Middle)Button|WA_\w+|Popup|Tool|Dialog|QueuedConnection|DirectConnection|PlainText|RichText|MarkdownText|"
    r"TextSelectableByMouse|NoPen|SolidLine|ItemIs\w+|KeepAspectRatio|SmoothTransformation|ISODate|transparent|white|black)\b"
    r"|\bQProcess\.(NotRunning|Running|Starting|MergedChannels|NormalExit|CrashExit|FailedToStart|UnknownError)\b"
    r"|\bQSizePolicy\.(Expanding|Preferred|Minimum|Maximum|Fixed|Ignored|MinimumExpanding)\b"
    r"|\bQEvent\.(KeyPress|PaletteChange|StyleChange|FocusIn|FocusOut|Resize|Wheel|Show|Hide)\b"
    r"|\bQMessageBox\.(Yes|No|Ok|Cancel|Close)\b|\bQDialogButtonBox\.(Ok|Cancel|Close|Apply)\b"
    r"|\bQFrame\.(NoFrame|StyledPanel|HLine|VLine|Box|Plain|Sunken|Raised)\b"
    r"|\bQgis\.(Info|Warning|Critical|Success)\b|\bQVariant\.(String|Int|Double|LongLong|Bool|Date|DateTime|Type)\b"
    r"|\bQgsProcessing\.Type(Vector|Raster|Map)\w*\b|\bQgsTask\.CanCancel\b"
)
"""Enumerators that PyQt6 has only inside their class (Qt.AlignmentFlag.AlignLeft), as far as they are common."""


def test_enumerators_are_fully_scoped() -> None:
    """The same source has to run in QGIS 3 (Qt 5) and QGIS 4 (Qt 6)."""
    assert UNSCOPED.search("x = Qt.AlignLeft")
    assert not UNSCOPED.search("x = Qt.AlignmentFlag.AlignLeft")
    wrong = [
        f"{path.relative_to(REPO)}:{number} {line.strip()}"
        for path in QGIS_SIDE
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNSCOPED.search(line)
    ]
    assert not wrong


def test_no_file_names_this_machine_or_a_package_registry() -> None:
    """Whoever clones the repository has another machine and another index: no index option, no address of files."""
    repo = re.escape(str(REPO)) if len(REPO.parts) > 2 else "a path of this checkout"
    index = (
        r"--(extra-)?index-url\s+\S|--find-links\s+/|https?://[^\s\"']+\.(whl|tar\.gz|zip)|https?://[^\s\"']+/simple"
    )
    pattern = re.compile(f"{repo}|{index}", re.IGNORECASE)
    assert pattern.search("--index-url https://example.org/simple")
    places = [
        *SOURCES,
        *(REPO / "scripts").iterdir(),
        *(REPO / "resources").glob("*.*"),
        REPO / "Makefile",
        REPO / "README.md",
    ]
    wrong = []
    for path in [*places, REPO / "pyproject.toml", REPO / ".ci" / "run", REPO / "metadata.txt"]:
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            wrong += [f"{path.relative_to(REPO)}:{n}" for n, line in enumerate(lines, 1) if pattern.search(line)]
    assert not wrong


def test_tests_have_no_init_file() -> None:
    """A package named tests would break collection when the clone's folder is itself called qgis_agent."""
    assert not list((REPO / "tests").rglob("__init__.py"))


def test_the_translation_calls_take_literals() -> None:
    """pylupdate reads the source: a variable or an f-string inside ``translate`` would never be translated."""
    wrong = []
    for path in QGIS_SIDE:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("translate", "QCoreApplication.translate"):
                texts = [each.value if isinstance(each, ast.Constant) else None for each in node.args[:2]]
                if len(texts) < 2 or texts[0] != "QgisAgent" or not isinstance(texts[1], str):
                    wrong.append(where(path, node))
    assert not wrong
