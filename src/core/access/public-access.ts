// Block Public Access: for each setting, the more restrictive of bucket and account applies.
import type { PublicAccessBlock } from '../store/bucket-posture.js';
import { type Answer, isAnswered, unknownFinding } from './answer.js';
import { awsCommand, type CommandPlace, s3Command } from './aws-command.js';
import { finding, type Finding } from './finding.js';

export const SETTINGS = [
  'BlockPublicAcls',
  'IgnorePublicAcls',
  'BlockPublicPolicy',
  'RestrictPublicBuckets',
] as const satisfies readonly (keyof PublicAccessBlock)[];

type Setting = 'on' | 'off' | 'unknown';
/** The settings that apply to a bucket. */
export type EffectiveBlock = Readonly<Record<(typeof SETTINGS)[number], Setting>>;

type BlockAnswer = Answer<PublicAccessBlock | undefined>;

/** An answer without settings means that all are off. */
const settingOf = (answer: BlockAnswer, name: (typeof SETTINGS)[number]): Setting => {
  if (!isAnswered(answer)) return 'unknown';
  return answer.value?.[name] === true ? 'on' : 'off';
};

/** Combines the settings of bucket and account. */
export function effectiveBlock(bucket: BlockAnswer, account: BlockAnswer): EffectiveBlock {
  const together = (name: (typeof SETTINGS)[number]): Setting => {
    const both = [settingOf(bucket, name), settingOf(account, name)];
    return both.includes('on') ? 'on' : both.includes('unknown') ? 'unknown' : 'off';
  };
  return Object.fromEntries(SETTINGS.map((name) => [name, together(name)])) as Record<keyof EffectiveBlock, Setting>;
}

const ALL_ON = SETTINGS.map((name) => `${name}=true`).join(',');
const blockWords = ['--public-access-block-configuration', ALL_ON];

/** Returns the command that turns on all four settings of the bucket, which cuts off public access immediately. */
export const blockCommand = (place: CommandPlace): string => s3Command('put-public-access-block', blockWords, place);

/** Judges `public-access-block`, the settings that apply to the bucket, and `account-block`, those of the account. */
export function judgeBlocks(
  bucket: BlockAnswer,
  account: BlockAnswer,
  place: CommandPlace,
  accountId: string | undefined,
): readonly Finding[] {
  return [ofBucket(bucket, account, place), ofAccount(account, place, accountId)];
}

function ofBucket(bucket: BlockAnswer, account: BlockAnswer, place: CommandPlace): Finding {
  const check = 'public-access-block';
  const block = effectiveBlock(bucket, account);
  const named = (setting: Setting): readonly string[] => SETTINGS.filter((name) => block[name] === setting);
  const [off, unknown] = [named('off'), named('unknown')];
  if (!isAnswered(bucket)) {
    const more = off.length + unknown.length === 0 ? 'The account blocks all public access whatever it is.' : '';
    return unknownFinding(check, bucket.unanswered, more);
  }
  const remediation = blockCommand(place);
  if (off.length > 0)
    return finding(check, 'warn', off.length === SETTINGS.length ? 'off' : `off: ${off.length} of ${SETTINGS.length}`, {
      detail: `Neither the bucket nor its account has ${off.join(', ')} on${unknown.length === 0 ? '' : `; ${unknown.join(', ')} may be on in the account`}.`,
      remediation,
    });
  if (unknown.length > 0)
    return finding(check, 'unknown', `not on for the bucket: ${unknown.length} of ${SETTINGS.length}`, {
      detail: `The bucket does not have ${unknown.join(', ')} on; whether its account has is not known.`,
      remediation,
    });
  return finding(check, 'ok', 'all public access is blocked');
}

function ofAccount(account: BlockAnswer, place: CommandPlace, accountId: string | undefined): Finding {
  const check = 'account-block';
  if (!isAnswered(account)) return unknownFinding(check, account.unanswered);
  const off = SETTINGS.filter((name) => account.value?.[name] !== true);
  if (off.length === 0) return finding(check, 'ok', 'all public access is blocked');
  return finding(check, 'info', off.length === SETTINGS.length ? 'off' : `off: ${off.length} of ${SETTINGS.length}`, {
    detail: `The account does not have ${off.join(', ')} on: each bucket has to.`,
    remediation:
      accountId === undefined
        ? null
        : awsCommand(['s3control', 'put-public-access-block', '--account-id', accountId, ...blockWords], place),
  });
}
