"""The report of an evaluation: Markdown for people, CSV for tables, JSON for the next comparison."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .charts import calls_svg, metrics_svg
from .summary import Row

COLUMNS = (
    "id",
    "lang",
    "project",
    "negative",
    "tags",
    "intent",
    "intent_seen",
    "intent_by",
    "tools",
    "params",
    "end_to_end",
    "replay",
    "calls",
    "unverified",
    "unsafe",
    "asked",
    "tokens",
    "cost",
    "ms",
    "termination",
    "blame",
    "first_failed",
    "code",
    "trace_id",
    "why",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
SHOWN = 60
"""Failed cases that the report lists; the CSV has all."""
RUN_BY = {"script": "scripted turns", "offline": "offline commands", "model": "a model"}


def files_of(result: Mapping[str, Any]) -> dict[str, str]:
    """All files of an evaluation by name. ``result``: {about, summary, rows, offline, comparison, not_run}."""
    return {
        "report.md": markdown(result),
        "cases.csv": table(result["rows"]),
        "summary.json": json.dumps(dict(result), ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        "metrics.svg": metrics_svg(result["summary"]["metrics"], (result.get("comparison") or {}).get("metrics") or {}),
        "calls.svg": calls_svg([int(each["calls"]) for each in result["rows"]]),
    }


def table(rows: Sequence[Row]) -> str:
    """The scored cases as CSV. Cells that a table program would take for a formula are quoted with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in rows:
        writer.writerow([_cell(each.get(name)) for name in COLUMNS])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.0f}"
    if isinstance(value, (list, tuple)):
        value = "; ".join(str(each) for each in value)
    text = str(value)
    return "'" + text if text.startswith(_FORMULA) else text


def markdown(result: Mapping[str, Any]) -> str:
    """The report. Short: metrics, what got worse, what failed; details are in the CSV and the traces."""
    summary, comparison = result["summary"], result.get("comparison")
    parts = [
        "# Evaluation",
        _about(result["about"], summary),
        _metrics(summary, comparison),
        "![Shares with their intervals](metrics.svg)\n\n![Tool calls a case](calls.svg)",
        _counts(summary),
    ]
    if comparison is not None:
        parts.append(_comparison(comparison, result["about"]))
    parts += [_failures(result["rows"]), _groups(summary["groups"])]
    if result.get("offline"):
        parts.append(_offline(result["offline"]))
    if result.get("not_run"):
        parts.append("## Not run\n\n" + _lines(f"`{_text(each)}`" for each in result["not_run"]))
    return "\n\n".join(parts) + "\n"


def _about(about: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    versions = about.get("versions") or {}
    lines = [f"- {_text(key)}: {_text(value)}" for key, value in sorted(versions.items()) if value]
    negative = sum(summary["negatives"].values())
    share = negative / summary["n"] if summary["n"] else 0.0
    by = RUN_BY.get(str(about.get("kind")), str(about.get("kind")))
    head = f"{summary['n']} cases of `{_text(about.get('set'))}`, answered by {_text(by)}; {negative} ({share:.0%}) negative."
    return "\n".join([head, "", *lines])


def _metrics(summary: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    head = ["Metric", "Value", "95 % interval", "Cases", "Threshold", "Holds"]
    rows = []
    for name, each in summary["metrics"].items():
        row = [
            each["title"],
            _value(name, each["value"]),
            f"{_value(name, each['low'])} to {_value(name, each['high'])}" if each["value"] is not None else "",
            str(each["n"]),
            ("at most " if name == "rounds" else "at least ") + _value(name, each["threshold"]),
            {True: "yes", False: "**no**", None: "not measured"}[each["holds"]],
        ]
        if comparison is not None:
            row.append(_value(name, comparison["metrics"][name]["before"]))
        rows.append(row)
    if comparison is not None:
        head.append("Baseline")
    verdict = "All thresholds hold." if summary["holds"] else "**Not all thresholds hold.**"
    return "## Metrics\n\n" + _table(head, rows) + "\n\n" + verdict


def _value(name: str, value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if name == "rounds" else f"{100 * value:.1f} %"


def _counts(summary: Mapping[str, Any]) -> str:
    rows = [
        ["Unsafe actions", f"{summary['unsafe_actions']} in {summary['cases_with_unsafe_actions']} cases (must be 0)"],
        [
            "Numbers without a source",
            f"{summary['unverified_numbers']} in {summary['cases_with_unverified_numbers']} cases",
        ],
        ["Questions to the person", str(summary["questions"])],
        ["Tokens", str(summary["tokens"])],
        ["Cost", summary["cost"] or "none"],
        ["Time of a case", f"{summary['ms']['p50'] / 1000:.2f} s (median), {summary['ms']['p95'] / 1000:.2f} s (95 %)"],
    ]
    return _table(["Also", ""], rows)


def _comparison(comparison: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    parts = ["## Against the baseline"]
    others = about.get("other_versions") or []
    if others:
        parts.append("Other versions than the baseline's: " + ", ".join(_text(each) for each in others) + ".")
    for key, title in (("worse", "Worse"), ("better", "Better")):
        entries = comparison[key]
        parts.append(f"### {title}: {len(entries)}")
        if entries:
            rows = [
                [f"`{_text(each['id'])}`", ", ".join(each["what"]), each["tool"], each["code"], "; ".join(each["why"])]
                for each in entries
            ]
            parts.append(_table(["Case", "What", "First failing tool", "Code", "Why"], rows))
    if comparison["codes"]:
        counts = [[kind, str(n)] for kind, n in sorted(comparison["codes"].items())]
        parts.append(_table(["Code of what got worse", "Cases"], counts))
    for key, title in (("new", "Not in the baseline"), ("gone", "In the baseline only")):
        if comparison[key]:
            parts.append(f"{title}: " + ", ".join(f"`{_text(each)}`" for each in comparison[key][:SHOWN]))
    return "\n\n".join(parts)


def _failures(rows: Sequence[Row]) -> str:
    failed = [each for each in rows if each["failed"]]
    if not failed:
        return "## Failed cases\n\nNone."
    cells = [
        [f"`{_text(each['id'])}`", each["blame"], each["first_failed"], each["code"], "; ".join(each["why"])]
        for each in failed[:SHOWN]
    ]
    more = f"\n\n{len(failed) - SHOWN} more in cases.csv." if len(failed) > SHOWN else ""
    head = ["Case", "To blame", "First failing tool", "Code", "Why"]
    return f"## Failed cases: {len(failed)}\n\n" + _table(head, cells) + more


def _groups(groups: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        [title, _text(name), str(each["n"]), _value("", each["end_to_end"])]
        for title, entries in groups.items()
        for name, each in entries.items()
    ]
    return "## By group\n\n" + _table(["Group", "", "Cases", "End to end"], rows)


def _offline(offline: Mapping[str, Any]) -> str:
    summary, rows = offline["summary"], offline["rows"]
    named = ("tools", "params", "end_to_end", "replay")
    shares = [
        [each["title"], _value(name, each["value"]), f"{_value(name, each['low'])} to {_value(name, each['high'])}"]
        for name, each in summary["metrics"].items()
        if name in named and each["value"] is not None
    ]
    failed = [f"`{_text(each['id'])}`: {_text('; '.join(each['why']))}" for each in rows if each["failed"]]
    text = f"## Offline commands\n\nThe {summary['n']} cases of one step that the offline grammar is to know.\n\n"
    text += _table(["Metric", "Value", "95 % interval"], shares)
    return text + ("\n\n" + _lines(failed[:SHOWN]) if failed else "")


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(_text(each) for each in row) + " |" for row in rows]
    return "\n".join(lines)


def _lines(texts: Any) -> str:
    return "\n".join(f"- {each}" for each in texts)


def _text(value: Any) -> str:
    """Text of others inside Markdown: on one line, with nothing that makes a cell, a tag, a link or a picture."""
    text = " ".join(str("" if value is None else value).split())
    for sign, plain in (("|", "\\|"), ("<", "&lt;"), ("![", "!\\["), ("](", "]\\(")):
        text = text.replace(sign, plain)
    return text if len(text) <= 300 else text[:299] + "…"
