import { defineCommand } from '../../cli/command.js';
import type { Messages, Results } from '../../cli/context.js';
import { recordedSource } from '../../core/dataset/records/recorded-source.js';
import { DATES_DIFFER_MS, storedDates } from '../../core/dataset/records/stored-dates.js';
import type { BrokenRecord, ReadRecord } from '../../core/dataset/records/versions.js';
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { datasetFlag, placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { ofKnown } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type Column, column, moments, numbers, tableText } from '../kit/table.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';
import { defined } from '../../core/defined.js';
import { type VersionName, versionName } from '../../core/dataset/records/version-name.js';

interface Row extends VersionName {
  readonly tags: readonly string[];
  /** Missing when it cannot be read. */
  readonly record: VersionRecord | undefined;
  /** Null for none; undefined where it is not known. */
  readonly commit: string | null | undefined;
  /** By the store's clock. */
  readonly storedAt: Date | undefined;
}

const isDatedElsewise = ({ record, storedAt }: Row): boolean =>
  record !== undefined &&
  storedAt !== undefined &&
  Math.abs(Date.parse(record.createdAt) - storedAt.getTime()) > DATES_DIFFER_MS;

const COMMIT_DIGITS = 10;

const COLUMNS: readonly Column<Row>[] = [
  numbers('VERSION', versionName),
  column('UPLOAD', ({ record }) => (record === undefined ? 'unreadable' : printable(record.uploadId))),
  column('LISTING', ({ record }) => record?.listing, { dropOrder: 2 }),
  numbers('FILES', ({ record }) => ofKnown(record?.totals.files, formatCount)),
  numbers('SIZE', ({ record }) => ofKnown(record?.totals.bytes, formatBytes)),
  moments('CREATED', ({ record }) => record?.createdAt, { dropOrder: 1 }),
  moments('STORED', ({ storedAt }) => storedAt?.toISOString(), { dropOrder: 1 }),
  column('COMMIT', ({ commit }) => ofKnown(commit, (hex) => hex.slice(0, COMMIT_DIGITS)), { dropOrder: 4 }),
  column('SOURCE', ({ record }) => ofKnown(record, sourceText), { isCuttable: true, dropOrder: 3 }),
  column('TAGS', ({ tags }) => (tags.length === 0 ? undefined : tags.join(', '))),
];

const sourceText = (record: VersionRecord): string | undefined =>
  ofKnown(record.source.host, (host) => `${recordedSource(record)} on ${printable(host)}`);

export const command = defineCommand({
  path: 'dataset versions',
  summary: 'list the versions of a dataset, newest first',
  description:
    'Files and bytes are those that a restore of the version would give, whether it was stored as a full listing or as ' +
    'what had changed since the one before. Commits are those of versions that were made with --git-metadata; `archiver ' +
    'restore --dataset-id ID --git-commit SHA` restores the newest version of one. Tags (`dataset tag`) keep a version from ' +
    'being pruned.\n' +
    'Where the date that a writer noted and the one on which the store got the version are more than a day apart (a long ' +
    'upload, a wrong clock, a copied store, a forged version), both are shown. What looks as if none of your writers had ' +
    'made it is named: numbers that were left out, an empty version after others that have content.',
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
  async run(values, [url], context: Results & Messages & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { findDataset } = await import('../../core/dataset/records/find-dataset.js');
    const { readVersions } = await import('../../core/dataset/records/versions.js');
    const { doubtsAbout } = await import('../../core/dataset/records/doubts.js');
    const { knownCommits } = await import('../../core/dataset/records/version-commits.js');
    const { signal } = context;
    const strays: string[] = [];
    const warn = (text: string): void => void strays.push(text);
    const { datasetId, read, commits, problems, requests } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        emit({ type: 'phase', phase: 'listing' });
        const { datasetId, versions: listed } = await findDataset(store, values.datasetId, { warn, signal });
        const read = await readVersions(store, listed.toReversed(), signal);
        const records = read.flatMap((found) => ('record' in found ? [found.record] : []));
        return { datasetId, read, ...(await knownCommits(store, records, signal)), requests };
      }),
    );
    const broken = read.filter((found): found is BrokenRecord => 'problem' in found);
    for (const problem of [...strays, ...broken.map((found) => found.problem.message), ...problems])
      context.warn(problem);
    const sound = read.flatMap((found) => ('record' in found ? [found] : [])).toReversed();
    const doubts = doubtsAbout(sound);
    const strange = doubtsAbout(sound, { withDates: false });
    for (const { listed } of sound.toReversed()) {
      const texts = strange.get(listed.key);
      if (texts !== undefined) context.warn(`${versionName(listed)}: ${texts.join('; ')}`);
    }
    const stored = storedDates(read.map(({ listed }) => listed));
    const rows = read.map((found): Row => {
      const { key, version, fork, tags } = found.listed;
      const record = 'record' in found ? found.record : undefined;
      return { version, fork, tags, record, commit: record && commits.get(record.uploadId), storedAt: stored.get(key) };
    });
    const isShown = ({ title }: Column<Row>): boolean =>
      (title !== 'STORED' || rows.some(isDatedElsewise)) &&
      (title !== 'COMMIT' || rows.some(({ commit }) => typeof commit === 'string')) &&
      (title !== 'TAGS' || rows.some(({ tags }) => tags.length > 0));
    const table = await tableText(rows, COLUMNS.filter(isShown), context);
    const versions = read.map((found) => {
      const { key, lastModified } = found.listed;
      const storedAt = (stored.get(key) ?? lastModified).toISOString();
      const commit = 'record' in found ? commits.get(found.record.uploadId) : undefined;
      return { ...versionDocument(found, commit), storedAt, doubts: doubts.get(key) ?? [] };
    });
    context.result({ datasetId, location: baseUrl, versions, requests }, () => table);
    return broken.length + problems.length > 0 ? 3 : 0;
  },
});

function versionDocument(found: ReadRecord | BrokenRecord, commit: Row['commit']): Record<string, unknown> {
  const { version, fork, tags } = found.listed;
  if ('problem' in found) return { version, ...defined({ fork }), tags, problem: found.problem.message };
  const { uploadId, listing, totals, createdAt, source, writerId, previous, encryption } = found.record;
  return {
    version,
    ...defined({ fork }),
    uploadId,
    tags,
    listing,
    files: totals.files,
    bytes: totals.bytes,
    storedBytes: totals.storedBytes,
    totals,
    createdAt,
    source: recordedSource(found.record),
    host: source.host ?? null,
    previous,
    ...defined({ writerId, encryption, commit }),
  };
}
