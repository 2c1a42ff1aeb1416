"""Sessions as a person looks through them: listed, searched, renamed, deleted, gone on with; never one that another QGIS writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.parameters import ParamsError
from qgis_agent.agent.records.redact import Redactor
from qgis_agent.agent.records.sessions import SessionStore
from qgis_agent.agent.session_service import PAGE_BYTES, SessionService

REPO = Path(__file__).resolve().parents[2]


class Bench:
    """A records folder with the service on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.busy = False
        self.store = SessionStore(folder, Redactor())
        self.service = SessionService(self.store, folder, lambda: self.busy)

    def write(self, ident: str, *records: dict[str, Any], at: float = 0.0) -> Path:
        path = self.folder / "sessions" / f"{ident}.jsonl"
        path.parent.mkdir(exist_ok=True)
        lines = [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in records]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        if at:
            os.utime(path, (at, at))
        return path

    def listed(self, **params: Any) -> list[dict[str, Any]]:
        return self.service.listed(params)["sessions"]

    def titles(self, **params: Any) -> list[str]:
        return [each["title"] for each in self.listed(**params)]


def talk(request: str, answer: str, key: str = "k1", **end: Any) -> list[dict[str, Any]]:
    """The records of a run, as RunRecorder writes them."""
    return [
        {"t": "run_start", "at": 1.0, "run_id": "r", "project": {"key": key, "name": "city"}},
        {"t": "user", "at": 1.0, "run_id": "r", "content": request},
        {"t": "assistant", "at": 1.5, "run_id": "r", "content": answer},
        {"t": "run_end", "at": 2.0, "run_id": "r", "final": answer, **end},
    ]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_sessions_of_a_project_come_newest_first(bench: Bench) -> None:
    old = bench.write("s-old", *talk("Count the\n  schools", "25"), at=1_000.0)
    bench.write("s-new", *talk("查一下医院", "3"), *talk("more", "ok"), at=2_000.0)
    bench.write("s-else", *talk("Roads", "9", key="k2"), at=3_000.0)
    bench.write("s-empty", {"t": "meta", "at": 1.0, "schema": 1})
    found = bench.listed(project_key="k1")
    assert [each["title"] for each in found] == ["查一下医院", "Count the schools"]
    assert [each["requests"] for each in found] == [2, 1]
    assert found[1]["size"] == old.stat().st_size and found[1]["at"] == 1_000.0 and found[1]["project"] == "city"
    assert bench.titles() == ["Roads", "查一下医院", "Count the schools"]


def test_search_looks_into_titles_requests_and_answers(bench: Bench) -> None:
    bench.write("s-a", *talk("Where is most green?", "In Ward Nord"), at=1.0)
    bench.write("s-b", *talk("Zoom", "Done"), at=2.0)
    assert bench.titles(query="ward NORD") == ["Where is most green?"]
    assert bench.titles(query="green") == ["Where is most green?"]
    assert bench.titles(query="content") == [], "keys of the records are not what was said"


def test_torn_and_damaged_lines_do_not_hide_a_session_and_are_not_touched(bench: Bench) -> None:
    path = bench.write("s-a", *talk("Where?", "Here"))
    with path.open("ab") as file:
        file.write(b'{"t":"user","at":3,"content":"half a li')
    before = path.read_bytes()
    assert bench.titles() == ["Where?"]
    assert bench.service.load({"session_id": "s-a"})["messages"][-1] == {"role": "assistant", "text": "Here"}
    assert path.read_bytes() == before


def test_a_new_name_holds_and_the_conversation_is_the_same(bench: Bench) -> None:
    bench.write("s-a", *talk("Where?", "Here"))
    assert bench.service.rename({"session_id": "s-a", "title": "  My\nmap "}) == {"done": True, "reason": ""}
    assert bench.titles() == ["My map"]
    said = bench.service.load({"session_id": "s-a", "own": True})["messages"]
    assert [each["text"] for each in said] == ["Where?", "Here"]
    assert bench.service.rename({"session_id": "s-a", "title": "Again"})["done"] and bench.titles() == ["Again"]


def test_delete_takes_the_file_and_its_charts_and_nothing_else(bench: Bench) -> None:
    charts = bench.folder / "charts"
    charts.mkdir()
    for name in ("mine.png", "other.png"):
        (charts / name).write_bytes(b"png")
    outside = bench.folder / "outside.png"
    outside.write_bytes(b"png")
    files = [{"file": str(charts / "mine.png")}, {"file": "../outside.png"}, {"file": "sessions"}]
    path = bench.write("s-a", *talk("Draw", "Drawn", charts=files))
    other = bench.write("s-b", *talk("Keep", "Kept"))
    assert bench.service.delete({"session_id": "s-a"})["done"]
    assert not path.exists() and other.exists() and outside.exists()
    assert [each.name for each in charts.iterdir()] == ["other.png"]
    assert bench.service.delete({"session_id": "s-a"})["reason"] == "missing"


def test_a_session_of_a_run_is_not_deleted(bench: Bench) -> None:
    path = bench.write("s-a", *talk("Where?", "Here"))
    bench.service.load({"session_id": "s-a", "own": True})
    bench.busy = True
    assert bench.service.delete({"session_id": "s-a"})["reason"] == "running" and path.exists()
    assert bench.service.load({"session_id": "s-a", "own": True})["reason"] == "running"


def test_going_on_with_another_lets_the_first_go(bench: Bench) -> None:
    for ident in ("s-a", "s-b"):
        bench.write(ident, *talk("Where?", "Here"))
    bench.service.load({"session_id": "s-a", "own": True})
    assert held_elsewhere(bench.folder, "s-a") == "in_use"
    bench.service.load({"session_id": "s-b", "own": True})
    assert held_elsewhere(bench.folder, "s-a") == "" and held_elsewhere(bench.folder, "s-b") == "in_use"


def held_elsewhere(folder: Path, ident: str) -> str:
    """What another process hears that wants to go on with the session."""
    return run_python(folder, f"print(service.load({{'session_id': {ident!r}, 'own': True}})['reason'])")


PROLOGUE = """
import sys
from pathlib import Path
from qgis_agent.agent.records.redact import Redactor
from qgis_agent.agent.records.sessions import SessionStore
from qgis_agent.agent.session_service import SessionService
folder = Path(sys.argv[1])
service = SessionService(SessionStore(folder, Redactor()), folder, lambda: False)
"""


def run_python(folder: Path, code: str) -> str:
    command = [sys.executable, "-c", PROLOGUE + code, str(folder)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def test_a_session_of_another_qgis_is_neither_gone_on_with_nor_changed(bench: Bench) -> None:
    path = bench.write("s-a", *talk("Where?", "Here"))
    code = PROLOGUE + "service.load({'session_id': 's-a', 'own': True}); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(bench.folder)]
    other = subprocess.Popen(command, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None and other.stdout.readline().strip() == "held"
        before = path.read_bytes()
        answers = [
            bench.service.load({"session_id": "s-a", "own": True}),
            bench.service.rename({"session_id": "s-a", "title": "Mine"}),
            bench.service.delete({"session_id": "s-a"}),
        ]
        assert [each["reason"] for each in answers] == ["in_use"] * 3
        assert path.read_bytes() == before and bench.titles() == ["Where?"]
        assert bench.service.load({"session_id": "s-a"})["total"] == 2, "it can be read all the same"
    finally:
        other.communicate("", timeout=20)
    assert bench.service.load({"session_id": "s-a", "own": True})["reason"] == ""


def test_what_another_process_wrote_is_read_before_going_on(bench: Bench) -> None:
    path = bench.write("s-a", *talk("Where?", "Here"))
    bench.store.get("s-a")
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(each, separators=(",", ":")) + "\n" for each in talk("And then?", "There"))
    assert bench.service.load({"session_id": "s-a", "own": True})["total"] == 4
    assert len(bench.store.get("s-a").messages) == 4


def test_long_conversations_come_in_pages(bench: Bench) -> None:
    size = PAGE_BYTES // 3
    bench.write("s-a", *[record for at in range(4) for record in talk(f"q{at}", f"{at}" * size)])
    pages, before = [], None
    while before != 0:
        page = bench.service.load({"session_id": "s-a", **({} if before is None else {"before": before})})
        pages.append(page)
        before = page["first"]
    assert len(pages) > 1 and all(page["total"] == 8 for page in pages)
    whole = [each["text"][:2] for page in reversed(pages) for each in page["messages"]]
    assert whole == ["q0", "00", "q1", "11", "q2", "22", "q3", "33"]


@pytest.mark.parametrize("ident", ["../../etc", "a/b", "", "x" * 81])
def test_ids_name_no_other_file(bench: Bench, ident: str) -> None:
    for act in (
        bench.service.load,
        bench.service.delete,
        lambda params: bench.service.rename({**params, "title": "t"}),
    ):
        with pytest.raises(ParamsError):
            act({"session_id": ident})
