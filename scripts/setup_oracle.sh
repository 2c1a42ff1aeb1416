#!/usr/bin/env bash
# Makes .oracle-env: geopandas, shapely, pyproj, numpy, exactextract and rasterio of scripts/oracle-requirements.lock, which
# the oracle tests and the bench compare our tools with, and what oracle-bare-requirements.lock adds. Nothing of the system's Python is in it: its GEOS, PROJ and GDAL
# are those of the wheels, not the ones that QGIS was built with.
# Does nothing when the lock and the Python are those that .oracle-env was made with.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-/usr/bin/python3}
lock=scripts/oracle-requirements.lock
bare=scripts/oracle-bare-requirements.lock
stamp=.oracle-env/qgis-agent-oracle.stamp
key="$(grep -hvE '^ *#' "$lock" "$bare" | sha256sum | cut -d" " -f1) $("$python" -V)"
if [ -x .oracle-env/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ]; then
  exit 0
fi

rm -rf .oracle-env
"$python" -m venv .oracle-env
.oracle-env/bin/python -I -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off \
  --no-compile --require-hashes --no-deps --only-binary :all: -r "$lock" -r "$bare"
.oracle-env/bin/python -I -c 'import exactextract, geopandas, pyogrio, pyproj, rasterio, shapely'
echo "$key" > "$stamp"
