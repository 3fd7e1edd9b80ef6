# The two commands are `make demo` and `make test`; both install what they need into .venv and can be run again.
PYTHON ?= python3
BIN := .venv/bin
RUNS := .venv/installed-to-run
TESTS := .venv/installed-to-test
INSTALL := $(BIN)/python -m pip install -q -c constraints.txt

.PHONY: demo docs test test-full lint bench wheel clean

demo: $(RUNS)
	$(BIN)/serpenoid demo --out demo

test: $(TESTS) lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-full: $(TESTS) lint
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "full or not full"

lint: $(TESTS)
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/lint-imports
	$(BIN)/mypy

# The documentation site, in site/; strict: a broken link or reference fails.
docs: $(TESTS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build -q --strict

bench: $(TESTS)
	$(BIN)/serpenoid bench

wheel: $(RUNS)
	$(BIN)/pip wheel -q --no-deps -w dist .

# The package and what it needs to run; the tests and peers on top of it.
$(RUNS): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e .
	touch $@

$(TESTS): $(RUNS)
	$(INSTALL) -e ".[test]"
	touch $@

clean:
	rm -rf .venv build dist demo out
