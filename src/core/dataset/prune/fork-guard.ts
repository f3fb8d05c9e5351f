// Versions that share an ordinal (docs/decisions/060-plain-stores.md) were made beside each other: later versions build on one of them, and
// content that only another one has is in no later version until its writer has made one again.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ReadRecord } from '../records/versions.js';

/** The source that it was made from; undefined when the record does not say, as for encrypted datasets. */
function originOf({ source: { path, pathBase64, host }, writerId }: VersionRecord): string | undefined {
  return host === undefined ? undefined : JSON.stringify([host, writerId, path, pathBase64]);
}

/**
 * Finds the retired versions of one dataset that belong to a fork and for whose source no later version stays. `kept` and `retired` are all
 * listed versions; `retiredBefore` are ordinals of tombstones.
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
