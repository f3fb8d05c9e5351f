#!/bin/sh
# What is in an upload, without archiver: its manifest is JSON in gzip (docs/format.md).
#   read-manifest.sh /mnt/backup/uploads/20251114-093012-1a2b3c4d
# From S3: aws s3 cp s3://acme-archive/lab/uploads/<id>/manifest.json.gz .
set -eu
manifest=$1/manifest.json.gz

echo 'In all:'
zcat "$manifest" | jq -r '.totals | "\(.files) files, \(.bytes) bytes stored as \(.storedBytes) in \(.chunks) chunks"'

echo 'The largest files, and the chunk that holds each:'
zcat "$manifest" | jq -r '
  (.chunks | INDEX(.chunk)) as $chunks
  | [.files[] | select(.type == "file")] | sort_by(-.size)[:5][]
  | "\(.size)\t\(.path // .pathBase64)\t\($chunks["\(.chunk // .segments[0].chunk)"].key)"'

echo 'Bytes by the ending of the name:'
zcat "$manifest" | jq -r '
  [.files[] | select(.type == "file") | {ending: ((.path // .pathBase64) | capture("[^/](?<it>\\.[^./]+)$").it // "none"), size}]
  | group_by(.ending) | map({ending: .[0].ending, size: (map(.size) | add)}) | sort_by(-.size)[]
  | "\(.size)\t\(.ending)"'
