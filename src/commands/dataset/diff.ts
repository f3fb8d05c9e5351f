import { defineCommand } from '../../cli/command.js';
import type { StreamedResults } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { Counts, DiffTally } from '../../core/dataset/diff-tally.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { allFlag, datasetFlag, placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { documentParts } from '../kit/pieces.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import { defined } from '../../core/platform/defined.js';

const flags = {
  ...datasetFlag,
  from: flag.text({
    placeholder: 'VERSION',
    names: 'version',
    required: true,
    describe: 'earlier version: 2, v2, a tag, latest, YYYY-MM-DD or YYYY-MM-DDTHH:MM',
  }),
  to: flag.text({
    placeholder: 'VERSION',
    names: 'version',
    default: 'HEAD',
    describe: 'later version: 5, v5, a tag, latest, YYYY-MM-DD or YYYY-MM-DDTHH:MM',
  }),
  ...allFlag,
  ...writerFlag,
  ...storeFlags('us-west-2'),
};

export const command = defineCommand({
  path: 'dataset diff',
  summary: 'show what changed between two versions of a dataset',
  description:
    'Reads manifests only. A day means the newest version made by its end, in the time zone in which times are shown. Modified files say all that differs: ' +
    'type, content, mode, owner, mtime, xattrs, stage. Folders are counted, and not listed. Of more than a screenful, files of a folder ' +
    'that changed alike are one row; --all lists them.',
  args: [placeArg],
  flags,
  examples: [
    'archiver dataset diff s3://acme-archive/lab --dataset-id results-1a2b3c4d --from 3',
    'archiver dataset diff s3://acme-archive/lab --dataset-id results-1a2b3c4d --from 2026-03-31 --to v12',
  ],
  exits: { 0: 'compared, whether or not anything differs', 1: 'a version is missing, damaged or cannot be read' },
  async run(values, [url], context: StreamedResults<'dataset diff'> & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { parseVersionSelector, resolveVersion } = await import('../../core/dataset/records/version-selector.js');
    const { openCompared } = await import('../../core/dataset/chain/compared-views.js');
    const { diffViews } = await import('../../core/dataset/diff.js');
    const { ChangeRows } = await import('./change-rows.js');
    const { DiffTally, isFolderChange } = await import('../../core/dataset/diff-tally.js');
    const selectors = { from: parseVersionSelector(values.from), to: parseVersionSelector(values.to) };
    const { signal } = context;
    const told: string[] = [];
    const options = { warn: (text: string): void => void told.push(text), signal };
    const { fromRecord, toRecord, tally, requests } = await whileReading(context, baseUrl, (emit, aside) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        emit({ type: 'phase', phase: 'reading' });
        const fromRecord = await resolveVersion(store, values.datasetId, selectors.from, options);
        const toRecord = await resolveVersion(store, fromRecord.datasetId, selectors.to, options);
        const { from, to, unread } = await openCompared(store, fromRecord, toRecord, signal);
        const tally = new DiffTally(from, to, unread);
        const rows = new ChangeRows(values.all);
        const print = async (text: string): Promise<void> => {
          if (!context.json && text !== '') await aside(() => context.print(text));
        };
        emit({ type: 'phase', phase: 'comparing' });
        // With --json nothing is written before everything is compared: errors are known by then, and most changes are in memory anyway.
        for await (const batch of diffViews(from, to)) {
          signal.throwIfAborted();
          tally.add(batch);
          if (!context.json) await print(rows.add(batch.changes.filter((change) => !isFolderChange(change))));
        }
        await print(rows.end());
        return { fromRecord, toRecord, tally, requests };
      }),
    );
    for (const text of told) context.warn(text);
    if (!context.json) {
      const title = `${versionName(fromRecord)} to ${versionName(toRecord)}`;
      context.result(undefined, () => `${title}: ${summaryText(tally)}\n`);
      return;
    }
    const head = {
      datasetId: fromRecord.datasetId,
      location: baseUrl,
      fromUploadId: fromRecord.uploadId,
      fromVersion: fromRecord.version,
      ...defined({ fromFork: fromRecord.fork }),
      toUploadId: toRecord.uploadId,
      toVersion: toRecord.version,
      ...defined({ toFork: toRecord.fork }),
      ...tally.files,
      unchanged: tally.unchanged,
      folderChanges: tally.folders,
      requests,
    };
    await context.streamDocument(documentParts(head, { changes: () => tally.list() }));
  },
});

const isAny = ({ added, deleted, modified }: Counts): boolean => added + deleted + modified > 0;

const countsText = ({ added, deleted, modified }: Counts): string =>
  `${formatCount(added)} added, ${formatCount(deleted)} deleted, ${formatCount(modified)} modified`;

function summaryText({ files, folders, unchanged }: DiffTally): string {
  if (!isAny(files) && !isAny(folders)) return `no differences in ${formatQuantity(unchanged, 'file')}`;
  const folderText = isAny(folders) ? `; folders: ${countsText(folders)}` : '';
  return `${countsText(files)}, ${formatCount(unchanged)} unchanged${folderText}`;
}
