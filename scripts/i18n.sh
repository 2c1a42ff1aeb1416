#!/usr/bin/env bash
# Translations. `update` reads the QGIS-side sources into the .ts files (kept in git) and then does `release`, which makes
# the .qm files that QGIS loads (not in git). Nothing is done for a .qm that is newer than its .ts.
set -euo pipefail
cd "$(dirname "$0")/.."

languages=(zh_CN)
lrelease=$(command -v lrelease || echo /usr/lib/qt5/bin/lrelease)
lconvert=$(command -v lconvert || echo /usr/lib/qt5/bin/lconvert)

update() {
  mkdir -p build i18n
  .venv/bin/python scripts/i18n_messages.py build/i18n_messages.py
  {
    echo "CODECFORTR = UTF-8"
    echo "SOURCES = i18n_messages.py"
    for language in "${languages[@]}"; do echo "TRANSLATIONS += ../i18n/qgis_agent_$language.ts"; done
  } > build/i18n.pro
  PYTHONWARNINGS=ignore pylupdate5 -noobsolete build/i18n.pro
  for language in "${languages[@]}"; do
    # Line numbers would change the file with every change of the source.
    "$lconvert" -locations none -i "i18n/qgis_agent_$language.ts" -o "i18n/qgis_agent_$language.ts"
  done
}

release() {
  local ts qm
  for ts in i18n/*.ts; do
    [ -e "$ts" ] || continue
    qm=${ts%.ts}.qm
    [ "$qm" -nt "$ts" ] || "$lrelease" -silent "$ts" -qm "$qm"
  done
}

case "${1:-}" in
  update) update; release ;;
  release) release ;;
  *) echo "usage: scripts/i18n.sh update|release" >&2; exit 2 ;;
esac
