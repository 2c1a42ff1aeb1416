"""Evaluation on the QGIS side: each case runs on its own copy of a project; the agent process scores (agent/evals)."""
