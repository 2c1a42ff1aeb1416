"""Results of MCP clients in a Redis that the replicas of a server share. Redis itself ends them when their time has come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import redis

from .kept import About, Kept
from .store_form import StoreError, Times, about_text, chunks_of, cut, key_of, read_about, span

PREFIX = "qgis-agent:mcp:"
ABOUT, ROWS, INDEX = f"{PREFIX}about:", f"{PREFIX}rows:", f"{PREFIX}index"
ANSWER_S = 3.0
"""A Redis that does not answer for so long is a store that fails: the client gets its answer without it."""


class RedisPages:
    """See Pages. StoreError for every fault; its words never hold the URL, which may hold a password."""

    def __init__(self, url: str, times: Times) -> None:
        self._times = times
        try:
            self._redis = redis.Redis.from_url(
                url, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S, decode_responses=True
            )
        except ValueError as error:
            raise StoreError("the URL of the Redis is none") from error
        with _faults("the Redis of the results does not answer"):
            self._redis.ping()

    def close(self) -> None:
        """End the connections."""
        self._redis.close()

    def put(self, ref: str, about: About, rows: list[Any]) -> None:
        """See Pages. All at once or not at all; what is older makes room."""
        key, texts = key_of(ref), list(chunks_of(rows))
        size = sum(map(len, texts))
        if size > self._times.bytes_kept:
            raise StoreError("the result is too large to be kept")
        with _faults("the Redis of the results cannot be written"):
            pipe = self._redis.pipeline(transaction=True)
            pipe.delete(ROWS + key)
            pipe.rpush(ROWS + key, *texts)
            pipe.pexpire(ROWS + key, int(self._times.rows_s * 1000))
            pipe.set(ABOUT + key, about_text(about, len(rows)), px=int(self._times.remembered_s * 1000))
            pipe.zadd(INDEX, {f"{key}:{size}": time.time()})
            pipe.pexpire(INDEX, int(self._times.rows_s * 1000))
            pipe.execute()
            self._make_room()

    def _make_room(self) -> None:
        """Drop the rows of the oldest results until the others fit; what they came from stays known."""
        self._redis.zremrangebyscore(INDEX, 0, time.time() - self._times.rows_s)
        newest_first = cast("list[str]", self._redis.zrange(INDEX, 0, -1, desc=True))
        size = 0
        for number, member in enumerate(newest_first):
            key, _colon, part = member.partition(":")
            size += int(part) if part.isdigit() else 0
            if number >= self._times.results or size > self._times.bytes_kept:
                self._redis.delete(ROWS + key)
                self._redis.zrem(INDEX, member)

    def look(self, ref: str) -> Kept | None:
        """See Pages."""
        key = key_of(ref)
        with _faults("the Redis of the results cannot be read"):
            pipe = self._redis.pipeline(transaction=True)
            pipe.get(ABOUT + key)
            pipe.exists(ROWS + key)
            text, alive = pipe.execute()
        found = read_about(text) if isinstance(text, str) else None
        return Kept(found[0], found[1], expired=not alive) if found is not None else None

    def rows(self, ref: str, start: int, count: int) -> list[Any]:
        """See Pages. StoreError where the rows have gone meanwhile."""
        key = key_of(ref)
        first, last = span(start, count)
        with _faults("the Redis of the results cannot be read"):
            pipe = self._redis.pipeline(transaction=True)
            pipe.exists(ROWS + key)
            pipe.lrange(ROWS + key, first, last)
            alive, found = pipe.execute()
        if not alive:
            raise StoreError("this result is no longer kept")
        return cut(list(found), first, start, count)


@contextmanager
def _faults(words: str) -> Iterator[None]:
    try:
        yield
    except (redis.RedisError, UnicodeError) as error:
        raise StoreError(f"{words} ({type(error).__name__})") from None
