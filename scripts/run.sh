#!/usr/bin/env bash
# `make run`. With a screen: QGIS with the plugin, in a profile of its own under build/profile, on a copy of the sample
# project. Without one: answers one request headless and says where the picture of the map lies.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
folder=$root/build/run
mkdir -p "$folder"
# QGIS finds its Python through PATH: the system's has to come first.
export PATH=/usr/bin:$PATH

if [ -z "${DISPLAY:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
  QT_QPA_PLATFORM=offscreen .venv/bin/python -m qgis_agent ask "colour the streets by area, 5 classes, quantile" --offline \
    --project resources/sample/city.qgz --picture "$folder/map.png" --trace "$folder/trace.jsonl"
  echo
  echo "There is no screen here, so this was one request without QGIS's window."
  echo "Picture of the map: build/run/map.png"
  echo "Record of the run:  build/run/trace.jsonl"
  exit 0
fi

profile=$root/build/profile
plugins=$profile/profiles/default/python/plugins
mkdir -p "$plugins" "$profile/profiles/default/QGIS"
ln -sfn "$root" "$plugins/qgis_agent"
settings=$profile/profiles/default/QGIS/QGIS3.ini
if [ ! -e "$settings" ]; then
  printf '[PythonPlugins]\nqgis_agent=true\n' > "$settings"
fi
# The sample is copied, so that what is tried out here never changes the one in git.
cp -r resources/sample/. "$folder/"
exec qgis --profiles-path "$profile" --nologo "$folder/city.qgz"
