#!/bin/sh
# `make test-container`: build the Dockerfile on a fresh Debian, run the study in miniature in it without a
# network, and compare every byte with the results of `make smoke` here.
set -eu
cd "$(dirname "$0")/../.."
. tests/machines/machine.sh

make --no-print-directory smoke

# digests DIRECTORY: of every result, but for the account of time and place.
digests() {
  (cd "$1/results/smoke" && find . -type f ! -path './logs/*' ! -path './benchmarks/*' \
    ! -name timing.csv ! -name provenance.json -exec sha256sum {} +) | LC_ALL=C sort -k 2
}

fresh_debian base
machine commit --quiet --rm base localhost/base >/dev/null

echo "building the image"
online build --pull-never --build-arg BASE=localhost/base --tag localhost/amg .

offline=yes
machine from --pull-never --name amg localhost/amg >/dev/null
machine run --isolation chroot amg -- python3 -c "
import os, socket
from pathlib import Path
assert os.getuid() != 0, 'the image runs as root'
assert [name for _, name in socket.if_nameindex()] == ['lo'], 'there is a network'
for path in map(Path, ('/etc/pip.conf', '/run/certificates.pem')):
    assert not path.exists() or not path.read_bytes(), f'the image holds {path} of this machine'
print('an ordinary user, no network')
"
machine run --isolation chroot amg -- make smoke verify

machine mount amg >"$work/root"
digests . >"$work/here"
digests "$(cat "$work/root")/amg" >"$work/there"
[ -s "$work/here" ] || stop "there are no results in results/smoke"
diff "$work/here" "$work/there" ||
  stop "results differ (< here, > in the container); older ones may be left in results/smoke: delete it, try again"
echo "$(wc -l <"$work/here") files with the same bytes as here"
