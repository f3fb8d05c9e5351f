import { defineCommand } from '../../cli/command.js';
import type { Messages, Results } from '../../cli/context.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { recordedSource } from '../../core/dataset/records/recorded-source.js';
import type { BrokenRecord, ReadRecord } from '../../core/dataset/records/versions.js';
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { datasetFlag, placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { minuteText, ofKnown } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type Column, column, numbers, tableText, type TableContext } from '../kit/table.js';
import { defined } from '../../core/defined.js';

interface Row {
  readonly version: number;
  /** Missing when it cannot be read. */
  readonly record: VersionRecord | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  numbers('VERSION', ({ version }) => `v${version}`),
  column('UPLOAD', ({ record }) => (record === undefined ? 'unreadable' : printable(record.uploadId))),
  column('LISTING', ({ record }) => record?.listing, { dropOrder: 2 }),
  numbers('FILES', ({ record }) => ofKnown(record?.totals.files, formatCount)),
  numbers('SIZE', ({ record }) => ofKnown(record?.totals.bytes, formatBytes)),
  column('CREATED', ({ record }) => ofKnown(record?.createdAt, minuteText), { dropOrder: 1 }),
  column('SOURCE', ({ record }) => ofKnown(record, sourceText), { isCuttable: true, dropOrder: 3 }),
];

const sourceText = (record: VersionRecord): string | undefined =>
  ofKnown(record.source.host, (host) => `${recordedSource(record)} on ${printable(host)}`);

export const command = defineCommand({
  path: 'dataset versions',
  summary: 'list the versions of a dataset, newest first',
  description:
    'Files and bytes are those that a restore of the version would give, whether it was stored as a full listing or as ' +
    'what had changed since the one before.',
  args: [placeArg],
  flags: { ...datasetFlag, ...writerFlag, ...storeFlags('us-west-2') },
  examples: [
    'archiver dataset versions s3://acme-archive/lab --dataset-id results-1a2b3c4d',
    'archiver dataset versions file:///mnt/backup --dataset-id results-1a2b3c4d --json',
  ],
  exits: {
    0: 'listed',
    1: 'there is no such dataset, or the store cannot be read',
    3: 'listed, but some are unreadable',
  },
  async run(values, [url], context: Results & Messages & StoreContext & TableContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const datasetId = checkDatasetId(values.datasetId);
    const { noSuchDataset } = await import('../../core/dataset/records/version-selector.js');
    const { listVersions, readVersions } = await import('../../core/dataset/records/versions.js');
    return await withStore({ baseUrl, values, context }, async ({ store, requests }) => {
      const listed = await listVersions(store, datasetId, context.signal);
      if (listed.length === 0) throw await noSuchDataset(store, datasetId, context.signal);
      const read = await readVersions(store, datasetId, listed.toReversed(), context.signal);
      const broken = read.filter((found): found is BrokenRecord => 'problem' in found);
      for (const { problem } of broken) context.warn(problem.message);
      const rows = read.map((found) => ({
        version: found.listed.version,
        record: 'problem' in found ? undefined : found.record,
      }));
      const table = await tableText(rows, COLUMNS, context);
      context.result({ datasetId, location: baseUrl, versions: read.map(versionDocument), requests }, () => table);
      return broken.length > 0 ? 3 : 0;
    });
  },
});

function versionDocument(found: ReadRecord | BrokenRecord): Record<string, unknown> {
  if ('problem' in found) return { version: found.listed.version, problem: found.problem.message };
  const { version, uploadId, listing, totals, createdAt, source, writerId, previous, encryption } = found.record;
  return {
    version,
    uploadId,
    listing,
    files: totals.files,
    bytes: totals.bytes,
    storedBytes: totals.storedBytes,
    totals,
    createdAt,
    source: recordedSource(found.record),
    host: source.host ?? null,
    previous,
    ...defined({ writerId, encryption }),
  };
}
