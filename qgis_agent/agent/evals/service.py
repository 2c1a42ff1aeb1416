"""Evaluations from the bridge's side: cases come in, runs are scored as they end, a report is written at the end."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..execution.registry import ToolRegistry
from ..parameters import ParamsError, object_of, text_of, texts_of
from ..records.redact import Redactor
from .cases import Case, CaseError, parse_case
from .compare import compared
from .effects import ToolFacts
from .observed import observation_of
from .report import files_of
from .scoring import score
from .summary import summary_of

PARTS = ("main", "offline")
SUMMARY = "summary.json"
MAX_KEPT = 8
"""Evaluations that are kept at a time; the oldest goes."""


@dataclass
class _Evaluation:
    """One evaluation that goes on."""

    cases: dict[str, Case] = field(default_factory=dict)
    rows: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: {each: {} for each in PARTS})
    digest: Any = field(default_factory=hashlib.sha256)


class EvalService:
    """Answers eval/begin, eval/score and eval/report (bridge/messages.py)."""

    def __init__(self, registry: ToolRegistry, redactor: Redactor) -> None:
        self._facts = ToolFacts.of(registry)
        self._redactor = redactor
        self._going: dict[str, _Evaluation] = {}

    def begin(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """More cases of an evaluation: {problems}, one text for each line that is no case. Ids must be unique."""
        ident = text_of(params, "eval_id")
        lines = params.get("cases")
        if not isinstance(lines, list):
            raise ParamsError("cases: must be a list of objects")
        if ident not in self._going and len(self._going) >= MAX_KEPT:
            self._going.pop(next(iter(self._going)))
        going = self._going.setdefault(ident, _Evaluation())
        problems = []
        for each in lines:
            try:
                case = parse_case(each, self._facts.effects)
            except CaseError as error:
                problems.append(str(error))
                continue
            if case.id in going.cases:
                problems.append(f"{case.id}: comes twice")
            going.cases[case.id] = case
            going.digest.update(json.dumps(each, sort_keys=True, ensure_ascii=False).encode())
        return {"problems": problems}

    def score(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Judge one run: its row. ``part`` is "main" or "offline"."""
        going = self._of(params)
        case = going.cases.get(text_of(params, "id"))
        part = text_of(params, "part", "main")
        if case is None or part not in PARTS:
            raise ParamsError("id, part: there is no such case")
        row = score(case, observation_of(object_of(params, "observation")), self._facts).row()
        going.rows[part][case.id] = row
        return row

    def report(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Write the report's files into ``out``: {ok, holds, worse, better, summary, files, problem}. Slow: on a thread.

        ``ok``: every threshold holds and nothing is worse than in the baseline. ``problem``: why nothing could be written
        or compared, else "".
        """
        going = self._going.pop(text_of(params, "eval_id"), None)
        if going is None:
            raise ParamsError("eval_id: there is no such evaluation")
        about = {**object_of(params, "about"), "set_digest": going.digest.hexdigest()[:16], "cases": len(going.cases)}
        result = self._result(going, about, list(texts_of(params, "not_run")))
        baseline = text_of(params, "baseline", "")
        try:
            if baseline:
                compare_with(result, read_baseline(Path(baseline)))
            files = self._write(Path(text_of(params, "out")), result)
        except (OSError, ValueError) as error:
            return {"ok": False, "problem": str(error)[:500]}
        comparison = result["comparison"] or {"worse": [], "better": []}
        holds = bool(result["summary"]["holds"]) and result["summary"]["n"] > 0
        return {
            "ok": holds and not comparison["worse"],
            "holds": holds,
            "worse": [each["id"] for each in comparison["worse"]],
            "better": [each["id"] for each in comparison["better"]],
            "summary": result["summary"],
            "files": files,
            "problem": "",
        }

    def _result(self, going: _Evaluation, about: Mapping[str, Any], not_run: list[str]) -> dict[str, Any]:
        rows = list(going.rows["main"].values())
        offline = list(going.rows["offline"].values())
        return {
            "about": dict(about),
            "summary": summary_of(rows),
            "rows": rows,
            "offline": {"summary": summary_of(offline), "rows": offline} if offline else None,
            "not_run": not_run,
            "comparison": None,
        }

    def _write(self, folder: Path, result: Mapping[str, Any]) -> list[str]:
        folder.mkdir(parents=True, exist_ok=True)
        files = files_of(self._redactor.strings(dict(result)))
        parts = {name: folder / f".{name}.part" for name in files}
        try:
            for name, text in files.items():
                parts[name].write_text(text, encoding="utf-8")
            for name, part in parts.items():  # an earlier report is replaced by a whole one, or stays
                os.replace(part, folder / name)
        finally:
            for part in parts.values():
                part.unlink(missing_ok=True)
        return sorted(files)

    def _of(self, params: Mapping[str, Any]) -> _Evaluation:
        going = self._going.get(text_of(params, "eval_id"))
        if going is None:
            raise ParamsError("eval_id: there is no such evaluation")
        return going


def read_baseline(folder: Path) -> dict[str, Any]:
    """An earlier result. OSError, or ValueError that says what is wrong with it."""
    path = folder / SUMMARY if folder.is_dir() else folder
    raw = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict) or not isinstance(raw.get("rows"), list):
        raise ValueError(f"{path.name} of the baseline is no summary of an evaluation")
    return raw


def compare_with(result: dict[str, Any], baseline: Mapping[str, Any]) -> None:
    """Add the comparison, and which versions are others: scores of other versions are told apart, not refused."""
    result["comparison"] = compared(baseline["rows"], result["rows"])
    before, now = baseline.get("about") or {}, result["about"]
    old, new = before.get("versions") or {}, now.get("versions") or {}
    others = [each for each in sorted(set(old) | set(new)) if old.get(each) != new.get(each)]
    now["other_versions"] = others + (["set"] if before.get("set_digest") != now.get("set_digest") else [])
