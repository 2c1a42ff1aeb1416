"""What an address says of itself, without asking any name server."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_local(address: str) -> bool:
    """Whether an address is on this machine or a private network."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def is_web_address(address: str) -> bool:
    """Whether this is an http or https address with a host."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is none
        return False
