// Sets of lifecycle rules: which are ours, whether two say the same, and how one set becomes another. Pure.
import { createHash } from 'node:crypto';
import type { LifecycleRule, RuleFilter, RuleSet } from '../../store/bucket-lifecycle.js';

const OURS = 'archiver-lifecycle-';

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** How the ids of our rules for the store with this prefix in its bucket begin; each store has its own. */
export const ownIds = (storePrefix: string): string => `${OURS}${shortHash(storePrefix)}-`;

/** Ours, of this store; of every store where the prefix is undefined. */
export const isOwn = ({ ID = '' }: LifecycleRule, storePrefix?: string): boolean =>
  ID.startsWith(storePrefix === undefined ? OURS : ownIds(storePrefix));

/** What a rule selects, whichever way it says so. */
export interface Selection {
  readonly prefix: string;
  readonly tags: readonly { readonly Key: string; readonly Value: string }[];
  readonly moreThan: number | undefined;
  readonly lessThan: number | undefined;
}

export function selectionOf({ Prefix, Filter = {} }: Pick<LifecycleRule, 'Prefix' | 'Filter'>): Selection {
  const { And, ...alone }: RuleFilter = Filter;
  return {
    prefix: Prefix ?? And?.Prefix ?? alone.Prefix ?? '',
    tags: [...(And?.Tags ?? []), ...(alone.Tag ? [alone.Tag] : [])],
    moreThan: And?.ObjectSizeGreaterThan ?? alone.ObjectSizeGreaterThan,
    lessThan: And?.ObjectSizeLessThan ?? alone.ObjectSizeLessThan,
  };
}

/** One text for all forms of a rule that mean the same: keys in order, nothing that is empty, whole days as moments. */
function canonical(rule: LifecycleRule): string {
  const { Prefix: _, Filter: __, ...rest } = rule;
  return JSON.stringify(ordered({ ...rest, selection: selectionOf(rule) }));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(ordered(one))).sort();
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== undefined && !(Array.isArray(part) && !part.length));
  return Object.fromEntries(
    kept
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, key === 'Date' ? new Date(String(part)).toISOString() : ordered(part)]),
  );
}

/** Both say the same. */
export const isSameRule = (a: LifecycleRule, b: LifecycleRule): boolean => canonical(a) === canonical(b);

/** Both sets have the same rules, in whatever order; where one says nothing of sizes, S3 has chosen. */
export function isSameSet(a: RuleSet, b: RuleSet): boolean {
  const texts = ({ rules }: RuleSet): string => JSON.stringify(rules.map(canonical).sort());
  const isSameSize = a.minimumSize === undefined || b.minimumSize === undefined || a.minimumSize === b.minimumSize;
  return isSameSize && texts(a) === texts(b);
}

export interface RuleChange {
  readonly change: 'add' | 'change' | 'remove';
  /** Absent where it is added. */
  readonly before?: LifecycleRule;
  /** Absent where it is removed. */
  readonly after?: LifecycleRule;
}

/** What makes the second set of the first, by id. */
export function ruleChanges(before: RuleSet, after: RuleSet): readonly RuleChange[] {
  const left = new Map(before.rules.map((rule) => [rule.ID, rule]));
  const news = after.rules.flatMap((rule): RuleChange[] => {
    const old = left.get(rule.ID);
    if (old === undefined) return [{ change: 'add', after: rule }];
    return isSameRule(old, rule) ? [] : [{ change: 'change', before: old, after: rule }];
  });
  const ids = new Set(after.rules.map(({ ID }) => ID));
  const gone = before.rules.filter(({ ID }) => !ids.has(ID));
  return [...news, ...gone.map((rule): RuleChange => ({ change: 'remove', before: rule }))];
}

/** Our rules of a store become these; those of others, and of other stores, stay as they are. */
export function withOwnRules(set: RuleSet, storePrefix: string, own: readonly LifecycleRule[]): RuleSet {
  return { ...set, rules: [...set.rules.filter((rule) => !isOwn(rule, storePrefix)), ...own] };
}

/** Without our rules of a store, or of every store where the prefix is undefined. */
export const withoutOwnRules = (set: RuleSet, storePrefix?: string): RuleSet => ({
  ...set,
  rules: set.rules.filter((rule) => !isOwn(rule, storePrefix)),
});

export interface Merged {
  readonly set: RuleSet;
  /** Ids of rules of others that the file has with other words: nothing of them is replaced. */
  readonly clashes: readonly string[];
}

/** The set with the rules of a file, by id. Ours are replaced, those of others are not. */
export function withImported(set: RuleSet, imported: readonly LifecycleRule[]): Merged {
  const byId = new Map(imported.map((rule) => [rule.ID, rule]));
  const clashes = set.rules.flatMap((rule) => {
    const other = byId.get(rule.ID);
    return other === undefined || isOwn(rule) || isSameRule(rule, other) ? [] : [rule.ID ?? ''];
  });
  const kept = set.rules.map((rule) => byId.get(rule.ID) ?? rule);
  const ids = new Set(set.rules.map(({ ID }) => ID));
  return { set: { ...set, rules: [...kept, ...imported.filter(({ ID }) => !ids.has(ID))] }, clashes };
}
