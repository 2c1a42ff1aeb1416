"""Formulas and other texts that a model writes: parsed, and passed only when harmless."""
