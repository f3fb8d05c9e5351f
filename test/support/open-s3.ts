// S3 stores for tests, against any endpoint, with retries that do not dawdle.
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { WholeStore } from '../../src/core/store/object-store.js';
import { openStore, type OpenedStore, type OpenStoreOptions } from '../../src/core/store/open-store.js';

/** For tests that delete, or break how a store deletes. */
export interface OpenedWhole extends OpenedStore {
  readonly store: WholeStore;
}

export const wholeStore = ({ store, deleter }: OpenedStore): WholeStore => ({ ...store, ...deleter });

/** Retries as in production, a thousand times faster. */
export const FAST_RETRY = { baseDelayMs: 1, maxDelayMs: 5 } as const;

/** Opens a store at a fresh prefix of the bucket (or at `prefix`), closed when the test ends. */
export async function openTestS3(
  endpointUrl: string,
  bucket: string,
  options: Partial<OpenStoreOptions> & { prefix?: string } = {},
): Promise<OpenedWhole> {
  const { prefix = `t-${randomBytes(6).toString('hex')}`, ...rest } = options;
  const opened = await openStore(`s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`, {
    env: {},
    endpointUrl,
    region: 'us-east-1',
    retry: FAST_RETRY,
    createOnce: 'yes', // requests are counted: tests of the question ask by `auto`
    ...rest,
  });
  onTestFinished(() => opened.close());
  return { ...opened, store: wholeStore(opened) };
}

/** Credentials for tests; the SDK reads them from the environment. */
export function useTestCredentials(): void {
  process.env['AWS_ACCESS_KEY_ID'] = 'archiver';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'archiver-secret';
}
