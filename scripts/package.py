"""Builds ``build/qgis_agent.zip``, the file that is uploaded to the plugin site.

One folder at the top, ``qgis_agent``, with what a user needs and nothing else. The same sources give the same bytes.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build" / "qgis_agent.zip"
TOP = "qgis_agent"

FILES = ("metadata.txt", "LICENSE", "README.md", "__init__.py", "docs/mcp.md")
TREES = ("qgis_agent", "resources")
LEFT_OUT = (".pyc", ".pyo", ".in", ".part", "-wal", "-shm", ".aux.xml", "~")
"""Ends of names: bytecode, the source of the lock, and what QGIS and GDAL leave beside files that were opened."""

SITE_LIMIT_BYTES = 25_000_000
"""The plugin site takes no bigger zip."""


def contents(root: Path = ROOT) -> Iterator[Path]:
    """The files of the zip, relative to ``root``, in a fixed order. Raises FileNotFoundError when one of FILES is missing."""
    for name in FILES:
        if not (root / name).is_file():
            raise FileNotFoundError(root / name)
        yield Path(name)
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            inside = path.relative_to(root)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in inside.parts)
            if path.is_file() and not hidden and not path.name.endswith(LEFT_OUT):
                yield inside
    for path in sorted((root / "i18n").glob("*.qm")):
        yield path.relative_to(root)


def build(target: Path = TARGET, root: Path = ROOT) -> int:
    """Write the zip and return its size in bytes. Raises ValueError when the site would not take it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in contents(root):
            # A fixed date and mode: the same zip from every clone, and no file that counts as executable.
            info = zipfile.ZipInfo(f"{TOP}/{path.as_posix()}", date_time=(2026, 1, 1, 0, 0, 0))
            info.external_attr = 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, (root / path).read_bytes())
    size = target.stat().st_size
    if size > SITE_LIMIT_BYTES:
        raise ValueError(f"{target} has {size} bytes; the plugin site takes {SITE_LIMIT_BYTES}")
    return size


def main() -> int:
    """Build it and say so."""
    size = build()
    print(f"{TARGET.relative_to(ROOT)}: {size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
