"""The public MCP conformance suite against ``python -m qgis_agent mcp --http``, with the fixtures that it wants beside our tools.

What it is expected to find missing is in expected_failures.yml, with reasons.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp_bearer import Bearer
from mcp_command import listening, node_program

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected_failures.yml"
SUITE = ("@modelcontextprotocol/conformance", "dist/index.js")
RUN_S = 240
# How many checks each scenario makes is the suite's matter, but none of these may come to make fewer unseen: so many passed when the
# version of package.json was taken up. Scenarios whose checks need no fixture are among them.
PASSED = {
    "2026-07-28": {
        "tools-list": 4,
        "dns-rebinding-protection": 2,
        "caching": 8,
        "http-header-validation": 14,
        "http-custom-header-server-validation": 10,
        "resources-list": 2,
        "prompts-list": 2,
        "sep-2164-resource-not-found": 4,
        "server-sse-multiple-streams": 1,
        "input-required-result-unsupported-methods": 2,
        "input-required-result-ignore-extra-params": 2,
        "input-required-result-validate-input": 3,
        "input-required-result-tampered-state": 2,
        "server-stateless": 25,
        "json-schema-2020-12": 8,
    },
    "2025-11-25": {
        "server-initialize": 2,
        "ping": 2,
        "tools-list": 3,
        "tools-call-with-progress": 2,
        "tools-call-with-logging": 2,
        "resources-list": 2,
        "prompts-list": 2,
        "dns-rebinding-protection": 2,
        "json-schema-2020-12": 8,
    },
}
REQUIRED = {"2026-07-28": 37, "2025-11-25": 30}
"""Scenarios that each revision requires of a server (the suite's requirements/*.yaml)."""


class Outcome(NamedTuple):
    """One run: its exit status, what it printed, and the checks of each scenario."""

    status: int
    said: str
    checks: dict[str, list[dict[str, Any]]]

    def count(self, scenario: str, status: str) -> int:
        """How many checks of a scenario came out so."""
        return sum(each["status"] == status for each in self.checks[scenario])


def run(url: str, revision: str, folder: Path) -> Outcome:
    """The suite's requirements of a revision."""
    arguments = ["--url", url, "--requirements", revision, "--expected-failures", str(EXPECTED), "-o", str(folder)]
    done = subprocess.run(
        [*node_program(*SUITE), "server", *arguments],
        capture_output=True,
        text=True,
        timeout=RUN_S,
        env={**os.environ, "NO_COLOR": "1"},
        cwd=folder,
        check=False,
    )
    checks: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("server-*/checks.json")):
        name = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT[\dZ-]+$", r"\1", path.parent.name)
        checks[name] = json.loads(path.read_text(encoding="utf-8"))
    return Outcome(done.returncode, done.stdout + done.stderr, checks)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Outcome]]:
    """Both revisions, on one server."""
    folder = tmp_path_factory.mktemp("suite")
    found = {}
    with listening(folder, fixtures=True) as endpoint, Bearer(endpoint.port, endpoint.token) as bearer:
        for revision in PASSED:
            (folder / revision).mkdir()
            found[revision] = run(f"http://127.0.0.1:{bearer.port}/mcp", revision, folder / revision)
    yield found


def expected_of(checks: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Scenarios of a run that the list names as a whole."""
    named = re.findall(r"^  - ([a-z0-9-]+)(?:  #.*)?$", EXPECTED.read_text(encoding="utf-8"), re.MULTILINE)
    return set(named) & set(checks)


@pytest.mark.parametrize("revision", PASSED)
def test_the_suite_finds_nothing_that_is_not_on_the_list(outcomes: dict[str, Outcome], revision: str) -> None:
    """Its exit status is of what the revision requires; scenarios that it runs for visibility only are looked at here."""
    outcome = outcomes[revision]
    assert outcome.status == 0, outcome.said[-6000:]
    failed = {name: [each for each in checks if each["status"] == "FAILURE"] for name, checks in outcome.checks.items()}
    allowed = expected_of(outcome.checks)
    wrong = {name: found for name, found in failed.items() if found and name not in allowed}
    assert wrong == {}
    assert len(outcome.checks) >= REQUIRED[revision]


@pytest.mark.parametrize("revision", PASSED)
def test_the_scenarios_looked_at_what_they_are_for(outcomes: dict[str, Outcome], revision: str) -> None:
    """A scenario that finds nothing to look at passes too: as many checks passed as when the suite's version was taken up."""
    outcome = outcomes[revision]
    passed = {name: outcome.count(name, "SUCCESS") for name in PASSED[revision]}
    assert passed == PASSED[revision]


def test_every_listed_failure_has_a_reason() -> None:
    """A line is not enough: a comment on it, or above its group, says why."""
    reason = ""
    for line in EXPECTED.read_text(encoding="utf-8").splitlines()[3:]:
        if line.strip().startswith("#"):
            reason = line
        elif line.strip().startswith("- "):
            assert reason, line
