"""Checked parameters of the requests that the QGIS side makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ParamsError(Exception):
    """Parameters of a request that cannot be used; answered with INVALID_PARAMS."""


def text_of(params: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A string parameter. ParamsError when it is missing (without a default), empty where it is needed, or no string."""
    value = params.get(key, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise ParamsError(f"{key}: must be a text that is not empty" if default is None else f"{key}: must be a text")
    return value


def texts_of(params: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of strings, empty when absent."""
    value = params.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ParamsError(f"{key}: must be a list of texts")
    return tuple(value)


def object_of(params: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object, empty when absent."""
    value = params.get(key, {})
    if not isinstance(value, dict):
        raise ParamsError(f"{key}: must be an object")
    return value
