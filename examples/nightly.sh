#!/bin/sh
# Every night: a version with what has changed, old versions go, and a part of the rest is read back. For cron:
#   15 2 * * *   /usr/local/bin/nightly.sh /srv/data s3://acme-archive/lab
# It prints nothing when all is well, so cron mails what needs somebody (docs/operations.md).
set -u
source=$1 store=$2

archiver sync "$source" "$store" --track-deletes --quiet
synced=$?
# 3: some files could not be read and are named, the rest is stored. Whatever else: nothing is deleted tonight.
case $synced in 0 | 3) ;; *) exit "$synced" ;; esac

# Retired versions can be had back for a day: the chunks that only they need are deleted by a prune after that.
archiver dataset prune "$store" --dataset-id "$(basename "$source")" \
  --keep-last 3 --keep-daily 7 --keep-weekly 5 --keep-monthly 12 --yes --quiet || exit
archiver verify "$store" --sample 5% --quiet || exit
exit "$synced"
