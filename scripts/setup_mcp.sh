#!/usr/bin/env bash
# Makes .mcp-env, the programs of others that tests/conformance holds the MCP server against: Node of scripts/mcp-requirements.lock with
# the conformance suite and the inspector of tests/conformance/package-lock.json, and the MCP SDK of before 2.0 as a client.
# Does nothing when the locks and the Python are those that .mcp-env was made with.
# To change what is in it: the versions in scripts/mcp-requirements.in and `make lock`; the versions in tests/conformance/package.json and
# `npm install --package-lock-only --omit-lockfile-registry-resolved` beside it.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-/usr/bin/python3}
lock=scripts/mcp-requirements.lock
packages=tests/conformance/package-lock.json
stamp=.mcp-env/qgis-agent-mcp.stamp
key="$(cat <(grep -vE '^ *#' "$lock") "$packages" | sha256sum | cut -d" " -f1) $("$python" -V)"
if [ -x .mcp-env/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ]; then
  exit 0
fi

rm -rf .mcp-env
"$python" -m venv .mcp-env
.mcp-env/bin/python -I -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off \
  --no-compile --require-hashes --no-deps --only-binary :all: -r "$lock"
cp tests/conformance/package.json "$packages" .mcp-env/
# No scripts of packages; the suite and the inspector's command line need nothing that is built, nor optional.
.mcp-env/bin/npm ci --prefix .mcp-env --omit=optional --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error > /dev/null
.mcp-env/bin/python -I -c 'import mcp.client.stdio, mcp.client.streamable_http'
.mcp-env/bin/node .mcp-env/node_modules/@modelcontextprotocol/conformance/dist/index.js --version > /dev/null
echo "$key" > "$stamp"
