"""What went wrong while the agent's environment was built, from what the programs said: a cause, and what a person can do."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Tuple

from qgis.PyQt.QtCore import QCoreApplication

translate = QCoreApplication.translate


class Cause(NamedTuple):
    """``kind`` is one word for programs; ``text`` says what is wrong, ``hint`` what to do about it."""

    kind: str
    text: str
    hint: str


def cause_of(lines: List[str]) -> Cause:
    """The cause of a failed step, from the lines that venv, pip or uv wrote. The first that fits, the surest first."""
    said = "\n".join(lines)
    for kind, pattern in _PATTERNS:
        if re.search(pattern, said, re.IGNORECASE):
            return Cause(kind, *_words(kind))
    return Cause("unknown", "", translate("QgisAgent", "Look at the log of the build, then try again."))


_PATTERNS: Tuple[Tuple[str, str], ...] = (
    ("hash", r"DO NOT MATCH THE HASHES|hash mismatch"),
    ("disk", r"No space left|Errno 28\b|WinError 112\b|Disk quota exceeded|Errno 122\b|File too large|Errno 27\b"),
    ("proxy_login", r"407 Proxy|Proxy Authentication Required|\b407\b.*proxy"),
    ("no_ssl", r"ssl module (?:in Python )?is not available|Can't connect to HTTPS URL because the SSL module"),
    (
        "certificate",
        r"CERTIFICATE_VERIFY_FAILED|SSLError|invalid peer certificate|unable to get local issuer|UnknownIssuer",
    ),
    ("proxy", r"ProxyError|Tunnel connection failed|Cannot connect to proxy|proxy connect|error.*tunnel"),
    ("long_path", r"path too long|WinError 206\b|filename or extension is too long"),
    (
        "network",
        r"ConnectTimeout|NewConnectionError|ReadTimeout|Temporary failure in name resolution|getaddrinfo|dns error"
        r"|Connection refused|Network is unreachable|No route to host|Connection reset|Connection aborted|RemoteDisconnected"
        r"|error sending request|timed out",
    ),
    ("server", r"\b(?:403|404|5\d\d) (?:Client|Server) Error|HTTP error (?:403|404|5\d\d)"),
    ("no_wheel", r"No matching distribution|no usable wheels|not a supported wheel|no wheels with a matching"),
    ("rights", r"Permission denied|Access is denied|WinError (?:5|32)\b|Errno 13\b|Read-only file system|Errno 30\b"),
)


def _words(kind: str) -> Tuple[str, str]:
    return {
        "hash": _hash,
        "disk": _disk,
        "proxy_login": _proxy_login,
        "no_ssl": _no_ssl,
        "certificate": _certificate,
        "proxy": _proxy,
        "long_path": _long_path,
        "network": _network,
        "server": _server,
        "no_wheel": _no_wheel,
        "rights": _rights,
    }[kind]()


def _hash() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "A downloaded package is not the one that was tested. Nothing was installed."),
        translate("QgisAgent", "Try again on another network, or install from a folder of wheels."),
    )


def _disk() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The disk is full."),
        translate("QgisAgent", "Make room on the disk (about 900 MB), then try again."),
    )


def _proxy_login() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The proxy wants a user name and a password."),
        translate("QgisAgent", "Enter them in QGIS's settings (Options > Network), then try again."),
    )


def _no_ssl() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "This Python cannot make secure connections: it has no ssl module."),
        translate("QgisAgent", "Choose another Python, then try again."),
    )


def _certificate() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The network answers with a certificate that is not trusted here."),
        translate(
            "QgisAgent",
            "If your organisation looks into secure connections, add its certificate authority in QGIS's settings "
            "(Options > Authentication > Manage certificates), then try again.",
        ),
    )


def _proxy() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The proxy does not answer, or refuses the connection."),
        translate("QgisAgent", "Check the proxy in QGIS's settings (Options > Network), then try again."),
    )


def _long_path() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The path is too long for Windows."),
        translate("QgisAgent", "Allow long paths, or name a short folder in the variable QGIS_AGENT_ENV."),
    )


def _network() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The package index cannot be reached."),
        translate(
            "QgisAgent",
            "Check the network and the proxy in QGIS's settings, then try again, or install from a folder of wheels.",
        ),
    )


def _server() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The package index refuses the request."),
        translate("QgisAgent", "Try again later, or install from a folder of wheels."),
    )


def _no_wheel() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "A package is missing for this machine or this Python."),
        translate("QgisAgent", "Choose a Python between 3.10 and 3.14, or a folder that holds all wheels."),
    )


def _rights() -> Tuple[str, str]:
    return (
        translate("QgisAgent", "The folder cannot be written to."),
        translate("QgisAgent", "Close every QGIS that uses the agent and check the folder's rights, then try again."),
    )
