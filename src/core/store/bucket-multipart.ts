// Multipart uploads that are begun only to see what a store makes of them: no command stores anything that way.
import { STANDARD, type StoreMeter } from './meter.js';
import type { RequestCounts } from './object-store.js';
import { Retrier, type RetryOptions } from './retry/retrier.js';

/** Keys are those of the store. Whoever begins one aborts it (`abortMultipart`). */
export interface MultipartTrial {
  /** Gives the id of the upload. @throws access-denied, unsupported, store */
  begin(key: string, signal?: AbortSignal): Promise<string>;
  /** Copies a whole object into its first part. @throws as `begin` */
  copyPart(fromKey: string, key: string, multipartId: string, signal?: AbortSignal): Promise<void>;
  /** Bytes of the parts that the store has of it. @throws as `begin` */
  partBytes(key: string, multipartId: string, signal?: AbortSignal): Promise<number>;
}

/** It is only a question: a server that fails at what it does not know is not waited for. */
const MAX_ATTEMPTS = 3;

/** The same with a few retries, each attempt counted. */
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
