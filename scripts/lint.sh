#!/usr/bin/env bash
# Every static check; all of them run, and the exit status says whether any failed.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
check() {
  local name=$1
  shift
  echo "-- $name"
  "$@" || failed+=("$name")
}

python=.venv/bin/python
check "ruff check" "$python" -m ruff check .
check "ruff format" "$python" -m ruff format --check .
check "mypy" "$python" -m mypy
check "import-linter" .venv/bin/lint-imports --no-cache
check "package" "$python" scripts/package.py
check "bandit and detect-secrets" "$python" scripts/scan_package.py build/qgis_agent.zip

if [ "${#failed[@]}" -gt 0 ]; then
  printf 'lint failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
  exit 1
fi
echo "lint passed"
