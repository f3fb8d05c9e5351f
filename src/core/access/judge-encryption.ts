// Judges how a bucket encrypts objects, and who may use the KMS key. Pure.
import type { DescribedKey } from '../store/key-service.js';
import type { DefaultEncryption } from '../store/bucket-posture.js';
import { printable } from '../platform/paths/raw-path.js';
import { awsCommand, type CommandPlace, s3Command } from './aws-command.js';
import { finding, type Finding, listed } from './finding.js';
import { KEY_POLICY_KEYS, VIA_KEYS } from './fixed-condition.js';
import { judgePolicy } from './judge-policy.js';

const KMS = new Set(['aws:kms', 'aws:kms:dsse']);

/** Returns the ARN, alias or id of the default KMS key; undefined when KMS is not used, or used with AWS' own key. */
export const defaultKeyOf = (encryption: readonly DefaultEncryption[] | undefined): string | undefined =>
  encryption?.find(({ algorithm, keyId }) => KMS.has(algorithm) && keyId !== undefined)?.keyId;

export function judgeEncryption(
  encryption: readonly DefaultEncryption[] | undefined,
  isAws: boolean,
  place: CommandPlace,
): Finding {
  const check = 'encryption';
  const remediation = s3Command(
    'put-bucket-encryption',
    [
      '--server-side-encryption-configuration',
      '{"Rules":[{"ApplyServerSideEncryptionByDefault":{"SSEAlgorithm":"AES256"}}]}',
    ],
    place,
  );
  // Every bucket of AWS has had SSE-S3 since January 2023, whatever it says.
  if (encryption === undefined && isAws) return finding(check, 'ok', 'SSE-S3');
  const [rule, ...more] = encryption ?? [];
  if (rule === undefined)
    return finding(check, 'info', 'none by default', {
      detail: 'Whether this server encrypts what it stores is not known.',
      remediation,
    });
  if (more.length === 0 && rule.algorithm === 'AES256') return finding(check, 'ok', 'SSE-S3');
  if (more.length === 0 && KMS.has(rule.algorithm))
    return finding(check, 'ok', rule.keyId === undefined ? 'SSE-KMS with aws/s3' : 'SSE-KMS with a key of its own', {
      detail: rule.keyId === undefined ? null : `The key is ${printable(rule.keyId)}.`,
    });
  return finding(check, 'unknown', 'cannot be understood', {
    detail: `The bucket says ${printable(JSON.stringify(encryption).slice(0, 200))}.`,
    remediation,
  });
}

const CHECK = 'kms-key-policy';

/** Returns the finding when there is no key to check. */
export const noKey = (usesKms: boolean): Finding =>
  finding(CHECK, 'ok', usesKms ? 'the key of AWS (aws/s3)' : 'no KMS key');

/** Judges the state of the key; undefined when it can be used. */
export function judgeKeyState({ arn, state }: DescribedKey, place: CommandPlace): Finding | undefined {
  const check = 'kms-key';
  if (state === 'Enabled') return undefined;
  if (state === 'PendingDeletion' || state === 'PendingReplicaDeletion')
    return finding(check, 'critical', 'the key is going to be deleted', {
      detail: `Nothing that ${printable(arn)} encrypts can be read once it is gone.`,
      remediation: awsCommand(['kms', 'cancel-key-deletion', '--key-id', arn], place),
    });
  return finding(check, 'warn', `the key is ${printable(state ?? 'in no known state')}`, {
    detail: `What ${printable(arn)} encrypts can be neither written nor read now.`,
    remediation: state === 'Disabled' ? awsCommand(['kms', 'enable-key', '--key-id', arn], place) : null,
  });
}

/** Judges who may use a customer's key. */
export function judgeKeyPolicy({ arn, manager }: DescribedKey, policy: string, place: CommandPlace): Finding {
  if (manager === 'AWS') return noKey(true);
  const verdict = judgePolicy(policy, KEY_POLICY_KEYS, VIA_KEYS);
  const words = ['--policy-name', 'default', '--query', 'Policy', '--output', 'text'];
  const remediation = awsCommand(['kms', 'get-key-policy', '--key-id', arn, ...words], place);
  if (verdict === undefined)
    return finding(CHECK, 'unknown', 'cannot be understood', {
      detail: 'The policy is not as AWS writes policies.',
      remediation,
    });
  const { open, odd, via, scoped, accounts } = verdict;
  if (open.length > 0)
    return finding(CHECK, 'critical', 'anybody may use the key', {
      detail: `${listed(open)} allows any principal of any account, and no condition limits it to accounts, an organization or sources. Add kms:CallerAccount with \`aws kms put-key-policy\`.`,
      remediation,
    });
  if (odd.length > 0)
    return finding(CHECK, 'unknown', 'cannot be understood', {
      detail: `What ${listed(odd)} allows is not known: it is not as AWS writes statements.`,
      remediation,
    });
  if (via.length > 0)
    return finding(CHECK, 'warn', 'any account, through a service', {
      detail: `${listed(via)} allows any principal that comes through a service (kms:ViaService): add kms:CallerAccount.`,
      remediation,
    });
  if (scoped.length > 0)
    return finding(CHECK, 'info', 'anybody who meets a condition', {
      detail: `${listed(scoped)} allows any principal that meets a condition with fixed values.`,
      remediation,
    });
  const own = /^arn:[^:]*:kms:[^:]*:(\d{12}):/.exec(arn)?.[1];
  const others = accounts.filter((account) => account !== own);
  if (others.length > 0)
    return finding(CHECK, 'info', 'other accounts may use the key', {
      detail: `It names accounts ${listed(others)}.`,
      remediation,
    });
  return finding(CHECK, 'ok', 'limited to its account');
}
