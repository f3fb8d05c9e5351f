// The SDK's chain of credentials (variables, profiles, processes, SSO, roles, metadata services) with what it lacks: a
// limit to the wait, in words that say what did not answer, and the address for STS and SSO of the profile in force (the
// SDK looks for it in that of AWS_PROFILE, and does not find all of it). It cannot be interrupted: who waits for it listens to the signal (until-cancelled.ts).
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { ArchiverError } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';
import { type AwsProfile, awsProfile, type AwsSources, tokenEndpoint } from './s3-profile.js';

/** A process may ask its user for a code; STS and metadata services answer in a second. */
const CREDENTIALS_TIMEOUT_MS = 60_000;

type Provider = ReturnType<typeof defaultProvider>;

/** Credentials as the SDK finds them. The provider throws `stalled` when nobody gives any in time. */
export function awsCredentials(sources: AwsSources, timeoutMs = CREDENTIALS_TIMEOUT_MS): Provider {
  let chain: Promise<Provider> | undefined;
  return async (options) => {
    chain ??= providerOf(sources);
    return await inTime((await chain)(options), sources, timeoutMs);
  };
}

async function providerOf(sources: AwsSources): Promise<Provider> {
  const { profile } = sources;
  const { section } = await awsProfile(sources);
  const isSession = section['role_arn'] === undefined && isSignOn(section);
  const endpoint = await tokenEndpoint(isSession ? 'sso' : 'sts', sources);
  // Without an address it would look into the profile of AWS_PROFILE, which need not be the one that was named.
  const clientConfig = endpoint === undefined ? { ignoreConfiguredEndpointUrls: true } : { endpoint };
  return defaultProvider({ clientConfig, ...(profile === undefined ? {} : { profile }) });
}

async function inTime<T>(asking: Promise<T>, sources: AwsSources, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  try {
    const first = await Promise.race([asking.then((credentials) => ({ credentials })), late]);
    if (first !== 'late') return first.credentials;
  } finally {
    clearTimeout(timer);
  }
  const profile = await awsProfile(sources);
  throw new ArchiverError('stalled', `no credentials within ${timeoutMs / 1000} s: ${giver(profile)} did not answer`, {
    hint: `see what it does by itself: aws sts get-caller-identity --profile ${printable(profile.name)}`,
  });
}

const isSignOn = (section: AwsProfile['section']): boolean =>
  section['sso_session'] !== undefined || section['sso_start_url'] !== undefined;

/** Who was asked, as far as the profile says. */
function giver({ name, section }: AwsProfile): string {
  const named = printable(name);
  if (section['role_arn'] !== undefined) return `STS, or what the role of profile ${named} builds on,`;
  if (section['credential_process'] !== undefined) return `the credential_process of profile ${named}`;
  if (isSignOn(section)) return `the single sign-on (SSO) of profile ${named}`;
  return 'the credentials service of this machine';
}
