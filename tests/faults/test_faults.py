"""Every seeded fault turns a test red. Two are tried at a time, each in a copy of the tree of its own."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from faults import FAULTS, Fault
from tree import FAILED, REPO, Tree

AT_A_TIME = 2
pytestmark = pytest.mark.timeout(600)
Outcome = tuple[int, str]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> list[Tree]:
    """The copies, in one of which all the named tests have passed: what fails later, fails for its fault."""
    trees = [Tree(tmp_path_factory.mktemp("tree")) for _ in range(AT_A_TIME)]
    named = list(dict.fromkeys(test for fault in FAULTS for test in fault.tests))
    status, said = trees[0].pytest(named)
    if status != 0:
        pytest.fail(f"the named tests do not pass without a fault (status {status}):\n{said}")
    return trees


@pytest.fixture(scope="module")
def outcomes(sound: list[Tree]) -> Iterator[dict[str, Future[Outcome]]]:
    """By name of the fault: what pytest came to with it."""
    free: queue.SimpleQueue[Tree] = queue.SimpleQueue()
    for tree in sound:
        free.put(tree)

    def attempt(fault: Fault) -> Outcome:
        tree = free.get()
        try:
            with tree.with_fault(fault):
                return tree.pytest(fault.tests)
        finally:
            free.put(tree)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        yield {fault.name: pool.submit(attempt, fault) for fault in FAULTS}


def test_names_are_unique_and_every_fault_changes_something() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault.tests and fault.before != fault.after for fault in FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_test_notices(fault: Fault, outcomes: dict[str, Future[Outcome]]) -> None:
    status, said = outcomes[fault.name].result()
    assert status == FAILED, f"{fault.file}: no named test failed (status {status})\n{said}"


def test_what_changes_nothing_is_not_noticed(sound: list[Tree], outcomes: dict[str, Future[Outcome]]) -> None:
    """The runner can tell: a change without effect leaves the tests green, and the copy is sound again afterwards."""
    for each in outcomes.values():
        each.result()  # until then the copies are in use
    harmless = Fault("harmless", "qgis_agent/agent/llm/ids.py", "import annotations\n", "import annotations  # x\n", ())
    path = sound[0].folder / harmless.file
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    with sound[0].with_fault(harmless):
        assert path.read_bytes() != before[0]
        assert sound[0].pytest(["tests/unit/test_llm_assembler.py::test_ids_of_a_conversation"])[0] == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert path.read_bytes() == (REPO / harmless.file).read_bytes()


def test_a_fault_whose_text_is_gone_is_said(sound: list[Tree]) -> None:
    """Also one whose text stands there twice: which of the two was meant?"""
    for before in ("no such text", "="):
        lost = Fault("lost", "metadata.txt", before, "x", ())
        with pytest.raises(ValueError, match=r"stands \d+ times in metadata.txt, not once"), sound[0].with_fault(lost):
            pytest.fail(f"{before!r} was taken")
