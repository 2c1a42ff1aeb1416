#!/usr/bin/env bash
# Installs what a fresh Debian 12 or 13 needs to build, run and test the plugin: QGIS 3.40, a virtual screen, fonts
# that draw Chinese, Qt's translation tools, and PostgreSQL with PostGIS and Redis for the tests. Safe to run again: it asks dpkg first
# and then does nothing.
set -euo pipefail

packages=(qgis python3-qgis python3-venv xvfb xauth fonts-noto-cjk fonts-dejavu-core
          pyqt5-dev-tools qttools5-dev-tools)
database=(postgresql postgresql-postgis redis-server)  # the tests start servers of their own from them
is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
missing=()
for name in "${packages[@]}"; do
  is_installed "$name" || missing+=("$name")
done
missing_database=()
for name in "${database[@]}"; do
  is_installed "$name" || missing_database+=("$name")
done
if dpkg-query -W -f='${Version}' qgis 2>/dev/null | grep -qE '^(1:)?3\.(3|2|1|[0-9]\.)'; then
  missing+=(qgis python3-qgis)      # an older QGIS than 3.40 is there: ask apt for the newer one
fi
[ $((${#missing[@]} + ${#missing_database[@]})) -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "Missing Debian packages: ${missing[*]} ${missing_database[*]}" >&2
  [ "${#missing[@]}" -gt 0 ] || exit 0  # without a database only its tests are skipped
  echo "Run 'sudo bash scripts/setup_system.sh' once, then 'make setup' again." >&2
  exit 1
fi
. /etc/os-release
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
if [ "${#missing_database[@]}" -gt 0 ]; then
  if ! is_installed postgresql; then
    # No server that starts with the machine: nothing here needs one.
    apt-get install -y -qq --no-install-recommends postgresql-common || true
    [ ! -e /etc/postgresql-common/createcluster.conf ] || sed -ri 's/^#?\s*create_main_cluster\s*=.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  fi
  if ! is_installed redis-server && [ ! -e /etc/systemd/system/redis-server.service ]; then
    mkdir -p /etc/systemd/system
    ln -s /dev/null /etc/systemd/system/redis-server.service  # masked: it does not start with the machine either
  fi
  # Without them the tests on PostGIS and Redis are skipped and say so; nothing else needs them.
  apt-get install -y -qq --no-install-recommends "${missing_database[@]}" ||
    echo "PostgreSQL with PostGIS, or Redis, could not be installed; their tests will be skipped." >&2
fi
[ "${#missing[@]}" -gt 0 ] || exit 0
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
