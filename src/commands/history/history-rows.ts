// What became of a path, for people and programs.
import { versionName } from '../../core/dataset/records/version-name.js';
import type { PathChange, PathHistory } from '../../core/dataset/history/path-history.js';
import { formatTimestamp as isoTime } from '../../core/format/manifest/timestamp.js';
import { defined } from '../../core/platform/defined.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { resultPath } from '../../core/platform/failures/failure-list.js';
import { displayPath, printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';
import { sizeAndTime, SIZE_AND_TIME } from '../kit/entry-cells.js';

/** @throws not-found where no version has the path */
export function refuseUnknown(path: string, datasetId: string, { changes, versions, problems }: PathHistory): void {
  if (changes.length > 0) return;
  const where = `${formatQuantity(versions, 'version')} of dataset ${printable(datasetId)}`;
  const unread = problems.length === 0 ? '' : ` (${problems.length} could not be searched)`;
  throw new ArchiverError('not-found', `'${path}' is in none of ${where}${unread}`, {
    hint: 'archiver find searches for a part of a path',
  });
}

/** A change as data for programs. */
export function changeDocument({ change, record, last, entry }: PathChange) {
  const { version, fork, uploadId, createdAt } = record;
  return {
    change,
    version,
    ...defined({ fork }),
    lastVersion: last.version,
    uploadId,
    createdAt,
    ...(entry && {
      type: entry.type,
      size: entry.size,
      mtime: isoTime(entry.mtime.seconds, entry.mtime.nanos),
      md5: entry.md5 ?? null,
      ...defined({ target: entry.target === undefined ? undefined : resultPath(entry.target) }),
    }),
  };
}

const versionsText = ({ record, last }: PathChange): string =>
  record === last ? versionName(record) : `${versionName(record)}-${versionName(last)}`;

/** The changes, newest first, as people read them. */
export function historyText(path: string, datasetId: string, { changes }: PathHistory): string {
  const width = Math.max('VERSIONS'.length, ...changes.map((change) => versionsText(change).length));
  const rows = changes.toReversed().map((change) => {
    const { record, entry } = change;
    const since = formatMinute(new Date(record.createdAt));
    const end = entry?.target === undefined ? '' : ` -> ${displayPath(entry.target)}`;
    const cells = entry === undefined ? '' : `  ${sizeAndTime(entry)}${end}`;
    return `${versionsText(change).padEnd(width)}  ${since}  ${change.change.padEnd('modified'.length)}${cells}`.trimEnd();
  });
  const title = `${'VERSIONS'.padEnd(width)}  ${'SINCE'.padEnd('2025-11-14 12:04+01:00'.length)}  ${'CHANGE'.padEnd('modified'.length)}  ${SIZE_AND_TIME}`;
  return [`${path} in dataset ${printable(datasetId)}`, title.trimEnd(), ...rows, ''].join('\n');
}
