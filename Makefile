# All commands set everything up by themselves in .venv; Python 3.11+ and git are all they need.
PYTHON ?= python3
# Bytecode is kept, whatever is usual here: tests start many processes, each of which would compile everything again.
export PYTHONDONTWRITEBYTECODE :=
VENV := .venv
BIN := $(VENV)/bin
# The layers' tests in PyTorch run where it can be imported: TORCH=torch==2.13.0 installs it, too.
TORCH ?=
# So do the tests on a Ray cluster: RAY='ray[client]==2.60.0' installs it (84 MB).
RAY ?=
# And those that compile the kernels for cards, which need no card: NVRTC=nvidia-cuda-nvrtc-cu12 installs their compiler (89 MB).
NVRTC ?=

.PHONY: demo test docs docs-serve checks kernels browser format pythons oldest clean

demo: $(VENV)/ready
	@$(BIN)/python examples/demo.py

test: $(VENV)/ready-test browser
	@$(MAKE) --no-print-directory -j 2 checks kernels
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# The documentation as a site that needs no network; links and anchors that lead nowhere are errors.
docs: $(VENV)/ready-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "open site/index.html in a browser"

docs-serve: $(VENV)/ready-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

checks: $(VENV)/ready-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Compiled beside the checks, and kept: each of the two processes of the tests would compile it all.
kernels: $(VENV)/ready-test
	@$(BIN)/python tests/kernels.py

# The tests of the pages need a browser; it is installed where that is possible without asking.
browser:
	@command -v chromedriver >/dev/null 2>&1 || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
			apt-get update -qq && apt-get install -y -qq chromium chromium-driver >/dev/null; \
		else echo "no browser: its tests will be skipped (apt-get install chromium chromium-driver)"; \
		fi; } || true

format: $(VENV)/ready-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Before a release: the wheel in an empty environment, on every Python that is found and with the oldest
# dependencies that pyproject.toml allows. Both download what they install.
pythons oldest: $(VENV)/ready
	$(BIN)/python benchmarks/installed.py $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "anc needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/ready: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/ready-test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test]' $(TORCH) $(RAY) $(NVRTC)
	@touch $@ $(VENV)/ready

$(VENV)/ready-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@ $(VENV)/ready

clean:
	rm -rf $(VENV) site .mypy_cache .pytest_cache .ruff_cache .hypothesis
