"""Reads from a source, without running it, what it uses of Qt and of QGIS: dotted names, attributes, calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPO = Path(__file__).resolve().parents[2]
PACKAGE = REPO / "qgis_agent"


class Use(NamedTuple):
    """``module.names[0].names[1]…`` in a line of a source: ("qgis.PyQt.QtCore", ("Qt", "Key", "Key_Up"))."""

    line: int
    module: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"line {self.line}: {'.'.join(self.names)} of {self.module}"


def qgis_side() -> list[Path]:
    """The sources that run inside QGIS."""
    inside = [each for each in sorted(PACKAGE.rglob("*.py")) if each.relative_to(PACKAGE).parts[0] != "agent"]
    return [REPO / "__init__.py", *inside]


def parsed(text: str) -> ast.Module:
    """The tree of a source."""
    return ast.parse(text)


def imports(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Each import: line, module, and the name that is taken from it ("" for a module as a whole)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name, "") for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.lineno, node.module or "", each.name) for each in node.names)


def uses(tree: ast.AST, package: str) -> list[Use]:
    """The longest dotted names that begin with something imported from a module of ``package``."""
    roots = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and _within(node.module, package):
            roots.update({each.asname or each.name: (node.module or "", each.name) for each in node.names})
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner:
            names = dotted(node)
            if names and names[0] in roots:
                module, first = roots[names[0]]
                found.append(Use(node.lineno, module, (first, *names[1:])))
    # A call ends a dotted name: "QColor.fromHsl(…).name" is two, of which the first is asked about.
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) in inner and dotted(node.func)[:1] and dotted(node.func)[0] in roots:
            module, first = roots[dotted(node.func)[0]]
            found.append(Use(node.lineno, module, (first, *dotted(node.func)[1:])))
    return sorted(set(found))


def dotted(node: ast.AST) -> tuple[str, ...]:
    """("Qt", "Key", "Key_Up") of Qt.Key.Key_Up; () for what is no dotted name."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return (*before, node.attr) if before else ()
    return ()


def _within(module: str | None, package: str) -> bool:
    return module == package or (module or "").startswith(package + ".")
