"""Where results for MCP clients are kept: SQLite and a real Redis behind one interface, seen from two instances at once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.mcp import store_form
from qgis_agent.agent.mcp.kept import About, Pages
from qgis_agent.agent.mcp.store import FILE_NAME, open_store
from qgis_agent.agent.mcp.store_form import StoreError, Times, key_of
from qgis_agent.agent.mcp.store_sqlite import SqlitePages

ABOUT = About("client-a", "query_features", "d" * 64, "trace-1", {"project": "p", "layers": [{"id": "x"}]})
ROWS = [[number, f"名 {number}", number / 4] for number in range(1234)]
REF = "query_features:0d9c2f4e"

Opener = Callable[..., Pages]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis of our own on a socket in a temporary folder; nothing of it is on a port."""
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed (scripts/setup_system.sh)")
    folder = tmp_path_factory.mktemp("r")
    socket = folder / "s"
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "no", "--dir", str(folder)]
    process = subprocess.Popen([server, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while not socket.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert socket.exists(), "redis-server did not start"
        yield f"unix://{socket}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(params=["sqlite", "redis"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same store again and again, as the processes of several replicas do."""
    spec = "sqlite" if request.param == "sqlite" else request.getfixturevalue("redis_url")
    if spec != "sqlite":
        import redis

        redis.Redis.from_url(spec).flushall()
    opened: list[Any] = []

    def open_one(**times: Any) -> Pages:
        opened.append(open_store(spec, tmp_path, Times(**times)))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def test_rows_come_back_by_page_through_another_instance(opener: Opener) -> None:
    here, there = opener(), opener()
    here.put(REF, ABOUT, ROWS)
    kept = there.look(REF)
    assert kept is not None
    assert (kept.about, kept.total, kept.expired) == (ABOUT, 1234, False)
    for start, count in [(0, 20), (95, 10), (100, 100), (199, 2), (1230, 50), (1234, 10), (5000, 1)]:
        assert there.rows(REF, start, count) == ROWS[start : start + count], (start, count)


def test_pages_are_a_snapshot(opener: Opener) -> None:
    rows = [[1], [2]]
    store = opener()
    store.put(REF, ABOUT, rows)
    rows.append([3])
    assert opener().rows(REF, 0, 9) == [[1], [2]]


def test_an_unknown_handle_is_nothing_and_an_empty_result_is_one(opener: Opener) -> None:
    store = opener()
    assert store.look("query_features:other") is None
    store.put(REF, ABOUT, [])
    kept = store.look(REF)
    assert kept is not None
    assert (kept.total, kept.expired) == (0, False)
    assert store.rows(REF, 0, 10) == []
    with pytest.raises(StoreError):
        store.rows("query_features:other", 0, 10)


def test_an_expired_handle_still_says_what_it_was(opener: Opener) -> None:
    store = opener(rows_s=0.15)
    store.put(REF, ABOUT, ROWS)
    assert store.rows(REF, 0, 1) == ROWS[:1]
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        kept = opener().look(REF)
        if kept is not None and kept.expired:
            break
        time.sleep(0.05)
    assert kept is not None
    assert (kept.expired, kept.about) == (True, ABOUT)
    with pytest.raises(StoreError):
        store.rows(REF, 0, 1)


def test_what_is_remembered_ends_too(opener: Opener) -> None:
    store = opener(rows_s=0.05, remembered_s=0.1)
    store.put(REF, ABOUT, ROWS)
    deadline = time.monotonic() + 10
    while store.look(REF) is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert store.look(REF) is None


def test_the_oldest_rows_make_room_and_stay_known(opener: Opener) -> None:
    part = len(json.dumps(ROWS, separators=(",", ":")))
    store = opener(bytes_kept=int(2.5 * part))
    for name in "abc":
        store.put(name, ABOUT, ROWS)
        time.sleep(0.01)
    states = {name: store.look(name) for name in "abc"}
    assert {name: kept.expired for name, kept in states.items() if kept is not None} == {
        "a": True,
        "b": False,
        "c": False,
    }
    assert store.rows("c", 0, 1) == ROWS[:1]
    with pytest.raises(StoreError):
        store.rows("a", 0, 1)
    few = opener(results=1)
    few.put("d", ABOUT, ROWS)
    assert [getattr(store.look(name), "expired", None) for name in "abcd"] == [True, True, True, False]


def test_what_is_larger_than_the_store_is_refused_whole(opener: Opener) -> None:
    store = opener(bytes_kept=1000)
    with pytest.raises(StoreError):
        store.put(REF, ABOUT, ROWS)
    assert store.look(REF) is None


def test_many_threads_and_two_instances_at_once(opener: Opener) -> None:
    stores = [opener(), opener()]
    wrong: list[Any] = []

    def work(number: int) -> None:
        store = stores[number % 2]
        rows = [[number, each] for each in range(150)]
        try:
            store.put(f"ref-{number}", ABOUT, rows)
            if stores[(number + 1) % 2].rows(f"ref-{number}", 90, 30) != rows[90:120]:
                wrong.append(number)
        except StoreError as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(24)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    assert wrong == []


def test_lone_surrogates_and_large_numbers_survive(opener: Opener) -> None:
    rows = [["\ud800", 2**70, None, True, {"a": [1.5]}]]
    store = opener()
    store.put(REF, ABOUT, rows)
    assert opener().rows(REF, 0, 1) == rows


# the file


def test_the_file_is_its_owners_and_names_no_handle(tmp_path: Path) -> None:
    store = open_store("sqlite", tmp_path / "records")
    store.put(REF, ABOUT, ROWS)
    path = tmp_path / "records" / FILE_NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert REF.encode() not in path.read_bytes()
    assert sorted(each.name for each in path.parent.iterdir()) == [FILE_NAME]  # no -wal, no -shm


def test_rows_that_ended_are_no_longer_in_the_file(tmp_path: Path) -> None:
    now = [1000.0]
    store = SqlitePages(tmp_path / FILE_NAME, Times(), lambda: now[0])
    store.put(REF, ABOUT, [["the secret value"]])
    assert b"the secret value" in (tmp_path / FILE_NAME).read_bytes()
    now[0] += store_form.TTL_S + 1
    kept = store.look(REF)
    assert kept is not None
    assert kept.expired
    assert b"the secret value" not in (tmp_path / FILE_NAME).read_bytes()


def test_rows_that_made_room_are_no_longer_in_the_file(tmp_path: Path) -> None:
    store = SqlitePages(tmp_path / FILE_NAME, Times(results=1))
    store.put("a", ABOUT, [["the secret value"]])
    store.put("b", ABOUT, ROWS)
    assert b"the secret value" not in (tmp_path / FILE_NAME).read_bytes()


def test_a_time_to_live_is_six_hours_by_default(tmp_path: Path) -> None:
    now = [1000.0]
    store = SqlitePages(tmp_path / FILE_NAME, Times(), lambda: now[0])
    store.put(REF, ABOUT, ROWS)
    now[0] += 6 * 3600 - 1
    assert store.rows(REF, 0, 1) == ROWS[:1]
    now[0] += 2
    with pytest.raises(StoreError):
        store.rows(REF, 0, 1)


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    store = open_store("sqlite", tmp_path)
    store.put(REF, ABOUT, ROWS)
    assert store.rows(REF, 0, 1) == ROWS[:1]


def test_a_file_of_another_version_is_emptied(tmp_path: Path) -> None:
    open_store("sqlite", tmp_path).put(REF, ABOUT, ROWS)
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version=99")
    assert open_store("sqlite", tmp_path).look(REF) is None


def test_a_locked_file_is_a_fault_and_not_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from qgis_agent.agent.mcp import store_sqlite

    monkeypatch.setattr(store_sqlite, "BUSY_S", 0.05)
    store = open_store("sqlite", tmp_path)
    store.put(REF, ABOUT, ROWS)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for work in (lambda: store.put("b", ABOUT, ROWS), lambda: store.look(REF), lambda: open_store("sqlite", tmp_path)):
        with pytest.raises(StoreError):
            work()
    other.execute("ROLLBACK")
    other.close()
    assert store.rows(REF, 0, 2) == ROWS[:2]


def test_a_row_that_somebody_damaged_is_nothing(tmp_path: Path) -> None:
    store = open_store("sqlite", tmp_path)
    store.put(REF, ABOUT, ROWS)
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("UPDATE chunks SET rows = 'oops'")
    with pytest.raises(StoreError):
        store.rows(REF, 0, 1)
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("UPDATE results SET about = '{\"owner\": 3}'")
    assert store.look(REF) is None


# Redis


def test_a_redis_that_is_not_there_is_a_fault_without_its_password(tmp_path: Path) -> None:
    for spec in ("redis://:hunter2@127.0.0.1:1/0", f"unix://{tmp_path}/none?password=hunter2", "redis://h:port"):
        with pytest.raises(StoreError) as caught:
            open_store(spec, tmp_path)
        assert "hunter2" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_an_unknown_kind_of_store_is_refused(tmp_path: Path) -> None:
    for spec in ("", "http://127.0.0.1/", "memcached://x", "/tmp/file"):
        with pytest.raises(StoreError):
            open_store(spec, tmp_path)


def test_redis_ends_everything_by_itself(redis_url: str, tmp_path: Path) -> None:
    import redis

    raw = redis.Redis.from_url(redis_url, decode_responses=True)
    raw.flushall()
    open_store(redis_url, tmp_path).put(REF, ABOUT, ROWS)
    left = {name.rpartition(":")[2]: raw.pttl(name) / 1000 for name in raw.keys("*")}
    assert len(left) == 2  # what it is and its rows have one name; the index is the other
    assert all(0 < each <= store_form.REMEMBER_S for each in left.values())
    assert 0 < raw.pttl(f"qgis-agent:mcp:rows:{key_of(REF)}") / 1000 <= store_form.TTL_S
    assert REF not in " ".join(raw.keys("*"))


def test_a_redis_that_goes_away_is_a_fault_each_time(tmp_path: Path) -> None:
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed (scripts/setup_system.sh)")
    socket = tmp_path / "s"
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen([server, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while not socket.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        store = open_store(f"unix://{socket}", tmp_path)
        store.put(REF, ABOUT, ROWS)
    finally:
        os.kill(process.pid, 9)
        process.wait(10)
    for work in (lambda: store.put("b", ABOUT, ROWS), lambda: store.look(REF), lambda: store.rows(REF, 0, 1)):
        with pytest.raises(StoreError):
            work()
