"""QGIS's proxy and certificate authorities, as the variables that the agent's environment and its building go by.

QGIS keeps both for itself and sets no variables, so that no other program of a person behind a proxy reaches anything.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlsplit

from qgis.core import QgsApplication, QgsNetworkAccessManager
from qgis.PyQt.QtNetwork import QNetworkProxy

from ..environment import certifi_of
from .agent_process import private_folder
from .authorities import write_bundle
from .i18n import translate
from .secrets import know

BUNDLE_NAME = "authorities.pem"
LOCAL = ("localhost", "127.0.0.1", "::1")
"""A server of models on this computer is never behind a proxy."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_TYPES = QNetworkProxy.ProxyType


def network_variables(base: Mapping[str, str], certifi: Optional[Path] = None) -> Dict[str, str]:
    """``base`` (as a rule ``os.environ``) with QGIS's proxy, and one file of all authorities that QGIS trusts.

    Call it on the main thread: QGIS has one network manager a thread. ``certifi`` is a bundle that is added where it is
    there. Where QGIS has no proxy of its own, those of ``base`` stay. The proxy's password is hidden from now on wherever
    this process writes.
    """
    variables = dict(base)
    proxy = proxy_address()
    if proxy:
        excluded = _names(variables, "NO_PROXY")
        for name in [each for each in variables if each.upper() in _PROXIES]:
            del variables[name]  # the lower-case form would win
        variables["HTTP_PROXY"] = variables["HTTPS_PROXY"] = proxy
        hosts = [*excluded, *_direct_hosts(), *LOCAL]
        variables["NO_PROXY"] = ",".join(dict.fromkeys(hosts))
    bundle = write_bundle(bundle_path(), [_first(base, "SSL_CERT_FILE"), _first(base, "REQUESTS_CA_BUNDLE"), certifi])
    if bundle is not None:
        for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
            variables[name] = str(bundle)
    return variables


def variables_for(folder: Path) -> Dict[str, str]:
    """This process's variables with QGIS's network, for programs of the environment in ``folder``."""
    return network_variables(os.environ, certifi_of(folder))


def network_state(variables: Mapping[str, str]) -> Tuple[str, ...]:
    """What of ``variables`` a process goes by when it uses the network, and when the file of authorities was written."""
    names = (*_PROXIES, *(each.lower() for each in _PROXIES), "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    state = ["{}={}".format(each, variables[each]) for each in names if each in variables]
    bundle = bundle_path()
    if bundle.exists():
        state.append(str(bundle.stat().st_mtime_ns))
    return tuple(state)


def bundle_path() -> Path:
    """Where the file of authorities is written: beside the records, in the QGIS profile."""
    return private_folder(Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent") / BUNDLE_NAME


def proxy_address() -> str:
    """QGIS's proxy as an http address with its login in it, "" where it has none that other programs could use."""
    proxy = QgsNetworkAccessManager.instance().fallbackProxy()
    if proxy.type() not in (_TYPES.HttpProxy, _TYPES.HttpCachingProxy) or not proxy.hostName():
        return ""
    know(proxy.password())
    login = quote(proxy.user(), safe="")
    if proxy.password():
        login += ":" + quote(proxy.password(), safe="")
    return "http://{}{}:{}".format(login + "@" if login else "", _bracketed(proxy.hostName()), proxy.port() or 8080)


def network_words() -> List[str]:
    """What a person wants to know before something is fetched: which way it goes. Without user and password."""
    manager = QgsNetworkAccessManager.instance()
    proxy = manager.fallbackProxy()
    if proxy.type() == _TYPES.Socks5Proxy:
        text = translate(
            "QgisAgent",
            "QGIS uses the SOCKS proxy {}, which the agent cannot use. Take an HTTP proxy, or a folder of wheels.",
        )
        return [text.format(_place(proxy))]
    if proxy_address():
        return [translate("QgisAgent", "Through QGIS's proxy {}.").format(_place(proxy))]
    return []


def _place(proxy: QNetworkProxy) -> str:
    return "{}:{}".format(_bracketed(proxy.hostName()), proxy.port())


def _bracketed(host: str) -> str:
    return "[{}]".format(host) if ":" in host and not host.startswith("[") else host


def _direct_hosts() -> List[str]:
    """The hosts of addresses that QGIS fetches without its proxy. A piece of a host ("http://192.168.") cannot be said."""
    manager = QgsNetworkAccessManager.instance()
    found = []
    for address in [*manager.excludeList(), *manager.noProxyList()]:
        text = address.strip()
        try:
            host = urlsplit(text if "://" in text else "//" + text).hostname or ""
        except ValueError:
            continue
        if host and not host.endswith(".") and "," not in host:
            found.append(host)
    return found


def _names(variables: Mapping[str, str], name: str) -> List[str]:
    value = variables.get(name.lower()) or variables.get(name) or ""
    return [each.strip() for each in value.split(",") if each.strip()]


def _first(variables: Mapping[str, str], name: str) -> Optional[Path]:
    value = variables.get(name)
    return Path(value) if value else None
