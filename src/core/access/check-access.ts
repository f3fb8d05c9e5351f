// Checks the access settings of a bucket: every question is asked, each answer is judged separately, and unanswered ones are `unknown`.
import { ArchiverError, isArchiverError } from '../platform/failures/errors.js';
import type { BucketPosture, PostureAnswers, PostureQuestion, PublicAccessBlock } from '../store/bucket-posture.js';
import { POSTURE_ACTIONS } from '../store/bucket-posture.js';
import { printable } from '../platform/paths/raw-path.js';
import { type Answer, answerIfAny, answerOf, isAnswered, unanswered, unknownFinding, valueOf } from './answer.js';
import type { CommandPlace } from './aws-command.js';
import { finding, type Finding } from './finding.js';
import { defaultKeyOf, judgeEncryption, judgeKeyPolicy, judgeKeyState, noKey } from './judge-encryption.js';
import { judgeAcl, judgeBucketPolicy, judgeOwnership, judgePolicyStatus } from './judge-grants.js';
import { judgeVersioning } from './judge-versioning.js';
import { effectiveBlock, judgeBlocks } from './public-access.js';
import type { AccessServices } from './services.js';
import type { Caller } from './sts-client.js';

export interface CheckedBucket {
  readonly posture: BucketPosture;
  readonly services: AccessServices;
  /** Used in suggested commands and messages. */
  readonly place: CommandPlace;
  readonly isAws: boolean;
  /** Checked instead of the bucket's key. */
  readonly kmsKeyId?: string | undefined;
  readonly signal: AbortSignal;
}

export interface AccessReport {
  readonly callerArn: string | null;
  readonly account: string | null;
  readonly findings: readonly Finding[];
}

/** Asks the bucket one question. @throws not-found where there is no such bucket; what `answerOf` throws */
export const askBucket = <Q extends PostureQuestion>(
  { posture, signal }: Pick<CheckedBucket, 'posture' | 'signal'>,
  question: Q,
  expectedOwner?: string,
): Promise<Answer<PostureAnswers[Q]>> =>
  answerOf(POSTURE_ACTIONS[question], () => posture.ask(question, { signal, expectedOwner }));

/**
 * Tells whether the store has no versions at all; asked only when none are on. Servers without versions (Garage) answer as if they were
 * never turned on, but do not support listing them. @throws what `answerOf` throws
 */
export async function lacksVersions(
  checked: Pick<CheckedBucket, 'posture' | 'signal'>,
  versioning: Answer<PostureAnswers['versioning']>,
): Promise<boolean> {
  if (isAnswered(versioning) && versioning.value.status !== undefined) return false;
  const list = await askBucket(checked, 'versionList');
  return !isAnswered(list) && list.unanswered.isLacking === true;
}

/** Checks first that the bucket exists. A refusal shows that it does. @throws not-found, and what `answerOf` throws */
export async function checkBucketExists(
  checked: Pick<CheckedBucket, 'posture' | 'signal' | 'place'>,
): Promise<Answer<PostureAnswers['bucket']>> {
  const { posture, signal, place } = checked;
  return await answerOf(POSTURE_ACTIONS.bucket, async () => {
    try {
      return await posture.ask('bucket', { signal });
    } catch (error) {
      if (!isArchiverError(error, 'not-found')) throw error;
      throw new ArchiverError('not-found', `there is no bucket ${printable(place.bucket)}`, {
        hint: 'check its name, --region and --endpoint-url',
        cause: error,
      });
    }
  });
}

/** Runs all checks and reports their findings. @throws not-found, access-denied for credentials that are not accepted, store, cancelled */
export async function checkAccess(checked: CheckedBucket): Promise<AccessReport> {
  const { place, isAws, services } = checked;
  const bucket = await checkBucketExists(checked);
  const [caller, ownBlock, policy, policyStatus, acl, ownership, encryption, versioning] = await Promise.all([
    answerIfAny<Caller>('sts:GetCallerIdentity', () => services.caller()),
    askBucket(checked, 'publicAccessBlock'),
    askBucket(checked, 'policy'),
    askBucket(checked, 'policyStatus'),
    askBucket(checked, 'acl'),
    askBucket(checked, 'ownership'),
    askBucket(checked, 'encryption'),
    askBucket(checked, 'versioning'),
  ]);
  const isLacking = !isAws && (await lacksVersions(checked, versioning));
  const { account, arn } = valueOf(caller) ?? {};
  const accountBlock = await blockOfAccount(checked, caller, bucket);
  const block = effectiveBlock(ownBlock, accountBlock);
  const judged = <T>(check: string, answer: Answer<T>, judge: (value: T) => Finding): Finding =>
    isAnswered(answer) ? judge(answer.value) : unknownFinding(check, answer.unanswered);
  const findings = [
    judged('bucket', bucket, () => finding('bucket', 'ok', 'can be reached')),
    ...judgeBlocks(ownBlock, accountBlock, place, account),
    judged('bucket-policy', policy, (text) => judgeBucketPolicy(text, block, place)),
    judged('policy-status', policyStatus, (status) => judgePolicyStatus(status, block, place)),
    judged('acl', acl, (value) => judgeAcl(value, block, valueOf(ownership), place)),
    judged('ownership', ownership, (value) => judgeOwnership(value, place)),
    judged('encryption', encryption, (value) => judgeEncryption(value, isAws, place)),
    ...(await keyFindings(checked, encryption)),
    judged('versioning', versioning, (value) => judgeVersioning(value, place, { isLacking })),
  ];
  return { callerArn: arn ?? null, account: account ?? null, findings };
}

const BLOCK_ACTION = 's3:GetAccountPublicAccessBlock';

/** Asks for the account's settings, if the bucket belongs to the caller's account. */
async function blockOfAccount(
  checked: CheckedBucket,
  caller: Answer<Caller>,
  bucket: Answer<unknown>,
): Promise<Answer<PublicAccessBlock | undefined>> {
  if (!isAnswered(caller)) return unanswered(BLOCK_ACTION, `The account is not known: ${caller.unanswered.why}`);
  const { account } = caller.value;
  if (account === undefined) return unanswered(BLOCK_ACTION, 'The account is not known');
  if (!isAnswered(bucket))
    return unanswered(POSTURE_ACTIONS.bucket, `Whether the bucket belongs to account ${account} is not known`, {
      isRefused: true,
    });
  const owned = await askBucket(checked, 'bucket', account);
  if (!isAnswered(owned))
    return unanswered(
      BLOCK_ACTION,
      `The bucket does not seem to belong to account ${account}, and only its own can be asked`,
    );
  return await answerIfAny(BLOCK_ACTION, () => checked.services.accountBlock(account));
}

/** Returns the findings about the given key, or else the bucket's key. */
async function keyFindings(
  { services, kmsKeyId, place, signal }: CheckedBucket,
  encryption: Answer<PostureAnswers['encryption']>,
): Promise<readonly Finding[]> {
  const check = 'kms-key-policy';
  if (kmsKeyId === undefined && !isAnswered(encryption)) return [unknownFinding(check, encryption.unanswered)];
  const keyId = kmsKeyId ?? defaultKeyOf(valueOf(encryption));
  if (keyId === undefined) return [noKey((valueOf(encryption) ?? []).some(({ algorithm }) => algorithm !== 'AES256'))];
  const described = await answerIfAny('kms:DescribeKey', () => services.keys.describe(keyId, signal));
  if (!isAnswered(described)) return [unknownFinding(check, described.unanswered)];
  const key = described.value;
  const state = judgeKeyState(key, place);
  if (key.manager === 'AWS') return [...(state === undefined ? [] : [state]), noKey(true)];
  const policy = await answerIfAny('kms:GetKeyPolicy', () => services.keys.policy(key.arn, signal));
  const judged = isAnswered(policy)
    ? judgeKeyPolicy(key, policy.value, place)
    : unknownFinding(check, policy.unanswered, 'KMS shows policies to the account of the key only.');
  return [...(state === undefined ? [] : [state]), judged];
}
