# Each target wraps one command, after making sure that .venv holds exactly requirements.lock.
# It works with the GNU make 3.81 of macOS.

PYTHON ?= python3
LOCK   := requirements.lock
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SWEEPS := $(wildcard config/sweeps/*.yaml)
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --use-pep517
RUN    := PATH="$(CURDIR)/$(BIN):$$PATH"# as if .venv were active, for commands that jobs run
# The profile is the one Snakemake finds by itself; named, it is announced in a line of 80 columns.
SNAKE  := $(RUN) snakemake --workflow-profile none --profile profiles/default
UV     := $(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation

# Without compiled bytecode every import is several times slower.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help env lock test test-all test-browser test-slurm test-container test-bare lint bench check figures smoke sweep sweeps multiverse freeze confirm claims verify reference report crate docs docs-site clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile
	@echo "VERBOSE=1 make … shows what Snakemake itself says."

env: $(READY) ## Build .venv from the lock (the targets below do it when needed; PYTHON=… chooses)

# A half-built environment is replaced: --clear first, the stamp last. Only locked packages are
# fetched: setuptools comes first, from the lock, and builds use it instead of fetching their own.
# uv takes seconds where pip takes a minute, but it does not know pip's settings, such as a mirror.
# Where uv fails, pip installs the same lock.
$(READY): $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo "make: $(PYTHON) is not Python 3.11, 3.12 or 3.13; choose one: make env PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "make: $(PYTHON) lacks the venv module; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@command -v which >/dev/null || \
	  { echo "make: the command 'which' is missing, and a plugin of Snakemake needs it; on Fedora: dnf install which" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@for name in setuptools uv; do sed -n "/^$$name==/,/[^\\]$$/p" $(LOCK); done > $(VENV)/first.txt
	$(PIP) --require-hashes -r $(VENV)/first.txt
	$(UV) --require-hashes -r $(LOCK) || { echo "uv failed, pip takes over"; $(PIP) --require-hashes -r $(LOCK); }
	$(UV) --no-index --no-deps --editable .
	@touch $@

lock: $(READY) ## Rewrite requirements.lock after a change to pyproject.toml
	@# One version per package on every Python and platform, so that results can be compared;
	@# pins stay where they are unless --upgrade is added.
	$(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --all-extras pyproject.toml -o $(LOCK)

test: $(READY) ## Run the tests, without the slow ones
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow"

test-all: $(READY) ## Run every test
	$(BIN)/pytest

test-browser: $(READY) ## Open both reports in Chromium (after `make report`; Debian package chromium)
	@command -v chromium >/dev/null || { echo "make: no chromium; on Debian: apt-get install chromium" >&2; exit 1; }
	$(BIN)/pytest tests/report

# With Slurm from Debian, which it installs where that is possible (docs/cluster.md).
test-slurm: $(READY) ## Run the smoke study on a real Slurm of one node and compare every byte
	@sh tests/machines/install.sh test-slurm "slurm-wlm munge" slurmctld slurmd munged sbatch
	$(BIN)/pytest -s -m slurm tests/workflow

test-container: $(READY) ## Build the Dockerfile, run it without network and compare every byte (root)
	@sh tests/machines/container.sh

test-bare: $(READY) ## Run a fresh clone on a bare Debian as an ordinary user (root; ALL=yes: all of it)
	@ALL="$(ALL)" sh tests/machines/bare.sh

lint: $(READY) ## Check style, formatting, types and layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow
	$(RUN) snakemake --lint
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) ## Measure the speed of the kernels (results/bench.json)
	$(BIN)/amg bench

check: $(READY) ## Check configs, claims, sweeps and game files (FILES=…)
	$(BIN)/amg check $(or $(FILES),config/config.yaml config/claims.yaml)

figures: $(READY) ## Run the whole study and draw its figures
	@$(SNAKE) -c all

smoke: $(READY) ## Run the study in miniature, to see that everything works
	@$(SNAKE) -c all --configfile config/smoke.yaml

# Make hands SWEEP on in the environment, where no character of a file name is special.
sweep: $(READY) ## Run a parameter sweep: make sweep SWEEP=config/sweeps/NAME.yaml
	@test -n "$$SWEEP" || { echo "make: name a sweep, as in: make sweep SWEEP=$(firstword $(SWEEPS))" >&2; exit 1; }
	@$(SNAKE) -c all --config sweep="$$SWEEP"

sweeps: $(READY) ## Run every sweep in config/sweeps, one after another
	@for sweep in $(SWEEPS); do $(MAKE) --no-print-directory sweep SWEEP=$$sweep || exit 1; done

multiverse: $(READY) ## Judge every claim in every reading of the paper (figures/multiverse)
	@$(SNAKE) -c all --config multiverse=config/multiverse.yaml

freeze: $(READY) ## Write the digests of thresholds, rules and analysis (config/frozen.json; commit it)
	$(BIN)/amg freeze

confirm: $(READY) ## Run the confirmatory study: new seeds, new games (figures/confirmation)
	@$(SNAKE) -c all --configfile config/confirm.yaml

claims: $(READY) ## Judge the paper's claims from the study (figures/claims.json, results/claims.md)
	@$(SNAKE) -c all figures/claims.json

verify: $(READY) ## Evaluate the certificates in reference/ again and compare (FILES=… others)
	$(BIN)/amg verify $(FILES)

reference: $(READY) ## Take the certificates in reference/ from the finished study
	$(BIN)/amg verify --record results

report: $(READY) ## Make the two reports, results/report/claims.html and snakemake.html
	@$(SNAKE) -c all report
	@$(SNAKE) report --quiet all --report results/report/snakemake.html \
	  --report-stylesheet workflow/report/report.css
	@echo "Snakemake's own report: results/report/snakemake.html"

crate: $(READY) ## Pack the study, finished first if need be, into results/crate.zip (an RO-Crate)
	@$(SNAKE) -c all all report
	$(BIN)/amg crate

docs: $(READY) ## Write the generated parts of README.md, docs/ and config/ again
	$(BIN)/amg docs

docs-site: $(READY) ## Build the documentation site, build/site/index.html
	rm -rf build/site build/doctrees
	$(RUN) sphinx-build --quiet --fail-on-warning --doctree-dir build/doctrees docs build/site
	@echo "open build/site/index.html"

clean: ## Delete results and caches (not .venv)
	rm -rf results .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis build
	find src tests workflow -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
