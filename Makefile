# `make` or `make help` lists the targets. All work from a fresh clone with Python 3.11 or newer, venv and make.

PYTHON3 ?= python3
VENV ?= .venv
OLDEST_VENV ?= .venv-oldest
JOBS ?= 2
# Extra arguments for pip and pytest, for instance PIP_FLAGS="--find-links wheels" or ARGS="-k rules -x".
PIP_FLAGS ?=
ARGS ?=

PYTHON := $(VENV)/bin/python
PYTEST := $(PYTHON) -m pytest
PIP_INSTALL = $(PYTHON) -m pip install --quiet --disable-pip-version-check $(PIP_FLAGS) -c constraints.txt

VENV_STAMP := $(VENV)/.stamp-venv
MEASURE_STAMP := $(VENV)/.stamp-measure
DEV_STAMP := $(VENV)/.stamp-dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# --- Environments -----------------------------------------------------------------------------------------------------

$(VENV_STAMP):
	@$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; name one with PYTHON3=..." >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON3) --version)"
	@$(PYTHON3) -m venv $(VENV)
	@touch $@

$(MEASURE_STAMP): pyproject.toml constraints.txt | $(VENV_STAMP)
	@echo "Installing what measuring needs (no torch) into $(VENV)"
	@$(PIP_INSTALL) -e '.[measure]'
	@touch $@

# The development set includes the measuring set, hence both stamps.
$(DEV_STAMP): pyproject.toml constraints.txt | $(VENV_STAMP)
	@echo "Installing what training and testing need into $(VENV); this takes some minutes"
	@$(PIP_INSTALL) -e '.[train,render,dev]'
	@touch $(MEASURE_STAMP) $@

.PHONY: setup-benchmark setup
setup-benchmark: $(MEASURE_STAMP) ## Create .venv with what `benchmark` needs, without torch
setup: $(DEV_STAMP) ## Create .venv with what training and tests need

# --- Measuring --------------------------------------------------------------------------------------------------------

.PHONY: benchmark docs notebooks
benchmark: $(MEASURE_STAMP) ## Measure how hard Death Valley's solo AI is under each difficulty modifier
	@mkdir -p results
	$(PYTHON) -m training difficulty --json results/difficulty.json --plot results/difficulty.png $(ARGS)

docs: $(MEASURE_STAMP) ## Regenerate the tables in docs/
	$(PYTHON) -m training docs $(ARGS)

notebooks: $(DEV_STAMP) ## Execute the notebooks in full (some minutes; ARGS="modifiers": that one) and keep what they show
	$(PYTHON) -m tests.project.notebooks $(ARGS)

# --- Tests ------------------------------------------------------------------------------------------------------------

.PHONY: test test-long test-bounds test-generic test-oldest test-plain lint format
test: lint ## Check style and types, then run the tests
	$(PYTEST) -n $(JOBS) $(ARGS)

test-long: $(DEV_STAMP) ## Run the tests that take minutes
	$(PYTEST) -m long $(ARGS)

# Kernels compiled with bounds checks differ from the usual ones, so they are cached apart.
test-bounds: $(DEV_STAMP) ## Run the tests with bounds checks in compiled kernels
	NUMBA_BOUNDSCHECK=1 VALLEY_CACHE_DIR=$(CURDIR)/.cache/bounds $(PYTEST) -n $(JOBS) $(ARGS)

# Kernels and libraries round as on a processor without AVX and FMA; what has no such setting is left as it is.
test-generic: $(DEV_STAMP) ## Run the tests with the arithmetic of a plain processor
	NUMBA_CPU_NAME=generic NUMBA_CPU_FEATURES= ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE \
		OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA \
		VALLEY_CACHE_DIR=$(CURDIR)/.cache/generic $(PYTEST) -n $(JOBS) $(ARGS)

# No constraints.txt: pins of the lower bounds, with whatever pip chooses below them. Runs from the checkout.
test-oldest: ## Install the oldest releases that pyproject.toml allows into .venv-oldest, and play with them
	$(PYTHON3) -m venv $(OLDEST_VENV)
	$(OLDEST_VENV)/bin/python -m tests.project.oldest pins > $(OLDEST_VENV)/pins.txt
	$(OLDEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_FLAGS) -r $(OLDEST_VENV)/pins.txt
	$(OLDEST_VENV)/bin/python -m tests.project.oldest play

test-plain: $(DEV_STAMP) ## Run the tests marked `plain` without compiling anything
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n $(JOBS) -m 'plain and not long' $(ARGS)

lint: $(DEV_STAMP) ## Check style and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

format: $(DEV_STAMP) ## Format the code and apply the safe fixes
	$(PYTHON) -m ruff check --fix-only .
	$(PYTHON) -m ruff format .

# --- Packaging --------------------------------------------------------------------------------------------------------

.PHONY: wheel clean distclean
wheel: $(DEV_STAMP) ## Build the wheel and the sdist into dist/
	$(PYTHON) -m build --no-isolation --outdir dist .

clean: ## Remove caches and built distributions, keep .venv, results/ and runs/
	rm -rf build dist .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	find . \( -path './$(VENV)' -o -path './$(OLDEST_VENV)' \) -prune -o -name __pycache__ -type d -exec rm -rf {} +

distclean: clean ## Remove .venv and .venv-oldest as well
	rm -rf $(VENV) $(OLDEST_VENV)
