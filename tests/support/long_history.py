"""A long conversation for compaction: turns with results of real size, constraints, handles, and tokens, all deterministic."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]

CONSTRAINTS = (
    "Never change the source data.",
    "所有面积都用公顷,不要用平方公里。",
    "Always answer in Chinese when I write Chinese.",
    'From now on leave the layer "Private" alone.',
    "只统计公办学校。",
)


def envelope(number: int, chance: random.Random, rows: int) -> str:
    """A result as a tool gives it: rows, a total, a handle; every seventh one is a failure."""
    if number % 7 == 6:
        failed = {
            "ok": False,
            "code": "NOT_FOUND",
            "reason": "layer",
            "message": f"There is no layer x{number}.",
            "hint": "Did you mean 'schools'? " + "Valid layers: " + ", ".join(f"layer_{each}" for each in range(40)),
            "retryable": True,
        }
        return json.dumps(failed)
    values = [
        {
            "fid": chance.randint(1, 99999),
            "name": f"{chance.choice('东西南北')}街道{each}",
            "area_m2": chance.random() * 1e6,
        }
        for each in range(rows)
    ]
    data: dict[str, Any] = {"layer_id": f"result-{number}", "total": 37 + number, "rows": values}
    data["result_ref"] = f"ref-{number:04d}-{chance.randint(0, 16**8):08x}"
    if number % 40 == 11:
        data["confirm_token"] = f"tok-{number:04d}"
    return json.dumps({"ok": True, "data": data, "message": "done"}, ensure_ascii=False)


def turns(count: int, *, seed: int = 1, rows: int = 45, per_request: int = 5) -> Iterator[list[Message]]:
    """What each of ``count`` model turns adds to a history: perhaps the person's words, then a batch, or an answer."""
    chance = random.Random(seed)
    number = 0
    for turn in range(count):
        added: list[Message] = []
        if turn % per_request == 0:
            at = turn // per_request
            words = f"Request {at}: count the schools of district {at} and colour them by density."
            if at % 8 == 2:
                words += " " + CONSTRAINTS[(at // 8) % len(CONSTRAINTS)]
            added.append({"role": "user", "content": words})
        if turn % per_request == per_request - 1:
            added.append({"role": "assistant", "content": f"District {turn // per_request} has {30 + turn} schools."})
            yield added
            continue
        size = chance.randint(1, 3)
        idents = [f"call_{number + each}" for each in range(size)]
        names = [chance.choice(["query_features", "count_features", "zoom_to"]) for _ in idents]
        function = [{"name": name, "arguments": '{"layer_id": "schools"}'} for name in names]
        calls = [{"id": ident, "type": "function", "function": each} for ident, each in zip(idents, function)]
        added.append({"role": "assistant", "content": "", "tool_calls": calls})
        added += [
            {"role": "tool", "tool_call_id": ident, "content": envelope(number + at, chance, rows)}
            for at, ident in enumerate(idents)
        ]
        number += size
        yield added
