// Judges whether the contents of a bucket can be destroyed: by its Object Lock, rules for failed uploads, and how long the versions that
// prune always keeps stay locked. Pure.
import { selectionOf } from '../money/lifecycle/rules.js';
import type { DefaultRetention, PostureAnswers } from '../store/bucket-posture.js';
import type { LifecycleRule } from '../store/bucket-lifecycle.js';
import { printable } from '../platform/paths/raw-path.js';
import { shellWord } from '../platform/text/shell-word.js';
import { commandAt, type CommandPlace, s3Command } from './aws-command.js';
import { finding, type Finding, listed, type Severity } from './finding.js';
import type { KeptVersion } from './kept-versions.js';

/** Least severe first; `unknown` ranks high, because the actual state may be worse than a warning. */
export const LOCK_ORDER = ['ok', 'info', 'warn', 'unknown', 'critical'] as const satisfies readonly Severity[];

const DAY_MS = 86_400_000;
const DAYS_A_YEAR = 365;
/** As AWS suggests. */
const ABORT_DAYS = 7;
const SUGGESTED_DAYS = 90;

/** Returns the days; undefined when neither days nor years are given. */
const retentionDays = ({ days, years }: DefaultRetention): number | undefined =>
  days ?? (years === undefined ? undefined : years * DAYS_A_YEAR);

export function judgeObjectLock(lock: PostureAnswers['objectLock'], place: CommandPlace): Finding {
  const check = 'object-lock';
  const configuration = JSON.stringify({
    ObjectLockEnabled: 'Enabled',
    Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: SUGGESTED_DAYS } },
  });
  const remediation = s3Command('put-object-lock-configuration', ['--object-lock-configuration', configuration], place);
  if (lock === undefined || !lock.isOn)
    return finding(check, 'critical', 'off', {
      detail:
        'Whoever may delete objects can destroy what is stored. It needs versioning, and cannot be turned off again.',
      remediation,
    });
  const { retention } = lock;
  const days = retention && retentionDays(retention);
  if (retention === undefined || days === undefined)
    return finding(check, 'warn', 'on, without a default retention', {
      detail: 'Nothing is locked unless whoever writes it says so, as `archiver upload --object-lock --retain` does.',
      remediation,
    });
  switch (retention.mode) {
    case 'COMPLIANCE':
      return finding(check, 'ok', `COMPLIANCE, ${days} days`, { detail: 'Nobody can lift it before, root included.' });
    case 'GOVERNANCE':
      return finding(check, 'ok', `GOVERNANCE, ${days} days`, {
        detail: 'Whoever has s3:BypassGovernanceRetention can lift it: give it to nobody who writes.',
      });
    default:
      return finding(check, 'unknown', 'cannot be understood', {
        detail: `The bucket says mode ${printable(retention.mode)}.`,
        remediation,
      });
  }
}

/**
 * Judges the rules that abort failed uploads. `prefix` is that of the store in the bucket, without a trailing slash; a rule counts only if
 * it covers all of it.
 */
export function judgeAbortRule(rules: readonly LifecycleRule[], place: CommandPlace, prefix: string): Finding {
  const check = 'lifecycle-mpu';
  const base = prefix === '' ? '' : `${prefix}/`;
  const days = rules.flatMap((rule) => {
    const { prefix: selected, tags, moreThan, lessThan } = selectionOf(rule);
    const isAll = tags.length === 0 && moreThan === undefined && lessThan === undefined && base.startsWith(selected);
    const { DaysAfterInitiation } = rule.AbortIncompleteMultipartUpload ?? {};
    return rule.Status === 'Enabled' && isAll && DaysAfterInitiation !== undefined ? [DaysAfterInitiation] : [];
  });
  if (days.length > 0) return finding(check, 'ok', `failed uploads are removed after ${Math.min(...days)} days`);
  const rule = {
    ID: 'abort-failed-uploads',
    Status: 'Enabled',
    Filter: { Prefix: base },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABORT_DAYS },
  };
  // The AWS CLI would replace all rules of the bucket; the import merges.
  const write = `echo ${shellWord(JSON.stringify({ Rules: [rule] }))} > abort-failed-uploads.json`;
  const words = ['archiver', 'lifecycle', '--bucket', `s3://${place.bucket}`, '--import', 'abort-failed-uploads.json'];
  return finding(check, 'warn', 'failed uploads stay, and are billed', {
    detail: 'No enabled rule aborts unfinished multipart uploads there, and writers that may not delete cannot.',
    remediation: `${write} && ${commandAt(words, place)}`,
  });
}

/**
 * Compares the default retention with the versions that prune never retires: the newest of each dataset, and tagged ones. A version's
 * objects were put before its record, so their retention has ended once that of the record has.
 */
export function judgeRetention(
  retention: DefaultRetention,
  kept: readonly KeptVersion[],
  { baseUrl, now, isComplete }: { readonly baseUrl: string; readonly now: Date; readonly isComplete: boolean },
): Finding {
  const check = 'retention';
  const days = retentionDays(retention) ?? 0;
  const endOf = ({ lastModified }: KeptVersion): number => lastModified.getTime() + days * DAY_MS;
  const always = kept.filter(({ isNewest, tags }) => isNewest || tags > 0);
  const ended = always.filter((one) => endOf(one) <= now.getTime());
  const others = kept.filter((one) => !always.includes(one) && endOf(one) <= now.getTime()).length;
  const part = isComplete ? '' : ' Not every folder was looked into.';
  const rules = 'What --keep rules of a prune keep for longer than that is not locked either.';
  if (kept.length === 0)
    return finding(check, isComplete ? 'ok' : 'unknown', 'no versions there', { detail: part.trim() || null });
  if (ended.length > 0)
    return finding(check, 'warn', `over for ${ended.length} of ${always.length} versions that stay`, {
      detail: `The default retention is ${days} days, and prune always keeps the newest and the tagged versions: ${listed(ended.map(({ datasetId, version }) => `v${version} of ${datasetId}`))} ${ended.length === 1 ? 'is' : 'are'} older than that, and can be destroyed unless locked for longer by hand.${others === 0 ? '' : ` So can ${others} older ones.`} ${rules}${part}`,
      remediation: `archiver fleet lock-extend ${shellWord(printable(baseUrl))} --until ${Math.max(days, SUGGESTED_DAYS)}d`,
    });
  const first = new Date(Math.min(...always.map(endOf))).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return finding(check, 'ok', `the versions that stay are locked until ${first}`, {
    detail: `The default retention is ${days} days. ${others === 0 ? '' : `${others} older versions are no longer locked. `}What a version took over from earlier uploads was locked when those were made. ${rules}${part}`,
  });
}
