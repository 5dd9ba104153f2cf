# Every command people and CI run. Each sets itself up.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
PORT ?= 8700
DEMO_DIR ?= demo-data
# Extras and tools, as pyproject.toml names them. Who only wants to see it run needs neither Spark
# nor the tools of the tests.
RUN := --editable '.[server]'
ALL := --editable '.[server,grpc,mcp,postgres,s3,spark]' --group dev

# Tests wait half of their time for processes that they start: two of them keep a core busy.
WORKERS ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) * 2 )))
# Whole modules, so that what a module starts is started once. A worker that crashed ends the run.
PARALLEL := -n $(WORKERS) --dist loadscope --no-loadscope-reorder --max-worker-restart 0
# Test modules, too, are compiled once, also where PYTHONDONTWRITEBYTECODE is set.
TESTED := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all lint format programs bench fuzz laws attack chaos pictures agents soak clean

help: ## List the targets.
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 10

setup: $(VENV)/.ready compiled ## Make the virtual environment.

# $(1): what to install. $(2): how long that takes.
define install
	@echo "Installing into $(VENV), $(2): $(subst ',,$(1))"
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install -q --compile-bytecode --python $(BIN)/python $(1); \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install -q --upgrade 'pip>=25.1' && \
	  $(BIN)/python -m pip install -q $(1); \
	fi
	@touch $@
endef

$(VENV)/.runs: pyproject.toml
	$(call install,$(RUN),about a minute)

$(VENV)/.ready: pyproject.toml
	$(call install,$(ALL),some minutes)
	@touch $(VENV)/.runs

# Written even where PYTHONDONTWRITEBYTECODE is set: every started process is quicker for it.
.PHONY: compiled
compiled: $(VENV)/.runs
	@$(BIN)/python -m compileall -q src

# First of all, because what follows may take a minute.
.PHONY: run-announced
run-announced:
	@echo "Stationmaster with a demo organization: http://127.0.0.1:$(PORT), data in $(DEMO_DIR)"

run: run-announced compiled ## Start the platform with a demo organization on http://127.0.0.1:8700.
	@$(BIN)/python examples/demo.py --data-dir $(DEMO_DIR) --port $(PORT)

# What some tests ask beside Python: a real nginx, a real Caddy, sshd and Chromium. As root on Debian they
# are installed where they are missing; without them those tests are skipped, and say so.
programs: servers browser ## Install nginx, Caddy, sshd and Chromium, as CI does (Debian, root).

.PHONY: servers
servers:
	@for program in nginx:nginx-light caddy:caddy sshd:openssh-server; do \
	  PATH="$$PATH:/usr/sbin" command -v $${program%:*} >/dev/null || \
	    { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	      { RUNLEVEL=1 apt-get install -y -q $${program#*:} >/dev/null 2>&1 || \
	        { apt-get update -q >/dev/null 2>&1 && RUNLEVEL=1 apt-get install -y -q $${program#*:} >/dev/null 2>&1; }; }; } || \
	    echo "No $${program%:*} here: its tests are skipped." >&2; \
	done

.PHONY: browser
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    { apt-get install -y -q chromium >/dev/null 2>&1 || \
	      { apt-get update -q >/dev/null 2>&1 && apt-get install -y -q chromium >/dev/null 2>&1; }; }; } || \
	  echo "No Chromium here: the browser tests are skipped." >&2

# To check types takes one core a minute. Meanwhile another one compiles the test modules, which
# each worker would do again; what is wrong with them the run itself says.
.PHONY: checked collected
checked: setup
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) -j2 lint collected

collected:
	@$(TESTED) pytest -qq --collect-only >/dev/null 2>&1 || true

test: checked ## Lint, check types and rooms, run the quick tests: some seven minutes on two cores.
	$(TESTED) pytest $(PARALLEL) --quick

test-all: checked ## The same with every test, on SQLite and PostgreSQL: what CI runs.
	$(TESTED) tests.everything $(PARALLEL) --durations 30 --durations-min 10

fuzz: setup ## Throw generated requests at every operation, in every phase, with each kind of key.
	$(BIN)/python -m pytest -s tests/fuzz/every_phase.py

laws: setup ## Hold a hundred random days and orders of arrival against each law of rollups.
	LAW_EXAMPLES=$${LAW_EXAMPLES:-100} $(BIN)/python -m pytest --timeout 3600 \
	  tests/aggregate/test_day_laws.py tests/aggregate/test_deliveries.py

lint: setup ## Format, lint, type and architecture checks.
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache >/dev/null || $(BIN)/lint-imports --no-cache

format: setup ## Format the code.
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .

$(VENV)/.bench: pyproject.toml
	$(call install,$(ALL) --group bench,some minutes)

bench: setup $(VENV)/.bench ## Measure beside limits and peers in one run; writes docs/benchmarks.md.
	$(BIN)/python -m benchmarks $(NAME)

chaos: setup ## Kill, starve and confuse real servers for as long as CHAOS says; writes docs/reliability.md.
	CHAOS=$${CHAOS:-50} $(BIN)/python -m pytest -s tests/chaos
	$(BIN)/python -m tests.chaos.report

attack: setup ## Try what attackers, hostile repositories and failing machines try; writes docs/security-tests.md.
	STATIONMASTER_TEST_ALL=1 $(BIN)/python -m pytest $(PARALLEL) -m attack -p tests.attack.report

pictures: setup browser ## Take the pictures of the pages for README.md and docs/web.md.
	$(BIN)/python -m tests.web.pictures

agents: setup ## Drive real agents from npm, from setup to undo, against a model of our own, without network.
	$(BIN)/python -m tests.agents_live.install
	unshare --net --map-root-user $(BIN)/python -m pytest -m agents tests/agents_live

soak: setup $(VENV)/.bench ## Run for SOAK_MINUTES (30) at half the capacity, then at twice; writes docs/reliability.md.
	$(BIN)/python -m benchmarks.soak --minutes $${SOAK_MINUTES:-30}

clean: ## Remove the virtual environment and the demo's data.
	rm -rf $(VENV) $(DEMO_DIR) benchmarks/.work
