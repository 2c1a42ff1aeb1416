#!/usr/bin/env bash
# Makes .venv: the system Python that owns PyQGIS, with the development tools of scripts/dev-requirements.lock.
# numpy stays the system's (GDAL's and PyQGIS's modules are built against it), so the lock has none.
# Does nothing when the lock, the Python and the system's numpy are those that .venv was made with.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-/usr/bin/python3}
lock=scripts/dev-requirements.lock
stamp=.venv/qgis-agent-dev.stamp
numpy=$("$python" -I -c 'import numpy; print(numpy.__version__)')
key="$(grep -vE '^ *#' "$lock" | sha256sum | cut -d" " -f1) $("$python" -V) numpy $numpy"
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ]; then
  exit 0
fi

"$python" -I -c 'import qgis.core' || { echo "$python cannot import qgis; set PYTHON to the one that can" >&2; exit 1; }
rm -rf .venv
"$python" -m venv --system-site-packages .venv
mkdir -p build
echo "numpy==$numpy" > build/numpy-constraint.txt
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off \
  --require-hashes --no-deps --only-binary :all: -c build/numpy-constraint.txt -r "$lock"
.venv/bin/python - "$numpy" <<'PY'
import sys

import numpy
from osgeo import gdal_array  # noqa: F401  the first thing that breaks when numpy is not the system's

if numpy.__version__ != sys.argv[1] or numpy.__file__.startswith(sys.prefix):
    sys.exit(f"numpy {numpy.__version__} of {numpy.__file__} is not the system's {sys.argv[1]}")
PY
echo "$key" > "$stamp"
