#!/bin/sh
# For a monitor: ends with 1 and names the datasets whose newest version is older than so many hours.
#   is-it-fresh.sh s3://acme-archive/lab 26
set -eu
store=$1 hours=$2

old=$(archiver dataset list "$store" --json |
  jq -r --argjson hours "$hours" '.datasets[]
    | ((now - (.updatedAt | sub("\\.[0-9]+Z$"; "Z") | fromdate)) / 3600 | floor) as $age
    | select($age >= $hours) | "\(.datasetId): no version for \($age) hours"')

[ -z "$old" ] && exit 0
printf '%s\n' "$old" >&2
exit 1
