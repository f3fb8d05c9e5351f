// Finds signs that a version was not made by our own writers: a key that may only put can add versions to a dataset, and cannot change
// existing ones. Shown wherever versions are listed; nothing is decided by it.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { DATES_DIFFER_MS, storedDates } from './stored-dates.js';
import { type ListedVersion, listVersions, type ReadRecord, readVersions } from './versions.js';
import { compareVersions, type VersionName, versionName } from './version-name.js';

/**
 * Doubts as sentences, by the key of the record; `read` are versions of one dataset, lowest first. Versions without a doubt are left out.
 * `withDates` is false when dates are shown side by side.
 */
export function doubtsAbout(
  read: readonly ReadRecord[],
  { withDates = true } = {},
): ReadonlyMap<string, readonly string[]> {
  const stored = storedDates(read.map(({ listed }) => listed));
  const doubts = new Map<string, readonly string[]>();
  let full: ReadRecord | undefined;
  for (const found of read) {
    const { record, listed } = found;
    const its = [
      ...jumpOf(listed),
      ...forkOf(listed),
      ...emptinessOf(found, full),
      ...(withDates ? datesOf(record.createdAt, stored.get(listed.key) ?? listed.lastModified) : []),
    ];
    if (its.length > 0) doubts.set(listed.key, its);
    if (record.totals.files > 0) full = found;
  }
  return doubts;
}

/**
 * The newest version below this one whose record states that it has files; undefined when there is none. One LIST. @throws what the store
 * throws
 */
export async function contentBefore(
  reader: ObjectReader,
  { datasetId, ...name }: VersionName & { readonly datasetId: string },
  signal: AbortSignal,
): Promise<VersionRecord | undefined> {
  const below = (await listVersions(reader, datasetId, signal)).filter((listed) => compareVersions(listed, name) < 0);
  for (const listed of below.toReversed()) {
    const [found] = await readVersions(reader, [listed], signal);
    if (found !== undefined && 'record' in found && found.record.totals.files > 0) return found.record;
  }
  return undefined;
}

export function jumpOf({ version, follows }: Pick<ListedVersion, 'version' | 'follows'>): readonly string[] {
  if (follows === version - 1) return [];
  return [
    `no version ${follows + 1 === version - 1 ? version - 1 : `${follows + 1} to ${version - 1}`} was ever there`,
  ];
}

const forkOf = ({ version, fork }: ListedVersion): readonly string[] =>
  fork === undefined ? [] : [`it was made beside v${version}`];

function emptinessOf({ record }: ReadRecord, full: ReadRecord | undefined): readonly string[] {
  if (record.totals.files > 0 || full === undefined) return [];
  return [`it is empty, and ${versionName(full.record)} has ${full.record.totals.files} files`];
}

function datesOf(createdAt: string, stored: Date): readonly string[] {
  if (Math.abs(Date.parse(createdAt) - stored.getTime()) <= DATES_DIFFER_MS) return [];
  const day = stored.toISOString().slice(0, 10);
  return [`its writer dates it ${printable(createdAt.slice(0, 10))}, and the store has it since ${day}`];
}
