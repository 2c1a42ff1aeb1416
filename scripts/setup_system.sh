#!/usr/bin/env bash
# Installs what a fresh Debian 12 or 13 needs to build, run and test the plugin: QGIS 3.40, a virtual screen, fonts
# that draw Chinese, Qt's translation tools. Safe to run again: it asks dpkg first and then does nothing.
set -euo pipefail

packages=(qgis python3-qgis python3-venv xvfb xauth fonts-noto-cjk fonts-dejavu-core
          pyqt5-dev-tools qttools5-dev-tools)
missing=()
for name in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$name")
done
if dpkg-query -W -f='${Version}' qgis 2>/dev/null | grep -qE '^(1:)?3\.(3|2|1|[0-9]\.)'; then
  missing+=(qgis python3-qgis)      # an older QGIS than 3.40 is there: ask apt for the newer one
fi
[ "${#missing[@]}" -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "Missing Debian packages: ${missing[*]}" >&2
  echo "Run 'sudo bash scripts/setup_system.sh' once, then 'make setup' again." >&2
  exit 1
fi
. /etc/os-release
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
release=()
if [ "${VERSION_CODENAME:-}" = bookworm ]; then
  # Debian 12 itself has QGIS 3.22. Its backports suite lies on the same mirror as the suite that is configured already.
  # shellcheck disable=SC2016  # the $(…) are apt's own format fields
  uri=$(apt-get indextargets --format '$(RELEASE)|$(CREATED_BY)|$(REPO_URI)' | awk -F'|' '($1=="bookworm"||$1=="stable")&&$2=="Packages"{print $3; exit}')
  if [ -z "$uri" ]; then
    echo "No apt source for Debian 12 (bookworm) found, so its backports suite cannot be derived." >&2
    exit 1
  fi
  if ! apt-get indextargets --format '$(RELEASE)' | grep -q 'bookworm-backports'; then
    signed=""
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] && signed="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
    echo "deb ${signed}${uri} bookworm-backports main" > /etc/apt/sources.list.d/qgis-agent-backports.list
    apt-get update -qq
  fi
  release=(-t bookworm-backports)
fi
apt-get install -y -qq --no-install-recommends "${release[@]}" "${missing[@]}"
