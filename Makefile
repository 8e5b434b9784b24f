# Everything a person types; `make` alone lists it. Needs Linux, make and Python 3.11, 3.12 or 3.13.
#
# Variables: CORES=8, CONFIG=path/to/config.yaml, EXTRAS="slurm models", PYTHON=/path/to/python3,
# ARGS="more arguments of the program that the target calls".

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Without compiled files, which uv leaves to the first import, every process would compile all packages anew.
unexport PYTHONDONTWRITEBYTECODE

CORES ?= all
CONFIG ?=
ARGS ?=
EXTRAS ?=
UV ?= uv

RUN := workflow/run --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG))
ASSAY := .venv/bin/assay
PYTEST := .venv/bin/python -m pytest
# More workers than this would only fight over memory: a test may hold a whole build.
PARALLEL := --numprocesses logical --maxprocesses 8 --dist worksteal
UV_COMPILE := $(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-header --no-annotate \
	--python-version 3.11 --universal --fork-strategy fewest --overrides overrides.txt --excludes excludes.txt

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## make .venv from the locks (does nothing the second time)
	@envs/install $(EXTRAS)

.PHONY: reproduce
reproduce: setup ## build every table, figure and page, then compare with the frozen manifest
	@$(RUN) $(ARGS) -- all
	@$(ASSAY) store trim
	@$(ASSAY) verify

.PHONY: verify
verify: setup ## compare what is built with the frozen manifest; builds nothing
	@$(ASSAY) verify $(ARGS)

.PHONY: freeze
freeze: setup ## make what is built the frozen manifest (results/MANIFEST)
	@$(ASSAY) freeze $(ARGS)

.PHONY: fresh
fresh: setup ## make a private task set: ASSAY_SECRET_FILE=file make fresh SET=suite/set
	@[[ "$(SET)" == */* ]] || { printf 'error: SET names no task set\nremedy: make fresh SET=suite/set\n' >&2; exit 1; }
	@[[ -f "$${ASSAY_SECRET_FILE:-}" ]] || { printf 'error: ASSAY_SECRET_FILE names no file\nremedy: %s\n' \
		'write a secret to a file of your own, then ASSAY_SECRET_FILE=that/file make fresh SET=$(SET)' >&2; exit 1; }
	@$(ASSAY) tasks $(subst /, ,$(SET)).private $(ARGS)

.PHONY: record-demo
record-demo: ## let a small real model play one task of each suite, live (minutes; keeps nothing in recordings/)
	@$(MAKE) --no-print-directory setup EXTRAS="local $(EXTRAS)"
	@rm -rf .cache/demo
	@$(ASSAY) record smollm2 --tasks 1 --turns 3 --recordings .cache/demo
	@find .cache/demo -name '*.jsonl' -print0 | sort -z | xargs -0 -n 1 $(ASSAY) replay

.PHONY: test
test: setup ## the tests that take minutes in all (ARGS="-k name" for some of them)
	@envs/install test
	@$(PYTEST) $(PARALLEL) -m "not full and not soak" $(ARGS)

.PHONY: test-full
test-full: setup ## those, and the ones that take minutes each
	@envs/install test
	@$(PYTEST) $(PARALLEL) -m "not soak" $(ARGS)

.PHONY: soak
soak: setup ## the tests that take hours
	@envs/install test
	@$(PYTEST) -m soak $(ARGS)

.PHONY: mutants
mutants: setup ## small errors put into scoring, audit, digest and replay: do the tests notice? (ARGS="replay" for one)
	@envs/install test
	@PYTHONPATH=. .venv/bin/python -m tests.mutation $(ARGS)

.PHONY: bench
bench: setup ## the benchmarks; the figures are kept in .benchmarks/
	@envs/install test
	@$(PYTEST) benchmarks -p no:xdist --benchmark-only --benchmark-autosave $(ARGS)

.PHONY: lint
lint: ## style, types, and which package imports which
	@envs/install dev test
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/snakefmt --line-length 110 --check Snakefile rules
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo --no-cache
	@! git grep -nE 'py[p]i\.|py[t]honhosted|anaconda\.[o]rg|(^|[^[:alnum:]_.])/([r]oot|[h]ome|[w]ork|[U]sers)/' \
		|| { printf 'error: an address of a registry, or a path of one machine, is in the tree\nremedy: remove it\n' >&2; exit 1; }
	@! git ls-files --cached --ignored --exclude-standard | grep . \
		|| { printf 'error: a file that .gitignore names is in the tree\nremedy: git rm --cached FILE\n' >&2; exit 1; }

.PHONY: format
format: ## bring source and rules into the project's style
	@envs/install dev
	@.venv/bin/ruff check --fix-only --quiet .
	@.venv/bin/ruff format --quiet .
	@.venv/bin/snakefmt --line-length 110 Snakefile rules

.PHONY: docs
docs: ## write the documentation as a site to .cache/site (docs/ as pages, reference of the public modules)
	@$(MAKE) --no-print-directory setup EXTRAS=docs
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet $(ARGS)
	@echo "open .cache/site/index.html"

.PHONY: lock
lock: ## resolve envs/*.in anew into envs/*.lock (needs uv; ARGS=--upgrade for new versions)
	@command -v $(UV) >/dev/null || { printf 'error: uv is not installed\nremedy: pip install uv, or make lock UV=/path/to/uv\n' >&2; exit 1; }
	@cd envs && for name in base $$(ls *.in | sed 's/\.in$$//' | grep -vx base); do \
		echo "envs/$$name.lock"; $(UV_COMPILE) $(ARGS) $$name.in --output-file $$name.lock; done

.PHONY: sbom
sbom: ## write the software bill of materials of the locks (CycloneDX) to sbom.cdx.json
	@python3 envs/bill_of_materials.py >sbom.cdx.json.new && mv sbom.cdx.json.new sbom.cdx.json
	@echo "sbom.cdx.json is written"

.PHONY: audit
audit: ## ask a database of known vulnerabilities about every locked package (needs a network)
	@$(MAKE) --no-print-directory setup EXTRAS=audit
	@for lock in envs/*.lock; do echo "$$lock"; \
		.venv/bin/pip-audit --strict --progress-spinner off --disable-pip --require-hashes --requirement $$lock $(ARGS) || \
		{ printf 'error: pip-audit found something in %s, or reached no database\nremedy: %s\n' $$lock \
		'read what it says above: take a newer version (make lock ARGS=--upgrade), or run where there is a network' >&2; \
		exit 1; }; done

.PHONY: clean
clean: ## remove what was built (spares results/MANIFEST, recordings and the content store)
	@mkdir -p results reports
	@find results reports -mindepth 1 -maxdepth 1 ! -path results/MANIFEST -exec rm -rf {} +
	@rm -rf .snakemake

.PHONY: clean-all
clean-all: clean ## and the content store, the caches and .venv
	@rm -rf .store .cache .venv .benchmarks .pytest_cache .mypy_cache .ruff_cache .hypothesis
