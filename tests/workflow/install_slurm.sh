#!/bin/sh
# Slurm and munge for `make test-slurm`, from Debian's packages, without starting anything.

stop() {
  echo "make test-slurm: Slurm is not installed and cannot be: $1" >&2
  exit 1
}

PATH="$PATH:/usr/sbin:/sbin"
missing=
for program in slurmctld slurmd munged sbatch; do
  command -v "$program" >/dev/null || missing=yes
done
[ "$missing" ] || exit 0
command -v apt-get >/dev/null || stop "no apt-get; install slurmctld, slurmd and munge yourself"
[ "$(id -u)" = 0 ] || stop "not root; as root: apt-get install slurm-wlm munge"

export RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive # RUNLEVEL: packages do not start their services
said=$(mktemp)
trap 'rm -f "$said"' EXIT
echo "installing Debian's slurm-wlm and munge"
{ apt-get update && apt-get install -y --no-install-recommends slurm-wlm munge; } >"$said" 2>&1 ||
  stop "apt-get: $(grep '^E:' "$said" | head -n 1)"
