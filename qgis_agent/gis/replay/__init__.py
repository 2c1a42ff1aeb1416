"""Replays traces: the same calls, without a model, on a copy of the project (replayer.py)."""
