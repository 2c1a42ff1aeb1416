# QGIS Agent. `make help` lists what there is; everything works on a fresh Debian 12 or 13.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# The Python that owns PyQGIS. A pyenv or conda Python on PATH cannot import qgis.
PYTHON ?= /usr/bin/python3
VENV_PYTHON := .venv/bin/python

.PHONY: help setup system venv agent-env oracle-env qt6-env mcp-env run test unit process-test qgis-test desktop-test security-test faults \
        coverage lint format bench bench-analysis bench-harness golden evals conformance package i18n qm schema lock clean

help:  ## list the targets
	@awk -F ':.*## *' '/^[a-z0-9-]+:.*##/ {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: system venv agent-env oracle-env qt6-env mcp-env qm  ## system packages, the Python environments, translations (quick when all is there)

system:
	@bash scripts/setup_system.sh

venv: system
	@PYTHON="$(PYTHON)" bash scripts/setup_venv.sh

agent-env: system
	@$(PYTHON) -m qgis_agent.environment build --target .agent-env

oracle-env: system  ## geopandas, shapely, pyproj and exactextract, for the oracle tests and the bench
	@PYTHON="$(PYTHON)" bash scripts/setup_oracle.sh

qt6-env: system  ## PyQt6, for the tests that show the widgets on Qt 6
	@PYTHON="$(PYTHON)" bash scripts/setup_qt6.sh

mcp-env: system  ## Node, the MCP conformance suite, the MCP inspector and the older SDK, for `make conformance`
	@PYTHON="$(PYTHON)" bash scripts/setup_mcp.sh

qm: system
	@bash scripts/i18n.sh release

run: setup  ## open QGIS with the plugin on the sample project (without a screen: answer one request, write a picture)
	@bash scripts/run.sh

test: setup  ## all tests, several suites at a time: desktop, qgis, unit, evals, process, conformance, golden, faults, tasks, security
	@COVERAGE=1 QGIS_PARTS=4 bash scripts/test.sh desktop qgis unit evals process conformance golden faults tasks security

unit: setup  ## tests without QGIS, in under a minute; the same as .venv/bin/pytest tests/unit
	@bash scripts/test.sh unit

process-test: setup  ## tests of the real agent process, and of building its environment
	@bash scripts/test.sh process

qgis-test: setup  ## tests with a QGIS in the test process
	@bash scripts/test.sh qgis

desktop-test: setup  ## tests of the real QGIS on a virtual screen, and of the command line
	@bash scripts/test.sh desktop

security-test: setup  ## build the zip and scan it as the plugin site does
	@bash scripts/test.sh security

faults: setup  ## seed small faults in copies of the tree; each must turn a unit test red
	@bash scripts/test.sh faults

coverage: setup  ## branch coverage of the harness by tests/unit; fails under 90 % in any of its rooms
	@COVERAGE=1 bash scripts/test.sh unit

lint: setup  ## ruff, mypy, import-linter, bandit and detect-secrets
	@bash scripts/lint.sh

format: setup  ## format the code with ruff
	@$(VENV_PYTHON) -m ruff format .
	@$(VENV_PYTHON) -m ruff check --fix-only .

bench: setup  ## write build/bench.json
	@mkdir -p build
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) tests/bench/run.py

bench-analysis: setup  ## the part of it that is analysis: beside the bare algorithm, geopandas and exactextract (six minutes)
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) tests/bench/analysis.py

bench-harness: setup  ## the part of it that needs no QGIS: time and tokens of a turn
	@mkdir -p build
	@$(VENV_PYTHON) tests/bench/harness.py

golden: setup  ## QGIS's own Processing suite (600 cases) through the tool run_algorithm; needs ../shared/data
	@QT_QPA_PLATFORM=offscreen $(VENV_PYTHON) tests/golden/run.py

evals: setup  ## the evaluation set with its scripted solutions, and the spoiled ones (four minutes)
	@bash scripts/test.sh evals

conformance: setup  ## the public MCP conformance suite, and MCP clients of others, against the real server
	@bash scripts/test.sh conformance

package: setup  ## build/qgis_agent.zip, as it is uploaded to the plugin site
	@$(VENV_PYTHON) scripts/package.py

i18n: setup  ## bring the translation files up to date with the source
	@bash scripts/i18n.sh update

schema: venv  ## regenerate resources/tools.schema.json from the contracts
	@$(VENV_PYTHON) -m qgis_agent.agent.catalog.generate

lock:  ## resolve the lock files anew (needs the network)
	@bash scripts/lock.sh

clean:  ## remove all that was built, the environments included
	rm -rf build .venv .oracle-env .qt6-env .mcp-env .agent-env .agent-env.old .qgis-settings .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis i18n/*.qm
	find qgis_agent scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +
