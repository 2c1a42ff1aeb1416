#!/usr/bin/env bash
# Makes .qt6-env: PyQt6 of scripts/qt6-requirements.lock, on which tests/unit/test_qt6_widgets.py shows the plugin's widgets.
# Nothing of the system's Python is in it: a process cannot have two Qt.
# Does nothing when the lock and the Python are those that .qt6-env was made with.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-/usr/bin/python3}
lock=scripts/qt6-requirements.lock
stamp=.qt6-env/qgis-agent-qt6.stamp
key="$(grep -vE '^ *#' "$lock" | sha256sum | cut -d" " -f1) $("$python" -V)"
if [ -x .qt6-env/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ]; then
  exit 0
fi

rm -rf .qt6-env
"$python" -m venv .qt6-env
.qt6-env/bin/python -I -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off \
  --no-compile --require-hashes --no-deps --only-binary :all: -r "$lock"
QT_QPA_PLATFORM=offscreen .qt6-env/bin/python -I -c 'from PyQt6.QtWidgets import QApplication; QApplication([])'
echo "$key" > "$stamp"
