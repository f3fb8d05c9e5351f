// What STS and S3 Control, their SDKs and the network say, as one failure with what it means for the report.
import { cancelledError, errorText, isArchiverError, systemCode } from '../failures/errors.js';
import { StoreError, type StoreErrorOptions } from '../object-store/store-error.js';
import { printable } from '../paths/raw-path.js';

interface SdkError {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number };
}

/** Names a failure of `operation`, such as `sts:GetCallerIdentity`. An ArchiverError passes through; an abort becomes `cancelled`. */
export function serviceError(error: unknown, operation: string): Error {
  if (isArchiverError(error)) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return cancelledError();
  const { $metadata, $response } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  const text = printable(errorText(error));
  // The SDK's error holds the whole exchange, signed headers included: only what it says is kept.
  const options: StoreErrorOptions = {
    reason: name,
    cause: Object.assign(new Error(text), { name, code: systemCode(error) }),
  };
  if (name.startsWith('AccessDenied'))
    return new StoreError('access-denied', `${operation}: access denied`, { ...options, isRefused: true });
  if (status === undefined) return new StoreError('store', `${operation}: not answered: ${text}`, options);
  return new StoreError('store', `${operation}: the service answered ${status} ${printable(name)}`, options);
}
