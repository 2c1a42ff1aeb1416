#!/usr/bin/env bash
# Branch coverage of the rooms of the harness by tests/unit alone. Fails when a test fails, or when a room has less than 90 %.
# Further arguments for pytest, quoted as in a shell: PYTEST_ARGS="-x -k 'name or other'".
set -uo pipefail
cd "$(dirname "$0")/.."

unset QGIS_AGENT_ENV QGIS_AGENT_API_BASE QGIS_AGENT_API_KEY PYTHONPATH PYTHONHOME
export PATH=/usr/bin:$PATH
eval "extra=(${PYTEST_ARGS:-})"
mkdir -p build/coverage
status=0
.venv/bin/python -m coverage run -m pytest tests/unit -q -n 0 "${extra[@]}" || status=1
.venv/bin/python -m coverage json --quiet || exit 1
.venv/bin/python scripts/coverage_rooms.py build/coverage/coverage.json || status=1
exit "$status"
