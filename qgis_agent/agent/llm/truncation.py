"""Whether a server read less than it was sent. Ollama cuts what does not fit from the front (tools and system text first) and
answers with status 200, so that only its own count of the prompt tells."""

from __future__ import annotations

from .tokens import Calibration, with_margin
from .types import ModelError

ESTIMATE_ERROR = 0.25
"""How far the uncalibrated estimate may be from a tokenizer, either way (acceptance statement AT17)."""
_CLEARLY_LESS = 0.6
"""A count under this part of the estimate is not explained by the estimate's error and a terse chat template."""
_SMALLEST_WINDOW = 1024
"""Tokens. Old servers count only what was not cached: a count below every real window says nothing."""


def surely_too_long(estimated: int, window: int, calibration: Calibration | None = None) -> bool:
    """Whether a request of about ``estimated`` tokens must be taken not to fit into ``window``.

    Before the model's provider has counted anything: where it does not fit even when the estimate is as far too high as it can
    be. Once the estimate is calibrated: where it does not fit with the margin, because what is over the window is cut unseen.
    """
    if calibration is None or not calibration.reports:
        return estimated * (1 - ESTIMATE_ERROR) > window
    return with_margin(calibration.corrected(estimated)) > window


def was_cut(estimated: int, reported: int, window: int | None) -> bool:
    """Whether ``reported`` prompt tokens can only mean that the request of about ``estimated`` tokens was cut.

    ``window`` is what was asked for; None where nothing could be asked. A server that cuts fills its window, so that the
    count is near it; a far smaller one means that part of the prompt came from a cache and was not counted.
    """
    if reported <= 0 or reported >= estimated * _CLEARLY_LESS:
        return False
    return reported >= (_SMALLEST_WINDOW if window is None else window // 2)


def cut_request(reported: int, estimated: int) -> ModelError:
    """The error for an answer to a request of which the beginning was cut off: it is no answer to what was asked."""
    return ModelError(
        "context_overflow",
        f"The model's server read only {reported} of about {estimated} tokens: the beginning of the request, with its tools, "
        "was cut off.",
        hint="Give the model a larger context (num_ctx; OLLAMA_CONTEXT_LENGTH on the server), or begin a new conversation.",
    )


def too_long(estimated: int, window: int) -> ModelError:
    """The error for a request that is not sent because the server would cut it."""
    return ModelError(
        "context_overflow",
        f"The request of about {estimated} tokens does not fit into the model's context of {window} tokens.",
        hint="Give the model a larger context in the settings, or begin a new conversation.",
    )
