#!/bin/sh
# A first archive: stores a folder, looks at it, and gets it back beside the original.
#   first-archive.sh ~/photos /mnt/backup ./photos-again      or s3://bucket/prefix instead of /mnt/backup
set -eu
source=$1 store=$2 out=$3

archiver upload "$source" "$store"
archiver list "$store" --dataset "$(basename "$source")"

# Reads everything back and compares checksums; a verify without --deep asks only whether all chunks are there.
archiver verify "$store" --deep

archiver restore "$store" "$out" --dataset "$(basename "$source")" --all
diff -r "$source" "$out" && echo 'nothing differs'
