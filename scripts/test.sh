#!/usr/bin/env bash
# Runs the named suites (folders of tests: unit, process, qgis, desktop, security, faults), each in a pytest process of its own,
# so that a crash of one, also at its exit, is seen and stops no other. The last line says what all of them came to.
# Further arguments for pytest, quoted as in a shell: PYTEST_ARGS="-x -k 'name or other'".
set -uo pipefail
cd "$(dirname "$0")/.."

# QGIS finds its Python through PATH: the system's has to come first.
export PATH=/usr/bin:$PATH
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
# A profile of its own for whatever starts a QGIS without naming one.
export QGIS_CUSTOM_CONFIG_PATH=$PWD/build/test-profile
# Settings of a person's own agent must not leak into the tests.
unset QGIS_AGENT_ENV QGIS_AGENT_API_BASE QGIS_AGENT_API_KEY PYTHONPATH PYTHONHOME

eval "extra=(${PYTEST_ARGS:-})"
status=0
reports=()
failed=()
mkdir -p build/junit build/test-profile
for suite in "$@"; do
  options=()
  # QGIS is started by pytest-qgis as soon as that plugin is loaded, so pyproject.toml leaves it out.
  [ "$suite" != qgis ] || options=(-p pytest_qgis -p pytest-qt -n 0 --dist no)
  report=build/junit/$suite.xml
  rm -f "$report"
  echo "== $suite"
  # With COVERAGE=1 the unit tests are measured while they run (one process), and a room under its share fails the suite.
  measured=()
  [ "$suite" != unit ] || [ -z "${COVERAGE:-}" ] || { measured=(-m coverage run) options+=(-n 0); }
  timeout -k 20 2400 .venv/bin/python "${measured[@]}" -m pytest "tests/$suite" "${options[@]}" --junitxml="$report" "${extra[@]}"
  code=$?
  if [ "${#measured[@]}" != 0 ] && [ "$code" = 0 ]; then
    .venv/bin/python -m coverage json --quiet && .venv/bin/python scripts/coverage_rooms.py build/coverage/coverage.json || code=1
  fi
  if [ "$code" != 0 ]; then
    echo "== $suite: pytest ended with status $code" >&2
    failed+=("$suite")
    status=1
  fi
  reports+=("$report")
done
.venv/bin/python scripts/summary.py "${reports[@]}" || status=1
[ "$status" = 0 ] || echo "Suites that did not pass: ${failed[*]:-none by status, see the counts above}" >&2
exit "$status"
