// The in-process S3 server behind the fault proxy, fresh for each test, and stores that look at it through the proxy.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { OpenStoreOptions } from '../../src/core/store/open-store.js';
import type { WholeStore } from '../../src/core/store/object-store.js';
import { readAll } from '../../src/core/store/read-content.js';
import type { StoreError } from '../../src/core/store/store-error.js';
import { startFaultProxy, type FaultProxy } from '../faults/fault-proxy.js';
import { startMemoryS3, type MemoryS3 } from './memory-s3.js';
import { type OpenedWhole, openTestS3, useTestCredentials } from './open-s3.js';

export interface BrokenS3 {
  readonly server: MemoryS3;
  readonly proxy: FaultProxy;
  /** A store at `s3://bucket/p` through the proxy. */
  open(options?: Partial<OpenStoreOptions>): Promise<OpenedWhole>;
  /** Puts an object below `p/`, past the proxy. */
  put(key: string, body: Buffer | string, storageClass?: string): void;
  /** Puts what `OPERATIONS` want to find. */
  prepare(): void;
}

const absent = (what: string): never => {
  throw new Error(`the ${what} runs only in tests`);
};

/** Starts both for a test file; the result works inside of tests. */
export function useBrokenS3(): BrokenS3 {
  const running: { server?: MemoryS3; proxy?: FaultProxy } = {};
  const server = (): MemoryS3 => running.server ?? absent('server');
  const proxy = (): FaultProxy => running.proxy ?? absent('proxy');
  beforeAll(async () => {
    useTestCredentials();
    running.server = await startMemoryS3('bucket');
    running.proxy = await startFaultProxy(running.server.endpoint);
  });
  afterAll(async () => {
    await running.proxy?.close();
    await running.server?.close();
  });
  beforeEach(() => {
    proxy().clear();
    server().buckets.set('bucket', new Map());
    server().lockable.clear();
  });
  const put: BrokenS3['put'] = (key, content, storageClass) => {
    const body = Buffer.from(content);
    const etag = createHash('md5').update(body).digest('hex');
    const headers: Record<string, string> = storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass };
    server().buckets.get('bucket')?.set(`p/${key}`, { body, etag, modified: new Date(), headers });
  };
  return {
    get server() {
      return server();
    },
    get proxy() {
      return proxy();
    },
    open: (options = {}) => openTestS3(proxy().endpoint, 'bucket', { prefix: 'p', ...options }),
    put,
    prepare: () => {
      put('there', 'there');
      put('cold', 'cold', 'GLACIER');
    },
  };
}

/** What a promise fails with; fails the test when it does not. */
export const failure = async (promise: Promise<unknown>): Promise<StoreError> =>
  await promise.then(
    () => {
      throw new Error('it should have failed');
    },
    (error: unknown) => error as StoreError,
  );

/** One call for each S3 operation. They want the objects `there` and (cold) `cold`. */
export const OPERATIONS = {
  PutObject: (store) => store.put('new', Buffer.from('body')),
  GetObject: async (store) => readAll(await store.get('there'), 100),
  HeadObject: (store) => store.head('there'),
  ListObjectsV2: async (store) => {
    const pages = store.list()[Symbol.asyncIterator]();
    while ((await pages.next()).done !== true);
  },
  ListMultipartUploads: async (store) => {
    const uploads = store.listMultipart('')[Symbol.asyncIterator]();
    while ((await uploads.next()).done !== true);
  },
  AbortMultipartUpload: (store) => store.abortMultipart('multi', 'gone'),
  DeleteObjects: (store) => store.delete(['there']),
  CopyObject: (store) => store.copy('there', 'copied'),
  RestoreObject: (store) => store.thaw('cold', { days: 1, tier: 'standard' }),
} satisfies Record<string, (store: WholeStore) => Promise<unknown>>;

export type OperationName = keyof typeof OPERATIONS;
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];
