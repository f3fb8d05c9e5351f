// Decides which versions of a dataset stay, and why: by the rules of the user, and because no later version could replace them.
import type { ObjectReader } from '../../store/object-store.js';
import { compareVersions } from '../records/version-name.js';
import { storedDates } from '../records/stored-dates.js';
import type { ReadRecord } from '../records/versions.js';
import type { BaseState } from './base-state.js';
import { type GuardOptions, withoutHeir } from './content-guard.js';
import { withoutSuccessor } from './fork-guard.js';
import { type KeepRules, versionsToKeep } from './keep-rules.js';

/** A version that stays. */
export interface KeptVersion extends ReadRecord {
  /**
   * Reasons: names of rules, `latest`, tags, `content` when no later version that stays has half of its content, `fork` when it was made
   * beside others and no later version that stays is from its source.
   */
  readonly reasons: readonly string[];
}

/** The versions of one dataset. */
export interface SortedVersions {
  /** Kept versions, lowest first. */
  readonly kept: readonly KeptVersion[];
  readonly retired: readonly ReadRecord[];
}

/** Sorts the versions by the rules alone. */
export function sortedVersions(
  own: readonly ReadRecord[],
  { keep, now }: { readonly keep: KeepRules; readonly now: Date },
): SortedVersions {
  const stored = storedDates(own.map(({ listed }) => listed));
  const dated = own.map(({ record: { createdAt }, listed: { key, version, fork, tags, lastModified } }) => {
    const storedAt = (stored.get(key) ?? lastModified).toISOString();
    return { key, version, fork, createdAt, storedAt, tags };
  });
  const reasons = versionsToKeep(dated, keep, now);
  return {
    kept: own.flatMap((found) => {
      const its = reasons.get(found.listed.key);
      return its === undefined ? [] : [{ ...found, reasons: its }];
    }),
    retired: own.filter(({ listed }) => !reasons.has(listed.key)),
  };
}

/** Also keeps versions whose content no later version comes near to. */
export async function withHeirs(
  reader: ObjectReader,
  sorted: SortedVersions,
  options: GuardOptions,
): Promise<SortedVersions> {
  return withSpared(sorted, await withoutHeir(reader, { ...sorted, ...options }), 'content');
}

/** Also keeps versions of a fork whose source has made nothing since. */
export function withForks(sorted: SortedVersions, { tombstones }: BaseState): SortedVersions {
  const [first] = [...sorted.kept, ...sorted.retired];
  const own = tombstones.filter(({ listed }) => listed.datasetId === first?.listed.datasetId);
  const spared = withoutSuccessor(
    sorted,
    own.map(({ listed }) => listed.version),
  );
  return withSpared(sorted, spared, 'fork');
}

function withSpared(
  { kept, retired }: SortedVersions,
  spared: ReadonlySet<ReadRecord>,
  reason: string,
): SortedVersions {
  const more = [...spared].map((found) => ({ ...found, reasons: [reason] }));
  return {
    kept: [...kept, ...more].toSorted((a, b) => compareVersions(a.record, b.record)),
    retired: retired.filter((found) => !spared.has(found)),
  };
}
