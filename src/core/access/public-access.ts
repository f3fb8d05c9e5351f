// Block Public Access: what holds is the most restrictive of the bucket and its account, setting by setting.
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
/** What holds for a bucket. */
export type EffectiveBlock = Readonly<Record<(typeof SETTINGS)[number], Setting>>;

type BlockAnswer = Answer<PublicAccessBlock | undefined>;

/** An answer that says that nothing is set has all of them off. */
const settingOf = (answer: BlockAnswer, name: (typeof SETTINGS)[number]): Setting => {
  if (!isAnswered(answer)) return 'unknown';
  return answer.value?.[name] === true ? 'on' : 'off';
};

/** The two together. */
export function effectiveBlock(bucket: BlockAnswer, account: BlockAnswer): EffectiveBlock {
  const together = (name: (typeof SETTINGS)[number]): Setting => {
    const both = [settingOf(bucket, name), settingOf(account, name)];
    return both.includes('on') ? 'on' : both.includes('unknown') ? 'unknown' : 'off';
  };
  return Object.fromEntries(SETTINGS.map((name) => [name, together(name)])) as Record<keyof EffectiveBlock, Setting>;
}

const ALL_ON = SETTINGS.map((name) => `${name}=true`).join(',');
const blockWords = ['--public-access-block-configuration', ALL_ON];

/** Turns all four on for the bucket, which cuts off what is public at once. */
export const blockCommand = (place: CommandPlace): string => s3Command('put-public-access-block', blockWords, place);

/** `public-access-block`: what holds for the bucket, and `account-block`: what the account says. */
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
