"""Where results for MCP clients are kept: a SQLite file, or a Redis that several replicas of a server share.

Both keep the rows of a result as they were when it was made (a page is cut from that, so that pages stay stable while the data
changes) with what they came from: the tool, a digest of its arguments, the trace, and QGIS's word for the layers and fields.
Whether a client may still see that is asked of QGIS at each fetch (``kept.py``): a handle is a reference, not a permission.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from .kept import Pages
from .store_form import StoreError, Times

FILE_NAME = "mcp_results.sqlite"
REDIS_SCHEMES = frozenset(["redis", "rediss", "unix"])


def open_store(spec: str, records_dir: Path, times: Times | None = None) -> Pages:
    """The store that ``spec`` names: "sqlite" (a file in ``records_dir``), or a Redis by its URL. StoreError."""
    if spec == "sqlite":
        from .store_sqlite import SqlitePages

        return SqlitePages(records_dir / FILE_NAME, times or Times())
    if urlsplit(spec).scheme in REDIS_SCHEMES:
        from .store_redis import RedisPages

        return RedisPages(spec, times or Times())
    raise StoreError('a store of results is "sqlite" or the URL of a Redis')
