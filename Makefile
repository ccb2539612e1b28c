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
#   make oldest  the tests with the oldest versions of all dependencies that pyproject.toml allows
#   make coverage  the tests, and the lines of Python that they reach, in coverage.xml
#   make bench   all speeds, as ratios in one run, to its end; writes benchmarks/results/, and says which
#                targets were missed and which parts were skipped or failed (SMALL=1 for a trial)
#   make clean   remove the environment and the caches, but no runs

PYTHON ?= python3
VENV ?= .venv
OLDEST ?= .venv-oldest
RUN ?= evolved/connect-four
TEST_WORKERS ?= 3
FUZZ_INPUTS ?= 1000000
FUZZ_SEED ?= 1
GUIDED_INPUTS ?= 250000
KILLS ?= 1000
BIN := $(VENV)/bin
# Else each of hundreds of processes would translate all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test lint tests oldest coverage reference docs docs-serve fuzz attack bench clean

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

# In three parts, one after the other: test processes keep all code that they have compiled, which would
# come to gigabytes each. All parts run, also after a failure; TESTS chooses tests, in one part.
PARTS := "tests/runs tests/cli" "tests/contracts tests/evolve tests/games tests/players"
in_parts = failed=0; rest=; for part in $(if $(TESTS),"$(TESTS)",$(PARTS)); do \
	  $(1) -n $(TEST_WORKERS) --dist worksteal $$part || failed=1; rest="$$rest $$part"; done; \
	$(if $(TESTS),,$(1) -n $(TEST_WORKERS) --dist worksteal \
	  $$(printf -- '--ignore=%s ' $$rest) || failed=1;) exit $$failed

tests: $(VENV)/.installed-test
	@$(call in_parts,$(BIN)/pytest -q)

oldest: $(OLDEST)/.installed-oldest
	@$(call in_parts,$(OLDEST)/bin/pytest -q -W ignore::DeprecationWarning)

coverage: $(VENV)/.installed-test
	$(BIN)/coverage erase
	@$(call in_parts,$(BIN)/pytest -q --cov --cov-append --cov-report=xml --cov-report=term)

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

$(VENV)/.installed: pyproject.toml setup.py $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[page,ratings]'
	@touch $@

$(VENV)/.installed-test: pyproject.toml setup.py $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml setup.py $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@ $(VENV)/.installed

# What pyproject.toml says is the least of each dependency, and of the extras that are not for
# developers alone, is made the only version allowed.
$(OLDEST)/.installed-oldest: pyproject.toml setup.py
	$(PYTHON) -m venv $(OLDEST)
	$(PYTHON) -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	extras = project["optional-dependencies"]; print(*project["dependencies"], *extras["page"], \
	*extras["ratings"], *extras["studies"], sep="\n")' | sed 's/>=/==/' > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check --no-compile \
	--constraint $(OLDEST)/oldest.txt --editable '.[test]'
	@touch $@
