# Two commands do all the set-up: `make bench` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed

.PHONY: bench test test-all lint clean

bench: $(READY)
	$(BIN)/dfl-bench run --suite quick --store results/quick.sqlite
	$(BIN)/dfl-bench leaderboard --store results/quick.sqlite --html results/quick.html

# BLAS threads are pinned: two of them on small batches only wait for each other.
test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow"

test-all: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The stamp makes a second `make` reuse the environment until a version changes.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dfl-bench needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,references]'
	touch $(READY)

clean:
	rm -rf $(VENV) .asv .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
