// Explains why a store refused lifecycle rules. Servers that are not AWS lack classes, or whole actions, and many say only that the XML is
// malformed (MinIO).
import type { SupportedClasses } from '../../store/storage-classes/supported-classes.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { LifecycleRule, RuleSet } from '../../store/bucket-lifecycle.js';
import { StoreError } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { TRANSITION_CLASSES } from './classes.js';
import { isOwn, isSameRule, ruleChanges } from './rules.js';

const REFUSALS = new Set(['InvalidStorageClass', 'MalformedXML', 'InvalidArgument', 'InvalidRequest']);

/** True when the store understood the request but refused the rules. */
export const isRuleRefusal = (error: unknown): error is StoreError =>
  error instanceof StoreError && REFUSALS.has(error.reason ?? '');

const newRules = (before: RuleSet, after: RuleSet): readonly LifecycleRule[] =>
  ruleChanges(before, after).flatMap(({ after: rule }) => (rule === undefined ? [] : [rule]));

/** Returns the classes that these rules move objects to. */
const classesOf = (rules: readonly LifecycleRule[]): readonly string[] => [
  ...new Set(
    rules
      .flatMap(({ Transitions = [], NoncurrentVersionTransitions: older = [] }) => [...Transitions, ...older])
      .map(({ StorageClass }) => StorageClass),
  ),
];

const isAborting = ({ AbortIncompleteMultipartUpload: abort }: LifecycleRule): boolean => abort !== undefined;

/** Returns the set without our new rule that aborts unfinished uploads; undefined when there is no other change. */
export function withoutAborting(before: RuleSet, after: RuleSet): RuleSet | undefined {
  const left = new Set(newRules(before, after).filter((rule) => isOwn(rule) && isAborting(rule)));
  const old = before.rules.filter((rule) => Array.from(left).some(({ ID }) => ID === rule.ID));
  const fewer = { ...after, rules: [...after.rules.filter((rule) => !left.has(rule)), ...old] };
  return left.size > 0 && ruleChanges(before, fewer).length > 0 ? fewer : undefined;
}

const ONLY_EXPIRE = 'use --import with rules that only expire (Expiration, NoncurrentVersionExpiration)';

function insteadOf(refused: readonly string[], kept: readonly string[] = []): string {
  const others = TRANSITION_CLASSES.filter((name) => kept.includes(name) && !refused.includes(name));
  if (others.length > 0) return `--import takes rules that move chunks to ${others.join(' or ')}; otherwise they stay`;
  return 'chunks stay where they are; the tools of the store show tiers that it may have, and --import takes rules that only expire other objects (Expiration, NoncurrentVersionExpiration)';
}

/** Asks which storage classes the store keeps; undefined when that is not known. */
export type AskClasses = () => Promise<Pick<SupportedClasses, 'classes' | 'text'> | undefined>;

/**
 * Turns a refusal into an error that names the refused actions and suggests what to do instead; returns other errors as they are. @throws
 * what asking throws
 */
export async function refusedRules(
  error: unknown,
  before: RuleSet,
  after: RuleSet,
  askClasses: AskClasses,
): Promise<unknown> {
  if (!isRuleRefusal(error)) return error;
  const asked = newRules(before, after);
  const [classes, taken] = [classesOf(asked), classesOf(before.rules)];
  const what = [
    ...(classes.length === 0 ? [] : [`transitions to ${classes.join(' or ')}`]),
    ...(asked.some(isAborting) && error.reason !== 'InvalidStorageClass'
      ? ['rules that abort unfinished uploads']
      : []),
  ];
  if (what.length === 0) return error;
  const kept = classes.length === 0 ? undefined : await askClasses();
  const known = [
    ...(kept === undefined ? [] : [kept.text]),
    ...(taken.length === 0 ? [] : [`rules that it has move to ${taken.join(', ')}`]),
  ];
  return new ArchiverError(
    'unsupported',
    `this store does not take ${printable(what.join(', or '))} (it answered ${printable(error.reason ?? '')})${printable(known.map((one) => `; ${one}`).join(''))}; no rule was changed`,
    {
      cause: error,
      hint: classes.length === 0 ? ONLY_EXPIRE : insteadOf(classes, kept?.classes),
    },
  );
}

/** Returns the wanted rules that the sent set lacks or has differently. */
export const missingRules = (sent: RuleSet, wanted: RuleSet): readonly LifecycleRule[] =>
  wanted.rules.filter((rule) => !sent.rules.some((one) => one.ID === rule.ID && isSameRule(one, rule)));
