# The two commands are `make demo` and `make test`; both install what they need into .venv and can be run again.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

.PHONY: demo test test-full lint bench wheel clean

demo: $(STAMP)
	$(BIN)/serpenoid demo --out demo

test: $(STAMP) lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-full: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "full or not full"

lint: $(STAMP)
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/serpenoid bench

wheel: $(STAMP)
	$(BIN)/pip wheel -q --no-deps -w dist .

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[test]"
	touch $@

clean:
	rm -rf .venv build dist demo out
