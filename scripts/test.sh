#!/usr/bin/env bash
# Runs the named suites (folders of tests), each in a pytest process of its own, so that a crash of one, also at its exit,
# is seen and stops no other. The last line says what all of them came to.
# Several suites run side by side (LANES=1: one after the other), one more than there are cores, as the desktop's mostly wait; in the order named: the
# longest first; QGIS_PARTS=4 cuts the longest, qgis, into so many processes, which then are suites like the others.
# What a suite said is then printed whole when it has ended; meanwhile it stands in build/logs/SUITE.txt.
# Further arguments for pytest, quoted as in a shell: PYTEST_ARGS="-x -k 'name or other'".
set -uo pipefail
cd "$(dirname "$0")/.."

# QGIS finds its Python through PATH: the system's has to come first.
export PATH=/usr/bin:$PATH
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
# Settings of a person's own agent must not leak into the tests.
unset QGIS_AGENT_ENV QGIS_AGENT_API_BASE QGIS_AGENT_API_KEY PYTHONPATH PYTHONHOME

SUITE_S=4500
PYTHON=$PWD/.venv/bin/python
eval "extra=(${PYTEST_ARGS:-})"
QGIS_PARTS=${QGIS_PARTS:-1}
lanes=${LANES:-$(($(nproc) + 1))}
[ "$#" -gt 1 ] || [ "$QGIS_PARTS" -gt 1 ] || lanes=1
declare -A suite_of=() started_at=()
reports=()
failed=()
mkdir -p build/junit build/logs build/test-profile
# Temporary files of each suite by themselves: one suite looks whether another run left any. A path short enough for
# sockets, and open to the unprivileged users that tests run programs as.
scratch=$(mktemp -d /tmp/qa.XXXXXX)
chmod 755 "$scratch"

measured() {  # the unit tests are measured while they run (one process) with COVERAGE=1
  [ "$1" = unit ] && [ -n "${COVERAGE:-}" ]
}

start() {
  local suite=$1 folder=${1%%-*} command=("$PYTHON" -m pytest)
  local options=(--junitxml="build/junit/$suite.xml" -o "cache_dir=build/pytest-cache/$suite")
  # QGIS is started by pytest-qgis as soon as that plugin is loaded, so pyproject.toml leaves it out.
  [ "$folder" != qgis ] || options+=(-p pytest_qgis -p pytest-qt -n 0 --dist no)
  [ "$suite" = "$folder" ] || options+=(--part "${suite#*-}/$QGIS_PARTS")
  if measured "$suite"; then
    command=("$PYTHON" -m coverage run -m pytest)
    options+=(-n 0)
  fi
  rm -f "build/junit/$suite.xml"
  mkdir -p -m 1777 "$scratch/$suite"
  echo "== $suite: started"
  (
    [ "$lanes" = 1 ] || exec > "build/logs/$suite.txt" 2>&1
    # A profile of its own for whatever starts a QGIS without naming one. No standard input: nothing here may ask.
    export TMPDIR=$scratch/$suite QGIS_CUSTOM_CONFIG_PATH=$PWD/build/test-profile/$suite
    # pytest-qgis keeps its settings in one folder of the repository, and in another for each worker that it knows of.
    [ "$suite" = "$folder" ] || export PYTEST_XDIST_WORKER=$suite
    exec timeout -k 20 "$SUITE_S" "${command[@]}" "tests/$folder" "${options[@]}" "${extra[@]}" < /dev/null
  ) &
  suite_of[$!]=$suite
  started_at[$suite]=$SECONDS
}

finish() {  # waits for one of the running suites
  local pid code suite
  wait -n -p pid "${!suite_of[@]}"
  code=$?
  suite=${suite_of[$pid]}
  unset "suite_of[$pid]"
  [ "$lanes" = 1 ] || cat "build/logs/$suite.txt"
  if measured "$suite" && [ "$code" = 0 ]; then
    # A room under its share fails the suite.
    "$PYTHON" -m coverage json --quiet && "$PYTHON" scripts/coverage_rooms.py build/coverage/coverage.json || code=1
  fi
  echo "== $suite: pytest ended with status $code after $((SECONDS - started_at[$suite])) s"
  if [ "$code" = 0 ]; then
    rm -rf "${scratch:?}/$suite"
  else
    failed+=("$suite")
    echo "== $suite: its temporary files are kept in $scratch/$suite" >&2
  fi
  reports+=("build/junit/$suite.xml=$code")
}

stop() {
  trap - INT TERM
  echo "Stopped; ending ${suite_of[*]}" >&2
  [ "${#suite_of[@]}" = 0 ] || kill "${!suite_of[@]}" 2> /dev/null
  wait
  rm -rf "$scratch"
  exit 130
}

set -m  # or the suites, and all they start, would ignore SIGINT, as what a script puts in the background does
trap stop INT TERM
suites=()
for suite in "$@"; do
  if [ "$suite" = qgis ] && [ "$QGIS_PARTS" -gt 1 ]; then
    mapfile -t parts < <(seq -f 'qgis-%g' "$QGIS_PARTS")
    suites+=("${parts[@]}")
  else
    suites+=("$suite")
  fi
done
for suite in "${suites[@]}"; do
  [ "${#suite_of[@]}" -lt "$lanes" ] || finish
  start "$suite"
done
while [ "${#suite_of[@]}" != 0 ]; do finish; done
rmdir --ignore-fail-on-non-empty "$scratch"
[ "${#failed[@]}" = 0 ] || echo "Suites that did not pass: ${failed[*]}" >&2
"$PYTHON" scripts/summary.py "${reports[@]}"
