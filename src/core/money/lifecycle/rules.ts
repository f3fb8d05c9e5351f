// Sets of lifecycle rules: tells which are ours, whether two mean the same, and how one set becomes another. Pure.
import { createHash } from 'node:crypto';
import type { LifecycleRule, RuleFilter, RuleSet } from '../../store/bucket-lifecycle.js';

const OURS = 'archiver-lifecycle-';

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Returns the prefix of ids of our rules for the store with this key prefix in its bucket; each store has its own. */
export const ownIds = (storePrefix: string): string => `${OURS}${shortHash(storePrefix)}-`;

/** True for our rules of this store, or of any store when the prefix is undefined. */
export const isOwn = ({ ID = '' }: LifecycleRule, storePrefix?: string): boolean =>
  ID.startsWith(storePrefix === undefined ? OURS : ownIds(storePrefix));

/** The selection of a rule, in a form independent of how it is written. */
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

/** Returns the same text for all forms of a rule that mean the same: keys sorted, empty parts left out, dates as full timestamps. */
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

/** True when both rules mean the same. */
export const isSameRule = (a: LifecycleRule, b: LifecycleRule): boolean => canonical(a) === canonical(b);

/** True when both sets have the same rules, in any order; a set without a minimum size has the default of S3. */
export function isSameSet(a: RuleSet, b: RuleSet): boolean {
  const texts = ({ rules }: RuleSet): string => JSON.stringify(rules.map(canonical).sort());
  const isSameSize = a.minimumSize === undefined || b.minimumSize === undefined || a.minimumSize === b.minimumSize;
  return isSameSize && texts(a) === texts(b);
}

export interface RuleChange {
  readonly change: 'add' | 'change' | 'remove';
  /** Missing for an added rule. */
  readonly before?: LifecycleRule;
  /** Missing for a removed rule. */
  readonly after?: LifecycleRule;
}

/** Returns the changes from one set to the other, by id. */
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

/** Replaces our rules of a store; rules of others, and of other stores, stay unchanged. */
export function withOwnRules(set: RuleSet, storePrefix: string, own: readonly LifecycleRule[]): RuleSet {
  return { ...set, rules: [...set.rules.filter((rule) => !isOwn(rule, storePrefix)), ...own] };
}

/** Returns the set without our rules of a store, or of every store when the prefix is undefined. */
export const withoutOwnRules = (set: RuleSet, storePrefix?: string): RuleSet => ({
  ...set,
  rules: set.rules.filter((rule) => !isOwn(rule, storePrefix)),
});

export interface Merged {
  readonly set: RuleSet;
  /** Ids that the file uses for rules different from those of others: these are not replaced. */
  readonly clashes: readonly string[];
}

/** Merges the rules of a file into the set, by id. Our rules are replaced, those of others are not. */
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
