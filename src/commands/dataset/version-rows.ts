// The versions of a dataset, for people and programs.
import type { DescribedVersion, DescribedVersions } from '../../core/dataset/records/describe-versions.js';
import { DATES_DIFFER_MS } from '../../core/dataset/records/stored-dates.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { checkCell, checkText } from '../../screens/check-texts.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { checksDocument } from '../kit/checks-document.js';
import type { Judged } from '../kit/judged-checks.js';
import { ofKnown } from '../kit/lines.js';
import { type Column, column, moments, numbers } from '../kit/table.js';
import { totalsDocument } from '../kit/totals-document.js';

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

/** A version as data for programs. */
export function versionDocument(row: Row, judged: Judged) {
  if ('problem' in row) return row;
  const { totals, encryption, ...rest } = row;
  const keys = encryption && { kmsKeyId: encryption.kmsKeyId, isEncrypted: encryption.manifest };
  return { ...rest, versionChecks: checksDocument(judged.of(row.uploadId)), totals: totalsDocument(totals), ...keys };
}

/** A sentence about a version that a check found damaged. */
export function failureTexts(row: Row, judged: Judged, now: Date): readonly string[] {
  const { failure } = 'problem' in row ? {} : judged.of(row.uploadId);
  return failure === undefined ? [] : [`${versionName(row)}: ${checkText(failure, now)}`];
}

/** The columns that say something of these versions. */
export function shownColumns(versions: readonly Row[], judged: Judged, now: Date): readonly Column<Row>[] {
  const isShown = ({ title }: Column<Row>): boolean =>
    (title !== 'STORED' || versions.some(isDatedElsewise)) &&
    (title !== 'COMMIT' || versions.some((row) => typeof sound(row)?.commit === 'string')) &&
    (title !== 'CHECKED' || !judged.isEmpty) &&
    (title !== 'TAGS' || versions.some(({ tags }) => tags.length > 0));
  return columns(judged, now).filter(isShown);
}
