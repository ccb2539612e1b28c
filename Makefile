# Everything that a fresh machine with Python needs: each target makes the virtual environment
# itself, the first time.
#
#   make run     evolve a Connect Four player; ends with a plot, a bot and a table
#   make test    all checks: formatting, types, the layers, the tests
#   make reference  what the documentation has of the code: recipes, commands, Python, games
#   make docs    the documentation as a site, in site/ (make docs-serve: while it is written)
#   make fuzz    a million hostile inputs for the parsers (FUZZ_INPUTS=10000 for fewer), and a quarter
#                more led by coverage where libFuzzer installs (GUIDED_INPUTS)
#   make attack  a thousand runs killed at random instants, each resumed to the same bits (KILLS=30)
#   make bench   all speeds, as ratios in one run, to its end; writes benchmarks/results/, and says which
#                targets were missed and which parts were skipped or failed (SMALL=1 for a trial)
#   make clean   remove the environment and the caches, but no runs

PYTHON ?= python3
VENV ?= .venv
RUN ?= evolved/connect-four
TEST_WORKERS ?= 3
FUZZ_INPUTS ?= 1000000
FUZZ_SEED ?= 1
GUIDED_INPUTS ?= 250000
KILLS ?= 1000
BIN := $(VENV)/bin
# Else each of hundreds of processes would translate all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test lint tests reference docs docs-serve fuzz attack bench clean

run: $(VENV)/.installed
	@if [ -e $(RUN) ]; then $(BIN)/evolve resume $(RUN); \
	else $(BIN)/evolve start connect-four --run $(RUN); fi
	@$(BIN)/evolve plot $(RUN)
	@$(BIN)/evolve export $(RUN) --to python
	@$(BIN)/evolve evaluate run:$(RUN) --seed 1

test: lint tests

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

tests: $(VENV)/.installed-test
	$(BIN)/pytest -q -n $(TEST_WORKERS) --dist worksteal

reference: $(VENV)/.installed
	$(BIN)/python -m docs.generate

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "$(CURDIR)/site/index.html (to search, too: python3 -m http.server -d site)"

docs-serve: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

fuzz: $(VENV)/.installed-test
	$(BIN)/python -m tests.fuzz --inputs $(FUZZ_INPUTS) --seed $(FUZZ_SEED) --workers $(TEST_WORKERS)
	@if $(BIN)/pip install --quiet --disable-pip-version-check --editable '.[fuzz]'; then \
	$(BIN)/python -m tests.fuzz --guided --inputs $(GUIDED_INPUTS) --seed $(FUZZ_SEED) \
	--workers $(TEST_WORKERS); else echo "no atheris here: nothing is led by coverage"; fi

attack: $(VENV)/.installed-test
	KILLS=$(KILLS) $(BIN)/pytest -q -s -n 0 -o faulthandler_timeout=0 tests/attack

bench: $(VENV)/.installed-test
	$(BIN)/python -m benchmarks $(if $(SMALL),--small)

clean:
	rm -rf $(VENV) site .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: setup.py $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[page,ratings]'
	@touch $@

$(VENV)/.installed-test: setup.py $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: setup.py $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@ $(VENV)/.installed
