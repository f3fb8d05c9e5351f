// Turns what KMS, its SDK and the network say into one sentence about one key, with a next step. `not-found` is used only for keys to
// encrypt with: for readers it would mean that the object is missing.
import {
  cancelledError,
  errorText,
  isArchiverError,
  systemCode,
  type ErrorCode,
} from '../../platform/failures/errors.js';
import { StoreError, type StoreErrorOptions } from '../store-error.js';
import { tlsTrouble } from '../tls-trouble.js';
import { printable } from '../../platform/paths/raw-path.js';

export interface KmsCall {
  readonly operation: 'GenerateDataKey' | 'Decrypt' | 'DescribeKey' | 'GetKeyPolicy';
  readonly keyId: string;
  readonly region: string;
  /** Address of the server; undefined for AWS itself. */
  readonly endpoint: string | undefined;
}

interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Set for an answer that is not from KMS. */
  readonly $response?: { readonly statusCode?: number };
}

interface Verdict extends StoreErrorOptions {
  readonly code: ErrorCode;
  readonly text: string;
}

const WRONG_CREDENTIALS = new Set([
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'IncompleteSignatureException',
  'MissingAuthenticationTokenException',
]);
const THROTTLED = new Set(['ThrottlingException', 'Throttling', 'LimitExceededException', 'TooManyRequestsException']);
const THROTTLED_HINT = 'KMS limits the requests of an account; run the command again in a minute, with fewer at once';
const RETRIABLE = new Set([
  'RequestTimeout',
  'KMSInternalException',
  'DependencyTimeoutException',
  'KeyUnavailableException',
  'InternalFailure',
  'ServiceUnavailable',
  'ServiceUnavailableException',
]);

const ADDRESS_HINT = 'check the network, and AWS_ENDPOINT_URL_KMS where KMS has an address of its own';

function accessVerdict({ name, message }: SdkError, { operation, keyId }: KmsCall): Verdict | undefined {
  const code = 'credentials';
  if (name === 'ExpiredTokenException' || name === 'ExpiredToken') {
    const hint = 'renew them (for example: aws sso login) and run the command again';
    return { code, text: 'the credentials have expired', hint };
  }
  if (WRONG_CREDENTIALS.has(name)) {
    const hint = 'check the access key and the secret key, or name another profile with --profile';
    return { code, text: `KMS does not accept these credentials (${name})`, hint };
  }
  if (/CredentialsProviderError|credentials/i.test(name)) {
    const hint = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile';
    return { code, text: `no usable credentials: ${message}`, hint };
  }
  if (!name.startsWith('AccessDenied')) return undefined;
  const hint = `the credentials need kms:${operation} on ${printable(keyId)}`;
  return { code: 'access-denied', text: 'access denied', hint, isRefused: true };
}

function keyVerdict({ name, message }: SdkError, { operation, region }: KmsCall): Verdict | undefined {
  switch (name) {
    case 'InvalidCiphertextException':
    case 'IncorrectKeyException':
      return {
        code: 'integrity',
        text: 'its data key is damaged, or was wrapped for another place or with another key',
        hint: 'restore the manifest from a copy, or read another version',
      };
    case 'NotFoundException':
      return {
        code: operation === 'GenerateDataKey' ? 'not-found' : 'store',
        text: `there is no such key in ${region}`,
        hint: 'check the id or ARN of the key and its region',
      };
    case 'DisabledException':
    case 'KMSInvalidStateException':
      return {
        code: 'store',
        text: `the key cannot be used now: ${message}`,
        hint: 'enable the key, or cancel its deletion, in KMS',
      };
    case 'InvalidKeyUsageException':
    case 'ValidationException':
      return { code: 'store', text: `KMS refuses it: ${message}`, hint: 'name a symmetric key for encryption' };
    default:
      return undefined;
  }
}

function otherVerdict(error: SdkError, { endpoint, region }: KmsCall): Verdict {
  const status = error.$metadata?.httpStatusCode ?? error.$response?.statusCode;
  const system = systemCode(error) ?? '';
  if (status !== undefined) {
    const answer = { code: 'store', text: `KMS answered ${status} ${error.name}: ${error.message}` } as const;
    if (THROTTLED.has(error.name) || status === 429) return { ...answer, retriable: true, hint: THROTTLED_HINT };
    if (RETRIABLE.has(error.name)) return { ...answer, retriable: true, hint: 'run the command again in a while' };
    return { ...answer, retriable: status >= 500, hint: endpoint === undefined ? undefined : ADDRESS_HINT };
  }
  const host = endpoint === undefined ? `KMS in ${region}` : `KMS at ${new URL(endpoint).host}`;
  const untrusted = tlsTrouble(system, host, error.message);
  if (untrusted !== undefined) return { code: 'store', ...untrusted };
  return {
    code: system === 'ETIMEDOUT' ? 'stalled' : 'store',
    text: `${host} could not be reached: ${error.message}`,
    hint: ADDRESS_HINT,
    retriable: true,
  };
}

/** Names a failure of a KMS request. An ArchiverError passes through; an abort becomes `cancelled`. */
export function kmsError(error: unknown, call: KmsCall): Error {
  if (isArchiverError(error)) return error;
  if (error instanceof Error && error.name === 'AbortError') return cancelledError();
  const sdk: SdkError = error instanceof Error ? error : { name: '', message: errorText(error) };
  const { code, text, ...options } = accessVerdict(sdk, call) ?? keyVerdict(sdk, call) ?? otherVerdict(sdk, call);
  // The SDK's error holds the whole exchange, signed headers included: only what it says is kept.
  const cause = Object.assign(new Error(sdk.message), { name: sdk.name });
  const message = `kms:${call.operation} with ${printable(call.keyId)}: ${text}`;
  return new StoreError(code, message, { reason: sdk.name, ...options, cause });
}
