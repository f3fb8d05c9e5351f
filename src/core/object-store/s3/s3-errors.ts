// Turns what the SDK, the network and the server say into one sentence about one object, with a next step. Decides what
// is worth a retry: only what the server or the network may well answer differently a moment later.
import type { ErrorCode } from '../../failures/errors.js';
import { cancelledError, errorText, isArchiverError, systemCode } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';
import { StoreError, type StoreErrorOptions } from '../store-error.js';
import { regionInError } from './s3-region.js';

/** What was asked of the store when it failed. */
export interface S3Call {
  /** The API's name, e.g. `PutObject`. */
  readonly operation: string;
  /** The IAM action it needs, e.g. `s3:PutObject`. */
  readonly action: string;
  readonly bucket: string;
  /** The full key; absent for calls about the bucket. */
  readonly key?: string;
  readonly endpoint?: string | undefined;
  /** It was to be done to one state of the object only. */
  readonly isConditional?: boolean | undefined;
  /** The region the request was signed for. */
  readonly region?: string;
}

interface SdkError {
  readonly name: string;
  readonly Code?: string;
  readonly code?: string;
  readonly message: string;
  readonly StorageClass?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, string | undefined>>;
  };
}

interface Verdict extends StoreErrorOptions {
  readonly code: ErrorCode;
  readonly text: string;
}

const RETRIABLE_REASONS = new Set([
  'InternalError',
  'SlowDown',
  'ServiceUnavailable',
  'RequestTimeout',
  'Throttling',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TooManyRequests',
  'BandwidthLimitExceeded',
  'RequestTimeoutException',
  'ConditionalRequestConflict',
  'OperationAborted',
  'ConcurrentModification',
  'IncompleteBody',
]);
const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload', 'NoSuchVersion']);
const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired', 'RequestExpired']);
const BAD_KEYS = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'InvalidToken',
  'AuthorizationHeaderMalformed',
  'InvalidClientTokenId',
]);
const WRONG_REGION = new Set(['PermanentRedirect', 'TemporaryRedirect', 'IllegalLocationConstraintException']);
const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known (DNS)',
  EAI_AGAIN: 'its name could not be looked up (DNS)',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  EPROTO: 'the TLS handshake failed',
};

/** `s3://bucket/key` as a person reads it. */
export const objectName = ({ bucket, key }: Pick<S3Call, 'bucket' | 'key'>): string =>
  printable(key === undefined ? `s3://${bucket}` : `s3://${bucket}/${key}`);

const statusOf = (error: SdkError): number | undefined =>
  error.$metadata?.httpStatusCode ?? error.$response?.statusCode;

function retryAfterMs(error: SdkError): number | undefined {
  const value = error.$response?.headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : undefined;
}

function accessVerdict(error: SdkError, reason: string, status: number | undefined, call: S3Call): Verdict | undefined {
  if (EXPIRED.has(reason)) {
    return {
      code: 'access-denied',
      text: 'the credentials have expired',
      hint: 'renew them (for example: aws sso login) and run the command again',
    };
  }
  if (BAD_KEYS.has(reason)) {
    return {
      code: 'access-denied',
      text: `the store does not accept these credentials (${reason})`,
      hint: 'check the access key, the secret key and the region, or name another profile with --profile',
    };
  }
  if (reason === 'RequestTimeTooSkewed') {
    return {
      code: 'access-denied',
      text: "this computer's clock is too far from the store's (more than 15 minutes), so signatures are refused",
      hint: 'set the clock (for example: timedatectl set-ntp true) and run the command again',
    };
  }
  if (reason !== 'AccessDenied' && status !== 401 && status !== 403) return undefined;
  // An object with SSE-KMS needs the key as well, and S3 says which action was missing.
  const kmsAction = /\bkms:[A-Za-z]+/.exec(error.message)?.[0];
  if (kmsAction !== undefined) {
    const hint = `the credentials need ${kmsAction} on the KMS key of ${objectName(call)}`;
    return { code: 'access-denied', text: `access to its KMS key is denied (${kmsAction})`, hint, isRefused: true };
  }
  const isRead = call.operation === 'GetObject' || call.operation === 'HeadObject';
  return {
    code: 'access-denied',
    text: isRead
      ? 'access denied; or the object is missing and these credentials have no permission to list the bucket to learn it'
      : 'access denied',
    hint: `the credentials need ${call.action} on ${objectName(call)}`,
    isRefused: true,
  };
}

function regionVerdict(error: SdkError, reason: string, status: number | undefined, call: S3Call): Verdict | undefined {
  const region =
    regionInError(error) ??
    /region '([a-z0-9-]+)'|expecting '([a-z0-9-]+)'/.exec(error.message)?.slice(1).find(Boolean);
  const isMisdirected =
    WRONG_REGION.has(reason) ||
    status === 301 ||
    status === 307 ||
    status === 308 ||
    (reason === 'AuthorizationHeaderMalformed' && region !== undefined);
  if (!isMisdirected) return undefined;
  const answer = { code: 'store', reason: 'WrongRegion' } as const;
  if (region === undefined) {
    return {
      ...answer,
      text: 'the store redirects to another address, and credentials are not sent there',
      hint: 'check --region and --endpoint-url',
    };
  }
  if (region === call.region) {
    return {
      ...answer,
      text: 'the store redirects to another address; a new bucket can take some minutes to be found',
      retriable: true,
    };
  }
  return {
    ...answer,
    text: `the bucket is in region ${region}, not ${call.region ?? 'the one asked'}`,
    hint: `use --region ${region}`,
  };
}

function objectVerdict(error: SdkError, reason: string, status: number | undefined, call: S3Call): Verdict | undefined {
  if (reason === 'NoSuchBucket') {
    return {
      code: 'not-found',
      text: `there is no bucket ${call.bucket}`,
      hint: 'check its name, --region and --endpoint-url',
    };
  }
  if (reason === 'NoSuchUpload') return { code: 'not-found', text: 'that multipart upload no longer exists' };
  const isMissing = MISSING.has(reason) || status === 404;
  if (isMissing && call.isConditional === true)
    return { code: 'conflict', text: 'the object is gone (another writer was there)' };
  return stateVerdict(error, reason, status) ?? (isMissing ? missingVerdict(reason, call) : undefined);
}

function missingVerdict(reason: string, call: S3Call): Verdict | undefined {
  const needsNoObject = call.operation === 'PutObject' || call.operation.startsWith('List');
  if (needsNoObject && !MISSING.has(reason)) return undefined;
  return { code: 'not-found', text: 'there is no such object' };
}

/** The object is there, and not as it would have to be. */
function stateVerdict(error: SdkError, reason: string, status: number | undefined): Verdict | undefined {
  if (reason === 'InvalidObjectState') {
    return {
      code: 'cold-storage',
      text: `the object is in cold storage${error.StorageClass === undefined ? '' : ` (${error.StorageClass})`} and must be restored before it can be read`,
      hint: 'ask for it back with: archiver restore S3_URL OUTPUT_DIR',
    };
  }
  if (reason === 'PreconditionFailed' || status === 412)
    return { code: 'conflict', text: 'the object is not in the state expected (another writer was there)' };
  if (status === 409)
    return {
      code: 'conflict',
      text: `another operation is under way (${reason})`,
      retriable: RETRIABLE_REASONS.has(reason),
    };
  if (reason === 'InvalidRange' || status === 416)
    return { code: 'integrity', text: 'the object is shorter than the range asked for' };
  return undefined;
}

const CAPACITY: Verdict = {
  code: 'store',
  text: 'no expedited retrieval capacity is available now',
  hint: 'use --tier standard, or try again later',
};
const DAMAGED: Verdict = {
  code: 'integrity',
  text: 'the store received other bytes than were sent (checksum mismatch)',
  retriable: true,
};
const FULL: Verdict = { code: 'no-space', text: 'the store is full or its quota is used up' };
const UNSUPPORTED: Verdict = { code: 'unsupported', text: 'the store does not support this request' };
const BY_REASON: Readonly<Record<string, Verdict>> = {
  GlacierExpeditedRetrievalNotAvailable: CAPACITY,
  NotImplemented: UNSUPPORTED,
  MethodNotAllowed: UNSUPPORTED,
  QuotaExceeded: FULL,
  StorageFull: FULL,
  XMinioStorageFull: FULL,
  XAmzContentSHA256Mismatch: DAMAGED,
  BadDigest: DAMAGED,
  InvalidDigest: DAMAGED,
};
const BY_STATUS: Readonly<Record<number, Verdict>> = { 405: UNSUPPORTED, 501: UNSUPPORTED, 507: FULL };

function serviceVerdict(error: SdkError, reason: string, status: number | undefined): Verdict | undefined {
  const known = BY_REASON[reason] ?? (status === undefined ? undefined : BY_STATUS[status]);
  if (known) return known;
  const isRetriable = RETRIABLE_REASONS.has(reason) || status === 408 || status === 429 || (status ?? 0) >= 500;
  const answered = ['the store answered', status, reason].filter((part) => part !== undefined && part !== '').join(' ');
  if (isRetriable) return { code: 'store', text: answered, retriable: true };
  return status === undefined ? undefined : { code: 'store', text: `${answered}: ${error.message}` };
}

function networkVerdict(error: SdkError, call: S3Call): Verdict {
  const host =
    call.endpoint === undefined
      ? `the S3 endpoint${call.region === undefined ? '' : ` of ${call.region}`}`
      : new URL(call.endpoint).host;
  if (error.name === 'CredentialsProviderError' || /credentials?/i.test(error.name)) {
    return {
      code: 'access-denied',
      text: `no usable credentials: ${error.message}`,
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile',
    };
  }
  const system = systemCode(error) ?? '';
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL)/.test(system)) {
    const isHandshake = system.startsWith('ERR_SSL');
    return {
      code: 'store',
      text: `no secure connection to ${host}: ${error.message}`,
      hint: 'name the certificate authority with NODE_EXTRA_CA_CERTS',
      retriable: isHandshake,
    };
  }
  const known = NETWORK[system];
  if (known !== undefined) {
    const detail = system === 'ETIMEDOUT' ? ` (${error.message})` : '';
    return {
      code: system === 'ETIMEDOUT' ? 'stalled' : 'store',
      text: `${host} could not be reached or was lost: ${known}${detail}`,
      hint: 'check the network and --endpoint-url',
      retriable: true,
    };
  }
  // Half an XML document, a closed socket, an unknown system code: nothing that the request itself could have caused.
  return {
    code: 'store',
    text: `${host}: ${error.message}`,
    retriable: system !== '' || /socket hang up|aborted|parse|XML/i.test(error.message),
  };
}

// The SDK's error holds the whole exchange, signed headers and session token included: only what it says is kept.
function leanCause(error: Error): Error {
  const cause = new Error(error.message);
  cause.name = error.name;
  return Object.assign(cause, { stack: error.stack, code: systemCode(error) });
}

/** Names a failure of an S3 request. An ArchiverError passes through; an abort becomes `cancelled`. */
export function s3Error(error: unknown, call: S3Call): Error {
  if (isArchiverError(error)) return error;
  if (!(error instanceof Error))
    return new StoreError('store', `${call.operation} ${objectName(call)}: ${errorText(error)}`, { cause: error });
  if (error.name === 'AbortError') return cancelledError();
  const sdk = error as unknown as SdkError;
  const status = statusOf(sdk);
  const reason = sdk.Code ?? (sdk.name === 'Error' ? '' : sdk.name);
  const { code, text, ...options } =
    regionVerdict(sdk, reason, status, call) ??
    objectVerdict(sdk, reason, status, call) ??
    accessVerdict(sdk, reason, status, call) ??
    serviceVerdict(sdk, reason, status) ??
    networkVerdict(sdk, call);
  return new StoreError(code, `${call.operation} ${objectName(call)}: ${text}`, {
    reason,
    retryAfterMs: retryAfterMs(sdk),
    ...options,
    cause: leanCause(error),
  });
}
