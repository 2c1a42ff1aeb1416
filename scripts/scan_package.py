"""Scans a built zip as the plugin site does on upload: ``scan_package.py FILE.zip``; status 1 when anything is found.

Any finding of bandit or detect-secrets holds back publication there. bandit is run with the site's own list of tests,
since its severity filters hide some of them; detect-secrets always exits 0, so its JSON is read.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

BANDIT_TESTS = (
    "B101 B102 B103 B104 B105 B106 B107 B108 B110 B111 B112 B113 B201 B202 B301 B302 B303 B304 B305 B306 B307 B308 B310 "
    "B311 B312 B313 B314 B315 B316 B317 B318 B319 B320 B321 B323 B324 B401 B402 B403 B405 B406 B407 B408 B409 B412 B413 "
    "B501 B502 B503 B504 B505 B506 B507 B508 B509 B601 B602 B603 B604 B605 B606 B607 B608 B609 B610 B611 B612 B613 B614 "
    "B615 B701 B702 B703 B704"
).split()
"""The tests that the site has switched on (QGIS-Plugins-Website, bandit_rules.json, read in 2026)."""

SECRETS_OFF = ("IPPublicDetector",)
"""The one detector that the site has switched off (secrets_rules.json); all the others of detect-secrets run."""

SUSPICIOUS = (".exe", ".dll", ".so", ".dylib", ".bat", ".cmd", ".sh", ".ps1", ".pyc", ".pyo")


def scan(package: Path) -> list[str]:
    """What the site would object to, a line each; empty when it would not."""
    with zipfile.ZipFile(package) as archive, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = archive_problems(archive)
        archive.extractall(folder)
        return found + bandit_problems(folder) + secret_problems(folder)


def archive_problems(archive: zipfile.ZipFile) -> list[str]:
    """Wrong top folder, files that have no place in a plugin, executable bits."""
    found = []
    tops = {PurePosixPath(info.filename).parts[0] for info in archive.infolist()}
    if tops != {"qgis_agent"}:
        found.append(f"top folders: {sorted(tops)}")
    for info in archive.infolist():
        parts = PurePosixPath(info.filename).parts
        if ".." in parts or "\\" in info.filename or any(part.startswith((".", "__MACOSX")) for part in parts):
            found.append(f"{info.filename}: has no place in a plugin")
        if info.filename.lower().endswith(SUSPICIOUS):
            found.append(f"{info.filename}: suspicious type of file")
        if (info.external_attr >> 16) & 0o111:
            found.append(f"{info.filename}: executable")
    return found


def bandit_problems(folder: Path) -> list[str]:
    """bandit's findings with the site's tests, as far as the installed bandit still has them."""
    tests = sorted(set(BANDIT_TESTS) & _known_bandit_tests())
    command = [sys.executable, "-m", "bandit", "-r", str(folder), "-f", "json", "--quiet", "-t", ",".join(tests)]
    report = _json_of(command, folder)
    wrong = [f"bandit could not read {each['filename']}: {each['reason']}" for each in report["errors"]]
    for each in report["results"]:
        name = Path(each["filename"]).relative_to(folder)
        wrong.append(f"{name}:{each['line_number']}: {each['test_id']} {each['issue_text']}")
    return wrong


def secret_problems(folder: Path) -> list[str]:
    """detect-secrets' findings. metadata.txt is left out there, too."""
    command = [sys.executable, "-m", "detect_secrets", "scan", "--all-files", "--exclude-files", r"metadata\.txt"]
    for name in SECRETS_OFF:
        command += ["--disable-plugin", name]
    report = _json_of([*command, "."], folder)
    return [
        f"{name}:{each['line_number']}: {each['type']}" for name, found in report["results"].items() for each in found
    ]


def _known_bandit_tests() -> set[str]:
    from bandit.core import extension_loader

    manager = extension_loader.MANAGER
    return set(manager.plugins_by_id) | set(manager.blacklist_by_id)


def _json_of(command: list[str], folder: Path) -> dict[str, Any]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if not done.stdout.strip():
        raise RuntimeError(f"{command[2]} gave no report: {done.stderr.strip()[-2000:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def main() -> int:
    """Scan the zip that is named and print what was found."""
    found = scan(Path(sys.argv[1]))
    for line in found:
        print(line)
    print(f"{len(found)} findings of the plugin site's scanners")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
