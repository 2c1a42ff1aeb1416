"""What holds for all unit tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# How fast the machine is decides no test. In a fresh checkout hypothesis builds its tables of characters during the first draws.
settings.register_profile(
    "qgis-agent",
    parent=settings.get_profile("ci" if os.environ.get("CI") else "default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("qgis-agent")
