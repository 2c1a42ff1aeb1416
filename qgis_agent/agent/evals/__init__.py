"""Evaluation: what an answer should have been against what it was. Pure functions; QGIS runs the cases (gis/evals.py)."""
