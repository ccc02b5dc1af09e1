# Two commands do all the set-up: `make bench` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed

.PHONY: bench test quick-test lint docs wheel lock asv gpu clean

bench: $(READY)
	$(BIN)/dfl-bench run --suite quick --store results/quick.sqlite
	@$(BIN)/dfl-bench leaderboard --store results/quick.sqlite --html results/quick.html >/dev/null
	@echo "The page is results/quick.html."

# BLAS threads are pinned: two of them on small batches only wait for each other. What is timed runs alone.
test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/benchmarks
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/benchmarks --benchmark-autosave

quick-test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m "not slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, for a server or for reading from files: build/site/index.html. A warning or a dead link fails.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/python -m tools.check_site build/site

# Without what an earlier build has left: a deleted module would still be in the wheel.
wheel: $(READY)
	rm -rf build/lib build/bdist.*
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

# One sample of every benchmark in the working environment. The page needs a server, which runs until Ctrl-C.
asv: $(READY)
	$(BIN)/asv machine --yes
	$(BIN)/asv run --python=same --quick --set-commit-hash=$$(git rev-parse HEAD)
	$(BIN)/asv publish
	@echo "the page is in .asv/html; $(BIN)/asv preview --browser opens it"
	@if [ -n "$$DISPLAY" ]; then $(BIN)/asv preview --browser; fi

# For whoever has a GPU; without one it says so and fails.
gpu: $(READY)
	$(BIN)/python -m benchmarks.gpu
	$(BIN)/python -m pytest -m cuda

# The stamp makes a second `make` reuse the environment until a version changes.
# Every file is checked against its hash. requirements.lock has the CPU build of torch, which the package index
# does not have; where pip finds no such build, it takes the other lock, with the CUDA build (gigabytes).
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
$(READY): pyproject.toml requirements.lock requirements-cuda.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dfl-bench needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements.lock || { \
	  echo "requirements.lock could not be installed, see above; trying requirements-cuda.lock."; \
	  $(INSTALL) --require-hashes -r requirements-cuda.lock; }
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $(READY)

# Writes both lock files again after a change of pyproject.toml; `make lock UPGRADE=--upgrade` takes the newest
# versions. pip must see the CPU build of torch. It downloads both builds, so allow ten minutes.
lock:
	$(PYTHON) tools/lock.py $(UPGRADE)

clean:
	rm -rf $(VENV) build dist .asv .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
