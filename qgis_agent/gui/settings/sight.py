"""Whether a model sees pictures: by its test, else by its name, else not known."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, Optional

from qgis.core import QgsSettings

_SEEN = "qgis_agent/model/sees/"
_SEES = re.compile(
    r"(?:^|[/.])(?:gpt-4o(?!.*(?:audio|realtime|transcribe|tts|search))|gpt-4\.1|gpt-[5-9](?!.*(?:audio|realtime))|o1(?!-mini|-preview)"
    r"|o3(?!-mini)|o4|claude-(?!2|instant)|gemini-(?:1\.5|[2-9])(?!.*(?:tts|audio|embedding))"
    r"|gemma-?3(?![:-](?:270m|1b))|pixtral|llama-?3\.2[-:](?:11b|90b)|llama3\.2-vision|llama-?4"
    r"|llava|bakllava|minicpm-v|moondream|internvl|glm-4(?:\.\d)?v|qvq|qwen[\d.]*-?vl)",
    re.IGNORECASE,
)
"""Families of models that take pictures, checked against the column ``supports_vision`` of litellm's price table (November 2026).
A name that is not here says nothing: makers add sight to a family from one version to the next, and a test of the model tells."""


def sees(model: str, api_base: str) -> Optional[bool]:
    """Whether a model sees pictures; None where nobody knows. Its own test says more than its name."""
    told = str(QgsSettings().value(_key(model, api_base), "") or "")
    if told in ("yes", "no"):
        return told == "yes"
    return True if _SEES.search(model) else None


def learn(model: str, api_base: str, line: Dict[str, Any]) -> None:
    """Keep what a test of the model found (a line of bridge/model_test.py)."""
    if model and line.get("check") == "pictures" and line.get("code") in ("seen", "not_seen"):
        QgsSettings().setValue(_key(model, api_base), "yes" if line["code"] == "seen" else "no")


def _key(model: str, api_base: str) -> str:
    return _SEEN + hashlib.sha256("{}|{}".format(api_base, model).encode("utf-8")).hexdigest()[:16]
