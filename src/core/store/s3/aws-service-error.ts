// Turns errors of an AWS service other than S3, of its SDK and of the network into one sentence with a next step.
import { cancelledError, errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { StoreError, type StoreErrorOptions } from '../store-error.js';
import { tlsTrouble } from '../tls-trouble.js';

interface SdkError {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number };
}

export interface ServiceCall {
  /** The request, such as `iam:GetUser`, which the message begins with. */
  readonly asked: string;
  /** Hint if a policy refuses it; by default names the right to `asked`. */
  readonly rights?: string;
  /** Hint for any other failure. */
  readonly hint?: string;
}

const WRONG_CREDENTIALS =
  /^(?:UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|AuthFailure)/;

/** Names a failure. An ArchiverError passes through; an abort becomes `cancelled`. */
export function awsServiceError(error: unknown, call: ServiceCall): Error {
  if (isArchiverError(error)) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return cancelledError();
  const { asked, rights = `the credentials need ${asked}`, hint } = call;
  const text = printable(errorText(error));
  const system = systemCode(error);
  const fail = (code: 'access-denied' | 'credentials' | 'store', why: string, options: StoreErrorOptions): StoreError =>
    // The SDK's error holds the whole exchange, signed headers and secrets included: only what it says is kept.
    new StoreError(code, `${asked}: ${why}`, {
      reason: name,
      ...options,
      cause: Object.assign(new Error(text), { name, code: system }),
    });
  const and = (first: string): string => (hint === undefined ? first : `${first}; ${hint}`);
  if (name.startsWith('AccessDenied'))
    return fail('access-denied', `access denied: ${text}`, { hint: rights, isRefused: true });
  if (name.startsWith('ExpiredToken'))
    return fail('credentials', 'the credentials have expired', {
      hint: and('renew them (for example: aws sso login) and run the command again'),
    });
  if (WRONG_CREDENTIALS.test(name))
    return fail('credentials', `these credentials are not accepted (${printable(name)})`, {
      hint: and('check the access key and the secret key, or name another profile with --profile'),
    });
  if (/credentials/i.test(name))
    return fail('credentials', `no usable credentials: ${text}`, {
      hint: and('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile'),
    });
  const { $metadata, $response } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  if (status !== undefined)
    return fail('store', `the service answered ${status} ${printable(name)}: ${text}`, { hint });
  const untrusted = tlsTrouble(system ?? '', 'the service', text);
  if (untrusted !== undefined) return fail('store', untrusted.text, { hint: untrusted.hint });
  return fail('store', `not answered: ${text}`, { hint: and('check the network and HTTPS_PROXY') });
}
