"""Passwords and keys out of texts of QGIS and GDAL, which print whole connections, before anybody reads them."""

from __future__ import annotations

import re

HIDDEN = "***"
_NAMED = re.compile(
    r"""(?i)((?:^|[^a-z])(?:password|passwd|pwd|authcfg|token|api_?key|access_?key|secret)\s*=\s*)('(?:[^'\\]|\\.)*'|"[^"]*"|[^\s'"&;,|]+)"""
)
_IN_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*://[^/\s:@'\"]+):[^/\s@'\"]+@")


def without_secrets(text: str) -> str:
    """``text`` with the values of passwords, keys and tokens replaced by ``***``."""
    return _IN_ADDRESS.sub(r"\1:" + HIDDEN + "@", _NAMED.sub(r"\1" + HIDDEN, text))
