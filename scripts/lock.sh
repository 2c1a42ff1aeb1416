#!/usr/bin/env bash
# Resolves the lock files anew with uv, in an environment of its own:
#   resources/agent-requirements.lock  the agent's environment: Linux, Windows, macOS; Python 3.10 to 3.14
#   scripts/dev-requirements.lock      .venv: the system Python of Debian 12 (3.11) and 13 (3.13), without numpy
#   scripts/oracle-requirements.lock   .oracle-env: what the tests and the bench compare our tools with; Python 3.11 and later
#   scripts/mcp-requirements.lock      .mcp-env: Node, and the older MCP SDK; Python 3.11 and later
# uv keeps the versions that a lock already has; `FRESH=1 make lock` forgets them.
set -euo pipefail
cd "$(dirname "$0")/.."

uv_version=0.13.9
if [ ! -x build/uv/bin/uv ]; then
  mkdir -p build
  "${PYTHON:-/usr/bin/python3}" -m venv build/uv
  build/uv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$uv_version"
fi
agent=resources/agent-requirements.lock
dev=scripts/dev-requirements.lock
oracle=scripts/oracle-requirements.lock
qt6=scripts/qt6-requirements.lock
mcp=scripts/mcp-requirements.lock
[ -z "${FRESH:-}" ] || rm -f "$agent" "$dev" "$oracle" "$qt6" "$mcp"
compile=(build/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url)

"${compile[@]}" --python-version 3.10 resources/agent-requirements.in -o "$agent"
"${compile[@]}" --python-version 3.11 scripts/oracle-requirements.in -o "$oracle"
"${compile[@]}" --python-version 3.11 scripts/qt6-requirements.in -o "$qt6"
"${compile[@]}" --python-version 3.11 scripts/mcp-requirements.in -o "$mcp"

# .venv gets the agent's versions. Not numpy, which is the system's (1.24 on Debian 12, 2.2 on Debian 13), nor shapely:
# 2.1 is the last one that numpy 1.24 will do for.
{
  grep -oE '^[A-Za-z0-9][^\]*' "$agent" | grep -vE '^(numpy|shapely)=='
  echo "numpy==1.24.2 ; python_full_version < '3.12'"
  echo "numpy==2.2.4 ; python_full_version >= '3.13'"
  echo "shapely==2.1.2"
} > build/dev-constraints.txt
"${compile[@]}" --python-version 3.11 --no-emit-package numpy -c build/dev-constraints.txt --group pyproject.toml:dev -o "$dev"
