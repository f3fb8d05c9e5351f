// Plans how a command changes the rules of a bucket. Nothing is written here.
import type { PriceList } from '../../cost/price-table.js';
import type { Usd } from '../../cost/money.js';
import { ArchiverError, usageError } from '../../platform/failures/errors.js';
import type { LifecycleRule, RuleSet } from '../../store/bucket-lifecycle.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readerBelow } from '../../store/reader-below.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import { type Danger, endangering, overlaps } from './endangered.js';
import {
  isOwn,
  isSameRule,
  type RuleChange,
  ruleChanges,
  selectionOf,
  withImported,
  withoutOwnRules,
  withOwnRules,
} from './rules.js';
import { movingCost } from './savings.js';
import { storedUploads } from './stored-uploads.js';
import { storesBelow } from './stores-below.js';
import { templateRules } from './template-rules.js';
import type { Template } from './templates.js';
import { setProblems } from './validate.js';

export interface PlanFrom {
  readonly before: RuleSet;
  readonly store: ObjectReader;
  readonly signal?: AbortSignal | undefined;
}

export interface PlannedChange {
  readonly after: RuleSet;
  readonly changes: readonly RuleChange[];
  /** Rules of others that harm the store. */
  readonly dangers: readonly Danger[];
  /**
   * Set for a template: chunks that it moves, their bytes, the cost of the move requests, and the number of uploads without room for a
   * rule.
   */
  readonly waitingChunks?: number;
  readonly waitingBytes?: number;
  readonly transitionUsd?: Usd;
  readonly leftOut?: number;
  /** Set for imported rules; false when some folders were not looked into, where there may be stores that they harm. */
  readonly isAllSeen?: boolean;
}

const prefixOf = ({ url }: ObjectReader): string => {
  const place = parseStoreUrl(url);
  return place.kind === 's3' ? place.prefix : '';
};

/** Keeps the existing form of rules that mean the same. */
const keptAsWritten = (rules: readonly LifecycleRule[], { rules: before }: RuleSet): readonly LifecycleRule[] =>
  rules.map((rule) => before.find((old) => old.ID === rule.ID && isSameRule(old, rule)) ?? rule);

/** Plans the rules of a template for the uploads of a store. @throws not-found where there are none; conflict without room */
export async function planTemplate(
  { before, store, signal }: PlanFrom,
  template: Template,
  prices: PriceList,
): Promise<PlannedChange> {
  const prefix = prefixOf(store);
  const target = template.transitions.at(-1)?.StorageClass ?? '';
  const uploads = await storedUploads(store, prefix, target, signal);
  if (uploads.length === 0)
    throw new ArchiverError('not-found', `there are no uploads in ${printable(store.url)}`, {
      hint: 'name the place above uploads/, such as s3://bucket/prefix',
    });
  const others = withoutOwnRules(before, prefix).rules;
  const waiting = uploads.filter(({ waitingChunks }) => waitingChunks > 0);
  const { rules, leftOut } = templateRules(template, prefix, waiting, others.length);
  const after = withOwnRules(before, prefix, keptAsWritten(rules, before));
  refuseProblems(after.rules);
  const moved = waiting.slice(0, waiting.length - leftOut);
  const waitingChunks = moved.reduce((sum, upload) => sum + upload.waitingChunks, 0);
  return {
    after,
    changes: ruleChanges(before, after),
    dangers: endangering(others, prefix, uploads),
    waitingChunks,
    waitingBytes: moved.reduce((sum, upload) => sum + upload.waitingBytes, 0),
    transitionUsd: movingCost(template, waitingChunks, prices),
    leftOut,
  };
}

/** Plans merging the rules of a file. @throws conflict where others wrote a different rule under an ID; usage for rules that do harm */
export async function planImport(
  { before, store, signal }: PlanFrom,
  imported: readonly LifecycleRule[],
): Promise<PlannedChange> {
  const { set, clashes } = withImported(before, imported);
  if (clashes.length > 0)
    throw new ArchiverError(
      'conflict',
      `the bucket has other rules under ${clashes.length === 1 ? 'this ID' : 'these IDs'}: ${printable(clashes.join(', '))}`,
      { hint: 'rules of others are not replaced: give yours another ID' },
    );
  refuseProblems(set.rules);
  const after = { ...set, rules: keptAsWritten(set.rules, before) };
  const changes = ruleChanges(before, after);
  const prefix = prefixOf(store);
  const base = prefix === '' ? '' : `${prefix}/`;
  const newRules = changes.flatMap(({ after: rule }) => (rule === undefined ? [] : [rule]));
  const isReached = (folder: string): boolean =>
    newRules.some((rule) => overlaps(selectionOf(rule).prefix, base + folder));
  const { places, isAll } = await storesBelow(store, isReached, signal);
  let [harmful]: readonly Danger[] = [];
  for (const place of places) {
    const below = [prefix, place].filter((part) => part !== '').join('/');
    harmful ??= endangering(newRules, below, await storedUploads(readerBelow(store, place), below, '', signal))[0];
  }
  if (harmful !== undefined)
    throw usageError(
      `rule '${printable(harmful.rule.ID ?? '')}' would ${harmful.harm === 'deletes' ? 'delete what versions need' : 'move manifests or version records to a class that is not read at once'}`,
      'only chunks may move there: --template makes rules for them alone',
    );
  const others = before.rules.filter((rule) => !isOwn(rule));
  const uploads = await storedUploads(store, prefix, '', signal);
  return { after, changes, dangers: endangering(others, prefix, uploads), isAllSeen: isAll };
}

/** Plans the removal of our rules of the store, or for a whole bucket those of every store in it. */
export function planRemoval({ before, store }: PlanFrom): PlannedChange {
  const prefix = prefixOf(store);
  const after = withoutOwnRules(before, prefix === '' ? undefined : prefix);
  return { after, changes: ruleChanges(before, after), dangers: [] };
}

function refuseProblems(rules: readonly LifecycleRule[]): void {
  const [problem] = setProblems(rules);
  if (problem !== undefined) throw new ArchiverError('conflict', `S3 would not take the rules: ${printable(problem)}`);
}
