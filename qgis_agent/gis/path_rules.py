"""What no allowed folder opens, and what text is no path of a local file: rules of ``paths.py`` without a project.

Of what a folder opens, a project cannot widen these: keys and settings (of the account, of QGIS itself), devices, and where
a project was saved at home or at the top of a disk, more than the files beside it.
"""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
from pathlib import Path
from typing import Iterable, List, NamedTuple, Optional, Tuple

from qgis.core import QgsApplication

MAX_PATH_BYTES = 4000
MAX_PART_BYTES = 255
_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"^[A-Za-z]:")
_RESERVED = (
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {"com{}".format(n) for n in "0123456789¹²³"}
    | {"lpt{}".format(n) for n in "0123456789¹²³"}
)
_PRIVATE_FOLDERS = frozenset(
    ".ssh .gnupg .aws .azure .kube .docker .config .password-store .mozilla .thunderbird .git .svn .hg .pki keychains".split()
)
"""Never opened, wherever they lie: keys, and settings of programs that run what these say."""
_PRIVATE_FILES = frozenset(
    "qgis-auth.db qgis-auth.db-wal qgis-auth.db-journal .netrc _netrc .pgpass pgpass.conf .pg_service.conf pg_service.conf "
    ".git-credentials .npmrc .pypirc .htpasswd .bash_history .zsh_history .bashrc .profile .zshrc .bash_profile".split()
)
_PRIVATE_NAMES = re.compile(
    r"(?:\.env(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?|.*\.(?:pem|key|p12|pfx|kdbx|jks|ppk))"
)
_DEVICES = ("/dev", "/proc", "/sys")
_DEVICES_BUT = _DEVICES[0] + "/shm"
_OF_THE_ACCOUNT = frozenset(["appdata", "library"])
"""Folders at home that have no dot where programs keep what is theirs (Windows, macOS)."""


class Root(NamedTuple):
    """A folder that may be read or written. ``deep``: also what lies in the folders inside it."""

    path: Path
    deep: bool


def not_local(text: str, windows: bool = os.name == "nt") -> bool:
    """Whether a text is an address, a virtual file, a database, a share or a device."""
    plain = text.strip()
    lowered = plain.replace("\\", "/").casefold()
    if lowered.startswith(("/vsi", "//", "/??/")) or _URL.match(plain):
        return True
    if not windows:
        return False
    parts = re.split(r"[\\/]", plain[2:] if _DRIVE.match(plain) else plain)
    return any(":" in each or is_reserved(each) for each in parts)


def on_a_drive(text: str, windows: bool = os.name == "nt") -> bool:
    """Whether a text names a drive where there are none, or a drive's current folder, which may be anywhere (``C:a.csv``)."""
    plain = text.strip()
    return bool(_DRIVE.match(plain)) and not (windows and plain[2:3] in ("\\", "/"))


def too_long(text: str) -> bool:
    """Whether no file system has such a path (too long, or no text): the system's own calls would fail on it."""
    try:
        sizes = [len(os.fsencode(each)) for each in re.split(r"[\\/]", text)]
    except UnicodeEncodeError:
        return True
    return sum(sizes) + len(sizes) > MAX_PATH_BYTES or max(sizes) > MAX_PART_BYTES


def is_reserved(name: str) -> bool:
    """Whether Windows takes a name for a device, whatever its ending."""
    return name.split(".")[0].rstrip(" ").casefold() in _RESERVED


def is_private(real: Path, root: Optional[Path] = None) -> bool:
    """Whether a real path is never read or written by a tool.

    ``root``: the allowed folder that it lies in. The account's hidden folders (``~/.local`` …) are private unless a person
    works inside one: then the root itself lies in it.
    """
    names = [each.casefold() for each in real.parts]
    if _PRIVATE_FOLDERS & set(names) or (
        names and (names[-1] in _PRIVATE_FILES or _PRIVATE_NAMES.fullmatch(names[-1]))
    ):
        return True
    text = str(real)
    if any(_at_or_below(text, each) for each in _DEVICES) and not _at_or_below(text, _DEVICES_BUT):
        return True
    if any(_at_or_below(text, each) for each in profile_folders()):
        return True
    hidden = _hidden_at_home(real)
    return hidden is not None and not (root is not None and (root == hidden or hidden in root.parents))


def profile_folders() -> List[str]:
    """Where QGIS keeps its profiles: settings, keys, plugins, the agent's records."""
    named = QgsApplication.qgisSettingsDirPath()
    if not named:
        return []
    profile = os.path.realpath(named)
    above = os.path.dirname(profile)
    found = above if os.path.basename(above).casefold() == "profiles" else profile
    return [found] if os.path.dirname(found) != found else []


def is_broad(path: Path) -> bool:
    """Whether a folder is the top of a disk, one that the account's home lies in or is, or the one for temporary files."""
    real = os.path.realpath(str(path))
    tops = [os.path.realpath(os.path.expanduser("~")), os.path.realpath(tempfile.gettempdir())]
    return os.path.dirname(real) == real or any(_at_or_below(each, real) for each in tops)


def covering(real: Path, roots: Iterable[Root]) -> Optional[Path]:
    """The root that a real path lies in, or is; None for none.

    Compared as text, then, for folders that a file system takes for one (other case, other normal form of Unicode, mounted
    twice), by what they are on the disk.
    """
    known = list(roots)
    for root in known:
        if _covers(root, real, real.parents):
            return root.path
    identity = {each: _identity(each) for each in [real, *real.parents]}
    for root in known:
        wanted = _identity(root.path)
        if wanted is None:
            continue
        inside = [each for each, found in identity.items() if found == wanted]
        if inside and (root.deep or inside[0] in (real, real.parent)):
            return root.path
    return None


def same_name_on_disk(path: Path) -> Path:
    """The path as it is, or with its characters composed or decomposed where only that exists."""
    if os.path.lexists(str(path)):
        return path
    forms = [Path(unicodedata.normalize(form, str(path))) for form in ("NFC", "NFD")]
    return next((each for each in forms if os.path.lexists(str(each))), path)


def _covers(root: Root, real: Path, parents: Iterable[Path]) -> bool:
    if root.path in (real, real.parent):
        return True
    return root.deep and root.path in parents


def _identity(path: Path) -> Optional[Tuple[int, int]]:
    try:
        state = os.stat(str(path))
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if state.st_ino else None


def _hidden_at_home(real: Path) -> Optional[Path]:
    home = Path(os.path.realpath(os.path.expanduser("~")))
    if home not in real.parents:
        return None
    first = real.relative_to(home).parts[0]
    return home / first if first.startswith(".") or first.casefold() in _OF_THE_ACCOUNT else None


def _at_or_below(path: str, folder: str) -> bool:
    one, other = os.path.normcase(path), os.path.normcase(folder)
    return one == other or one.startswith(other.rstrip(os.sep) + os.sep)
