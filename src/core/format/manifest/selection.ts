// A selection of entries as a test and, when possible, as byte strings that the lines of the wanted entries must contain, so that finding
// one file among a million does not parse a million lines.
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import type { PathRange } from './path-range.js';
import { globMatcher, joined, kindsOf, type Selectors, shardKind } from './selector-kinds.js';
import type { Kind, Matched, Recorded } from './selector-kind.js';

export { globMatcher, type Selectors };

export interface Selection {
  /** Call before the first entry. Every entry belongs to the commit of its manifest. */
  begin(head: Recorded): void;
  /** `shard` is that of the entry's chunk; undefined for an entry without one. */
  matches(entry: Matched, shard: number | undefined): boolean;
  /** True when every entry matches. */
  readonly isEverything: boolean;
  /** See `ReadManifestOptions.needles`. */
  readonly needles: readonly RawPath[] | undefined;
  /** Where all entries that match, and the folders above them, are; undefined when they may be anywhere. */
  readonly ranges: readonly PathRange[] | undefined;
  /**
   * The selectors that match nothing, regardless of the others, as the user wrote them, and why. @throws usage when a commit matches
   * several
   */
  unmatched(): readonly Failure[];
  /** The fewest selectors of different kinds that no entry matches together; undefined when that is not why nothing was selected. */
  conflict(): string | undefined;
}

/** An entry is selected when it matches every kind. */
class Narrowing implements Selection {
  /** The combinations of kinds that entries match, with one bit per kind. */
  private readonly seen = new Set<number>();
  private readonly wanted: number;

  constructor(
    private readonly kinds: readonly Kind[],
    readonly needles: readonly RawPath[] | undefined,
    readonly ranges: readonly PathRange[] | undefined,
  ) {
    this.wanted = 2 ** kinds.length - 1;
  }

  get isEverything(): boolean {
    return this.kinds.length === 0;
  }

  begin(head: Recorded): void {
    for (const kind of this.kinds) kind.begin?.(head);
  }

  // Every kind is tested, so that each knows what it has found.
  matches(entry: Matched, shard: number | undefined): boolean {
    let fitting = 0;
    for (let index = 0; index < this.kinds.length; index++)
      if (this.kinds[index]?.matches(entry, shard) === true) fitting |= 1 << index;
    this.seen.add(fitting);
    return fitting === this.wanted;
  }

  unmatched(): readonly Failure[] {
    return this.kinds.flatMap((kind) => kind.unmatched());
  }

  conflict(): string | undefined {
    const seen = [...this.seen];
    const isSeen = (bits: number): boolean => seen.some((fitting) => (fitting & bits) === bits);
    // A selector that matches nothing by itself is `unmatched`, and in no conflict.
    const kinds = this.kinds
      .map((kind, index) => ({ kind, bit: 1 << index }))
      .filter(({ kind, bit }) => isSeen(bit) || kind.unmatched().length === 0);
    let fewest: readonly string[] | undefined;
    for (let bits = 3; bits <= this.wanted; bits++) {
      const chosen = kinds.filter(({ bit }) => (bits & bit) !== 0).map(({ kind }) => kind.text);
      if (chosen.length < 2 || chosen.length >= (fewest?.length ?? Infinity) || isSeen(bits)) continue;
      fewest = chosen;
    }
    return fewest === undefined ? undefined : `${fewest.slice(0, -1).join(', ')} and ${fewest.at(-1) ?? ''}`;
  }
}

/** Combines selectors: any of one kind, all kinds together. Without any, everything is selected. @throws usage */
export function createSelection(selectors: Selectors): Selection {
  const { all = false, shards } = selectors;
  const kinds = all ? [] : kindsOf(selectors);
  // Lines are only searched when something other than a shard is selected: a line does not name its shard.
  const needles = kinds.length === 0 ? undefined : joined(kinds.map((kind) => kind.needles));
  // Each kind says what it has not found anywhere.
  const ranges = kinds.length === 0 ? undefined : joined(kinds.map((kind) => kind.ranges));
  return new Narrowing(shards === undefined ? kinds : [...kinds, shardKind(shards)], needles, ranges);
}
