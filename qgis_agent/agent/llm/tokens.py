"""Counting tokens without a tokenizer and without the network: an estimate that learns from what the provider reports."""

from __future__ import annotations

from typing import Any

from ...bridge.envelope import encode

_BYTES_PER_TOKEN = 3.0
"""Mixed text (English, Chinese, JSON, coordinates) in UTF-8; measured in tests against a tokenizer."""
_SMOOTHING = 0.5
_BOUNDS = (0.3, 3.0)


def estimate_tokens(*values: Any) -> int:
    """Tokens of texts or JSON values, uncalibrated: bytes of UTF-8 by three, rounded up."""
    size = sum(len((value if isinstance(value, str) else encode(value)).encode("utf-8", "replace")) for value in values)
    return -int(-size // _BYTES_PER_TOKEN)


class Calibration:
    """What a model's provider counts by what we estimate, as a moving average."""

    def __init__(self) -> None:
        self.factor = 1.0

    def learn(self, estimated: int, reported: int) -> None:
        """Take one pair of input token counts. Pairs that can only be a mistake (zero) teach nothing."""
        if estimated <= 0 or reported <= 0:
            return
        ratio = min(max(reported / estimated, _BOUNDS[0]), _BOUNDS[1])
        self.factor += _SMOOTHING * (ratio - self.factor)

    def tokens(self, *values: Any) -> int:
        """The estimate, corrected by what was learnt."""
        return round(estimate_tokens(*values) * self.factor)
