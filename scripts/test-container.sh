#!/usr/bin/env bash
# Builds the image of the Containerfile and runs it as its compose file does: as user 1000, on a root file system that cannot be written to, with
# a new state folder and a source that is mounted read-only. Without a container engine: buildah with chroot isolation, as root.
# usage: scripts/test-container.sh BASE      BASE: an image with node 20.12 or later and npm, such as docker.io/library/node:22-slim
set -euo pipefail
base=${1:?usage: scripts/test-container.sh BASE}
root=$(cd "$(dirname "$0")/.." && pwd)
store=${BUILDAH_ROOT:-$(mktemp -d)}
work=$(mktemp -d)
build() { buildah --root "$store" --storage-driver vfs "$@"; }
container=
finish() {
  for folder in tmp var/lib/archiver srv/data srv/store proc dev ''; do umount "$work/root/$folder" 2>/dev/null || true; done
  [ -z "$container" ] || build rm "$container" >/dev/null
  rm -rf "$work"
}
trap finish EXIT

build bud --isolation chroot --build-arg "BASE=$base" --tag archiver "$root" >"$work/build.log" 2>&1 || { tail -20 "$work/build.log" >&2; exit 1; }
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
run "$entry" --version
run "$entry" sync /srv/data file:///srv/store --quiet
run "$entry" verify file:///srv/store --deep
run "$entry" sync /srv/data file:///srv/store --json | grep -q '"noChanges":true'
[ -n "$(ls -A "$work/state")" ] || { echo 'no state was kept' >&2; exit 1; }
echo 'ok: built, and run as user 1000 on a read-only root'
