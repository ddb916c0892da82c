# shellcheck shell=sh
# Machines for tests. container.sh and bare.sh read this file, at the top of the repository.
# A machine is a fresh Debian in a chroot of buildah. Its files lie in one directory, its processes and
# mounts in namespaces of their own. So nothing stays behind, however a test ends.

target="test-$(basename "$0" .sh)"

stop() {
  echo "make $target: $1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || stop "only root can make a fresh Debian; run this as root, on a machine of your own"
sh tests/machines/install.sh "$target" "buildah mmdebstrap" buildah mmdebstrap || exit 1

umask 022 # the user of a machine reads what root writes here
child=
offline= # anything: what runs from now on has no network
work=$(mktemp -d "${TMPDIR:-/var/tmp}/amg-$target.XXXXXX")
mkdir "$work/tmp"
export TMPDIR="$work/tmp"

finish() {
  [ -z "$child" ] || kill -KILL "$child" || :
  wait
  rm -rf "$work" 2>/dev/null || { sleep 2 && rm -rf "$work"; } # what was killed may take a moment
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Run a command in the background, so that a signal is answered at once. The command ends with its parent.
# Inside, a shell is process 1. As on a real machine, it buries those whose parents have died.
enclosed() {
  # shellcheck disable=SC2016 # that shell's own words
  unshare --mount --pid --fork --kill-child --mount-proc ${offline:+--net} \
    sh -c '"$@" & wait "$!"' sh "$@" </dev/null &
  child=$!
  wait "$child" && code=0 || code=$?
  child=
  return "$code"
}

machine() {
  enclosed buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}

# fresh_debian NAME [PACKAGES]: Debian's smallest system, and packages separated by commas.
fresh_debian() {
  echo "making a fresh Debian"
  enclosed mmdebstrap --quiet --variant=minbase ${2:+"--include=$2"} bookworm "$work/debian.tar"
  machine from --name "$1" scratch >/dev/null
  machine add --quiet "$1" "$work/debian.tar" / >/dev/null
  rm "$work/debian.tar"
}

pip_setting() {
  .venv/bin/python -m pip config get ":env:.$1" || .venv/bin/python -m pip config get "global.$1"
} 2>/dev/null

# online build|run …: with the settings of this machine for pip, if it needs any to reach the packages: a
# mirror, a proxy, certificates. They are mounted, so that an image gets empty files at most.
online() {
  command=$1
  shift
  echo "[global]" >"$work/pip.conf"
  for name in index-url extra-index-url trusted-host proxy; do
    value=$(pip_setting "$name") || continue
    case $value in
      *file:*) ;; # a directory of this machine
      *) echo "$name = $value" >>"$work/pip.conf" ;;
    esac
  done
  certificates=$(pip_setting cert) || certificates=
  if [ "$certificates" ]; then
    echo "cert = /run/certificates.pem" >>"$work/pip.conf"
    set -- --volume "$certificates:/run/certificates.pem:ro" "$@"
  fi
  machine "$command" --isolation chroot --volume "$work/pip.conf:/etc/pip.conf:ro" "$@"
}
