"""Copies a project's folder for a replay, with what links in it lead to left where it is."""

from __future__ import annotations

import os
import shutil
import stat
from typing import Iterator, Tuple

MAX_BYTES = 300 * 1024 * 1024
MAX_FILES = 2000


def is_small(folder: str) -> bool:
    """Whether a folder holds no more than is copied for a replay."""
    size = 0
    for number, (place, _target) in enumerate(_files(folder, ""), 1):
        try:
            size += os.stat(place).st_size
        except OSError:
            continue  # it has gone meanwhile, and is not copied either
        if number > MAX_FILES or size > MAX_BYTES:
            return False
    return True


def copy_folder(folder: str, target: str) -> None:
    """Copy ``folder`` into ``target``, which exists. OSError where the disk is full.

    A linked file is copied. A linked folder stays a link (it may hold a whole disk, or this folder itself): its files are
    read where they are, and lie outside the copy, so that nothing is written to them. A link that leads nowhere, a pipe
    and a socket are left out.
    """
    for place, _folders, _names in os.walk(folder):
        os.makedirs(_moved(place, folder, target), exist_ok=True)
    for place, copy in _files(folder, target):
        try:
            shutil.copy2(place, copy)
        except (FileNotFoundError, PermissionError):
            continue  # gone meanwhile, locked by another program, or never readable: no run has used it
    for place, copy in _linked_folders(folder, target):
        real, root = os.path.realpath(place), os.path.realpath(folder)
        inside = real == root or real.startswith(root + os.sep)
        try:
            os.symlink(_moved(real, root, target) if inside else real, copy, target_is_directory=True)
        except OSError:
            continue  # Windows lets few people make links: the layers in it are missing then, and the comparison says so


def in_copy(path: str, folder: str, target: str) -> str:
    """A path that a project of ``folder`` names, for its copy in ``target``: a file of the folder is that of the copy, however
    it is named; one of another folder stays where it is, though "../" leads elsewhere from the copy."""
    plain = path.replace("\\", "/")
    if not plain.startswith(("./", "../")) and not os.path.isabs(path):
        return path
    whole = os.path.normpath(os.path.join(folder, path))
    placed = _moved(whole, folder, target) if whole.startswith(folder + os.sep) else whole
    return placed if os.path.exists(placed) else path


def _files(folder: str, target: str) -> Iterator[Tuple[str, str]]:
    """The regular files below a folder, and where their copies are to be."""
    for place, _folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if _is_regular(path):
                yield path, _moved(path, folder, target)


def _linked_folders(folder: str, target: str) -> Iterator[Tuple[str, str]]:
    for place, folders, _names in os.walk(folder):
        for name in folders:
            path = os.path.join(place, name)
            if os.path.islink(path):
                yield path, _moved(path, folder, target)


def _moved(path: str, folder: str, target: str) -> str:
    return os.path.normpath(os.path.join(target, os.path.relpath(path, folder)))


def _is_regular(path: str) -> bool:
    """Whether it is a file, or a link to one. False for a link that leads nowhere or in a circle."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False
