// Explains why there are no credentials. The SDK asks one source after the other and only reports that none had any; what each said it
// writes to its log. The profile shows which of it matters.
import { ArchiverError, usageError } from '../../platform/failures/errors.js';
import { withoutSecrets } from '../../platform/failures/hide-secrets.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { AwsProfile } from './s3-profile.js';

const MAX_SHOWN = 200;
const GIVERS = [
  'aws_access_key_id',
  'role_arn',
  'credential_process',
  'sso_session',
  'sso_start_url',
  'web_identity_token_file',
  'login_session',
];

const isThere = ({ all }: AwsProfile, name: string): boolean => Object.hasOwn(all, name);

const noCredentials = (why: string, hint: string): ArchiverError =>
  new ArchiverError('credentials', `no usable credentials: ${why}`, { hint });

/** Returns the error for a profile that was named and is not there; undefined for one that is, and for `default`, which need not be. */
export function missingProfile(profile: AwsProfile, neededBy?: string): ArchiverError | undefined {
  const { name, all } = profile;
  if (isThere(profile, name) || (name === 'default' && neededBy === undefined)) return undefined;
  const names = Object.keys(all).sort().map(printable);
  const who = neededBy === undefined ? '' : `, which the profile ${printable(neededBy)} builds on (source_profile)`;
  const there = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`;
  return usageError(
    `there is no profile ${printable(name)}${who} in the AWS config and credentials files`,
    `${there}; name one with --profile, or make it: aws configure --profile ${printable(name)}`,
  );
}

/** Returns the reason, as far as the profile and what the SDK said tell it; otherwise undefined. */
export function whyNoCredentials(profile: AwsProfile, said: readonly string[]): ArchiverError | undefined {
  const path = sourcePath(profile);
  const last = path.at(-1) ?? profile.name;
  const missing = missingProfile({ ...profile, name: last }, path.at(-2));
  if (missing !== undefined) return missing;
  if (path.indexOf(last) < path.length - 1)
    return noCredentials(
      `the profiles ${path.map(printable).join(' → ')} build on each other in a loop (source_profile)`,
      'let one of them have keys, a credential_process or a sign-on of its own',
    );
  const section = profile.all[last];
  const { credential_process: command } = section ?? {};
  if (command !== undefined) return processFailure(last, command, said);
  if (section !== undefined && !GIVERS.some((key) => section[key] !== undefined))
    return noCredentials(`the profile ${printable(last)} has none`, `aws configure --profile ${printable(last)}`);
  return undefined;
}

/** Returns the profile and those that it builds on; the last one is there twice if they form a loop. */
function sourcePath({ name, all }: AwsProfile): readonly string[] {
  const path = [name];
  for (;;) {
    const { role_arn: role, source_profile: source, aws_access_key_id: key } = all[path.at(-1) ?? ''] ?? {};
    const hasOwn = path.length > 1 && key !== undefined;
    if (role === undefined || source === undefined || hasOwn) return path;
    const isLoop = path.includes(source) && all[source]?.['aws_access_key_id'] === undefined;
    if (path.includes(source) && !isLoop) return path;
    path.push(source);
    if (isLoop) return path;
  }
}

function processFailure(name: string, command: string, said: readonly string[]): ArchiverError | undefined {
  const about = `the credential_process of profile ${printable(name)}`;
  const hint = 'see what it prints: run the command that credential_process names by itself';
  const failed = said.find((text) => text.includes(`Command failed: ${command}`));
  if (failed !== undefined) {
    const [, stderr = ''] = failed.split(`Command failed: ${command}`);
    const line = stderr.split('\n').find((text) => text.trim() !== '');
    return noCredentials(
      line === undefined ? `${about} failed without a word` : `${about} failed: ${shown(line)}`,
      hint,
    );
  }
  const [refused] = said.flatMap(
    (text) => /credential_process (returned|did not return) (.*?)\.?$/.exec(text)?.slice(2) ?? [],
  );
  switch (refused) {
    case undefined:
      return undefined;
    case 'invalid JSON':
      return noCredentials(`${about} printed something that is no JSON`, hint);
    case 'expired credentials':
      return noCredentials(
        `${about} gave credentials that have expired`,
        'renew what it takes them from, such as a sign-on',
      );
    default:
      return noCredentials(`${about} printed no credentials (AccessKeyId, SecretAccessKey and "Version": 1)`, hint);
  }
}

const shown = (line: string): string => printable(withoutSecrets(line.trim()).slice(0, MAX_SHOWN));
