// The SDK's chain of credentials (variables, profiles, processes, SSO, roles, metadata services) and adds what it lacks: a time limit, with
// an error that says what did not answer, and the STS and SSO endpoint of the profile in use (the SDK looks it up for AWS_PROFILE only, and
// does not find all of it). It cannot be interrupted: callers listen to the signal (until-cancelled.ts).
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { S3HttpHandler } from './s3-http-handler.js';
import { missingProfile, whyNoCredentials } from './s3-no-credentials.js';
import { type AwsProfile, awsProfile, type AwsSources, tokenEndpoint } from './s3-profile.js';

/** Time limit for credentials: a process may ask its user for a code, while STS and metadata services answer in a second. */
const CREDENTIALS_TIMEOUT_MS = 60_000;

type Provider = ReturnType<typeof defaultProvider>;

export interface CredentialSources extends AwsSources {
  /** Sends requests to STS and SSO; the SDK's own when not given. */
  readonly requestHandler?: S3HttpHandler;
}

/**
 * Returns a provider of credentials: the given one, or one that finds them as the SDK does. The latter throws `stalled` when there are none
 * in time, and access-denied with the reason if that is known.
 */
export function awsCredentials(sources: CredentialSources, timeoutMs = CREDENTIALS_TIMEOUT_MS): Provider {
  if (sources.credentials !== undefined) return sources.credentials;
  let chain: Promise<Provider> | undefined;
  const said: string[] = [];
  return async (options) => {
    said.length = 0;
    chain ??= providerOf(sources, said);
    try {
      return await inTime((await chain)(options), sources, timeoutMs);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'CredentialsProviderError') throw error;
      throw whyNoCredentials(await awsProfile(sources), said) ?? error;
    }
  };
}

/** Returns a logger for the SDK's chain that adds what each source says to `said`. */
const logInto = (said: string[]) => ({
  debug: (text: unknown) => void said.push(String(text)),
  info: () => undefined,
  warn: (text: unknown) => process.emitWarning(String(text)),
  error: (text: unknown) => process.emitWarning(String(text)),
});

async function providerOf(sources: CredentialSources, said: string[]): Promise<Provider> {
  const { profile, requestHandler } = sources;
  const found = await awsProfile(sources);
  const missing = missingProfile(found);
  if (missing !== undefined) throw missing;
  const { section } = found;
  const isSession = section['role_arn'] === undefined && isSignOn(section);
  const endpoint = await tokenEndpoint(isSession ? 'sso' : 'sts', sources);
  // Without an address the SDK would look into the profile of AWS_PROFILE, which may be another one.
  const clientConfig = {
    ...(endpoint === undefined ? { ignoreConfiguredEndpointUrls: true } : { endpoint }),
    ...(requestHandler && { requestHandler }),
  };
  const logger = logInto(said);
  return defaultProvider({ clientConfig, logger, ...(profile === undefined ? {} : { profile }) });
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
    hint: `see what it does on its own: aws sts get-caller-identity --profile ${printable(profile.name)}`,
  });
}

const isSignOn = (section: AwsProfile['section']): boolean =>
  section['sso_session'] !== undefined || section['sso_start_url'] !== undefined;

/** Describes the source of the credentials, as far as the profile says it. */
function giver({ name, section }: AwsProfile): string {
  const named = printable(name);
  if (section['role_arn'] !== undefined) return `STS, or what the role of profile ${named} builds on,`;
  if (section['credential_process'] !== undefined) return `the credential_process of profile ${named}`;
  if (isSignOn(section)) return `the single sign-on (SSO) of profile ${named}`;
  return 'the credentials service of this machine';
}
