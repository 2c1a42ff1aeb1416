"""One file of certificate authorities: those of the system, of QGIS's settings and of given files.

Python programs look at a bundle of their own and know neither an organisation's authority in the system's store nor the one
that a person gave QGIS.
"""

from __future__ import annotations

import os
import re
import ssl
import sys
from pathlib import Path
from typing import List, Optional, Sequence

from qgis.core import Qgis, QgsApplication, QgsAuthCertUtils
from qgis.PyQt.QtNetwork import QSslConfiguration

from .i18n import translate
from .secrets import log

_WARNING = Qgis.MessageLevel.Warning
_BLOCK = re.compile(r"-----BEGIN (?:TRUSTED )?CERTIFICATE-----.*?-----END (?:TRUSTED )?CERTIFICATE-----", re.DOTALL)


def write_bundle(path: Path, files: Sequence[Optional[Path]]) -> Optional[Path]:
    """Write every authority once to ``path`` (PEM) and return it; None where there is none, or it cannot be written."""
    blocks = [*system_authorities(), *qgis_authorities()]
    for each in files:
        if each is not None and each != path:
            blocks += _BLOCK.findall(_text_of(each))
    if not blocks:
        return None
    text = "\n".join(dict.fromkeys(_plain(each) for each in blocks)) + "\n"
    try:
        if _text_of(path) != text:
            part = path.with_name(path.name + ".part")
            part.write_text(text, encoding="ascii")
            os.replace(str(part), str(path))
    except OSError as error:
        log(translate("QgisAgent", "The certificate authorities could not be written: {}").format(error), _WARNING)
        return None
    return path


def system_authorities() -> List[str]:
    """The authorities of the operating system, in PEM."""
    if sys.platform == "darwin":  # Python's ssl does not read the keychain
        return [_pem(each) for each in QSslConfiguration.systemCaCertificates()]
    usual = ssl.get_default_verify_paths().cafile
    if usual:  # quicker than by way of a context
        found = _BLOCK.findall(_text_of(Path(usual)))
        if found:
            return found
    store = ssl.create_default_context().get_ca_certs(binary_form=True)
    return [ssl.DER_cert_to_PEM_cert(each) for each in store]


def qgis_authorities() -> List[str]:
    """The authorities that a person gave QGIS (Options > Authentication), without those that they do not trust, in PEM."""
    manager = QgsApplication.authManager()
    # Where there is no database nothing was given; asking would make one, which takes a second.
    if not _has_database() or manager.isDisabled():
        return []
    distrusted = QgsAuthCertUtils.CertTrustPolicy.Untrusted
    given = [*manager.extraFileCAs(), *manager.databaseCAs()]
    return [_pem(each) for each in given if manager.certTrustPolicy(each) != distrusted]


def _has_database() -> bool:
    if not hasattr(QgsApplication, "qgisAuthDatabaseUri"):  # before 3.36
        return os.path.exists(QgsApplication.qgisAuthDatabaseFilePath())
    kind, _, path = QgsApplication.qgisAuthDatabaseUri().partition("://")
    return kind != "QSQLITE" or os.path.exists(path.partition("?")[0])


def _pem(certificate: object) -> str:
    return bytes(certificate.toPem()).decode("ascii")  # type: ignore[attr-defined]


def _plain(block: str) -> str:
    return "\n".join(line.strip() for line in block.strip().splitlines())


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
