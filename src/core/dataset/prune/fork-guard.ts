// Versions that share an ordinal (docs/decisions/060-plain-stores.md) were made beside each other: what comes after them builds on
// one of them, and what only another one holds is in no later version until its writer has made one again.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ReadRecord } from '../records/versions.js';

/** Where it was made of; undefined where the record does not say, as of encrypted datasets. */
function originOf({ source: { path, pathBase64, host }, writerId }: VersionRecord): string | undefined {
  return host === undefined ? undefined : JSON.stringify([host, writerId, path, pathBase64]);
}

/**
 * Of the retired versions of one dataset those of a fork of whose source no later version stays. `kept` and `retired` are all that
 * are listed; `retiredBefore` are ordinals of tombstones.
 */
export function withoutSuccessor(
  { kept, retired }: { readonly kept: readonly ReadRecord[]; readonly retired: readonly ReadRecord[] },
  retiredBefore: readonly number[],
): ReadonlySet<ReadRecord> {
  const sharing = new Map<number, number>();
  const ordinals = [...kept, ...retired].map(({ listed }) => listed.version);
  for (const ordinal of [...ordinals, ...retiredBefore]) sharing.set(ordinal, (sharing.get(ordinal) ?? 0) + 1);
  const hasSuccessor = ({ record }: ReadRecord): boolean =>
    kept.some(
      ({ record: later }) =>
        later.version > record.version && originOf(later) !== undefined && originOf(later) === originOf(record),
    );
  return new Set(retired.filter((found) => (sharing.get(found.listed.version) ?? 0) > 1 && !hasSuccessor(found)));
}
