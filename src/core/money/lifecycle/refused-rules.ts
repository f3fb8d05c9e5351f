// What a store means that refuses rules. Servers that are not AWS lack classes, or whole actions, and many say only that XML is
// malformed (MinIO).
import { ArchiverError } from '../../platform/failures/errors.js';
import type { LifecycleRule, RuleSet } from '../../store/bucket-lifecycle.js';
import { StoreError } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { isOwn, isSameRule, ruleChanges } from './rules.js';

const REFUSALS = new Set(['InvalidStorageClass', 'MalformedXML', 'InvalidArgument', 'InvalidRequest']);

/** The store understands the request, and not its rules. */
export const isRuleRefusal = (error: unknown): error is StoreError =>
  error instanceof StoreError && REFUSALS.has(error.reason ?? '');

const news = (before: RuleSet, after: RuleSet): readonly LifecycleRule[] =>
  ruleChanges(before, after).flatMap(({ after: rule }) => (rule === undefined ? [] : [rule]));

/** Classes that these rules move objects to. */
const classesOf = (rules: readonly LifecycleRule[]): readonly string[] => [
  ...new Set(
    rules
      .flatMap(({ Transitions = [], NoncurrentVersionTransitions: older = [] }) => [...Transitions, ...older])
      .map(({ StorageClass }) => StorageClass),
  ),
];

const aborts = ({ AbortIncompleteMultipartUpload: abort }: LifecycleRule): boolean => abort !== undefined;

/** The set without our new rule that aborts unfinished uploads; undefined where nothing else of it is new. */
export function withoutAborting(before: RuleSet, after: RuleSet): RuleSet | undefined {
  const left = new Set(news(before, after).filter((rule) => isOwn(rule) && aborts(rule)));
  const old = before.rules.filter((rule) => Array.from(left).some(({ ID }) => ID === rule.ID));
  const fewer = { ...after, rules: [...after.rules.filter((rule) => !left.has(rule)), ...old] };
  return left.size > 0 && ruleChanges(before, fewer).length > 0 ? fewer : undefined;
}

/** A refusal in words about what the rules do; other failures as they are. */
export function refusedRules(error: unknown, before: RuleSet, after: RuleSet): unknown {
  if (!isRuleRefusal(error)) return error;
  const asked = news(before, after);
  const [classes, taken] = [classesOf(asked), classesOf(before.rules)];
  const what = [
    ...(classes.length === 0 ? [] : [`transitions to ${classes.join(' or ')}`]),
    ...(asked.some(aborts) && error.reason !== 'InvalidStorageClass' ? ['rules that abort unfinished uploads'] : []),
  ];
  if (what.length === 0) return error;
  const known = taken.length === 0 ? '' : `; rules that it has move to ${taken.join(', ')}`;
  return new ArchiverError(
    'unsupported',
    `this store does not take ${printable(what.join(', or '))} (it answered ${printable(error.reason ?? '')})${printable(known)}; no rule was changed`,
    {
      cause: error,
      hint:
        classes.length === 0
          ? 'use --import with rules that only expire (Expiration, NoncurrentVersionExpiration)'
          : 'chunks stay where they are; `archiver access-check` shows the classes that this store takes, its own tools show tiers that it may have, and --import takes rules that only expire other objects (Expiration, NoncurrentVersionExpiration)',
    },
  );
}

/** The rules of the second set that the first one lacks, or has otherwise. */
export const leftOutOf = (sent: RuleSet, wanted: RuleSet): readonly LifecycleRule[] =>
  wanted.rules.filter((rule) => !sent.rules.some((one) => one.ID === rule.ID && isSameRule(one, rule)));
