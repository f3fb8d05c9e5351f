// What became of one path from version to version.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { rangesOfPath } from '../../format/manifest/path-range.js';
import { type RawPath, textFromRaw } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { findInVersions, type FindOptions, type Found, type HitEntry } from './find-in-versions.js';

/** A version in which a path is another than in the version before it that was searched. */
export interface PathChange {
  readonly change: 'added' | 'modified' | 'deleted';
  readonly record: VersionRecord;
  /** The last version that has it so. */
  readonly last: VersionRecord;
  /** Undefined where it was deleted. */
  readonly entry: HitEntry | undefined;
}

export interface PathHistory extends Pick<Found, 'versions' | 'problems'> {
  /** Oldest first; empty when no version has the path. */
  readonly changes: readonly PathChange[];
}

/** The history of a path in the versions of a dataset that can be read; others are named. @throws what `findInVersions` throws */
export async function pathHistory(
  reader: ObjectReader,
  datasetId: string,
  path: RawPath,
  options: Pick<FindOptions, 'onPlan' | 'onLines' | 'signal'>,
): Promise<PathHistory> {
  const text = textFromRaw(path);
  const found = await findInVersions(reader, datasetId, {
    ...options,
    isWanted: (one) => one === path,
    needles: text === undefined ? undefined : [path],
    ranges: rangesOfPath(path),
  });
  return { versions: found.versions, problems: found.problems, changes: changesOf(found) };
}

function changesOf({ hits, records }: Found): readonly PathChange[] {
  const changes: PathChange[] = [];
  for (const record of records) {
    const before = changes.at(-1);
    const { entry } = hits.find(({ versions }) => versions.some(has(record))) ?? {};
    if (before === undefined && entry === undefined) continue;
    if (before !== undefined && before.entry === entry) changes[changes.length - 1] = { ...before, last: record };
    else changes.push({ change: kindOf(before?.entry, entry), record, last: record, entry });
  }
  return changes;
}

const has =
  ({ version, fork }: VersionRecord) =>
  (run: { readonly from: number; readonly to: number; readonly fork?: string }): boolean =>
    run.from <= version && version <= run.to && run.fork === fork;

const kindOf = (before: HitEntry | undefined, after: HitEntry | undefined): PathChange['change'] =>
  after === undefined ? 'deleted' : before === undefined ? 'added' : 'modified';
