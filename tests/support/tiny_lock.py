"""One tiny wheel and the lock that names it, in place of the agent's real ones."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import NamedTuple


class Wheels(NamedTuple):
    """A folder with one wheel, and the lock that names it."""

    folder: Path
    lock: Path


def make_wheel(folder: Path) -> Path:
    """A wheel ``tinything`` 1.0 with one module, written by hand after the wheel specification."""
    files = {
        "tinything.py": b"ANSWER = 42\n",
        "tinything-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n",
        "tinything-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files["tinything-1.0.dist-info/RECORD"] = (record + "tinything-1.0.dist-info/RECORD,,\n").encode()
    path = folder / "tinything-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def write_lock(lock: Path, digest: str) -> None:
    """A lock of the wheel, and of one that is not for this machine."""
    lock.write_text(
        f"tinything==1.0 \\\n    --hash=sha256:{digest}\n"
        f"elsewhere==3.0 ; sys_platform == 'nowhere' \\\n    --hash=sha256:{'0' * 64}\n",
        encoding="utf-8",
    )


def tiny_lock(folder: Path) -> Wheels:
    """Make both in ``folder``."""
    wheel = make_wheel(folder)
    lock = folder / "agent-requirements.lock"
    write_lock(lock, hashlib.sha256(wheel.read_bytes()).hexdigest())
    return Wheels(folder, lock)
