"""``model/test``: a test of a model that a person has not chosen yet. Nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..bridge.redaction import Redactor
from .parameters import ParamsError, text_of

OnLine = Callable[[str, dict[str, Any]], None]


async def run_test(params: Mapping[str, Any], redactor: Redactor, on_line: OnLine) -> dict[str, Any]:
    """Carry the test out: {"lines"}. ``on_line(test_id, line)`` is called for each line at once. ParamsError for bad settings."""
    from .llm.probe import Probe
    from .llm.role_settings import settings_of

    redactor.know(params.get("api_key"))
    test_id = text_of(params, "test_id")
    try:
        settings = settings_of(params, "")
    except ValueError as error:
        raise ParamsError(str(error)) from error
    probe = Probe(settings, lambda line: on_line(test_id, redactor.strings(line)))
    return {"lines": redactor.strings(await probe.run())}
