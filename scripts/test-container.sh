#!/usr/bin/env bash
# Builds the image of the Containerfile and runs an agent in it as its compose file does: as user 1000, on a root file system that cannot be
# written to, with a new state folder and a source that is mounted read-only. Needs no container engine: buildah with chroot isolation, as root.
# usage: scripts/test-container.sh [BASE]    BASE: an image with node 20.12 or later and npm, such as docker.io/library/node:22-slim;
#                                            without it one is made of the node and npm of this machine
# Ends with 77 and a reason where it cannot be run.
set -euo pipefail
base=${1:-}
root=$(cd "$(dirname "$0")/.." && pwd)
cannot() { echo "$1" >&2; exit 77; }
[ "$(id -u)" = 0 ] || cannot 'a container is run as root'
command -v buildah >/dev/null || cannot 'there is no buildah'
work=$(mktemp -d)
build() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }
finish() {
  ! mountpoint -q "$work/root" || umount -R "$work/root"
  # Whatever is still mounted there is not ours to remove.
  rm -rf --one-file-system "$work"
}
trap finish EXIT

put() { mkdir -p "$made$(dirname "$2")"; cp -L "$1" "$made$2"; }
if [ -z "$base" ]; then
  base=localhost/base
  container=$(build from scratch) && made=$(build mount "$container") || cannot 'buildah may not make an image'
  for name in node sh env ln mkdir chown chmod touch; do
    program=$(command -v "$name")
    [ "$name" != node ] || program=$(node -p process.execPath)
    put "$program" "/usr/bin/$name"
    ldd "$program" | grep -o '/[^ ]*' | while read -r library; do put "$library" "$library"; done
  done
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  [ -f "$npm/bin/npm-cli.js" ] || cannot "npm is not where its command leads to: $npm"
  mkdir -p "$made"/{bin,dev,proc,tmp,root,usr/local/bin,usr/lib/node_modules}
  cp -a "$npm" "$made/usr/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$made/usr/bin/npm"
  ln -s ../usr/bin/sh "$made/bin/sh"
  settings=(--env PATH=/usr/local/bin:/usr/bin:/bin --env "npm_config_registry=$(npm config get registry)")
  authorities=${NODE_EXTRA_CA_CERTS:-}
  [ -z "$authorities" ] || { put "$authorities" /etc/authorities.pem; settings+=(--env NODE_EXTRA_CA_CERTS=/etc/authorities.pem); }
  build config "${settings[@]}" "$container"
  build run --isolation chroot "$container" node --version >"$work/log" 2>&1 || cannot "buildah may not run anything: $(tail -1 "$work/log")"
  build run --isolation chroot "$container" npm view zstd-napi version >"$work/log" 2>&1 || cannot "a container does not reach the registry: $(tail -1 "$work/log")"
  build commit --quiet --rm "$container" "$base" >/dev/null
fi

build bud --isolation chroot --build-arg "BASE=$base" --tag archiver "$root" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
container=$(build from archiver)
user=$(build inspect --format '{{.OCIv1.Config.User}}' "$container")
entry=$(build inspect --format '{{index .OCIv1.Config.Entrypoint 0}}' "$container")
[ "$user" = 1000:1000 ] || { echo "the image runs as '$user'" >&2; exit 1; }
[ "$entry" = archiver ] || { echo "the image starts '$entry'" >&2; exit 1; }
files=$(build mount "$container")

mkdir -p "$work"/{root,state,data,store} "$files"/srv/{data,store}
# A new volume has the owner and mode of what lies there in the image.
chown --reference="$files/var/lib/archiver" "$work/state"; chmod --reference="$files/var/lib/archiver" "$work/state"
echo content >"$work/data/file"; chown 1000:1000 "$work/store"
mount --bind "$files" "$work/root"
mount -o remount,bind,ro "$work/root"
mount -t tmpfs tmpfs "$work/root/tmp"
mount --bind "$work/state" "$work/root/var/lib/archiver"
mount --bind "$work/data" "$work/root/srv/data"; mount -o remount,bind,ro "$work/root/srv/data"
mount --bind "$work/store" "$work/root/srv/store"
mount -t proc proc "$work/root/proc"; mount --bind /dev "$work/root/dev"

run() { env -i PATH=/usr/local/bin:/usr/bin:/bin ARCHIVER_HOME=/var/lib/archiver "$(command -v chroot)" --userspec="$user" "$work/root" "$@"; }
! run touch /opt/archiver/written 2>/dev/null || { echo 'the root file system can be written to' >&2; exit 1; }
cycle() { run "$entry" fleetagent run /srv/data file:///srv/store --writer-id nas-01 --once --json; }
run "$entry" --version
cycle | grep -q '"comparedWith":"none"' || { echo 'the first cycle failed' >&2; exit 1; }
run "$entry" verify file:///srv/store/writers/nas-01 --deep
cycle | grep -q '"noChanges":true.*"comparedWith":"cache"' || { echo 'the second cycle does not know of the first one' >&2; exit 1; }
echo 'ok: built, and run as user 1000 on a read-only root'
