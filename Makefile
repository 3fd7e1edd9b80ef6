# The two commands are `make demo` and `make test`; both install what they need into .venv and can be run again.
PYTHON ?= python3
BIN := .venv/bin
RUNS := .venv/installed-to-run
TESTS := .venv/installed-to-test
# A current pip installs in half the time of that of Python 3.11.
VENV := test -x $(BIN)/python || { $(PYTHON) -m venv .venv && $(BIN)/python -m pip install -q -U -c constraints.txt pip; }
# Python compiles modules when they are first imported; pip would compile all of them.
INSTALL := $(BIN)/python -m pip install -q --no-compile -c constraints.txt

.PHONY: demo docs test test-full lint ready browser bench wheel release clean

demo: $(RUNS)
	$(BIN)/serpenoid demo --out demo

# Tests, with lint beside them: its output appears as one block when it ends, and its failure fails the command at the
# end. Three workers keep two cores busy while some tests wait for real time.
test: ready
	$(call lint-beside,$(PYTEST))

test-full: ready
	$(call lint-beside,$(PYTEST) -m "full or not full")

PYTEST := $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -rs
define lint-beside
@{ nice $(MAKE) -s --no-print-directory lint >.venv/lint.log 2>&1; code=$$?; cat .venv/lint.log; exit $$code; } & lint=$$!; \
  $(1); tests=$$?; wait $$lint || { echo "lint failed: see .venv/lint.log" >&2; exit 1; }; exit $$tests
endef

lint: $(TESTS)
	$(BIN)/ruff check src tests examples tools
	$(BIN)/ruff format --check src tests examples tools
	$(BIN)/lint-imports & layers=$$!; $(BIN)/mypy; types=$$?; wait $$layers && exit $$types

# Packages and the browser, side by side.
ready:
	@$(MAKE) -s -j 2 --no-print-directory $(TESTS) browser

# The page is tested in the system's chromium; where it cannot be had, the tests that need it are left out and say so.
browser:
	@command -v chromium >/dev/null || (apt-get -qq update && apt-get -qq install -y chromium) >/dev/null 2>&1 \
	  || echo "no chromium here, and it cannot be installed: the tests of the page in a browser are left out"

# The documentation site, in site/; strict: a broken link or reference fails.
docs: $(TESTS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build -q --strict

bench: $(TESTS)
	$(BIN)/serpenoid bench

# The wheel with its kernels compiled, for this Python and processors of level x86-64-v3: some minutes.
wheel: $(RUNS)
	$(BIN)/python tools/compiled_wheel.py

# Both wheels in dist/, checked, and each installed into an empty environment and run.
release: $(RUNS)
	$(INSTALL) -e ".[release]"
	$(BIN)/python tools/release.py

# The package and what it needs to run.
$(RUNS): pyproject.toml constraints.txt
	$(VENV)
	$(INSTALL) -e .
	touch $@

# The same with tests and peers, in one go, instead of one after the other.
$(TESTS): pyproject.toml constraints.txt
	$(VENV)
	$(INSTALL) -e ".[test]"
	touch $(RUNS) $@

clean:
	rm -rf .venv build dist demo out
