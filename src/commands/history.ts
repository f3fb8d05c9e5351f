import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Messages, Results } from '../cli/context.js';
import { versionName } from '../core/dataset/records/version-name.js';
import type { PathChange, PathHistory } from '../core/dataset/history/path-history.js';
import { pathKeys } from '../core/format/manifest/listed-file.js';
import { formatTimestamp as isoTime } from '../core/format/manifest/timestamp.js';
import { defined } from '../core/platform/defined.js';
import { ArchiverError } from '../core/platform/failures/errors.js';
import { resultPath } from '../core/platform/failures/failure-list.js';
import { displayPath, printable } from '../core/platform/paths/raw-path.js';
import { typedPath } from '../core/platform/text/typed-path.js';
import { formatQuantity } from '../ui/format.js';
import { formatMinute } from '../ui/format-time.js';
import { sizeAndTime, SIZE_AND_TIME } from './kit/entry-cells.js';
import { datasetFlag, placeArg, storeFlags, writerFlag } from './kit/flags.js';
import { restoreCommand } from './kit/restore-command.js';
import { type StoreContext, withStore } from './kit/store.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

const flags = { ...datasetFlag, ...writerFlag, ...storeFlags('us-west-2') };

export const command = defineCommand({
  path: 'history',
  summary: 'show what became of one path from version to version',
  description:
    'A row for each version of the dataset in which the path was added, modified (content, type or time) or deleted, newest first, and the ' +
    'command that restores what the newest of them has. Reads manifests only; with an index, the blocks that the path may be in.',
  args: [arg.text('PATH', { describe: 'path in the dataset, of a file, link or folder; \\xNN is a byte' }), placeArg],
  flags,
  examples: ['archiver history data/run-3/a.csv s3://acme-archive/lab --dataset results'],
  exits: {
    0: 'searched, and found',
    1: 'no version has the path, there is no such dataset, or the store cannot be read',
    3: 'found, but some versions could not be searched',
  },
  async run(values, [typed, url], context: Results<'history'> & Messages & StoreContext & ReadingContext) {
    const { datasetBase } = await import('./kit/dataset-target.js');
    const { findDataset } = await import('../core/dataset/records/find-dataset.js');
    const { pathHistory } = await import('../core/dataset/history/path-history.js');
    const { progressMeter } = await import('../core/events/progress-meter.js');
    const baseUrl = datasetBase(url, values.writerId);
    const path = typedPath(typed.replace(/^\.\//, '').replace(/\/+$/, ''));
    const { signal } = context;
    const { datasetId, history, requests } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        emit({ type: 'phase', phase: 'reading' });
        const { datasetId } = await findDataset(store, values.datasetId, {
          warn: (text) => context.warn(text),
          signal,
        });
        const meter = progressMeter(emit);
        const onPlan = (items: number): void => emit({ type: 'plan', items, bytes: 0 });
        const onLines = (lines: number): void => meter.add(lines, 0);
        const history = await pathHistory(store, datasetId, path, { onPlan, onLines, signal });
        meter.finish();
        return { datasetId, history, requests };
      }),
    );
    for (const problem of history.problems) context.warn(problem);
    refuseUnknown(displayPath(path), datasetId, history);
    const newest = history.changes.findLast(({ entry }) => entry !== undefined);
    const restore =
      newest &&
      restoreCommand({ location: baseUrl, outputDir: 'OUT', files: [displayPath(path)], version: newest.last });
    const document = {
      datasetId,
      location: baseUrl,
      ...pathKeys(path),
      versionCount: history.versions,
      history: history.changes.toReversed().map(changeDocument),
      hint: restore ?? null,
      requests,
    };
    context.result(document, () => historyText(displayPath(path), datasetId, history) + `restore it: ${restore}\n`);
    return history.problems.length > 0 ? 3 : 0;
  },
});

function refuseUnknown(path: string, datasetId: string, { changes, versions, problems }: PathHistory): void {
  if (changes.length > 0) return;
  const where = `${formatQuantity(versions, 'version')} of dataset ${printable(datasetId)}`;
  const unread = problems.length === 0 ? '' : ` (${problems.length} could not be searched)`;
  throw new ArchiverError('not-found', `'${path}' is in none of ${where}${unread}`, {
    hint: 'archiver find searches for a part of a path',
  });
}

function changeDocument({ change, record, last, entry }: PathChange) {
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

function historyText(path: string, datasetId: string, { changes }: PathHistory): string {
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
