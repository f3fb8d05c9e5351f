// Runs the upload service in this process (its workers from the last build) on a store that tests may break.
import { join } from 'node:path';
import { NO_FILTER } from '../../../src/core/archive/scan/filter.js';
import { upload, type UploadOptions, type UploadResult } from '../../../src/core/archive/upload.js';
import type { TransferEvent } from '../../../src/core/events.js';
import { fileStore } from '../../../src/core/object-store/file/file-store.js';
import type { ObjectStore } from '../../../src/core/object-store/object-store.js';
import { newRequestCounts } from '../../../src/core/object-store/request-count.js';
import { StoreError } from '../../../src/core/object-store/store-error.js';
import { MIB } from './trees.js';

export interface UploadRun {
  readonly events: TransferEvent[];
  /** `<method> <key>` of every request, in the order they were made. */
  readonly calls: string[];
  readonly result: Promise<UploadResult>;
}

export interface UploadRunOptions extends Partial<Omit<UploadOptions, 'open' | 'emit'>> {
  readonly wrap?: (store: ObjectStore) => ObjectStore;
  readonly onEvent?: (event: TransferEvent) => void;
}

/** Uploads `source` into the folder `base`. */
export function uploadFolder(
  source: string,
  base: string,
  { wrap, onEvent, ...options }: UploadRunOptions = {},
): UploadRun {
  const events: TransferEvent[] = [];
  const calls: string[] = [];
  const plain = fileStore(base);
  const store = recorded(wrap?.(plain) ?? plain, calls);
  const result = upload({
    source,
    host: 'test-host',
    writerId: undefined,
    filter: NO_FILTER,
    shardStrategy: 'round-robin',
    shardCount: 4,
    compressionLevel: 1,
    frameBytes: 64 * 1024,
    storageClass: 'STANDARD',
    tiers: undefined,
    tags: {},
    project: undefined,
    fileChecksums: true,
    transfer: { optimization: true, congestionControl: 'auto', transporter: 'staging', disableStaging: false },
    workers: 1,
    memoryLimitBytes: 192 * MIB,
    dryRun: false,
    tool: 'archiver test',
    now: () => new Date('2026-03-04T05:06:07Z'),
    randomBytes: () => Buffer.from('01020304', 'hex'),
    signal: new AbortController().signal,
    ...options,
    open: () => Promise.resolve({ store, requests: newRequestCounts(), isAws: false, close: () => undefined }),
    emit: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  result.catch(() => undefined);
  return { events, calls, result };
}

function recorded(store: ObjectStore, calls: string[]): ObjectStore {
  return {
    ...store,
    put: (key, body, options) => {
      calls.push(`put ${key}`);
      return store.put(key, body, options);
    },
    get: (key, options) => {
      calls.push(`get ${key}`);
      return store.get(key, options);
    },
    list: (options) => {
      calls.push(`list ${options?.prefix ?? ''}`);
      return store.list(options);
    },
    delete: (keys, signal) => {
      calls.push(...keys.map((key) => `delete ${key}`));
      return store.delete(keys, signal);
    },
  };
}

export const accessDenied = (what: string): StoreError =>
  new StoreError('access-denied', `${what} is not allowed`, { reason: 'AccessDenied' });

/** A 412; `afterRetry`: the request had been sent before, and its answer was lost. */
export const preconditionFailed = (afterRetry: boolean): StoreError =>
  new StoreError('conflict', 'the object exists', { reason: 'PreconditionFailed', afterRetry });

/** What credentials may do beside writing. */
export type Access = 'may read' | 'may only list' | 'may neither read nor list';

/** The store as a writer with less access sees it; its listing gives MD5s as ETags, as S3 does. */
export function withAccess(store: ObjectStore, access: Access, etagOf: (key: string) => string): ObjectStore {
  if (access === 'may read') return store;
  return {
    ...store,
    get: () => Promise.reject(accessDenied('s3:GetObject')),
    list: async function* (options) {
      if (access === 'may neither read nor list') throw accessDenied('s3:ListBucket');
      for await (const page of store.list(options)) {
        yield { ...page, objects: page.objects.map((object) => ({ ...object, etag: etagOf(object.key) })) };
      }
    },
  };
}

export const folderOf = (base: string): string => join(base, 'uploads', '20260304-050607-01020304');
export const FOLDER = 'uploads/20260304-050607-01020304';
