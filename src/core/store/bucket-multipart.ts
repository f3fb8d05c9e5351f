// Multipart uploads that are begun only to see how a store handles them: no command stores anything that way.
import { STANDARD, type StoreMeter } from './meter.js';
import type { RequestCounts } from './object-store.js';
import { Retrier, type RetryOptions } from './retry/retrier.js';

/** Keys are those of the store. The caller that begins an upload aborts it (`abortMultipart`). */
export interface MultipartTrial {
  /** Begins an upload and returns its id. @throws access-denied, unsupported, store */
  begin(key: string, signal?: AbortSignal): Promise<string>;
  /** Copies a whole object into its first part. @throws as `begin` */
  copyPart(fromKey: string, key: string, multipartId: string, signal?: AbortSignal): Promise<void>;
  /** Returns the bytes of the parts that the store has of the upload. @throws as `begin` */
  partBytes(key: string, multipartId: string, signal?: AbortSignal): Promise<number>;
}

/** Most attempts. This is only a question: a server that fails at a request that it does not know is not worth waiting for. */
const MAX_ATTEMPTS = 3;

/** Adds a few retries; each attempt is counted. */
export function retriedTrial(
  trial: MultipartTrial,
  options: RetryOptions,
  counts: RequestCounts,
  meter: StoreMeter | undefined,
): MultipartTrial {
  const retrier = new Retrier({ ...options, maxAttempts: Math.min(MAX_ATTEMPTS, options.maxAttempts) });
  return {
    begin: (key, signal) =>
      retrier.run({ request: `begin a multipart upload of ${key}`, signal }, () => {
        counts.put += 1;
        meter?.requested('put', STANDARD);
        return trial.begin(key, signal);
      }),
    copyPart: (fromKey, key, multipartId, signal) =>
      retrier.run({ request: `copy ${fromKey} into a part of ${key}`, signal }, () => {
        counts.copy += 1;
        meter?.requested('copy', STANDARD);
        return trial.copyPart(fromKey, key, multipartId, signal);
      }),
    partBytes: (key, multipartId, signal) =>
      retrier.run({ request: `list the parts of ${key}`, signal }, () => {
        counts.list += 1;
        meter?.requested('list', STANDARD);
        return trial.partBytes(key, multipartId, signal);
      }),
  };
}
