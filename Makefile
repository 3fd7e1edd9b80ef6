# The two commands are `make demo` and `make test`; both install what they need into .venv and can be run again.
PYTHON ?= python3
BIN := .venv/bin
RUNS := .venv/installed-to-run
TESTS := .venv/installed-to-test
INSTALL := $(BIN)/python -m pip install -q -c constraints.txt

.PHONY: demo docs test test-full lint browser bench wheel clean

demo: $(RUNS)
	$(BIN)/serpenoid demo --out demo

# Files in their order: those with few but long tests would else come last, one worker waiting for the other.
test: $(TESTS) lint browser
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -rs

test-full: $(TESTS) lint browser
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -rs -m "full or not full"

lint: $(TESTS)
	$(BIN)/ruff check src tests examples tools
	$(BIN)/ruff format --check src tests examples tools
	$(BIN)/lint-imports & layers=$$!; $(BIN)/mypy; types=$$?; wait $$layers && exit $$types

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

# The package and what it needs to run.
$(RUNS): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e .
	touch $@

# The same with tests and peers, in one go, instead of one after the other.
$(TESTS): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e ".[test]"
	touch $(RUNS) $@

clean:
	rm -rf .venv build dist demo out
