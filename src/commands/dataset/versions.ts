import { defineCommand } from '../../cli/command.js';
import type { Clock, Messages, Results } from '../../cli/context.js';
import type { DescribedVersion, DescribedVersions } from '../../core/dataset/records/describe-versions.js';
import { DATES_DIFFER_MS } from '../../core/dataset/records/stored-dates.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { checkCell, checkText } from '../../screens/check-texts.js';
import { checksDocument } from '../kit/checks-document.js';
import type { Judged } from '../kit/judged-checks.js';
import { datasetFlag, placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { ofKnown } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type Column, column, moments, numbers, tableText } from '../kit/table.js';
import { totalsDocument } from '../kit/totals-document.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';
import { versionName } from '../../core/dataset/records/version-name.js';

type Row = DescribedVersions['versions'][number];

/** Undefined if the record of the version cannot be read. */
const sound = (row: Row): DescribedVersion | undefined => ('problem' in row ? undefined : row);

const isDatedElsewise = (row: Row): boolean =>
  !('problem' in row) && Math.abs(Date.parse(row.createdAt) - Date.parse(row.storedAt)) > DATES_DIFFER_MS;

const COMMIT_DIGITS = 10;

const COLUMNS: readonly Column<Row>[] = [
  numbers('VERSION', versionName),
  column('UPLOAD', (row) => ('problem' in row ? 'unreadable' : printable(row.uploadId))),
  column('LISTING', (row) => sound(row)?.listing, { dropOrder: 2 }),
  numbers('FILES', (row) => ofKnown(sound(row)?.files, formatCount)),
  numbers('SIZE', (row) => ofKnown(sound(row)?.bytes, formatBytes)),
  moments('CREATED', (row) => sound(row)?.createdAt, { dropOrder: 1 }),
  moments('STORED', ({ storedAt }) => storedAt, { dropOrder: 1 }),
  column('COMMIT', (row) => ofKnown(sound(row)?.commit, (hex) => hex.slice(0, COMMIT_DIGITS)), { dropOrder: 4 }),
  column('SOURCE', (row) => ofKnown(sound(row), sourceText), { isCuttable: true, dropOrder: 3 }),
  column('TAGS', ({ tags }) => (tags.length === 0 ? undefined : tags.join(', '))),
];

const sourceText = ({ source, host, uploader }: DescribedVersion): string | undefined =>
  ofKnown(host, (name) => `${source} on ${printable(name)}${uploader === null ? '' : `, by ${printable(uploader)}`}`);

/** The columns, and what checks in the store say, judged for each version. */
const columns = (judged: Judged, now: Date): readonly Column<Row>[] => [
  ...COLUMNS,
  column('CHECKED', (row) => ofKnown(sound(row), (version) => checkCell(judged.of(version.uploadId), now)), {
    dropOrder: 1,
  }),
];

function versionDocument(row: Row, judged: Judged) {
  if ('problem' in row) return row;
  const { totals, encryption, ...rest } = row;
  const keys = encryption && { kmsKeyId: encryption.kmsKeyId, isEncrypted: encryption.manifest };
  return { ...rest, versionChecks: checksDocument(judged.of(row.uploadId)), totals: totalsDocument(totals), ...keys };
}

/** A sentence about a version that a check found damaged. */
function failureTexts(row: Row, judged: Judged, now: Date): readonly string[] {
  const { failure } = 'problem' in row ? {} : judged.of(row.uploadId);
  return failure === undefined ? [] : [`${versionName(row)}: ${checkText(failure, now)}`];
}

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
    'made it is named: numbers that were left out, an empty version after others that have content.\n' +
    'What `verify` and `drill` have recorded in the store is shown with its date: a claim about that day. A failure is shown until a later check ' +
    'has found right what was wrong.',
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
  async run(values, [url], context: Results<'dataset versions'> & Messages & Clock & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { describeVersions } = await import('../../core/dataset/records/describe-versions.js');
    const { judgedChecks } = await import('../kit/judged-checks.js');
    const { datasetId: dataset } = values;
    const { datasetId, versions, warnings, judged, isComplete, requests } = await whileReading(
      context,
      baseUrl,
      (emit) =>
        withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
          const described = await describeVersions(store, { dataset, emit, signal: context.signal });
          return { ...described, judged: await judgedChecks(store, described.datasetId, context), requests };
        }),
    );
    for (const text of warnings) context.warn(text);
    for (const row of versions) for (const text of failureTexts(row, judged, context.now())) context.warn(text);
    const isShown = ({ title }: Column<Row>): boolean =>
      (title !== 'STORED' || versions.some(isDatedElsewise)) &&
      (title !== 'COMMIT' || versions.some((row) => typeof sound(row)?.commit === 'string')) &&
      (title !== 'CHECKED' || !judged.isEmpty) &&
      (title !== 'TAGS' || versions.some(({ tags }) => tags.length > 0));
    const table = await tableText(versions, columns(judged, context.now()).filter(isShown), context);
    context.result(
      { datasetId, location: baseUrl, versions: versions.map((row) => versionDocument(row, judged)), requests },
      () => table,
    );
    return isComplete ? 0 : 3;
  },
});
