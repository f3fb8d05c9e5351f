#!/bin/sh
# One file as it was before its last change. Reads manifests, and of one chunk what holds that file.
#   earlier-file.sh s3://acme-archive/lab notes/plan.txt ./earlier
set -eu
store=$1 path=$2 out=$3

# What people look at first: which versions hold which content of it.
archiver find "$path" "$store"

# The same as JSON: a hit is a content, the newest first.
before=$(archiver find "$path" "$store" --json | jq -r --arg path "$path" '
  [.hits[] | select(.path == $path)][1] // error("no version holds another content of it")
  | "\(.datasetId) \(.inVersions[-1].lastVersion)"')

archiver restore "$store" "$out" --dataset "${before% *}" --version "${before#* }" --file "$path"
