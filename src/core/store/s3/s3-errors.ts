// Turns errors of the SDK, the network and the server into one sentence about one object, with a next step. Decides what is
// retried: only what the server or the network is likely to answer differently a moment later.
import { cancelledError, errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { StoreError } from '../store-error.js';
import { networkVerdict } from './s3-network-errors.js';
import { regionInError } from './s3-region.js';
import { objectName, type S3Call, type SdkError, type Verdict } from './s3-verdict.js';

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
  // Whoever owns the key was shut out: no policy that leaves something out. The second one is of Ceph.
  'AccountProblem',
  'UserSuspended',
]);
const MADE_BUCKET = new Set(['BucketAlreadyExists', 'BucketAlreadyOwnedByYou']);
const WRONG_REGION = new Set(['PermanentRedirect', 'TemporaryRedirect', 'IllegalLocationConstraintException']);

/** Returns the status of the answer that an error of the SDK tells; undefined where there was none. */
export const statusOf = (error: unknown): number | undefined => {
  const { $metadata, $response } = error as SdkError;
  return $metadata?.httpStatusCode ?? $response?.statusCode;
};

function retryAfterMs(error: SdkError): number | undefined {
  const value = error.$response?.headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : undefined;
}

/** Largest difference of clocks at which S3 accepts a signature. */
const MAX_SKEW_MS = 15 * 60_000;

/** Whether the server's clock, as the answer tells it, differs too much from ours. */
const isSkewed = ({ $response }: SdkError): boolean =>
  Math.abs(Date.parse($response?.headers?.['date'] ?? '') - Date.now()) > MAX_SKEW_MS;

function accessVerdict(error: SdkError, reason: string, status: number | undefined, call: S3Call): Verdict | undefined {
  if (EXPIRED.has(reason)) {
    return {
      code: 'credentials',
      text: 'the credentials have expired',
      hint: 'renew them (for example: aws sso login) and run the command again',
    };
  }
  if (BAD_KEYS.has(reason) || (status === 401 && reason !== 'AccessDenied')) {
    return {
      code: 'credentials',
      text: `the store does not accept these credentials (${reason})`,
      hint: 'check the access key, the secret key and the region, or name another profile with --profile',
    };
  }
  // An answer to HEAD has no body, and so no reason.
  if (reason === 'RequestTimeTooSkewed' || (status === 403 && call.operation === 'HeadObject' && isSkewed(error))) {
    return {
      code: 'credentials',
      text: "this computer's clock is too far from the store's (more than 15 minutes), so signatures are refused",
      hint: 'set the clock (for example: timedatectl set-ntp true) and run the command again',
    };
  }
  if (reason !== 'AccessDenied' && status !== 403) return undefined;
  // An object with SSE-KMS also needs the key, and S3 says which action was missing.
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
  const region = regionInError(error);
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
  return stateVerdict(error, reason, status, call) ?? (isMissing ? missingVerdict(reason, call) : undefined);
}

function missingVerdict(reason: string, call: S3Call): Verdict | undefined {
  const needsNoObject = call.operation === 'PutObject' || call.operation.startsWith('List');
  if (needsNoObject && !MISSING.has(reason)) return undefined;
  return { code: 'not-found', text: 'there is no such object' };
}

/** Returns the command that restores the object from cold storage: archiver's own for what an upload holds, but that needs the manifest. */
function requestCommand({ bucket, key = '' }: S3Call): string {
  const [, upload] = /^((?:.*\/)?uploads\/[^/]+)\/(?!manifest\.)/.exec(key) ?? [];
  return upload === undefined
    ? `aws s3api restore-object --bucket ${bucket} --key ${shellWord(printable(key))} --restore-request Days=7`
    : `archiver restore ${shellWord(printable(`s3://${bucket}/${upload}`))} ./out --all`;
}

/** The object exists, but is not in the required state. */
function stateVerdict(error: SdkError, reason: string, status: number | undefined, call: S3Call): Verdict | undefined {
  if (reason === 'InvalidObjectState') {
    return {
      code: 'cold-storage',
      text: `the object is in cold storage${error.StorageClass === undefined ? '' : ` (${error.StorageClass})`} and must be restored before it can be read`,
      hint: requestCommand(call),
    };
  }
  if (reason === 'PreconditionFailed' || status === 412)
    return { code: 'conflict', text: 'the object is not in the state expected (another writer was there)' };
  // This program makes no buckets: the server does not know the request that was sent (rclone).
  if (MADE_BUCKET.has(reason)) return UNSUPPORTED;
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
// A Map and not an object, since a server may answer with any word.
const BY_REASON = new Map<string, Verdict>(
  Object.entries({
    GlacierExpeditedRetrievalNotAvailable: CAPACITY,
    NotImplemented: UNSUPPORTED,
    MethodNotAllowed: UNSUPPORTED,
    QuotaExceeded: FULL,
    StorageFull: FULL,
    XMinioStorageFull: FULL,
    XAmzContentSHA256Mismatch: DAMAGED,
    BadDigest: DAMAGED,
    InvalidDigest: DAMAGED,
  }),
);
const BY_STATUS: Readonly<Record<number, Verdict>> = { 405: UNSUPPORTED, 501: UNSUPPORTED, 507: FULL };

function classVerdict(reason: string, { storageClass }: S3Call): Verdict | undefined {
  if (reason !== 'InvalidStorageClass') return undefined;
  return {
    code: 'unsupported',
    text: `the store does not have ${storageClass === undefined ? 'that storage class' : `storage class ${storageClass}`}`,
    hint: 'leave the storage class out (STANDARD); `archiver access-check` shows which ones the store keeps',
  };
}

function serviceVerdict(error: SdkError, reason: string, status: number | undefined): Verdict | undefined {
  const known = BY_REASON.get(reason) ?? (status === undefined ? undefined : BY_STATUS[status]);
  if (known) return known;
  const isRetriable = RETRIABLE_REASONS.has(reason) || status === 408 || status === 429 || (status ?? 0) >= 500;
  const answered = ['the store answered', status, reason].filter((part) => part !== undefined && part !== '').join(' ');
  if (isRetriable) return { code: 'store', text: answered, retriable: true };
  return status === undefined ? undefined : { code: 'store', text: `${answered}: ${error.message}` };
}

// Keeps only the message of the SDK's error, which holds the whole exchange, signed headers and session token included.
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
    classVerdict(reason, call) ??
    serviceVerdict(sdk, reason, status) ??
    networkVerdict(sdk, call);
  return new StoreError(code, `${call.operation} ${objectName(call)}: ${text}`, {
    reason,
    retryAfterMs: retryAfterMs(sdk),
    ...options,
    cause: leanCause(error),
  });
}
