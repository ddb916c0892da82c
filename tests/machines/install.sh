#!/bin/sh
# Installs what a test needs from Debian: install.sh TARGET PACKAGES PROGRAM…
# Nothing happens if all programs are there. No service is started.

target=$1 packages=$2
shift 2
stop() {
  echo "make $target: $missing is not installed and cannot be: $1" >&2
  exit 1
}

PATH="$PATH:/usr/sbin:/sbin"
missing=
for program; do
  command -v "$program" >/dev/null || missing=$program
done
[ "$missing" ] || exit 0
command -v apt-get >/dev/null || stop "no apt-get; install $* yourself"
[ "$(id -u)" = 0 ] || stop "not root; as root: apt-get install $packages"

export RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive # RUNLEVEL: packages do not start their services
said=$(mktemp)
trap 'rm -f "$said"' EXIT
echo "installing Debian's $packages"
# shellcheck disable=SC2086 # several packages
{ apt-get update && apt-get install -y --no-install-recommends $packages; } >"$said" 2>&1 ||
  stop "apt-get: $(grep '^E:' "$said" | head -n 1)"
