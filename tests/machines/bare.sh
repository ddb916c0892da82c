#!/bin/sh
# `make test-bare`: a fresh clone, on a fresh Debian with nothing but what README.md asks for, as an ordinary
# user. Runs a part that takes minutes; `make test-bare ALL=yes` runs `make figures` and `make test`.
set -eu
cd "$(dirname "$0")/../.."
. tests/machines/machine.sh

if [ "${ALL:-}" ]; then
  commands="make figures && make test"
else
  commands="make smoke && make verify && .venv/bin/pytest -n 2 tests/evaluation tests/exact"
fi
[ -z "$(git status --porcelain)" ] || echo "what is not committed is not tested"
git bundle create --quiet "$work/repository.bundle" HEAD

fresh_debian bare python3,python3-venv,make,git
machine run --isolation chroot bare -- useradd --create-home someone
online run --user someone --workingdir /home/someone --env HOME=/home/someone \
  --volume "$work/repository.bundle:/repository.bundle:ro" bare -- \
  sh -exc "git -c advice.detachedHead=false clone --quiet /repository.bundle amg && cd amg && $commands && git status --short"
echo "passed on a bare machine: $commands"
